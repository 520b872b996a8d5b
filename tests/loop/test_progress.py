"""What watches the loop: limits, callbacks, an interrupt and the bar end a run or show it, and change nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from tests.estimators.stubs import Breaking, more_rows_are_better

import frote
from frote.loop.progress import Watch

X = pd.DataFrame({"a": np.arange(24), "b": np.arange(24) * 7 % 11 / 2})
Y = ["no", "yes"] * 12


def editor(estimator=None, **parameters):
    given = {"modify": "none", "max_fits": 6, "random_state": 0, "k": 2, "batch_size": 4, "oversample": 9.0}
    given |= {"schedule": "fixed", "weak_share": 0.0, "evaluate": "active"}
    given |= {"scoring": more_rows_are_better, "agreement_weight": 0.0}  # every batch is accepted
    return frote.FROTE(estimator or Breaking(), "IF a < 8 THEN yes", **{**given, **parameters})


class Fixed(Breaking):
    """Never improves."""

    def fit(self, X, y):
        super().fit(X, y)
        self.rows_ = 0
        return self


def test_callbacks_see_every_step_and_may_end_the_run():
    seen, others = [], []
    callbacks = [lambda step: seen.append(step.step) or step.step == 2, lambda step: others.append(step.step)]
    made = editor(callbacks=callbacks).fit(X, Y)
    assert seen == others == [0, 1, 2]
    assert made.n_fits_ == 3


def test_a_callback_that_returns_nothing_ends_nothing():
    assert editor(callbacks=[lambda _: None]).fit(X, Y).n_fits_ == 7


def test_steps_cannot_be_changed_by_callbacks():
    def spoil(step):
        step.accepted = True

    with pytest.raises(AttributeError):
        editor(callbacks=[spoil]).fit(X, Y)


def test_no_time_at_all_leaves_the_first_fit():
    assert editor(time_limit=0).fit(X, Y).n_fits_ == 1
    assert editor(time_limit=1000.0).fit(X, Y).n_fits_ == 7


def test_patience():
    assert editor(Fixed(), patience=3).fit(X, Y).n_fits_ == 4
    assert editor(patience=1).fit(X, Y).n_fits_ == 7


def test_failing_steps_try_patience_too():
    assert editor(Breaking(fits=[], broken=(3, 4)), patience=2).fit(X, Y).n_fits_ == 5


@pytest.mark.parametrize("fit", [2, 3])
def test_an_interrupt_keeps_what_was_accepted_and_says_so(fit):
    made = editor(Breaking(fits=[], broken=(fit,), error=KeyboardInterrupt))
    with pytest.warns(UserWarning, match=r"^Editing was interrupted; what was accepted so far is kept\.$"):
        X_new, y_new = made.fit_resample(X, Y)
    assert made.n_fits_ == fit
    assert len(X_new) == len(y_new) == 24 + 4 * (fit - 1)
    expected = editor(max_fits=fit - 1)
    X_expected, _ = expected.fit_resample(X, Y)
    pd.testing.assert_frame_equal(X_new, X_expected)
    pd.testing.assert_frame_equal(made.ledger_, expected.ledger_)


def test_an_interrupt_of_the_first_fit_goes_through():
    with warnings.catch_warnings(), pytest.raises(KeyboardInterrupt):
        editor(Breaking(fits=[], broken=(0,), error=KeyboardInterrupt)).fit(X, Y)


def test_the_bar_shows_the_run_and_changes_nothing(capsys):
    shown = editor(Breaking(fits=[], broken=(2,)), progress=True).fit(X, Y)
    text = capsys.readouterr().err
    assert "6/6" in text
    assert "editing" in text
    for part in (f"training objective={shown.objective_:.3f}", "accepted=5", "rejected=1", "rows=20"):
        assert part in text
    quiet = editor(Breaking(fits=[], broken=(2,))).fit(X, Y)
    assert capsys.readouterr().err == ""
    pd.testing.assert_frame_equal(shown.ledger_, quiet.ledger_)
    seconds = ["fit_seconds", "predict_seconds", "other_seconds"]
    pd.testing.assert_frame_equal(shown.history_.drop(columns=seconds), quiet.history_.drop(columns=seconds))


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({}, "the limit of 6 batches was reached"),
        ({"patience": 2}, "stopped after 2 rejected batches in a row"),
        ({"time_limit": 0.0}, "stopped by the time limit"),
        ({"callbacks": [lambda _: True]}, "stopped by a callback"),
    ],
)
def test_why_it_ended(parameters, reason, caplog):
    caplog.set_level("INFO", logger="frote")
    editor(Fixed(), **parameters).fit(X, Y)
    assert caplog.text.strip().endswith(reason)


def test_a_run_without_steps():
    watch = Watch((), None, progress=False, likely=lambda: 0)
    assert list(watch.steps(iter(()))) == []


HELD_BY_THE_DEAD = """
import os, signal, sys
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
from tqdm.auto import tqdm
import frote

lock, (told, tell) = tqdm.get_lock(), os.pipe()
child = os.fork()
if child == 0:
    lock.acquire()
    os.write(tell, b"!")
    signal.pause()
os.read(told, 1)
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
X = pd.DataFrame({"a": range(24)})
for progress in (False, True):
    print(progress, file=sys.stderr, flush=True)
    child = os.fork()
    if child == 0:
        rules = "IF a < 8 THEN yes"
        editor = frote.FROTE(DecisionTreeClassifier(), rules, max_fits=3, random_state=0, progress=progress)
        print(editor.fit(X, ["no", "yes"] * 12).n_fits_, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_no_run_waits_for_a_process_that_died_while_it_showed_a_bar():
    # tqdm's own lock is one for all processes that are forked from one, and the dead do not release it.
    command = [sys.executable, "-c", HELD_BY_THE_DEAD]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert len(done.stdout.split()) == 2
    assert all(int(fits) > 1 for fits in done.stdout.split())
    silent, shown = done.stderr.removeprefix("False\n").split("True\n")
    assert silent == ""
    assert "editing" in shown


def test_a_silent_run_makes_no_bar(monkeypatch):
    def shown(*_, **__):
        raise AssertionError

    monkeypatch.setattr("tqdm.std.tqdm.__new__", shown)
    assert editor().fit(X, Y).n_fits_ == 7
