"""Trying batches, and what workers get: packed once, unpacked once."""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
import threading
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from pathlib import Path

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier
from tests.estimators.results import outcome
from tests.estimators.stubs import Breaking

import frote
from frote.estimators.preparing import prepared
from frote.loop import attempts
from frote.loop.attempts import Packed, Parcel, StepInput, Workers

X = pd.DataFrame({"a": np.arange(24), "b": np.arange(24) * 7 % 11 / 2})
Y = ["no", "yes"] * 12


@pytest.fixture(autouse=True)
def nothing_unpacked():
    attempts._UNPACKED.clear()


class Choosy(DecisionTreeClassifier):
    """Refuses to be fitted to more rows than it is told; clones keep what cannot be copied."""

    def __init__(self, most=1000, keep=None, *, max_depth=2, random_state=None):
        super().__init__(max_depth=max_depth, random_state=random_state)
        self.most = most
        self.keep = keep

    def __sklearn_clone__(self):
        return Choosy(self.most, self.keep, max_depth=self.max_depth, random_state=self.random_state)

    def fit(self, X, y):
        if len(X) > self.most:
            raise Refused("too", "many")
        return super().fit(X, y)


class Sticky:
    """It can be pickled, but not unpickled."""

    def __reduce__(self):
        return unread, ()


def unread():
    raise TypeError("it cannot be unpickled")


class Refused(Exception):  # noqa: N818
    """Its constructor takes more than its message, and what it holds cannot be unpickled, whoever pickles errors."""

    def __init__(self, one, two):
        super().__init__(f"{one} {two}")
        self.held = Sticky()


def started(estimator):
    """Return a loop after its first fit."""
    editor = frote.FROTE(estimator, "IF a < 8 THEN yes\nIF a > 20 THEN no", random_state=0, k=2, batch_size=6)
    loop = prepared(editor, X, Y, None).loop
    next(loop.run())
    return loop


def plan_of(loop, step):
    return replace(loop.plan, step=step)


def by_processes(tasks):
    """Do as joblib does with processes: everything goes there and back as bytes."""
    found = []
    for task, args, _ in tasks:
        sent = pickle.loads(cloudpickle.dumps(args))
        found.append(pickle.loads(cloudpickle.dumps(task.function(*sent))))
    return found


def by_threads(tasks):
    return [task.function(*args) for task, args, _ in tasks]


def tried(loop, pool, steps):
    """Try plans for the current state."""
    return Workers(pool, loop.bench).attempts(loop.state, [plan_of(loop, step) for step in steps])


# --- one attempt ---


def test_an_attempt():
    loop = started(Choosy())
    incumbent = loop.state.incumbent
    found = loop.bench.attempt(loop.state, loop.plan)
    batch = loop.propose(loop.plan)
    assert found.error is None
    assert found.error_text == ""
    assert found.proposed == loop.ruling.per_rule(batch.piece)
    assert found.verdict.old == incumbent.scores
    # The model is fitted to the data with the batch below them.
    again = loop.bench.trainer.fit(
        pd.concat([incumbent.rows.frame, batch.rows.frame], ignore_index=True),
        np.concatenate([incumbent.rows.labels, batch.rows.labels]),
    )
    expected = loop.bench.judge.compare(loop.bench.trainer, incumbent, batch, incumbent.rows.stacked(batch.rows), again)
    assert found.verdict.new == expected.new
    assert min(found.fit_seconds, found.predict_seconds, found.other_seconds) >= 0
    assert loop.state.incumbent is incumbent


def test_the_model_is_kept_only_if_it_is_better():
    loop = started(Choosy())
    incumbent = loop.state.incumbent
    low, high = (replace(incumbent.scores, objective=objective) for objective in (-1.0, 2.0))
    better, worse = (
        loop.bench.attempt(replace(loop.state, incumbent=replace(incumbent, scores=scores)), loop.plan)
        for scores in (low, high)
    )
    assert (worse.better, better.better) == (False, True)
    assert worse.model is None
    assert worse.proposed == better.proposed
    for found in (better, worse):  # a batch that is not kept is a point of the frontier
        pd.testing.assert_frame_equal(found.batch.rows.frame, loop.propose(loop.plan).rows.frame)
    assert better.model.predict(X).shape == (24,)


def test_a_failing_attempt_is_handed_back_with_its_seconds():
    loop = started(Choosy(most=24))
    found = loop.bench.attempt(loop.state, loop.plan)
    assert found.model is found.batch is found.verdict is None
    assert sum(found.proposed) == 6
    assert type(found.error) is Refused
    assert found.error_text == "Refused: too many"
    assert min(found.fit_seconds, found.other_seconds) >= 0


def test_an_interrupt_is_no_failure():
    loop = started(Breaking(fits=[], broken=(1,), error=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        loop.bench.attempt(loop.state, loop.plan)


# --- several at once ---


@pytest.mark.parametrize("pool", [by_threads, by_processes])
def test_workers_do_what_one_does(pool):
    loop = started(Choosy())
    loop.state = replace(
        loop.state,
        incumbent=replace(loop.state.incumbent, scores=replace(loop.state.incumbent.scores, objective=-1.0)),
    )
    for step, found in zip((1, 2, 3), tried(loop, pool, (1, 2, 3)), strict=True):
        expected = loop.bench.attempt(loop.state, plan_of(loop, step))
        assert found.verdict.new == expected.verdict.new
        assert found.verdict.old == expected.verdict.old
        assert found.proposed == expected.proposed
        pd.testing.assert_frame_equal(found.batch.rows.frame, expected.batch.rows.frame)
        np.testing.assert_array_equal(found.model.predict(X), expected.model.predict(X))


@pytest.mark.parametrize("pool", [by_threads, by_processes])
def test_an_error_that_cannot_be_sent_is_told_all_the_same(pool):
    (found,) = tried(started(Choosy(most=24)), pool, [1])
    assert found.error_text == "Refused: too many"
    assert type(found.error) is RuntimeError
    assert str(found.error) == "Refused: too many"


def test_an_estimator_that_cannot_be_sent():
    loop = started(Choosy(keep=threading.Lock()))
    (found,) = tried(loop, by_threads, [1])
    assert found.error is None
    with pytest.raises(TypeError, match=r"^The estimator cannot be sent to other processes \(cannot pickle '_thread"):
        tried(loop, by_processes, [1])


def test_other_errors_of_a_pool_go_through():
    def broken(tasks):
        raise ConnectionError("the cluster is gone")

    with pytest.raises(ConnectionError):
        tried(started(Choosy()), broken, [1])


def dying(deaths):
    """Return a pool that is broken when it gets more than one plan, or one of those given; and what it got."""
    asked = []

    def pool(tasks):
        tasks = list(tasks)
        steps = [args[2].step for _, args, _ in tasks]
        asked.append(steps)
        if len(tasks) > 1 or steps[0] in deaths:
            raise BrokenExecutor("A worker is gone.")
        return by_processes(tasks)

    return pool, asked


def test_batches_of_a_worker_that_died_are_tried_again_each_alone():
    loop = started(Choosy())
    pool, asked = dying({2})
    one, two, three = tried(loop, pool, (1, 2, 3))
    assert asked == [[1, 2, 3], [1], [2], [3]]
    for step, found in ((1, one), (3, three)):
        assert found.verdict.new == loop.bench.attempt(loop.state, plan_of(loop, step)).verdict.new
    assert two.error_text.startswith(
        "RuntimeError: A worker died while it tried this batch, and another one that tried it"
    )
    assert str(two.error.__cause__) == "A worker is gone."
    assert two.verdict is two.batch is two.model is None
    assert two.proposed == loop.bench.attempt(loop.state, plan_of(loop, 2)).proposed


def test_what_comes_after_an_accepted_batch_is_not_tried_again():
    loop = started(Choosy())
    pool, asked = dying(())
    next(iter(tried(loop, pool, (1, 2, 3))))
    assert asked == [[1, 2, 3], [1]]


def mortal(folder, deaths):
    """Return an estimator that kills its own process when it is fitted to more than the data, so many times."""

    class Mortal(DecisionTreeClassifier):
        def fit(self, X, y):
            if len(X) > 24 and len(os.listdir(folder)) < deaths:
                Path(tempfile.mkstemp(dir=folder)[1]).write_text("dead")
                os.kill(os.getpid(), signal.SIGKILL)
            return super().fit(X, y)

    return Mortal(max_depth=2)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills")
def test_a_worker_that_is_killed_costs_no_run_and_changes_no_byte(tmp_path):
    def editor(deaths, n_jobs):
        rules, given = (
            "IF a < 8 THEN yes\nIF a > 20 THEN no",
            {"k": 2, "batch_size": 6, "max_fits": 3, "modify": "none"},
        )
        return frote.FROTE(mortal(tmp_path, deaths), rules, random_state=0, n_jobs=n_jobs, **given)

    expected = outcome(editor(0, 1), X, Y)
    assert outcome(editor(1, 2), X, Y) == expected
    assert len(list(tmp_path.iterdir())) == 1


@pytest.fixture
def packing(monkeypatch):
    """Count what is packed, and what is unpacked."""
    counts = {"dumps": 0, "loads": 0}

    class Counted:
        @staticmethod
        def dumps(thing):
            counts["dumps"] += 1
            return cloudpickle.dumps(thing)

        @staticmethod
        def loads(content):
            counts["loads"] += 1
            return cloudpickle.loads(content)

    monkeypatch.setattr(attempts, "cloudpickle", Counted)
    return counts


def test_run_and_state_are_packed_and_unpacked_once(packing):
    loop = started(Choosy())
    workers = Workers(by_processes, loop.bench)
    plans = [plan_of(loop, step) for step in (1, 2, 3)]
    workers.attempts(loop.state, plans)
    workers.attempts(loop.state, plans)
    assert packing == {"dumps": 2, "loads": 2}  # the run, the state
    workers.attempts(replace(loop.state, incumbent=replace(loop.state.incumbent, support=(9, 9))), plans)
    assert packing == {"dumps": 3, "loads": 3}  # another state


def test_workers_do_not_get_the_batches_so_far():
    def looking(tasks):
        ((_, args, _),) = tasks
        return [args[1].thing]

    loop = started(Choosy())
    loop.state = replace(loop.state, added=7)
    (got,) = tried(loop, looking, [1])
    assert type(got) is StepInput
    assert got.incumbent is loop.state.incumbent
    assert got.populations is loop.state.populations
    assert got.added == 7


def test_threads_get_the_thing_itself(packing):
    tried(started(Choosy()), by_threads, [1])
    assert packing == {"dumps": 0, "loads": 0}


# --- parcels ---


def sent(parcel):
    return pickle.loads(pickle.dumps(parcel))


def test_a_parcel_is_always_the_same_bytes_under_the_same_token():
    parcel = Parcel({"a": 1})
    (_, (token, content)), (_, (again, same)) = parcel.__reduce__(), parcel.__reduce__()
    assert token == again
    assert content is same  # joblib keeps what it shipped by the array
    assert token != Parcel({"a": 1}).__reduce__()[1][0]
    assert type(sent(parcel)) is Packed
    assert sent(parcel).thing == {"a": 1}


def test_the_last_two_things_stay_unpacked(packing):
    run, one, two = (Parcel([number]) for number in range(3))
    assert sent(run).thing is sent(run).thing
    sent(one).thing  # noqa: B018
    assert packing["loads"] == 2
    sent(run).thing  # noqa: B018
    sent(two).thing  # noqa: B018
    assert packing["loads"] == 3
    sent(run).thing  # noqa: B018
    assert packing["loads"] == 3  # the run was used last but one; the old state went
    assert sent(one).thing == [1]
    assert packing["loads"] == 4
    assert len(attempts._UNPACKED) == 2


def test_several_threads_of_a_worker():
    packed = [sent(Parcel(number)) for number in range(1, 6)]
    wrong = []

    def work(start):
        for turn in range(300):
            one = (start + turn) % len(packed)
            try:
                if packed[one].thing != one + 1:
                    wrong.append(one)
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong
