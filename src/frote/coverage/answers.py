"""What a model answers about some rows, asked once: whoever judges models by their answers takes these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from frote.coverage.asking import ask, require_predict
from frote.coverage.said import classes_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Answers"]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What a model said of some rows, once.

    Parameters
    ----------
    predicted : ndarray
        A label for each row, as the model gave it.

    classes : list or None
        Its classes, if it tells them.

    chances : ndarray or None, default=None
        Its probabilities, if it has any and was asked for them.

    who : str, default="the model"
        What to call the model in messages.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.dummy import DummyClassifier
    >>> X = pd.DataFrame({"age": [20, 40, 60]})
    >>> said = Answers.of(DummyClassifier().fit(X, ["no", "yes", "yes"]), X, chances=True)
    >>> said.predicted.tolist(), said.classes, said.chances.shape
    (['yes', 'yes', 'yes'], ['no', 'yes'], (3, 2))
    """

    predicted: NDArray[Any]
    classes: list[Any] | None
    chances: NDArray[Any] | None = None
    who: str = "the model"

    @classmethod
    def of(cls, model: Any, X: Any, *, chances: bool = False, whose: str = "the model") -> Answers:
        """Ask a model about a table, as `ask` does.

        Parameters
        ----------
        model : classifier
            The model.

        X : pandas or polars DataFrame, array, or TypedFrame
            The rows.

        chances : bool, default=False
            Whether to ask for probabilities too, if the model has them.

        whose : str, default="the model"
            Which model it is, for messages.

        Returns
        -------
        Answers

        Raises
        ------
        TableError
            If it is nothing that predicts, or the table lacks a column that it cannot do without.

        ModelError
            If what it says is no answer.
        """
        require_predict(model, whose)
        predicted = ask(model, X, whose=whose)
        asked = chances and hasattr(model, "predict_proba")
        given = ask(model, X, "predict_proba") if asked else None
        return cls(predicted, classes_of(model), given, type(model).__name__)

    def take(self, rows: NDArray[np.intp]) -> Answers:
        """Return the answers about some of the rows."""
        chances = None if self.chances is None else self.chances[rows]
        return replace(self, predicted=self.predicted[rows], chances=chances)
