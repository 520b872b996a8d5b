"""Comparisons with other columns in a cell of a decision table: ``> 0.9 * limit`` in the column of bills.

Such a comparison stands alone in its cell, since a cell lists alternatives, and rules hold conditions that are all met.
Other columns are named as in rule text; those that the table has too also as they are headed, blanks and all. In FEEL a
date and a duration of hours are a date again, so that only whole days are read and written there.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from frote.exceptions import RuleError
from frote.exchange.dialects import Dialect
from frote.rules.lexer import Fault, Token
from frote.rules.linear import UNITS, Linear, Sum, compare_sums, decimal_text, exact
from frote.rules.reader import Reader
from frote.rules.sum_reader import as_message, is_sum, read_sum
from frote.rules.text import column_text, condition_text, shortened
from frote.rules.values import DAY, means_missing, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from frote.rules.condition import Condition

__all__ = ["read_sum_test", "sum_cells"]

_PIECE = re.compile(
    r"""
    (?P<blank>\s+)
  | duration\(\s*+"P(?P<length>[0-9]{1,9})D"\s*+\)
  | (?P<column>`[^`]*+(?:``[^`]*+)*+`)
  | (?P<number>(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?[kKmM]?)(?![\w.])
  | (?P<word>[^\W\d][\w.\-]*)
  | (?P<sign>[-+*])
    """,
    re.VERBOSE,
)
_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}


def read_sum_test(
    source: str, start: int, column: str, operator: str, dialect: Dialect, others: Sequence[str]
) -> tuple[Linear, Condition] | None:
    """Read what a column is compared with behind an operator; None if that is no other column.

    Parameters
    ----------
    source : str
        What stands in the cell.

    start : int
        Where the operator ends.

    column : str
        The column whose cell it is.

    operator : {"<", "<=", ">", ">="}
        How it is compared.

    dialect : Dialect
        Who wrote the cell.

    others : sequence of str
        The columns of the table; FEEL knows no others.

    Raises
    ------
    Fault
        If more stands in the cell.

    Examples
    --------
    >>> key, condition = read_sum_test("> 0.9 * credit limit", 1, "bill", ">", Dialect.SHEET, ["credit limit"])
    >>> print(key.written(condition)[0])
    bill > 0.9 * `credit limit`
    >>> read_sum_test("> 24K", 1, "bill", ">", Dialect.SHEET, [])
    """
    tokens, stopped = _tokens(source, start, dialect, others)
    reader = Reader(source, tokens, column=column)
    if not any(token.kind in ("column", "word") for token in tokens) or not is_sum(reader, 0, operator):
        return None
    if len(tokens) == 2 and tokens[0].kind == "word":
        hint = "another column has a heading in the table too, or stands in backticks"
        raise Fault(
            f"expected a number or a date after {operator!r}, found {tokens[0].text!r} ({hint})",
            tokens[0].start,
            len(tokens[0].text),
        )
    if tokens[-2].kind == "sign":
        rest = source[stopped:].strip()
        found_there = repr(shortened(rest, 40)) if rest else "the end of the cell"
        message = f"expected a column, a number or a duration of days, found {found_there}"
        raise Fault(message, stopped, max(1, len(rest)))
    try:
        found = compare_sums(Sum.of(column), operator, read_sum(reader))
    except RuleError as error:
        raise Fault(as_message(error), 0, len(source)) from None
    if stopped < len(source) or reader.here.kind != "end":
        place = reader.here.start if reader.here.kind != "end" else stopped
        rest = source[place:].strip()
        hint = "a comparison with another column stands alone in its cell"
        if reader.here.kind == "word":
            hint = "a column whose name has blanks stands in backticks where the table has no heading of that name"
        message = f"expected the end of the cell, found {shortened(rest, 40)!r} ({hint})"
        raise Fault(message, place, max(1, len(rest)))
    return found


def _tokens(source: str, start: int, dialect: Dialect, others: Sequence[str]) -> tuple[list[Token], int]:
    """Cut what stands behind an operator into the tokens of rule text, as far as it can be part of a sum."""
    named = _names(tuple(others))
    tokens: list[Token] = []
    while start < len(source):
        column, match = named.match(source, start), _PIECE.match(source, start)
        if column is not None:
            tokens.append(Token("column", column.group(), column.group(), start))
            start = column.end()
            continue
        kind = (match.lastgroup or "") if match is not None else ""
        if match is None or (dialect is Dialect.FEEL and kind in ("column", "word")):
            break
        if kind == "length":
            tokens.append(Token("number", match["length"], match["length"], start))
            tokens.append(Token("word", "days", "days", start))
        elif kind == "column":
            tokens.append(Token(kind, match.group(), match.group()[1:-1].replace("``", "`"), start))
        elif kind != "blank":
            tokens.append(Token(kind, match.group(), match.group(), start))
        start = match.end()
    last = tokens[-1].start + len(tokens[-1].text) if tokens else start
    return [*tokens, Token("end", "", "", last)], start


def _is_name(name: str) -> bool:
    """Tell whether a heading names its column in a cell as it is, and is no number and no word for a value."""
    return name[:1].isalpha() and name.casefold() not in ("true", "false") and not means_missing(name)


@lru_cache(maxsize=8)
def _names(headings: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds the longest heading that stands somewhere; a table asks for its own in each cell."""
    names = sorted(filter(_is_name, headings), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(map(re.escape, names))})(?!\w)" if names else r"(?!)")


def sum_cells(key: Linear, condition: Condition, dialect: Dialect, taken: Collection[str]) -> tuple[str, list[str]]:
    """Write a condition on a sum as cells of one of its columns, all of which are to be met.

    Parameters
    ----------
    key : Linear
        The sum.

    condition : Condition
        The condition on it.

    dialect : Dialect
        Who is to read it.

    taken : collection of str
        Columns that have a cell already; another one is taken where there is one.

    Returns
    -------
    (str, list of str)

    Raises
    ------
    RuleError
        If cells cannot say it, as the end of a sentence.

    Examples
    --------
    >>> sum_cells(*compare_sums(Sum.of("bill"), ">", Sum.of("limit") * exact(0.9)), Dialect.SHEET, ())
    ('bill', ['> 0.9 * limit'])
    """
    weights = {name: Fraction(factor, key.scale) for name, factor in key.terms}
    able = [name for name, weight in weights.items() if abs(weight) == 1]
    stretches = list(condition.numbers)
    beyond = (
        key.timed
        and dialect is Dialect.FEEL
        and any(value % DAY for value, _ in condition.numbers.cuts if math.isfinite(value))
    )
    if not able or condition.missing or len(stretches) != 1 or condition.numbers.is_everything or beyond:
        raise RuleError(f"asks for {shortened(condition_text(key, condition)[0])}")
    host = min(able, key=lambda name: (name in taken, weights[name] < 0))
    turned = weights.pop(host) < 0
    ((low, low_open), (high, high_closed)) = stretches[0]
    ends = [(">" if low_open else ">=", low)] if low > -math.inf else []
    ends += [("<=" if high_closed else "<", high)] if high < math.inf else []
    cells = []
    for operator, value in ends:
        bound = exact(value) / key.scale
        if turned:
            operator, bound = _TURNED[operator], -bound
        rest = {name: weight if turned else -weight for name, weight in weights.items()}
        cells.append(f"{operator} {_side(rest, bound, dialect, timed=key.timed)}")
    return host, cells


def _side(weights: dict[str, Fraction], bound: Fraction, dialect: Dialect, *, timed: bool) -> str:
    """Write columns with their factors and a constant, what is added before what is taken away."""
    parts = [
        (weight, f"{'' if abs(weight) == 1 else f'{decimal_text(abs(weight))} * '}{_named(name, dialect)}")
        for name, weight in weights.items()
    ]
    if timed:
        parts.append((bound, _duration(abs(bound), dialect)))
    elif bound:
        parts.append((bound, decimal_text(abs(bound))))
    return _signed(sorted(parts, key=lambda part: part[0] < 0))


def _signed(parts: Iterable[tuple[Fraction, str]]) -> str:
    text = ""
    for weight, part in parts:
        sign = "-" if weight < 0 else "+"
        text += f" {sign} {part}" if text else f"-{part}" if weight < 0 else part
    return text


def _named(name: str, dialect: Dialect) -> str:
    if dialect is Dialect.FEEL:
        return name
    return column_text(name) if _is_name(name) else quoted(name, "`")


def _duration(nanoseconds: Fraction, dialect: Dialect) -> str:
    if dialect is Dialect.FEEL:
        return f'duration("P{nanoseconds / DAY}D")'
    unit = next((unit for unit, length in UNITS.items() if unit != "weeks" and not nanoseconds % length), "seconds")
    return f"{decimal_text(nanoseconds / UNITS[unit])} {unit}"
