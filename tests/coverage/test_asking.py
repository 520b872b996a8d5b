"""Models find their columns in any table that has them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import frote
from frote.coverage.asking import ask, own_columns

LOANS = frote.datasets.load_loans(60)
NAMES = list(LOANS.X.columns)
RULES = "young: IF age < 29 AND defaults = 0 THEN approved"
KINDS = {"pandas": lambda X: X, "polars": pl.from_pandas}


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    """A kind of frame, and a model that was fitted to one."""
    make = KINDS[request.param]
    return make, frote.default_pipeline().fit(make(LOANS.X), LOANS.y)


@given(order=st.permutations([*NAMES, "id", "note"]))
def test_whatever_the_order_and_whatever_else_there_is(kind, order):
    make, model = kind
    own, lacking = own_columns(model, make(LOANS.X.assign(id=range(60), note="so")[order]))
    assert own.equals(make(LOANS.X))
    assert not lacking


def test_everything_that_asks_a_model_gives_it_its_own_columns(kind):
    make, model = kind
    X, other = make(LOANS.X), make(LOANS.X.assign(id=range(60))[[*NAMES[::-1], "id"]])
    for method in ("predict", "predict_proba"):
        assert np.array_equal(ask(model, other, method), ask(model, X, method))
    assert str(frote.score(model, other, LOANS.y, RULES)) == str(frote.score(model, X, LOANS.y, RULES))
    assert frote.compare_models(model, model, other, RULES, LOANS.y).rows == 60
    assert frote.parse_rules(RULES).check(other, LOANS.y, model).frame["model_agreement"].notna().all()
    given = {"lambda0": 0.05, "lambda1": 0.05}
    assert frote.explain_model(model, other, **given).fidelity > 0.5
    patched = [frote.OverlayClassifier(model, RULES).fit(rows).predict(rows).tolist() for rows in (X, other)]
    assert patched[0] == patched[1]


def test_a_column_that_is_lacking_is_told_with_the_nearest(kind):
    make, model = kind
    other = make(LOANS.X.rename(columns={"income": "incme"}))
    told = "^X has no column 'income', which the model was fitted to. Did you mean 'incme'?"
    with pytest.raises(frote.TableError, match=told):
        frote.score(model, other, LOANS.y, RULES)
    with pytest.raises(frote.TableError, match=told.replace("the model", "the first model")):
        frote.compare_models(model, model, other)


def test_a_model_may_do_without_a_column_that_it_drops():
    model = make_pipeline(make_column_transformer((OneHotEncoder(), ["purpose"])), DecisionTreeClassifier())
    model.fit(LOANS.X, LOANS.y)
    assert ask(model, LOANS.X[["purpose"]]).tolist() == model.predict(LOANS.X).tolist()


def test_names_with_blanks_of_a_library_that_writes_them_otherwise():
    lightgbm = pytest.importorskip("lightgbm")
    X = pd.DataFrame({"years there": np.arange(40.0), "b": 1.5})
    model = lightgbm.LGBMClassifier(n_estimators=2, min_child_samples=2, verbose=-1).fit(X, X["years there"] > 20)
    assert list(model.feature_names_in_) == ["years_there", "b"]
    assert ask(model, X[["b", "years there"]]).tolist() == model.predict(X).tolist()


def test_arrays_and_models_without_names_are_taken_as_they_are():
    numbers = LOANS.X[["age", "income"]]
    model = DecisionTreeClassifier().fit(numbers.to_numpy(), LOANS.y)
    assert ask(model, numbers.to_numpy()).tolist() == model.predict(numbers.to_numpy()).tolist()
    with pytest.raises(ValueError, match="features"):  # what a model says that tells no names is its own
        ask(model, numbers.to_numpy()[:, :1])
