"""Column generation for one Boolean rule set: which clauses tell positive rows from negative ones, at least cost.

After Dash, Günlük and Wei (2018). The master program chooses clauses so that uncovered positive rows, covered negative
rows and the length of clauses cost least. The duals of its linear relaxation price the rows; a clause that would lower
the cost at these prices is looked for, by beam search or exactly, and added, until there is none. In the end an integer
program chooses among all the clauses found.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Columns", "Complexity", "Instance", "Limits", "Pricing", "generate"]

Chosen: TypeAlias = "tuple[int, ...]"  # the literals of a clause, increasing

TOLERANCE = 1e-7
MOST_CHOICES = 150  # clauses that the integer program chooses among


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
    def of(cls, met: NDArray[np.bool_], positive: NDArray[np.bool_]) -> Instance:
        """Put equal rows together."""
        packed = np.packbits(np.column_stack([met, positive]), axis=1)
        _, first, counts = np.unique(packed, axis=0, return_index=True, return_counts=True)
        return cls(met[first], positive[first], counts / len(met))

    def covered(self, clause: Chosen) -> NDArray[np.bool_]:
        """Return the rows that meet all literals of a clause."""
        return np.asarray(self.met[:, list(clause)].all(axis=1))

    def coverage(self, clauses: list[Chosen]) -> NDArray[np.bool_]:
        """Return the rows that meet each of some clauses, of shape (rows, clauses)."""
        found = np.empty((len(self.met), len(clauses)), dtype=bool)
        for place, clause in enumerate(clauses):
            found[:, place] = self.covered(clause)
        return found


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
    """When to stop: after so many rounds, or at a moment of `time.monotonic`."""

    rounds: int
    until: float

    def over(self, rounds: int) -> bool:
        """Tell whether to stop."""
        return rounds >= self.rounds or time.monotonic() >= self.until


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


class Pricing(Protocol):
    """A search for clauses of negative reduced cost."""

    def find(self, instance: Instance, prices: Prices) -> list[Chosen]:
        """Return some clauses of negative reduced cost, none only if no better one was found."""


@dataclass(frozen=True, eq=False)
class Columns:
    """What column generation found.

    Parameters
    ----------
    clauses : list of tuple of int
        All the clauses generated.

    chosen : list of tuple of int
        Those that the integer program chose.

    relaxed : float
        The objective of the last linear relaxation; the least possible one if the pricing was exact and `finished`.

    objective : float
        The objective of the chosen clauses.

    rounds : int
        How many relaxations were solved.

    finished : bool
        Whether it ended because no clause of negative reduced cost was found.
    """

    clauses: list[Chosen]
    chosen: list[Chosen]
    relaxed: float
    objective: float
    rounds: int
    finished: bool


def generate(instance: Instance, complexity: Complexity, pricing: Pricing, limits: Limits) -> Columns:
    """Generate clauses and choose among them; when a limit is reached, the best so far.

    Parameters
    ----------
    instance : Instance
        The rows to tell apart.

    complexity : Complexity
        How length is held down.

    pricing : Pricing
        The search for new clauses.

    limits : Limits
        When to stop.

    Returns
    -------
    Columns
    """
    if not instance.met.shape[1]:
        missed = float(instance.weight[instance.positive].sum())
        return Columns([], [], missed, missed, 0, finished=True)
    clauses: list[Chosen] = [(literal,) for literal in range(instance.met.shape[1])]
    coverage = instance.coverage(clauses)
    rounds, finished = 0, False
    while True:
        relaxed, prices = _relaxation(instance, clauses, coverage, complexity)
        rounds += 1
        if limits.over(rounds):
            break
        known = set(clauses)
        fresh = [clause for clause in pricing.find(instance, prices) if clause not in known]
        if not fresh:
            finished = True
            break
        clauses += fresh
        coverage = np.hstack([coverage, instance.coverage(fresh)])
    chosen = _choose(instance, clauses, coverage, complexity, prices, limits)
    picked = [clauses[place] for place in chosen]
    return Columns(clauses, picked, relaxed, _objective(instance, picked, complexity), rounds, finished)


def _objective(instance: Instance, clauses: list[Chosen], complexity: Complexity) -> float:
    """Return what a choice of clauses costs; a negative row counts once for every clause that covers it."""
    coverage = instance.coverage(clauses)
    missed = instance.weight[instance.positive & ~coverage.any(axis=1)].sum()
    wrong = (instance.weight[~instance.positive] @ coverage[~instance.positive]).sum()
    return float(missed + wrong + complexity.costs(_sizes(clauses)).sum())


def _sizes(clauses: list[Chosen]) -> NDArray[np.intp]:
    return np.array([len(clause) for clause in clauses], dtype=np.intp)


def _programme(
    instance: Instance, coverage: NDArray[np.bool_], sizes: NDArray[np.intp], complexity: Complexity
) -> tuple[NDArray[np.float64], sparse.csr_array, NDArray[np.float64]]:
    """Return costs, matrix and least sums of the master program: a variable per clause, then one per positive row."""
    positive, weight = instance.positive, instance.weight
    costs = np.concatenate([weight[~positive] @ coverage[~positive] + complexity.costs(sizes), weight[positive]])
    count = int(positive.sum())
    matrix = sparse.hstack([sparse.csr_array(coverage[positive].astype(np.float64)), sparse.eye_array(count)])
    least = np.ones(count)
    if complexity.most is not None:
        length = sparse.csr_array(np.concatenate([-(1.0 + sizes), np.zeros(count)])[np.newaxis])
        matrix, least = sparse.vstack([matrix, length]), np.append(least, -complexity.most)
    return costs, sparse.csr_array(matrix), least


def _relaxation(
    instance: Instance, clauses: list[Chosen], coverage: NDArray[np.bool_], complexity: Complexity
) -> tuple[float, Prices]:
    """Solve the linear relaxation and return its value and prices."""
    costs, matrix, least = _programme(instance, coverage, _sizes(clauses), complexity)
    solved: Any = linprog(costs, A_ub=-matrix, b_ub=-least, bounds=(0, None), method="highs")  # type: ignore[call-overload]
    duals = np.maximum(-solved.ineqlin.marginals, 0.0)
    rows = instance.weight.copy()
    rows[instance.positive] = -duals[: int(instance.positive.sum())]
    if complexity.most is None:
        return float(solved.fun), Prices(rows, complexity.clause, complexity.literal)
    return float(solved.fun), Prices(rows, float(duals[-1]), float(duals[-1]))


def _choose(
    instance: Instance,
    clauses: list[Chosen],
    coverage: NDArray[np.bool_],
    complexity: Complexity,
    prices: Prices,
    limits: Limits,
) -> list[int]:
    """Choose clauses by integer program, among those that the last prices speak for most."""
    sizes = _sizes(clauses)
    reduced = prices.clause + prices.literal * sizes + prices.rows @ coverage
    likely = np.sort(np.argsort(reduced, kind="stable")[:MOST_CHOICES])
    costs, matrix, least = _programme(instance, coverage[:, likely], sizes[likely], complexity)
    whole = np.concatenate([np.ones(len(likely)), np.zeros(len(costs) - len(likely))])
    solved = milp(
        costs,
        constraints=LinearConstraint(matrix, least, np.inf),
        bounds=Bounds(0, 1),
        integrality=whole.astype(np.int64),
        options={"time_limit": max(1.0, limits.until - time.monotonic())},
    )
    if solved.x is None:
        return []
    return [int(place) for place in likely[solved.x[: len(likely)] > 0.5]]
