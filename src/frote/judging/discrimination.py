"""How well probabilities tell one class from the others: AUC, Gini, KS, average precision; and how far they moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["area", "average_precision", "kolmogorov_smirnov", "stability_index"]

BINS = 10  # of the stability index
LEAST = 1e-4  # the share of a bin that no row falls into, so that its logarithm is finite


def area(labels: NDArray[np.intp], chances: Floats) -> float:
    """Return the area under the ROC curve; of more than two classes, each against the rest, weighted by its rows.

    Parameters
    ----------
    labels : ndarray of int
        The rows' classes.

    chances : ndarray of float, shape (rows, classes)
        The probability that a model gives to each class.

    Returns
    -------
    float
        NaN if all rows are of one class.

    Examples
    --------
    Of the four pairs of a row of each class, three are in order:

    >>> chance = np.array([0.1, 0.4, 0.3, 0.8])
    >>> area(np.array([0, 0, 1, 1]), np.column_stack([1 - chance, chance]))
    0.75
    """
    return _over_classes(labels, chances, lambda own, chance: float(roc_auc_score(own, chance)))


def kolmogorov_smirnov(labels: NDArray[np.intp], chances: Floats) -> float:
    """Return the KS statistic: how far the distributions of the scores of two classes lie apart at most.

    Of more than two classes it is taken as for `area`, whose parameters it has.

    Examples
    --------
    At 0.4 all rows of the one class are reached, and half of the other:

    >>> chance = np.array([0.1, 0.4, 0.3, 0.8])
    >>> kolmogorov_smirnov(np.array([0, 0, 1, 1]), np.column_stack([1 - chance, chance]))
    0.5
    """
    return _over_classes(labels, chances, _widest_gap)


def _widest_gap(own: NDArray[np.bool_], chance: Floats) -> float:
    # The same number as that of SciPy's `ks_2samp`, which goes on to a p-value that nobody asks for.
    false_positives, true_positives, _ = roc_curve(own, chance)
    return float(np.abs(true_positives - false_positives).max())


def average_precision(labels: NDArray[np.intp], chances: Floats, code: int) -> float:
    """Return scikit-learn's average precision of a class against the rest; NaN if no row is of it.

    Examples
    --------
    >>> chance = np.array([0.1, 0.4, 0.3, 0.8])
    >>> round(average_precision(np.array([0, 0, 1, 1]), np.column_stack([1 - chance, chance]), 1), 4)
    0.8333
    """
    own = labels == code
    return float(average_precision_score(own, chances[:, code])) if own.any() else np.nan


def _over_classes(
    labels: NDArray[np.intp], chances: Floats, measure: Callable[[NDArray[np.bool_], Floats], float]
) -> float:
    """Measure one class of two, or each of more against the rest; the mean is weighted by their rows."""
    seen, counts = np.unique(labels, return_counts=True)
    if len(seen) < 2:
        return np.nan
    if chances.shape[1] == 2:
        return measure(labels == 1, chances[:, 1])
    return float(np.average([measure(labels == code, chances[:, code]) for code in seen], weights=counts))


def stability_index(before: Floats, after: Floats) -> float:
    """Return the population stability index of scores: how far their distribution moved, in tenths of the one before.

    Parameters
    ----------
    before, after : ndarray of float
        The scores of the same rows, or of others.

    Returns
    -------
    float
        0 if the tenths are as full as before; NaN without rows. Where one is empty, it counts as if a row in ten
        thousand were there.

    Examples
    --------
    Of 100 scores, half of each tenth below 0.5 move to the last one:

    >>> before = np.arange(100) / 100
    >>> after = np.where((before < 0.5) & (np.arange(100) % 2 == 0), 0.95, before)
    >>> by_hand = 5 * (0.05 - 0.1) * np.log(0.05 / 0.1) + (0.35 - 0.1) * np.log(0.35 / 0.1)
    >>> bool(np.isclose(stability_index(before, after), by_hand))
    True
    """
    if not len(before) or not len(after):
        return np.nan
    # The ends of tenths, each once: many rows may have one score.
    ends = np.unique(np.quantile(before, np.arange(1, BINS) / BINS, method="inverted_cdf"))
    old, new = (
        np.maximum(np.bincount(np.searchsorted(ends, scores), minlength=len(ends) + 1) / len(scores), LEAST)
        for scores in (before, after)
    )
    return float(((new - old) * np.log(new / old)).sum())
