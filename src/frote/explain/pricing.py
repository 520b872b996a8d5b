"""The search for a clause that the master program lacks: by beam, or exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from frote.explain.master import TOLERANCE, Instance, Prices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.explain.master import Chosen

__all__ = ["BeamSearch", "BothSearches", "ExactSearch"]


@dataclass(frozen=True)
class BeamSearch:
    """Grow clauses literal by literal, keeping the most promising few of each length.

    Parameters
    ----------
    width : int, default=5
        How many clauses of each length are kept to be grown.

    deepest : int, default=10
        The most literals in a clause.

    most : int, default=40
        How many clauses are returned at most.
    """

    width: int = 5
    deepest: int = 10
    most: int = 40

    def find(self, instance: Instance, prices: Prices) -> list[Chosen]:
        """Return the best clauses of negative reduced cost that were met."""
        met = instance.met.astype(np.float32)
        rows = prices.rows.astype(np.float32)
        # What is summed over the rows that a clause covers: their prices, those that it gains by, their number.
        summed = np.stack([rows, np.minimum(rows, 0.0), np.ones_like(rows)])
        costs: dict[Chosen, float] = {}
        beam: list[Chosen] = [()]
        best = 0.0
        for length in range(1, self.deepest + 1):
            inside = [np.flatnonzero(instance.covered(clause)) for clause in beam]
            sums = np.stack([summed[:, at] @ met[at] for at in inside], axis=1)
            values = prices.clause + prices.literal * length + sums[0]
            # However it grows, a clause can at best keep the rows that it gains by and lose all others.
            bounds = prices.clause + prices.literal * (length + 1) + sums[1]
            # A literal that all covered rows meet, the clause's own among them, adds nothing but length.
            useless = sums[2] >= np.array([[len(at)] for at in inside])
            values[useless] = bounds[useless] = np.inf
            for parent, literal in zip(*np.nonzero(values < min(best, 0.0) - TOLERANCE), strict=True):
                costs[_grown(beam[parent], int(literal))] = float(values[parent, literal])
            best = min(best, float(values.min()))
            promise = np.where(np.minimum(values, bounds) < best - TOLERANCE, (values + bounds) / 2, np.inf)
            beam = self._most_promising(beam, promise)
            if not beam:
                break
        ranked = sorted(costs, key=lambda clause: (costs[clause], clause))[: 2 * self.most]
        # Sums above were rounded: what is returned is priced anew.
        exact = {clause: prices.of(instance, clause) for clause in ranked}
        return [clause for clause in ranked if exact[clause] < -TOLERANCE][: self.most]

    def _most_promising(self, beam: list[Chosen], promise: NDArray[np.float32]) -> list[Chosen]:
        grown: dict[Chosen, None] = {}
        for place in np.argsort(promise, axis=None, kind="stable"):
            parent, literal = divmod(int(place), promise.shape[1])
            if not np.isfinite(promise[parent, literal]) or len(grown) == self.width:
                break
            grown[_grown(beam[parent], literal)] = None
        return list(grown)


def _grown(clause: Chosen, literal: int) -> Chosen:
    return tuple(sorted({*clause, literal}))


@dataclass(frozen=True)
class ExactSearch:
    """Find the clause of least reduced cost by integer program; for few rows and literals.

    Parameters
    ----------
    deepest : int, default=10
        The most literals in a clause.
    """

    deepest: int = 10

    def find(self, instance: Instance, prices: Prices) -> list[Chosen]:
        """Return the best clause if its reduced cost is negative."""
        rows, literals = instance.met.shape
        unmet = ~instance.met
        # Variables: whether each literal is in the clause, then whether each row is covered.
        costs = np.concatenate([np.full(literals, prices.literal), prices.rows])
        length = np.concatenate([np.ones(literals), np.zeros(rows)])
        constraints = [LinearConstraint(length[np.newaxis], 0, self.deepest)]
        # A positive row is covered only if no literal is in that it does not meet,
        row, literal = np.nonzero(unmet & instance.positive[:, np.newaxis])
        if len(row):
            count = len(row)
            ones = np.ones(count)
            places = np.arange(count)
            matrix = sparse.csr_array(
                (np.concatenate([ones, ones]), (np.tile(places, 2), np.concatenate([literal, literals + row]))),
                shape=(count, literals + rows),
            )
            constraints.append(LinearConstraint(matrix, -np.inf, 1))
        # and a negative one unless some literal is in that it does not meet.
        negative = np.flatnonzero(~instance.positive)
        if len(negative):
            count = len(negative)
            choice = sparse.csr_array(unmet[negative].astype(np.float64))
            own = sparse.csr_array((np.ones(count), (np.arange(count), negative)), shape=(count, rows))
            constraints.append(LinearConstraint(sparse.hstack([choice, own], format="csr"), 1, np.inf))
        solved = milp(
            costs,
            constraints=constraints,
            bounds=Bounds(0, 1),
            integrality=length.astype(np.int64),
            options={"mip_rel_gap": 0.0},
        )
        assert solved.x is not None, solved.message
        clause = tuple(np.flatnonzero(solved.x[:literals] > 0.5).tolist())
        return [clause] if prices.of(instance, clause) < -TOLERANCE else []


@dataclass(frozen=True)
class BothSearches:
    """Look by beam, and exactly where the beam finds nothing.

    Parameters
    ----------
    beam : BeamSearch
        Asked first, since it is fast.

    exact : ExactSearch
        Asked where that finds nothing, at the price of an integer program.
    """

    beam: BeamSearch
    exact: ExactSearch

    def find(self, instance: Instance, prices: Prices) -> list[Chosen]:
        """Return clauses of negative reduced cost; none only if there is none."""
        return self.beam.find(instance, prices) or self.exact.find(instance, prices)
