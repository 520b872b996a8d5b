"""The rows by which a model learns what a switch means: covered rows and synthetic ones, with the labels of rules.

The data stay as they are, with their own labels and all switches off, covered rows too. So a model learns from the data
what it always learned, and from these rows alone what to do where a switch is on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from frote.loop.modify import share_labels
from frote.loop.proposal import NOBODY, NoModel, Proposer
from frote.loop.rows import Batch, Rows
from frote.selection import Uniform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.generation.making import Making

__all__ = ["Lesson"]

WEAK_SHARE = 0.75  # as in an edit by data
LEAST, SHARE = 50, 0.05  # rows that each rule gets at first: so many, or such a share of the data
GROWTH = 4  # times as many rows where they were too few
MOST, MOST_SHARE = 2000, 4  # and no more than these
NOWHERE = np.empty(0, dtype=np.intp)


class Lesson:
    """Rows for the switches of rules, more and more of them.

    Parameters
    ----------
    making : Making
        What rows are made with.

    rows : Rows
        The data, with their own labels.

    live : ndarray of bool
        Which rules as written get rows: a rule all of whose rows belong to others has none.

    seed : int
        The seed of the run.
    """

    def __init__(self, making: Making, rows: Rows, live: NDArray[np.bool_], seed: int) -> None:
        self._making, self._rows, self._seed = making, rows, seed
        self._proposer = Proposer(making, rows, Uniform(), WEAK_SHARE)
        self._bases = self._proposer.populations(rows)
        self._wanted = np.where(live, max(LEAST, round(SHARE * len(rows))), 0)
        self._most = max(MOST, MOST_SHARE * len(rows))
        self.batches: tuple[tuple[int, Batch], ...] = ()

    def begin(self) -> None:
        """Take covered rows, each once, and as many synthetic ones as each rule lacks."""
        if len(self._rows.attribution.outside) < len(self._rows):
            self._add(1, self._copies())
        self._fill(1)

    def grow(self, rules: NDArray[np.bool_], step: int) -> bool:
        """Make more rows for some rules; tell whether there are any more."""
        wanted = np.minimum(self._wanted * np.where(rules, GROWTH, 1), np.maximum(self._most, self._wanted))
        if not (wanted > self._wanted).any():
            return False
        self._wanted = wanted
        return self._fill(step)

    def _fill(self, step: int) -> bool:
        lacking = np.maximum(self._wanted - self._owned(), 0)
        if lacking.any():
            rng = np.random.default_rng([self._seed, 6, step])
            quotas = tuple(lacking.tolist())
            self._add(step, self._proposer.propose(self._rows, self._bases, quotas, rng, NoModel()))
        return bool(lacking.any())

    def _owned(self) -> NDArray[np.intp]:
        owners = [batch.rows.attribution.owner for _, batch in self.batches]
        return np.bincount(np.concatenate([NOWHERE, *owners]), minlength=len(self._wanted))

    def _copies(self) -> Batch:
        rows = self._rows
        covered = np.flatnonzero(rows.attribution.owner >= 0)
        piece = rows.attribution.piece[covered]
        alone, strong = np.full(len(covered), NOBODY), np.ones(len(covered), dtype=bool)
        return Batch(rows.take(covered), piece, covered, alone, strong)

    def _add(self, step: int, batch: Batch) -> None:
        """Take rows, labelled by the rules that they belong to: exactly as often as these say."""
        rng = np.random.default_rng([self._seed, 7, step, len(self.batches)])
        rows = batch.rows
        labels = share_labels(self._making.ruling, rows.attribution.owner, rows.own, rng)
        self.batches = (*self.batches, (step, replace(batch, rows=replace(rows, labels=labels))))

    def made_for(self, step: int) -> tuple[int, ...]:
        """Return how many rows were added for each rule at a step."""
        pieces = [batch.piece for one, batch in self.batches if one == step]
        return self._making.ruling.per_rule(np.concatenate([NOWHERE, *pieces]))
