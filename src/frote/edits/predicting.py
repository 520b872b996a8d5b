"""What a model of a file predicts for a table: a label for each row, and the probability of each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.coverage.answers import Answers
from frote.exceptions import ModelError

if TYPE_CHECKING:
    from frote.table import TypedFrame

__all__ = ["PREDICTION", "predictions"]

PREDICTION = "prediction"


def predictions(model: Any, X: pd.DataFrame | TypedFrame) -> pd.DataFrame:
    """Ask a model about a table.

    Parameters
    ----------
    model : classifier
        The model.

    X : DataFrame
        The rows; the model finds its own columns.

    Returns
    -------
    DataFrame
        For each row, in order, the label in `prediction` and, if the model gives probabilities, that of each class in
        ``probability CLASS``.

    Raises
    ------
    TableError, ModelError
        If the table lacks a column of the model, or what the model says is no answer.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> X = pd.DataFrame({"age": [20, 40, 60]})
    >>> predictions(DummyClassifier().fit(X, ["no", "yes", "yes"]), X[:1]).round(2)
      prediction  probability no  probability yes
    0        yes            0.33             0.67
    """
    said = Answers.of(model, X, chances=True)
    columns = {PREDICTION: _one_type(said.predicted)}
    if said.chances is not None:
        classes = said.classes or []
        if said.chances.shape[1] != len(classes):
            raise ModelError(
                f"predict_proba of {said.who} gave {said.chances.shape[1]} probabilities for each row, and the model "
                f"tells of {len(classes)} classes."
            )
        columns |= {f"probability {label}": chances for label, chances in zip(classes, said.chances.T, strict=True)}
        if len(columns) <= len(classes):
            raise ModelError(f"Classes of {said.who} are written alike, so that no table can have a column for each.")
    return pd.DataFrame(columns)


def _one_type(labels: Any) -> Any:
    """Return labels as a column of one type where they are of one: NumPy's texts as texts of Python."""
    return labels.astype(object) if labels.dtype.kind in "US" else np.asarray(labels)
