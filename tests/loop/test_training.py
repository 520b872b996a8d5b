"""The caller's estimator: cloned, seeded, timed, and its predictions read whatever their type."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from frote.coverage.labels import Labels
from frote.loop.training import Trainer, seeded


def test_only_what_was_left_open_is_seeded_and_only_in_a_clone():
    estimator = BaggingClassifier(DecisionTreeClassifier(random_state=3))
    copy = seeded(estimator, 8)
    assert copy.random_state == 8
    assert copy.estimator.random_state == 3
    assert estimator.random_state is None
    nested = seeded(make_pipeline(StandardScaler(), BaggingClassifier(DecisionTreeClassifier())), 8)
    assert nested[1].estimator.random_state == 8
    assert seeded(StandardScaler(), 8).get_params() == StandardScaler().get_params()


@pytest.mark.parametrize(
    ("labels", "predicted", "codes"),
    [
        (["no", "yes"], np.array(["yes", "no", "other"]), [1, 0, -1]),
        (["no", "yes"], np.array(["yes", "no"], dtype=object), [1, 0]),
        ([0, 1], np.array([1.0, 0.0, 2.0]), [1, 0, -1]),
        ([0, 5], np.array([5, 0, 1], dtype=np.int8), [1, 0, -1]),
        ([False, True], np.array([True, False]), [1, 0]),
        (["no", "yes"], pd.Series(["yes", "no"], dtype="category"), [1, 0]),
        (["no", "yes"], np.array([["yes"], ["no"]]), [1, 0]),
        (["no", "yes"], ["yes", "no"], [1, 0]),
        ([0, 1], np.array(["1", "0"]), [1, 0]),
        ([1.0, 2.0], np.array([2, 1]), [1, 0]),
    ],
)
def test_predictions_of_any_type(labels, predicted, codes):
    assert Labels.of(labels).codes_for(predicted).tolist() == codes


class Slow(BaseEstimator):
    def fit(self, X, y):  # noqa: ARG002
        time.sleep(0.02)
        if "bad" in y:
            raise RuntimeError("no")
        return self

    def predict(self, X):
        time.sleep(0.01)
        return np.full(len(X), "no")


def test_seconds_are_counted_also_where_it_fails():
    names = np.array(["bad", "no"])
    trainer = Trainer(Slow(), Labels.of(["no", "bad"]), lambda codes: names[codes])
    model = trainer.fit(np.zeros((2, 1)), np.array([1, 1]))
    assert model is not trainer.estimator
    assert trainer.predict(model, np.zeros((2, 1))).tolist() == [1, 1]
    fit = trainer.clock.fit
    assert fit >= 0.02
    assert trainer.clock.predict >= 0.01
    with pytest.raises(RuntimeError):
        trainer.fit(np.zeros((2, 1)), np.array([0, 1]))
    assert trainer.clock.fit >= fit + 0.02


def test_the_model_learns_the_callers_own_labels():
    names = np.array(["no", "yes"])
    trainer = Trainer(LogisticRegression(), Labels.of(["no", "yes"]), lambda codes: names[codes])
    model = trainer.fit(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1]))
    assert model.classes_.tolist() == ["no", "yes"]
