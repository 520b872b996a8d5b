"""Estimators that write into what they are given spoil neither the caller's data, nor ours, nor the result."""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.estimators.results import cells, outcome

import frote

RNG = np.random.default_rng(5)
NUMBERS = RNG.normal(size=(60, 2)).round(3)
LABELS = np.where(NUMBERS[:, 0] + RNG.normal(size=60) > 0, "yes", "no")
FRAMES = {
    "numpy": (NUMBERS, LABELS),
    "fortran": (np.asfortranarray(NUMBERS), LABELS.astype(object)),
    "pandas": (pd.DataFrame(NUMBERS, columns=["x0", "x1"]), pd.Series(LABELS)),
    "categories": (
        pd.DataFrame({"x0": NUMBERS[:, 0], "x1": pd.array(np.arange(60) % 7 - 3, dtype="Int8")}),
        pd.Series(LABELS, dtype="category"),
    ),
    "polars": (pl.DataFrame(NUMBERS, schema=["x0", "x1"]), pl.Series(LABELS)),
    "lists": (NUMBERS.tolist(), LABELS.tolist()),
}
RULES = "low: IF x0 < -0.4 AND x1 > 0 THEN yes"


def spoil_array(X):
    X.sort(axis=0)
    X[:] = 7


def spoil_pandas(X):
    for name in X.columns:
        X[name].array[:] = 7  # past copy-on-write
    X["x0"] = X["x0"].sort_values().to_numpy()
    X.iloc[:, 0] = 7.0
    X["x1"] = "text"
    X.insert(0, "more", 1)
    X.columns = ["p", "q", "r"]
    X.columns.name = "spoilt"
    X.index = list(map(str, X.index))


def spoil_polars(X):
    X["x0"].sort(in_place=True)
    X[0, "x0"] = 7.0
    X.insert_column(0, pl.Series("more", ["text"] * len(X)))
    X.drop_in_place("x1")
    X.columns = ["p", "q"]


def spoil_rows(X):
    """Do to rows all that can be done to them."""
    kinds = {np.ndarray: spoil_array, pd.DataFrame: spoil_pandas, pl.DataFrame: spoil_polars}
    kinds[type(X)](X)


def spoil_labels(y):
    if isinstance(y, list):
        y.reverse()
    elif isinstance(y, pl.Series):
        y[0] = "spoilt"
    elif isinstance(y, pd.Series):
        y.array[:] = y.array[0]
    else:
        y[:] = y[0]


class Spoiler(ClassifierMixin, BaseEstimator):
    """Learns, answers, and then spoils what it was given; its twin does not."""

    def __init__(self, spoils=True):
        self.spoils = spoils

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(np.array(X, dtype=float), np.asarray(y, dtype=str))
        self.classes_ = self.model_.classes_
        if self.spoils:
            spoil_rows(X)
            spoil_labels(y)
        return self

    def predict(self, X):
        return self._answer(self.model_.predict, X)

    def predict_proba(self, X):
        return self._answer(self.model_.predict_proba, X)

    def _answer(self, ask, X):
        found = ask(np.array(X, dtype=float))
        if self.spoils:
            spoil_rows(X)
        return found


def spoiling_scorer(model, X, y):
    found = float(np.mean(np.asarray(model.predict(copy.deepcopy(X))) == np.asarray(y)))
    if model.spoils:
        spoil_rows(X)
        spoil_labels(y)
    return found


SETTINGS = [
    {},
    {"evaluate": "active", "select": "ip"},
    {"evaluate": 0.3, "scoring": spoiling_scorer},
    {"evaluate": "validation", "schedule": "fixed", "modify": "none"},
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("kind", FRAMES)
def test_an_edit_is_that_of_the_twin(kind, settings):
    X, y = FRAMES[kind]
    before = copy.deepcopy((X, y))
    found = []
    for spoils in (True, False):
        chosen = {**settings, "evaluate": (X, y)} if settings.get("evaluate") == "validation" else settings
        editor = frote.FROTE(Spoiler(spoils), RULES, max_fits=2, random_state=0, **chosen)
        found.append(outcome(editor, X, y) | {"preview": str(editor.preview(X, y).rules)})
        assert [cells(part) for part in (X, y)] == [cells(part) for part in before]
    assert found[0] == found[1]


def all_that_asks(spoils, X, y, tmp_path):
    """Return what every function that asks a model answers."""
    model, other = (Spoiler(spoils).fit(np.array(X, dtype=float), list(y)) for _ in range(2))
    hard = frote.OverlayClassifier(model, RULES).fit(X)
    soft = frote.OverlayClassifier(model, RULES, mode="soft", originals="IF x0 < 0 THEN no").fit(X)
    fitted = frote.OverlayClassifier(Spoiler(spoils), RULES).fit(X, y)
    edited = frote.FROTEClassifier(Spoiler(spoils), RULES, max_fits=1, random_state=0).fit(X, y)
    edited.report(tmp_path / "report.html", about={"date": None, "versions": {}})
    frame = np.asarray(X) if isinstance(X, list) else X
    return [
        str(frote.score(model, X, y, RULES)),
        str(frote.compare_models(model, other, X, RULES, y=y, time_limit=1e9)),
        str(frote.explain_model(model, X)),
        str(frote.parse_rules(RULES).check(frame, y, model)),
        *(cells(one.predict(X)) for one in (hard, soft, fitted, edited)),
        *(cells(one.predict_proba(X)) for one in (hard, soft, fitted, edited)),
        cells(soft.transform_rows(X)),
        (tmp_path / "report.html").read_text(encoding="utf-8").replace(f"spoils={spoils}", ""),
    ]


@pytest.mark.parametrize("kind", FRAMES)
def test_what_asks_a_model_is_told_what_the_twin_says(kind, tmp_path):
    X, y = FRAMES[kind]
    before = copy.deepcopy((X, y))
    found = all_that_asks(True, X, y, tmp_path)
    assert [cells(part) for part in (X, y)] == [cells(part) for part in before]
    assert found == all_that_asks(False, X, y, tmp_path)


@pytest.mark.parametrize("kind", ["numpy", "fortran", "pandas"])
def test_a_pipeline_that_works_in_place_keeps_rows_as_they_came(kind):
    X, y = FRAMES[kind]
    found = []
    for in_place in (True, False):
        model = make_pipeline(StandardScaler(copy=not in_place), LogisticRegression())
        found.append(outcome(frote.FROTE(model, RULES, max_fits=3, random_state=0), X, np.asarray(y, dtype=str)))
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", FRAMES)
def test_whoever_spoils_the_result_spoils_neither_the_data_nor_the_report(kind, tmp_path):
    X, y = FRAMES[kind]
    before = copy.deepcopy((X, y))
    reports = []
    for spoilt in (False, True):
        editor = frote.FROTE(Spoiler(False), RULES, max_fits=1, random_state=0)
        X_new, y_new = editor.fit_resample(X, y)
        if spoilt:
            spoil_rows(X_new)
            spoil_labels(y_new)
        editor.report(tmp_path / "report.html", about={"date": None, "versions": {}})
        reports.append((tmp_path / "report.html").read_text(encoding="utf-8"))
        assert [cells(part) for part in (X, y)] == [cells(part) for part in before]
    assert reports[0] == reports[1]
