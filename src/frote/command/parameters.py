"""Parameters of models, as they are given on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from frote.exceptions import ModelError
from frote.plain import unwritable

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["parameters"]


def parameters(texts: Iterable[str]) -> dict[str, Any]:
    """Read parameters given as ``name=value``; values are numbers, true, false, null or text.

    Examples
    --------
    >>> parameters(["C=0.5", "penalty=l2", "warm_start=true"])
    {'C': 0.5, 'penalty': 'l2', 'warm_start': True}
    """
    params: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ModelError(f"A parameter is given as name=value, not {text!r}.")
        try:
            params[name.strip()] = json.loads(value)
        except ValueError:
            params[name.strip()] = value
        except RecursionError:
            raise ModelError(f"The parameter {name.strip()!r} nests too deeply.") from None
        if fault := unwritable(params):
            raise ModelError(f"The parameter {name.strip()!r} cannot be given: {fault}.")
    return params
