"""Probabilities tilted towards an outcome: on the mean they are what a rule says, and in each row as far as may be.

Of a model's own probabilities a power is taken, which makes them less unlike each other, and each class gets a factor.
Both are those under which the outcome is most likely. By the factors the mean is right; by the power it is also right
where the model is surer than the rule, and on other rows than those that were looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["tilt_towards", "tilted"]

LEAST_POWER = 0.1  # rows keep the order that the model gives them
LEAST = 1e-6  # a class that a model rules out can still be said by a rule


def tilt_towards(shares: NDArray[np.float64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the power and the factors by which probabilities become those of an outcome.

    Parameters
    ----------
    shares : ndarray, shape (rows, classes)
        What the outcome says of each row.

    chances : ndarray, shape (rows, classes)
        A model's probabilities.

    Returns
    -------
    ndarray, shape (classes + 1,)
        The power, then the factor of each class.

    Examples
    --------
    >>> chances = np.array([[0.9, 0.1], [0.5, 0.5]])
    >>> tilt = tilt_towards(np.full((2, 2), 0.5), chances)
    >>> tilted(chances, tilt).round(2)
    array([[0.53, 0.47],
           [0.47, 0.53]])
    """
    mean = shares.mean(axis=0)
    said = np.flatnonzero(mean)  # what the outcome rules out gets no factor
    logs, wanted = np.log(np.maximum(chances, LEAST))[:, said], shares[:, said]

    def surprise(values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = values[0] * logs + values[1:]
        scores -= scores.max(axis=1, keepdims=True)
        total = np.exp(scores).sum(axis=1, keepdims=True)
        over = np.exp(scores) / total - wanted
        slope = np.concatenate([[np.mean((over * logs).sum(axis=1))], over.mean(axis=0)])
        return float(np.mean(np.log(total[:, 0]) - (wanted * scores).sum(axis=1))), slope

    bounds = [(LEAST_POWER, 1.0), *[(None, None)] * len(said)]
    start = np.concatenate([[1.0], np.zeros(len(said))])
    found = minimize(
        surprise, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"gtol": 1e-8, "ftol": 1e-15}
    ).x
    tilt = np.zeros(len(mean) + 1)
    tilt[0], tilt[1 + said] = found[0], np.exp(found[1:] - found[1:].max())
    return tilt


def tilted(chances: NDArray[np.float64], tilt: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities, tilted by what `tilt_towards` gave."""
    weighed: NDArray[np.float64] = np.maximum(chances, LEAST) ** tilt[0] * tilt[1:]
    weighed /= weighed.sum(axis=1, keepdims=True)
    return weighed
