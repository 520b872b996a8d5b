"""Conditions: sets of values of one column, with whether a missing value is inside."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from frote.exceptions import RuleError
from frote.rules.intervals import Intervals
from frote.rules.values import DAY, Instant, Number, Value, as_value, value_text
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frote.table import Column

__all__ = ["CALENDAR", "Condition"]

NONE = Intervals()
ALL = Intervals.everything()

# The instants that Python's datetime can hold, and those that NumPy's can to the nanosecond.
CALENDAR = Intervals.between(-719_162 * DAY, 2_932_897 * DAY, low_closed=True)  # the years 1 to 9999
_NANOSECONDS = Intervals.between(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Condition:
    """A set of values: numbers, instants and texts, and whether missing is one of them.

    A condition does not know its column's kind: ``x != 3`` holds every number but 3, and every text. What part of
    it counts is settled by the column. Conditions form a Boolean algebra under ``&``, ``|`` and ``~``.

    Parameters
    ----------
    numbers : Intervals
        The numbers inside.

    times : Intervals
        The instants inside, in nanoseconds.

    texts : frozenset of str
        The other texts inside; with `all_but`, the ones outside.

    all_but : bool
        Whether `texts` are the ones outside.

    missing : bool
        Whether a missing value is inside.

    Examples
    --------
    >>> young = Condition.compare("<", 29)
    >>> 28 in young, 29 in young, None in young, None in ~young
    (True, False, False, True)
    >>> (young & Condition.compare(">", 29)) == Condition.nothing()
    True
    """

    numbers: Intervals = NONE
    times: Intervals = NONE
    texts: frozenset[str] = frozenset()
    all_but: bool = False
    missing: bool = False

    @classmethod
    def nothing(cls) -> Condition:
        """Return the condition that no value meets."""
        return cls()

    @classmethod
    def anything(cls) -> Condition:
        """Return the condition that every value meets, missing included."""
        return cls(ALL, ALL, frozenset(), all_but=True, missing=True)

    @classmethod
    def is_missing(cls) -> Condition:
        """Return the condition that only a missing value meets."""
        return cls(missing=True)

    @classmethod
    def among(cls, natives: Iterable[Any]) -> Condition:
        """Return the condition to be one of these values."""
        values = [_literal(native) for native in natives]
        return cls(
            Intervals.points(value for value in values if isinstance(value, int | float)),
            Intervals.points(value.nanoseconds for value in values if isinstance(value, Instant)),
            frozenset(value for value in values if isinstance(value, str)),
        )

    @classmethod
    def compare(cls, operator: str, native: Any) -> Condition:
        """Return the condition to compare so with a value.

        Parameters
        ----------
        operator : {"=", "!=", "<", "<=", ">", ">="}
            How to compare. No comparison holds for a missing value, not even ``!=``.

        native : number, datetime, date or str
            What to compare with; for an order, a number or a date.

        Returns
        -------
        Condition
        """
        if operator in ("=", "!="):
            equal = cls.among([native])
            return equal if operator == "=" else ~(equal | cls.is_missing())
        value = _literal(native)
        if isinstance(value, str):
            raise RuleError(f"{operator!r} needs a number or a date to compare with, not {value!r}.")
        point: Number = value.nanoseconds if isinstance(value, Instant) else value
        closed = operator.endswith("=")
        if operator.startswith("<"):
            line = Intervals.between(high=point, high_closed=closed)
        else:
            line = Intervals.between(low=point, low_closed=closed)
        return cls(times=line) if isinstance(value, Instant) else cls(numbers=line)

    def __and__(self, other: Condition) -> Condition:
        return ~(~self | ~other)

    def __or__(self, other: Condition) -> Condition:
        if self.all_but and other.all_but:
            texts = self.texts & other.texts
        elif self.all_but:
            texts = self.texts - other.texts
        elif other.all_but:
            texts = other.texts - self.texts
        else:
            texts = self.texts | other.texts
        return Condition(
            self.numbers | other.numbers,
            self.times | other.times,
            texts,
            self.all_but or other.all_but,
            self.missing or other.missing,
        )

    def __invert__(self) -> Condition:
        return Condition(~self.numbers, ~self.times, self.texts, not self.all_but, not self.missing)

    def __contains__(self, native: Any) -> bool:
        """Tell whether a value is inside; None stands for missing."""
        return self.missing if native is None else self._holds(as_value(native))

    def _holds(self, value: Value) -> bool:
        if isinstance(value, str):
            return (value in self.texts) != self.all_but
        if isinstance(value, Instant):
            return value.nanoseconds in self.times
        return value in self.numbers

    @property
    def is_decided(self) -> bool:
        """Whether it is known which values are inside; it is not where that is asked of the levels of a column."""
        return True

    def is_decided_on(self, column: Column) -> bool:
        """Whether the condition means the same for a column whatever its levels are."""
        return not column.ordered or self.is_discrete

    @property
    def is_discrete(self) -> bool:
        """Whether the condition only lists values, inside or outside, and compares by no order."""
        return all(line.is_finite() or line.is_cofinite() for line in (self.numbers, self.times))

    def settled(self, kind: Kind | None = None) -> Condition:
        """Return the condition as it is written for a column of that kind: what cannot occur there is put aside.

        Of ``NOT (x > 1)``, a number column keeps ``x <= 1 OR x IS MISSING``; the texts that it holds too do not occur.
        Without a kind, a condition that compares by order tells its column's kind itself.

        Examples
        --------
        >>> inside = ~Condition.compare(">", 1)
        >>> inside.all_but, inside.settled().all_but
        (True, False)
        """
        if kind is None:
            if self.texts or self.is_discrete or (self.names_numbers and self.names_times):
                return self
            kind = Kind.CONTINUOUS if self.names_numbers else Kind.DATETIME
        if kind is Kind.BOOLEAN:
            return self._settled_truth()
        if kind is Kind.CATEGORICAL:
            return self
        line = self.numbers if kind.is_number else self.times
        if line.is_cofinite():
            # All but a few: the same holds for whatever else there is, so that this is written as `!=`.
            rest, all_but = ALL, True
        else:
            rest, all_but = NONE, False
        numbers, times = (line, rest) if kind.is_number else (rest, line)
        return Condition(numbers, times, frozenset(), all_but, self.missing)

    def on(self, column: Column) -> Condition:
        """Return the condition as it is written for a column: settled by its kind, and decided on its levels.

        Examples
        --------
        >>> from frote.table import Column, Kind
        >>> size = Column("size", Kind.CATEGORICAL, levels=("1", "2", "3+"), ordered=True)
        >>> Condition.compare(">=", 2).on(size) == Condition.among(["2", "3+"])
        True
        """
        if not column.ordered or self.is_discrete:
            return self.settled(column.kind)
        inside = zip(column.levels, self.levels_inside(column), strict=True)
        among = Condition.among(level for level, holds in inside if holds)
        return replace(among, missing=self.missing)

    def _settled_truth(self) -> Condition:
        """Return the condition with 0 and 1 as the words that a boolean column knows: one way to write each set."""
        no, yes = self._truths()
        if no and yes:
            return Condition.anything() if self.missing else ~Condition.is_missing()
        texts = frozenset(text for text, inside in (("false", no), ("true", yes)) if inside)
        return Condition(texts=texts, missing=self.missing)

    def _truths(self) -> tuple[bool, bool]:
        """Tell for false and for true whether it is inside, be it named by its word or as 0 or 1."""
        words = self._holds("false"), self._holds("true")
        if not self.names_numbers:
            return words
        # Named among the values inside, either name lets a value in; among those outside, either keeps it out.
        named = all if self.all_but else any
        return named((words[0], 0 in self.numbers)), named((words[1], 1 in self.numbers))

    @property
    def names_numbers(self) -> bool:
        """Whether some numbers, but not all, are inside."""
        return self.numbers not in (NONE, ALL)

    @property
    def names_times(self) -> bool:
        """Whether some instants, but not all, are inside."""
        return self.times not in (NONE, ALL)

    @property
    def length(self) -> int:
        """About how many characters it takes to write the condition."""
        cuts = len(self.numbers.cuts) + len(self.times.cuts)
        return 12 * cuts + sum(map(len, self.texts)) + 4 * len(self.texts)

    def named_values(self) -> list[Value]:
        """Return the values that a discrete condition lists, inside or outside: numbers, instants, texts."""
        numbers = sorted({value for value, _ in self.numbers.cuts if abs(value) != float("inf")})
        instants = sorted({value for value, _ in self.times.cuts if abs(value) != float("inf")})
        return [*numbers, *(Instant(int(value)) for value in instants), *sorted(self.texts)]

    def levels_inside(self, column: Column) -> list[bool]:
        """Tell for each level of a categorical or boolean column whether it is inside."""
        if column.kind is Kind.BOOLEAN:
            truths = self._truths()
            return [truths[bool(level)] for level in column.levels]
        values = [as_value(level) for level in column.levels]
        if column.ordered and not self.is_discrete:
            ranked = self._ranked(values)
            return list(map(ranked._holds, range(len(values))))
        return list(map(self._holds, values))

    def _ranked(self, values: list[Value]) -> Condition:
        """Return a comparison with numbers or dates as one with the places of levels in order.

        Levels that are numbers stand among others at times: of 0, 1, 2 and 3+, the last two are at least 2.

        Raises
        ------
        RuleError
            With what keeps the comparison from meaning one thing, as the end of a sentence.
        """
        line, numbers = (self.times, False) if self.names_times else (self.numbers, True)
        points: list[tuple[Number, int]] = []
        for place, value in enumerate(values):
            if isinstance(value, Instant) and not numbers:
                points.append((value.nanoseconds, place))
            elif isinstance(value, int | float) and numbers:
                points.append((value, place))
        if points != sorted(points):
            raise RuleError("whose order is not that of the values that they look like. Use =, != or IN.")
        if len(points) == len(values):
            return Condition(Intervals.points(place for number, place in points if number in line))
        if self.names_times == self.names_numbers or self.texts or self.all_but:
            raise RuleError("and numbers, dates and texts are compared with them at once. Use =, != or IN.")
        place_of = dict(points)
        cuts = []
        for value, side in line.cuts:
            if value not in place_of and math.isfinite(value):
                text = value_text(value if numbers else Instant(int(value)))
                raise RuleError(f"and {text} is none of them, so that not all are below or above it. Name a level.")
            cuts.append((place_of.get(value, value), side))
        return Condition(Intervals(tuple(cuts)))

    def pick(self, column: Column | None) -> tuple[Any] | None:
        """Return a value of the column that is inside, as a 1-tuple; None if there is none.

        A missing value (None) is taken only if no other will do and the column's type can hold it, so an empty answer
        means an empty set.

        Parameters
        ----------
        column : Column or None
            Whose values count; None lets all values count that a rule can name.

        Returns
        -------
        tuple of one value, or None

        Examples
        --------
        >>> from frote.table import Column, Kind
        >>> twenties = Condition.compare(">", 28) & Condition.compare("<", 29)
        >>> twenties.pick(Column("age", Kind.CONTINUOUS)), twenties.pick(Column("age", Kind.INTEGER))
        ((28.5,), None)
        """
        found = self._pick_text() if column is None else self._pick_from(column)
        if found is None and self.missing and (column is None or column.nullable):
            return (None,)
        return found

    def _pick_from(self, column: Column) -> tuple[Any] | None:
        if column.kind.has_levels:
            inside = self.levels_inside(column)
            return next(((level,) for level, keep in zip(column.levels, inside, strict=True) if keep), None)
        if column.kind is Kind.DATETIME:
            return self._pick_instant(column.step)
        step = 1 if column.kind is Kind.INTEGER else None
        number = self.numbers.pick(step, floats_only=step is None)
        return None if number is None else (number,)

    def _pick_instant(self, step: int) -> tuple[Any] | None:
        """Pick a whole number of steps that a datetime can hold; if possible, a plain date."""
        for coarse in (DAY, 1_000_000_000, 1_000, step):
            if coarse % step:
                continue
            held = CALENDAR if coarse % 1_000 == 0 else _NANOSECONDS
            for line in (self.times, self.times & held):
                instant = line.pick(coarse)
                if instant is not None and instant in held:
                    return (Instant(int(instant)).native(),)
        return None

    def _pick_text(self) -> tuple[Any] | None:
        if self.texts and not self.all_but:
            return (min(self.texts),)
        number = self.numbers.pick()
        if number is not None:
            return (number,)
        instant = self._pick_instant(1)
        if instant is not None:
            return instant
        if self.all_but:
            # Any text will do that is not excluded and stands for itself.
            text = "other"
            while text in self.texts:
                text += "_"
            return (text,)
        return None


def _literal(native: Any) -> Value:
    """Return what a rule's literal stands for; a number must be one that a double can come near."""
    try:
        value = as_value(native)
        finite = not isinstance(value, int | float) or math.isfinite(value)
    except OverflowError:
        finite = False
    if not finite:
        raise RuleError("A number beyond 1.8e308 is no value to compare with. Leave the comparison out.")
    return value
