"""Column generation for one Boolean rule set: which clauses tell positive rows from negative ones, at least cost.

After Dash, Günlük and Wei (2018). The master program chooses clauses so that uncovered positive rows, covered negative
rows and the length of clauses cost least. The duals of its linear relaxation price the rows; a clause that would lower
the cost at these prices is looked for, by beam search or exactly, and added, until there is none. In the end some are
chosen among all the clauses found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from frote.explain.choosing import choose
from frote.explain.master import Master, Prices, objective

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from frote.explain.master import Chosen, Complexity, Instance, Limits

__all__ = ["Columns", "Pricing", "generate"]

STARTERS = 20  # single literals to begin with; pricing brings in others where they are wanted
SHARE = 0.7  # of the time is for generating clauses, the rest for choosing among them


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
        Those that were chosen.

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
    instance: Instance, complexity: Complexity, pricing: Pricing, limits: Limits, starters: Iterable[Chosen] = ()
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

    starters : iterable of tuple of int, default=()
        Clauses to choose among beside those that are generated.

    Returns
    -------
    Columns
    """
    first = limits.part(SHARE)
    literals = instance.met.shape[1]
    clauses: list[Chosen] = list(dict.fromkeys([*_starters(instance, complexity), *starters]))
    coverage = instance.coverage(clauses)
    rounds, finished = 0, False
    while True:
        relaxed, prices = _relaxation(instance, clauses, coverage, complexity)
        rounds += 1
        if first.reached(rounds):
            break
        old = set(clauses)
        fresh = [clause for clause in pricing.find(instance, prices) if clause not in old] if literals else []
        if not fresh:
            finished = True
            break
        clauses += fresh
        coverage = np.hstack([coverage, instance.coverage(fresh)])
    chosen = choose(instance, clauses, coverage, complexity, prices, limits)
    return Columns(clauses, chosen, relaxed, objective(instance, chosen, complexity), rounds, finished)


def _starters(instance: Instance, complexity: Complexity) -> list[Chosen]:
    """Return the literals that gain most by themselves, positive rows covered against all that this costs.

    One that gains nothing so, while each positive row counts in full, gains nothing whatever else is chosen.
    """
    signed = np.where(instance.positive, instance.weight, -instance.weight)
    gains = signed @ instance.met - complexity.costs(np.ones(instance.met.shape[1], dtype=np.intp))
    best = np.argsort(-gains, kind="stable")[:STARTERS]
    return [(int(literal),) for literal in np.sort(best) if gains[literal] > 0]


def _relaxation(
    instance: Instance, clauses: list[Chosen], coverage: NDArray[np.bool_], complexity: Complexity
) -> tuple[float, Prices]:
    """Solve the linear relaxation and return its value and prices."""
    master = Master.of(instance, clauses, coverage, complexity)
    # Its dual has a price per row, at most its weight, and a constraint per clause: fewer than there are rows.
    gains, matrix, most = np.ones(len(master.weight)), master.covered.T.astype(np.float64), master.weight
    if complexity.most is not None:
        gains, most = np.append(gains, -complexity.most), np.append(most, np.inf)
        matrix = np.column_stack([matrix, -master.lengths])
    bounds = np.column_stack([np.zeros(len(most)), most])
    solved: Any = linprog(-gains, A_ub=sparse.csr_array(matrix), b_ub=master.costs, bounds=bounds, method="highs")  # type: ignore[call-overload]
    duals = np.clip(solved.x, 0.0, most)
    rows = instance.weight.copy()
    # Rows that are one share its price by weight.
    rows[instance.positive] *= -(duals[: len(master.weight)] / master.weight)[master.which]
    if complexity.most is None:
        return -float(solved.fun), Prices(rows, complexity.clause, complexity.literal)
    return -float(solved.fun), Prices(rows, float(duals[-1]), float(duals[-1]))
