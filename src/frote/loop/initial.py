"""The model as it was before the edit, which answers for all that no rule covers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.said import chances_of, classes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.loop.training import Trainer
    from frote.table import TypedFrame

__all__ = ["Initial"]


@dataclass(frozen=True, eq=False)
class Initial:
    """The estimator trained on the data as they came, when it is first asked for.

    Parameters
    ----------
    trainer : Trainer
        Trains it.

    rows : TypedFrame
        The data.

    labels : ndarray of int
        Their own labels, as codes of classes.

    trained : classifier, default=None
        The same model, where somebody has trained it already.

    weights : ndarray of float or None, default=None
        What the rows weigh.
    """

    trainer: Trainer
    rows: TypedFrame
    labels: NDArray[np.intp]
    trained: Any = None
    weights: NDArray[np.float64] | None = None

    @cached_property
    def model(self) -> Any:
        """The model."""
        if self.trained is not None:
            return self.trained
        with self.trainer.limited():
            return self.trainer.fit(self.rows, self.labels, self.weights)

    def answers(self, rows: TypedFrame, trainer: Trainer | None = None) -> NDArray[np.intp]:
        """Return what it says of rows, as codes of classes; another trainer may count the seconds."""
        model = self.model
        trainer = self.trainer if trainer is None else trainer
        with trainer.limited():
            return trainer.predict(model, rows)

    def costs(self, rows: TypedFrame, answers: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return what another answer than its own would cost, by its own probabilities: for each row and class.

        That is the probability of its own answer less that of the other: little where it is not sure itself. A model
        without probabilities is sure of each answer. The last column is of an answer that is no class.
        """
        labels, places = self.trainer.labels, np.arange(len(rows))
        chances = np.zeros((len(rows), len(labels.classes) + 1))
        classes = classes_of(self.model)
        if classes is None or not hasattr(self.model, "predict_proba") or not len(rows):
            chances[places, answers] = 1.0
        else:
            with self.trainer.limited():
                said = self.model.predict_proba(rows.lent_to(self.model))
            chances[:, labels.codes_for(np.asarray(classes))] = chances_of(said, len(rows), type(self.model).__name__)
        return np.maximum(chances[places, answers][:, np.newaxis] - chances, 0.0)
