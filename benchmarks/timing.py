"""How long things take."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def timed(work: Callable[[], T], repeat: int = 3, clock: Callable[[], float] = time.perf_counter) -> tuple[float, T]:
    """Return the seconds that a piece of work takes, the best of a few times, and its result."""
    seconds, results = [], []
    for _ in range(repeat):
        start = clock()
        results = [work()]
        seconds.append(clock() - start)
    return min(seconds), results[0]
