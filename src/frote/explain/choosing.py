"""The choice among clauses: by exchanging one for another, and by integer program where that is small."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from frote.explain.master import TOLERANCE, Master, objective, sizes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from frote.explain.master import Chosen, Complexity, Instance, Limits, Prices

__all__ = ["choose"]

MOST_CHOICES = 150  # clauses that are chosen among
MOST_CELLS = 100_000  # rows times clauses up to which there is an integer program without a clock
MOST_NODES = 20  # of its search tree, without a clock
PUT_IN = 25  # clauses that are tried in place of another
MOST_TRIES = 2000  # exchanges in all


def choose(
    instance: Instance,
    clauses: list[Chosen],
    coverage: NDArray[np.bool_],
    complexity: Complexity,
    prices: Prices,
    limits: Limits,
) -> list[Chosen]:
    """Choose clauses, among those that the last prices speak for most.

    Parameters
    ----------
    instance : Instance
        The rows to tell apart.

    clauses : list of tuple of int
        The clauses.

    coverage : ndarray of bool, shape (rows, clauses)
        The rows that meet each of them.

    complexity : Complexity
        How length is held down.

    prices : Prices
        What the linear relaxation says that rows and clauses are worth.

    limits : Limits
        With a clock, the integer program is gone on with until then; without one, while it is small.

    Returns
    -------
    list of tuple of int
        The best choice that was found, which is the best there is if the integer program was solved.
    """
    reduced = prices.clause + prices.literal * sizes(clauses) + prices.rows @ coverage
    likely = np.sort(np.argsort(reduced, kind="stable")[:MOST_CHOICES])
    few = [clauses[place] for place in likely]
    master = Master.of(instance, few, coverage[:, likely], complexity)
    room = np.inf if complexity.most is None else complexity.most
    # The integer program may have run out of time, or of nodes, before it has found a good choice, or any.
    ways = (_integer(master, room, limits), _filled(master, room, []))
    best = min(ways, key=lambda way: objective(instance, [few[place] for place in way], complexity))
    return [few[place] for place in _exchanged(master, room, best)]


def _exchanged(master: Master, room: float, chosen: list[int]) -> list[int]:
    """Exchange one clause for another as long as that costs less."""
    best, tries = master.cost(chosen), 0
    ways = _exchanges(master, room, chosen)
    while tries < MOST_TRIES and (way := next(ways, None)) is not None:
        tries += 1
        if (cost := master.cost(way)) < best - TOLERANCE:
            chosen, best = way, cost
            ways = _exchanges(master, room, chosen)
    return chosen


def _exchanges(master: Master, room: float, chosen: list[int]) -> Iterator[list[int]]:
    """Go through choices with a clause put in, in place of another or of none, and with what gains only then."""
    for out in (None, *chosen):
        rest = [place for place in chosen if place != out]
        gains = master.gains(rest, room)
        for place in np.argsort(-gains, kind="stable")[:PUT_IN].tolist():
            if np.isfinite(gains[place]) and place != out and place not in rest:
                yield _thinned(master, _filled(master, room, [*rest, place]))


def _filled(master: Master, room: float, chosen: list[int]) -> list[int]:
    """Add one clause after the other, each time the one that gains most."""
    while len(master.costs):
        gains = master.gains(chosen, room)
        best = int(gains.argmax())
        if gains[best] <= TOLERANCE:
            break
        chosen = [*chosen, best]
    return chosen


def _thinned(master: Master, chosen: list[int]) -> list[int]:
    """Leave out clauses that cost more than they gain beside the others."""
    for place in chosen:
        rest = [other for other in chosen if other != place]
        if master.cost(rest) < master.cost(chosen) - TOLERANCE:
            chosen = rest
    return chosen


def _integer(master: Master, room: float, limits: Limits) -> list[int]:
    """Choose clauses by integer program, none if it has not found any before it is ended, or is not begun."""
    count, rows = len(master.costs), len(master.weight)
    if not count or (limits.until is None and master.covered.size > MOST_CELLS):
        return []
    # A variable per clause, then one per row: whether it is left out.
    matrix = sparse.hstack([sparse.csr_array(master.covered.astype(np.float64)), sparse.eye_array(rows)], format="csr")
    constraints = [LinearConstraint(matrix, 1, np.inf)]
    if np.isfinite(room):
        lengths = np.concatenate([master.lengths, np.zeros(rows)])
        constraints.append(LinearConstraint(lengths[np.newaxis], 0, room))
    solved = milp(
        np.concatenate([master.costs, master.weight]),
        constraints=constraints,
        bounds=Bounds(0, 1),
        integrality=np.repeat([1, 0], [count, rows]),
        options={"node_limit": MOST_NODES} if limits.until is None else {"time_limit": max(0.1, limits.left)},
    )
    return [] if solved.x is None else np.flatnonzero(solved.x[:count] > 0.5).tolist()
