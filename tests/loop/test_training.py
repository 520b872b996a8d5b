"""The caller's estimator: cloned, seeded, timed, and its predictions read whatever their type."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from joblib import effective_n_jobs, parallel_config
from lightgbm import LGBMClassifier
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from frote.coverage.labels import Labels
from frote.coverage.said import labels_of
from frote.loop.training import Trainer, seeded


def test_only_what_was_left_open_is_seeded_and_only_in_a_clone():
    estimator = BaggingClassifier(DecisionTreeClassifier(random_state=3))
    copy = seeded(estimator, 8, 1)
    assert copy.random_state == 8
    assert copy.estimator.random_state == 3
    assert estimator.random_state is None
    nested = seeded(make_pipeline(StandardScaler(), BaggingClassifier(DecisionTreeClassifier())), 8, 1)
    assert nested[1].estimator.random_state == 8
    assert seeded(StandardScaler(), 8, 1).get_params() == StandardScaler().get_params()


class Threaded(BaseEstimator):
    """Has every name that estimators give to their number of threads."""

    def __init__(self, n_jobs=None, nthread=None, num_threads=None, thread_count=None, inner=None):
        self.n_jobs = n_jobs
        self.nthread = nthread
        self.num_threads = num_threads
        self.thread_count = thread_count
        self.inner = inner


@pytest.mark.parametrize("name", ["n_jobs", "nthread", "num_threads", "thread_count"])
@pytest.mark.parametrize(
    ("given", "fixed"), [(-1, 3), (-2, 3), (0, 3), (np.int64(-1), 3), (1, 1), (7, 7), (None, None), ("auto", "auto")]
)
def test_all_cores_become_the_number_of_threads(name, given, fixed):
    estimator = Threaded(**{name: given}, inner=Threaded(**{name: given}))
    copy = seeded(estimator, 0, 3)
    assert getattr(copy, name) == getattr(copy.inner, name) == fixed
    assert getattr(estimator, name) == given


def test_libraries_that_take_all_cores_unasked_are_told_a_number():
    assert seeded(LGBMClassifier(), 0, 2).n_jobs == 2
    assert seeded(make_pipeline(StandardScaler(), LGBMClassifier()), 0, 2)[1].n_jobs == 2
    assert seeded(LGBMClassifier(n_jobs=4), 0, 2).n_jobs == 4
    assert seeded(type("Mine", (LGBMClassifier,), {})(), 0, 2).n_jobs == 2
    assert seeded(RandomForestClassifier(), 0, 2).n_jobs is None  # one, as scikit-learn has it


@pytest.mark.parametrize("threads", [1, 2])
def test_inside_threads_are_limited_and_after_it_they_are_as_before(threads):
    trainer = Trainer(Slow(), Labels.of(["no", "bad"]), lambda codes: codes, threads)
    with threadpool_limits(limits=3), parallel_config(backend="threading", n_jobs=4):
        with trainer.limited():
            assert {pool["num_threads"] for pool in threadpool_info()} == {threads}
            assert effective_n_jobs(None) == 1
            assert effective_n_jobs(2) == 2  # what was asked for is left alone
        assert {pool["num_threads"] for pool in threadpool_info()} == {3}
        assert effective_n_jobs(None) == 4


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
    said = labels_of(predicted, len(predicted), "")
    assert Labels.of(labels).codes_for(said).tolist() == codes


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
