"""A model asked once: what it says is kept, and nobody asks it again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import frote
from frote.coverage.answers import Answers
from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.estimators.overlay import override
from frote.estimators.scoring import score_answers
from frote.exceptions import TableError
from frote.table import Table

X = pd.DataFrame({"age": [20, 30, 40, 50]})
Y = ["no", "no", "yes", "yes"]
RULES = frote.parse_rules("young: IF age < 35 THEN yes")


class Counted:
    """A model that counts how often it is asked."""

    classes_ = np.array(["no", "yes"])

    def __init__(self):
        self.asked = []

    def predict(self, X):
        self.asked.append("predict")
        return np.where(np.asarray(X["age"]) > 35, "yes", "no")

    def predict_proba(self, X):
        self.asked.append("predict_proba")
        return np.tile([0.25, 0.75], (len(X), 1))


@pytest.mark.parametrize("chances", [False, True])
def test_a_model_is_asked_once_and_only_for_what_is_wanted(chances):
    model = Counted()
    said = Answers.of(model, X, chances=chances)
    assert model.asked == ["predict", *["predict_proba"] * chances]
    assert said.take(np.array([2, 0])).predicted.tolist() == ["yes", "no"]
    assert (said.take(np.array([2, 0])).chances is None) != chances
    assert said.classes == ["no", "yes"]
    assert said.who == "Counted"


def test_comparing_and_scoring_ask_each_model_once():
    before, after = Counted(), Counted()
    frote.compare_models(before, after, X, RULES, Y)
    assert before.asked == after.asked == ["predict", "predict_proba"]
    model = Counted()
    frote.score(model, X, Y, RULES)
    assert model.asked == ["predict", "predict_proba"]


def test_answers_are_scored_as_their_model_is():
    rows = Ruling.of(RULES).on(Table.from_frame(X))
    found = score_answers(Answers.of(Counted(), X), rows, Labels.of(Y))
    assert str(found) == str(frote.score(Counted(), X, Y, RULES))


@pytest.mark.parametrize("tells", [True, False])
def test_an_override_says_what_the_overlay_does(tells):
    said = Answers.of(Counted(), X) if tells else Answers(Answers.of(Counted(), X).predicted, None)
    found = override(said, Ruling.of(RULES).on(Table.from_frame(X)), Labels.of(Y))
    assert found.predicted.tolist() == frote.OverlayClassifier(Counted(), RULES).fit(X, Y).predict(X).tolist()
    assert found.classes == ["no", "yes"]


def test_what_cannot_predict_is_no_model():
    with pytest.raises(TableError, match=r"FROTE has no predict\. Its model is in estimator_\."):
        Answers.of(frote.FROTE().fit(X, Y), X)
