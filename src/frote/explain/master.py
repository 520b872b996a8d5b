"""The program whose solution is a rule set: rows to tell apart, clauses that cover them, and what these cost."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["TOLERANCE", "Chosen", "Complexity", "Instance", "Limits", "Master", "Prices", "objective", "sizes"]

Chosen: TypeAlias = "tuple[int, ...]"  # the literals of a clause, increasing

TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class Instance:
    """Rows to tell apart; equal ones are one, with a weight.

    Parameters
    ----------
    met : ndarray of bool, shape (rows, literals)
        Which literals each row meets.

    positive : ndarray of bool
        Which rows are to be covered.

    weight : ndarray of float
        How much each row counts, all together 1.

    Examples
    --------
    >>> met = np.array([[True, False], [True, False], [False, True]])
    >>> Instance.of(met, np.array([True, True, False])).weight.round(3)
    array([0.333, 0.667])
    """

    met: NDArray[np.bool_]
    positive: NDArray[np.bool_]
    weight: NDArray[np.float64]

    @classmethod
    def of(
        cls, met: NDArray[np.bool_], positive: NDArray[np.bool_], weight: NDArray[np.float64] | None = None
    ) -> Instance:
        """Put equal rows together, each of which counts once or by its weight."""
        first, places = _alike(np.column_stack([met, positive]))
        total = np.bincount(places, weight)
        return cls(met[first], positive[first], total / total.sum())

    def covered(self, clause: Chosen) -> NDArray[np.bool_]:
        """Return the rows that meet all literals of a clause."""
        return np.asarray(self.met[:, list(clause)].all(axis=1))

    def coverage(self, clauses: list[Chosen]) -> NDArray[np.bool_]:
        """Return the rows that meet each of some clauses, of shape (rows, clauses)."""
        covered = np.empty((len(self.met), len(clauses)), dtype=bool)
        for place, clause in enumerate(clauses):
            covered[:, place] = self.covered(clause)
        return covered


@dataclass(frozen=True)
class Complexity:
    """How the length of a rule set is held down: by what clauses cost, or by a bound on their total length.

    Parameters
    ----------
    clause, literal : float
        The cost of a clause and of each of its literals, lambda0 and lambda1.

    most : float or None
        A bound on the number of clauses and literals together; then neither costs anything by itself.
    """

    clause: float
    literal: float
    most: float | None = None

    def costs(self, sizes: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return what clauses of these numbers of literals cost in the objective."""
        if self.most is not None:
            return np.zeros(len(sizes))
        return np.asarray(self.clause + self.literal * sizes, dtype=np.float64)


@dataclass(frozen=True)
class Limits:
    """When to stop: after so many rounds and, where a clock is asked for, at a moment of `time.monotonic`.

    Without a clock all work is bounded by counts, so that the answer does not depend on how busy the machine is.
    """

    rounds: int
    until: float | None = None

    @classmethod
    def of(cls, rounds: int, seconds: float | None) -> Limits:
        """Return limits that begin now."""
        return cls(rounds, None if seconds is None else time.monotonic() + seconds)

    def part(self, share: float) -> Limits:
        """Return the limits of what may take a share of the time that is left."""
        return self if self.until is None else Limits.of(self.rounds, share * max(0.0, self.left))

    @property
    def left(self) -> float:
        """The seconds that are left, without end if there is no clock."""
        return math.inf if self.until is None else self.until - time.monotonic()

    def reached(self, rounds: int) -> bool:
        """Tell whether to stop."""
        return rounds >= self.rounds or self.left <= 0


@dataclass(frozen=True, eq=False)
class Prices:
    """What the linear relaxation says rows and clauses are worth.

    Parameters
    ----------
    rows : ndarray of float
        What covering each row costs: its weight if it is negative, minus its dual if it is positive.

    clause, literal : float
        What a clause and each of its literals cost.
    """

    rows: NDArray[np.float64]
    clause: float
    literal: float

    def of(self, instance: Instance, clause: Chosen) -> float:
        """Return the reduced cost of a clause."""
        return float(self.clause + self.literal * len(clause) + self.rows[instance.covered(clause)].sum())


def sizes(clauses: list[Chosen]) -> NDArray[np.intp]:
    """Return how many literals each clause has."""
    return np.array([len(clause) for clause in clauses], dtype=np.intp)


def objective(instance: Instance, clauses: list[Chosen], complexity: Complexity) -> float:
    """Return what a choice of clauses costs; a negative row counts once for every clause that covers it."""
    coverage = instance.coverage(clauses)
    missed = instance.weight[instance.positive & ~coverage.any(axis=1)].sum()
    wrong = (instance.weight[~instance.positive] @ coverage[~instance.positive]).sum()
    return float(missed + wrong + complexity.costs(sizes(clauses)).sum())


@dataclass(frozen=True, eq=False)
class Master:
    """The master program: what clauses cost, and the positive rows that they cover, with the weight of each.

    Positive rows that no clause tells apart are one.
    """

    costs: NDArray[np.float64]
    lengths: NDArray[np.float64]  # a clause and its literals, together
    covered: NDArray[np.bool_]  # of shape (rows, clauses)
    weight: NDArray[np.float64]
    which: NDArray[np.intp]  # for each positive row of the instance

    @classmethod
    def of(
        cls, instance: Instance, clauses: list[Chosen], coverage: NDArray[np.bool_], complexity: Complexity
    ) -> Master:
        """Return the program of an instance, with the rows that meet each clause."""
        positive, lengths = instance.positive, sizes(clauses)
        costs = instance.weight[~positive] @ coverage[~positive] + complexity.costs(lengths)
        inside = coverage[positive]
        first, which = _alike(inside)
        weight = np.bincount(which, instance.weight[positive], minlength=len(first))
        return cls(costs, 1.0 + lengths.astype(np.float64), inside[first], np.asarray(weight, dtype=np.float64), which)

    def cost(self, chosen: Sequence[int]) -> float:
        """Return what a choice of clauses costs, with the rows that it leaves out."""
        return float(self.costs[list(chosen)].sum() + self._left(chosen).sum())

    def gains(self, chosen: Sequence[int], room: float) -> NDArray[np.float64]:
        """Return what each clause would gain beside those chosen; nothing if it is too long for the room there is."""
        gains = self._left(chosen) @ self.covered - self.costs
        return np.where(self.lengths <= room - self.lengths[list(chosen)].sum(), gains, -np.inf)

    def _left(self, chosen: Sequence[int]) -> NDArray[np.float64]:
        return np.where(self.covered[:, list(chosen)].any(axis=1), 0.0, self.weight)


def _alike(rows: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find equal rows: return the place of one of each, and for each row which of them it is."""
    packed = np.packbits(rows, axis=1)
    if not packed.shape[1]:
        return np.zeros(min(1, len(rows)), dtype=np.intp), np.zeros(len(rows), dtype=np.intp)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first, which
