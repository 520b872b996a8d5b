"""Rule text cut into tokens that know where they stand."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from frote.exceptions import RuleSyntaxError
from frote.rules.date_advice import date_advice
from frote.rules.text import is_keyword
from frote.table.spelling import LIKE_A_DATE

__all__ = ["Fault", "Token", "line_starts", "report", "tokenize", "with_carets"]

MOST_FAULTS = 100  # shown in one error
WIDEST = 160  # characters shown of a line; of a longer one, a part around the fault

OPERATORS = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}

_TOKEN = re.compile(
    r"""
    (?P<blank>\s+|\#[^\r\n]*)
  | (?P<quoted>'[^']*+(?:''[^']*+)*+'|"[^"]*+(?:""[^"]*+)*+")
  | (?P<column>`[^`]*+(?:``[^`]*+)*+`)
  | (?P<number>[-+−]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+−]?[0-9]+)?[kKmM]?(?![\w.\-]))
  | (?P<word>\w[\w.\-]*)
  | (?P<operator><=|>=|==|!=|<>|[<>≤≥≠]|=(?![<>!]))
  | (?P<mark>[(){},:])
  | (?P<sign>[-+*−])
    """,  # noqa: RUF001  (the minus sign that word processors put in)
    re.VERBOSE,
)

_HINTS = {
    "=>": "'=>' means nothing here; write >=",
    "=<": "'=<' means nothing here; write <=",
    "=!": "'=!' means nothing here; write !=",
    "&&": "'&&' means nothing here; write AND",
    "||": "'||' means nothing here; write OR",
    "'": "this quote is never closed",
    '"': "this quote is never closed",
    "`": "this backtick is never closed",
    "&": "'&' means nothing here; write AND",
    "|": "'|' means nothing here; write OR",
    "!": "'!' means nothing here; write NOT, or != for 'differs from'",
    ";": "';' means nothing here; start the next rule on a new line",
    "[": "'[' means nothing here; lists go in braces, as in {a, b}",
    "%": "'%' means nothing here; write 0.2 for 20 %",
    "/": "'/' means nothing here; write 0.5 * x for x / 2, and x > 0.4 * y for x / y > 0.4",
    "^": "'^' means nothing here; rules add columns up with factors, as in 0.9 * x + y",
}
_CURLY_QUOTES = "‘’“”„«»"  # noqa: RUF001
_DASHES = "‐‑‒–—―﹣－"  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of rule text.

    Parameters
    ----------
    kind : {"keyword", "word", "number", "quoted", "column", "operator", "mark", "sign", "end"}
        What it is.

    text : str
        As it stands in the source.

    value : str
        What it means: keywords in capitals, quotes and backticks taken off, operators in their plain form.

    start : int
        Where it begins in the source.
    """

    kind: str
    text: str
    value: str
    start: int

    @property
    def described(self) -> str:
        """The token as an error message names it."""
        if self.kind == "end":
            return "the end of the rule"
        text = self.text if len(self.text) <= 40 else f"{self.text[:37]}..."
        return _visible(text) if self.kind in ("quoted", "column") else repr(text)


@dataclass
class Fault(Exception):  # noqa: N818  (an error is what the caller gets; it may show many faults)
    """One thing that is wrong with rule text, and where: raised within the parser, collected at its top."""

    message: str
    start: int
    length: int = 1


def tokenize(source: str, start: int, stop: int) -> list[Token]:
    """Cut a stretch of the source into tokens; the last is of kind "end"."""
    tokens: list[Token] = []
    position = start
    while position < stop:
        match = _TOKEN.match(source, position, stop)
        if match is None:
            raise _strange_date(source, tokens, position) or _strange(source, tokens, position)
        kind, text = match.lastgroup or "", match.group()
        if kind == "sign" and text == "-" and _between(tokens) and tokens[-1].kind == "number":
            raise _strange_dash(source, tokens, position)
        position = match.end()
        if kind != "blank":
            tokens.append(_token(kind, text, match.start()))
    last = tokens[-1].start + len(tokens[-1].text) if tokens else start
    return [*tokens, Token("end", "", "", last)]


def _between(tokens: list[Token]) -> bool:
    """Tell whether the last token is the first behind BETWEEN."""
    return len(tokens) > 1 and tokens[-2].kind == "keyword" and tokens[-2].value == "BETWEEN"


def _token(kind: str, text: str, start: int) -> Token:
    if kind in ("quoted", "column"):
        quote = text[0]
        return Token(kind, text, text[1:-1].replace(quote * 2, quote), start)
    if kind == "word" and is_keyword(text):
        return Token("keyword", text, text.upper(), start)
    if kind == "operator":
        return Token(kind, text, OPERATORS.get(text, text), start)
    return Token(kind, text, text, start)


def _strange_date(source: str, tokens: list[Token], position: int) -> Fault | None:
    """Return the fault of a date with slashes, the first of which stands at a position."""
    date = LIKE_A_DATE.match(source, tokens[-1].start) if tokens and source[position] == "/" else None
    if date is None or date.end() <= position:
        return None
    message = f"'/' means nothing here; {date_advice(date.group())}; texts go in quotes"
    return Fault(message, date.start(), len(date.group()))


def _strange(source: str, tokens: list[Token], position: int) -> Fault:
    character, pair = source[position], source[position : position + 2]
    if pair in _HINTS:
        return Fault(_HINTS[pair], position, 2)
    if character in _DASHES:
        return _strange_dash(source, tokens, position)
    if character in _CURLY_QUOTES:
        return Fault(f"{character!r} is a typographic quote; use the straight quotes ' or \"", position)
    usual = f"{character!r} means nothing here; names with odd characters go in backticks, values in quotes"
    return Fault(_HINTS.get(character, usual), position)


def _strange_dash(source: str, tokens: list[Token], position: int) -> Fault:
    """Return the fault of a dash that stands for a range, or that a word processor put in for a minus or a hyphen."""
    after = re.compile(r" *([0-9][0-9_.]*)").match(source, position + 1)
    last = tokens[-1] if tokens else None
    if after and last and last.kind == "number":
        meant = f"write BETWEEN {last.text} AND {after[1]} for a range"
    else:
        meant = f"write -{after[1]}" if after else "write the hyphen -"
    return Fault(f"{source[position]!r} is a dash; {meant}", position)


def line_starts(source: str) -> list[int]:
    r"""Return where each line begins.

    Examples
    --------
    >>> line_starts("a\r\nb\n")
    [0, 3, 5]
    """
    return [0, *(match.end() for match in re.finditer(r"\r\n?|\n", source))]


def report(source: str, faults: list[Fault], before: str = "") -> RuleSyntaxError:
    """Return one error that shows the faults, each with its line, column and a caret under the text."""
    starts = line_starts(source)
    shown = []
    for fault in sorted(faults, key=lambda one: one.start)[:MOST_FAULTS]:
        line = bisect_right(starts, fault.start)
        begin = starts[line - 1]
        text = source[begin : starts[line] if line < len(starts) else len(source)].rstrip()
        column = fault.start - begin
        where = f"{before}line {line}, column {column + 1}"
        shown.append(f"{where}: {fault.message}\n{with_carets(text, column, fault.length)}")
    if len(faults) > 1:
        shown.insert(0, f"{len(faults)} errors in the rules:")
    if len(faults) > MOST_FAULTS:
        shown.append(f"... and {len(faults) - MOST_FAULTS} more")
    return RuleSyntaxError("\n".join(shown))


def with_carets(text: str, column: int, length: int) -> str:
    """Show a line with carets below a part of it; a caret never runs over the line's end."""
    before, after = "", ""
    if len(text) > WIDEST:
        first = max(0, column - WIDEST // 2)
        before, after = "..." * (first > 0), "..." * (first + WIDEST < len(text))
        text, column = text[first : first + WIDEST], column - first
    # What cannot be shown stands as one plain character, so that the carets stay below their text.
    visible = _visible(text)
    margin = " " * len(before) + "".join(_blank(sign) for sign in visible[:column])
    carets = "^" * max(1, sum(len(_blank(sign)) for sign in visible[column : column + length]))
    return f"  {before}{visible}{after}\n  {margin}{carets}"


def _visible(text: str) -> str:
    return "".join(sign if sign.isprintable() or sign == "\t" else "\ufffd" for sign in text)


def _blank(sign: str) -> str:
    """Return blanks as wide as a character is shown; a tab stays a tab."""
    if sign == "\t":
        return sign
    if unicodedata.combining(sign):
        return ""
    return "  " if unicodedata.east_asian_width(sign) in ("W", "F") else " "
