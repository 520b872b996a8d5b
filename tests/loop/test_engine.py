"""The loop: a step depends on the state and its own number alone, and a state changes only by acceptance."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import ClassVar

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from threadpoolctl import threadpool_info, threadpool_limits

import frote
from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.generation.making import Making
from frote.loop.attempts import Bench
from frote.loop.engine import EditLoop, Past
from frote.loop.evaluation import ActiveRows
from frote.loop.objective import Objective
from frote.loop.proposal import Proposer
from frote.loop.rows import Rows
from frote.loop.schedule import FixedPlanner, Plan
from frote.loop.training import Trainer
from frote.selection import Uniform

RULES = frote.parse_rules("""
    young: IF age < 30 AND job = a THEN yes
    old: IF age >= 60 OR job = c THEN {yes: 0.5, no: 0.5}
""")


class Stubborn(ClassifierMixin, BaseEstimator):
    """Predicts one class for all, as many rows as it may see; so no batch is ever better than the last."""

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), "no")


class Improving(Stubborn):
    """Says yes to ever older people, the more rows it has seen: every batch is better."""

    def fit(self, X, y):
        self.bound_ = 18 + (len(X) - 60) / 5
        return super().fit(X, y)

    def predict(self, X):
        young = (np.asarray(X["age"]) < self.bound_) & (np.asarray(X["job"]) == "a")
        return np.where(young, "yes", "no")


def make_loop(estimator, schedule, *, seed=3, remember=True, n_jobs=1, **proposing):
    X = pd.DataFrame({"age": np.arange(18, 78), "job": list("abc") * 20})
    labels = Labels.of(["no", "no", "yes", "yes"] * 15)
    table = frote.Table.from_frame(X)
    making = Making.of(Ruling.of(RULES.bind(table.schema), labels.texts), table, 3)
    rows = Rows.of(making, frote.table.TypedFrame(table, X), labels.codes, labels.codes)
    natives = np.array(["no", "yes"])
    trainer = Trainer(estimator, labels, lambda codes: natives[codes])
    evaluation = ActiveRows(Objective(), least=4, remember=remember)
    proposer = Proposer(making, rows, Uniform(), **{"weak_share": 0.0, **proposing})
    return EditLoop(rows, Bench(trainer, proposer, schedule, evaluation, seed), n_jobs)


def test_batches_are_of_one_size_and_end_at_the_limit_of_steps():
    loop = make_loop(Stubborn(), FixedPlanner(7, 1000, 4))
    steps = list(loop.run())
    assert [step.step for step in steps] == [0, 1, 2, 3, 4]
    assert [step.proposed for step in steps[1:]] == [(4, 3)] * 4
    assert [step.accepted for step in steps] == [True, False, False, False, False]
    assert loop.state.added == 0
    assert all(min(step.fit_seconds, step.predict_seconds, step.other_seconds) >= 0 for step in steps)


def test_the_last_batch_may_overshoot_the_limit_of_rows():
    loop = make_loop(Improving(), FixedPlanner(20, 50, 100), remember=False)
    steps = list(loop.run())
    assert [step.added for step in steps] == [0, 20, 40, 60]
    assert all(step.scores.objective > step.previous for step in steps[1:])
    assert len(loop.state.incumbent.rows) == 120
    assert [number for number, _ in loop.state.batches] == [1, 2, 3]


def test_a_step_depends_on_the_state_and_its_number_alone():
    loop = make_loop(Stubborn(), FixedPlanner(10, 1000, 2))
    list(loop.run())
    one, again = (loop.propose(Plan(7, 10)) for _ in range(2))
    pd.testing.assert_frame_equal(one.rows.frame, again.rows.frame)
    np.testing.assert_array_equal(one.rows.labels, again.rows.labels)
    other = loop.propose(Plan(8, 10))
    assert not one.rows.frame.equals(other.rows.frame)
    other_seed = make_loop(Stubborn(), FixedPlanner(10, 1000, 2), seed=4)
    list(other_seed.run())
    assert not one.rows.frame.equals(other_seed.propose(Plan(7, 10)).rows.frame)


def test_a_batch_knows_where_it_comes_from():
    loop = make_loop(Stubborn(), FixedPlanner(10, 1000, 1))
    list(loop.run())
    batch = loop.propose(Plan(1, 12))
    covered = batch.rows.attribution.covered
    assert covered[batch.piece, np.arange(len(batch))].all()
    bases = loop.rows.attribution.covered[:, batch.base][batch.piece, np.arange(len(batch))]
    np.testing.assert_array_equal(batch.strong, bases)
    np.testing.assert_array_equal(batch.rows.own, loop.rows.own[batch.base])
    assert set(loop.ruling.origin[batch.piece]) == {0, 1}


@pytest.mark.parametrize("remember", [True, False])
def test_as_published_the_old_score_is_kept_else_taken_anew(remember):
    loop = make_loop(Improving(), FixedPlanner(20, 25, 100), remember=remember)
    steps = list(loop.run())
    kept = [step for step in steps if step.accepted]
    assert len(kept) == 3
    assert (steps[2].previous == steps[1].scores.objective) == remember


class Moody(Improving):
    """Refuses to predict for rows that it was neither fitted to nor judged on: for candidates."""

    refused: ClassVar = []

    def predict(self, X):
        if len(X) in (36, 24):
            self.refused.append(len(X))
            raise RuntimeError("not today")
        return super().predict(X)


def test_a_model_that_cannot_say_which_candidates_are_wrong_does_not_end_the_run():
    loop = make_loop(Moody(), FixedPlanner(12, 1000, 2), weak_share=0.5, candidates=6)
    steps = list(loop.run())
    assert [sum(step.proposed) for step in steps] == [0, 12, 12]
    assert not any(step.error for step in steps)
    assert Moody.refused == [36, 36]


class Slow(Improving):
    """Takes its time, the less the later it is begun; keeps to the rules for some batches only."""

    begun: ClassVar = []
    ended: ClassVar = []

    def fit(self, X, y):
        number = len(self.begun)
        self.begun.append(number)
        time.sleep(0.01 * (3 - number % 4))
        super().fit(X, y)
        if int(np.asarray(X["age"]).sum()) % 3:
            self.bound_ = 0
        self.ended.append(number)
        return self


@pytest.fixture(autouse=True)
def nothing_begun():
    for noted in (Slow.begun, Slow.ended, Moody.refused):
        noted.clear()


def bare(step):
    """Return a step without its seconds."""
    return replace(step, fit_seconds=0, predict_seconds=0, other_seconds=0)


def test_several_workers_go_through_the_same_steps():
    schedule = FixedPlanner(12, 1000, 16)
    expected = [bare(step) for step in make_loop(Slow(), schedule).run()]
    assert {step.accepted for step in expected[1:]} == {True, False}
    loop = make_loop(Slow(), schedule, n_jobs=3)
    with joblib.parallel_config(backend="threading"):
        found = []
        for step in loop.run():
            assert loop.plan.step == step.step + 1
            assert loop.state.added == step.added
            found.append(bare(step))
    assert repr(found) == repr(expected)  # some scores are NaN


@pytest.mark.parametrize("last", [0, 1, 2, 5])
def test_a_run_that_is_left_early_leaves_nothing_running(last):
    run = make_loop(Slow(), FixedPlanner(12, 1000, 16), n_jobs=3).run()
    with joblib.parallel_config(backend="threading"):
        for step in run:
            if step.step == last:
                break
        run.close()
    assert sorted(Slow.ended) == Slow.begun
    # None is begun before it is needed: at most three for each step.
    assert len(Slow.begun) <= 1 + 3 * last


class Noting(Proposer):
    """Notes how many threads it may use."""

    noted: ClassVar = []

    def propose(self, *args):
        self.noted.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return super().propose(*args)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_batches_are_made_with_the_same_number_of_threads(n_jobs):
    Noting.noted.clear()
    loop = make_loop(Slow(), FixedPlanner(12, 1000, 4), n_jobs=n_jobs)
    loop.bench.proposer.__class__ = Noting
    with joblib.parallel_config(backend="threading"), threadpool_limits(limits=3, user_api="blas"):
        list(loop.run())
    assert Noting.noted
    assert set(Noting.noted) == {1}


class Broken(Proposer):
    def propose(self, *_):
        raise ZeroDivisionError


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_of_our_own_goes_through(n_jobs):
    loop = make_loop(Slow(), FixedPlanner(12, 1000, 16), n_jobs=n_jobs)
    loop.bench.proposer.__class__ = Broken
    with joblib.parallel_config(backend="threading"), pytest.raises(ZeroDivisionError):
        list(loop.run())
    assert sorted(Slow.ended) == Slow.begun


def test_how_many_steps_there_will_be_if_every_batch_is_accepted():
    loop = make_loop(Stubborn(), FixedPlanner(20, 50, 100))
    assert next(loop.likely_steps for _ in loop.run()) == 3  # 20, 40 and 60 rows


class Failing(Improving):
    """Cannot be fitted to more rows than the data have, and says how often it was tried."""

    tried: ClassVar = []

    def fit(self, X, y):
        if len(X) > 60:
            self.tried.append(len(X))
            raise RuntimeError(f"failure {len(self.tried)}")
        return super().fit(X, y)


def test_a_run_that_goes_on_knows_the_first_failure_of_those_before():
    Failing.tried.clear()
    first = make_loop(Failing(), FixedPlanner(6, 1000, 3))
    steps = list(first.run())
    assert [step.error for step in steps] == ["", *(f"RuntimeError: failure {number}" for number in (1, 2, 3))]
    again = make_loop(Failing(), FixedPlanner(6, 1000, 3))
    assert list(again.resume(Past(tuple(steps), tuple(first.tried), first.plan))) == []
    assert str(again.failure) == "RuntimeError: failure 1"
    shorter = make_loop(Failing(), FixedPlanner(6, 1000, 3))
    list(shorter.resume(Past(tuple(steps[:2]), (), Plan(2, 6))))
    assert str(shorter.failure) == "RuntimeError: failure 1"
