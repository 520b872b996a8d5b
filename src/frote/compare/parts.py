"""Whether a changed prediction is what the rules want: intended, inside the rules but wrong, or outside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PARTS", "parts"]

PARTS = ("intended", "wrong", "unintended")


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
    part = np.where(np.isnan(agreed_after), PARTS.index("unintended"), inside)
    return np.where(before == after, -1, part)
