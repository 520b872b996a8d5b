"""Twins and guards: rows just outside each rule, labelled by the model as it was.

*Twins* are trained on, beside the rows inside that they were made from: they say where a rule ends. *Guards* are twins
of probes; models are measured on them and never trained.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from frote.loop.rows import Batch, Rows
from frote.table import TypedFrame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from frote.generation.making import Making
    from frote.generation.outside import Outside
    from frote.loop.initial import Initial

__all__ = ["Guards", "Twins"]

SPILLED = 0.3  # twins of each row for a loss outside that is as much as agreement lacks
CANDIDATES = 4  # twins that are made for each one wanted, where the current model can be asked


@dataclass(frozen=True, slots=True, eq=False)
class Guards:
    """Rows just outside the rules that models are measured on and never trained on.

    Parameters
    ----------
    rows : Rows
        The rows, with the answers of the initial model for labels.

    rule : ndarray of int
        The rule as written that each of them lies beside.

    costs : ndarray of float, shape (rows, classes + 1)
        What each answer costs; see `Initial.costs`.
    """

    rows: Rows
    rule: NDArray[np.intp]
    costs: NDArray[np.float64]

    @classmethod
    def of(cls, twins: Batch, initial: Initial) -> Guards:
        """Take twins of probes for guards."""
        costs = initial.costs(twins.rows.shown, twins.rows.labels)
        return cls(twins.rows, twins.rows.attribution.ruling.origin[twins.piece], costs)

    def __len__(self) -> int:
        return len(self.rule)

    def cost(self, predicted: NDArray[np.intp]) -> float:
        """Return what answers cost on the mean, every rule counting alike; NaN if there is no guard."""
        costs = self.costs[np.arange(len(self)), predicted]
        means = [costs[self.rule == rule].mean() for rule in np.unique(self.rule)]
        return float(np.mean(means)) if means else math.nan


@dataclass(frozen=True, slots=True, eq=False)
class Twins:
    """Makes twins.

    Parameters
    ----------
    making : Making
        What rows are made with.

    outside : Outside
        Moves rows out of their rules.

    most : float, default=1.0
        How many twins there are at most for each row inside.
    """

    making: Making
    outside: Outside
    most: float = 1.0

    def each(self, loss: float | None, lacking: Sequence[float]) -> float:
        """Return how many twins each row inside is to have, by what the current model needs more.

        A model that keeps to the rules and spills gets as many as there may be, and one that still has to learn the
        rules gets few: they go by what it loses outside for what its agreement lacks.

        Parameters
        ----------
        loss : float or None
            The loss outside of the current model; None if it is not measured: then there are as many as there may be.

        lacking : sequence of float
            What agreement with each rule lacks.

        Returns
        -------
        float

        Examples
        --------
        >>> round(Twins(None, None, most=1.0).each(0.05, [0.0, 0.2]), 3)
        0.15
        """
        inside = float(np.mean(lacking)) if len(lacking) else 0.0
        if loss is None or inside <= 0:
            return self.most
        return min(self.most, SPILLED * loss / inside)

    def of(
        self,
        batch: Batch,
        each: float,
        before: Callable[[TypedFrame], NDArray[np.intp]],
        rng: np.random.Generator,
        now: Callable[[TypedFrame], NDArray[np.intp]] | None = None,
    ) -> Batch:
        """Make twins of the rows of a batch, so many for each.

        Parameters
        ----------
        batch : Batch
            Rows inside rules.

        each : float
            How many twins each of them has, on the mean.

        before : callable
            What the initial model says of rows, which becomes the twins' label.

        rng : numpy Generator
            The source of all chance.

        now : callable, default=None
            What the current model says of rows. Where it is known, more twins are made than wanted, and those that it
            answers otherwise are taken first: where it has not moved, there is nothing to teach.

        Returns
        -------
        Batch
        """
        count = round(each * len(batch))
        if now is None:
            return self._made(batch, count, before, rng)
        made = self._made(batch, CANDIDATES * count, before, rng)
        if len(made) <= count:
            return made
        order = rng.permutation(len(made))
        moved = (now(made.rows.shown) != made.rows.labels)[order]
        return made.take(np.sort(order[np.argsort(~moved, kind="stable")][:count]))

    def _made(
        self, batch: Batch, count: int, before: Callable[[TypedFrame], NDArray[np.intp]], rng: np.random.Generator
    ) -> Batch:
        """Move rows out, each about as often as the other; the initial model answers for them."""
        whole, rest = divmod(count, max(len(batch), 1))
        source = np.concatenate([np.tile(np.arange(len(batch)), whole), rng.permutation(len(batch))[:rest]])
        source = source.astype(np.intp)
        moved = self.outside.moved(batch.rows.table.take(source), batch.piece[source], rng)
        source = source[moved.source]
        shown = TypedFrame(moved.table)
        labels = before(shown) if len(moved) else np.empty(0, dtype=np.intp)
        known = np.flatnonzero(labels >= 0)
        if len(known) < len(labels):
            shown, source, labels = shown.take(known), source[known], labels[known]
        return Batch(
            Rows.of(self.making, shown, labels, labels, np.ones(len(source), dtype=bool)),
            batch.piece[source],
            batch.base[source],
            moved.donor[known],
            np.zeros(len(source), dtype=bool),
        )
