"""Base rows chosen by an integer program: the most borderline ones, with bounds per rule. The paper's equation 5.

Rows of the same weight that count for the same rules are interchangeable: the program asks only how many of each such
kind to take, and is small. Where no row counts for two rules, sorting solves it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from frote.generation.space import nearest_with_distances
from frote.selection.request import Choice, Made, Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from frote.generation.space import Points

    PointsAt: TypeAlias = Callable[[NDArray[np.intp]], Points]

__all__ = ["IntegerProgram", "Neighbourhoods", "borderline", "solve"]

AROUND = 10  # neighbours whose predicted labels tell a borderline row
BORDERLINE = 3.0  # the weight of one; others weigh 1


class IntegerProgram:
    """The paper's *IP* selection. It remembers neighbours from step to step; its answers do not depend on that."""

    def __init__(self) -> None:
        self._around = Neighbourhoods()

    def select(self, request: Request, rng: np.random.Generator) -> Made:
        """Choose base rows by weight; a row generates once for every rule that it counts for."""
        return request.make(self._choice(request, rng), rng)

    def _choice(self, request: Request, rng: np.random.Generator) -> Choice:
        # A rule of which nothing is wanted takes no part: it shall not keep its rows from the others.
        wanted = [
            (pieces, quota) for pieces, quota in zip(request.populations, request.quotas, strict=True) if quota > 0
        ]
        members = [population.rows for pieces, _ in wanted for population in pieces]
        if not members:
            return Choice.of([])
        candidates = np.unique(np.concatenate(members))
        counts = np.zeros((len(wanted), len(candidates)), dtype=bool)
        for row, (pieces, _) in zip(counts, wanted, strict=True):
            for population in pieces:
                row[np.searchsorted(candidates, population.rows)] = True
        around = self._around.of(request.points_at, request.looked_at, len(request.labels), candidates)
        weights = np.where(borderline(request.predicted, candidates, around), BORDERLINE, 1.0)
        upper = np.array([quota for _, quota in wanted])
        if upper.max() - upper.min() <= 1:
            upper[:] = max(1, sum(upper) // len(upper))  # equal shares are the paper's eta / m, rounded down
        lower = np.minimum(np.minimum(request.neighbours + 1, upper), counts.sum(axis=1))
        chosen = solve(weights, counts, lower, upper, rng)
        parts = []
        for inside, (pieces, _) in zip(counts, wanted, strict=True):
            left = candidates[chosen[inside[chosen]]]
            for population in pieces:
                mine = np.isin(left, population.rows)
                parts.append((population.piece, left[mine]))
                left = left[~mine]
        return Choice.of(parts)


def borderline(predicted: NDArray[np.intp], rows: NDArray[np.intp], around: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell which rows lie near the model's boundary.

    Those are the ones of whose neighbours half or more, but not all, are predicted otherwise than they are.

    Examples
    --------
    >>> predicted = np.array([0, 0, 1, 1])
    >>> borderline(predicted, np.array([0, 1]), np.array([[1, 2], [2, 3]]))
    array([ True, False])
    """
    unlike = (predicted[around] != predicted[rows][:, np.newaxis]).sum(axis=1)
    near: NDArray[np.bool_] = (2 * unlike >= around.shape[1]) & (unlike < around.shape[1])
    return near


class _Neighbours(NamedTuple):
    """The nearest rows of some rows, which are in order, among the first so many."""

    total: int
    rows: NDArray[np.intp]
    around: NDArray[np.intp]
    distances: NDArray[np.float64]


class Neighbourhoods:
    """The nearest rows of base rows among all rows, kept up to date as rows are added at the end."""

    def __init__(self) -> None:
        self._nearby: _Neighbours | None = None

    def of(
        self,
        points_at: PointsAt,
        pool: NDArray[np.intp],
        total: int,
        rows: NDArray[np.intp],
    ) -> NDArray[np.intp]:
        """Return the neighbours of some rows, of shape (rows, neighbours).

        Parameters
        ----------
        points_at : callable
            Gives rows at some positions their places in the space of distances.

        pool : ndarray of int
            The positions, increasing, of the rows that may be neighbours.

        total : int
            How many rows there are.

        rows : ndarray of int
            The positions, increasing, of the rows whose neighbours are wanted.

        Returns
        -------
        ndarray of int
        """
        # Threads may ask at the same time: what is known never changes, and is replaced as a whole.
        nearby = self._nearby
        if nearby is None or not len(nearby.rows) or total < nearby.total:
            ordered = np.sort(rows)
            nearby = _Neighbours(total, ordered, *_nearest(points_at, pool, ordered))
        else:
            nearby = _with(_up_to_date(nearby, points_at, pool, total), points_at, pool, rows)
        self._nearby = nearby
        around: NDArray[np.intp] = nearby.around[np.searchsorted(nearby.rows, rows)]
        return around


def _nearest(
    points_at: PointsAt, pool: NDArray[np.intp], rows: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    used = np.union1d(pool, rows)
    near, distances = nearest_with_distances(
        points_at(used), np.searchsorted(used, rows), np.searchsorted(used, pool), AROUND
    )
    return used[near], distances


def _up_to_date(nearby: _Neighbours, points_at: PointsAt, pool: NDArray[np.intp], total: int) -> _Neighbours:
    """Look for nearer rows among those that were added."""
    if total == nearby.total:
        return nearby
    near, distances = _nearest(points_at, pool[pool >= nearby.total], nearby.rows)
    # Old neighbours stand before new ones, so a stable sort leaves equally near ones in order.
    both = np.concatenate([nearby.distances, distances], axis=1)
    order = np.argsort(both, axis=1, kind="stable")[:, :AROUND]
    around = np.take_along_axis(np.concatenate([nearby.around, near], axis=1), order, axis=1)
    return _Neighbours(total, nearby.rows, around, np.take_along_axis(both, order, axis=1))


def _with(nearby: _Neighbours, points_at: PointsAt, pool: NDArray[np.intp], rows: NDArray[np.intp]) -> _Neighbours:
    """Add the neighbours of rows of which they are not known yet."""
    unknown = np.setdiff1d(rows, nearby.rows, assume_unique=True)
    if not len(unknown):
        return nearby
    near, distances = _nearest(points_at, pool, unknown)
    both = np.concatenate([nearby.rows, unknown])
    order = np.argsort(both)
    around, apart = np.concatenate([nearby.around, near]), np.concatenate([nearby.distances, distances])
    return _Neighbours(nearby.total, both[order], around[order], apart[order])


def solve(
    weights: NDArray[np.float64],
    counts: NDArray[np.bool_],
    lower: NDArray[np.intp],
    upper: NDArray[np.intp],
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Choose rows of greatest total weight with bounds on how many count for each rule.

    Parameters
    ----------
    weights : ndarray of float
        The weight of each row, above 0.

    counts : ndarray of bool, shape (rules, rows)
        The rules that each row counts for, at least one.

    lower, upper : ndarray of int
        The bounds of each rule. Lower ones that cannot all hold are lowered, by as little as possible in all.

    rng : numpy Generator
        To choose among rows of the same weight.

    Returns
    -------
    ndarray of int
        The positions of the chosen rows, increasing.

    Examples
    --------
    >>> counts = np.array([[True, True, False], [False, True, True]])
    >>> solve(np.array([1.0, 3.0, 1.0]), counts, np.array([1, 1]), np.array([1, 1]), np.random.default_rng(0))
    array([1])
    """
    shuffled = rng.permutation(len(weights))
    if (counts.sum(axis=0) == 1).all():
        best = shuffled[np.argsort(-weights[shuffled], kind="stable")]
        return _first(best, counts.argmax(axis=0), upper)
    kinds = kinds_of(weights, counts)
    # The solver has its own ways with ties: they change with the order in which it gets the kinds.
    kinds = rng.permutation(kinds.max() + 1)[kinds]
    _, one, sizes = np.unique(kinds, return_index=True, return_counts=True)
    return _first(shuffled, kinds, _numbers(weights[one], counts[:, one], sizes, lower, upper))


def kinds_of(weights: NDArray[np.float64], counts: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the kind of each row: those of the same weight that count for the same rules are of one kind."""
    kinds = np.unique(weights, return_inverse=True)[1]
    for byte in np.packbits(counts, axis=0):
        kinds = np.unique(kinds * 256 + byte, return_inverse=True)[1]
    return kinds


def _first(order: NDArray[np.intp], kinds: NDArray[np.intp], numbers: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first rows of each kind in an order, as many as given, sorted."""
    ordered = order[np.argsort(kinds[order], kind="stable")]
    sizes = np.bincount(kinds, minlength=len(numbers))
    rank = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(ordered[rank < np.repeat(numbers, sizes)])


def _numbers(
    weights: NDArray[np.float64],
    counts: NDArray[np.bool_],
    sizes: NDArray[np.intp],
    lower: NDArray[np.intp],
    upper: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Return how many rows of each kind are in an optimum; `sizes` are how many there are."""
    rules, kinds = counts.shape
    rows, short = np.concatenate([-weights, np.zeros(rules)]), np.concatenate([np.zeros(kinds), np.ones(rules)])

    def best(costs: NDArray[np.float64], most_short: float) -> NDArray[np.intp] | None:
        """Solve for the numbers of rows and, after them, by how many each rule falls short of its lower bound."""
        matrix, none = counts.astype(np.float64), np.zeros((rules, rules))
        constraints = [
            LinearConstraint(np.hstack([matrix, np.eye(rules)]), lower, np.inf),
            LinearConstraint(np.hstack([matrix, none]), 0, upper),
            LinearConstraint(short[np.newaxis], 0, most_short),
        ]
        bounds = Bounds(0, np.concatenate([sizes, lower]))
        # Without the demand for whole numbers it is solved faster, and mostly in whole numbers all the same.
        for whole in (0, 1):
            solution = milp(
                costs,
                constraints=constraints,
                bounds=bounds,
                integrality=np.full(len(costs), whole),
                options={"mip_rel_gap": 0.0},
            )
            if solution.x is None:
                return None
            numbers = np.round(solution.x)
            if np.abs(solution.x - numbers).max() < 1e-6:
                break
        return numbers.astype(np.intp)

    best_numbers = best(rows, 0)
    if best_numbers is None:
        least = best(short, np.inf)
        assert least is not None, "no row at all keeps every bound"
        best_numbers = best(rows, least @ short)
        assert best_numbers is not None, "what was found is a solution"
    return best_numbers[:kinds]
