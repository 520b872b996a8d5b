"""How far labels agree with an outcome: the probability that the outcome gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.rules import Outcome

__all__ = ["agreement"]


def agreement(
    outcome: Outcome,
    predicted: NDArray[np.intp],
    own: NDArray[np.intp] | None,
    classes: Sequence[str],
) -> NDArray[np.float64]:
    """Return for each row the probability that the outcome gives the predicted label.

    A class with confidence p gives itself with p and, with 1 - p, the row's own label; where the own label is that
    very class, 1 - p is spread evenly over the others. Where own labels are unknown, it is spread so for every row.

    Parameters
    ----------
    outcome : Outcome
        The rule's outcome.

    predicted : ndarray of int
        Predicted labels, as positions in `classes`; -1 for a label that is none of them.

    own : ndarray of int or None
        The rows' own labels, likewise.

    classes : sequence of str
        The texts of the classes.

    Returns
    -------
    ndarray of float

    Examples
    --------
    >>> from frote.rules import Outcome
    >>> sure = Outcome.of("approved", confidence=0.8)
    >>> print(agreement(sure, np.array([0, 1]), np.array([1, 1]), ["approved", "denied"]).round(3))
    [0.8 0.2]
    """
    named = np.array([*(outcome[label] for label in classes), 0.0])  # the last one for -1
    found: NDArray[np.float64] = named[predicted]
    if not outcome.rest:
        return found
    target = classes.index(outcome.labels[0])
    others = max(len(classes) - 1, 1)
    spread = (predicted != target) & (predicted >= 0)
    if own is None:
        return np.where(spread, outcome.rest / others, found)
    kept = spread & (own != target) & (predicted == own)
    drawn = spread & (own == target)
    return np.where(kept, outcome.rest, np.where(drawn, outcome.rest / others, found))
