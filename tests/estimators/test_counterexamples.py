"""Counterexamples of proofs that join an edit."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.tree import DecisionTreeClassifier
from tests.in_process import invoke

import frote
from frote.command.main import main
from frote.exceptions import RuleWarning, TableError

RNG = np.random.default_rng(3)
X = pd.DataFrame(RNG.normal(size=(160, 5)).round(2), columns=list("abcde"))
y = pd.Series(np.where(X["a"] * X["b"] + X["c"] > 0, "yes", "no"), name="answer")
RULES = "high: IF a > 0.5 AND d < 0.5 THEN no\nlow: IF a < -1.2 THEN {yes: 0.8, no: 0.2}"
TREE = DecisionTreeClassifier()


def edited(counterexamples=True, **changed):
    settings = {"max_fits": 30, "random_state": 1, "counterexamples": counterexamples, **changed}
    return frote.FROTE(TREE, RULES, **settings).fit(X, y)


@pytest.fixture(scope="module")
def joined():
    return edited()


def test_what_the_search_left_open_is_closed(joined):
    plain = edited(counterexamples=False)
    before, after = (frote.prove(one.estimator_, RULES, X, values="observed") for one in (plain, joined))
    assert before.rules.loc["high", "answer"] == "counterexample"
    assert after.rules.loc["high", "answer"] == "proven"
    # The search itself is the same, and no step after it made the model worse.
    same = joined.history_.iloc[: len(plain.history_)]
    assert same["objective"].tolist() == plain.history_["objective"].tolist()
    more = joined.history_.iloc[len(plain.history_) :]
    assert more["accepted"].any()
    assert (more.loc[more["accepted"], "objective"] >= more.loc[more["accepted"], "previous"]).all()


def test_rows_that_joined_are_told_in_the_ledger_and_lie_in_their_rule(joined, tmp_path):
    ledger = joined.ledger_
    mine = ledger[ledger["covered"] == "counterexample"]
    assert len(mine)
    assert set(mine["status"]) == {"synthetic"}
    assert set(mine["rule"]) == {"high"}  # the other one leaves its label to chance
    X_new, y_new = joined.resampled()
    rows = X_new.iloc[mine["row"].to_numpy(int)]
    assert ((rows["a"] > 0.5) & (rows["d"] < 0.5)).all()
    assert (y_new.iloc[mine["row"].to_numpy(int)] == "no").all()
    assert (mine["base"] < mine["row"]).all()
    assert mine["neighbour"].isna().all()
    assert not rows.duplicated().all()
    joined.save(tmp_path / "edit")
    assert invoke(main, "replay", tmp_path / "edit", "--quiet").output == ""
    assert "around counterexamples" in (tmp_path / "edit" / "report.html").read_text("utf-8")


def test_it_is_the_same_however_it_is_run(joined, tmp_path):
    assert edited(n_jobs=2).ledger_.equals(joined.ledger_)
    first = joined.ledger_.loc[joined.ledger_["covered"] == "counterexample", "step"].min()
    folder = tmp_path / "run"
    edited(checkpoint=folder, callbacks=[lambda step: step.step == first])
    resumed = edited(checkpoint=folder)
    assert resumed.ledger_.equals(joined.ledger_)
    assert resumed.history_["objective"].tolist() == joined.history_["objective"].tolist()


def test_limits_hold(joined):
    last = len(edited(counterexamples=False).history_) - 1
    assert not (edited(max_fits=last).ledger_["covered"] == "counterexample").any()
    assert joined.ledger_.loc[joined.ledger_["covered"] == "counterexample", "step"].value_counts().max() <= 50


def test_a_model_that_cannot_be_looked_into_is_told_and_edited_all_the_same():
    several, settings = VotingClassifier([("tree", TREE)]), {"max_fits": 30, "random_state": 1}
    with pytest.warns(RuleWarning, match="No counterexamples joined the edit. Nothing can be proven of"):
        editor = frote.FROTE(several, RULES, counterexamples=True, **settings).fit(X, y)
    plain = frote.FROTE(several, RULES, **settings).fit(X, y)
    assert editor.ledger_.equals(plain.ledger_)
    with pytest.raises(TableError, match="counterexamples=True is for edits by data"):
        frote.FROTEClassifier(TREE, RULES, how="anchored", counterexamples=True).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (
            frote.FROTE(TREE, counterexamples=True, max_fits=3).fit(X, y).n_fits_ == 1
        )  # without rules there are none
