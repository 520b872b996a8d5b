"""Boxes whose sides move to where they gain most: any stretch of the values observed, any set of levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.compare.bounds import above, below
from frote.rules.clause import Clause
from frote.rules.condition import Condition
from frote.rules.masks import prepare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.table import Column, Table

__all__ = ["Boxes", "Slots"]

MOST_ROUNDS = 10  # over all columns; two or three are the rule
MOST_LEVELS = 12  # that a condition names: a longer list is no short rule


@dataclass(frozen=True, eq=False)
class Slots:
    """A column as slots: one for each distinct value, in order, and a last one for missing.

    Parameters
    ----------
    column : Column
        Whose values they are; its kind says whether conditions are stretches or sets of levels.

    values : ndarray
        Its distinct values, in order; of a column of levels, the codes that occur.

    places : ndarray of int
        The slot of each row.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": [40, 20, None, 20, 30]}))
    >>> slots = Slots.of(table.schema["age"], table)
    >>> slots.values.tolist(), slots.places.tolist()
    ([20, 30, 40], [2, 0, 3, 0, 1])
    >>> best = slots.best(np.array([-9.0, 2, 3, 2, 4]), np.ones(5, dtype=bool), cost=1.0)
    >>> print(Clause.of({"age": best}))
    age <= 30 OR age IS MISSING
    """

    column: Column
    values: NDArray[Any]
    places: NDArray[np.intp]

    @classmethod
    def of(cls, column: Column, table: Table) -> Slots:
        """Sort the values of a column of a table into slots."""
        data = table[column.name]
        values, places = np.unique(data.present, return_inverse=True)
        slots = np.full(len(table), len(values), dtype=np.intp)
        slots[~data.gaps()] = places
        return cls(column, values, slots)

    def __len__(self) -> int:
        return len(self.values) + 1

    def inside(self, condition: Condition) -> NDArray[np.bool_]:
        """Tell for each slot whether it meets a condition."""
        return np.append(prepare(condition, self.column)(self.values, None), condition.missing)

    def best(self, gains: NDArray[np.float64], rows: NDArray[np.bool_], cost: float) -> Condition:
        """Return the condition on this column that gains most.

        Parameters
        ----------
        gains : ndarray of float
            What is gained by having each row inside.

        rows : ndarray of bool
            The rows that there are; the others are outside whatever the condition.

        cost : float
            What each bound, each level named and the mention of missing costs.

        Returns
        -------
        Condition
        """
        places = self.places[rows]
        sums = np.bincount(places, gains[rows], len(self)).astype(np.float64)
        counts = np.bincount(places, minlength=len(self))
        seen, missing = np.flatnonzero(counts[:-1]), float(sums[-1])
        total = float(sums[seen].sum())
        options = [(total + missing, Condition.anything())]
        if counts[-1]:
            options += [(total - cost, ~Condition.is_missing()), (missing - cost, Condition.is_missing())]
        if len(seen) > 1:
            gain, condition = (self._levels if self.column.kind.has_levels else self._stretch)(seen, sums[seen], cost)
            options += [(gain, condition), (gain + missing - cost, condition | Condition.is_missing())]
        return max(options, key=lambda option: option[0])[1]  # of equal ones the first, which is the shortest

    def _stretch(self, seen: NDArray[np.intp], sums: NDArray[np.float64], cost: float) -> tuple[float, Condition]:
        """Return the best stretch of the values seen that has a bound, or two, with what it gains."""
        until = np.concatenate([[0.0], np.cumsum(sums)])
        last = len(sums)
        top = int((until[1:] - np.minimum.accumulate(until[:-1])).argmax()) + 1
        options = [
            (0, int(until[1:-1].argmax()) + 1, cost),
            (int(until[1:-1].argmin()) + 1, last, cost),
            (int(until[:top].argmin()), top, 2 * cost),
        ]
        gain, start, stop = max((until[stop] - until[start] - paid, start, stop) for start, stop, paid in options)
        values, condition = self.values[seen], ~Condition.is_missing()
        if start > 0:
            condition &= above(self.column, values[start - 1], values[start])
        if stop < last:
            condition &= below(self.column, values[stop - 1], values[stop])
        return float(gain), condition

    def _levels(self, seen: NDArray[np.intp], sums: NDArray[np.float64], cost: float) -> tuple[float, Condition]:
        """Return the best set of the levels seen, named by those inside or by those outside, with what it gains.

        Each level named costs. Else a column of names or numbers of persons would always gain: any rows whatever can
        be listed one by one.
        """
        levels = [self.column.levels[code] for code in self.values[seen]]
        best = np.argsort(-sums, kind="stable")
        # Something is always inside, and something outside, if only the level that loses or gains least.
        most = min(MOST_LEVELS, len(best) - 1)
        inside = best[: np.clip((sums > cost).sum(), 1, most)]
        outside = best[::-1][: np.clip((sums < -cost).sum(), 1, most)]
        gain = float(sums[inside].sum()) - cost * len(inside)
        gain_but = float(sums.sum() - sums[outside].sum()) - cost * len(outside)
        if gain_but > gain:
            return gain_but, ~(Condition.among(levels[place] for place in outside) | Condition.is_missing())
        return gain, Condition.among(levels[place] for place in inside)


@dataclass(frozen=True, eq=False)
class Boxes:
    """The boxes of a table, and what they gain.

    Parameters
    ----------
    columns : tuple of Slots
        The columns, each a side of every box.

    gains : ndarray of float
        What is gained by having each row inside.

    cost : float
        What each bound, each level named and the mention of missing costs.
    """

    columns: tuple[Slots, ...]
    gains: NDArray[np.float64]
    cost: float

    def grown(self, start: Sequence[NDArray[np.bool_]]) -> Clause:
        """Move the sides of a box, one column after the other, until none gains anything by moving.

        Parameters
        ----------
        start : sequence of ndarray of bool
            For each column which of its slots are inside at first.

        Returns
        -------
        Clause
        """
        outside = [~side[slots.places] for slots, side in zip(self.columns, start, strict=True)]
        failing = np.sum(outside, axis=0, dtype=np.int32)
        conditions: list[Condition | None] = [None] * len(outside)
        # The columns that bound the box come first: the others are then asked what they add.
        order = sorted(range(len(outside)), key=lambda place: not outside[place].any())
        for _ in range(MOST_ROUNDS):
            before = list(conditions)
            for place in order:
                slots = self.columns[place]
                failing -= outside[place]
                conditions[place] = condition = slots.best(self.gains, failing == 0, self.cost)
                outside[place] = ~slots.inside(condition)[slots.places]
                failing += outside[place]
            if conditions == before:
                break
        names = [slots.column.name for slots in self.columns]
        return Clause.of((name, one) for name, one in zip(names, conditions, strict=True) if one is not None)
