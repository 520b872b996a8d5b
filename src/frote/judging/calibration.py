"""Whether probabilities can be taken at their word: Brier score, log loss, and confidence against accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from sklearn.metrics import brier_score_loss, log_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Calibration", "brier", "calibration_error", "logarithmic", "reliability"]

BINS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """How good the probabilities of a model are.

    Parameters
    ----------
    brier, log_loss, calibration_error : float
        See the functions of these names.

    bins : DataFrame
        A line for each tenth of confidence, from `reliability`.
    """

    brier: float
    log_loss: float
    calibration_error: float
    bins: pd.DataFrame

    @classmethod
    def of(cls, labels: NDArray[np.intp], predicted: NDArray[np.intp], chances: NDArray[np.float64]) -> Calibration:
        """Judge probabilities by the labels, and by what was predicted from them.

        Parameters
        ----------
        labels, predicted : ndarray of int
            The rows' own classes and the predicted ones.

        chances : ndarray of float, shape (rows, classes)
            The probability that a model gives to each class.

        Returns
        -------
        Calibration
        """
        bins = reliability(chances[np.arange(len(labels)), predicted], predicted == labels)
        return cls(brier(labels, chances), logarithmic(labels, chances), calibration_error(bins), bins)


def brier(labels: NDArray[np.intp], chances: NDArray[np.float64]) -> float:
    """Return the Brier score as scikit-learn defines it.

    Of two classes it counts the squared error of one, from 0 to 1; of more the sum over all of them, from 0 to 2.

    Parameters
    ----------
    labels : ndarray of int
        The rows' classes.

    chances : ndarray of float, shape (rows, classes)
        The probability that a model gives to each class.

    Returns
    -------
    float

    Examples
    --------
    >>> brier(np.array([0, 1]), np.array([[0.5, 0.5], [0.0, 1.0]]))
    0.125
    """
    classes = chances.shape[1]
    # Of one class alone there is nothing to be wrong about, and scikit-learn does not ask.
    return float(brier_score_loss(labels, chances, labels=np.arange(classes))) if classes > 1 else 0.0


def logarithmic(labels: NDArray[np.intp], chances: NDArray[np.float64]) -> float:
    """Return the log loss; a class that was given no chance counts as almost none, as scikit-learn has it.

    Examples
    --------
    >>> round(logarithmic(np.array([0, 1]), np.array([[0.5, 0.5], [0.0, 1.0]])), 4)
    0.3466
    """
    classes = chances.shape[1]
    return float(log_loss(labels, chances, labels=np.arange(classes))) if classes > 1 else 0.0


def reliability(confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> pd.DataFrame:
    """Return how often predictions are right, by how sure the model was: tenths of confidence that occur.

    Parameters
    ----------
    confidence : ndarray of float
        The probability that the model gives to the class that it predicts.

    right : ndarray of bool
        Whether that is the row's class.

    Returns
    -------
    DataFrame
        For each bin, from `low` (exclusive, but for 0) to `high`: rows, mean confidence, accuracy.

    Examples
    --------
    >>> reliability(np.array([0.75, 0.8, 0.95]), np.array([True, False, True]))
       low  high  rows  confidence  accuracy
    0  0.7   0.8     2       0.775       0.5
    1  0.9   1.0     1       0.950       1.0
    """
    edges = np.arange(BINS + 1) / BINS
    bins = np.clip(np.searchsorted(edges, confidence) - 1, 0, BINS - 1)
    rows = np.bincount(bins, minlength=BINS)
    seen = np.flatnonzero(rows)
    return pd.DataFrame(
        {
            "low": edges[seen],
            "high": edges[seen + 1],
            "rows": rows[seen],
            "confidence": np.bincount(bins, confidence, BINS)[seen] / rows[seen],
            "accuracy": np.bincount(bins, right, BINS)[seen] / rows[seen],
        }
    )


def calibration_error(bins: pd.DataFrame) -> float:
    """Return the expected calibration error: the mean distance of accuracy from confidence, over all rows.

    Examples
    --------
    >>> bins = reliability(np.array([0.75, 0.8, 0.95]), np.array([True, False, True]))
    >>> round(calibration_error(bins), 3)
    0.2
    """
    return float(np.average((bins["accuracy"] - bins["confidence"]).abs(), weights=bins["rows"]))
