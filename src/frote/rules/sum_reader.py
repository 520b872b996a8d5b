"""Sums of columns as rule text has them: 0.9 * limit - 500, start + 30 days. Read from the tokens of a rule."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn, Protocol

from frote.exceptions import RuleError
from frote.rules.lexer import Fault, Token
from frote.rules.linear import UNITS, Sum, compare_sums, exact
from frote.rules.values import Number, as_value, means_missing

if TYPE_CHECKING:
    from frote.rules.condition import Condition
    from frote.rules.linear import Linear

__all__ = ["Tokens", "adds_on", "as_message", "begins_a_sum", "is_sum", "read_comparison", "read_sum"]

SIGNS = ("+", "-", "−")  # noqa: RUF001
MOST_DIGITS = 330

_COLUMN = re.compile(r"[^\W\d][\w.\-]*")
_NANOSECONDS = {name: length for unit, length in UNITS.items() for name in (unit, unit.removesuffix("s"))}


class Tokens(Protocol):
    """A rule's tokens, read from left to right."""

    tokens: list[Token]
    position: int

    @property
    def here(self) -> Token:
        """The next token."""

    def take(self) -> Token:
        """Take the next token."""

    def accept(self, kind: str, *values: str) -> Token | None:
        """Take the next token if it is such a one."""

    def expect(self, kind: str, value: str, what: str = "", hint: str = "") -> Token:
        """Take the next token, which must be such a one."""

    def want(self, kind: str, *values: str) -> None:
        """Keep in mind what could stand here."""

    def fail(self, what: str, hint: str = "") -> NoReturn:
        """Say what is missing here."""

    def number(self) -> Number:
        """Take a number."""


def as_message(error: RuleError) -> str:
    """Return what an error says, as the end of a sentence."""
    text = str(error).removesuffix(".")
    return text[0].lower() + text[1:]


def adds_on(token: Token) -> bool:
    """Tell whether something is added to what stands before a token, or it is multiplied."""
    return token.kind == "sign" or (token.kind == "number" and token.text[0] in SIGNS)


def begins_a_sum(reader: Tokens, token: Token) -> bool:
    """Tell whether a sum begins here with a number or a sign; a number alone is none."""
    if token.kind != "number":
        return token.kind == "sign"
    return adds_on(reader.tokens[reader.position + 1]) or _in_units(reader, reader.position)


def _in_units(reader: Tokens, position: int) -> bool:
    """Tell whether a duration stands at a position."""
    token, unit = [*reader.tokens[position:], reader.tokens[-1]][:2]
    return token.kind == "number" and unit.kind == "word" and unit.value.casefold() in _NANOSECONDS


def is_sum(reader: Tokens, position: int, operator: str) -> bool:
    """Tell whether columns stand behind an operator: to be equal to a bare word is to be equal to a text."""
    token, after = [*reader.tokens[position:], reader.tokens[-1]][:2]
    if token.kind in ("column", "sign"):
        return True
    if token.kind not in ("word", "number"):
        return False
    named = operator not in ("=", "!=") and _COLUMN.fullmatch(token.value) and not _is_value(token.value)
    return bool(token.kind == "word" and named) or adds_on(after) or _in_units(reader, position)


def read_comparison(reader: Tokens, left: Sum, first: int) -> list[tuple[Linear, Condition]]:
    """Read what a sum is compared with: return the conditions on sums that this says, two for BETWEEN."""
    operator = reader.accept("operator")
    if operator is None and not reader.accept("keyword", "BETWEEN"):
        reader.fail("a comparison (=, !=, <, <=, >, >=) or BETWEEN after a sum of columns")
    right = [(operator.value, read_sum(reader))] if operator else [(">=", read_sum(reader))]
    if operator is None:
        reader.expect("keyword", "AND", "AND and the upper bound")
        right.append(("<=", read_sum(reader)))
    try:
        return [compare_sums(left, sign, side) for sign, side in right]
    except RuleError as error:
        _refuse(reader, as_message(error), first)


def _refuse(reader: Tokens, message: str, first: int) -> NoReturn:
    """Refuse what stands from a token on up to here."""
    start, last = reader.tokens[first].start, reader.tokens[reader.position - 1]
    raise Fault(message, start, last.start + len(last.text) - start)


def read_sum(reader: Tokens) -> Sum:
    """Read columns with their factors, numbers and durations that are added up."""
    first = reader.position
    total = _term(reader)
    while adds_on(reader.here):
        sign = reader.accept("sign", *SIGNS)
        if reader.here.kind == "sign":
            reader.fail("a column or a number")
        try:
            term = _term(reader)
            total = total + term if sign is None or sign.value == "+" else total - term
        except RuleError as error:
            _refuse(reader, as_message(error), first)
    return total


def _term(reader: Tokens) -> Sum:
    sign = reader.accept("sign", "-", "−")  # noqa: RUF001
    by = Fraction(-1 if sign else 1)
    if reader.here.kind != "number":
        column = Sum.of(_added(reader))
        if not reader.accept("sign", "*"):
            return column * by
        if reader.here.kind != "number":
            reader.fail("a number after '*'", "a column is multiplied with a number alone")
        return column * (_factor(reader) * by)
    number = _factor(reader) * by
    if reader.accept("sign", "*"):
        return Sum.of(_added(reader)) * number
    if reader.here.kind == "word":
        unit = reader.here.value.casefold()
        if unit in _NANOSECONDS:
            reader.take()
            return Sum.duration(number * _NANOSECONDS[unit])
        if unit in ("month", "months", "year", "years"):
            reader.fail("days, hours, minutes or seconds", f"{unit.removesuffix('s')}s are not all equally long")
    return Sum.number(number)


def _added(reader: Tokens) -> str:
    """Read the name of a column that is added up with others."""
    reader.want("column")
    token = reader.here
    if token.kind not in ("word", "column") or (token.kind == "word" and _is_value(token.value)):
        brackets = "write 0.4 * a - 0.4 * b for 0.4 * (a - b)" if token.value == "(" else ""
        reader.fail("a column name", brackets or "names with blanks or odd characters go in backticks")
    return reader.take().value


def _factor(reader: Tokens) -> Fraction:
    """Read a number with all the decimals that are written."""
    token = reader.here
    number = reader.number()
    text = token.text.replace("_", "").replace("−", "-")  # noqa: RUF001
    plain = re.fullmatch(r"([-+]?[0-9]*\.?[0-9]*)([kKmM]?)", text)
    if not number and re.match(r"[-+]?[0.]*[1-9]", text):
        raise Fault("this number is too small to be told from 0", token.start, len(token.text))
    if plain is None or len(text) > MOST_DIGITS:
        return exact(number)
    return Fraction(plain[1]) * {"k": 1_000, "m": 1_000_000}.get(plain[2].lower(), 1)


def _is_value(word: str) -> bool:
    """Tell whether a bare word is no column that is added up: a date, true or false, or a word for missing."""
    return not isinstance(as_value(word.lower()), str) or word.lower() in ("true", "false") or means_missing(word)
