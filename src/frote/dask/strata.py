"""Strata of a Dask frame, and the rows of each that are brought to one place: the same ones for any partitioning.

The strata of a rule are the rows that are attributed to it, and those outside all rules that miss it by the fewest
conditions; the last stratum is all rows outside. Of each the rows with the smallest hashes of their keys are taken, of
near misses first those that fail fewer conditions. All strata have one hash, so that a row that is in several is taken
with the chance of the one that takes most; what it stands for in the whole is one over that chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.dask.frames import computed, folded
from frote.keys import hashes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution, Ruling
    from frote.dask.whole import LazyRows, PartTypes

__all__ = ["Strata", "Taking"]

PURPOSE = "strata"
WHOLE = 2.0**64


@dataclass(frozen=True, slots=True, eq=False)
class _Sketch:
    """A stratum, or a part of it: how many rows it has, and the first of them by rank and hash."""

    rows: int
    rank: NDArray[np.int16]
    found: NDArray[np.uint64]

    @classmethod
    def of(cls, rank: NDArray[np.int16], found: NDArray[np.uint64], most: int) -> _Sketch:
        return cls(len(rank), *_first(rank, found, most))

    def joined(self, other: _Sketch, most: int) -> _Sketch:
        rank, found = np.concatenate([self.rank, other.rank]), np.concatenate([self.found, other.found])
        return _Sketch(self.rows + other.rows, *_first(rank, found, most))


def _first(
    rank: NDArray[np.int16], found: NDArray[np.uint64], most: int
) -> tuple[NDArray[np.int16], NDArray[np.uint64]]:
    """Return the first rows by rank and hash, in any order."""
    if len(rank) <= most:
        return rank, found
    upto = np.bincount(rank).cumsum()
    last = int(np.searchsorted(upto, most))  # the rank of which not all are taken
    sure, at_last = np.flatnonzero(rank < last), np.flatnonzero(rank == last)
    left = most - len(sure)
    if left < len(at_last):
        at_last = at_last[np.argpartition(found[at_last], left - 1)[:left]]
    chosen = np.concatenate([sure, at_last])
    return rank[chosen], found[chosen]


@dataclass(frozen=True, slots=True)
class _Limit:
    """Where the rows of a stratum that are taken end: at a hash, among those of a rank."""

    rank: int
    found: int

    def shares(self, rank: NDArray[np.int16], found: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return the chance with which each row is taken; 0 for one that is not."""
        at_last = np.where(found < np.uint64(self.found), self.found / WHOLE, 0.0)
        return np.where(rank < self.rank, 1.0, np.where(rank == self.rank, at_last, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Taking:
    """Which rows of a partition belong to which stratum, and which are taken: sent to workers.

    Parameters
    ----------
    types : PartTypes
        The types of partitions.

    ruling : Ruling
        The rules.

    able : tuple of bool
        Which pieces rows can satisfy.

    starts : tuple of int
        The position of each partition's first row.

    seed : int
        Where the chance comes from.

    most : int
        How many rows are taken of each stratum.

    limits : tuple of (_Limit or None)
        Where each stratum ends; None for one that is taken as a whole. Empty before that is known.
    """

    types: PartTypes
    ruling: Ruling
    able: tuple[bool, ...]
    starts: tuple[int, ...]
    seed: int
    most: int
    limits: tuple[_Limit | None, ...] = ()

    def at(self, place: int, frame: pd.DataFrame, y: Any) -> list[_Sketch]:  # noqa: ARG002
        """Sketch the strata of a partition."""
        rows = self.ruling.on(self.types.table(frame))
        found = self._hashes(place, len(rows))
        return [_Sketch.of(rank, found[places], self.most + 1) for places, rank in self._strata(rows)]

    def joined(self, parts: list[list[_Sketch]]) -> list[_Sketch]:
        """Put sketches together."""

        def both(one: list[_Sketch], other: list[_Sketch]) -> list[_Sketch]:
            return [mine.joined(theirs, self.most + 1) for mine, theirs in zip(one, other, strict=True)]

        return reduce(both, parts)

    def shares(self, place: int, rows: Attribution) -> NDArray[np.float64]:
        """Return the chance with which each row of a partition is taken; 0 for one that is not."""
        found, shares = self._hashes(place, len(rows)), np.zeros(len(rows))
        for (places, rank), limit in zip(self._strata(rows), self.limits, strict=True):
            own = np.ones(len(places)) if limit is None else limit.shares(rank, found[places])
            shares[places] = np.maximum(shares[places], own)
        return shares

    def _hashes(self, place: int, rows: int) -> NDArray[np.uint64]:
        start = self.starts[place]
        return hashes(np.arange(start, start + rows), self.seed, PURPOSE)

    def _strata(self, rows: Attribution) -> Iterator[tuple[NDArray[np.intp], NDArray[np.int16]]]:
        """Yield the places of the rows of each stratum, and their ranks in it."""
        outside = rows.outside
        for rule in range(len(self.ruling.outcomes)):
            covered = rows.rows_of(rule)
            yield covered, np.zeros(len(covered), dtype=np.int16)
            yield outside, self._failing(rows, rule)
        yield outside, np.zeros(len(outside), dtype=np.int16)

    def _failing(self, rows: Attribution, rule: int) -> NDArray[np.int16]:
        """Return how many conditions of a rule each row outside fails at least."""
        outside = rows.outside
        fewest = np.full(len(outside), np.iinfo(np.int16).max, dtype=np.int16)
        for piece in self.ruling.pieces_of(rule):
            if self.able[piece]:
                needs = list(self.ruling.conditions.needs[piece])
                failing = (~rows.met[needs][:, outside]).sum(axis=0, dtype=np.int16)
                fewest = np.minimum(fewest, failing)
        return fewest


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """How many rows each stratum has, and what takes the first of them.

    Parameters
    ----------
    taking : Taking
        Takes rows of partitions.

    rows : tuple of int
        How many rows each stratum has.

    Examples
    --------
    >>> import dask.dataframe as dd, frote
    >>> from frote.coverage.ruling import Ruling
    >>> from frote.dask.whole import LazyRows
    >>> rows = LazyRows.of(dd.from_pandas(pd.DataFrame({"age": range(20, 70)}), npartitions=3))
    >>> rules = frote.parse_rules("young: IF age < 25 THEN yes").bind(rows.survey.schema)
    >>> Strata.of(rows, Ruling.of(rules, ("no", "yes")), (True,), 0, 10).frame
                            rows  taken
    young: covered             5      5
    young: nearest outside    45     10
    outside                   45     10
    """

    taking: Taking
    rows: tuple[int, ...]

    @classmethod
    def of(cls, rows: LazyRows, ruling: Ruling, able: tuple[bool, ...], seed: int, most: int) -> Strata:
        """Count the rows of each stratum, and find where those that are taken end: one pass over the rules' columns."""
        frame, types = rows.some(ruling.rules.columns)
        taking = Taking(types, ruling, able, rows.survey.starts, seed, most)
        sketches = computed(folded(rows.each(taking, X=frame), taking.joined))
        limits = tuple(map(taking_ends, sketches, [most] * len(sketches)))
        all_columns = Taking(rows.types(), ruling, able, rows.survey.starts, seed, most, limits)
        return cls(all_columns, tuple(sketch.rows for sketch in sketches))

    @property
    def whole(self) -> bool:
        """Whether all rows are taken."""
        return self.taking.limits[-1] is None and not any(limit for limit in self.taking.limits[:-1:2])

    @property
    def frame(self) -> pd.DataFrame:
        """How many rows each stratum has, and how many of them are taken."""
        names = [name for rule in self.taking.ruling.names for name in (f"{rule}: covered", f"{rule}: nearest outside")]
        taken = [min(rows, self.taking.most) for rows in self.rows]
        return pd.DataFrame({"rows": self.rows, "taken": taken}, index=[*names, "outside"])


def taking_ends(sketch: _Sketch, most: int) -> _Limit | None:
    """Return where the rows of a stratum that are taken end; None if all are."""
    if sketch.rows <= most:
        return None
    last = int(sketch.rank.max())
    return _Limit(last, int(sketch.found[sketch.rank == last].max()))
