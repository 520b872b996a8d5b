"""One column cut into the cells that a number of conditions tell apart.

Within a cell, every one of the conditions holds for all values or for none. So a condition is a set of cells, held as
the bits of an int, and questions about many conditions at once become arithmetic on ints. Cells that no value of the
column can lie in (between two whole numbers of an integer column, say) are known and count for nothing.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from frote.rules.condition import Condition
from frote.rules.intervals import END, START, Cut, Intervals
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from frote.table import Column

__all__ = ["Cells"]


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
            held = condition if column is None else condition.settled(column.kind)
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
        return _bits(cell.pick(self.column) is not None for cell in self.cells)

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
            condition = condition.settled(self.column.kind)
        inside = [
            *_states(self.number_cuts, condition.numbers),
            *_states(self.time_cuts, condition.times),
            *((text in condition.texts) != condition.all_but for text in self.texts),
            condition.all_but,
            condition.missing,
        ]
        return _bits(inside) & self.possible

    def condition(self, mask: int) -> Condition:
        """Return the condition that holds in these cells; in impossible ones, whatever makes it simplest."""
        flags = [bool(mask >> place & 1) for place in range(len(self.cells))]
        sure = [bool(self.possible >> place & 1) for place in range(len(self.cells))]
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


def _pairs(cuts: Sequence[Cut]) -> Iterable[tuple[Cut, Cut]]:
    return itertools.pairwise(cuts)


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << place for place, flag in enumerate(flags) if flag)


def _states(cuts: Sequence[Cut], line: Intervals) -> list[bool]:
    """Tell for each stretch between two cuts whether it is inside; the line's own cuts are among them."""
    own = set(line.cuts)
    states, inside = [], False
    for cut in cuts[:-1]:
        inside ^= cut in own
        states.append(inside)
    return states


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
