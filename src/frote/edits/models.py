"""Models by name: the usual ones behind an encoder of mixed tables, or one that a function of the caller's makes."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.preprocessing import LabelEncoder

from frote.edits.model_errors import as_model_error
from frote.estimators.encoding import default_pipeline
from frote.estimators.input import as_taught
from frote.exceptions import ModelError, nearest, told
from frote.loop.training import seeded
from frote.table import lent

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from frote.table import TypedFrame

__all__ = ["CLASSIFIERS", "CodedLabels", "make_estimator", "train"]

# Where each classifier is, and what it is told unless the caller says otherwise.
CLASSIFIERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "logistic": ("sklearn.linear_model", "LogisticRegression", {"max_iter": 500}),
    "forest": ("sklearn.ensemble", "RandomForestClassifier", {}),
    "hist-gradient-boosting": ("sklearn.ensemble", "HistGradientBoostingClassifier", {}),
    "lightgbm": ("lightgbm", "LGBMClassifier", {"verbose": -1}),
    "xgboost": ("xgboost", "XGBClassifier", {}),
    "catboost": ("catboost", "CatBoostClassifier", {"verbose": False, "allow_writing_files": False}),
}


class CodedLabels(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier for labels of any kind around one that takes only 0, 1, 2, ...

    Parameters
    ----------
    estimator : classifier
        The one inside, which is taught codes in the order of the labels.
    """

    __module__ = "frote.command.models"  # its address in files of models, which keep their bytes

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier to the labels' codes."""
        self.labels_ = LabelEncoder().fit(y)
        self.classes_ = self.labels_.classes_
        self.estimator_ = clone(self.estimator).fit(X, self.labels_.transform(y))
        return self

    def predict(self, X: Any) -> Any:
        """Predict labels."""
        return self.labels_.inverse_transform(self.estimator_.predict(X))

    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities, in the order of `classes_`."""
        return self.estimator_.predict_proba(X)


def make_estimator(name: str, params: Mapping[str, Any]) -> Any:
    """Return an estimator by its name.

    Parameters
    ----------
    name : str
        One of `CLASSIFIERS`, or ``package.module:function`` for what that function returns. It is run, so it must be a
        person who named it, and no file.

    params : mapping
        Parameters of the classifier, or arguments of the function.

    Returns
    -------
    estimator

    Examples
    --------
    >>> make_estimator("logistic", {"C": 2.0})["model"]
    LogisticRegression(C=2.0, max_iter=500)
    >>> make_estimator("logistic", {"c": 2.0})
    Traceback (most recent call last):
        ...
    frote.exceptions.ModelError: logistic has no parameter 'c'. Did you mean 'C'?
    """
    if ":" in name:
        return _from_factory(name, params)
    if name not in CLASSIFIERS:
        raise ModelError(
            f"No model {name!r}. {nearest(name, CLASSIFIERS)} Or name a function: package.module:function."
        )
    module, kind, usual = CLASSIFIERS[name]
    try:
        classifier = getattr(importlib.import_module(module), kind)()
    except ImportError:
        raise ModelError(f"The model {name!r} needs {module}, which is not installed: pip install {module}.") from None
    defaults = classifier.get_params()
    for param in params:
        # Boosting libraries take more parameters than they list.
        if param not in defaults and module.startswith("sklearn"):
            raise ModelError(f"{name} has no parameter {param!r}. {nearest(param, defaults)}")
    classifier.set_params(**{**usual, **params})
    if name == "xgboost":
        classifier = CodedLabels(classifier)
    return default_pipeline(classifier)


def train(estimator: Any, rows: TypedFrame, y: Any, *, name: str, seed: int, threads: int = 1, **weighed: Any) -> Any:
    """Return a clone of an estimator, trained; with one seed the same each time. Weights go by their own name.

    Raises
    ------
    ModelError
        With what the estimator, which is called by this name, raises.
    """
    with as_model_error(f"The model {name!r} cannot be trained"):
        model = seeded(estimator, seed, threads)
        return model.fit(rows.lent_to(model), lent(as_taught(y)), **weighed)


def _from_factory(name: str, params: Mapping[str, Any]) -> Any:
    module, _, function = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # at the end: nothing here stands in for a library that is installed
    try:
        made = getattr(importlib.import_module(module), function)(**params)
    except Exception as error:  # whatever a caller's module raises
        raise ModelError(f"The model {name!r} cannot be made: {told(error)}") from error
    if not (hasattr(made, "fit") and hasattr(made, "predict")):
        raise ModelError(f"{name} gives a {type(made).__name__}, which is no classifier: it cannot fit and predict.")
    return made
