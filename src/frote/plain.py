"""Values as JSON can hold them."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["plain", "unwritable"]

DEEPEST = 20  # lists within lists; what is written for people nests less


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
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def unwritable(value: Any) -> str | None:
    """Say why plain data of someone else's cannot be written as JSON and read back, if so.

    Examples
    --------
    >>> unwritable({"a": [1, None, "b"]})
    >>> unwritable({"a": [float("inf")]})
    'inf is no finite number'
    """
    level, depth = [value], 0
    while level:
        if depth > DEEPEST:
            return f"lists nest more than {DEEPEST} deep"
        inside: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inside += [*one, *one.values()]
            elif isinstance(one, list | tuple):
                inside += one
            elif isinstance(one, float) and not math.isfinite(one):
                return f"{one} is no finite number"
            elif isinstance(one, str) and not one.isascii() and one != one.encode("utf-8", "replace").decode():
                return f"{one!r} is no text in Unicode"
            elif one is not None and not isinstance(one, bool | int | float | str):
                return f"{type(one).__name__} is no plain value"
        level, depth = inside, depth + 1
    return None
