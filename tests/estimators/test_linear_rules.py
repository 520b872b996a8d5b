"""Rules that compare columns with one another, from end to end, and by everything that reads rules."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import frote
from frote import FROTE, OverlayClassifier, RuleError
from frote.datasets import load_loans
from frote.explain.perturbation import draw_rules, perturb_rules
from frote.rules import RuleSet
from frote_experiments.linear import CREDIT, credit
from frote_experiments.linear import RULES as LINEAR

RULES = frote.parse_rules("""
    too much: IF amount > 0.9 * income AND income > 0 AND purpose != home THEN denied
    long employed: IF employment_years >= 0.5 * age - 10 AND amount <= 0.25 * income AND income > 0 AND defaults <= 1
      THEN approved
""")


@pytest.fixture(scope="module")
def loans():
    made = load_loans(1_600)
    return made.X[:1_000], made.y[:1_000], made.X[1_000:].reset_index(drop=True), made.y[1_000:].reset_index(drop=True)


def test_loans_are_edited_and_unseen_rows_follow(loans):
    X, y, unseen, labels = loans
    before = frote.default_pipeline().fit(X, y)
    editor = FROTE(rules=RULES, random_state=0, max_fits=12)
    X_new, _ = editor.fit_resample(X, y)
    made = X_new.iloc[len(X) :]
    rule = editor.ledger_.loc[editor.ledger_["status"] == "synthetic", "rule"].to_numpy()
    assert len(made) == len(rule) > 100
    covered = RULES.coverage(made)
    assert covered.any(axis=1).all()
    for place, name in enumerate(RULES.origins):
        assert covered[rule == name, place].all()
        assert len(made[rule == name].drop_duplicates()) > 20
    old, new = (frote.score(model, unseen, labels, RULES) for model in (before, editor.estimator_))
    assert new.agreement > old.agreement + 0.15
    assert new.agreement > 0.85
    again, _ = FROTE(rules=RULES, random_state=0, max_fits=12).fit_resample(X, y)
    pd.testing.assert_frame_equal(X_new, again)


def test_a_rule_that_covers_nothing_is_learned_too(loans):
    X, y, *_ = loans
    rules = frote.parse_rules("far: IF amount > 30 * income AND income > 20K AND defaults >= 0.1 * age THEN denied")
    assert not rules.coverage(X).any()
    editor = FROTE(rules=rules, random_state=0, max_fits=6)
    X_new, _ = editor.fit_resample(X, y)
    assert rules.coverage(X_new.iloc[len(X) :]).all()


def test_twins_and_guards_stand_outside(loans):
    X, y, *_ = loans
    editor = FROTE(rules=RULES, random_state=0, max_fits=6, twins=1.0)
    X_new, _ = editor.fit_resample(X, y)
    guards = editor.ledger_["status"].to_numpy()[-(len(X_new) - len(X)) :] == "guard"
    assert guards.any()
    assert not RULES.coverage(X_new.iloc[len(X) :][guards]).any()


def test_conflicts_between_them_are_told_before_anything_is_trained(loans):
    X, y, *_ = loans
    rules = frote.parse_rules("a: IF amount > income THEN denied\nb: IF income < 2 * amount AND age > 30 THEN approved")
    with pytest.raises(frote.ConflictError, match=r"amount > income AND .*, for example"):
        FROTE(rules=rules).fit_resample(X, y)
    resolved = rules.resolve("priority", X)
    FROTE(rules=resolved, random_state=0, max_fits=3).fit_resample(X, y)


def test_other_readers_know_them_or_say_so(loans, tmp_path):
    X, y, unseen, _ = loans
    model = frote.default_pipeline().fit(X, y)
    hard = OverlayClassifier(model, RULES).fit(X, y)
    covered = RULES.coverage(unseen)
    said = hard.predict(unseen)
    assert (said[covered[:, 0]] == "denied").all()
    assert (said[covered[:, 1]] == "approved").all()
    assert len(OverlayClassifier(model, RULES, mode="soft").fit(X, y).predict(unseen)) == len(unseen)
    with pytest.raises(RuleError, match=r"compares columns with one another \(amount > 0.9 \* income\).*mode='hard'"):
        OverlayClassifier(model, RULES, mode="soft", originals={"too much": RULES[:1]}).fit(X, y)
    for ask in (frote.prove, frote.stress):
        with pytest.raises(RuleError, match=r"Rule 'too much' compares columns with one another .* score or check"):
            ask(model, RULES, X)
    with pytest.raises(RuleError, match=r"'too much' compares columns .* use counterexamples=False"):
        FROTE(rules=RULES, counterexamples=True).fit_resample(X, y)
    young = frote.parse_rules("young: IF age < 20 AND defaults = 7 THEN denied")
    with pytest.raises(RuleError, match="A rule that the model answers by compares"):
        frote.prove(OverlayClassifier(model, RULES + young).fit(X, y), young, X)
    assert "too much" in str(frote.compare_models(model, hard, unseen, RULES))
    assert RULES.diff(RULES[:1], X).regions
    assert RULES.diff(RULES, X).equal
    RULES.save(tmp_path / "a.rules")
    assert frote.read_rules(tmp_path / "a.rules") == RULES
    check = RULES.check(X, y, model).frame
    assert (check["missing_out"] > 0).all()


def test_they_are_lent_and_kept_when_rules_are_perturbed(loans):
    X, *_ = loans
    alone = frote.parse_rules("young: IF age < 40 AND defaults <= 1 THEN approved")
    pool = perturb_rules(RULES + alone, X, size=20, least=0.01, most=0.9)
    sums = {key for rule in RULES for key, _ in rule.clause.sums}
    assert any(rule.clause.sums for rule in pool.rules)
    assert {key for rule in pool.rules for key, _ in rule.clause.sums} <= sums
    drawn = draw_rules(pool, 2, X)
    assert not RuleSet(drawn).conflicts(X)


def test_a_german_credit_like_table_is_edited():
    X, y = credit(900, np.random.default_rng(0))
    rules = frote.parse_rules(LINEAR[CREDIT])
    assert not rules.conflicts(X)
    editor = FROTE(rules=rules, random_state=0, max_fits=10)
    X_new, _ = editor.fit_resample(X[:600], y[:600])
    assert rules.coverage(X_new.iloc[600:]).any(axis=1).all()
    model = frote.default_pipeline().fit(X[:600], y[:600])
    old, new = (frote.score(one, X[600:], y[600:], rules).agreement for one in (model, editor.estimator_))
    assert new > old + 0.1
