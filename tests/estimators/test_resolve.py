"""Conflicts that the editor resolves itself: the same as resolving them before, for the rows of each fit."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from tests.estimators.stubs import Counting

import frote
from frote import FROTE, FROTEClassifier
from frote.exceptions import RuleWarning
from frote.report import gather

LOANS = frote.datasets.load_loans(150)
TEXT = "young: IF age < 29 THEN approved\nrisky: IF defaults >= 1 THEN denied"
FEW = {"max_fits": 2, "random_state": 0, "k": 2}


@pytest.mark.parametrize("how", ["priority", "exclude", "mix"])
@pytest.mark.parametrize("kind", [FROTE, FROTEClassifier])
def test_it_is_what_resolving_before_gives(kind, how):
    rules = frote.parse_rules(TEXT)
    here = kind(rules=TEXT, resolve=how, **FEW).fit(LOANS.X, LOANS.y)
    before = kind(rules=rules.resolve(how, LOANS.X, classes=["approved", "denied"]), **FEW).fit(LOANS.X, LOANS.y)
    assert here.rules_ == before.rules_
    pd.testing.assert_frame_equal(here.ledger_, before.ledger_)
    shown = here.preview(LOANS.X, LOANS.y), before.preview(LOANS.X, LOANS.y)
    pd.testing.assert_frame_equal(*(one.rules for one in shown))


def test_rules_in_a_model_are_resolved_too():
    model = FROTEClassifier(rules=TEXT, resolve="priority", how="anchored", random_state=0).fit(LOANS.X, LOANS.y)
    young = LOANS.X["age"] < 29
    assert (model.predict(LOANS.X[young]) == "approved").all()


def test_a_search_tries_ways_to_resolve():
    model = FROTEClassifier(rules=TEXT, **FEW)
    search = GridSearchCV(
        model, {"resolve": ["priority", "exclude"]}, scoring=frote.make_scorer(TEXT, "agreement"), cv=2
    )
    assert search.fit(LOANS.X, LOANS.y).best_params_["resolve"] in ("priority", "exclude")
    assert clone(search.best_estimator_).resolve == search.best_params_["resolve"]


def test_a_checkpoint_knows_the_rules_that_are_used(tmp_path):
    resolved = frote.parse_rules(TEXT).resolve("exclude", LOANS.X)
    first = FROTE(rules=resolved, checkpoint=tmp_path / "run", **FEW).fit(LOANS.X, LOANS.y)
    again = FROTE(rules=TEXT, resolve="exclude", checkpoint=tmp_path / "run", **FEW).fit(LOANS.X, LOANS.y)
    pd.testing.assert_frame_equal(first.ledger_, again.ledger_)
    with pytest.raises(frote.CheckpointError, match="rules"):
        FROTE(rules=TEXT, resolve="priority", checkpoint=tmp_path / "run", **FEW).fit(LOANS.X, LOANS.y)


def test_the_report_tells_the_rules_as_written_and_how_they_were_resolved():
    text = f"{TEXT}\nvery young: IF age < 25 THEN denied"
    with pytest.warns(RuleWarning, match="Nothing is left of 'very young', since conflicts were resolved by priority"):
        editor = FROTE(rules=text, resolve="priority", **FEW).fit(LOANS.X, LOANS.y)
    before = frote.default_pipeline().fit(LOANS.X, LOANS.y)
    asked = gather(editor, before, LOANS.X, LOANS.y)["asked"]
    assert asked["resolved"] == "priority"
    assert [rule["name"] for rule in asked["rules"]] == ["young", "risky", "very young"]
    assert asked["gone"] == ["very young"]
    assert len(asked["conflicts"]) == 2
    assert [rule["name"] for rule in asked["used"]] == ["risky"]


def test_what_cannot_be_resolved_is_told():
    for rules, how, told in (
        (TEXT, "first", "The 'resolve' parameter of FROTE must be a str among"),
        (TEXT, None, "Rules conflict; resolve them with rules.resolve('exclude'), 'mix' or 'priority':\n- young"),
        ("a: IF age < 29 THEN approved\nb: IF age < 29 THEN denied", "exclude", "leaves nothing of any rule. Choose"),
    ):
        with pytest.raises(ValueError, match=re.escape(told)):
            FROTE(Counting(), rules, resolve=how).fit(LOANS.X, LOANS.y)
