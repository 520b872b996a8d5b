"""FROTE as a classifier: the edited model behind scikit-learn's methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from frote._sklearn import fit_context
from frote.coverage.said import CHECKS
from frote.estimators.editing import Editing
from frote.estimators.input import as_frame, columns_known, part_has
from frote.table import lent

if TYPE_CHECKING:
    from typing import Self

__all__ = ["FROTEClassifier"]


class FROTEClassifier(ClassifierMixin, Editing):
    """A classifier that is edited with rules as it is fitted.

    It is `FROTE` as a meta-estimator: for pipelines, grid search and cross-validation, where rules and the parameters
    of the estimator (``estimator__C``) are parameters like any other.

    Parameters
    ----------
    estimator, rules, modify, select, schedule, weak_share, candidates, twins, max_loss_outside, evaluate
        As for `FROTE`.

    agreement_weight, scoring, k, oversample, max_fits, batch_size, patience, time_limit, n_jobs, threads
        As for `FROTE`.

    kinds, levels, on_impossible, random_state, checkpoint, callbacks, progress
        As for `FROTE`.

    Attributes
    ----------
    estimator_, rules_, skipped_, objective_, history_, ledger_, frontier_, unedited_, n_fits_, sample_indices_
        As for `FROTE`.

    classes_
        As for `FROTE`.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(300)
    >>> rules = "young: IF age < 29 AND income >= 24K AND defaults = 0 THEN approved"
    >>> model = frote.FROTEClassifier(rules=rules, max_fits=3, random_state=0).fit(loans.X, loans.y)
    >>> model.predict(loans.X[:3]).tolist()
    ['approved', 'denied', 'approved']
    """

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Fit and edit the estimator.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array
            The rows.

        y : array-like
            Their labels.

        Returns
        -------
        FROTEClassifier
        """
        self._edit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        """Predict labels with the edited model.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        ndarray
        """
        return self._ask("predict", X)

    @available_if(part_has("estimator", "predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Predict the probability of each class with the edited model.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        ndarray, shape (rows, classes)
        """
        return self._ask("predict_proba", X)

    @available_if(part_has("estimator", "decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Return the decision function of the edited model.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        ndarray
        """
        return self._ask("decision_function", X)

    def _ask(self, method: str, X: Any) -> Any:
        check_is_fitted(self, "estimator_")
        X = as_frame(X)
        columns_known(self, X, reset=False)
        said = getattr(self.estimator_, method)(lent(X))
        return CHECKS[method](said, len(X), type(self.estimator_).__name__) if method in CHECKS else said
