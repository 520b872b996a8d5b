"""Who writes the cells of a decision table, people in a sheet or programs, and how each quotes texts."""

from __future__ import annotations

import re
from enum import Enum

from frote.rules.lexer import Fault

__all__ = ["Dialect", "read_text", "unquoted"]


class Dialect(Enum):
    """Who writes the cells: people in a sheet, or programs that keep to FEEL, or to ZEN as GoRules does."""

    SHEET = "sheet"
    FEEL = "feel"
    ZEN = "zen"

    @property
    def missing(self) -> str:
        """The word for a missing value."""
        return "missing" if self is Dialect.SHEET else "null"

    def means_missing(self, word: str) -> bool:
        """Tell whether a word without quotes stands for a missing value."""
        return word.casefold() in ("missing", "null") if self is Dialect.SHEET else word == "null"

    @property
    def text(self) -> re.Pattern[str]:
        """How texts are quoted: quotes within are doubled in a sheet, escaped in FEEL, and not to be in ZEN."""
        return {Dialect.SHEET: _QUOTED, Dialect.FEEL: _FEEL_TEXT, Dialect.ZEN: _ZEN_TEXT}[self]


_QUOTED = re.compile(r"'[^']*+(?:''[^']*+)*+'|\"[^\"]*+(?:\"\"[^\"]*+)*+\"")
_FEEL_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*+\"", re.DOTALL)
_ZEN_TEXT = re.compile(r"'[^'\\\n]*+'|\"[^\"\\\n]*+\"")
_FEEL_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{6})|(.))", re.DOTALL)
_FEEL_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "'": "'", "\\": "\\"}


def read_text(source: str, dialect: Dialect) -> str | None:
    """Return the text that stands in quotes; None if none does, or more than that.

    Examples
    --------
    >>> read_text('"in a year"', Dialect.FEEL), read_text("in a year", Dialect.SHEET)
    ('in a year', None)
    """
    match = dialect.text.fullmatch(source)
    return None if match is None else unquoted(match, dialect)


def unquoted(match: re.Match[str], dialect: Dialect) -> str:
    """Return what stands within quotes that were matched."""
    inner, quote = match.group()[1:-1], match.group()[0]
    if dialect is Dialect.SHEET:
        return inner.replace(quote * 2, quote)

    def unescaped(escape: re.Match[str]) -> str:
        place = match.start() + 1 + escape.start()
        code = escape[1] or escape[2]
        if code and int(code, 16) <= 0x10FFFF:
            return chr(int(code, 16))
        if code or escape[3] not in _FEEL_ESCAPED:
            message = rf"{escape.group()!r} is no escape of FEEL; a backslash is written \\"
            raise Fault(message, place, len(escape.group()))
        return _FEEL_ESCAPED[escape[3]]

    try:  # a character beyond the first 65,536 may be written as two halves
        return _FEEL_ESCAPE.sub(unescaped, inner).encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise Fault("this text holds half a character", match.start(), len(match.group())) from None
