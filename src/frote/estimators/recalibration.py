"""Probabilities of an edited model, recalibrated by rows of the data that the models asked were not trained on.

scikit-learn fits a map from a model's scores to probabilities, and the scores must be of rows that are new to it. The
edited model knows all rows of the data, so models like it are asked: each row by one that was trained without it, and
without what was made from it. The map is put over the edited model, which stays what it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from frote.estimators.ledger import source_rows
from frote.exceptions import ModelError, TableError
from frote.ways_out import way_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.estimators.prepared import Modified
    from frote.loop.engine import State
    from frote.loop.training import Trainer

__all__ = ["FOLDS", "METHODS", "recalibrated", "require_calibratable"]

METHODS = ("sigmoid", "isotonic")
FOLDS = 5
SCORES = ("decision_function", "predict_proba")  # what is calibrated: the first that a model has, as in scikit-learn
CHANCE = 5  # tells the seed of the folds from others


class _Recalled(ClassifierMixin, BaseEstimator):
    """Scores that are known already, asked for by the number of their row."""

    def __init__(self, scores: Any, classes: Any) -> None:
        self.scores = scores
        self.classes = classes
        self.classes_ = classes

    def fit(self, rows: Any, labels: Any) -> Any:
        """Learn nothing: scikit-learn asks whether it is there, and never calls it."""
        raise NotImplementedError

    def predict(self, rows: Any) -> Any:
        """Predict nothing, likewise."""
        raise NotImplementedError


class _RecalledDecisions(_Recalled):
    """Values of a decision function."""

    def decision_function(self, rows: Any) -> Any:
        """Return them."""
        return self.scores[rows[:, 0]]


class _RecalledChances(_Recalled):
    """Probabilities."""

    def predict_proba(self, rows: Any) -> Any:
        """Return them."""
        return self.scores[rows[:, 0]]


def require_calibratable(estimator: Any, modified: Modified) -> None:
    """Refuse to begin an edit whose model could not be recalibrated when all training is done.

    Raises
    ------
    ModelError
        If the model has no scores.

    TableError
        If a class has too few rows for so many folds.
    """
    leave = way_out("Leave recalibrate out", "Leave --recalibrate out")
    if not any(hasattr(estimator, name) for name in SCORES):
        raise ModelError(f"A {type(estimator).__name__} has no probabilities to recalibrate. {leave}.")
    left = modified.changed[modified.kept]
    asked = np.bincount(left[_rows_to_ask(modified)], minlength=len(modified.attribution.ruling.classes))
    for label in np.unique(left).tolist():
        if asked[label] < FOLDS:
            name = modified.attribution.ruling.classes[label]
            raise TableError(
                f"To recalibrate takes {FOLDS} rows of each class that do not contradict the rules, and {name!r} has "
                f"{asked[label]}. {leave}."
            )


def recalibrated(state: State, modified: Modified, trainer: Trainer, method: str, seed: int) -> Any:
    """Return the model of a state with its probabilities recalibrated.

    Parameters
    ----------
    state : State
        Where the edit ended.

    modified : Modified
        The data that it began with.

    trainer : Trainer
        What trains its models.

    method : {"sigmoid", "isotonic"}
        Of scikit-learn's `CalibratedClassifierCV`.

    seed : int
        Where the chance of the folds comes from.

    Returns
    -------
    CalibratedClassifierCV
        Over the model, frozen.
    """
    model, rows, asked = state.incumbent.model, state.incumbent.rows, _rows_to_ask(modified)
    folds = _folds(rows.labels[asked], np.random.default_rng([seed, CHANCE]))
    fold_of = np.full(len(modified.kept), -1)
    fold_of[np.flatnonzero(modified.kept)[asked]] = folds
    # What a row of the result goes back to: itself, or the rows that it was made from.
    origins = (
        fold_of[source_rows(modified.kept, [batch.base for _, batch in state.batches])],
        fold_of[_neighbour_rows(state, modified.kept)],
    )
    name = next(one for one in SCORES if hasattr(model, one))
    parts = []
    with trainer.limited():
        for fold in range(FOLDS):
            train = rows.take(np.flatnonzero((origins[0] != fold) & (origins[1] != fold)))
            other = trainer.fit(train.shown, train.labels, train.weights)
            mine = rows.shown.take(asked[folds == fold])
            parts.append(np.asarray(getattr(other, name)(mine.lent_to(other)), dtype=np.float64))
        order = np.argsort(np.concatenate([np.flatnonzero(folds == fold) for fold in range(FOLDS)]))
        return _over(model, np.concatenate(parts)[order], name, trainer.natives(rows.labels[asked]), method)


def _neighbour_rows(state: State, kept: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return for each row of the result the row of the data that its neighbour goes back to; its own without one."""
    sources = neighbours = np.flatnonzero(kept)
    for _, batch in state.batches:
        own = sources[batch.base]
        theirs = np.where(batch.neighbour >= 0, sources[batch.neighbour], own)
        sources, neighbours = np.concatenate([sources, own]), np.concatenate([neighbours, theirs])
    return neighbours


def _rows_to_ask(modified: Modified) -> NDArray[np.intp]:
    """Return the rows, of those that stay, whose label says what the model should: none that contradicts its rule."""
    ruling = modified.attribution.ruling
    owner, labels = modified.attribution.owner[modified.kept], modified.changed[modified.kept]
    wanted = np.ones(len(owner), dtype=np.bool_)
    for rule, outcome in enumerate(ruling.outcomes):
        mine = owner == rule
        chances = np.array([outcome[label] for label in ruling.classes])
        wanted[mine] = (chances[labels[mine]] > 0) | bool(outcome.rest)
    return np.flatnonzero(wanted)


def _folds(labels: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    """Return a fold for each row, so that each class is spread evenly."""
    folds = np.empty(len(labels), dtype=np.intp)
    for label in np.unique(labels):
        mine = np.flatnonzero(labels == label)
        folds[rng.permutation(mine)] = np.arange(len(mine)) % FOLDS
    return folds


def _over(model: Any, scores: NDArray[np.float64], name: str, labels: Any, method: str) -> CalibratedClassifierCV:
    """Fit scikit-learn's map to scores that are known, and put it over the model."""
    every = np.arange(len(scores))
    known = FrozenEstimator((_RecalledDecisions if name == SCORES[0] else _RecalledChances)(scores, model.classes_))
    calibrated = CalibratedClassifierCV(known, method=method, cv=[(every, every)], ensemble=False)
    calibrated.fit(every.reshape(-1, 1), labels)
    calibrated.set_params(estimator=FrozenEstimator(model), cv=None)
    calibrated.calibrated_classifiers_[0].estimator = calibrated.estimator
    for fact in ("n_features_in_", "feature_names_in_"):
        if hasattr(model, fact):
            setattr(calibrated, fact, getattr(model, fact))
    return calibrated
