"""Which clauses overlap, of very many: pairs that some row can satisfy both of, found without looking at every pair.

Along each column, the possible cells are numbered, and a condition has a lowest and a highest of them. Clauses whose
stretches along one column lie apart cannot meet, so the column that keeps most of them apart is swept first, and the
pairs left are held against the other columns. A condition with gaps is looked at cell by cell, where it matters.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from frote.exceptions import RuleError
from frote.rules.cells import Cells
from frote.rules.linear import column_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from frote.rules.clause import Clause
    from frote.rules.condition import Condition
    from frote.rules.linear import Key
    from frote.table import Schema

__all__ = ["Overlaps"]

MOST_LOOKED_AT = 100_000_000  # pairs of clauses that one column does not keep apart
EACH_COMPARED = 20  # what it counts for to compare two conditions cell by cell
BLOCK = 1_000_000  # pairs at a time
MOST_ADDED = 20_000  # pairs with conditions over several columns
WIDEST = 64  # columns that are held for all clauses at once: those that most of them name


class _Line:
    """The conditions of clauses on one column, as stretches of possible cells."""

    def __init__(self, conditions: dict[int, Condition], count: int, cells: Cells) -> None:
        distinct = {condition: place for place, condition in enumerate(dict.fromkeys(conditions.values()), 1)}
        self.which = np.zeros(count, dtype=np.int32)
        for member, condition in conditions.items():
            self.which[member] = distinct[condition]
        self.possible = cells.possible
        # Places count from 1; 0 is the stretch of a condition that no value meets.
        self.stretches: list[tuple[int, int]] = [(1, self.possible.bit_length())]
        self.broken: dict[int, int] = {}  # the cells of conditions with gaps; others are few numbers, not many bits
        for condition, place in distinct.items():
            mask = cells.mask(condition)
            self.stretches.append(((mask & -mask).bit_length(), mask.bit_length()))
            if self._whole(place) != mask:
                self.broken[place] = mask
        self.low, self.high = np.array(self.stretches, dtype=np.int32)[self.which].T
        self.gaps = np.isin(self.which, list(self.broken))
        self._met: dict[int, bool] = {}

    def _whole(self, place: int) -> int:
        """Return all possible cells in the stretch of a condition."""
        low, high = self.stretches[place]
        return self.possible & ((1 << high) - (1 << low - 1)) if high else 0

    def _cells(self, place: int) -> int:
        return self.broken[place] if place in self.broken else self._whole(place)

    def within(self, one: int, other: int) -> bool:
        """Tell whether the condition of a clause holds only where that of another does."""
        first, second = int(self.which[one]), int(self.which[other])
        return first == second or not second or not self._cells(first) & ~self._cells(second)

    def apart(self) -> int:
        """Count pairs whose stretches lie apart."""
        return int(np.searchsorted(np.sort(self.high), self.low, "left").sum())

    @property
    def compared(self) -> int:
        """The number of pairs of conditions that were compared cell by cell."""
        return len(self._met)

    def meet(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Tell for pairs of clauses whether they meet on this column."""
        meets: NDArray[np.bool_] = (self.low[first] <= self.high[second]) & (self.low[second] <= self.high[first])
        unsure = np.flatnonzero(meets & (self.gaps[first] | self.gaps[second]))
        if len(unsure):
            size = len(self.stretches)
            codes = self.which[first[unsure]].astype(np.int64) * size + self.which[second[unsure]]
            distinct, which_code = np.unique(codes, return_inverse=True)
            for code in distinct.tolist():
                if code not in self._met:
                    self._met[code] = bool(self._cells(code // size) & self._cells(code % size))
            meets[unsure] = np.array([self._met[code] for code in distinct.tolist()], dtype=bool)[which_code]
        return meets


class Overlaps:
    """The pairs of some clauses that overlap.

    Parameters
    ----------
    clauses : sequence of Clause
        The clauses; pairs are told by their positions.

    schema : Schema
        What columns can hold: clauses overlap where some possible row satisfies both.

    Attributes
    ----------
    possible : ndarray of bool
        Which of the clauses some possible row satisfies.

    adding : frozenset of int
        The clauses with conditions on sums of columns.

    Examples
    --------
    >>> from frote.rules import Clause, Condition
    >>> from frote.rules.clause import infer_schema
    >>> clauses = [Clause.of({"age": Condition.compare(sign, 29)}) for sign in ("<", ">", "<=")]
    >>> Overlaps(clauses, infer_schema(clauses)).between([[0], [1], [2]], most=10)
    [(0, 2)]
    """

    def __init__(self, clauses: Sequence[Clause], schema: Schema) -> None:
        count = len(clauses)
        named: dict[Key, dict[int, Condition]] = {}
        for place, clause in enumerate(clauses):
            for name, condition in clause:
                named.setdefault(name, {})[place] = condition
        self.possible = np.ones(count, dtype=bool)
        self.lines: list[_Line] = []
        self.rare: list[dict[Key, int]] = [{} for _ in range(count)]
        self._rarely_shared = False
        self.wholes: dict[Key, int] = {}
        for name, members in sorted(named.items(), key=lambda item: -len(item[1])):
            cells = Cells.of(dict.fromkeys(members.values()), column_at(schema, name))
            if len(members) > 1 and len(self.lines) < WIDEST:
                line = _Line(members, count, cells)
                self.possible &= line.high > 0
                self.lines.append(line)
                continue
            self.wholes[name] = cells.possible
            self._rarely_shared |= len(members) > 1
            for place, condition in members.items():
                mask = self.rare[place][name] = cells.mask(condition)
                self.possible[place] &= bool(mask)
        # What columns and sums of them say together is looked at one by one, where there are sums.
        self._clauses, self._schema = clauses, schema
        self.adding = frozenset(place for place, clause in enumerate(clauses) if clause.sums)
        for place in self.adding:
            self.possible[place] &= not clauses[place].is_empty(schema)

    def between(self, groups: Iterable[Iterable[int]], most: int, refusal: str = "overlap") -> list[tuple[int, int]]:
        """Return the pairs that overlap, of members of different groups, in order.

        Parameters
        ----------
        groups : iterable of iterables of int
            The clauses, by their places.

        most : int
            An error if there are more pairs.

        refusal : str, default="overlap"
            What the error says that they do, and the way out.

        Returns
        -------
        list of (int, int)
        """
        parts = [np.array([one for one in group if self.possible[one]], dtype=np.intp) for group in groups]
        # The column that keeps most clauses apart is swept, the others are asked in that order.
        self.lines.sort(key=lambda line: -line.apart())
        self._looked_at = self._added = 0
        overlapping: list[tuple[int, int]] = []
        for first, second in self._split([part for part in parts if len(part)]):
            pairs: Iterable[tuple[int, int]] = zip(first.tolist(), second.tolist(), strict=True)
            if self._rarely_shared:
                pairs = (pair for pair in pairs if self._meet_rarely(*pair))
            if self.adding:
                pairs = (pair for pair in pairs if self._meet_added(*pair))
            overlapping += [(one, other) if one < other else (other, one) for one, other in pairs]
            if len(overlapping) > most:
                raise RuleError(f"More than {most:,} pairs of these rules {refusal}.")
        return sorted(overlapping)

    def within(self, one: int, other: int) -> bool:
        """Tell whether a clause holds only where another does."""
        mine, theirs = self.rare[one], self.rare[other]
        return all(line.within(one, other) for line in self.lines) and not any(
            mine.get(name, self.wholes[name]) & ~mask for name, mask in theirs.items()
        )

    def _meet_rarely(self, one: int, other: int) -> bool:
        """Tell whether two clauses meet on the columns that few clauses name."""
        theirs = self.rare[other]
        return all(mask & theirs.get(name, -1) for name, mask in self.rare[one].items())

    def _meet_added(self, one: int, other: int) -> bool:
        """Tell whether two clauses meet whose columns do by themselves; it is said of those that take too long."""
        if self.adding.isdisjoint((one, other)):
            return True
        self._added += 1
        if self._added > MOST_ADDED:
            raise RuleError(
                f"More than {MOST_ADDED:,} pairs of these rules, with conditions over several columns, would have to "
                "be looked at. Take fewer rules at a time."
            )
        return not (self._clauses[one] & self._clauses[other]).is_empty(self._schema)

    def _split(self, parts: list[NDArray[np.intp]]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Go through overlapping pairs between groups: between two halves of the groups, then within each half."""
        if len(parts) < 2:
            return
        middle = len(parts) // 2
        yield from self._across(np.concatenate(parts[:middle]), np.concatenate(parts[middle:]))
        yield from self._split(parts[:middle])
        yield from self._split(parts[middle:])

    def _across(
        self, ones: NDArray[np.intp], others: NDArray[np.intp]
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Go through the pairs of one from each side that overlap, in blocks."""
        if not self.lines:
            low, high = (np.zeros(len(self.possible), dtype=np.int32) for _ in range(2))
        else:
            low, high = self.lines[0].low, self.lines[0].high
        # Of two stretches that meet, one begins within the other; if they begin together, it is the second's.
        for starts, inside in ((ones, others), (others, ones)):
            ranked = inside[np.argsort(low[inside], kind="stable")]
            begin = np.searchsorted(low[ranked], low[starts], "left" if starts is ones else "right")
            end = np.searchsorted(low[ranked], high[starts], "right")
            counts = np.maximum(end - begin, 0)
            self._looked_at += int(counts.sum())
            for block in _blocks(counts):
                if self._looked_at + EACH_COMPARED * sum(line.compared for line in self.lines) > MOST_LOOKED_AT:
                    raise RuleError(
                        f"These rules are hardly told apart by any column: more than {MOST_LOOKED_AT:,} pairs of them "
                        "would have to be looked at. Take fewer rules at a time."
                    )
                first = np.repeat(starts[block], counts[block])
                offsets = np.arange(len(first)) - np.repeat(np.cumsum(counts[block]) - counts[block], counts[block])
                second = ranked[np.repeat(begin[block], counts[block]) + offsets]
                for line in self.lines:
                    keep = line.meet(first, second)
                    first, second = first[keep], second[keep]
                    if not len(first):
                        break
                if len(first):
                    yield first, second


def _blocks(counts: NDArray[np.intp]) -> Iterator[slice]:
    """Cut a sequence into stretches whose counts sum to about a block."""
    ends = np.searchsorted(np.cumsum(counts), np.arange(BLOCK, int(counts.sum()) + BLOCK, BLOCK), "left") + 1
    for begin, end in itertools.pairwise([0, *np.unique(np.minimum(ends, len(counts))).tolist()]):
        yield slice(begin, end)
