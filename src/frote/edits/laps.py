"""How long the parts of an edit take."""

from __future__ import annotations

import time

__all__ = ["Laps"]


class Laps:
    """The seconds that the parts of an edit take, one after the other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._start = time.perf_counter()

    def end(self, part: str) -> None:
        """Note the seconds since the end of the part before."""
        now = time.perf_counter()
        self.seconds[part], self._start = now - self._start, now
