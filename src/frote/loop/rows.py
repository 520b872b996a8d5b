"""The training data of a run, which grow, and the batches of rows that are proposed for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.labels import narrowed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution, Ruling
    from frote.generation.making import Making
    from frote.generation.space import MixedSpace, Points
    from frote.table import Table, TypedFrame

__all__ = ["Batch", "Rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with all that the loop asks of them. They do not change; more of them make new Rows.

    Parameters
    ----------
    shown : TypedFrame
        The rows as models get them, and typed.

    attribution : Attribution
        What the rules say of them.

    space : MixedSpace or None
        The space of distances; None for rows that nothing is made from, which need no place in it.

    labels : ndarray of int
        Their labels, as codes of classes, in as few bytes as they take.

    own : ndarray of int
        Their labels before any modification; a synthetic row has that of its base row.

    guard : ndarray of bool
        Which of them are twins: synthetic rows outside all rules.

    weights : ndarray of float or None, default=None
        What each of them weighs where a model is trained; None if all weigh the same.
    """

    shown: TypedFrame
    attribution: Attribution
    space: MixedSpace | None
    labels: NDArray[np.signedinteger[Any]]
    own: NDArray[np.signedinteger[Any]]
    guard: NDArray[np.bool_]
    weights: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        making: Making,
        shown: TypedFrame,
        labels: NDArray[np.signedinteger[Any]],
        own: NDArray[np.signedinteger[Any]],
        guard: NDArray[np.bool_] | None = None,
        weights: NDArray[np.float64] | None = None,
        attribution: Attribution | None = None,
    ) -> Rows:
        """Look at some rows; if nothing is said, none of them is a twin, and they weigh what rows do that are made."""
        guard = np.broadcast_to(np.False_, len(labels)) if guard is None else guard  # none, in one byte
        if weights is None and making.weight is not None:
            weights = np.full(len(labels), making.weight)
        if attribution is None:
            attribution = making.ruling.on(shown.table)
        classes = len(making.ruling.classes)
        labels, own = narrowed(labels, classes), narrowed(own, classes)
        return cls(shown, attribution, making.space, labels, own, guard, weights)

    @classmethod
    def to_judge(cls, ruling: Ruling, shown: TypedFrame, labels: NDArray[np.intp]) -> Rows:
        """Look at rows that nothing is made from, so that they need no place in space; a column may be all missing."""
        return cls(shown, ruling.on(shown.table), None, labels, labels, np.zeros(len(labels), dtype=bool))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def table(self) -> Table:
        """The rows, typed."""
        return self.shown.table

    @property
    def frame(self) -> Any:
        """The rows as the caller's kind of frame."""
        return self.shown.frame

    def at(self, places: NDArray[np.intp]) -> Table:
        """Return the rows at some places, typed."""
        return self.shown.at(places)

    @cached_property
    def points(self) -> Points:
        """All of the rows in the space of distances; worked out when it is asked for, since most never is."""
        assert self.space is not None  # nothing is made from rows without a space
        return self.space.encode(self.table)

    def points_at(self, places: NDArray[np.intp]) -> Points:
        """Return the rows at some places in the space of distances."""
        if "points" in self.__dict__:
            return self.points.take(places)
        assert self.space is not None
        return self.space.encode(self.at(places))

    def take(self, places: NDArray[np.intp]) -> Rows:
        """Return the rows at some places, as the caller gave them."""
        shown = self.shown.take(places)
        taken = self.attribution.ruling.on(shown.table)
        weights = None if self.weights is None else self.weights[places]
        return Rows(shown, taken, self.space, self.labels[places], self.own[places], self.guard[places], weights)

    def stacked(self, below: Rows) -> Rows:
        """Return these rows and, below them, others that were made."""
        weighed = self.weights is not None and below.weights is not None
        stacked = Rows(
            self.shown.stacked(below.shown),
            self.attribution.stacked(below.attribution),
            self.space,
            np.concatenate([self.labels, below.labels]),
            np.concatenate([self.own, below.own]),
            np.concatenate([self.guard, below.guard]),
            np.concatenate([self.weights, below.weights]) if weighed else None,
        )
        if "points" in self.__dict__:
            stacked.__dict__["points"] = self.points.concat(below.points)
        return stacked


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Synthetic rows that are proposed together, with where they come from.

    Parameters
    ----------
    rows : Rows
        The synthetic rows.

    piece : ndarray of int
        The rule each of them was made for; of a twin, that of the row inside that it was made from.

    base, neighbour : ndarray of int
        The positions of the rows between which each was made; the neighbour is -1 for one that was moved into the rule
        without any, and the row that it has a value from for a twin.

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

    @property
    def guard(self) -> NDArray[np.bool_]:
        """Which rows are twins."""
        return self.rows.guard

    @property
    def inside(self) -> int:
        """How many rows were made for a rule; the others are twins of them."""
        return len(self) - int(self.guard.sum())

    def joined(self, below: Batch) -> Batch:
        """Return these rows and, below them, others."""
        parts = [np.concatenate(pair) for pair in zip(self._facts(), below._facts(), strict=True)]
        return Batch(self.rows.stacked(below.rows), *parts)

    def take(self, places: NDArray[np.intp]) -> Batch:
        """Return the rows at some places."""
        return Batch(self.rows.take(places), *(fact[places] for fact in self._facts()))

    def _facts(self) -> tuple[NDArray[Any], ...]:
        return self.piece, self.base, self.neighbour, self.strong
