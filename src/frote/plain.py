"""Values as JSON can hold them."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["plain"]


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: null for numbers that are not finite, text for what JSON does not know.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"a": float("nan"), 1: (np.int64(2), 0.5)})
    {'a': None, '1': [2, 0.5]}
    """
    if getattr(value, "ndim", None) == 0:  # NumPy's own numbers
        value = value.item()
    if isinstance(value, dict):
        return {str(name): plain(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [plain(held) for held in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
