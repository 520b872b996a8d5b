"""Weights of rows: who gets them, what synthetic rows weigh, and the ways in which people hand them in."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import frote
from frote import FROTE, FROTEClassifier

LOANS = frote.datasets.load_loans(120)
RULES = "young: IF age < 29 AND defaults = 0 THEN approved"
FEW = {"max_fits": 2, "random_state": 0, "k": 2}
WEIGHTS = np.random.default_rng(0).uniform(0.5, 4, len(LOANS.X))
NUMBERS = LOANS.X[["age", "income", "defaults"]].fillna(0)


class Weighed(DecisionTreeClassifier):
    """Keeps the weights that it was given."""

    def fit(self, X, y, sample_weight=None, check_input=True):
        self.given_ = None if sample_weight is None else np.array(sample_weight)
        return super().fit(X, y, sample_weight, check_input)


@pytest.mark.parametrize("parameters", [{}, {"modify": "drop"}, {"twins": 1.0}, {"evaluate": 0.25}])
def test_rows_keep_their_weight_and_synthetic_ones_have_the_mean(parameters):
    editor = FROTE(Weighed(), RULES, **FEW, **parameters)
    X_new, _ = editor.fit_resample(NUMBERS, LOANS.y, sample_weight=pd.Series(WEIGHTS))
    ledger = editor.ledger_[editor.ledger_["row"].notna()]
    left = ledger["source"].notna().to_numpy()
    kept = WEIGHTS[ledger["source"].dropna().to_numpy(int)]
    assert (editor.sample_weight_[left] == kept).all()
    assert not left.all()
    assert (editor.sample_weight_[~left] == kept.mean()).all()
    assert len(X_new) == len(editor.sample_weight_)
    assert (editor.estimator_.given_ == editor.sample_weight_).all()


def test_weights_of_one_change_nothing_and_a_factor_nothing_either():
    plain = FROTE(rules=RULES, **FEW).fit(LOANS.X, LOANS.y)
    ones = FROTE(rules=RULES, **FEW).fit(LOANS.X, LOANS.y, sample_weight=np.ones(len(LOANS.X)))
    pd.testing.assert_frame_equal(plain.ledger_, ones.ledger_)
    assert plain.sample_weight_ is None
    assert np.allclose(plain.estimator_.predict_proba(LOANS.X), ones.estimator_.predict_proba(LOANS.X))
    trees = [FROTE(Weighed(), RULES, **FEW).fit(NUMBERS, LOANS.y, WEIGHTS * factor) for factor in (1, 8)]
    pd.testing.assert_frame_equal(trees[0].ledger_, trees[1].ledger_)


def test_weights_are_seen_in_what_is_predicted():
    heavy = np.where(LOANS.y == "denied", 50.0, 1.0)
    models = [FROTEClassifier(rules=RULES, **FEW).fit(LOANS.X, LOANS.y, sample_weight=one) for one in (None, heavy)]
    denied = [(model.predict(LOANS.X) == "denied").sum() for model in models]
    assert denied[0] < denied[1]


def test_as_people_hand_them_in(tmp_path):
    model = FROTEClassifier(rules=RULES, **FEW)
    found = cross_validate(model, LOANS.X, LOANS.y, params={"sample_weight": WEIGHTS}, cv=2, return_estimator=True)
    assert all(one.sample_weight_ is not None for one in found["estimator"])
    search = GridSearchCV(FROTEClassifier(Weighed(), RULES, **FEW), {"k": [2, 3]}, cv=2)
    assert search.fit(NUMBERS, LOANS.y, sample_weight=WEIGHTS).best_estimator_.estimator_.given_ is not None
    nested = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), Weighed()))
    editor = FROTE(nested, RULES, **FEW).fit(NUMBERS, LOANS.y, WEIGHTS)
    assert (editor.estimator_[-1][-1].given_ == editor.sample_weight_).all()
    editor.report(tmp_path / "report.html")
    assert (FROTE(rules=RULES, **FEW).preview(LOANS.X, LOANS.y, WEIGHTS).rules["covered"] > 0).all()


def test_by_metadata_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        asked = FROTEClassifier(Weighed().set_fit_request(sample_weight=True), RULES, **FEW)
        asked.set_fit_request(sample_weight=True)
        search = GridSearchCV(asked, {"k": [2]}, cv=2, scoring=frote.make_scorer(RULES))
        search.fit(NUMBERS, LOANS.y, sample_weight=WEIGHTS)
        assert search.best_estimator_.estimator_.given_ is not None
        inner = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), Weighed().set_fit_request(sample_weight=True)
        )
        assert FROTE(inner, RULES, **FEW).fit(NUMBERS, LOANS.y, WEIGHTS).estimator_[-1].given_ is not None
        assert FROTE(rules=RULES, **FEW).fit(LOANS.X, LOANS.y, WEIGHTS).sample_weight_ is not None
        without = FROTE(Weighed().set_fit_request(sample_weight=False), RULES, **FEW)
        assert without.fit(NUMBERS, LOANS.y, WEIGHTS).estimator_.given_ is None
        with pytest.raises(ValueError, match="are passed but are not explicitly set as requested or not"):
            FROTE(Weighed(), RULES, **FEW).fit(NUMBERS, LOANS.y, WEIGHTS)


def test_a_checkpoint_is_of_its_weights(tmp_path):
    def run(weights):
        editor = FROTE(Weighed(), RULES, checkpoint=tmp_path / "run", **FEW)
        return editor.fit(NUMBERS, LOANS.y, weights)

    first, again = run(WEIGHTS), run(WEIGHTS)
    pd.testing.assert_frame_equal(first.ledger_, again.ledger_)
    assert (again.sample_weight_ == first.sample_weight_).all()
    for other in (None, WEIGHTS * 2):
        with pytest.raises(frote.CheckpointError):
            run(other)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ([1.0], "sample_weight has shape (1,) for 120 rows. Give one number for each row."),
        (np.ones((120, 2)), "sample_weight has shape (120, 2) for 120 rows."),
        (["x"] * 120, "sample_weight holds something that is no number."),
        ([np.nan, *[1] * 119], "sample_weight has nan at position 0. A weight is a number from 0 on."),
        ([1, -1, *[1] * 118], "sample_weight has -1 at position 1."),
        ([0] * 120, "sample_weight is zero for every row, so that nothing could be learned."),
    ],
)
def test_weights_that_cannot_be(weights, told):
    with pytest.raises(frote.TableError, match=re.escape(told)):
        FROTE(Weighed(), RULES, **FEW).fit(NUMBERS, LOANS.y, weights)


def test_estimators_and_ways_that_take_none():
    for estimator in (KNeighborsClassifier(), make_pipeline(StandardScaler(), KNeighborsClassifier())):
        with pytest.raises(frote.TableError, match="The fit of KNeighborsClassifier has no parameter sample_weight"):
            FROTE(estimator, RULES, **FEW).fit(NUMBERS, LOANS.y, WEIGHTS)
    with pytest.raises(frote.TableError, match="sample_weight is for edits by data, and how='anchored'"):
        FROTEClassifier(rules=RULES, how="anchored").fit(LOANS.X, LOANS.y, WEIGHTS)
