"""One column cut into the cells that a number of conditions tell apart.

Within a cell, every one of the conditions holds for all values or for none. So a condition is a set of cells, held as
the bits of an int, and questions about many conditions at once become arithmetic on ints. Cells that no value of the
column can lie in (between two whole numbers of an integer column, missing where its type has no missing values) are
known and count for nothing.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from frote.rules.condition import Condition
from frote.rules.intervals import END, START, Cut, Intervals
from frote.rules.values import Instant, Value, as_value
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from frote.table import Column

__all__ = ["Cells"]

FEW_STRETCHES = 50


@dataclass(frozen=True)
class Cells:
    """The cells of one column.

    Parameters
    ----------
    column : Column or None
        Whose values count; None lets all values count that a rule can name.

    number_cuts, time_cuts : tuple of cuts
        Where the two lines are cut, ends included.

    texts : tuple of str
        The texts that are told apart from all others.

    Examples
    --------
    >>> young, old = Condition.compare("<", 29), Condition.compare(">=", 65)
    >>> cells = Cells.of([young, old], None)
    >>> cells.mask(young) & cells.mask(old)
    0
    >>> cells.condition(cells.mask(young) | cells.mask(old)) == young | old
    True
    """

    column: Column | None
    number_cuts: tuple[Cut, ...]
    time_cuts: tuple[Cut, ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, conditions: Iterable[Condition], column: Column | None) -> Cells:
        """Return the cells that these conditions tell apart."""
        numbers, times = {START, END}, {START, END}
        # A settled condition on truth values may name either word, whichever the given ones name.
        texts = {"false", "true"} if column is not None and column.kind is Kind.BOOLEAN else set()
        for condition in conditions:
            held = condition if column is None else condition.on(column)
            numbers.update(held.numbers.cuts)
            times.update(held.times.cuts)
            texts.update(held.texts)
        return cls(column, tuple(sorted(numbers)), tuple(sorted(times)), tuple(sorted(texts)))

    @cached_property
    def cells(self) -> tuple[Condition, ...]:
        """The cells: along the numbers, along the times, each text, all other texts, missing."""
        return (
            *(Condition(numbers=Intervals(pair)) for pair in _pairs(self.number_cuts)),
            *(Condition(times=Intervals(pair)) for pair in _pairs(self.time_cuts)),
            *(Condition(texts=frozenset({text})) for text in self.texts),
            Condition(texts=frozenset(self.texts), all_but=True),
            Condition(missing=True),
        )

    @cached_property
    def possible(self) -> int:
        """The cells that some value of the column lies in, as bits."""
        if self.column is None or not self.column.kind.has_levels:
            return _bits(cell.pick(self.column) is not None for cell in self.cells)
        found = self.column.nullable << len(self.cells) - 1
        for value in self._levels:
            found |= 1 << self._place(value)
        return found

    @cached_property
    def _levels(self) -> tuple[Value, ...]:
        """What the levels of the column stand for."""
        return () if self.column is None else tuple(dict.fromkeys(map(as_value, self.column.levels)))

    @cached_property
    def _places(self) -> tuple[dict[Cut, int], dict[Cut, int], dict[str, int]]:
        """Where the cell behind each cut, and that of each text, stands among the cells."""
        numbers, times = len(self.number_cuts) - 1, len(self.time_cuts) - 1
        return (
            {cut: place for place, cut in enumerate(self.number_cuts)},
            {cut: place for place, cut in enumerate(self.time_cuts, numbers)},
            {text: place for place, text in enumerate(self.texts, numbers + times)},
        )

    def _place(self, value: Value) -> int:
        """Return the place of the cell that a value lies in."""
        if isinstance(value, str):
            return self._places[2].get(value, len(self.cells) - 2)
        if isinstance(value, Instant):
            return len(self.number_cuts) - 1 + bisect_right(self.time_cuts, (value.nanoseconds, 0)) - 1
        return bisect_right(self.number_cuts, (value, 0)) - 1

    def mask(self, condition: Condition) -> int:
        """Return the possible cells in which a condition holds, as bits.

        Parameters
        ----------
        condition : Condition
            One of those that the cells were made of, or made from them.

        Returns
        -------
        int
        """
        if self.column is not None:
            condition = condition.on(self.column)
        numbers, times, texts = self._places
        stretches = [
            *((numbers[enter], numbers[leave]) for enter, leave in condition.numbers),
            *((times[enter], times[leave]) for enter, leave in condition.times),
        ]
        listed = _filled([(texts[text], texts[text] + 1) for text in condition.texts])
        if condition.all_but:
            every_text = (1 << len(self.cells) - 1) - (1 << len(self.cells) - 2 - len(self.texts))
            listed ^= every_text
        missing = condition.missing << len(self.cells) - 1
        return (_filled(stretches) | listed | missing) & self.possible

    def condition(self, mask: int) -> Condition:
        """Return the condition that holds in these cells; in impossible ones, whatever makes it simplest."""
        if self._levels and self.column is not None and self.column.kind is Kind.CATEGORICAL:
            return self._of_levels(mask)
        flags, sure = _flags(mask, len(self.cells)), _flags(self.possible, len(self.cells))
        numbers, times = len(self.number_cuts) - 1, len(self.time_cuts) - 1
        others = numbers + times + len(self.texts)
        all_but = flags[others]
        texts = {
            text
            for place, text in enumerate(self.texts, numbers + times)
            if (flags[place] if sure[place] else all_but) != all_but
        }
        found = Condition(
            _line(self.number_cuts, flags[:numbers], sure[:numbers], default=all_but),
            _line(self.time_cuts, flags[numbers : numbers + times], sure[numbers : numbers + times], default=all_but),
            frozenset(texts),
            all_but,
            flags[-1],
        )
        return found.settled(None if self.column is None else self.column.kind)

    def _of_levels(self, mask: int) -> Condition:
        """Return the condition in the column's own terms: a list of levels inside, or, if any other may be, outside.

        Levels may look like numbers and dates, and stand in no order for that.
        """
        flags = _flags(mask, len(self.cells))
        unnamed = [place for place in map(self._place, self._levels) if not self._is_named(place)]
        # Of levels that no condition names, texts decide for those that may yet come to be.
        all_but = bool(unnamed) and flags[max(unnamed)]
        listed = [value for value in self._levels if flags[self._place(value)] != all_but]
        inside = Condition(
            Intervals.points(value for value in listed if isinstance(value, int | float)),
            Intervals.points(value.nanoseconds for value in listed if isinstance(value, Instant)),
            frozenset(value for value in listed if isinstance(value, str)),
            missing=flags[-1] != all_but,
        )
        return ~inside if all_but else inside

    def _is_named(self, place: int) -> bool:
        """Tell whether a cell holds one value alone."""
        cell = self.cells[place]
        return not cell.all_but and cell.numbers.is_finite() and cell.times.is_finite()


def _pairs(cuts: Sequence[Cut]) -> Iterable[tuple[Cut, Cut]]:
    return itertools.pairwise(cuts)


def _bits(flags: Iterable[bool]) -> int:
    return _filled([(place, place + 1) for place, flag in enumerate(flags) if flag])


def _filled(stretches: list[tuple[int, int]]) -> int:
    """Return the bits of some stretches of places."""
    if len(stretches) < FEW_STRETCHES:
        return sum((1 << end) - (1 << begin) for begin, end in stretches)
    # Of many, an int that grows stretch by stretch would be copied as often.
    packed = bytearray(max(end for _, end in stretches) // 8 + 1)
    for begin, end in stretches:
        for place in range(begin, end):
            packed[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(packed, "little")


def _flags(mask: int, count: int) -> list[bool]:
    """Return the bits of an int, the lowest first."""
    return [sign == "1" for sign in reversed(f"{mask:0{count}b}")]


def _line(cuts: Sequence[Cut], flags: list[bool], sure: list[bool], *, default: bool) -> Intervals:
    """Put stretches together again; an impossible one goes with the stretch before it, else with the one after."""
    state = next((flag for flag, known in zip(flags, sure, strict=True) if known), default)
    inside, found = False, []
    for cut, flag, known in zip(cuts, flags, sure, strict=False):
        state = flag if known else state
        if state != inside:
            found.append(cut)
            inside = state
    return Intervals((*found, END) if inside else tuple(found))
