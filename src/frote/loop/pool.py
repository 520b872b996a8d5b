"""Workers: not more than a machine can use, and none that outlives the process that started it."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from typing import Any

from joblib import cpu_count
from joblib.parallel import get_active_backend

from frote.exceptions import FroteError

__all__ = ["end_with_parent", "mortal", "require_possible"]

PER_CORE, ALWAYS = 4, 16  # workers that a core may have, and those that any machine may


def require_possible(n_jobs: int | None) -> None:
    """Refuse more workers than this machine can use; a cluster of joblib's knows its own bounds.

    Raises
    ------
    FroteError
        With how many there may be.

    Examples
    --------
    >>> require_possible(-1)
    >>> require_possible(10**6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    frote.exceptions.FroteError: 1,000,000 workers are more than this machine can use... -1 for all cores.
    """
    most = max(PER_CORE * cpu_count(), ALWAYS)
    if n_jobs is not None and n_jobs > most and _is_local():
        raise FroteError(
            f"{n_jobs:,} workers are more than this machine can use, which has {cpu_count()} cores. "
            f"Take at most {most}, or -1 for all cores."
        )


def mortal() -> dict[str, Any]:
    """Return what joblib is to be told so that its processes end with the one that started them."""
    return {"initializer": end_with_parent} if type(get_active_backend()[0]).__name__ == "LokyBackend" else {}


def end_with_parent() -> None:
    """Let a worker of joblib's end when the process that started it does, however that ends.

    Otherwise it would go on with what it is at, and then wait five minutes for more.
    """
    if not type(multiprocessing.current_process()).__module__.startswith("joblib."):
        return  # a thread, or a worker that someone else looks after
    if not any(thread.name == end_with_parent.__name__ for thread in threading.enumerate()):
        threading.Thread(target=_watch, args=(os.getppid(),), name=end_with_parent.__name__, daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _is_local() -> bool:
    return type(get_active_backend()[0]).__module__ == "joblib._parallel_backends"
