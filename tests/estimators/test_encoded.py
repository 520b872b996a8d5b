"""Labels that meta-estimators encode: rules speak of the labels that people know."""

from __future__ import annotations

import re

import pytest
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import frote
from frote import FROTE, FROTEClassifier

LOANS = frote.datasets.load_loans(150)
NUMBERS = LOANS.X[["age", "income", "defaults"]].fillna(0)
RULES = "young: IF age < 29 AND defaults = 0 THEN approved"
LABELS = ["denied", "approved"]
FEW = {"max_fits": 3, "random_state": 0, "k": 2}


@pytest.mark.parametrize("how", ["data", "anchored"])
@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_a_vote_of_an_edited_model_keeps_to_the_rules(how, voting):
    fits = {} if how == "anchored" else {"max_fits": 3, "k": 2}
    edited = FROTEClassifier(rules=RULES, labels=LABELS, how=how, random_state=0, **fits)
    alone = FROTEClassifier(rules=RULES, how=how, random_state=0, **fits).fit(NUMBERS, LOANS.y)
    vote = VotingClassifier([("edited", edited), ("other", GaussianNB())], voting=voting, weights=[9, 1])
    vote.fit(NUMBERS, LOANS.y)
    assert vote.classes_.tolist() == ["approved", "denied"]
    wanted = frote.score(alone, NUMBERS, LOANS.y, RULES).agreement
    assert frote.score(vote, NUMBERS, LOANS.y, RULES).agreement == pytest.approx(wanted, abs=0.05)
    assert (vote.named_estimators_["edited"].predict_proba(NUMBERS) == alone.predict_proba(NUMBERS)).all()


def test_a_stack_keeps_to_the_rules():
    edited = FROTEClassifier(rules=RULES, labels=LABELS, **FEW)
    stack = StackingClassifier([("edited", edited)], LogisticRegression(), cv=2).fit(NUMBERS, LOANS.y)
    assert stack.classes_.tolist() == ["approved", "denied"]
    inner = stack.named_estimators_["edited"]
    covered = frote.parse_rules(RULES)[0].mask(NUMBERS)
    assert (inner.predict(NUMBERS[covered]) == 0).mean() > 0.8
    assert inner.classes_.tolist() == [0, 1]


def test_labels_that_come_as_they_are_need_no_word_and_codes_may_be_told_one_by_one(tmp_path):
    plain, told = (FROTE(rules=RULES, labels=labels, **FEW).fit(NUMBERS, LOANS.y) for labels in (None, LABELS))
    assert plain.rules_ == told.rules_
    assert plain.ledger_.equals(told.ledger_)
    codes = (LOANS.y == "denied").to_numpy().astype(int) * 3
    text = "young: IF age < 29 AND defaults = 0 THEN {approved: 0.9, denied: 0.1}\nold: IF age > 60 THEN denied"
    coded = FROTE(rules=text, labels={0: "approved", 3: "denied"}, **FEW).fit(NUMBERS, codes)
    assert [rule.outcome.probabilities for rule in coded.rules_] == [(("0", 0.9), ("3", 0.1)), (("3", 1.0),)]
    coded.report(tmp_path / "report.html")


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ({0: "approved", 1: "approved"}, "labels: 'approved' is said of 0 and of 1. Give each code its own label."),
        (["approved", 3, None], "labels has NoneType and int and str, which have no order among them. Give a dict:"),
    ],
)
def test_labels_that_do_not_tell_what_codes_stand_for(labels, told):
    codes = (LOANS.y == "denied").to_numpy().astype(int)
    with pytest.raises(frote.TableError, match=re.escape(told)):
        FROTE(rules=RULES, labels=labels, **FEW).fit(NUMBERS, codes)


def test_what_nobody_can_know_is_told():
    codes = (LOANS.y == "denied").to_numpy().astype(int)
    vote = VotingClassifier([("edited", FROTEClassifier(rules=RULES, **FEW))])
    told = "If a meta-estimator such as VotingClassifier has encoded them, list all of them: labels=['approved', ...]."
    with pytest.raises(frote.BindingError, match=re.escape(told)):
        vote.fit(NUMBERS, LOANS.y)
    told = "'approved' is none of the labels given. Did you mean 'aproved'?"
    with pytest.raises(frote.BindingError, match=re.escape(told)):
        FROTE(rules=RULES, labels=["aproved", "denied"]).fit(NUMBERS, codes)
    with pytest.raises(frote.TableError, match="y has the label '2', which is none of labels="):
        FROTE(rules=RULES, labels=LABELS).fit(NUMBERS, codes * 2)
