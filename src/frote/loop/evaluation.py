"""Which rows a new model is compared on with the current one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.loop.objective import Objective, Scores
    from frote.loop.task import Batch, Rows, Task
    from frote.loop.training import Trainer

__all__ = ["ActiveRows", "Evaluation", "HeldOut", "Incumbent"]


@dataclass(frozen=True, slots=True, eq=False)
class Incumbent:
    """The current model with what is known of it.

    Parameters
    ----------
    model : estimator
        The model.

    rows : Rows
        The training data it was fitted to.

    predicted : ndarray of int
        What it predicts for them.

    support : tuple of int
        How many of them each rule as written covers.

    scores : Scores
        The scores it was accepted with.
    """

    model: Any
    rows: Rows
    predicted: NDArray[np.intp]
    support: tuple[int, ...]
    scores: Scores


class Evaluation(Protocol):
    """A way to compare models."""

    def first(self, rows: Rows, model: Any, predicted: NDArray[np.intp]) -> Scores:
        """Score the first model, fitted to the data without any synthetic row."""

    def compare(
        self, incumbent: Incumbent, batch: Batch, rows: Rows, model: Any, predicted: NDArray[np.intp]
    ) -> tuple[Scores, Scores]:
        """Score the current model, and one fitted to `rows` (the data with a batch) and its predictions for them."""


@dataclass(frozen=True, slots=True)
class ActiveRows:
    """Compare on the training data before the batch.

    While some rule covers fewer rows than it needs there, what models do with it cannot show; then both are scored on
    the data with the batch.

    Parameters
    ----------
    task, objective, trainer
        What is scored, how, and who predicts.

    least : int
        How many rows each rule must cover for the batch to be left out.

    remember : bool
        Whether the current model keeps the score that it was accepted with, on the fewer rows of that time, as in the
        paper's Algorithm 1; else it is scored on the same rows as the new one.
    """

    task: Task
    objective: Objective
    trainer: Trainer
    least: int
    remember: bool = False

    def first(self, rows: Rows, model: Any, predicted: NDArray[np.intp]) -> Scores:
        """Score on the rows that the model was fitted to."""
        return self._score(rows, predicted, model)

    def compare(
        self, incumbent: Incumbent, batch: Batch, rows: Rows, model: Any, predicted: NDArray[np.intp]
    ) -> tuple[Scores, Scores]:
        """Score on the data before the batch, or with it while rules lack support."""
        if min(incumbent.support) < self.least:
            old = np.concatenate([incumbent.predicted, self.trainer.predict(incumbent.model, batch.rows.frame)])
            return self._score(rows, old, incumbent.model), self._score(rows, predicted, model)
        new = self._score(incumbent.rows, predicted[: len(incumbent.rows)], model)
        if self.remember:
            return incumbent.scores, new
        return self._score(incumbent.rows, incumbent.predicted, incumbent.model), new

    def _score(self, rows: Rows, predicted: NDArray[np.intp], model: Any) -> Scores:
        return self.objective.score(self.task, rows, predicted, model, self.trainer.natives)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Compare on rows that are never trained on.

    Parameters
    ----------
    task, objective, trainer
        What is scored, how, and who predicts.

    held : Rows
        The validation data.
    """

    task: Task
    objective: Objective
    trainer: Trainer
    held: Rows

    def first(self, rows: Rows, model: Any, predicted: NDArray[np.intp]) -> Scores:  # noqa: ARG002
        """Score on the held-out rows."""
        held = self.trainer.predict(model, self.held.frame)
        return self.objective.score(self.task, self.held, held, model, self.trainer.natives)

    def compare(
        self,
        incumbent: Incumbent,
        batch: Batch,  # noqa: ARG002
        rows: Rows,
        model: Any,
        predicted: NDArray[np.intp],
    ) -> tuple[Scores, Scores]:
        """Score on the held-out rows; the current model's score on them does not change."""
        return incumbent.scores, self.first(rows, model, predicted)
