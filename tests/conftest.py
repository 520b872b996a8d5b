"""How all tests are run."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# Each core has a worker. Threads of models beside them would wait for each other; tests of threads ask for several.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The longest: at the end, the other workers would wait for them.
FIRST = ("test_smoke.py", "test_campaigns.py", "test_the_demonstration", "test_killed_at_random", "test_tracking.py")

# Nothing is timed in tests: machines are busy. A commit gets the same verdict each time, on a part of the examples; all
# of them, new ones each time, are tried by `make laws`, and what they find becomes an @example. No law sets more than
# the number of its examples, by `tests.examples`: the rest is the profile's.
settings.register_profile("frote", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("deep", deadline=None, max_examples=2_000)
settings.load_profile("frote")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: not any(name in item.nodeid for name in FIRST))  # stable


@pytest.fixture(scope="session")
def data_folder() -> str:
    """The folder with the paper's data sets; what needs it is skipped where there is none."""
    folder = os.environ.get("FROTE_DATA", "")
    if not folder:
        pytest.skip("FROTE_DATA is not set: it names the folder with the paper's data sets")
    return folder
