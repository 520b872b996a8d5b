"""The way out of an error, in the words of whoever reads it: one who writes Python, types commands, or sees a page."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["for_commands", "for_pages", "way_out"]

Reader: TypeAlias = Literal["python", "command", "page"]
_READER: ContextVar[Reader] = ContextVar("reader", default="python")


@contextmanager
def for_commands() -> Iterator[None]:
    """Speak in options of the command line."""
    before = _READER.set("command")
    try:
        yield
    finally:
        _READER.reset(before)


@contextmanager
def for_pages() -> Iterator[None]:
    """Speak to somebody before a page, who has neither."""
    before = _READER.set("page")
    try:
        yield
    finally:
        _READER.reset(before)


def way_out(python: str, command: str, page: str | None = None) -> str:
    """Return one of the ways to say the same: for Python, the command line or a page, which else says Python's.

    Examples
    --------
    >>> def way():
    ...     return way_out("rules.resolve('exclude')", "--resolve exclude", "the map of the policy room")
    >>> print(way())
    rules.resolve('exclude')
    >>> with for_commands():
    ...     print(way())
    --resolve exclude
    >>> with for_pages():
    ...     print(way())
    the map of the policy room
    """
    reader = _READER.get()
    if reader == "page" and page is not None:
        return page
    return command if reader == "command" else python
