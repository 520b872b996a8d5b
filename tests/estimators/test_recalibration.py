"""Edited models whose probabilities are recalibrated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import frote
from frote.edits.model_checks import require_sound
from frote.edits.saved_models import load_model, save_model
from frote.estimators.recalibration import CHANCE, FOLDS, METHODS, _folds
from frote.exceptions import ModelError, TableError
from frote.loop.training import Trainer, seeded

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(120, 3)), columns=["a", "b", "c"])
y = pd.Series(np.where(X["a"] + RNG.normal(size=120) > 0, "yes", "no"))
RULES = "IF a < -0.5 AND b > 0 THEN yes"
TREE = DecisionTreeClassifier(min_samples_leaf=8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("estimator", [LogisticRegression(), TREE], ids=["decisions", "chances"])
@pytest.mark.parametrize("labels", [y, np.digitize(X["a"], [-0.5, 0.5])], ids=["two", "three"])
def test_without_rows_made_it_is_what_scikit_learn_does(method, estimator, labels):
    codes = np.unique(labels, return_inverse=True)[1]
    folds = _folds(codes, np.random.default_rng([7, CHANCE]))
    parts = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(FOLDS)]
    theirs = CalibratedClassifierCV(seeded(estimator, 7, 1), method=method, cv=parts, ensemble=False).fit(X, labels)
    editor = frote.FROTE(estimator, max_fits=0, recalibrate=method, random_state=7).fit(X, labels)
    np.testing.assert_allclose(editor.estimator_.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
    assert editor.estimator_.predict(X).tolist() == theirs.predict(X).tolist()
    assert editor.estimator_.feature_names_in_.tolist() == ["a", "b", "c"]
    assert editor.n_fits_ == 1 + FOLDS
    assert clone(editor.estimator_).method == method


def test_no_row_is_asked_of_a_model_that_was_trained_on_it_or_on_what_was_made_from_it(monkeypatch):
    fitted = []
    fit = Trainer.fit

    def watched(self, rows, codes, weights=None):
        fitted.append(rows.frame)
        return fit(self, rows, codes, weights)

    editor = frote.FROTE(TREE, RULES, max_fits=4, recalibrate="sigmoid", random_state=0)
    monkeypatch.setattr(Trainer, "fit", watched)
    X_new, _ = editor.fit_resample(X, y)
    ledger = editor.ledger_
    made = ledger[ledger["status"] == "synthetic"]
    assert len(made) > 20
    assert made["neighbour"].notna().any()
    key = {tuple(row): place for place, row in enumerate(X_new.to_numpy().tolist())}
    asked_by = np.zeros(len(X), dtype=int)
    for frame in fitted[-FOLDS:]:
        places = {key[tuple(row)] for row in frame.to_numpy().tolist()}
        out = set(range(len(X))) - places
        for place in out:
            asked_by[place] += 1
        # Rows made from rows made: what they go back to in the end must be inside too.
        here = made[made["row"].isin(places)]
        assert not out & {*here["base"].dropna(), *here["neighbour"].dropna()}
    assert asked_by.tolist() == [1] * len(X)


def test_rows_that_contradict_their_rule_say_nothing():
    """As they came, covered rows would take back what the rule asks for."""
    kept = frote.FROTE(TREE, RULES, modify="none", max_fits=3, recalibrate="sigmoid", random_state=0).fit(X, y)
    plain = frote.FROTE(TREE, RULES, modify="none", max_fits=3, random_state=0).fit(X, y)
    covered = kept.rules_.coverage(X).any(axis=1)
    assert (covered & (y == "no")).any()
    calibrated = kept.estimator_.calibrated_classifiers_[0].estimator
    assert (calibrated.predict(X) == plain.estimator_.predict(X)).all()  # the model itself stays what it is
    with pytest.raises(TableError, match=r"5 rows of each class that do not contradict the rules, and 'no' has 0\."):
        kept.fit(X, np.where(covered, "no", "yes"))


class Silent(ClassifierMixin, BaseEstimator):
    """Has no scores."""

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def test_what_cannot_be_recalibrated_is_told_before_anything_is_trained():
    with pytest.raises(ModelError, match="A Silent has no probabilities to recalibrate"):
        frote.FROTE(Silent(), recalibrate="sigmoid").fit(X, y)
    with pytest.raises(TableError, match="sample_weight is not known to recalibration"):
        frote.FROTE(TREE, recalibrate="sigmoid").fit(X, y, sample_weight=np.ones(len(X)))
    with pytest.raises(TableError, match="recalibrate='sigmoid' is for edits by data"):
        frote.FROTEClassifier(TREE, RULES, how="anchored", recalibrate="sigmoid").fit(X, y)
    with pytest.raises(ValueError, match="'recalibrate' parameter of FROTE must be"):
        frote.FROTE(TREE, recalibrate="platt").fit(X, y)


def test_the_initial_model_is_handed_back_as_it_was(tmp_path):
    editor = frote.FROTE(TREE, RULES, max_fits=1, twins=1, recalibrate="sigmoid", random_state=0).fit(X, y)
    assert isinstance(editor.at(-1).estimator_, DecisionTreeClassifier)
    assert isinstance(editor.at(0).estimator_, CalibratedClassifierCV)
    editor.report(tmp_path / "edit.html")
    assert "recalibrated (&#39;sigmoid&#39;)" in (tmp_path / "edit.html").read_text("utf-8")


@pytest.mark.parametrize("method", METHODS)
def test_it_is_kept_in_a_file_that_needs_no_trust(method, tmp_path):
    model = frote.FROTE(TREE, RULES, max_fits=0, recalibrate=method, random_state=0).fit(X, y).estimator_
    save_model(model, tmp_path / "model.skops")
    read = load_model(tmp_path / "model.skops")
    assert read.predict_proba(X).tolist() == model.predict_proba(X).tolist()


def test_a_map_that_was_tampered_with_is_refused():
    model = frote.FROTE(TREE, RULES, max_fits=0, recalibrate="isotonic", random_state=0).fit(X, y).estimator_
    isotonic = model.calibrated_classifiers_[0].calibrators[0]
    require_sound(model, ())
    isotonic.X_thresholds_ = isotonic.X_thresholds_[::-1].copy()
    with pytest.raises(ModelError, match="its IsotonicRegression is not sound"):
        require_sound(model, ())
    del isotonic.X_thresholds_
    with pytest.raises(ModelError, match="its IsotonicRegression is not sound"):
        require_sound(model, ())
