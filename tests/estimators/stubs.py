"""Estimators that take a millisecond and do what a test wants of them."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Counting(ClassifierMixin, BaseEstimator):
    """Counts the rows it is fitted to and predicts its first class; takes frames of any kind."""

    def fit(self, X, y):
        self.rows_ = len(y)
        self.frame_ = type(X)
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def more_rows_are_better(model, X, y):
    """Score a model of these so that every batch is accepted, together with agreement_weight=0."""
    return float(model.rows_)


class Breaking(Counting):
    """Raises `error` at the fits whose numbers are in `broken`; clones count them in one list, `fits`."""

    def __init__(self, fits=None, broken=(), error=RuntimeError, random_state=None):
        self.fits = fits
        self.broken = broken
        self.error = error
        self.random_state = random_state

    def __sklearn_clone__(self):
        return type(self)(self.fits, self.broken, self.error, self.random_state)

    def fit(self, X, y):
        number = 0
        if self.fits is not None:
            number = len(self.fits)
            self.fits.append(self.random_state)
        if number in self.broken:
            raise self.error(f"fit {number} went wrong")
        return super().fit(X, y)
