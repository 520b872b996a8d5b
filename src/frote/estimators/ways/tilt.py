"""Probabilities tilted towards an outcome: each class by one factor, so that on the mean they are what a rule says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["tilt_towards", "tilted"]

ROUNDS = 200
CLOSE = 1e-6  # how near the mean must come
LEAST = 1e-6  # a class that a model rules out can still be said by a rule


def tilt_towards(shares: NDArray[np.float64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the factors by which the mean of probabilities becomes that of an outcome.

    Parameters
    ----------
    shares : ndarray, shape (classes,)
        What the mean is to be.

    chances : ndarray, shape (rows, classes)
        A model's probabilities.

    Returns
    -------
    ndarray, shape (classes,)

    Examples
    --------
    >>> chances = np.array([[0.9, 0.1], [0.5, 0.5]])
    >>> factors = tilt_towards(np.array([0.5, 0.5]), chances)
    >>> tilted(chances, factors).mean(axis=0).round(3)
    array([0.5, 0.5])
    """
    factors = np.ones(len(shares))
    for _ in range(ROUNDS):
        mean = tilted(chances, factors).mean(axis=0)
        if np.abs(mean - shares).max() < CLOSE:
            break
        factors = factors * shares / np.maximum(mean, LEAST)
        factors = factors / factors.max()
    return factors


def tilted(chances: NDArray[np.float64], factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities, each class by its factor."""
    weighed: NDArray[np.float64] = np.maximum(chances, LEAST) * factors
    weighed /= weighed.sum(axis=1, keepdims=True)
    return weighed
