"""The one door to names of scikit-learn that are not public."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context as fit_context
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import validate_data

__all__ = [
    "HasMethods",
    "Interval",
    "LinearClassifierMixin",
    "StrOptions",
    "fit_context",
    "histogram_features",
    "histogram_trees",
    "initial_scores",
    "inputs_of_parts",
    "validate_data",
]


def inputs_of_parts(transformer: Any) -> dict[str, list[int]]:
    """Return the places of the columns that each part of a fitted ColumnTransformer gets."""
    return {name: list(places) for name, places in transformer._transformer_to_input_indices.items()}


def initial_scores(model: Any, X: Any) -> NDArray[np.float64]:
    """Return what a fitted GradientBoostingClassifier starts from, before its first tree."""
    return np.asarray(model._raw_predict_init(X))


def histogram_features(model: Any, X: Any) -> NDArray[np.float64]:
    """Return the numbers that the trees of a fitted HistGradientBoostingClassifier get: categories first."""
    return np.asarray(model._preprocess_X(X, reset=False))


def histogram_trees(model: Any) -> tuple[NDArray[np.float64], list[list[Any]]]:
    """Return what its scores start from, and its trees for each round and score."""
    return np.asarray(model._baseline_prediction), model._predictors
