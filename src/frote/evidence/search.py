"""Branch and bound over the cells of an ensemble: by how much the rule's class is ahead of any other, at least.

In a box of cells, each tree adds at least the least of the leaves that can be reached; the sum over trees bounds what
any row of the box can get. A box whose bound is above zero is done with; of the others, the one with the lowest bound
is split by a leaf that the bound is made of. A box in which every tree has one leaf left is a single answer, and the
model itself is asked for it, so that ties and roundings are its own.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from frote.evidence.front import CONSTANT

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from frote.evidence.cells import Cells
    from frote.evidence.ensemble import Ensemble, Tree

__all__ = ["Budget", "Found", "least_margin"]

TRIED = 4  # columns by which a box is split on trial
STARTS, DESCENTS = 256, 8  # points drawn before the search, and those of them that are improved
WORD = 64


@dataclass
class Budget:
    """How much a search may cost.

    Parameters
    ----------
    boxes : int
        How many boxes may still be looked at.

    until : float, default=inf
        When the clock, as `time.monotonic` counts, ends it.
    """

    boxes: int
    until: float = math.inf
    spent: int = 0

    def spend(self) -> bool:
        """Take one box; False if there is none left."""
        if self.spent >= self.boxes or (self.until < math.inf and time.monotonic() > self.until):
            return False
        self.spent += 1
        return True


@dataclass(frozen=True, slots=True)
class Found:
    """What a search ended with.

    Parameters
    ----------
    bound : float
        By how much the rule's class is ahead of any other, at least, as far as was found out.

    row : object or None
        A row that the model answers otherwise.

    done : bool
        Whether nothing is left open.
    """

    bound: float
    row: object = None
    done: bool = True


class _Leaves:
    """The leaves of all trees that some row of the box reaches, as sets of cells in bits."""

    def __init__(self, ensemble: Ensemble, cells: Cells, rule_class: int) -> None:
        counts = cells.counts()
        words = [-(-count // WORD) for count in counts]
        ends = np.cumsum(words)
        self.slices = [slice(int(end - width), int(end)) for end, width in zip(ends, words, strict=True)]
        self.starts = np.array([part.start for part in self.slices])
        everything = {place: (1 << count) - 1 for place, count in enumerate(counts)}
        self.whole = np.concatenate([_packed(everything[place], width) for place, width in enumerate(words)])
        left = [
            (column, bool(goes[0]) if column == CONSTANT else sum(1 << int(place) for place in np.flatnonzero(goes)))
            for column, goes in cells.left
        ]
        boxes: list[NDArray[np.uint64]] = []
        trees: list[int] = []
        values: list[NDArray[np.float64]] = []
        for place, tree in enumerate(ensemble.trees):
            for masks, value in _reached(tree, left, everything):
                line = self.whole.copy()
                for column, mask in masks.items():
                    line[self.slices[column]] = _packed(mask, words[column])
                boxes.append(line)
                trees.append(place)
                values.append(value)
        self.words = np.array(boxes)
        self.tree = np.array(trees)
        scores = np.array(values)
        others = [code for code in range(scores.shape[1]) if code != rule_class]
        self.ahead = scores[:, [rule_class]] - scores[:, others]
        self.base = ensemble.base[rule_class] - ensemble.base[others]
        largest = np.maximum.reduceat(np.abs(scores).max(axis=1), np.flatnonzero(np.diff(self.tree, prepend=-1)))
        total = float(largest.sum() + np.abs(ensemble.base).max())
        self.slack = ensemble.rounding * max(1.0, total) if total else 0.0

    def firsts(self, reached: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return where each tree's leaves begin among those reached."""
        return np.flatnonzero(np.diff(self.tree[reached], prepend=-1))

    def bound(self, reached: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return, for each other class, by how much the rule's class is ahead of it at least."""
        least = np.minimum.reduceat(self.ahead[reached], self.firsts(reached), axis=0)
        return np.asarray(self.base + least.sum(axis=0))

    def within(self, reached: NDArray[np.intp], column: int, words: NDArray[np.uint64]) -> NDArray[np.intp]:
        """Return which of some leaves are still reached if a column is narrowed to some of its cells."""
        return reached[(self.words[reached, self.slices[column]] & words).any(axis=1)]

    def met(self, point: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Tell for each leaf and column whether the leaf holds the column's cell at a point."""
        bits = np.uint64(1) << (point % WORD).astype(np.uint64)
        return np.asarray((self.words[:, self.starts + point // WORD] & bits) != 0)

    def margin(self, point: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return by how much the rule's class is ahead of each other at a point: a cell of each column."""
        return np.asarray(self.base + self.ahead[self.met(point).all(axis=1)].sum(axis=0))

    def descended(self, point: NDArray[np.intp]) -> tuple[float, NDArray[np.intp]]:
        """Move a point, one column at a time, to where the rule's class is least ahead."""
        point = point.copy()
        best = float(self.margin(point).min())
        improved = True
        while improved:
            improved = False
            met = self.met(point)
            missed = met.shape[1] - met.sum(axis=1)
            for column in range(len(self.starts)):
                # Leaves that all other columns lead to: of each tree one for each cell of this column.
                able = (missed == 0) | ((missed == 1) & ~met[:, column])
                part = self.slices[column]
                bits = _bits(self.words[able, part])
                scores = (self.base[:, None] + self.ahead[able].T @ bits).min(axis=0)
                scores[~_bits(self.whole[part])] = math.inf
                cell = int(scores.argmin())
                if scores[cell] < best - 1e-12:
                    best, point[column], improved = float(scores[cell]), cell, True
                    met = self.met(point)
                    missed = met.shape[1] - met.sum(axis=1)
        return best, point


def _packed(mask: int, words: int) -> NDArray[np.uint64]:
    return np.frombuffer(mask.to_bytes(words * 8, "little"), dtype=np.uint64)


def _bits(words: NDArray[np.uint64]) -> NDArray[np.bool_]:
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little").astype(bool)


def _reached(
    tree: Tree, left: list[tuple[int, int | bool]], everything: dict[int, int]
) -> list[tuple[dict[int, int], NDArray[np.float64]]]:
    """Return the leaves of a tree that some cells reach: which cells, of columns that are tested, and the values."""
    leaves = []
    waiting: list[tuple[int, dict[int, int]]] = [(0, {})]
    while waiting:
        node, masks = waiting.pop()
        split = tree.splits[node]
        if split < 0:
            leaves.append((masks, tree.values[node]))
            continue
        column, goes = left[split]
        if column == CONSTANT:
            waiting.append((tree.left[node] if goes else tree.right[node], masks))
            continue
        here = masks.get(column, everything[column])
        for child, mask in ((tree.right[node], here & ~goes), (tree.left[node], here & goes)):
            if mask:
                waiting.append((child, {**masks, column: mask}))
    return leaves


def least_margin(
    ensemble: Ensemble,
    cells: Cells,
    rule_class: int,
    disagrees: Callable[[NDArray[np.intp]], object | None],
    budget: Budget,
) -> Found:
    """Search for a row that the ensemble answers otherwise than by the rule's class, or show that there is none.

    Parameters
    ----------
    ensemble : Ensemble
        The trees.

    cells : Cells
        The cells of each column.

    rule_class : int
        The class that is wanted.

    disagrees : callable
        Asks the model itself about a point, a cell of each column: a row that it answers otherwise, else None.

    budget : Budget
        How much it may cost.

    Returns
    -------
    Found
    """
    leaves = _Leaves(ensemble, cells, rule_class)
    everyone = np.arange(len(leaves.tree))
    bound = float(leaves.bound(everyone).min())
    if bound > leaves.slack:
        budget.spend()
        return Found(bound)
    row = _tried(leaves, cells, disagrees)
    if row is not None:
        return Found(bound, row)
    counter = itertools.count()
    waiting = [(bound, next(counter), leaves.whole, everyone)]
    lowest_closed = math.inf
    while waiting:
        if not budget.spend():
            return Found(min(waiting[0][0], lowest_closed), done=False)
        bound, _, box, reached = heapq.heappop(waiting)
        firsts = leaves.firsts(reached)
        if len(firsts) == len(reached):
            row = disagrees(_highest(leaves, _bits(box)))
            if row is not None:
                return Found(bound, row)
            lowest_closed = min(lowest_closed, bound)
            continue
        opened = _Opened.of(leaves, box, reached, firsts)
        point = opened.voted()
        if leaves.margin(point).min() <= leaves.slack:
            row = disagrees(point)
            if row is not None:
                return Found(bound, row)
        for half, inside in opened.split():
            lower = float(leaves.bound(inside).min())
            if lower > leaves.slack:
                lowest_closed = min(lowest_closed, lower)
            else:
                heapq.heappush(waiting, (max(lower, bound), next(counter), half, inside))
    return Found(lowest_closed)


def _tried(leaves: _Leaves, cells: Cells, disagrees: Callable[[NDArray[np.intp]], object | None]) -> object | None:
    """Look for a row before the search: from points drawn at random, always the same, downhill."""
    rng = np.random.default_rng(0)
    points = np.array([rng.integers(count, size=STARTS) for count in cells.counts()], dtype=np.intp).T
    margins = [float(leaves.margin(point).min()) for point in points]
    for place in np.argsort(margins, kind="stable")[:DESCENTS]:
        margin, point = leaves.descended(points[place])
        if margin <= leaves.slack:
            row = disagrees(point)
            if row is not None:
                return row
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Opened:
    """A box of rows that more than one leaf of a tree reaches.

    Parameters
    ----------
    leaves : _Leaves
        All leaves.

    box : ndarray of uint64
        The cells of the box.

    reached : ndarray of int
        The leaves that it reaches.

    least : ndarray of int
        The leaf of each tree that the bound is made of.

    gaps : ndarray of float
        How much each tree could be above that leaf.
    """

    leaves: _Leaves
    box: NDArray[np.uint64]
    reached: NDArray[np.intp]
    least: NDArray[np.intp]
    gaps: NDArray[np.float64]

    @classmethod
    def of(
        cls, leaves: _Leaves, box: NDArray[np.uint64], reached: NDArray[np.intp], firsts: NDArray[np.intp]
    ) -> _Opened:
        """Look for the leaves by which the class is ahead least, of the class that comes closest."""
        worst = int(leaves.bound(reached).argmin())
        ahead = leaves.ahead[reached, worst]
        least = reached[np.lexsort((ahead, leaves.tree[reached]))[firsts]]
        gaps = np.asarray(np.maximum.reduceat(ahead, firsts) - leaves.ahead[least, worst])
        return cls(leaves, box, reached, least, gaps)

    def voted(self) -> NDArray[np.intp]:
        """Return the point that most of the least leaves hold, each column by itself."""
        votes = self.gaps @ _bits(self.leaves.words[self.least])
        votes[~_bits(self.box)] = -1.0
        return _highest(self.leaves, votes)

    def split(self) -> list[tuple[NDArray[np.uint64], NDArray[np.intp]]]:
        """Split the box by one of the least leaves, along the column that raises the bounds of both halves most."""
        beyond = self.box & ~self.leaves.words[self.least]
        weights = []
        for column, part in enumerate(self.leaves.slices):
            narrower = beyond[:, part].any(axis=1)
            if narrower.any():
                worth = -float(self.gaps[narrower].sum())
                weights.append((worth, column, int(np.where(narrower, self.gaps, -1.0).argmax())))
        best: list[tuple[NDArray[np.uint64], NDArray[np.intp]]] = []
        best_score = -math.inf
        for _, column, tree in sorted(weights)[:TRIED]:
            halves, score = self._halved(column, tree, beyond)
            if score > best_score:
                best, best_score = halves, score
        return best

    def _halved(
        self, column: int, tree: int, beyond: NDArray[np.uint64]
    ) -> tuple[list[tuple[NDArray[np.uint64], NDArray[np.intp]]], float]:
        """Split the box along a column by the least leaf of a tree, and say how much the bounds rise."""
        leaves, part = self.leaves, self.leaves.slices[column]
        halves, bounds = [], []
        for words in (self.box[part] & leaves.words[self.least[tree], part], beyond[tree, part]):
            half = self.box.copy()
            half[part] = words
            inside = leaves.within(self.reached, column, words)
            halves.append((half, inside))
            bounds.append(min(float(leaves.bound(inside).min()), leaves.slack * 2))  # above it, no more is gained
        return halves, 0.8 * min(bounds) + 0.2 * max(bounds)


def _highest(leaves: _Leaves, values: NDArray[np.generic]) -> NDArray[np.intp]:
    """Return the cell of each column that has the highest value, the first of equals."""
    return np.array(
        [int(values[part.start * WORD : part.stop * WORD].argmax()) for part in leaves.slices], dtype=np.intp
    )
