"""Sums over several columns, compared like one column more: `bill > 0.9 * limit`, `end >= start + 30 days`.

All columns stand on one side, with whole factors that have no divisor in common, and the rest is a `Condition` on their
sum. So a clause holds sums beside columns, and all that is true of conditions is true of these: their complement, their
cells, that one is dropped as a whole. What is not seen from the conditions alone is whether columns and sums can be met
together: see `frote.rules.feasible`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from frote.exceptions import RuleError
from frote.rules.condition import Condition
from frote.rules.intervals import Intervals
from frote.rules.text import column_text
from frote.rules.values import DAY, Number, canonical, means_missing, quoted
from frote.table import Column, ColumnData, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from frote.rules.intervals import Cut
    from frote.table import Schema, Table

__all__ = [
    "UNITS",
    "Key",
    "Linear",
    "Sum",
    "column_at",
    "columns_of",
    "compare_sums",
    "data_at",
    "decimal_text",
    "exact",
]

MOST_COLUMNS = 20
LARGEST_FACTOR = 10**15
_WHOLE = 2**62  # sums up to it are added in 64 bits

# What durations are counted in, in nanoseconds, the longest first; each may be written without its last letter.
UNITS = {
    "weeks": 7 * DAY,
    "days": DAY,
    "hours": DAY // 24,
    "minutes": DAY // 1_440,
    "seconds": DAY // 86_400,
}
_SIGNS = {sign: sign for sign in ("=", "!=", "<", "<=", ">", ">=", "AND", "OR", "NOT")}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Linear:
    """A weighted sum of two columns or more; conditions on it compare it with numbers, or with nanoseconds.

    Parameters
    ----------
    terms : tuple of (str, int)
        The columns, by their names, with whole factors; the first is positive.

    scale : int, default=1
        What the factors are divided by when the sum is written or added up in floats: 10 where ``bill - 0.9 * limit``
        was written. Conditions are on the whole sum, ten times as much.

    timed : bool, default=False
        Whether it is compared with durations, so that its columns are dates.

    Examples
    --------
    >>> sum_of_two, condition = compare_sums(Sum.of("bill"), ">", Sum.of("limit") * Fraction("0.9"))
    >>> sum_of_two.terms, sum_of_two.scale, print(sum_of_two)
    bill - 0.9 * limit
    ((('bill', 10), ('limit', -9)), 10, None)
    >>> print(sum_of_two.written(condition)[0])
    bill > 0.9 * limit
    """

    terms: tuple[tuple[str, int], ...]
    scale: int = 1
    timed: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are added up."""
        return tuple(name for name, _ in self.terms)

    def column(self, schema: Schema) -> Column:
        """Return the sum as a column beside those of a schema: of whole numbers where all of its columns are."""
        columns = [schema.get(name) for name in self.columns]
        whole = all(column is not None and column.kind in (Kind.INTEGER, Kind.DATETIME) for column in columns)
        nullable = any(column is None or column.nullable for column in columns)
        return Column(str(self), Kind.INTEGER if whole else Kind.CONTINUOUS, nullable=nullable)

    def data(self, table: Table) -> ColumnData:
        """Add up the columns of a table; see `added`."""
        return self.added(table.schema, {name: table[name] for name in self.columns})

    def added(self, schema: Schema, data_of: Mapping[str, ColumnData]) -> ColumnData:
        """Add up columns: whole numbers and dates exactly, floats as they are added up when written.

        Where any of them is missing, the sum is; so it is where floats give none, as two infinite ones may.
        """
        columns = [(schema[name], data_of[name], factor) for name, factor in self.terms]
        gaps = [data.missing for _, data, _ in columns if data.missing is not None]
        missing = np.logical_or.reduce(gaps) if gaps else None
        if self.column(schema).kind is Kind.INTEGER:
            parts = [
                (data.values, factor * (column.step if column.kind is Kind.DATETIME else 1))
                for column, data, factor in columns
            ]
            return ColumnData(_added(parts), missing)
        with np.errstate(over="ignore", invalid="ignore"):
            sides = [np.zeros(len(columns[0][1].values)) for _ in range(2)]
            for _, data, factor in columns:
                weight = float(Fraction(abs(factor), self.scale))
                values = data.values.astype(np.float64)
                sides[factor < 0] += values if weight == 1 else weight * values
            values = sides[0] - sides[1]
        unknown = np.isnan(values)
        if unknown.any():
            missing = unknown if missing is None else missing | unknown
        return ColumnData(values, missing)

    def asked(self, condition: Condition, schema: Schema) -> Condition:
        """Return a condition on the sum as it is asked of `data`: in the units that floats are added up in."""
        if self.scale == 1 or self.column(schema).kind is Kind.INTEGER:
            return condition
        cuts = tuple(
            (_number(exact(value) / self.scale) if math.isfinite(value) else value, side)
            for value, side in condition.numbers.cuts
        )
        return replace(condition, numbers=Intervals(cuts))

    def __str__(self) -> str:
        return _side(self._weights())

    def written(self, condition: Condition, signs: Mapping[str, str] | None = None) -> tuple[str, bool]:
        """Write a condition on the sum; also tell whether it needs brackets beside an AND.

        Other words can be given for operators and for AND, OR and NOT.
        """
        signs = _SIGNS if signs is None else signs
        if condition.missing:
            outside = replace(~condition, missing=False).settled(Kind.CONTINUOUS)
            text, compound = self.written(outside, signs)
            bare = not compound and len(outside.numbers.cuts) == 2 and sum(map(math.isinf, _ends_of(outside))) == 1
            return f"{signs['NOT']} {text}" if bare else f"{signs['NOT']} ({text})", False
        both, either = f" {signs['AND']} ", f" {signs['OR']} "
        terms = [both.join(self._stretch(enter, leave, signs)) for enter, leave in condition.numbers]
        if condition.numbers.is_everything:
            return either.join((self._compared("<", 0, signs), self._compared(">=", 0, signs))), True
        if condition.numbers.is_cofinite():
            holes = [leave[0] for _, leave in list(condition.numbers)[:-1]]
            return both.join(self._compared("!=", hole, signs) for hole in holes), False
        if not terms:
            return both.join((self._compared("<", 0, signs), self._compared(">", 0, signs))), False
        return either.join(terms), len(terms) > 1

    def _stretch(self, enter: Cut, leave: Cut, signs: Mapping[str, str]) -> list[str]:
        (low, low_open), (high, high_closed) = enter, leave
        if low == high:
            return [self._compared("=", low, signs)]
        parts = []
        if low > -math.inf:
            parts.append(self._compared(">" if low_open else ">=", low, signs))
        if high < math.inf:
            parts.append(self._compared("<=" if high_closed else "<", high, signs))
        return parts

    def _compared(self, operator: str, value: Number, signs: Mapping[str, str]) -> str:
        """Write a comparison; without a constant, columns on both sides, one that stands alone first."""
        weights, bound = self._weights(), exact(value) / self.scale
        alone = {weight for weight in weights.values() if abs(weight) == 1}
        if bound:
            turned = bound < 0 and min(weights.values()) < 0
        else:
            turned = operator in ("<", "<=") if len(alone) > 1 else alone == {-1}
        if turned:
            weights = {name: -weight for name, weight in weights.items()}
            operator, bound = _TURNED[operator], -bound
        above = [name for name, weight in weights.items() if weight > 0]
        lead = next((name for name in above if weights[name] == 1), above[0])
        weights = {lead: weights.pop(lead), **weights}
        right = {name: -weight for name, weight in weights.items() if weight < 0}
        if bound or not right or self.timed or operator in ("=", "!="):
            return f"{_side(weights)} {signs[operator]} {_duration(bound) if self.timed else decimal_text(bound)}"
        left = {name: weight for name, weight in weights.items() if weight > 0}
        return f"{_side(left)} {signs[operator]} {_side(right)}"

    def _weights(self) -> dict[str, Fraction]:
        return {name: Fraction(factor, self.scale) for name, factor in self.terms}


Key: TypeAlias = "str | Linear"  # what a condition is on


def column_at(schema: Schema, key: Key) -> Column | None:
    """Return what a condition is on as a column: one of the schema, or a sum of some."""
    return schema.get(key) if isinstance(key, str) else key.column(schema)


def data_at(table: Table, key: Key) -> ColumnData:
    """Return the values that a condition is on: those of a column, or sums of some."""
    return table[key] if isinstance(key, str) else key.data(table)


def columns_of(keys: Iterable[Key]) -> Iterator[str]:
    """Return the columns that conditions are on, in order, those of sums too.

    Examples
    --------
    >>> list(columns_of(["age", Linear((("income", 1), ("rent", -1)))]))
    ['age', 'income', 'rent']
    """
    return iter(dict.fromkeys(name for key in keys for name in ((key,) if isinstance(key, str) else key.columns)))


@dataclass(frozen=True, slots=True)
class Sum:
    """One side of a comparison: columns with their factors, and a number or a duration.

    Examples
    --------
    >>> side = Sum.of("income") - Sum.of("rent") * 2 + Sum.number(500)
    >>> dict(side.weights), side.constant
    ({'income': Fraction(1, 1), 'rent': Fraction(-2, 1)}, Fraction(500, 1))
    """

    weights: Mapping[str, Fraction] = field(default_factory=dict)
    constant: Fraction = Fraction(0)
    timed: bool = False

    @classmethod
    def of(cls, column: str) -> Sum:
        """Return a column alone."""
        return cls({column: Fraction(1)})

    @classmethod
    def number(cls, number: Number | Fraction) -> Sum:
        """Return a number alone."""
        return cls(constant=exact(number))

    @classmethod
    def duration(cls, nanoseconds: Number | Fraction) -> Sum:
        """Return a duration alone."""
        return cls(constant=exact(nanoseconds), timed=True)

    def __add__(self, other: Sum) -> Sum:
        if self.timed != other.timed and self.constant and other.constant:
            raise RuleError("A number and a duration cannot be added. Write the unit behind both, as in 30 days.")
        weights = dict(self.weights)
        for name, weight in other.weights.items():
            weights[name] = weights.get(name, Fraction(0)) + weight
        return Sum(weights, self.constant + other.constant, self.timed or other.timed)

    def __mul__(self, factor: Number | Fraction) -> Sum:
        by = exact(factor)
        return Sum({name: by * weight for name, weight in self.weights.items()}, by * self.constant, self.timed)

    def __sub__(self, other: Sum) -> Sum:
        return self + other * -1


def compare_sums(left: Sum, operator: str, right: Sum) -> tuple[Linear, Condition]:
    """Return what a comparison of two sums says: the sum of all columns, and a condition on it.

    Examples
    --------
    >>> key, condition = compare_sums(Sum.of("income"), ">=", Sum.of("rent") + Sum.number(500))
    >>> str(key), 500 in condition, 499 in condition
    ('income - rent', True, False)
    """
    apart = left - right
    weights = {name: weight for name, weight in sorted(apart.weights.items()) if weight}
    if not weights:
        raise RuleError("No column is left in this comparison. Compare a column with a value or with another column.")
    if len(weights) == 1 and apart.timed:
        raise RuleError("A duration is compared with the difference of two dates, as in end - start >= 30 days.")
    if len(weights) > MOST_COLUMNS:
        raise RuleError(f"A comparison of more than {MOST_COLUMNS} columns. Split it.")
    first = next(iter(weights.values()))
    bound = -apart.constant
    if len(weights) == 1:
        operator, value = operator if first > 0 else _TURNED[operator], bound / first
        written = decimal_text(value) if _is_decimal(value) else "the number that it is compared with"
        raise RuleError(f"Only one column is left in this comparison. Write {_name(*weights)} {operator} {written}.")
    whole = math.lcm(*(weight.denominator for weight in weights.values()))
    shared = math.gcd(*(int(weight * whole) for weight in weights.values()))
    if not _is_decimal(bound * whole / shared):
        shared = 1
    by = Fraction(whole, shared) * (1 if first > 0 else -1)
    terms = tuple((name, int(weight * by)) for name, weight in weights.items())
    if max(abs(factor) for _, factor in terms) > LARGEST_FACTOR:
        raise RuleError("The factors of columns need more than 15 digits beside one another. Round them.")
    # As written if some column stands alone, else in whole factors.
    scale = abs(by) if any(abs(weight) == 1 for weight in weights.values()) else Fraction(1)
    key = Linear(terms, int(scale), apart.timed)
    operator = operator if by > 0 else _TURNED[operator]
    return key, Condition.compare(operator, _number(bound * by)).settled(Kind.CONTINUOUS)


def exact(number: Number | Fraction) -> Fraction:
    """Return a number as it is written in decimals; infinite ones have none.

    Examples
    --------
    >>> exact(0.1), exact(3)
    (Fraction(1, 10), Fraction(3, 1))
    """
    return number if isinstance(number, Fraction) else Fraction(repr(number))


def _number(value: Fraction) -> Number:
    try:
        return int(value) if value.denominator == 1 else canonical(float(value))
    except OverflowError:
        raise RuleError("A number beyond 1.8e308 is no value to compare with. Leave the comparison out.") from None


def _is_decimal(value: Fraction) -> bool:
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def decimal_text(value: Fraction) -> str:
    """Write a number that has an end in decimals, with all of them.

    Examples
    --------
    >>> decimal_text(Fraction(9, 10)), decimal_text(Fraction(-500))
    ('0.9', '-500')
    """
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    text = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (f"{text[:-digits]}.{text[-digits:]}" if digits else text)


def _name(column: str) -> str:
    """Write the name of a column that is added up: in backticks also where it could be a value."""
    is_value = column.lower() in ("true", "false") or means_missing(column)
    return quoted(column, "`") if is_value else column_text(column)


def _ends_of(condition: Condition) -> tuple[Number, Number]:
    """Return the ends of a condition of one stretch."""
    return condition.numbers.cuts[0][0], condition.numbers.cuts[-1][0]


def _duration(nanoseconds: Fraction) -> str:
    """Write a duration in the longest unit that it is a whole number of, weeks left aside."""
    units = [(unit, length) for unit, length in UNITS.items() if unit != "weeks"]
    unit, length = next((one for one in units if (nanoseconds / one[1]).denominator == 1), units[-1])
    count = nanoseconds / length
    return f"{decimal_text(count)} {unit.removesuffix('s') if abs(count) == 1 else unit}"


def _side(weights: Mapping[str, Fraction]) -> str:
    """Write columns with their factors, one of them above 0; what is added comes before what is taken away."""
    parts: list[str] = []
    for name, weight in sorted(weights.items(), key=lambda item: item[1] < 0):
        factor = "" if abs(weight) == 1 else f"{decimal_text(abs(weight))} * "
        sign = "-" if weight < 0 else "+"
        parts.append(f"{sign} {factor}{_name(name)}" if parts else f"{factor}{_name(name)}")
    return " ".join(parts)


def _added(parts: list[tuple[NDArray[Any], int]]) -> NDArray[np.int64]:
    """Add up whole numbers exactly; sums beyond 64 bits stay at their ends."""
    most = sum(abs(factor) * max(int(values.max()), -int(values.min())) for values, factor in parts if len(values))
    if most < _WHOLE:
        total = np.zeros(len(parts[0][0]), dtype=np.int64)
        for values, factor in parts:
            total += factor * values.astype(np.int64)
        return total
    sums: NDArray[Any] = np.zeros(len(parts[0][0]), dtype=object)
    for values, factor in parts:
        sums = sums + factor * values.astype(object)
    ends = np.iinfo(np.int64)
    return np.array([min(max(one, ends.min), ends.max) for one in sums], dtype=np.int64)
