"""The distance of SMOTE-NC between rows of mixed columns, and exact nearest neighbours.

Numbers and dates are standardised; a category that differs counts like one standard deviation. A missing number
stands at the mean, one standard deviation away from every number that is there; a missing category is a category.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.table import Table

__all__ = ["MixedSpace", "Points", "nearest", "nearest_with_distances"]

BLOCK = 1 << 22  # comparisons of categories at a time: what is worked out of them stays in the processor's cache
GROUPS = 4  # times the neighbours wanted: groups of points, the nearest of each of which are looked at first


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Rows as points of a mixed space.

    Parameters
    ----------
    numbers : ndarray of float, shape (rows, dimensions)
        Standardised numbers.

    codes : ndarray of int, shape (columns, rows)
        Codes of categories, a column after the other.
    """

    numbers: NDArray[np.float64]
    codes: NDArray[np.signedinteger[Any]]

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: NDArray[np.intp]) -> Points:
        """Return the points at some positions."""
        return Points(self.numbers.take(rows, axis=0), self.codes.take(rows, axis=1))

    def concat(self, other: Points) -> Points:
        """Return these points and, after them, the others."""
        return Points(np.concatenate([self.numbers, other.numbers]), np.concatenate([self.codes, other.codes], axis=1))


@dataclass(frozen=True, slots=True)
class MixedSpace:
    """Where rows lie: the scale of each column, taken from some data once.

    Parameters
    ----------
    scales : tuple of (str, float, float)
        Columns of numbers and dates with their mean and standard deviation.

    coded : tuple of str
        Columns of categories, whose values are alike or not.

    gappy : frozenset of str
        Columns of numbers and dates that have, or may get, missing values.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": [20, 30, 70], "sex": ["F", "M", "F"]}))
    >>> points = MixedSpace.of(table).encode(table)
    >>> nearest(points, np.array([0]), np.array([0, 1, 2]), 1)
    array([[1]])
    """

    scales: tuple[tuple[str, float, float], ...]
    coded: tuple[str, ...]
    gappy: frozenset[str]

    @classmethod
    def of(cls, table: Table, *, gappy: frozenset[str] = frozenset()) -> MixedSpace:
        """Take the scales from a table; a column without spread counts with 1.

        Parameters
        ----------
        table : Table
            The data.

        gappy : frozenset of str, default=frozenset()
            Columns that may get missing values though they have none yet.

        Returns
        -------
        MixedSpace
        """
        scales = [
            (column.name, *_mean_and_spread(table[column.name].present.astype(np.float64)))
            for column in table.schema
            if not column.kind.has_levels
        ]
        coded = tuple(column.name for column in table.schema if column.kind.has_levels)
        gaps = frozenset(name for name, *_ in scales if table[name].missing is not None or name in gappy)
        return cls(tuple(scales), coded, gaps)

    def encode(self, table: Table) -> Points:
        """Return the rows of a table of the same schema as points."""
        places, width = {}, 0
        for name, mean, spread in self.scales:
            places[name] = width, mean, spread
            width += 2 if name in self.gappy else 1  # a place of its own for being missing
        numbers, coded = np.empty((len(table), width)), []
        for block in table.blocks:
            if block.names[0] in self.coded:
                coded.append(block.values)
                continue
            at, means, spreads = (np.array(part) for part in zip(*(places[name] for name in block.names), strict=True))
            # Infinite values keep their place at the far end without spoiling every distance.
            with np.errstate(over="ignore"):
                values = np.clip((block.values - means[:, np.newaxis]) / spreads[:, np.newaxis], -1e6, 1e6)
            if block.missing is not None:
                values[block.missing] = 0.0
            numbers[:, at] = values.T
            gaps = [place for place, name in enumerate(block.names) if name in self.gappy]
            if gaps:
                numbers[:, at[gaps] + 1] = block.gaps()[gaps].T
        if len(coded) == 1:
            return Points(numbers, coded[0])
        codes = [table[name].values for name in self.coded]
        return Points(numbers, np.stack(codes) if codes else np.empty((0, len(table)), dtype=np.int8))


def _mean_and_spread(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return mean and standard deviation of finite values; a deviation of 0 counts as 1."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0, 1.0
    if finite.min() == finite.max():  # rounding would give equal values a spread
        return float(finite[0]), 1.0
    # Powers of two leave the digits as they are and keep squares of very large and very small values in range.
    exponent = int(np.frexp(np.abs(finite).max())[1])
    scaled = np.ldexp(finite, -exponent)
    return float(np.ldexp(scaled.mean(), exponent)), float(np.ldexp(scaled.std(), exponent)) or 1.0


def nearest(points: Points, queries: NDArray[np.intp], among: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    """Return the nearest points of some points, nearest first, equally near ones by position.

    Parameters
    ----------
    points : Points
        All the points.

    queries : ndarray of int
        Positions of the points whose neighbours are wanted.

    among : ndarray of int
        Positions, increasing, of the points that may be neighbours; no point is its own.

    k : int
        How many neighbours; fewer are returned where there are fewer, and none where a query is alone.

    Returns
    -------
    ndarray of int, shape (queries, at most k)
    """
    return nearest_with_distances(points, queries, among, k)[0]


def nearest_with_distances(
    points: Points, queries: NDArray[np.intp], among: NDArray[np.intp], k: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return what `nearest` does, and the squared distances.

    A lower bound of every distance costs little. The bounds of a few points, one of each of some groups, say how far a
    query's neighbours can be at most; that rules out most points, and the distances of the rest are computed.
    """
    own = np.searchsorted(among, queries)
    if len(among):
        own[among[np.minimum(own, len(among) - 1)] != queries] = -1
    most = max(0, min(k, len(among) - bool((own >= 0).any())))
    neighbours = np.empty((len(queries), most), dtype=np.intp)
    distances = np.empty((len(queries), most))
    if not most:
        return neighbours, distances
    pool = points.take(among)
    right = np.ascontiguousarray(_terms(pool.numbers, -2.0, first=False).T)
    rows = max(1, BLOCK // (len(among) * max(1, len(pool.codes))))
    for start in range(0, len(queries), rows):
        block = slice(start, start + rows)
        places, distances[block] = _search(points.take(queries[block]), own[block], pool, right, most)
        neighbours[block] = among[places]
    return neighbours, distances


def _search(
    asked: Points, own: NDArray[np.intp], pool: Points, right: NDArray[np.float32], k: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the places in a pool, and the squared distances, of the nearest points; `own` is never among them."""
    least = _unlike(asked, pool).astype(np.float32)
    if asked.numbers.shape[1]:
        # By einsum, not by BLAS: for so few columns the threads of BLAS only wait for one another.
        least += np.einsum("qt,tc->qc", _terms(asked.numbers, 1.0, first=True), right)
    inside = np.flatnonzero(own >= 0)
    least[inside, own[inside]] = np.inf
    close = least <= _reach(asked.numbers, _kth_of_groups(least, k))[:, np.newaxis]
    query, candidate = np.divmod(np.flatnonzero(close), len(pool))
    mine, theirs = asked.take(query), pool.take(candidate)
    distances = np.square(mine.numbers - theirs.numbers).sum(axis=1) + (mine.codes != theirs.codes).sum(axis=0)
    # The sort is stable: equally near ones stay in the order of their positions.
    order = np.lexsort((distances, query))
    picks = order[np.searchsorted(query, np.arange(len(asked)))[:, np.newaxis] + np.arange(k)]
    return candidate[picks], distances[picks]


def _unlike(asked: Points, pool: Points) -> NDArray[np.unsignedinteger[Any]]:
    """Return in how many columns the categories of points differ from those of others."""
    differ = asked.codes[:, :, np.newaxis] != pool.codes[:, np.newaxis, :]
    counts: NDArray[np.unsignedinteger[Any]] = np.add.reduce(
        differ.view(np.uint8), axis=0, dtype=np.min_scalar_type(len(differ))
    )
    return counts


def _kth_of_groups(least: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """Return for each row the k-th smallest of the smallest values of groups: at least its k-th smallest value."""
    while least.shape[1] >= 2 * GROUPS * k:
        half = least.shape[1] // 2
        least = np.minimum(least[:, :half], least[:, half : 2 * half])
    return np.partition(least, k - 1, axis=1)[:, k - 1]


def _reach(numbers: NDArray[np.float64], least: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how large the squared distance of points to others is at most, given a lower bound of it.

    The bound is too low by some share of |x|^2 + |y|^2 at most, and |y| <= |x| + |x - y|.
    """
    share = 2 * _margin(numbers)
    most = (least + 3 * share * np.square(numbers).sum(axis=1)) / (1 - 2 * share)
    reach: NDArray[np.float32] = (most * (1 + 1e-6) + 1e-30).astype(np.float32)  # a hair above: sums are rounded
    return reach


def _terms(numbers: NDArray[np.float64], factor: float, *, first: bool) -> NDArray[np.float32]:
    """Return one side of a matrix product that bounds squared distances from below.

    |x - y|^2 = |x|^2 + |y|^2 - 2xy, with both squares a little smaller: by more than rounding can change the sum.
    """
    squares = np.square(numbers).sum(axis=1) * (1 - _margin(numbers))
    ends = (squares, np.ones(len(numbers)))
    return np.column_stack([ends[not first], factor * numbers, ends[first]]).astype(np.float32)


def _margin(numbers: NDArray[np.float64]) -> float:
    """Return by what share squares are made smaller."""
    return float(numbers.shape[1] + 5) * 2.0**-22
