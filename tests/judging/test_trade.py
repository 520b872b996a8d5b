"""Numbers of models, by part of the rows, against scikit-learn's own."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import frote

RULE = "young: IF age < 29 AND defaults = 0 THEN approved"
COSTS = {"denied": {"approved": 5}, "approved": {"denied": 1}}


@pytest.fixture(scope="module")
def loans():
    data = frote.datasets.load_loans(400)
    return data, frote.default_pipeline().fit(data.X, data.y)


def value(numbers, where, measure, label=""):
    lines = numbers.lines
    (found,) = lines.loc[(lines["where"] == where) & (lines["measure"] == measure) & (lines["label"] == label), "value"]
    return found


def test_two_classes_as_scikit_learn_has_them(loans):
    data, model = loans
    numbers = frote.score(model, data.X, data.y, RULE).numbers
    inside = frote.parse_rules(RULE)[0].mask(data.X)
    for where, rows in {"outside": ~inside, "inside": inside, "all": inside | ~inside}.items():
        own, chance = (data.y[rows] == "denied").to_numpy(), model.predict_proba(data.X[rows])[:, 1]
        said = model.predict(data.X[rows])
        auc = metrics.roc_auc_score(own, chance)
        assert value(numbers, where, "auc") == pytest.approx(auc)
        assert value(numbers, where, "gini") == pytest.approx(2 * auc - 1)
        assert value(numbers, where, "brier") == pytest.approx(metrics.brier_score_loss(own, chance))
        assert value(numbers, where, "log_loss") == pytest.approx(metrics.log_loss(own, chance))
        assert value(numbers, where, "f1_macro") == pytest.approx(metrics.f1_score(data.y[rows], said, average="macro"))
        for label in ("approved", "denied"):
            asked = {"pos_label": label}
            assert value(numbers, where, "precision", label) == metrics.precision_score(data.y[rows], said, **asked)
            assert value(numbers, where, "recall", label) == metrics.recall_score(data.y[rows], said, **asked)


def test_at_a_threshold_and_by_cost(loans):
    data, model = loans
    asked = {"favourable": "approved", "threshold": 0.8, "cost": COSTS}
    numbers = frote.score(model, data.X, data.y, RULE, **asked).numbers
    said = np.where(model.predict_proba(data.X)[:, 0] >= 0.8, "approved", "denied")
    found = metrics.confusion_matrix(data.y, said)  # approved, denied
    assert value(numbers, "all", "cost") == pytest.approx((found[0, 1] + 5 * found[1, 0]) / 400)
    assert value(numbers, "all", "recall", "approved") == found[0, 0] / found[0].sum()
    assert "at least 0.8" in str(numbers)
    least = frote.score(model, data.X, data.y, RULE, cost=COSTS).numbers
    chances = model.predict_proba(data.X)
    cheapest = np.where(5 * chances[:, 1] <= chances[:, 0], "approved", "denied")
    found = metrics.confusion_matrix(data.y, cheapest)
    assert value(least, "all", "cost") == pytest.approx((found[0, 1] + 5 * found[1, 0]) / 400)
    # What needs no decision is as it was.
    assert value(least, "all", "auc") == value(numbers, "all", "auc")


def test_three_classes_and_models_without_probabilities():
    X, y = load_wine(return_X_y=True, as_frame=True)
    rule = "strong: IF alcohol > 13.5 THEN 0"
    numbers = frote.compare_models(GaussianNB().fit(X, y), GaussianNB().fit(X[::2], y[::2]), X, rule, y).numbers
    assert "each class against the rest" in str(numbers)
    assert numbers.stability["label"].tolist() == ["0", "1", "2"] * 3
    assert json.dumps(numbers.to_dict())
    ridge = frote.score(RidgeClassifier().fit(X, y), X, y, rule).numbers
    assert "auc" not in set(ridge.lines["measure"])
    assert {"f1", "precision"} <= set(ridge.lines["measure"])
    with pytest.raises(frote.TableError, match="parts two classes"):
        frote.score(GaussianNB().fit(X, y), X, y, rule, favourable=1, threshold=0.5)


def test_one_model_twice_moves_no_score(loans):
    data, model = loans
    numbers = frote.compare_models(model, model, data.X, RULE, data.y, favourable="approved").numbers
    assert numbers.stability["psi"].tolist() == [0, 0, 0]
    assert numbers.lines["before"].equals(numbers.lines["after"])
    assert frote.compare_models(model, model, data.X, RULE).numbers is None  # without labels
