"""Sums of columns as SQL has them, read and written: ``bill > 0.9 * limit``, ``paid > due + INTERVAL '30' DAY``.

Numbers with a point are decimals in most warehouses, so that whole columns are compared exactly, and floats once one of
the columns is a float. So it is with rules. BigQuery takes them for floats at once, and needs a cast.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

from sqlglot import exp

from frote.exceptions import RuleError
from frote.exchange.sql_values import literal, value_of
from frote.rules.condition import Condition
from frote.rules.expression import Leaf
from frote.rules.linear import UNITS, Linear, Sum, compare_sums, decimal_text, exact
from frote.rules.sum_reader import MOST_DIGITS, as_message
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from frote.rules.expression import Expression
    from frote.rules.intervals import Cut
    from frote.table import Schema

__all__ = ["SumReader", "SumWriter", "adds_up", "put_together"]

_PLAIN = re.compile(r"[0-9]*\.?[0-9]*")
_NANOSECONDS = {name.upper(): length for unit, length in UNITS.items() for name in (unit, unit.removesuffix("s"))}
_NANOSECONDS |= {"MILLISECOND": 10**6, "MILLISECONDS": 10**6, "MICROSECOND": 1_000, "MICROSECONDS": 1_000}
_WRITTEN = ("DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND")
_SHIFTS: dict[type[exp.Expr], int] = {
    **dict.fromkeys((exp.DateAdd, exp.DatetimeAdd, exp.TimestampAdd), 1),
    **dict.fromkeys((exp.DateSub, exp.DatetimeSub, exp.TimestampSub), -1),
}
_ARITHMETIC: tuple[type[exp.Expr], ...] = (
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Interval),
    *_SHIFTS,
)
_TURNED: dict[type[exp.Binary], type[exp.Binary]] = {exp.LT: exp.GT, exp.GT: exp.LT, exp.LTE: exp.GTE, exp.GTE: exp.LTE}
_NUMERIC_DECIMALS = 9  # that BigQuery's NUMERIC has
_MOST_DIGITS = 38  # of a decimal
_MISSING = Condition.is_missing()


def adds_up(*sides: exp.Expr) -> bool:
    """Tell whether a comparison of these is one of sums, and not of a column with values.

    Examples
    --------
    >>> import sqlglot
    >>> [adds_up(node.this, node.expression) for node in map(sqlglot.parse_one, ("a > b", "a > 3", "a > 3 * b"))]
    [True, False, True]
    """
    bare = [side.unnest() for side in sides if value_of(side) is None]
    columns = sum(isinstance(side, exp.Column) for side in bare)
    return columns > 1 or any(isinstance(side, _ARITHMETIC) or _as_float(side) is not None for side in bare)


def _as_float(node: exp.Expr) -> exp.Expr | None:
    """Return what is cast to a float of 64 bits, which changes no sum of ours."""
    found: exp.Expr = node.this
    return found if isinstance(node, exp.Cast) and node.to.this is exp.DType.DOUBLE else None


@dataclass(frozen=True, slots=True)
class SumReader:
    """Reads sums of columns.

    Parameters
    ----------
    dialect : str
        Whose SQL it is.

    column : callable
        Returns the name of a column.

    refuse : callable
        Says why something cannot be a rule.
    """

    dialect: str
    column: Callable[[exp.Expr], str]
    refuse: Callable[[exp.Expr, str], NoReturn]

    def compared(self, node: exp.Expr, left: exp.Expr, sign: str, right: exp.Expr) -> tuple[Linear, Condition]:
        """Read a comparison of sums."""
        try:
            return compare_sums(self.sum(left), sign, self.sum(right))
        except RuleError as error:
            self.refuse(node, as_message(error))

    def sum(self, node: exp.Expr) -> Sum:
        """Read columns with their factors, numbers and intervals that are added up."""
        node = node.unnest()
        if isinstance(node, exp.Column):
            return Sum.of(self.column(node))
        if isinstance(node, exp.Neg):
            return self.sum(node.this) * -1
        if isinstance(node, exp.Add):
            return self.sum(node.this) + self.sum(node.expression)
        if isinstance(node, exp.Sub):
            return self.sum(node.this) - self.sum(node.expression)
        if isinstance(node, exp.Mul):
            return self.product(node)
        if isinstance(node, exp.Interval):
            return self.interval(node, node.this, node.args.get("unit"))
        if type(node) in _SHIFTS:
            length = self.interval(node, node.expression, node.args.get("unit"))
            return self.sum(node.this) + length * _SHIFTS[type(node)]
        if isinstance(node, exp.Div | exp.IntDiv):
            self.refuse(node, "warehouses divide whole numbers in different ways; multiply, as in 0.5 * b")
        inner = _as_float(node)
        if inner is not None and isinstance(inner, exp.Column):
            return Sum.of(self.column(inner))
        number = self.number(node)
        if number is None:
            self.refuse(node, "expected columns, numbers or intervals that are added up, and multiplied with numbers")
        return Sum.number(number)

    def product(self, node: exp.Mul) -> Sum:
        """Read what is multiplied, one side of which is a number."""
        left, right = self.sum(node.this), self.sum(node.expression)
        for side, factor in ((left, right), (right, left)):
            if not factor.weights and not factor.timed:
                return side * factor.constant
        return self.refuse(node, "a column is multiplied with a number alone")

    def interval(self, node: exp.Expr, length: exp.Expr, unit: exp.Expr | None) -> Sum:
        """Read INTERVAL '30' DAY, or what a function such as DATE_ADD adds."""
        if isinstance(length, exp.Interval):
            length, unit = length.this, length.args.get("unit")
        length = length.unnest()
        name = unit.name.upper() if isinstance(unit, exp.Var) else ""
        if name in ("MONTH", "MONTHS", "QUARTER", "YEAR", "YEARS"):
            self.refuse(node, f"{name.lower().removesuffix('s')}s are not all equally long; write days")
        sign, length = (-1, length.this) if isinstance(length, exp.Neg) else (1, length)
        text = length.this if isinstance(length, exp.Literal) else ""
        if name not in _NANOSECONDS or not re.fullmatch(r"-?[0-9]{1,18}", text):
            self.refuse(node, "expected a whole number of days, hours, minutes or seconds, as in INTERVAL '30' DAY")
        return Sum.duration(sign * int(text) * _NANOSECONDS[name])

    def number(self, node: exp.Expr) -> Fraction | None:
        """Read a number with all the decimals that are written; one of a type where that type keeps them."""
        if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal):
            kept = node.to.this in (exp.DType.DECIMAL, exp.DType.BIGDECIMAL) and self.dialect == "bigquery"
            if not kept and _as_float(node) is None:
                return None
            node = exp.Literal.number(node.this.this)
        value = value_of(node)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        text: str = node.this
        if not value and re.match(r"[0.]*[1-9]", text):
            self.refuse(node, "this number is too small to be told from 0")
        return Fraction(text) if _PLAIN.fullmatch(text) and len(text) <= MOST_DIGITS else exact(value)


def put_together(parts: Iterable[Expression], *, every: bool) -> list[Expression]:
    """Put conditions on one sum together, also those of OR with IS NULL of each of its columns.

    Examples
    --------
    >>> import frote
    >>> [whole] = put_together(
    ...     [frote.col("a") > frote.col("b"), frote.col("b").is_missing(), frote.col("a").is_missing()], every=False
    ... )
    >>> print(whole.then("yes"))
    rule 1: IF NOT b >= a THEN yes
    """
    sums: dict[Linear, Condition] = {}
    rest: list[Expression] = []
    gaps: dict[str, Expression] = {}
    for part in parts:
        if isinstance(part, Leaf) and isinstance(part.column, Linear):
            before = sums.get(part.column)
            own = part.condition
            sums[part.column] = own if before is None else before & own if every else before | own
            continue
        rest.append(part)
        if isinstance(part, Leaf) and isinstance(part.column, str) and part.condition == _MISSING:
            gaps[part.column] = part
    told: set[str] = set()
    for key in sums if not every else ():
        if gaps.keys() >= set(key.columns):
            sums[key] |= _MISSING
            told.update(key.columns)
    kept = [part for part in rest if not any(part is gaps[name] for name in told)]
    return [*(Leaf(key, condition) for key, condition in sums.items()), *kept]


@dataclass(frozen=True, slots=True)
class SumWriter:
    """Writes conditions on sums.

    Parameters
    ----------
    dialect : str
        Whose SQL it is.

    schema : Schema or None
        The columns of the data, where they are given. Sums are then added up as rules do it: whole numbers by whole
        factors, others in floats.

    column : callable
        Returns a column by its name.
    """

    dialect: str
    schema: Schema | None
    column: Callable[[str], exp.Expr]

    def terms(self, key: Linear, condition: Condition) -> list[exp.Expr]:
        """Return what a sum may be, each alternative for itself."""
        gaps = [exp.Is(this=self.column(name), expression=exp.null()) for name in key.columns if condition.missing]
        line = condition.numbers
        if line.is_everything or not line.cuts:
            ways: tuple[type[exp.Binary], type[exp.Binary]] = (exp.LT, exp.GTE) if line.cuts else (exp.LT, exp.GT)
            both = [self.comparison(key, way, 0) for way in ways]
            return [*(both if line.cuts else [exp.and_(*both, copy=False)]), *gaps]
        stretches = list(line)
        if line.is_cofinite() and len(stretches) == 2:
            return [self.comparison(key, exp.NEQ, stretches[0][1][0]), *gaps]
        return [*(exp.and_(*self.stretch(key, *ends), copy=False) for ends in stretches), *gaps]

    def stretch(self, key: Linear, enter: Cut, leave: Cut) -> Iterable[exp.Expr]:
        """Write that a sum lies between two ends."""
        (low, low_open), (high, high_closed) = enter, leave
        if low == high:
            yield self.comparison(key, exp.EQ, low)
            return
        if low > -math.inf:
            yield self.comparison(key, exp.GT if low_open else exp.GTE, low)
        if high < math.inf:
            yield self.comparison(key, exp.LTE if high_closed else exp.LT, high)

    def comparison(self, key: Linear, sign: type[exp.Binary], value: Any) -> exp.Expr:
        """Write a comparison: what is added on the left, what is taken away on the right where no number stands."""
        scale = 1 if self.is_whole(key) else key.scale
        bound = exact(value) / scale
        if key.timed:
            return self.of_dates(key, sign, bound)
        sides: list[list[exp.Expr]] = [[], []]
        for name, factor in key.terms:
            sides[factor < 0].append(self.term(key, name, Fraction(abs(factor), scale)))
        if not sides[1]:
            return sign(this=_added(sides[0]), expression=self.signed(bound))
        alone = [len(side) == 1 and not isinstance(side[0], exp.Mul) for side in sides]
        if bound < 0 or (not bound and alone == [False, True]):
            sides, sign, bound = sides[::-1], _TURNED.get(sign, sign), -bound
        above, below = map(_added, sides)
        if not bound:
            return sign(this=above, expression=below)
        apart = exp.Sub(this=above, expression=exp.paren(below) if isinstance(below, exp.Add) else below)
        return sign(this=apart, expression=self.signed(bound))

    def of_dates(self, key: Linear, sign: type[exp.Binary], nanoseconds: Fraction) -> exp.Expr:
        """Write a comparison of two dates with a duration between them."""
        unit = next((unit for unit in _WRITTEN if not nanoseconds % _NANOSECONDS[unit]), None)
        if unit is None or sorted(factor for _, factor in key.terms) != [-1, 1]:
            raise RuleError(
                f"{key} is compared with a duration, and SQL takes one date from another, in whole microseconds. "
                "Leave it out, or save the policy as .rules or .json."
            )
        (later, _), (earlier, _) = key.terms
        if nanoseconds < 0:
            later, earlier, sign = earlier, later, _TURNED.get(sign, sign)
        length = exp.Literal.string(str(int(abs(nanoseconds)) // _NANOSECONDS[unit]))
        moved = exp.Add(this=self.column(earlier), expression=exp.Interval(this=length, unit=exp.var(unit)))
        return sign(this=self.column(later), expression=moved)

    def is_whole(self, key: Linear) -> bool:
        """Tell whether all columns are known to be of whole numbers: then so are all factors that are written."""
        return self.schema is not None and key.column(self.schema).kind is Kind.INTEGER

    def term(self, key: Linear, name: str, weight: Fraction) -> exp.Expr:
        """Write a column with its factor."""
        column = self.column(name)
        known = None if self.schema is None else self.schema.get(name)
        if known is not None and known.kind is Kind.INTEGER and not self.is_whole(key):
            column = exp.cast(column, exp.DType.DOUBLE)  # else some would multiply it as a decimal
        return column if weight == 1 else exp.Mul(this=self.number(weight), expression=column)

    def signed(self, value: Fraction) -> exp.Expr:
        """Write a number that may be below 0."""
        number = self.number(abs(value))
        return exp.Neg(this=number) if value < 0 else number

    def number(self, value: Fraction) -> exp.Expr:
        """Write a number with all of its decimals, which BigQuery keeps in a type of its own alone."""
        text = decimal_text(value)
        if len(text) > _MOST_DIGITS:
            return literal(float(value))
        if self.dialect != "bigquery" or self.schema is not None or value.denominator == 1:
            return exp.Literal.number(text)
        decimals = len(text.partition(".")[2])
        kind = exp.DType.DECIMAL if decimals <= _NUMERIC_DECIMALS else exp.DType.BIGDECIMAL
        return exp.cast(exp.Literal.string(text), kind)


def _added(terms: list[exp.Expr]) -> exp.Expr:
    total = terms[0]
    for term in terms[1:]:
        total = exp.Add(this=total, expression=term)
    return total
