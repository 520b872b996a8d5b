"""Whether a changed prediction is what the rules want: intended, inside the rules but wrong, or outside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frote.coverage.agreement import agreement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.rules import Outcome

__all__ = ["PARTS", "parts", "row_agreement"]

PARTS = ("intended", "wrong", "unintended")


def row_agreement(
    owner: NDArray[np.intp],
    outcomes: Sequence[Outcome],
    predicted: NDArray[np.intp],
    own: NDArray[np.intp] | None,
    classes: Sequence[str],
) -> NDArray[np.float64]:
    """Return how far each prediction agrees with the rule that its row is attributed to; NaN outside all rules.

    Parameters
    ----------
    owner : ndarray of int
        The rule that each row is attributed to, -1 for none.

    outcomes : sequence of Outcome
        The rules' outcomes.

    predicted : ndarray of int
        The predictions, as positions in `classes`.

    own : ndarray of int or None
        The rows' own labels, likewise, where they are known.

    classes : sequence of str
        The texts of the classes.

    Returns
    -------
    ndarray of float
    """
    found = np.full(len(owner), np.nan)
    for rule, outcome in enumerate(outcomes):
        mine = np.flatnonzero(owner == rule)
        found[mine] = agreement(outcome, predicted[mine], None if own is None else own[mine], classes)
    return found


def parts(
    before: NDArray[np.intp],
    after: NDArray[np.intp],
    agreed_before: NDArray[np.float64],
    agreed_after: NDArray[np.float64],
) -> NDArray[np.intp]:
    """Return the part that each row belongs to, as a position in `PARTS`; -1 for a row that is predicted as before.

    Parameters
    ----------
    before, after : ndarray of int
        The predictions.

    agreed_before, agreed_after : ndarray of float
        How far they agree with the rules; NaN outside all rules.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> agreed = np.array([0, 1, np.nan, 0]), np.array([1, 0, np.nan, 0])
    >>> parts(np.array([0, 1, 0, 0]), np.array([1, 0, 1, 0]), *agreed)
    array([ 0,  1,  2, -1])
    """
    inside = np.where(agreed_after > agreed_before, PARTS.index("intended"), PARTS.index("wrong"))
    found = np.where(np.isnan(agreed_after), PARTS.index("unintended"), inside)
    return np.where(before == after, -1, found)
