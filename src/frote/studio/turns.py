"""Who waits for which answer: of several questions of one page only the last counts."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NobodyWaitsError", "Turns"]

PAGES = 1_000  # whose last question is kept in mind


class NobodyWaitsError(Exception):
    """The page has asked something newer since."""


class Turns:
    """The last question of each page.

    Examples
    --------
    >>> turns = Turns()
    >>> first, second = turns.take("page", 1), turns.take("page", 2)
    >>> second()
    >>> first()
    Traceback (most recent call last):
        ...
    frote.studio.turns.NobodyWaitsError
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._last: dict[str, int] = {}

    def take(self, page: str, number: int) -> Callable[[], None]:
        """Note a question, by its number; return what raises once a later one came."""
        with self._guard:
            number_so_far = self._last.pop(page, -1)
            self._last[page] = max(number, number_so_far)
            while len(self._last) > PAGES:
                del self._last[next(iter(self._last))]

        def go_on() -> None:
            if self._last.get(page, number) > number:
                raise NobodyWaitsError

        return go_on
