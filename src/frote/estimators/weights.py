"""Weights of rows as callers give them: read, and by which name the estimator takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from sklearn.utils.validation import has_fit_parameter

from frote.exceptions import TableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WEIGHT", "as_weights", "routed", "weight_name"]

WEIGHT = "sample_weight"


def as_weights(sample_weight: Any, rows: int) -> NDArray[np.float64]:
    """Return weights as numbers, one for each row, or say what is wrong with them.

    Examples
    --------
    >>> as_weights([1, 2], 2)
    array([1., 2.])
    >>> as_weights([1, -2], 2)
    Traceback (most recent call last):
    frote.exceptions.TableError: sample_weight has -2 at position 1. A weight is a number from 0 on.
    """
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise TableError("sample_weight holds something that is no number. Give one number for each row.") from None
    if weights.ndim != 1 or len(weights) != rows:
        raise TableError(f"sample_weight has shape {weights.shape} for {rows:,} rows. Give one number for each row.")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        place = int(wrong[0])
        raise TableError(f"sample_weight has {weights[place]:g} at position {place}. A weight is a number from 0 on.")
    if not weights.any():
        raise TableError(
            "sample_weight is zero for every row, so that nothing could be learned. Give some rows a weight."
        )
    return weights


def routed() -> bool:
    """Tell whether scikit-learn's metadata routing is switched on."""
    return bool(sklearn.get_config()["enable_metadata_routing"])


def weight_name(estimator: Any) -> str:
    """Return the parameter of an estimator's `fit` that weights go by; of a pipeline, that of its last step.

    Examples
    --------
    >>> import frote
    >>> weight_name(frote.default_pipeline())
    'model__sample_weight'
    """
    name, part = WEIGHT, estimator
    while not has_fit_parameter(part, WEIGHT):
        steps = getattr(part, "steps", None)
        if routed() and steps is not None:
            return WEIGHT  # a pipeline routes it to the steps that ask for it
        if not steps:
            raise TableError(
                f"The fit of {type(part).__name__} has no parameter sample_weight, so that rows cannot have weights. "
                "Leave sample_weight out, or edit an estimator that takes it."
            )
        last, part = steps[-1]
        name = name.replace(WEIGHT, f"{last}__{WEIGHT}")
    return WEIGHT if routed() else name
