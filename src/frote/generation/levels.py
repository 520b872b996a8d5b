"""New categories: the most frequent among the neighbours, of those that a rule's condition allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.rules.condition import Condition
    from frote.table import Column, Table

__all__ = ["AllowedLevels", "LevelColumn", "majority"]


@dataclass(frozen=True, slots=True, eq=False)
class AllowedLevels:
    """Which levels of a column a condition allows.

    Parameters
    ----------
    codes : ndarray of int
        The levels allowed; none if only a missing value is.

    chances : ndarray of float
        Their shares in the training data, summed up; even ones if none of them occurs.

    inside : ndarray of bool
        For each level, whether it is allowed; at the end, for the code -1, that it is not.

    missing : bool
        Whether the condition admits a missing value that the column's type can hold.
    """

    codes: NDArray[np.intp]
    chances: NDArray[np.float64]
    inside: NDArray[np.bool_]
    missing: bool

    @property
    def only_missing(self) -> bool:
        """Whether nothing but a missing value is allowed."""
        return not len(self.codes)


@dataclass(frozen=True, slots=True, eq=False)
class LevelColumn:
    """What must be known of a categorical or boolean column to make new values of it.

    Parameters
    ----------
    column : Column
        The column, with all levels that it may take, seen or not.

    counts : ndarray of int
        How often each level occurs in the training data.

    nullable : bool
        Whether its type holds missing values.

    has_gaps : bool
        Whether it has some.

    dtype : dtype
        The type of its codes.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.rules import Condition
    >>> from frote.table import Table
    >>> purpose = LevelColumn.of(Table.from_frame(pd.DataFrame({"purpose": ["car", "car", "home"]})), "purpose")
    >>> purpose.draw(2, purpose.allowed(Condition.compare("=", "home")), np.random.default_rng(0))
    array([1, 1])
    """

    column: Column
    counts: NDArray[np.intp]
    nullable: bool
    has_gaps: bool
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, table: Table, name: str) -> LevelColumn:
        """Look at a column of a table."""
        column, codes = table.schema[name], table[name].values
        counts = np.bincount(codes[codes >= 0], minlength=len(column.levels))
        return cls(column, counts, table.storage(name).nullable, bool(counts.sum() < len(codes)), codes.dtype)

    @property
    def made_alike(self) -> np.dtype[Any]:
        """What columns have in common that can be made together."""
        return self.dtype

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
        return AllowedLevels(codes, weights.cumsum() / max(weights.sum(), 1.0), np.append(inside, False), missing)

    def draw(self, count: int, allowed: AllowedLevels, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draw levels among those allowed, as often as they occur in the training data."""
        places = np.searchsorted(allowed.chances, rng.random(count), side="right")
        return allowed.codes[np.minimum(places, len(allowed.codes) - 1)]

    def stored(self, codes: NDArray[np.intp], missing: NDArray[np.bool_]) -> NDArray[Any]:
        """Return codes, of any number of columns with the same type of codes, as a table keeps them."""
        return np.where(missing, -1, codes).astype(self.dtype)


def majority(
    around: NDArray[np.signedinteger[Any]], counts: NDArray[np.bool_], ties: Sequence[NDArray[np.float64]]
) -> NDArray[np.intp]:
    """Return the most frequent level among neighbours, equally frequent ones by chance.

    Parameters
    ----------
    around : ndarray of int, shape (rows, neighbours)
        The codes of the neighbours, for some rows of a column and below them for some rows of others.

    counts : ndarray of bool, shape (rows, neighbours)
        Which of the codes count.

    ties : sequence of ndarray of float, shape (rows, levels)
        For the rows of each column, what decides between equally frequent levels: the largest number, from 0 to 1.

    Returns
    -------
    ndarray of int
        The codes; -1 where none counts.

    Examples
    --------
    >>> around = np.array([[0, 2, 2, 1], [0, 1, -1, -1], [-1, -1, -1, -1]])
    >>> majority(around, around >= 0, [np.array([[0.1, 0.2, 0.3]] * 3)])
    array([ 2,  1, -1])
    """
    # The levels of all rows stand in one line; what does not count goes to one more place at its end.
    levels = np.repeat([one.shape[1] for one in ties], [len(one) for one in ties])
    ends = levels.cumsum()
    last = int(ends[-1]) if len(ends) else 0
    places = np.where(counts, (ends - levels)[:, np.newaxis] + around, last)
    votes = np.bincount(places.ravel(), minlength=last + 1)
    votes[last] = 0
    weights = np.concatenate([*(one.ravel() for one in ties), [0.0]])
    scores = votes[places] + 0.5 * weights[places]
    best = np.arange(len(around)), scores.argmax(axis=1)
    return np.where(scores[best] > 0, around[best], -1)
