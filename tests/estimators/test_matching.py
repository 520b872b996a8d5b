"""Labels are matched in one way wherever a model's predictions meet labels or rules: by value, else by text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression

import frote
from frote.exceptions import RuleWarning


class Says(ClassifierMixin, BaseEstimator):
    """Predicts one of two given values, by whether x is above 5."""

    def __init__(self, low=0, high=1):
        self.low = low
        self.high = high

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.array([self.low, self.high])
        return self

    def predict(self, X):
        return np.where(np.asarray(X["x"]) > 5, self.high, self.low)


X = pd.DataFrame({"x": np.arange(10)})
LABELS = {
    "bool": np.arange(10) > 5,
    "int": (np.arange(10) > 5).astype(int),
    "float": (np.arange(10) > 5).astype(float),
}


@pytest.mark.parametrize("model", [Says(0, 1), Says(False, True), Says(0.0, 1.0)])
@pytest.mark.parametrize("kind", LABELS)
def test_equal_values_of_unlike_types_are_one_class(kind, model):
    y = LABELS[kind]
    rules = f"IF x > 7 THEN {y[-1]}"
    fitted = model.fit(X, y)
    assert frote.score(fitted, X, y, rules).objective == 1
    assert frote.parse_rules(rules).check(X, y, fitted).frame["model_agreement"].tolist() == [1.0]
    editor = frote.FROTE(model, rules, max_fits=1, random_state=0).fit(X, y)
    assert editor.history_["objective"][0] == 1


def test_texts_are_matched_with_classes_of_another_type():
    fitted = Says("False", "True").fit(X, LABELS["bool"])
    assert frote.score(fitted, X, LABELS["bool"], "IF x > 7 THEN True").objective == 1


def test_a_model_that_predicts_no_class_is_refused():
    model = LinearRegression().fit(X, LABELS["int"])
    with pytest.raises(frote.TableError, match="none of the classes"):
        frote.score(model, X, LABELS["int"], "IF x > 7 THEN 1")
    with pytest.raises(frote.TableError, match="none of the classes"):
        frote.FROTE(LinearRegression(), "IF x > 7 THEN 1", max_fits=1).fit(X, LABELS["int"])


def test_an_editor_is_no_model():
    editor = frote.FROTE(Says(), "IF x > 7 THEN 1", max_fits=0).fit(X, LABELS["int"])
    with pytest.raises(frote.TableError, match=r"FROTE has no predict. Its model is in estimator_"):
        frote.score(editor, X, LABELS["int"], "IF x > 7 THEN 1")


def test_a_rule_that_no_row_can_satisfy_costs_itself_alone():
    rules = "gone: IF x IS MISSING THEN 0\nhigh: IF x > 7 THEN 1"
    check = frote.parse_rules(rules).check(X, LABELS["int"])
    assert check.frame["possible"].tolist() == [False, True]
    with pytest.warns(RuleWarning, match="Left out: rule 'gone'"):
        editor = frote.FROTE(Says(), rules, max_fits=1, on_impossible="skip").fit(X, LABELS["int"])
    assert editor.rules_.names == ("high",)


def test_validation_rows_that_no_rule_covers_are_told_of():
    evaluate = [X[:8], LABELS["int"][:8]]
    with pytest.warns(UserWarning, match="No validation row is covered by rule 'high'"):
        frote.FROTE(Says(), "high: IF x > 7 THEN 1", max_fits=1, evaluate=evaluate).fit(X, LABELS["int"])


def test_rules_may_be_a_list_of_anything_that_is_rules(tmp_path):
    parts = [(frote.col("x") < 2).then(0), "IF x > 8 THEN 1", frote.parse_rules("IF x = 4 THEN 0")[0]]
    editor = frote.FROTE(Says(), parts, max_fits=0).fit(X, LABELS["int"])
    assert editor.rules_.names == ("rule 1", "rule 2", "rule 3")
    path = tmp_path / "policy"
    editor.rules_.save(path)
    again = frote.FROTE(Says(), str(path), max_fits=0).fit(X, LABELS["int"])
    assert again.rules_ == editor.rules_


def test_rule_sets_are_put_together_by_adding():
    with pytest.raises(frote.RuleError, match=r"with \+"):
        frote.RuleSet([frote.parse_rules("IF x > 8 THEN 1")])
