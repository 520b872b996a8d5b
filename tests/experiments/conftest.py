from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def data_folder() -> str:
    """The folder with the paper's data sets; what needs it is skipped where there is none."""
    folder = os.environ.get("FROTE_DATA", "")
    if not folder:
        pytest.skip("FROTE_DATA is not set: it names the folder with the paper's data sets")
    return folder
