"""Base populations: the rows that synthetic rows of a rule may start from, with rules relaxed where they cover too few.

The paper's Algorithm 2, as its text means it: conditions are dropped one at a time, each time the one without which
the clause covers most rows, until enough rows are covered. It never fails: without conditions, all rows are covered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from frote.keys import EVERY_ROW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution
    from frote.keys import Sample

__all__ = ["Population", "populations", "relax"]

POPULATION = "population"  # what the chance of a sample is for


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The base population of one rule, or of one piece of a rule.

    Parameters
    ----------
    piece : int
        The position of the rule in its rule set.

    rows : ndarray of int
        The positions of the rows that satisfy what is left of it, increasing.

    dropped : tuple of str
        The columns whose conditions were dropped, in that order; empty if the rule was not relaxed.
    """

    piece: int
    rows: NDArray[np.intp]
    dropped: tuple[str, ...] = ()


def relax(met: NDArray[np.bool_], needs: Sequence[int], least: int) -> tuple[NDArray[np.bool_], list[int]]:
    """Drop conditions of a clause one at a time until it covers enough rows.

    Parameters
    ----------
    met : ndarray of bool, shape (conditions, rows)
        Which rows meet each condition.

    needs : sequence of int
        The conditions of the clause.

    least : int
        How many rows it shall cover.

    Returns
    -------
    covered : ndarray of bool
        The rows that the relaxed clause covers.

    dropped : list of int
        The conditions dropped, in that order.

    Examples
    --------
    >>> met = np.array([[True, True, False], [False, False, True]])
    >>> relax(met, [0, 1], least=2)
    (array([ True,  True, False]), [1])
    """
    kept, dropped = list(needs), list[int]()
    while kept:
        covered: NDArray[np.bool_] = np.logical_and.reduce(met[kept])
        if covered.sum() >= least:
            return covered, dropped
        # Of conditions that leave equally many rows, the first one written goes.
        left = [np.logical_and.reduce(met[[other for other in kept if other != one]]).sum() for one in kept]
        dropped.append(kept.pop(int(np.argmax(left))))
    return np.ones(met.shape[1], dtype=bool), dropped


def populations(
    rows: Attribution, least: int, among: NDArray[np.bool_] | None = None, sample: Sample = EVERY_ROW
) -> list[list[Population]]:
    """Return the base populations of each rule as written, one for each of its pieces.

    Where the pieces of a rule cover enough rows together, they are taken as they are, but for those that cover none;
    else every piece is relaxed until it covers enough by itself.

    Parameters
    ----------
    rows : Attribution
        The rows.

    least : int
        How many rows a rule shall cover: one more than the number of neighbours.

    among : ndarray of bool, default=None
        Which rows may be in a population; all of them if nothing is said.

    sample : Sample, default=Sample()
        Which rows of those of each rule are looked at.

    Returns
    -------
    list of list of Population
        In the order of the rules as written.
    """
    conditions, met, by_rule = rows.ruling.conditions, rows.met, []
    some = None if among is None or among.all() else among
    for rule in range(len(rows.ruling.outcomes)):
        pieces = rows.ruling.pieces_of(rule).tolist()
        strong = []
        for piece in pieces:
            covered = _covered(met, conditions.needs[piece])
            strong.append(np.flatnonzero(covered if some is None else covered & some))
        if sum(map(len, strong)) >= least:
            found = [Population(piece, rows) for piece, rows in zip(pieces, strong, strict=True) if len(rows)]
        else:
            found = []
            for piece in pieces:
                covered, dropped = relax(met if some is None else met[:, some], conditions.needs[piece], least)
                names = tuple(str(conditions.distinct[one][0]) for one in dropped)
                places = np.flatnonzero(covered)
                found.append(Population(piece, places if some is None else np.flatnonzero(some)[places], names))
        by_rule.append(_sampled(found, sample))
    return by_rule


def _sampled(found: list[Population], sample: Sample) -> list[Population]:
    """Return populations of the pieces of a rule with those rows alone that are in a sample of all of them."""
    if sample.most is None or sum(len(one.rows) for one in found) <= sample.most:
        return found
    rows = found[0].rows if len(found) == 1 else np.unique(np.concatenate([one.rows for one in found]))
    chosen = sample.of(rows, POPULATION)
    cut = [replace(one, rows=np.intersect1d(one.rows, chosen, assume_unique=True)) for one in found]
    return [one for one in cut if len(one.rows)]


def _covered(met: NDArray[np.bool_], needs: Sequence[int]) -> NDArray[np.bool_]:
    return np.logical_and.reduce(met[list(needs)], axis=0) if needs else np.ones(met.shape[1], dtype=bool)
