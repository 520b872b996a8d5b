"""Near misses: rows outside all coverage that fail as few conditions of a rule as possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["NearMisses", "near_misses"]


@dataclass(frozen=True, slots=True, eq=False)
class NearMisses:
    """The rows that miss one rule as written by the fewest conditions.

    Parameters
    ----------
    rows : ndarray of int
        Their positions, increasing; none of them is covered by any rule.

    piece : ndarray of int
        The piece of the rule that each of them misses by the fewest.
    """

    rows: NDArray[np.intp]
    piece: NDArray[np.intp]


def near_misses(
    met: NDArray[np.bool_],
    needs: Sequence[Sequence[int]],
    pieces: Sequence[int],
    among: NDArray[np.intp],
    least: int,
) -> NearMisses:
    """Find near misses of a rule: those that fail the fewest conditions and, if they are too few, the next ones too.

    Parameters
    ----------
    met : ndarray of bool, shape (conditions, rows)
        Which rows meet each condition.

    needs : sequence of sequence of int
        For each piece of any rule, its conditions.

    pieces : sequence of int
        The pieces of the rule.

    among : ndarray of int
        The rows to look at, none of which is covered.

    least : int
        How many near misses there shall be, where so many rows are to be had.

    Returns
    -------
    NearMisses

    Examples
    --------
    >>> met = np.array([[True, False, False], [False, True, False]])
    >>> near_misses(met, [(0, 1)], [0], np.arange(3), least=1).rows
    array([0, 1])
    """
    if not pieces or not len(among):
        empty = np.empty(0, dtype=np.intp)
        return NearMisses(empty, empty)
    # In few bytes, and one condition at a time: of very many rows these arrays are the largest there are.
    most = max(len(needs[piece]) for piece in pieces)
    failing = np.zeros((len(pieces), len(among)), dtype=np.min_scalar_type(most))
    for piece, counts in zip(pieces, failing, strict=True):
        for condition in needs[piece]:
            counts += ~met[condition][among]
    nearest, fewest = failing.argmin(axis=0), failing.min(axis=0)
    counts = np.bincount(fewest)
    enough = np.searchsorted(counts.cumsum(), min(least, len(among)))
    chosen = np.flatnonzero(fewest <= enough)
    return NearMisses(among[chosen], np.asarray(pieces, dtype=np.intp)[nearest[chosen]])
