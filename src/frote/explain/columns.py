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
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["Columns", "Complexity", "Instance", "Limits", "Pricing", "generate"]

Chosen: TypeAlias = "tuple[int, ...]"  # the literals of a clause, increasing

TOLERANCE = 1e-7
STARTERS = 20  # single literals to begin with; pricing brings in others where they are wanted
SHARE = 0.7  # of the time is for generating clauses, the rest for choosing among them
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


def generate(
    instance: Instance, complexity: Complexity, pricing: Pricing, limits: Limits, known: Iterable[Chosen] = ()
) -> Columns:
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

    known : iterable of tuple of int, default=()
        Clauses to choose among beside those that are generated.

    Returns
    -------
    Columns
    """
    now = time.monotonic()
    first = Limits(limits.rounds, now + SHARE * (limits.until - now))
    literals = instance.met.shape[1]
    clauses: list[Chosen] = list(dict.fromkeys([*_starters(instance, complexity), *known]))
    coverage = instance.coverage(clauses)
    rounds, finished = 0, False
    while True:
        relaxed, prices = _relaxation(instance, clauses, coverage, complexity)
        rounds += 1
        if first.over(rounds):
            break
        old = set(clauses)
        fresh = [clause for clause in pricing.find(instance, prices) if clause not in old] if literals else []
        if not fresh:
            finished = True
            break
        clauses += fresh
        coverage = np.hstack([coverage, instance.coverage(fresh)])
    chosen = _choose(instance, clauses, coverage, complexity, prices, limits)
    return Columns(clauses, chosen, relaxed, _objective(instance, chosen, complexity), rounds, finished)


def _alike(rows: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find equal rows: return the place of one of each, and for each row which of them it is."""
    packed = np.packbits(rows, axis=1)
    if not packed.shape[1]:
        return np.zeros(min(1, len(rows)), dtype=np.intp), np.zeros(len(rows), dtype=np.intp)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first, which


def _starters(instance: Instance, complexity: Complexity) -> list[Chosen]:
    """Return the literals that gain most by themselves, positive rows covered against all that this costs.

    One that gains nothing so, while each positive row counts in full, gains nothing whatever else is chosen.
    """
    signed = np.where(instance.positive, instance.weight, -instance.weight)
    gains = signed @ instance.met - complexity.costs(np.ones(instance.met.shape[1], dtype=np.intp))
    best = np.argsort(-gains, kind="stable")[:STARTERS]
    return [(int(literal),) for literal in np.sort(best) if gains[literal] > 0]


def _objective(instance: Instance, clauses: list[Chosen], complexity: Complexity) -> float:
    """Return what a choice of clauses costs; a negative row counts once for every clause that covers it."""
    coverage = instance.coverage(clauses)
    missed = instance.weight[instance.positive & ~coverage.any(axis=1)].sum()
    wrong = (instance.weight[~instance.positive] @ coverage[~instance.positive]).sum()
    return float(missed + wrong + complexity.costs(_sizes(clauses)).sum())


def _sizes(clauses: list[Chosen]) -> NDArray[np.intp]:
    return np.array([len(clause) for clause in clauses], dtype=np.intp)


@dataclass(frozen=True, eq=False)
class _Master:
    """The master program: what clauses cost, and the positive rows that they cover, with the weight of each.

    Positive rows that no clause tells apart are one.
    """

    costs: NDArray[np.float64]
    lengths: NDArray[np.float64]  # a clause and its literals, together
    held: NDArray[np.bool_]  # of shape (rows, clauses)
    weight: NDArray[np.float64]
    which: NDArray[np.intp]  # for each positive row of the instance

    @classmethod
    def of(
        cls, instance: Instance, clauses: list[Chosen], coverage: NDArray[np.bool_], complexity: Complexity
    ) -> _Master:
        positive, sizes = instance.positive, _sizes(clauses)
        costs = instance.weight[~positive] @ coverage[~positive] + complexity.costs(sizes)
        inside = coverage[positive]
        first, which = _alike(inside)
        weight = np.bincount(which, instance.weight[positive], minlength=len(first))
        return cls(costs, 1.0 + sizes.astype(np.float64), inside[first], np.asarray(weight, dtype=np.float64), which)


def _relaxation(
    instance: Instance, clauses: list[Chosen], coverage: NDArray[np.bool_], complexity: Complexity
) -> tuple[float, Prices]:
    """Solve the linear relaxation and return its value and prices."""
    master = _Master.of(instance, clauses, coverage, complexity)
    # Its dual has a price per row, at most its weight, and a constraint per clause: fewer than there are rows.
    gains, matrix, most = np.ones(len(master.weight)), master.held.T.astype(np.float64), master.weight
    if complexity.most is not None:
        gains, most = np.append(gains, -complexity.most), np.append(most, np.inf)
        matrix = np.column_stack([matrix, -master.lengths])
    bounds = np.column_stack([np.zeros(len(most)), most])
    solved: Any = linprog(-gains, A_ub=sparse.csr_array(matrix), b_ub=master.costs, bounds=bounds, method="highs")  # type: ignore[call-overload]
    found = np.clip(solved.x, 0.0, most)
    rows = instance.weight.copy()
    # Rows that are one share its price by weight.
    rows[instance.positive] *= -(found[: len(master.weight)] / master.weight)[master.which]
    if complexity.most is None:
        return -float(solved.fun), Prices(rows, complexity.clause, complexity.literal)
    return -float(solved.fun), Prices(rows, float(found[-1]), float(found[-1]))


def _choose(
    instance: Instance,
    clauses: list[Chosen],
    coverage: NDArray[np.bool_],
    complexity: Complexity,
    prices: Prices,
    limits: Limits,
) -> list[Chosen]:
    """Choose clauses, among those that the last prices speak for most."""
    reduced = prices.clause + prices.literal * _sizes(clauses) + prices.rows @ coverage
    likely = np.sort(np.argsort(reduced, kind="stable")[:MOST_CHOICES])
    few = [clauses[place] for place in likely]
    master = _Master.of(instance, few, coverage[:, likely], complexity)
    # The integer program may run out of time before it has found a good choice, or any.
    ways = (_integer(master, complexity, limits), _greedy(master, complexity))
    choices = [[few[place] for place in way] for way in ways]
    return min(choices, key=lambda chosen: _objective(instance, chosen, complexity))


def _greedy(master: _Master, complexity: Complexity) -> list[int]:
    """Choose one clause after the other, each time the one that gains most."""
    left, room = master.weight.copy(), np.inf if complexity.most is None else complexity.most
    chosen: list[int] = []
    while len(master.costs):
        gains = np.where(master.lengths <= room, left @ master.held - master.costs, -np.inf)
        best = int(gains.argmax())
        if gains[best] <= TOLERANCE:
            break
        chosen.append(best)
        left[master.held[:, best]] = 0.0
        room -= master.lengths[best]
    return chosen


def _integer(master: _Master, complexity: Complexity, limits: Limits) -> list[int]:
    """Choose clauses by integer program, none if the time does not suffice for any."""
    count, rows = len(master.costs), len(master.weight)
    if not count:
        return []
    # A variable per clause, then one per row: whether it is left out.
    matrix = sparse.hstack([sparse.csr_array(master.held.astype(np.float64)), sparse.eye_array(rows)], format="csr")
    constraints = [LinearConstraint(matrix, 1, np.inf)]
    if complexity.most is not None:
        lengths = np.concatenate([master.lengths, np.zeros(rows)])
        constraints.append(LinearConstraint(lengths[np.newaxis], 0, complexity.most))
    solved = milp(
        np.concatenate([master.costs, master.weight]),
        constraints=constraints,
        bounds=Bounds(0, 1),
        integrality=np.repeat([1, 0], [count, rows]),
        options={"time_limit": max(0.1, limits.until - time.monotonic())},
    )
    return [] if solved.x is None else np.flatnonzero(solved.x[:count] > 0.5).tolist()
