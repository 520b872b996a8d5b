"""Rows that models are judged on and not trained on: a share of the data held out, or validation data."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.caller import warn_caller
from frote.coverage.labels import Labels
from frote.estimators.given_rules import listed
from frote.estimators.input import as_frame
from frote.loop.rows import Rows
from frote.table import TypedFrame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.ruling import Ruling
    from frote.loop.engine import EditLoop, State
    from frote.table import Schema

__all__ = ["choose_held_out", "validation_rows", "with_held_out"]


def choose_held_out(rows: Rows, share: float, seed: int) -> NDArray[np.bool_]:
    """Choose the rows to hold out, a share of every rule's and label's."""
    if not share:
        return np.broadcast_to(np.False_, len(rows))  # of any number of rows, in one byte
    held_out, rng = np.zeros(len(rows), dtype=bool), np.random.default_rng([seed, 3])
    classes = len(rows.attribution.ruling.classes)
    groups = (rows.attribution.owner.astype(np.intp) + 1) * classes + rows.labels
    for group in np.flatnonzero(np.bincount(groups)):
        mine = np.flatnonzero(groups == group)
        held_out[rng.permutation(mine)[: int(share * len(mine))]] = True
    return held_out


def with_held_out(loop: EditLoop, rows: Rows, held_out: NDArray[np.bool_], state: State | None = None) -> State:
    """Put rows that were held out back to their places, and train the last model on everything.

    Where the loss outside is limited, that model is measured again: if it is beyond, the one before it is kept.
    """
    state, bench = loop.state if state is None else state, loop.bench
    trainer = bench.trainer
    positions = np.flatnonzero(~held_out)  # of the rows that the loop had, in all rows

    def moved(old: NDArray[np.intp]) -> NDArray[np.intp]:
        inside = (old >= 0) & (old < len(positions))
        return np.where(inside, positions[np.where(inside, old, 0)], np.where(old < 0, old, old + int(held_out.sum())))

    batches = tuple(
        (step, replace(batch, base=moved(batch.base), neighbour=moved(batch.neighbour)))
        for step, batch in state.batches
    )
    for _, batch in batches:
        rows = rows.stacked(batch.rows)
    try:
        with trainer.limited():
            model = trainer.fit(rows.shown, rows.labels, rows.weights)
    except Exception as error:  # whatever a user's estimator raises must not cost the run
        model = state.incumbent.model
        warn_caller(
            f"The last fit, to all rows, failed ({type(error).__name__}: {error}). The model is the one before it, "
            "trained without the rows held out.",
        )
    loss = _loss(loop, rows, model)
    if bench.most_loss is not None and loss > bench.most_loss:
        model = state.incumbent.model
        warn_caller(
            f"Trained on all rows, the model would lose {loss:.3f} outside the rules, more than max_loss_outside. The "
            "model is the one before it, trained without the rows held out.",
        )
    return replace(state, incumbent=replace(state.incumbent, model=model, rows=rows), batches=batches)


def _loss(loop: EditLoop, rows: Rows, model: Any) -> float:
    """Measure the loss outside of a model where there is a limit to it; one that fails when it is asked loses all."""
    if loop.bench.most_loss is None:
        return math.nan
    try:
        with loop.bench.trainer.limited():
            loss = loop.bench.judge.first(loop.bench.trainer, rows, model).new.loss
    except Exception:  # whatever a user's estimator raises
        return math.inf
    return math.inf if loss is None else loss


def validation_rows(X: Any, y: Any, ruling: Ruling, schema: Schema, training_labels: Labels) -> Rows:
    """Read validation data, with the columns of the training data and no class beyond them."""
    shown = TypedFrame.like(as_frame(X), schema, what="X_val")
    labels = Labels.of(y, len(shown), what="y_val")
    labels.beyond(training_labels, what="y_val", that="y does not have", few=False)
    matched = np.array(training_labels.match(labels.classes), dtype=np.intp)
    rows = Rows.to_judge(ruling, shown, matched[labels.codes])
    unseen = [name for rule, name in enumerate(ruling.names) if not len(rows.attribution.rows_of(rule))]
    if unseen:
        warn_caller(
            f"No validation row is covered by {listed(unseen)}: agreement with it counts for nothing.",
        )
    return rows
