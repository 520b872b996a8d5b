"""explain_model: rules for every class, with how far they do as the model does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

import frote


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"age": rng.integers(18, 80, 300), "income": rng.normal(40, 10, 300).round(1)})
    return X, np.where(X["age"] < 30, "no", "yes")


def test_a_stump_is_explained_by_its_two_sides(data):
    X, y = data
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    explanation = frote.explain_model(model, X, thresholds=100)
    assert explanation.fidelity == explanation.fidelity_inside == 1
    assert explanation.covered == 1
    assert sorted(map(str, (rule.clause for rule in explanation.rules))) == ["age <= 29", "age > 29"]
    assert set(explanation.rules.labels) == {"no", "yes"}


def test_fidelity_is_measured(data):
    X, y = data
    model = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, np.where(X["income"] > 50, "rich", y))
    explanation = frote.explain_model(model, X, lambda0=0.02, lambda1=0.02)
    inside = explanation.rules.coverage(X).any(axis=1)
    assert explanation.covered == inside.mean()
    assert 0.8 < explanation.fidelity <= 1


def test_it_prints_as_rule_text_that_reads_back(data):
    X, y = data
    explanation = frote.explain_model(DecisionTreeClassifier(max_depth=3).fit(X, y), X, thresholds=100)
    assert frote.parse_rules(str(explanation)) == explanation.rules
    assert "predict as the model does for 100.0% of the rows" in str(explanation)
    assert repr(explanation) == str(explanation)


def test_a_constant_model_has_nothing_to_explain(data):
    X, y = data
    model = DummyClassifier(strategy="most_frequent").fit(X, y)
    with pytest.raises(frote.TableError, match="predicts 'yes' for every row"):
        frote.explain_model(model, X)


def test_labels_keep_their_type(data):
    X, y = data
    model = DecisionTreeClassifier(max_depth=1).fit(X, (y == "yes").astype(int))
    assert frote.explain_model(model, X).default in (0, 1)
