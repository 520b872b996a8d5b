"""What is asked of the levels of a column, and known only when they are: patterns of texts, and places in an order."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from frote.exceptions import RuleError, nearest
from frote.rules.condition import Condition
from frote.rules.patterns import LIKE, escaped, is_like, signs_of
from frote.rules.values import as_value
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from frote.rules.intervals import Intervals
    from frote.rules.values import Value
    from frote.table import Column

__all__ = [
    "MOST_TESTS",
    "LevelTest",
    "Undecided",
    "chosen",
    "compared",
    "containing",
    "ending",
    "like",
    "passing",
    "starting",
]

MOST_TESTS = 50  # of one condition, counted wherever it branches: written, each may take a bracket

_ORDERS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True, order=True)
class LevelTest:
    """One thing that is asked of levels.

    Parameters
    ----------
    sign : {"LIKE", "<", "<=", ">", ">="}
        What is asked: to be like a pattern, or to stand so in the order of the levels.

    text : str
        The pattern, in which ``%`` stands for any text, ``_`` for any character, and a backslash before either of
        them, or before a backslash, for that character; or the level to be compared with.

    Examples
    --------
    >>> from frote.table import Column, Kind
    >>> plan = Column("plan", Kind.CATEGORICAL, levels=("basic", "premium", "prepaid"))
    >>> LevelTest("LIKE", "pre%").among(plan)
    ['premium', 'prepaid']
    """

    sign: str
    text: str

    def matches(self, value: Value) -> bool:
        """Tell whether a value is like the pattern: texts are as they are, numbers and dates as rules write them."""
        return is_like(self.text, str(value))

    def among(self, column: Column) -> list[Any]:
        """Return the levels of a column for which it holds.

        Raises
        ------
        RuleError
            If none of the levels is the one to be compared with, as the end of a sentence.
        """
        if self.sign == LIKE:
            return [level for level in column.levels if self.matches(as_value(level))]
        places = [place for place, level in enumerate(column.levels) if as_value(level) == self.text]
        if not places:
            if not column.levels:
                return []  # a column without any value says nothing of what it could hold
            near = nearest(self.text, map(str, column.levels))
            raise RuleError(f"none of which is {self.text!r}. {near}".strip())
        holds = _ORDERS[self.sign]
        return [level for place, level in enumerate(column.levels) if holds(place, places[0])]


class Undecided(Condition):
    """A condition that asks something of levels: decided when they are known (`on`), and a set of them from then on.

    It is a small decision tree: what a value must be where a test holds, and where it does not. Tests stand in order,
    and one that changes nothing is left out, so that equal sets have equal trees whatever the levels turn out to be.
    A missing value passes no test. Nobody can read which values are inside: that is an error, never a wrong answer.

    Parameters
    ----------
    test : LevelTest
        What is asked first.

    inside : Condition
        What else holds where the test does; without missing.

    outside : Condition
        What holds where it does not.

    Examples
    --------
    >>> from frote.table import Column, Kind
    >>> plan = Column("plan", Kind.CATEGORICAL, levels=("basic", "premium", "prepaid"))
    >>> asked = starting("pre") & ~Condition.among(["premium"])
    >>> asked.on(plan) == Condition.among(["prepaid"])
    True
    >>> asked & ~asked == Condition.nothing()
    True
    """

    __slots__ = ("inside", "outside", "size", "test")
    test: LevelTest
    inside: Condition
    outside: Condition
    size: int

    def __init__(self, test: LevelTest, inside: Condition, outside: Condition) -> None:
        self.__setstate__([test, inside, outside])
        if self.size > MOST_TESTS:
            raise RuleError(f"More than {MOST_TESTS} patterns are asked of one column. List its levels with IN.")

    def __getstate__(self) -> list[Any]:
        return [self.test, self.inside, self.outside]

    def __setstate__(self, state: list[Any]) -> None:
        for name, value in zip(("test", "inside", "outside"), state, strict=True):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "size", 1 + sum(getattr(part, "size", 0) for part in state[1:]))

    def __eq__(self, other: object) -> bool:
        return type(other) is Undecided and self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash((self.test, self.inside, self.outside))

    def __repr__(self) -> str:
        return f"Undecided({self.test!r}, {self.inside!r}, {self.outside!r})"

    def __or__(self, other: Condition) -> Condition:
        return _joined(self, other)

    __ror__ = __or__

    def __invert__(self) -> Condition:
        return chosen(self.test, ~self.inside, ~self.outside)

    def _holds(self, value: Value) -> bool:
        if self.test.sign != LIKE:
            raise self._unknown()
        return (self.inside if self.test.matches(value) else self.outside)._holds(value)

    @property
    def is_decided(self) -> bool:
        """Whether it is known which values are inside: never."""
        return False

    def is_decided_on(self, column: Column) -> bool:  # noqa: ARG002
        """Whether the condition means the same for a column whatever its levels are: never."""
        return False

    @property
    def is_discrete(self) -> bool:
        """Whether the condition only lists values: nobody knows."""
        return False

    @property
    def missing(self) -> bool:
        """Whether a missing value is inside."""
        return self.outside.missing

    @property
    def length(self) -> int:
        """About how many characters it takes to write the condition."""
        return 20 + len(self.test.text) + self.inside.length + self.outside.length

    def settled(self, kind: Kind | None = None) -> Condition:  # noqa: ARG002
        """Return the condition itself: a kind alone decides nothing."""
        return self

    def on(self, column: Column) -> Condition:
        """Return the condition decided on the levels of a column: a list of them."""
        if column.kind is not Kind.CATEGORICAL:
            raise self._unknown()
        matching = Condition.among(self.test.among(column))
        decided = (matching & self.inside) | (~matching & self.outside)
        return decided.on(column)

    def levels_inside(self, column: Column) -> list[bool]:
        """Tell for each level of a column whether it is inside."""
        return self.on(column).levels_inside(column)

    def pick(self, column: Column | None) -> tuple[Any] | None:
        """Return a level of the column that is inside, as a 1-tuple; None if there is none."""
        if column is None:
            raise self._unknown()
        return self.on(column).pick(column)

    def tests(self) -> Iterable[LevelTest]:
        """Go through what is asked."""
        yield self.test
        for part in (self.inside, self.outside):
            if isinstance(part, Undecided):
                yield from part.tests()

    def _unknown(self) -> RuleError:
        return RuleError(
            f"A condition with {self.test.sign} {self.test.text!r} is decided on the levels of a column. "
            "Bind the rules to the data first."
        )

    @property
    def numbers(self) -> Intervals:
        """The numbers inside, which nobody knows."""
        raise self._unknown()

    @property
    def times(self) -> Intervals:
        """The instants inside, which nobody knows."""
        raise self._unknown()

    @property
    def texts(self) -> frozenset[str]:
        """The texts inside, which nobody knows."""
        raise self._unknown()

    @property
    def all_but(self) -> bool:
        """Whether texts are those outside, which nobody knows."""
        raise self._unknown()


def _joined(one: Condition, other: Condition) -> Condition:
    """Return what is inside of either, test by test."""
    asked = [part.test for part in (one, other) if isinstance(part, Undecided)]
    if not asked:
        return one | other
    first = min(asked)
    (in_one, out_one), (in_other, out_other) = (
        (part.inside, part.outside) if isinstance(part, Undecided) and part.test == first else (part, part)
        for part in (one, other)
    )
    return chosen(first, _joined(in_one, in_other), _joined(out_one, out_other))


def chosen(test: LevelTest, inside: Condition, outside: Condition) -> Condition:
    """Return what is inside where a test holds, and outside where not; without the test if it changes nothing."""
    inside = _without_missing(inside)
    return outside if inside == _without_missing(outside) else Undecided(test, inside, outside)


def _without_missing(condition: Condition) -> Condition:
    if not condition.missing:
        return condition
    if isinstance(condition, Undecided):
        return Undecided(condition.test, condition.inside, _without_missing(condition.outside))
    return replace(condition, missing=False)


def passing(test: LevelTest) -> Condition:
    """Return the condition to pass a test.

    Examples
    --------
    >>> passing(LevelTest("<", "M")).missing
    False
    """
    return chosen(test, Condition.anything(), Condition.nothing())


def compared(sign: str, native: Any) -> Condition:
    """Return the condition to compare so with a value, or with a level that is neither a number nor a date.

    Parameters
    ----------
    sign : {"=", "!=", "<", "<=", ">", ">="}
        How to compare.

    native : number, datetime, date or str
        What to compare with; a text, where it counts for an order, is a level of a column whose levels stand in order.

    Returns
    -------
    Condition

    Examples
    --------
    >>> compared("<", "M").is_decided, compared("<", 29) == Condition.compare("<", 29)
    (False, True)
    """
    if sign in _ORDERS and isinstance(native, str):
        value = as_value(native)
        if isinstance(value, str):
            return passing(LevelTest(sign, value))
    return Condition.compare(sign, native)


def starting(text: str) -> Condition:
    """Return the condition to start with a text."""
    return like(f"{_plain(text, 'STARTS WITH')}%")


def ending(text: str) -> Condition:
    """Return the condition to end with a text."""
    return like(f"%{_plain(text, 'ENDS WITH')}")


def containing(text: str) -> Condition:
    """Return the condition to contain a text."""
    return like(f"%{_plain(text, 'CONTAINS')}%")


def like(pattern: str) -> Condition:
    r"""Return the condition to be like a pattern.

    Examples
    --------
    >>> like("pre%") == starting("pre"), like("50\\%") == Condition.among(["50%"])
    (True, True)
    >>> "prepaid" in like("pre_%_"), "pre" in like("pre_%_")
    (True, False)
    """
    parts = signs_of(pattern)
    if parts == ["%"]:
        return ~Condition.is_missing()
    if not any(part[0] in "%_" for part in parts):
        return Condition.among(["".join(part.removeprefix("\\") for part in parts)])
    return passing(LevelTest(LIKE, "".join(parts)))


def _plain(text: str, words: str) -> str:
    if not text:
        raise RuleError(f"Nothing stands behind {words}, so that every value would do. Use IS NOT MISSING.")
    return escaped(text)
