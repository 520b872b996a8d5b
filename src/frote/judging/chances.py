"""The probabilities of a model, with a column for each class that anyone knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frote.exceptions import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.answers import Answers
    from frote.coverage.labels import Labels

__all__ = ["chances_for"]


def chances_for(answers: Answers, labels: Labels) -> NDArray[np.float64] | None:
    """Return the probabilities that a model gives to classes, some of which it may not know.

    Parameters
    ----------
    answers : Answers
        What it said.

    labels : Labels
        All classes, those of the model among them.

    Returns
    -------
    ndarray of float, shape (rows, classes), or None
        None if it has none, or does not tell its classes.

    Raises
    ------
    ModelError
        If there are not as many as rows and classes.

    Examples
    --------
    >>> from frote.coverage.answers import Answers
    >>> from frote.coverage.labels import Labels
    >>> said = Answers(np.array(["no"]), ["no", "yes"], np.array([[0.75, 0.25]]))
    >>> chances_for(said, Labels.known(["perhaps", "no", "yes"]))
    array([[0.  , 0.75, 0.25]])
    """
    given = answers.chances
    if given is None or answers.classes is None:
        return None
    rows, columns = len(answers.predicted), labels.match(answers.classes)
    if given.shape != (rows, len(columns)):
        raise ModelError(
            f"predict_proba of {answers.who} gives an array of shape {given.shape} for {rows:,} rows "
            f"and {len(columns)} classes."
        )
    chances = np.zeros((rows, len(labels.classes)))
    chances[:, columns] = given.clip(0, 1)  # beyond them by rounding alone
    sums = chances.sum(axis=1, keepdims=True)
    if given.dtype.itemsize < chances.dtype.itemsize and np.allclose(sums, 1, atol=1e-4):
        chances /= sums  # scikit-learn would say of single precision that it does not sum to 1
    return chances
