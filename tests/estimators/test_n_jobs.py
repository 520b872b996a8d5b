"""Any number of workers, threads or processes, gives the same bytes; what cannot be sent to them is said clearly.

Processes take seconds to start, so all that needs them is in one test.
"""

from __future__ import annotations

import sys
import threading
import time
import types
from functools import partial
from typing import ClassVar

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from tests.estimators.results import outcome
from tests.estimators.stubs import Breaking, Counting, more_rows_are_better
from threadpoolctl import ThreadpoolController, threadpool_limits

import frote

LOANS = frote.datasets.load_loans(120)
RULES = frote.parse_rules("""
    young: IF age < 29 AND income >= 24K AND defaults = 0 THEN approved
    risky: IF defaults >= 2 OR purpose = car THEN {denied: 0.9, approved: 0.1}
""").resolve("priority", LOANS.X)
NUMBERS = LOANS.X[["age", "income", "defaults"]]
NUMBER_RULES = "IF age < 29 THEN approved\nIF age > 40 AND defaults >= 1 THEN denied"

MODELS = {
    "logistic": frote.default_pipeline(LogisticRegression(max_iter=500)),
    "forest": frote.default_pipeline(RandomForestClassifier(10, max_depth=3, n_jobs=-1)),
    "LightGBM": frote.default_pipeline(LGBMClassifier(n_estimators=10, n_jobs=-1, verbose=-1)),
}


def edit(estimator, rules=RULES, make=frote.FROTE, **parameters):
    return make(estimator, rules, **{"random_state": 0, "max_fits": 4, "k": 3, **parameters})


def same(backend, n_jobs, expected, editor, X=LOANS.X):
    """Run again in another way and hold the result against the first."""
    with joblib.parallel_config(backend=backend):
        found = outcome(editor.set_params(n_jobs=n_jobs), X, LOANS.y)
    unlike = [name for name in expected if expected[name] != found[name]]
    assert not unlike, (backend, n_jobs, unlike)


class TwoWords(Exception):  # noqa: N818
    """It can be pickled, but not unpickled."""

    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


class Fussy(DecisionTreeClassifier):
    """Fails with about half of all batches, by their rows alone, in two ways."""

    def fit(self, X, y):
        if len(X) > len(LOANS.X):
            made = int(np.nansum(np.asarray(X["income"], dtype=float)))
            if made % 4 == 0:
                raise TwoWords("too", "many")
            if made % 4 == 1:
                raise LookupError(f"no {made % 4}")
        return super().fit(X, y)


class NotSent(Exception):  # noqa: N818
    def __reduce__(self):
        raise TypeError("stays here")


class Failing(DecisionTreeClassifier):
    def fit(self, X, y):
        if len(X) > len(LOANS.X):
            raise NotSent("never again")
        return super().fit(X, y)


def closure(bound):
    """Return an estimator of a class that no module has."""

    class Bounded(DecisionTreeClassifier):
        def predict(self, X):
            return np.where(np.asarray(X["age"]) < bound, "approved", super().predict(X))

    return Bounded(max_depth=2)


def unlike_denied(share, model, X, y):
    return share * float((model.predict(X) != "denied").mean())


CASES = {
    "default, logistic": (edit(MODELS["logistic"]), LOANS.X),
    "default, forest": (edit(MODELS["forest"]), LOANS.X),
    "default, LightGBM": (edit(MODELS["LightGBM"]), LOANS.X),
    "integer program": (edit(MODELS["logistic"], select="ip"), LOANS.X),
    "as published": (edit(MODELS["logistic"], make=frote.FROTE.as_published, batch_size=20, modify="none"), LOANS.X),
    "held out": (edit(MODELS["logistic"], evaluate=0.2, modify="drop"), LOANS.X),
    "a class of this module that fails": (
        edit(Fussy(max_depth=3), NUMBER_RULES, max_fits=10, patience=10, schedule="fixed"),
        NUMBERS,
    ),
    "a closure and a scorer": (
        edit(closure(25), NUMBER_RULES, scoring=partial(unlike_denied, 0.9), modify="none"),
        NUMBERS,
    ),
}


@pytest.fixture(scope="module")
def alone():
    """Return what one worker gives, by case."""
    found = {name: outcome(editor.set_params(n_jobs=1), X, LOANS.y) for name, (editor, X) in CASES.items()}
    accepted = {name: {line[0]: line[2] for line in one["history"][1:]}["accepted"] for name, one in found.items()}
    # Speculation is put to the test only where some batch is accepted and some is not.
    assert any({"True", "False"} <= set(steps[1:]) for steps in accepted.values())
    errors = {line[0]: line[2] for line in found["a class of this module that fails"]["history"][1:]}["error"]
    assert {"''", "'TwoWords: too many'", "'LookupError: no 1'"} <= set(errors)
    return found


@pytest.mark.parametrize("case", CASES)
def test_threads_give_the_same_bytes(case, alone):
    editor, X = CASES[case]
    same("threading", 3, alone[case], editor, X)


@pytest.fixture
def by_value():
    """Send classes of this module as they are: whether workers could import it depends on how tests are run."""
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    yield
    cloudpickle.unregister_pickle_by_value(module)


@pytest.fixture
def nowhere(monkeypatch):
    """Return an estimator of a module that only this process has."""
    module = types.ModuleType("nowhere_else")
    module.Here = type("Here", (DecisionTreeClassifier,), {"__module__": module.__name__})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module.Here(max_depth=2)


@pytest.mark.usefixtures("by_value")
def test_processes_give_the_same_bytes(alone, nowhere, tmp_path):
    for case, (editor, X) in CASES.items():
        same("loky", 2, alone[case], editor, X)
    # An exception that cannot be sent back is told in words.
    editor = edit(Failing(max_depth=2), NUMBER_RULES, n_jobs=2)
    with pytest.raises(
        RuntimeError, match=r"^NotSent: never again\nEvery retraining failed; this was the first failure"
    ):
        editor.fit(NUMBERS, LOANS.y)
    # A run with a checkpoint is cut off in a round, and goes on with as many workers.
    editor, X = CASES["as published"]
    saved = clone(editor).set_params(n_jobs=2, checkpoint=tmp_path)
    with pytest.raises(ZeroDivisionError):
        clone(saved).set_params(callbacks=[lambda step: step.step == 3 and 1 / 0]).fit(X, LOANS.y)
    same("loky", 2, alone["as published"], saved, X)
    for case, (editor, X) in CASES.items():
        if case.startswith("default"):
            same("loky", 3, alone[case], editor, X)
    with pytest.raises(
        TypeError, match=r"^The estimator cannot be read in other processes \(No module named 'nowhere_else'\); use n_"
    ):
        edit(nowhere, NUMBER_RULES, n_jobs=3).fit(NUMBERS, LOANS.y)


# --- what cannot be sent ---


class Locked(DecisionTreeClassifier):
    """Holds what cannot be pickled: from the start, or once it is fitted."""

    def __init__(self, lock=None, *, max_depth=2, random_state=None):
        super().__init__(max_depth=max_depth, random_state=random_state)
        self.lock = lock

    def __sklearn_clone__(self):
        return Locked(self.lock, max_depth=self.max_depth, random_state=self.random_state)

    def fit(self, X, y):
        self.lock_ = threading.Lock()
        return super().fit(X, y)


def test_what_processes_cannot_be_sent():
    for estimator in (Locked(threading.Lock()), Locked()):
        editor = edit(estimator, NUMBER_RULES, n_jobs=2)
        text = (
            r"^The estimator cannot be sent to other processes \(cannot pickle '_thread\.lock' object\); use n_jobs=1, "
            r"or threads by joblib\.parallel_config\(backend='threading'\)\.$"
        )
        with pytest.raises(TypeError, match=text):
            editor.fit(NUMBERS, LOANS.y)


@pytest.mark.parametrize("estimator", [Locked(threading.Lock()), Locked()])
def test_threads_need_nothing_sent(estimator):
    editor = edit(estimator, NUMBER_RULES)
    same("threading", 2, outcome(editor, NUMBERS, LOANS.y), editor, NUMBERS)


# --- how much is done, and by whom ---

X = pd.DataFrame({"a": np.arange(24), "b": np.arange(24) * 7 % 11 / 2})
Y = ["no", "yes"] * 12


def counted(estimator, **parameters):
    given = {"scoring": more_rows_are_better, "agreement_weight": 0.0, "batch_size": 4, "oversample": 9.0, "k": 2}
    given |= {"schedule": "fixed", "weak_share": 0.0, "evaluate": "active", "max_fits": 6}
    return edit(estimator, "IF a < 8 THEN yes", **{**given, **parameters})


def test_speculative_fits_are_not_counted():
    fits = []
    with joblib.parallel_config(backend="threading"):
        editor = counted(Breaking(fits), n_jobs=4).fit(X, Y)
    # Every batch is accepted, so of four that are tried one counts; in the end there are fewer left to try.
    assert len(fits) == 1 + 4 + 4 + 4 + 3 + 2 + 1
    assert editor.n_fits_ == len(editor.history_) == 7


def test_the_number_of_workers_may_come_from_joblib():
    fits = []
    with joblib.parallel_config(backend="threading", n_jobs=2):
        editor = counted(Breaking(fits)).fit(X, Y)
    assert editor.n_fits_ == 7
    assert len(fits) == 1 + 5 * 2 + 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_is_accepted_ends_the_round(n_jobs):
    # A step after an accepted one is never of a batch that was made before.
    with joblib.parallel_config(backend="threading"):
        history = counted(Breaking(), n_jobs=n_jobs).fit(X, Y).history_
    assert history["added"].tolist() == [0, 4, 8, 12, 16, 20, 24]
    assert history["objective"].tolist() == [24 + 4 * step for step in range(7)]


def blas_threads():
    """Return the numbers of threads of linear algebra; the libraries are looked for once, which takes long."""
    return {pool.num_threads for pool in POOLS.lib_controllers}


POOLS = ThreadpoolController().select(user_api="blas")


class Watching(Counting):
    """Notes how many threads it may use, by thread pools and by joblib, at the end of fits that overlap."""

    seen: ClassVar[list] = []  # no parameter: a run that goes on must have the same ones

    def fit(self, X, y):
        time.sleep(0.002 * (len(self.seen) % 3))
        self._note()
        return super().fit(X, y)

    def predict(self, X):
        self._note()
        return super().predict(X)

    def _note(self):
        self.seen.append((blas_threads(), joblib.effective_n_jobs(None)))


def asking(model, X, y):
    model.predict(X)
    return more_rows_are_better(model, X, y)


def stopping(step):
    return step.step == 3


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "settings",
    [{}, {"evaluate": 0.3}, {"evaluate": "probes", "select": "online"}, {"weak_share": 0.5, "candidates": 2}],
    ids=str,
)
def test_every_fit_has_the_same_number_of_threads(threads, n_jobs, settings, tmp_path):
    seen = Watching.seen
    seen.clear()
    editor = counted(
        Watching(), n_jobs=n_jobs, threads=threads, scoring=asking, max_fits=12, checkpoint=tmp_path, **settings
    )
    with joblib.parallel_config(backend="threading", n_jobs=4), threadpool_limits(limits=3, user_api="blas"):
        editor.preview(X, Y)
        editor.set_params(callbacks=[stopping]).fit(X, Y)
        editor.set_params(callbacks=()).fit(X, Y)  # goes on
        after = blas_threads()
    assert len(seen) > 3 * 13
    assert after
    assert all(pools <= {threads} for pools, _ in seen)
    assert {jobs for _, jobs in seen} == {1}
    assert after <= {3}


class Configured(Counting):
    def fit(self, X, y):
        if sklearn.get_config()["transform_output"] != "polars":
            raise RuntimeError("the settings of scikit-learn were left behind")
        return super().fit(X, y)


def test_settings_of_scikit_learn_go_along():
    with sklearn.config_context(transform_output="polars"), joblib.parallel_config(backend="threading"):
        editor = counted(Configured(), n_jobs=2).fit(X, Y)
    assert set(editor.history_["error"]) == {""}
