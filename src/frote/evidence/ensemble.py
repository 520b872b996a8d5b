"""Ensembles of trees as a proof looks at them, whichever library fitted them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from frote.evidence.front import Feature

__all__ = ["LEAF", "Ensemble", "Split", "Splits", "Tree"]

LEAF = -1  # in the place of a test
LAST_BELOW_ZERO = float(-np.finfo(np.float32).smallest_subnormal)


@dataclass(frozen=True, slots=True)
class Split:
    """A test of one feature, by which rows go left.

    Parameters
    ----------
    feature : int
        The feature.

    threshold : float
        Rows go left up to here; 0 where `members` are listed.

    members : frozenset of int or None
        The categories that go left.

    missing_left : bool
        Whether a missing value goes left.

    without_zeros : bool, default=False
        Whether 0 is missing, as what a sparse matrix does not hold is to some libraries.
    """

    feature: int
    threshold: float
    members: frozenset[int] | None
    missing_left: bool
    without_zeros: bool = False

    def left(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which values go left."""
        gone = np.isnan(values) | (values == 0 if self.without_zeros else False)
        if self.members is None:
            inside = values.astype(np.float64) <= self.threshold  # a threshold is never rounded to 32 bits
        else:
            inside = np.isin(np.where(gone, -1, values).astype(np.int64), list(self.members))
        return np.where(gone, self.missing_left, inside)

    @property
    def cuts(self) -> tuple[float, ...]:
        """The numbers from which on the answer may be another one than up to there."""
        return (self.threshold, LAST_BELOW_ZERO, 0.0) if self.without_zeros else (self.threshold,)


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """One tree.

    Parameters
    ----------
    splits : list of int
        For each node the place of its test among those of the ensemble; -1 for a leaf.

    left, right : list of int
        Where its children are.

    values : ndarray, shape (nodes, classes)
        What a leaf adds to the score of each class.
    """

    splits: list[int]
    left: list[int]
    right: list[int]
    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """Trees whose leaves are added up; the class with the largest sum is the answer.

    Parameters
    ----------
    features : tuple of Feature
        What the tests are about.

    read : callable
        Turns what the classifier gets into the numbers that its tests compare.

    splits : list of Split
        All tests, each once.

    trees : list of Tree
        The trees.

    base : ndarray of float
        What the score of each class starts from.

    rounding : float, default=1e-9
        By what share of the scores their library may be off by rounding.
    """

    features: tuple[Feature, ...]
    read: Callable[[Any], NDArray[Any]]
    splits: list[Split]
    trees: list[Tree]
    base: NDArray[np.float64]
    rounding: float = 1e-9


class Splits:
    """Tests, each once."""

    def __init__(self) -> None:
        self.places: dict[Split, int] = {}

    def place(self, split: Split) -> int:
        """Return the place of a test, which is new or not."""
        return self.places.setdefault(split, len(self.places))
