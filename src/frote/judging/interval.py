"""The interval that holds most of some resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["interval"]

SPAN = (2.5, 97.5)  # percentiles


def interval(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the percentiles between which 95 % of some values lie; None if none of them is defined.

    Examples
    --------
    >>> interval(np.arange(41.0))
    (1.0, 39.0)
    """
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.percentile(defined, SPAN)
    return float(low), float(high)
