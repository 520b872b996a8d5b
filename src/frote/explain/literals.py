"""Literals: the simple conditions from which rules are learned, and which rows meet them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.rules.clause import Clause
from frote.rules.condition import Condition
from frote.rules.masks import prepare
from frote.rules.values import Instant
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from frote.table import Column, Table

__all__ = ["Literals"]


@dataclass(frozen=True)
class Literals:
    """Simple conditions on the columns of a table.

    Parameters
    ----------
    conditions : tuple of (str, Condition)
        Each with its column.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": [20, 30, 40], "job": ["a", "b", "c"]}))
    >>> literals = Literals.of(table, thresholds=1)
    >>> [str(Clause.of([literal])) for literal in literals.conditions][:2]
    ['age <= 30', 'age > 30']
    >>> literals.evaluate(table).shape
    (3, 8)
    """

    conditions: tuple[tuple[str, Condition], ...]

    @classmethod
    def of(cls, table: Table, thresholds: int = 9) -> Literals:
        """Collect literals: thresholds both ways for numbers and dates, = and != for levels, missing where it occurs.

        Parameters
        ----------
        table : Table
            The data.

        thresholds : int, default=9
            How many quantiles of a column of numbers or dates are thresholds at most.

        Returns
        -------
        Literals
        """
        literals: list[tuple[str, Condition]] = []
        for column in table.schema:
            literals += [(column.name, condition) for condition in _of_column(column, table, thresholds)]
        return cls(tuple(literals))

    def evaluate(self, table: Table) -> NDArray[np.bool_]:
        """Return which rows meet each literal, of shape (rows, literals)."""
        met = np.empty((len(table), len(self.conditions)), dtype=bool)
        for place, (name, condition) in enumerate(self.conditions):
            data = table[name]
            met[:, place] = prepare(condition, table.schema[name])(data.values, data.missing)
        return met

    def clause(self, chosen: Iterable[int]) -> Clause:
        """Return the conjunction of some literals."""
        clause = Clause()
        for place in sorted(chosen):
            clause = clause & Clause.of([self.conditions[place]])
        return clause


def _of_column(column: Column, table: Table, thresholds: int) -> list[Condition]:
    data = table[column.name]
    literals: list[Condition] = []
    if column.kind.has_levels:
        present = np.unique(data.values[data.values >= 0])
        for code in present:
            literals.append(Condition.compare("=", column.levels[code]))
            if len(present) > 2 or data.missing is not None:
                literals.append(Condition.compare("!=", column.levels[code]))
    else:
        for bound in _bounds(data.present, thresholds):
            value = Instant(int(bound) * column.step) if column.kind is Kind.DATETIME else bound.item()
            literals += [Condition.compare("<=", value), Condition.compare(">", value)]
    if data.missing is not None and not data.missing.all():
        literals += [Condition.is_missing(), ~Condition.is_missing()]
    return literals if len(literals) > 1 else []  # a single literal is met by every row


def _bounds(present: NDArray[Any], thresholds: int) -> NDArray[Any]:
    """Return values that part the others into shares as equal as can be, or all where they are few.

    Where one value is a larger share by itself, as zero often is, the thresholds that it would take are left to the
    others. Nothing lies above the greatest value.
    """
    values, counts = np.unique(present, return_counts=True)
    if len(values) <= thresholds + 1:
        return np.asarray(values[:-1])
    if counts[-1] * (thresholds + 1) >= len(present):
        return np.append(_bounds(present[present < values[-1]], thresholds - 1), values[-2])
    reached = np.cumsum(counts)
    chosen: list[int] = []
    done = 0
    for parts in range(thresholds + 1, 1, -1):
        share = -((done - len(present)) // parts)  # of what is left, rounded up
        place = int(np.searchsorted(reached, done + share))
        if place == len(values) - 1:
            break
        chosen.append(place)
        done = int(reached[place])
    return np.asarray(values[chosen])
