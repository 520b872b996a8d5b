"""The order of tests."""

from __future__ import annotations

FIRST = "test_smoke.py"  # the longest by far: at the end, the other workers would wait for it


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: FIRST not in item.nodeid)  # stable
