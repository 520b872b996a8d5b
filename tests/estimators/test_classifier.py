"""FROTE as a classifier, and both faces among scikit-learn's and imbalanced-learn's tools."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from tests.estimators.stubs import Counting

import frote
from frote import FROTE, FROTEClassifier

LOANS = frote.datasets.load_loans(120)
RULES = frote.parse_rules("young: IF age < 29 AND defaults = 0 THEN approved")
NUMBERS = LOANS.X[["age", "income", "defaults"]].fillna(0)
SCALED = make_pipeline(StandardScaler(), LogisticRegression())


def classifier(estimator=None, rules=RULES, **parameters):
    return FROTEClassifier(estimator, rules, **{"max_fits": 2, "random_state": 0, "k": 2, **parameters})


def test_it_is_the_edited_model():
    model = classifier().fit(LOANS.X, LOANS.y)
    editor = FROTE(rules=RULES, max_fits=2, random_state=0, k=2).fit(LOANS.X, LOANS.y)
    assert (model.predict(LOANS.X) == editor.estimator_.predict(LOANS.X)).all()
    assert (model.predict_proba(LOANS.X) == editor.estimator_.predict_proba(LOANS.X)).all()
    assert model.classes_.tolist() == ["approved", "denied"]
    assert model.feature_names_in_.tolist() == LOANS.X.columns.tolist()
    pd.testing.assert_frame_equal(model.ledger_, editor.ledger_)
    assert is_classifier(model)
    assert model.score(LOANS.X, LOANS.y) > 0.5


def test_an_edit_is_seen_in_predictions():
    covered = RULES[0].mask(LOANS.X)
    model = classifier(max_fits=5).fit(LOANS.X, LOANS.y)
    before = frote.default_pipeline().fit(LOANS.X, LOANS.y)
    agree = [(one.predict(LOANS.X[covered]) == "approved").mean() for one in (before, model)]
    assert agree[0] < agree[1]


@pytest.mark.parametrize(
    ("estimator", "proba", "decision"),
    [
        (None, True, True),
        (SCALED, True, True),
        (GaussianNB(), True, False),
        (LinearSVC(), False, True),
        (RidgeClassifier(), False, True),
        (Counting(), False, False),
        (make_pipeline(StandardScaler(), GaussianNB()), True, False),
    ],
)
def test_methods_are_there_where_the_estimator_has_them(estimator, proba, decision):
    model = classifier(estimator)
    for _ in ("before", "after fitting"):
        assert hasattr(model, "predict_proba") == proba
        assert hasattr(model, "decision_function") == decision
        model.fit(NUMBERS, LOANS.y)
    if proba:
        assert model.predict_proba(NUMBERS).shape == (120, 2)
    if decision:
        assert model.decision_function(NUMBERS).shape == (120,)


def test_columns_of_probabilities_are_the_classes_though_a_class_was_dropped():
    X = pd.DataFrame({"a": np.arange(30)})
    y = np.repeat(["x", "y", "z"], 10)
    model = classifier(LogisticRegression(), "IF a < 10 THEN y", modify="drop").fit(X, y)
    assert model.classes_.tolist() == ["y", "z"]
    assert model.predict_proba(X).shape == (30, 2)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        classifier().predict(LOANS.X)


def test_other_columns_than_fitted():
    model = classifier().fit(LOANS.X, LOANS.y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(LOANS.X.rename(columns={"age": "years"}))
    with pytest.raises(ValueError, match="3 features"):
        classifier(rules="IF x0 < 29 THEN approved").fit(NUMBERS.to_numpy(), LOANS.y).predict(np.ones((2, 2)))


@pytest.mark.parametrize("kind", [FROTE, FROTEClassifier])
def test_parameters(kind):
    model = kind(clone(SCALED), RULES)
    model.set_params(estimator__logisticregression__C=3.0, k=4, rules="IF age < 20 THEN approved")
    assert model.estimator[1].C == 3.0
    copy = clone(model)
    assert copy.k == 4
    assert copy.rules == "IF age < 20 THEN approved"
    assert copy.estimator is not model.estimator
    assert set(kind().get_params()) - {"how"} == set(FROTE().get_params())
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        model.set_params(nonsense=1)


def test_a_grid_over_the_estimators_and_our_own_parameters():
    grid = {"estimator__logisticregression__C": [0.01, 10.0], "modify": ["relabel", "none"]}
    search = GridSearchCV(classifier(clone(SCALED), max_fits=1), grid, cv=2).fit(NUMBERS, LOANS.y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.estimator_[1].C in (0.01, 10.0)
    assert set(search.predict(NUMBERS)) <= {"approved", "denied"}


def test_cross_validation():
    assert (cross_val_score(classifier(), LOANS.X, LOANS.y, cv=2, error_score="raise") > 0.5).all()
    true = LOANS.y == "approved"
    rules = str(RULES).replace("approved", "True")
    scores = cross_val_score(classifier(rules=rules), LOANS.X, true, cv=2, scoring="roc_auc", error_score="raise")
    assert (scores > 0.5).all()


def test_the_last_step_of_a_pipeline():
    first = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(first, classifier(LogisticRegression(), "IF age < -1 THEN approved"))
    pipeline.fit(NUMBERS, LOANS.y)
    assert pipeline[-1].feature_names_in_.tolist() == ["age", "income", "defaults"]
    assert pipeline.score(NUMBERS, LOANS.y) > 0.5


def test_a_users_own_column_transformer():
    texts = LOANS.X.select_dtypes(["object", "str", "category"]).columns.tolist()
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), texts), (StandardScaler(), ["age", "defaults"])
    )
    model = classifier(make_pipeline(columns, LogisticRegression())).fit(LOANS.X, LOANS.y)
    assert model.estimator_[0].feature_names_in_.tolist() == LOANS.X.columns.tolist()
    assert model.score(LOANS.X, LOANS.y) > 0.5


@pytest.mark.parametrize("estimator", [None, SCALED, RandomForestClassifier(3, max_depth=2)])
@pytest.mark.parametrize("kind", [FROTE, FROTEClassifier])
def test_fitted_ones_survive_a_pickle(kind, estimator):
    model = kind(estimator, RULES, max_fits=1, random_state=0).fit(NUMBERS, LOANS.y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.estimator_.predict(NUMBERS) == model.estimator_.predict(NUMBERS)).all()
    pd.testing.assert_frame_equal(again.ledger_, model.ledger_)
    pd.testing.assert_frame_equal(again.history_, model.history_)
    assert again.rules_ == model.rules_
    assert again.get_params()["rules"] == RULES


@pytest.mark.parametrize("select", ["random", "ip", "online", "online-exact"])
def test_every_selection_can_be_pickled_and_fitted(select):
    model = classifier(select=select).fit(LOANS.X, LOANS.y)
    assert pickle.loads(pickle.dumps(model)).predict(LOANS.X).shape == (120,)


def test_polars():
    X, y = pl.from_pandas(LOANS.X), pl.Series(LOANS.y.to_list())
    model = classifier().fit(X, y)
    assert set(model.predict(X)) <= {"approved", "denied"}
    assert classifier(Counting()).fit(X, y).estimator_.frame_ is pl.DataFrame
