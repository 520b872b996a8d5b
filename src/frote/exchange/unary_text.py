"""Conditions written as the tests of a decision table's cell, which `read_tests` reads back to equal ones."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING

from frote.exceptions import RuleError
from frote.exchange.dialects import Dialect
from frote.rules.condition import Condition
from frote.rules.level_tests import Undecided
from frote.rules.patterns import LIKE, plainly
from frote.rules.text import is_keyword
from frote.rules.values import DAY, Instant, means_missing, quoted, value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from frote.rules.intervals import Intervals
    from frote.rules.values import Number, Value

__all__ = ["condition_cell", "feel_text", "plain_number"]

# Words that need no quotes in a cell: none of them a keyword, a number or a date, and none that could mean missing.
_WORDS = re.compile(r"[^\W\d][\w.\-]*(?: [^\W\d][\w.\-]*)*")
_FEEL_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def condition_cell(condition: Condition, dialect: Dialect) -> str:
    """Write a condition as a cell.

    Parameters
    ----------
    condition : Condition
        Which values meet it.

    dialect : Dialect
        Who is to read it.

    Returns
    -------
    str

    Raises
    ------
    RuleError
        With what cannot be said, as the end of a sentence.

    Examples
    --------
    >>> young = Condition.compare(">=", 18) & Condition.compare("<", 29)
    >>> condition_cell(young, Dialect.SHEET), condition_cell(Condition.among(["car", 2]) | young, Dialect.FEEL)
    ('[18..29)', '2, [18..29), "car"')
    >>> condition_cell(~Condition.among(["own house"]), Dialect.SHEET)
    'not(own house)'
    """
    if condition == Condition.anything():
        return "-"
    if condition == Condition.nothing():
        raise RuleError("no value at all")
    if isinstance(condition, Undecided):
        return _level_cell(condition, dialect)
    if not condition.all_but:
        tests = list(_alternatives(condition, dialect))
        return ", ".join([*tests, dialect.missing] if condition.missing else tests)
    outside = ~condition
    if condition.missing and not (outside.numbers.is_finite() and outside.times.is_finite()):
        raise RuleError("all but what is compared by order, with missing values")
    tests = list(_alternatives(outside, dialect))
    # A missing value is no broker, and would be let in by not(broker).
    return f"not({', '.join(tests if condition.missing else [*tests, dialect.missing])})"


def _level_cell(condition: Undecided, dialect: Dialect) -> str:
    """Write what one test of levels says, or its opposite, which no missing value meets."""
    test, nothing, present = condition.test, Condition.nothing(), ~Condition.is_missing()
    words, text = plainly(test.text) if test.sign == LIKE else (test.sign, test.text)
    cell = f"{words.lower()} " + quoted(text, '"')
    if (
        dialect is Dialect.SHEET
        and condition.inside == present
        and condition.outside in (nothing, Condition.is_missing())
    ):
        return cell if condition.outside == nothing else f"{cell}, {dialect.missing}"
    if dialect is Dialect.SHEET and condition.inside == nothing and condition.outside == present:
        return f"not({cell})"
    raise RuleError("what several tests of its levels say together")


def _alternatives(condition: Condition, dialect: Dialect) -> Iterator[str]:
    def write(value: Value) -> str:
        return _sheet_value(value) if dialect is Dialect.SHEET else _feel_value(value)

    yield from _line(condition.numbers, write)
    yield from _line(condition.times, lambda nanoseconds: write(Instant(int(nanoseconds))))
    yield from (write(text) for text in sorted(condition.texts))


def _line(line: Intervals, write: Callable[[Number], str]) -> Iterator[str]:
    if line.is_everything:
        yield f"< {write(0)}"
        yield f">= {write(0)}"
        return
    for (low, low_open), (high, high_closed) in line:
        if low == high:
            yield write(low)
        elif low == -math.inf:
            yield f"{'<=' if high_closed else '<'} {write(high)}"
        elif high == math.inf:
            yield f"{'>' if low_open else '>='} {write(low)}"
        else:
            yield f"{'(' if low_open else '['}{write(low)}..{write(high)}{']' if high_closed else ')'}"


def plain_number(number: Number) -> str:
    """Write a number in digits, without an exponent, so that it reads back as the same one.

    Examples
    --------
    >>> plain_number(150000), plain_number(1e-07), plain_number(2.5)
    ('150000', '0.0000001', '2.5')
    """
    return str(int(number)) if number == int(number) else format(Decimal(repr(number)), "f")


def _sheet_value(value: Value) -> str:
    if isinstance(value, str):
        words = value.split(" ")
        bare = _WORDS.fullmatch(value) and not any(map(is_keyword, words)) and not means_missing(value)
        return value if bare else quoted(value, '"')
    return plain_number(value) if isinstance(value, int | float) else value_text(value)


def _feel_value(value: Value) -> str:
    if isinstance(value, str):
        return value if value in ("true", "false") else feel_text(value)
    if isinstance(value, Instant):
        text = str(value)
        if value.nanoseconds % DAY == 0:
            return f'date("{text}")'
        return f'date and time("{text.replace(" ", "T")}")'
    return plain_number(value)


def feel_text(text: str) -> str:
    r"""Write a text as FEEL quotes it.

    Examples
    --------
    >>> print(feel_text('a "b"'))
    "a \"b\""
    """
    return f'"{"".join(_FEEL_ESCAPES.get(sign, sign) for sign in text)}"'
