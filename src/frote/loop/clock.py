"""Seconds that the caller's estimator takes, without those of our own encoder inside it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Clock", "counted_as_ours"]


@dataclass(slots=True)
class Clock:
    """Seconds spent in the estimator's own calls; what is ours inside them is counted apart.

    Examples
    --------
    >>> clock = Clock()
    >>> with clock.counting("fit"), counted_as_ours():
    ...     time.sleep(0.01)
    >>> clock.fit < 0.01 <= clock.ours
    True
    """

    fit: float = 0.0
    predict: float = 0.0
    ours: float = 0.0

    @contextmanager
    def counting(self, what: str) -> Iterator[None]:
        """Count the seconds of what runs inside, as those of fit or of predict."""
        start, ours, token = time.perf_counter(), self.ours, _CLOCK.set(self)
        try:
            yield
        finally:
            _CLOCK.reset(token)
            took = time.perf_counter() - start - (self.ours - ours)
            setattr(self, what, getattr(self, what) + took)


_CLOCK: ContextVar[Clock | None] = ContextVar("frote_clock", default=None)


@contextmanager
def counted_as_ours() -> Iterator[None]:
    """Count the seconds of what runs inside as ours, if it runs within an estimator whose seconds are counted."""
    start = time.perf_counter()
    try:
        yield
    finally:
        clock = _CLOCK.get()
        if clock is not None:
            clock.ours += time.perf_counter() - start
