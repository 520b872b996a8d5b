"""Rows brought to one place: those with the smallest hashes of their keys, the same ones for any partitioning.

A row's key is its position in the whole. How many rows there are is known, and hashes are spread evenly, so that a
partition can tell by itself which of its rows may be among the smallest of all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.dask.frames import computed, folded
from frote.keys import hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.dask.whole import LazyRows

__all__ = ["SAMPLE", "brought", "drawn", "likely_below"]

SAMPLE = 100_000  # rows that are brought to one place where nothing else is said
SURE = 8  # standard deviations by which more rows are looked at than are wanted
ALL = np.uint64(2**64 - 1)


def likely_below(count: int, rows: int) -> np.uint64:
    """Return a number that at least so many of the hashes of all rows are below, but for a chance of 1 in 10 ** 15.

    Examples
    --------
    >>> from frote.keys import hashes
    >>> below = hashes(np.arange(100_000), 7, "sample") <= likely_below(1_000, 100_000)
    >>> 1_000 <= below.sum() <= 1_600
    np.True_
    """
    share = (count + SURE * math.sqrt(count) + SURE**2) / max(rows, 1)
    return ALL if share >= 1 else np.uint64(int(share * 2**64))


@dataclass(frozen=True, slots=True)
class Drawing:
    """Which rows of a partition may be among those with the smallest hashes."""

    below: np.uint64
    seed: int
    purpose: str

    def at(self, start: int, rows: int) -> tuple[NDArray[np.intp], NDArray[np.uint64]]:
        """Return their places in a partition that begins at some position of the whole, and their hashes."""
        own = hashes(np.arange(start, start + rows), self.seed, self.purpose)
        places = np.flatnonzero(own <= self.below)
        return places, own[places]


def drawn(rows: LazyRows, count: int, seed: int, purpose: str) -> Drawing:
    """Return what draws so many rows of a Dask frame."""
    return Drawing(likely_below(count, len(rows)), seed, purpose)


def smallest_of(found: NDArray[np.uint64], count: int) -> NDArray[np.intp]:
    """Return the places, increasing, of the smallest of some hashes."""
    if len(found) <= count:
        return np.arange(len(found))
    return np.sort(np.argpartition(found, count)[:count])


@dataclass(frozen=True, slots=True, eq=False)
class _Bringing:
    drawing: Drawing
    starts: tuple[int, ...]

    def at(self, place: int, frame: pd.DataFrame, y: Any) -> dict[int, tuple[pd.DataFrame, Any, NDArray[np.uint64]]]:
        places, found = self.drawing.at(self.starts[place], len(frame))
        return {place: (frame.iloc[places], None if y is None else y.iloc[places], found)}


def brought(rows: LazyRows, count: int, seed: int, purpose: str) -> tuple[pd.DataFrame, Any]:
    """Bring the rows with the smallest hashes to one place, with their labels, in their order in the whole.

    Parameters
    ----------
    rows : LazyRows
        The rows.

    count : int
        How many; all of them where there are no more.

    seed : int
        Where the chance comes from.

    purpose : str
        What it is for.

    Returns
    -------
    frame, labels : DataFrame, Series or None
    """
    drawing = drawn(rows, count, seed, purpose)
    parts = computed(folded(rows.each(_Bringing(drawing, rows.survey.starts)), side_by_side))
    in_order = [parts[place] for place in sorted(parts)]
    chosen = smallest_of(np.concatenate([found for *_, found in in_order]), count)
    return stacked([frame for frame, *_ in in_order]).iloc[chosen], (
        None if rows.y is None else stacked([y for _, y, _ in in_order]).iloc[chosen]
    )


def side_by_side(parts: list[dict[int, Any]]) -> dict[int, Any]:
    """Put what partitions told together, by their places."""
    return {place: told for part in parts for place, told in part.items()}


def stacked(parts: list[Any]) -> Any:
    """Stack frames or series of one type; empty ones are left out, unless all are empty."""
    return pd.concat([part for part in parts if len(part)] or parts[:1])
