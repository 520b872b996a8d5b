"""Conditions put together with AND, OR and NOT, before they become clauses: from text, or from Python.

The parser and the builder for notebooks (`col`) make the same expressions, so they give the same rules.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.exceptions import RuleError
from frote.rules.clause import Clause
from frote.rules.combination import Joint, Single, joint, pieces
from frote.rules.condition import Condition
from frote.rules.level_tests import compared, containing, ending, like, starting
from frote.rules.linear import Sum, compare_sums
from frote.rules.outcome import Outcome
from frote.rules.rule import Rule
from frote.rules.values import as_value
from frote.rules.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frote.rules.combination import Part
    from frote.rules.linear import Key
    from frote.rules.ruleset import RuleSet

__all__ = ["And", "Col", "Expression", "Leaf", "Not", "Or", "Truth", "col", "make_pieces"]


class Expression:
    """A logical expression over columns; combine with ``&``, ``|`` and ``~``, finish with `then`.

    Examples
    --------
    >>> from frote import col
    >>> print(((col("age") < 29) & (col("income") > 150_000)).then("approved", name="young savers"))
    young savers: IF age < 29 AND income > 150000 THEN approved
    """

    def __and__(self, other: Expression) -> Expression:
        return And.of([self, _expression(other)])

    def __or__(self, other: Expression) -> Expression:
        return Or.of([self, _expression(other)])

    def __invert__(self) -> Expression:
        return Not(self)

    def __bool__(self) -> bool:
        raise TypeError("Combine conditions with & | ~ and brackets, not with `and`, `or`, `not` or a chain.")

    def clauses(self, work: Work | None = None) -> list[Clause]:
        """Return the disjoint clauses that the expression stands for, at least one, if only an impossible one."""
        work = Work(of="rule") if work is None else work
        try:
            part = self.part()
            clauses = pieces(part, work)
        except RecursionError:
            raise RuleError("This rule has too many conditions within one another.") from None
        if not clauses and not part.columns:
            raise RuleError("This rule can never apply, and names no column.")
        return clauses or [Clause.of({part.columns[0]: Condition.nothing()})]

    def then(self, target: object, *, confidence: float = 1.0, name: str = "") -> RuleSet:
        """Make a rule: what the expression covers goes to this outcome.

        Parameters
        ----------
        target : label or mapping of labels to probabilities
            Where the label goes.

        confidence : float, default=1.0
            With a single label: how sure the rule is.

        name : str, default=""
            The rule's name; without one it is numbered.

        Returns
        -------
        RuleSet
            The rule; several pieces of it where OR or NOT across columns split it.
        """
        from frote.rules.ruleset import RuleSet

        outcome = Outcome.of(target, confidence=confidence)
        return RuleSet(make_pieces(name or "rule 1", self, outcome))

    def part(self) -> Part:
        """Return what the expression says, with all that concerns one column alone as one condition."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Leaf(Expression):
    """A condition on a column, or on a sum of some."""

    column: Key
    condition: Condition

    def part(self) -> Part:
        return Single(self.column, self.condition)


@dataclass(frozen=True, slots=True)
class Truth(Expression):
    """What every row satisfies."""

    def part(self) -> Part:
        return Joint(every=True, parts=())


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """What does not satisfy an expression; a missing value satisfies the NOT of every comparison."""

    inner: Expression

    def __invert__(self) -> Expression:
        return self.inner

    def part(self) -> Part:
        return self.inner.part().opposite()


@dataclass(frozen=True, slots=True)
class _Several(Expression):
    """Several expressions under one AND or one OR."""

    parts: tuple[Expression, ...]

    @classmethod
    def of(cls, parts: Iterable[Expression]) -> Expression:
        """Return the parts as one expression; parts of its own sort are taken apart, so that a chain does not nest."""
        flat: list[Expression] = []
        for part in parts:
            flat.extend(part.parts if isinstance(part, cls) else (part,))
        return flat[0] if len(flat) == 1 else cls(tuple(flat))

    def part(self) -> Part:
        return joint([one.part() for one in self.parts], every=isinstance(self, And))


@dataclass(frozen=True, slots=True)
class And(_Several):
    """What satisfies all the parts."""


@dataclass(frozen=True, slots=True)
class Or(_Several):
    """What satisfies any of the parts."""


def make_pieces(
    name: str, expression: Expression, outcome: Outcome, line: int | None = None, work: Work | None = None
) -> list[Rule]:
    """Return the rule for an expression, or its pieces, numbered, if it takes several clauses."""
    work = Work(of="rule") if work is None else work
    clauses = expression.clauses(work)
    if len(clauses) == 1:
        return [Rule(name, clauses[0], outcome, line=line)]
    work.keep(clauses, len(name) + len(str(outcome)))
    return [Rule(f"{name}/{number}", clause, outcome, name, line=line) for number, clause in enumerate(clauses, 1)]


def _expression(other: object) -> Expression:
    if isinstance(other, Expression):
        return other
    raise TypeError(f"Conditions combine with conditions, not with {other!r}. Put each comparison in brackets.")


class Added:
    """Columns with factors, added up, to be compared: what `frote.col` gives, multiplied, added or taken away."""

    __slots__ = ("sum",)
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # NumPy's numbers leave operators to it

    def __init__(self, total: Sum) -> None:
        self.sum = total

    def __bool__(self) -> bool:
        raise TypeError("Compare the sum of columns with a value first, as in col('income') - col('rent') > 500.")

    def __add__(self, other: Any) -> Added:
        return Added(self.sum + _side(other))

    def __radd__(self, other: Any) -> Added:
        return Added(_side(other) + self.sum)

    def __sub__(self, other: Any) -> Added:
        return Added(self.sum - _side(other))

    def __rsub__(self, other: Any) -> Added:
        return Added(_side(other) - self.sum)

    def __neg__(self) -> Added:
        return Added(self.sum * -1)

    def __mul__(self, factor: Any) -> Added:
        side = _side(factor)
        if side.weights or side.timed:
            raise TypeError("A column is multiplied with a number, as in 0.9 * col('limit').")
        return Added(self.sum * side.constant)

    __rmul__ = __mul__

    def __lt__(self, value: Any) -> Leaf:
        return self._compare("<", value)

    def __le__(self, value: Any) -> Leaf:
        return self._compare("<=", value)

    def __gt__(self, value: Any) -> Leaf:
        return self._compare(">", value)

    def __ge__(self, value: Any) -> Leaf:
        return self._compare(">=", value)

    def __eq__(self, value: object) -> Leaf:  # type: ignore[override]
        return self._compare("=", value)

    def __ne__(self, value: object) -> Leaf:  # type: ignore[override]
        return self._compare("!=", value)

    def _compare(self, operator: str, value: Any) -> Leaf:
        return Leaf(*compare_sums(self.sum, operator, _side(value)))


def _side(value: Any) -> Sum:
    """Return a side of a comparison of sums: columns, a number or a duration."""
    if isinstance(value, Added):
        return value.sum
    if isinstance(value, dt.timedelta):
        return Sum.duration((value.days * 86_400 + value.seconds) * 1_000_000_000 + value.microseconds * 1_000)
    if isinstance(value, np.timedelta64):
        nanoseconds = value.astype("timedelta64[ns]")
        if not np.isnat(nanoseconds):
            return Sum.duration(int(nanoseconds.astype(np.int64)))
    number = value if isinstance(value, Expression | bool) else as_value(value)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise TypeError(f"Columns are added to columns, numbers and durations, not to {value!r}.")
    if not math.isfinite(number):
        raise RuleError("A number beyond 1.8e308 is no value to compare with. Leave the comparison out.")
    return Sum.number(number)


class Col(Added):
    """A column, to be compared with values or with other columns. Made by `frote.col`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"A column is named by a text, not by {name!r}.")
        super().__init__(Sum.of(name))
        self.name = name

    def __bool__(self) -> bool:
        raise TypeError(f"Compare col({self.name!r}) with a value first, as in col({self.name!r}) > 3.")

    def isin(self, values: Iterable[Any]) -> Leaf:
        """Be one of these values."""
        if isinstance(values, str):
            raise TypeError(f"isin takes a list of values, as in isin([{values!r}]).")
        return Leaf(self.name, Condition.among(_plain(value) for value in values))

    def between(self, low: Any, high: Any) -> Leaf:
        """Lie between two values, both included."""
        ends = compared(">=", _plain(low)), compared("<=", _plain(high))
        condition = ends[0] & ends[1]
        if condition == Condition.nothing() or ends[0].is_decided != ends[1].is_decided:
            raise RuleError(
                f"Nothing lies between {low!r} and {high!r}: give two numbers, dates or levels, the lower first."
            )
        return Leaf(self.name, condition)

    def startswith(self, text: str) -> Leaf:
        """Start with a text, which is asked of levels."""
        return Leaf(self.name, starting(_text(text)))

    def endswith(self, text: str) -> Leaf:
        """End with a text."""
        return Leaf(self.name, ending(_text(text)))

    def contains(self, text: str) -> Leaf:
        """Contain a text, as it stands."""
        return Leaf(self.name, containing(_text(text)))

    def like(self, pattern: str) -> Leaf:
        """Be like a pattern, in which ``%`` stands for any text and ``_`` for any character."""
        return Leaf(self.name, like(_text(pattern)))

    def is_missing(self) -> Leaf:
        """Be missing."""
        return Leaf(self.name, Condition.is_missing())

    def not_missing(self) -> Leaf:
        """Not be missing."""
        return Leaf(self.name, ~Condition.is_missing())

    def _compare(self, operator: str, value: Any) -> Leaf:
        if isinstance(value, Added):
            return super()._compare(operator, value)
        return Leaf(self.name, compared(operator, _plain(value)))


def _text(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"A pattern is a text, as {str(text)!r}, not {text!r}.")
    return text


def _plain(value: Any) -> Any:
    """Return what is to be compared with if it can be a value."""
    if isinstance(value, Added | Expression):
        raise TypeError("A column is compared with a value or with another column, by an operator such as <.")
    if getattr(value, "tzinfo", None) is not None:
        raise RuleError(
            f"{value} has a time zone. Rules mean the wall-clock time of their column: "
            "convert it to the column's zone, and take the zone off with .replace(tzinfo=None)."
        )
    return value


def col(name: str) -> Col:
    """Name a column, to build a rule in Python.

    Parameters
    ----------
    name : str
        The column's name.

    Returns
    -------
    Col
        Compare it with ``<``, ``<=``, ``==``, ``!=``, ``>=``, ``>``, ``isin``, ``between``, ``startswith``,
        ``endswith``, ``contains``, ``like``, ``is_missing``, ``not_missing``; or multiply it with a number, add and
        subtract others, numbers or a ``datetime.timedelta``, and compare what comes of it.

    Examples
    --------
    >>> from frote import col, parse_rules
    >>> built = ((col("age") < 29) & ~(col("amount") > 20_000)).then("approved", confidence=0.8)
    >>> print(built)
    rule 1: IF age < 29 AND (amount <= 20000 OR amount IS MISSING) THEN approved WITH CONFIDENCE 0.8
    >>> built == parse_rules("IF age < 29 AND NOT (amount > 20K) THEN approved WITH CONFIDENCE 0.8")
    True
    >>> print((col("bill") > 0.9 * col("limit")).then("review"))
    rule 1: IF bill > 0.9 * limit THEN review
    >>> print((col("plan").startswith("pre") & (col("size") >= "M")).then("approved"))
    rule 1: IF plan STARTS WITH 'pre' AND size >= 'M' THEN approved
    """
    return Col(name)
