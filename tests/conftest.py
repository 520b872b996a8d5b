"""How all tests are run."""

from __future__ import annotations

from hypothesis import settings

FIRST = "test_smoke.py"  # the longest by far: at the end, the other workers would wait for it

settings.register_profile("frote", deadline=None)  # nothing is timed in tests: machines are busy
settings.load_profile("frote")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: FIRST not in item.nodeid)  # stable
