"""Chance that belongs to rows: a hash of (seed, purpose, key), the same on any machine, in any order and partitioning.

A row's key is a number of its own, such as its position in the whole table. What it draws depends on nothing else: not
on the rows beside it, nor on how many were looked at before. The generator is SplitMix64 (Steele, Lea and Flood, 2014),
whose n-th output can be had without those before it; seed and purpose say where its sequence begins.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["EVERY_ROW", "Sample", "hashes", "shares", "smallest"]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIXING = ((30, np.uint64(0xBF58476D1CE4E5B9)), (27, np.uint64(0x94D049BB133111EB)))
LAST_SHIFT = np.uint64(31)
EXACT = 53  # bits that a float64 holds


def hashes(keys: ArrayLike, seed: int, purpose: str) -> NDArray[np.uint64]:
    """Return the hash of each key; no two keys of one seed and purpose have the same.

    Parameters
    ----------
    keys : array-like of int
        The keys, not negative.

    seed : int
        The seed of a run.

    purpose : str
        What the chance is for: that of one purpose tells nothing of that of another.

    Returns
    -------
    ndarray of uint64

    Examples
    --------
    >>> hashes([0, 1, 2], 7, "sample").tolist()
    [9481889171515121504, 11219455520622693348, 9249365960591295555]
    >>> hashes([2], 7, "sample").tolist(), hashes([2], 7, "labels").tolist()
    ([9249365960591295555], [6310030862659013321])
    """
    return _outputs(_start(seed, purpose), np.asarray(keys).astype(np.uint64))


def _start(seed: int, purpose: str) -> np.uint64:
    digest = hashlib.sha256(f"{seed}\0{purpose}".encode()).digest()
    return np.uint64(int.from_bytes(digest[:8], "little"))


def _outputs(start: np.uint64, places: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return SplitMix64's outputs at some places, from 0, when it is seeded with a number."""
    with np.errstate(over="ignore"):  # it counts modulo 2**64
        mixed = (places + np.uint64(1)) * GOLDEN + start
        for shift, factor in MIXING:
            mixed ^= mixed >> np.uint64(shift)
            mixed *= factor
        mixed ^= mixed >> LAST_SHIFT
    return mixed


def shares(keys: ArrayLike, seed: int, purpose: str) -> NDArray[np.float64]:
    """Return for each key a number from 0 up to, and without, 1; the parameters are those of `hashes`.

    Examples
    --------
    >>> shares([0, 1, 2], 7, "sample").round(3).tolist()
    [0.514, 0.608, 0.501]
    """
    return (hashes(keys, seed, purpose) >> np.uint64(64 - EXACT)).astype(np.float64) * 2.0**-EXACT


def smallest(keys: NDArray[np.integer], count: int, seed: int, purpose: str) -> NDArray[np.integer]:
    """Return the keys with the smallest hashes, in increasing order of the keys.

    They are the same however the keys are split: the smallest of all are the smallest among those of each part.

    Parameters
    ----------
    keys : ndarray of int
        The keys, each once.

    count : int
        How many to return; all of them where there are no more.

    seed, purpose
        As for `hashes`.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> parts = np.arange(40), np.arange(40, 100)
    >>> among = np.concatenate([smallest(part, 5, 7, "sample") for part in parts])
    >>> smallest(among, 5, 7, "sample").tolist() == smallest(np.arange(100), 5, 7, "sample").tolist()
    True
    """
    if len(keys) > count:
        keys = keys[np.argpartition(hashes(keys, seed, purpose), count)[:count]]
    return np.sort(keys)


@dataclass(frozen=True, slots=True)
class Sample:
    """Which rows are looked at where all would cost much and tell nothing new: those of the smallest hashes.

    Parameters
    ----------
    most : int or None, default=None
        How many at most; None for all of them.

    seed : int, default=0
        The seed of the run.

    Examples
    --------
    >>> Sample(3, seed=7).of(np.arange(100), "population")
    array([ 1, 22, 26])
    >>> Sample(3, seed=7).of(np.arange(2), "population")
    array([0, 1])
    """

    most: int | None = None
    seed: int = 0

    def of(self, rows: NDArray[np.intp], purpose: str) -> NDArray[np.intp]:
        """Return the rows to look at, given increasing positions; as they are if there are no more than that."""
        if self.most is None or len(rows) <= self.most:
            return rows
        return smallest(rows, self.most, self.seed, purpose).astype(np.intp, copy=False)


EVERY_ROW = Sample()
