"""An edit with several seeds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

import frote
from frote.exceptions import TableError

X = pd.DataFrame({"age": np.arange(20, 60), "income": np.arange(40) % 7})
y = np.where(X["age"] < 40, "no", "yes")
RULES = "young: IF age < 25 THEN yes"


class Constant(ClassifierMixin, BaseEstimator):
    """Says yes of all rows whose number, by its seed, is the least: what two of them differ in is known by hand."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(np.asarray(X)[:, 0] < 20 + self.random_state % 10, "yes", "no")


def test_disagreement_is_counted_by_hand():
    """Of seeds 0, 1 and 2 the models say yes below 20, 21 and 22: pairs differ on 1, 2 and 1 rows, all inside."""
    editor = frote.FROTE(Constant(), RULES, max_fits=0, random_state=0)
    found = frote.stability(editor, X, y, repeat=3)
    assert found.runs.index.tolist() == [0, 1, 2]
    assert found.disagreement.loc["inside", ["rows", "before", "after", "ever"]].tolist() == pytest.approx(
        [5, 4 / 15, 4 / 15, 2 / 5]
    )
    assert found.disagreement.loc["outside", ["rows", "before", "after", "ever"]].tolist() == [35, 0, 0, 0]
    assert found.disagreement.loc["all", "after"] == pytest.approx(4 / 120)
    agreements = found.runs["agreement"].tolist()
    assert agreements == pytest.approx([0, 0.2, 0.4])
    assert found.spread.loc["agreement"].tolist() == pytest.approx([0.2, 0.2, 0, 0.4])
    assert found.spread.loc["agreement: young"].tolist() == found.spread.loc["agreement"].tolist()
    assert found.runs["relabelled"].tolist() == [5, 5, 5]
    assert "loss" not in found.spread.index  # nobody measured it
    assert "disagree on 26.7% of 5 rows inside the rules" in str(found)
    assert found._repr_html_().count("<table") == 2


def test_the_editor_stays_as_it_is_and_the_first_run_is_its_own():
    editor = frote.FROTE(DecisionTreeClassifier(max_features=1), RULES, max_fits=2, twins=1, random_state=5)
    found = frote.stability(editor, X, y, repeat=2)
    assert not hasattr(editor, "ledger_")
    editor.fit(X, y)
    own = found.runs.loc[5]
    assert own["synthetic"] == (editor.ledger_["status"] == "synthetic").sum()
    assert own["agreement"] == frote.score(editor.estimator_, X, y, editor.rules_).agreement
    assert own["loss"] == editor.history_[editor.history_["accepted"]]["loss"].iloc[-1]
    pd.testing.assert_frame_equal(found.runs, frote.stability(editor, X, y, repeat=2).runs)
    other = frote.FROTE(DecisionTreeClassifier(max_features=1), RULES, max_fits=2, twins=1, random_state=6).fit(X, y)
    assert found.runs.loc[6, "agreement"] == frote.score(other.estimator_, X, y, other.rules_).agreement


def test_rules_that_cover_all_or_nothing_leave_a_part_out():
    editor = frote.FROTE(DecisionTreeClassifier(), "all: IF age > 0 THEN {yes: 0.6, no: 0.4}", max_fits=1)
    found = frote.stability(editor, X, y, repeat=2)
    assert found.disagreement.index.tolist() == ["inside", "all"]
    assert "f1" not in found.spread.index
    editor = frote.FROTE(DecisionTreeClassifier(), "none: IF age > 70 THEN yes", max_fits=1)
    found = frote.stability(editor, X, y, repeat=2, test=(X + 0.5, y))
    assert found.disagreement.index.tolist() == ["outside", "all"]
    assert "agreement" not in found.spread.index


def test_one_seed_is_no_repetition():
    with pytest.raises(TableError, match=r"repeat=1 is no repetition\. Take 2 seeds at least\."):
        frote.stability(frote.FROTE(rules=RULES, max_fits=0), X, y, repeat=1)


def test_a_report_has_it(tmp_path):
    editor = frote.FROTE(DecisionTreeClassifier(max_features=1), RULES, max_fits=1, random_state=5).fit(X, y)
    editor.report(tmp_path / "edit.html", repeat=2)
    page = (tmp_path / "edit.html").read_text("utf-8")
    assert "With other seeds" in page
    assert "Seeds: 5, 6." in page
    assert "if the model were trained anew" not in page
    editor.report(tmp_path / "plain.html")
    assert "With other seeds" not in (tmp_path / "plain.html").read_text("utf-8")
