"""The training data of a run, which grow, and the batches of rows that are proposed for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.generation.space import Points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution, Ruling
    from frote.generation.making import Making
    from frote.table import Table

__all__ = ["Batch", "Rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with all that the loop asks of them. They do not change; more of them make new Rows.

    Parameters
    ----------
    given : pandas or polars DataFrame, NumPy array, or None
        The first of the rows, as the caller gave them; None if all were made.

    attribution : Attribution
        The rows, typed, and what the rules say of them.

    points : Points
        The rows in the space of distances.

    labels : ndarray of int
        Their labels, as codes of classes.

    own : ndarray of int
        Their labels before any modification; a synthetic row has that of its base row.
    """

    given: Any
    attribution: Attribution
    points: Points
    labels: NDArray[np.intp]
    own: NDArray[np.intp]

    @classmethod
    def of(cls, making: Making, table: Table, given: Any, labels: NDArray[np.intp], own: NDArray[np.intp]) -> Rows:
        """Look at some rows; those that were made need no frame."""
        return cls(given, making.ruling.on(table), making.space.encode(table), labels, own)

    @classmethod
    def to_judge(cls, ruling: Ruling, table: Table, given: Any, labels: NDArray[np.intp]) -> Rows:
        """Look at rows that nothing is made from, so that they need no place in space; a column may be all missing."""
        nowhere = Points(np.empty((len(table), 0)), np.empty((0, len(table)), dtype=np.int8))
        return cls(given, ruling.on(table), nowhere, labels, labels)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def table(self) -> Table:
        """The rows, typed."""
        return self.attribution.table

    @cached_property
    def frame(self) -> Any:
        """The rows as the caller's estimator gets them; put together when it is asked for, since most never is."""
        if self.given is None:
            return self.table.to_frame()
        return self.given if len(self.given) == len(self.table) else self.table.completed(self.given)

    def take(self, places: NDArray[np.intp]) -> Rows:
        """Return the rows at some places, as the caller gave them."""
        table = self.table.take(places)
        given = None if self.given is None else table.frame_format.take(self.frame, places)
        taken = self.attribution.ruling.on(table)
        return Rows(given, taken, self.points.take(places), self.labels[places], self.own[places])

    def stacked(self, below: Rows) -> Rows:
        """Return these rows and, below them, others that were made."""
        return Rows(
            self.given,
            self.attribution.stacked(below.attribution),
            self.points.concat(below.points),
            np.concatenate([self.labels, below.labels]),
            np.concatenate([self.own, below.own]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Synthetic rows that are proposed together, with where they come from.

    Parameters
    ----------
    rows : Rows
        The synthetic rows.

    piece : ndarray of int
        The rule each of them was made for.

    base, neighbour : ndarray of int
        The positions of the rows between which each was made; the neighbour is -1 for one that was moved into the rule
        without any.

    strong : ndarray of bool
        Whether the base row satisfies the rule itself, and not only in part.
    """

    rows: Rows
    piece: NDArray[np.intp]
    base: NDArray[np.intp]
    neighbour: NDArray[np.intp]
    strong: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.piece)
