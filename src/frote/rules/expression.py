"""Conditions put together with AND, OR and NOT, before they become clauses: from text, or from Python.

The parser and the builder for notebooks (`col`) make the same expressions, so they give the same rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import and_, or_
from typing import TYPE_CHECKING, Any

from frote.exceptions import RuleError
from frote.rules.clause import Clause
from frote.rules.condition import Condition
from frote.rules.outcome import Outcome
from frote.rules.partition import MOST_PIECES, subtract, unite
from frote.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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

    def clauses(self) -> list[Clause]:
        """Return the disjoint clauses that the expression stands for, at least one, if only an impossible one."""
        try:
            pieces = self.pieces()
            columns = self.columns()
        except RecursionError:
            raise RuleError("This rule has too many conditions within one another.") from None
        if not pieces and not columns:
            raise RuleError("This rule can never apply, and names no column.")
        return pieces or [Clause.of({columns[0]: Condition.nothing()})]

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

    def columns(self) -> tuple[str, ...]:
        """Return the columns named, in order."""
        raise NotImplementedError

    def condition(self) -> Condition:
        """Return the one condition that an expression on a single column stands for."""
        raise NotImplementedError

    def pieces(self) -> list[Clause]:
        """Return the disjoint clauses that the expression stands for."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Leaf(Expression):
    """A condition on a column."""

    column: str
    held: Condition

    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def condition(self) -> Condition:
        return self.held

    def pieces(self) -> list[Clause]:
        return [Clause.of({self.column: self.held})]


@dataclass(frozen=True, slots=True)
class Truth(Expression):
    """What every row satisfies."""

    def columns(self) -> tuple[str, ...]:
        return ()

    def condition(self) -> Condition:
        return Condition.anything()

    def pieces(self) -> list[Clause]:
        return [Clause()]


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """What does not satisfy an expression; a missing value satisfies the NOT of every comparison."""

    inner: Expression

    def __invert__(self) -> Expression:
        return self.inner

    def columns(self) -> tuple[str, ...]:
        return self.inner.columns()

    def condition(self) -> Condition:
        return ~self.inner.condition()

    def pieces(self) -> list[Clause]:
        if len(self.columns()) == 1:
            return [Clause.of({self.columns()[0]: self.condition()})]
        return subtract(Clause(), self.inner.pieces())


@dataclass(frozen=True, slots=True)
class _Several(Expression):
    parts: tuple[Expression, ...]

    @classmethod
    def of(cls, parts: Iterable[Expression]) -> Expression:
        """Return the parts as one expression; parts of its own sort are taken apart, so that a chain does not nest."""
        flat: list[Expression] = []
        for part in parts:
            flat.extend(part.parts if isinstance(part, cls) else (part,))
        return flat[0] if len(flat) == 1 else cls(tuple(flat))

    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.parts for name in part.columns()))

    def pieces(self) -> list[Clause]:
        # What concerns one column alone is put together first: it stays one condition.
        single: dict[str, list[Expression]] = {}
        wider: list[Expression] = []
        order: list[str | Expression] = []
        for part in self.parts:
            names = part.columns()
            if len(names) == 1:
                if names[0] not in single:
                    order.append(names[0])
                single.setdefault(names[0], []).append(part)
            else:
                wider.append(part)
                order.append(part)
        if len(single) == 1 and not wider:
            ((name, _),) = single.items()
            return [Clause.of({name: self.condition()})]
        lists = [
            [Clause.of({item: type(self)(tuple(single[item])).condition()})] if isinstance(item, str) else item.pieces()
            for item in order
        ]
        return self.combine(lists)

    def combine(self, lists: list[list[Clause]]) -> list[Clause]:
        """Put the pieces of the parts together."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class And(_Several):
    """What satisfies all the parts."""

    def condition(self) -> Condition:
        return _fold(and_, [part.condition() for part in self.parts])

    def combine(self, lists: list[list[Clause]]) -> list[Clause]:
        # Parts of one clause are put together first. Then pieces of one part are disjoint, so their intersections
        # with the pieces of another are too.
        alone: dict[str, Condition] = {}
        for (clause,) in (clauses for clauses in lists if len(clauses) == 1):
            for name, held in clause:
                alone[name] = alone[name] & held if name in alone else held
        found = [Clause.of(alone)]
        if len(lists) > 1 and any(len(clauses) != 1 for clauses in lists) and found[0].is_empty():
            return []
        for clauses in (clauses for clauses in lists if len(clauses) != 1):
            if len(found) * len(clauses) > 10 * MOST_PIECES:
                raise _too_many()
            found = [both for one in found for other in clauses if (both := _meet(one, other))]
        if len(found) > MOST_PIECES:
            raise _too_many()
        place = {name: position for position, name in enumerate(self.columns())}
        return [Clause(tuple(sorted(clause, key=lambda pair: place[pair[0]]))) for clause in found]


@dataclass(frozen=True, slots=True)
class Or(_Several):
    """What satisfies any of the parts."""

    def condition(self) -> Condition:
        return _fold(or_, [part.condition() for part in self.parts])

    def combine(self, lists: list[list[Clause]]) -> list[Clause]:
        return unite([clause for clauses in lists for clause in clauses])


def _fold(join: Callable[[Condition, Condition], Condition], conditions: list[Condition]) -> Condition:
    """Join conditions two by two, which is faster for long lists than one after the other."""
    while len(conditions) > 1:
        pairs = [join(*conditions[i : i + 2]) for i in range(0, len(conditions) - 1, 2)]
        conditions = pairs + conditions[len(pairs) * 2 :]
    return conditions[0]


def _meet(one: Clause, other: Clause) -> Clause | None:
    """Return the intersection of two clauses that are not empty; None if it is."""
    if set(one.columns).isdisjoint(other.columns):
        return Clause(one.conditions + other.conditions)
    both = one & other
    return None if both.is_empty() else both


def _too_many() -> RuleError:
    return RuleError(
        f"This rule falls apart into more than {MOST_PIECES:,} disjoint pieces. "
        "Use fewer alternatives (OR, NOT) across columns."
    )


def make_pieces(name: str, expression: Expression, outcome: Outcome, line: int | None = None) -> list[Rule]:
    """Return the rule for an expression, or its pieces, numbered, if it takes several clauses."""
    clauses = expression.clauses()
    if len(clauses) == 1:
        return [Rule(name, clauses[0], outcome, line=line)]
    return [Rule(f"{name}/{number}", clause, outcome, name, line=line) for number, clause in enumerate(clauses, 1)]


def _expression(other: object) -> Expression:
    if isinstance(other, Expression):
        return other
    raise TypeError(f"Conditions combine with conditions, not with {other!r}. Put each comparison in brackets.")


class Col:
    """A column, to be compared with values. Made by `frote.col`."""

    __slots__ = ("name",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"A column is named by a text, not by {name!r}.")
        self.name = name

    def __bool__(self) -> bool:
        raise TypeError(f"Compare col({self.name!r}) with a value first, as in col({self.name!r}) > 3.")

    def __lt__(self, value: Any) -> Leaf:
        return self._compare("<", value)

    def __le__(self, value: Any) -> Leaf:
        return self._compare("<=", value)

    def __gt__(self, value: Any) -> Leaf:
        return self._compare(">", value)

    def __ge__(self, value: Any) -> Leaf:
        return self._compare(">=", value)

    def __eq__(self, value: Any) -> Leaf:  # type: ignore[override]
        return self._compare("=", value)

    def __ne__(self, value: Any) -> Leaf:  # type: ignore[override]
        return self._compare("!=", value)

    def isin(self, values: Iterable[Any]) -> Leaf:
        """Be one of these values."""
        if isinstance(values, str):
            raise TypeError(f"isin takes a list of values, as in isin([{values!r}]).")
        return Leaf(self.name, Condition.among(_plain(value) for value in values))

    def between(self, low: Any, high: Any) -> Leaf:
        """Lie between two values, both included."""
        condition = Condition.compare(">=", _plain(low)) & Condition.compare("<=", _plain(high))
        if condition == Condition.nothing():
            raise RuleError(
                f"Nothing lies between {low!r} and {high!r}: give two numbers or two dates, the lower first."
            )
        return Leaf(self.name, condition)

    def is_missing(self) -> Leaf:
        """Be missing."""
        return Leaf(self.name, Condition.is_missing())

    def not_missing(self) -> Leaf:
        """Not be missing."""
        return Leaf(self.name, ~Condition.is_missing())

    def _compare(self, operator: str, value: Any) -> Leaf:
        return Leaf(self.name, Condition.compare(operator, _plain(value)))


def _plain(value: Any) -> Any:
    """Return what is to be compared with if it can be a value."""
    if isinstance(value, Col | Expression):
        raise TypeError("A column is compared with a value, not with another column or condition.")
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
        Compare it with ``<``, ``<=``, ``==``, ``!=``, ``>=``, ``>``, ``isin``, ``between``, ``is_missing``,
        ``not_missing``.

    Examples
    --------
    >>> from frote import col, parse_rules
    >>> built = ((col("age") < 29) & ~(col("amount") > 20_000)).then("approved", confidence=0.8)
    >>> print(built)
    rule 1: IF age < 29 AND (amount <= 20000 OR amount IS MISSING) THEN approved WITH CONFIDENCE 0.8
    >>> built == parse_rules("IF age < 29 AND NOT (amount > 20K) THEN approved WITH CONFIDENCE 0.8")
    True
    """
    return Col(name)
