"""Between which values one column of a sum may lie, so that the sum lies between two ends: of many rows at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ENDS", "as_whole", "float_room", "up_to", "whole_room"]

ENDS = np.iinfo(np.int64)


def whole_room(rest: NDArray[np.int64], factor: int, ends: tuple[Any, Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return between which whole numbers one lies that makes a sum lie between two ends, given the rest of the sum.

    Examples
    --------
    >>> whole_room(np.array([10, 20]), -3, (0, 7))
    (array([1, 5]), array([3, 6]))
    """
    least, most = (_divided(rest, factor, end, up=side == (factor < 0)) for side, end in enumerate(ends))
    return (least, most) if factor > 0 else (most, least)


def _divided(rest: NDArray[np.int64], factor: int, end: Any, *, up: bool) -> NDArray[np.int64]:
    """Return the first number up to which, or the last down to which, a sum keeps to one of its ends."""
    if math.isinf(end):
        return np.full(len(rest), ENDS.min if up else ENDS.max)
    far = int(max(ENDS.min // 2, min(ENDS.max // 2, end)))
    apart = far - rest
    return -(-apart // factor) if up else apart // factor


def float_room(
    rest: NDArray[np.float64], weight: float, ends: tuple[float, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the same among floats."""
    with np.errstate(over="ignore", invalid="ignore"):
        least, most = (ends[0] - rest) / weight, (ends[1] - rest) / weight
    return (least, most) if weight > 0 else (most, least)


def as_whole(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return whole floats as integers, at most those of 64 bits; what is none, beside a missing value, is any."""
    return np.clip(np.nan_to_num(values), float(ENDS.min), float(2**63 - 1024)).astype(np.int64)


def up_to(lows: NDArray[np.int64], highs: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Return what lies above low ends by a width, at most the high ends; 64 bits hold what comes of it."""
    return np.where(lows > highs - width, highs, np.minimum(lows, ENDS.max - width) + width)
