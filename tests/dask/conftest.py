"""What the tests of Dask frames need."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("dask") is None or find_spec("distributed") is None:
    print("tests of Dask frames are skipped: frote[dask] is not installed")
    collect_ignore_glob = ["test_*.py"]
