"""New categories: the most frequent among the neighbours, of those that a rule's condition allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.table import ColumnData

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.rules.condition import Condition
    from frote.table import Column, Table

__all__ = ["AllowedLevels", "LevelColumn"]


@dataclass(frozen=True, slots=True, eq=False)
class AllowedLevels:
    """Which levels of a column a condition allows.

    Parameters
    ----------
    codes : ndarray of int
        The levels allowed.

    chances : ndarray of float
        Their shares in the training data, summed up; even ones if none of them occurs.

    inside : ndarray of bool
        For each level, whether it is allowed.

    missing : bool
        Whether the condition admits a missing value that the column's type can hold.
    """

    codes: NDArray[np.intp]
    chances: NDArray[np.float64]
    inside: NDArray[np.bool_]
    missing: bool


@dataclass(frozen=True, slots=True, eq=False)
class LevelColumn:
    """What must be known of a categorical or boolean column to make new values of it.

    Parameters
    ----------
    column : Column
        The column.

    counts : ndarray of int
        How often each level occurs in the training data.

    nullable : bool
        Whether its type holds missing values.

    dtype : dtype
        The type of its codes.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.rules import Condition
    >>> from frote.table import Table
    >>> purpose = LevelColumn.of(Table.from_frame(pd.DataFrame({"purpose": ["car", "car", "home"]})), "purpose")
    >>> rng = np.random.default_rng(0)
    >>> around = np.array([[0, 0, 1], [0, 0, 0]])
    >>> purpose.majority(around, np.array([1, 1]), None, rng)
    array([0, 0])
    >>> purpose.majority(around, np.array([1, 1]), purpose.allowed(Condition.compare("=", "home")), rng)
    array([1, 1])
    """

    column: Column
    counts: NDArray[np.intp]
    nullable: bool
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, table: Table, name: str) -> LevelColumn:
        """Look at a column of a table."""
        column, codes = table.schema[name], table[name].values
        counts = np.bincount(codes[codes >= 0], minlength=len(column.levels))
        return cls(column, counts, table.storage(name).nullable, codes.dtype)

    def allowed(self, condition: Condition) -> AllowedLevels | None:
        """Return the levels that a condition allows; None if the column's type holds no value that meets it."""
        inside = np.array(condition.levels_inside(self.column), dtype=bool)
        missing = condition.missing and self.nullable
        codes = np.flatnonzero(inside)
        if not len(codes) and not missing:
            return None
        weights = self.counts[codes].astype(np.float64)
        if not weights.sum():
            weights = np.ones(len(codes))
        return AllowedLevels(codes, weights.cumsum() / max(weights.sum(), 1.0), inside, missing)

    def majority(
        self,
        around: NDArray[Any],
        base: NDArray[Any],
        allowed: AllowedLevels | None,
        rng: np.random.Generator,
    ) -> NDArray[np.intp]:
        """Return the most frequent level among neighbours, equally frequent ones at random.

        Parameters
        ----------
        around : ndarray of int, shape (rows, neighbours)
            The codes of the neighbours, -1 where missing.

        base : ndarray of int
            The codes of the base rows, taken where no neighbour has a value.

        allowed : AllowedLevels or None
            The levels to choose from; where no neighbour has one, they are drawn as often as in the training data.

        rng : numpy Generator
            For ties and draws.

        Returns
        -------
        ndarray of int
        """
        rows, width = len(around), len(self.column.levels) + 1
        flat = (np.arange(rows)[:, np.newaxis] * width + around + 1).ravel()
        counts = np.bincount(flat, minlength=rows * width).reshape(rows, width)[:, 1:].astype(np.float64)
        if allowed is not None:
            counts[:, ~allowed.inside] = 0.0
        found = (counts + 0.5 * rng.random(counts.shape) * (counts > 0)).argmax(axis=1) if width > 1 else base.copy()
        none = counts.max(axis=1, initial=0.0) == 0
        if allowed is None:
            return np.where(none, base, found)
        if none.any() and len(allowed.codes):
            found[none] = self.draw(int(none.sum()), allowed, rng)
        return found

    def draw(self, count: int, allowed: AllowedLevels, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draw levels among those allowed, as often as they occur in the training data."""
        places = np.searchsorted(allowed.chances, rng.random(count), side="right")
        return allowed.codes[np.minimum(places, len(allowed.codes) - 1)]

    def filled(self, codes: NDArray[np.intp], missing: NDArray[np.bool_]) -> ColumnData:
        """Return the codes as a column, with those missing marked."""
        values = np.where(missing, -1, codes).astype(self.dtype)
        return ColumnData(values, missing if missing.any() else None)
