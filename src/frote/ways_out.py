"""The way out of an error, in the words of whoever reads it: someone who writes Python, or who types commands."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["for_commands", "way_out"]

_COMMANDS: ContextVar[bool] = ContextVar("commands", default=False)


@contextmanager
def for_commands() -> Iterator[None]:
    """Speak in options of the command line."""
    before = _COMMANDS.set(True)
    try:
        yield
    finally:
        _COMMANDS.reset(before)


def way_out(python: str, command: str) -> str:
    """Return one of two ways to say the same: for Python, or for the command line.

    Examples
    --------
    >>> print(way_out("rules.resolve('exclude')", "--resolve exclude"))
    rules.resolve('exclude')
    >>> with for_commands():
    ...     print(way_out("rules.resolve('exclude')", "--resolve exclude"))
    --resolve exclude
    """
    return command if _COMMANDS.get() else python
