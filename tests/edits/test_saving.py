"""Edits in Python as folders: replayed, and what cannot be is told."""

from __future__ import annotations

import json
import os
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from tests.in_process import invoke

import frote
from frote.command.main import main
from frote.exceptions import FileError, FroteError, ModelError, RecordError, RecordWarning, TableError

LOANS = frote.datasets.load_loans(260)
X, y = LOANS.X[:200].reset_index(drop=True), LOANS.y[:200].reset_index(drop=True)
LATER = LOANS.X[200:], LOANS.y[200:]
RULES = "# policy\nyoung: IF age < 29 AND defaults = 0 THEN approved  # since Monday"
PIT = "IF x1 > 40000 AND x2 < 20000 THEN approved"
NUMBERS = X[["age", "income", "amount"]].fillna(0).to_numpy(float)
ONES = (y == "approved").to_numpy() * 1


def replayed(folder, *more, code=0):
    return invoke(main, "replay", folder, "--quiet", *more, code=code).output


def asked(folder):
    return json.loads((folder / "edit.json").read_text("utf-8"))["asked"]


def own_pipeline():
    """A pipeline of a user's, no model of the command line's."""
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer()), ["age", "income", "amount"]),
        (OneHotEncoder(handle_unknown="ignore"), ["purpose", "channel"]),
    )
    return make_pipeline(columns, RandomForestClassifier(5))


def edits():
    """Edits of all kinds that a record can say, by what is special about them."""
    few = {"rules": RULES, "max_fits": 1, "random_state": 3}
    conflicting = f"{RULES}\nold: IF age < 40 THEN denied"
    return {
        "pipeline": (frote.FROTE(own_pipeline(), RULES, max_fits=1), X, y),
        "drawn": (frote.FROTE(**{**few, "random_state": np.random.default_rng(0)}), X, y),
        "array": (
            frote.FROTE(RandomForestClassifier(5), "IF x0 < 29 THEN 1", max_fits=1),
            NUMBERS,
            (y == "approved") * 1,
        ),
        "polars": (frote.FROTE(**few), pl.from_pandas(X), y.tolist()),
        "kinds": (frote.FROTE(**few, kinds={"defaults": "categorical"}, levels={"channel": ["app"]}), X, y),
        "resolved": (frote.FROTE(**{**few, "rules": conflicting}, resolve="priority"), X, y),
        "published": (frote.FROTE.as_published(rules=RULES, max_fits=1), X, y.rename(None)),
        "no rules": (frote.FROTE(max_fits=1), X, y),
        "stopped": (frote.FROTE(**{**few, "max_fits": 9}, callbacks=[lambda step: step.step == 1]), X, y),
        "step": (frote.FROTE(**few, twins=1).fit(X, y).at(0), None, None),
        "recalibrated": (frote.FROTE(**few, recalibrate="isotonic"), X, y),
        "counterexamples": (
            frote.FROTE(DecisionTreeClassifier(), PIT, counterexamples=True, random_state=0),
            NUMBERS,
            y,
        ),
        "anchored": (frote.FROTEClassifier(rules=RULES, how="anchored", random_state=0), X, y),
        "classifier": (frote.FROTEClassifier(**few, agreement_weight=np.float64(0.7)), X, y),
    }


@pytest.mark.parametrize("name", edits())
def test_what_is_saved_is_replayed(name, tmp_path):
    editor, rows, labels = edits()[name]
    if rows is not None:
        editor.fit(rows, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        editor.save(tmp_path / "edit")
    assert replayed(tmp_path / "edit") == ""
    assert "fails" not in invoke(main, "verify", tmp_path / "edit").output
    assert (tmp_path / "edit" / "report.html").stat().st_size > 10_000


def test_a_folder_holds_what_the_editor_made(tmp_path):
    editor = frote.FROTE(rules=RULES, max_fits=2, random_state=0)
    X_new, y_new = editor.fit_resample(X, y)
    about = {"title": "Young savers", "owner": "Credit policy"}
    editor.save(tmp_path / "edit", test=LATER, about=about, protected=["has_guarantor"], favourable="approved")
    folder = tmp_path / "edit"
    augmented = pd.read_csv(folder / "augmented.csv")
    assert augmented["age"].tolist() == X_new["age"].tolist()
    assert augmented["decision"].tolist() == y_new.tolist()
    assert len(pd.read_csv(folder / "ledger.csv")) == len(editor.ledger_)
    report, record = (json.loads((folder / name).read_text("utf-8")) for name in ("report.json", "edit.json"))
    assert report["title"] == "Young savers"
    assert report["on"] == "test"
    assert report["fairness"] is not None
    assert record["asked"]["rules"] == RULES  # with its comments
    assert record["asked"]["about"] == about
    assert record["data"]["name"] == "data.csv"
    assert record["files"].keys() == set(os.listdir(folder)) - {"edit.json"}
    model = frote.edits.saved_models.load_model(folder / "model.skops")
    assert (model.predict(X) == editor.estimator_.predict(X)).all()
    assert replayed(folder) == ""
    # Another table is none of this edit, and a change shows.
    data = folder / "data.csv"
    data.write_text(data.read_text("utf-8").replace("denied", "approved", 1), "utf-8")
    assert "is not the data.csv of the edit" in replayed(folder, code=2)


def test_another_step_of_what_is_saved_is_picked(tmp_path):
    frote.FROTE(own_pipeline(), RULES, max_fits=1, twins=1, random_state=0).fit(X, y).save(tmp_path / "whole")
    invoke(main, "edit", "--pick", "0", "--from", tmp_path / "whole", "--out", tmp_path / "one", "--quiet")
    assert asked(tmp_path / "one")["pick"] == 0
    assert replayed(tmp_path / "one", "--data", tmp_path / "whole" / "data.csv") == ""
    assert "Add --data" in replayed(tmp_path / "one", code=2)


class Own(RandomForestClassifier):
    """A class of the caller's."""


def test_a_type_that_somebody_must_trust_is_named(tmp_path):
    editor = frote.FROTE(Own(5), "IF x0 < 29 THEN approved", max_fits=1).fit(NUMBERS, y)
    name = f"{Own.__module__}.Own"
    with pytest.warns(RecordWarning, match=rf"holds models with {name}: .* must add --trust {name}\."):
        editor.save(tmp_path / "edit")
    assert f"add: --trust {name}" in replayed(tmp_path / "edit", code=2)
    assert replayed(tmp_path / "edit", "--trust", name) == ""


def _f1(estimator, X, y):
    return float((estimator.predict(X) == y).mean())


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"evaluate": (X[:50], y[:50])}, "evaluate, a tuple of the caller's own"),
        ({"scoring": _f1}, "scoring, a function of the caller's own"),
        ({"select": frote.strategies.Uniform()}, "select, a Uniform of the caller's own"),
    ],
)
def test_what_no_record_can_say_is_told_and_not_replayed(changed, why, tmp_path):
    editor = frote.FROTE(rules=RULES, max_fits=1, random_state=0, **changed).fit(X, y)
    with pytest.warns(RecordWarning, match=f"cannot be replayed: no record can say {why}"):
        editor.save(tmp_path / "edit")
    assert asked(tmp_path / "edit")["in_python"]["unsaid"] == [why]
    assert "cannot be repeated: no record can say" in replayed(tmp_path / "edit", code=2)
    assert (tmp_path / "edit" / "report.html").exists()


def test_rows_that_a_file_keeps_otherwise_are_told(tmp_path):
    zoned = X.assign(applied_on=X["applied_on"].dt.tz_localize("Europe/Berlin"))
    editor = frote.FROTE(rules=RULES, max_fits=1, random_state=0).fit(zoned, y)
    with pytest.warns(RecordWarning, match=r"the types of the data that the file does not keep \('applied_on'\)"):
        editor.save(tmp_path / "zoned")
    weighted = frote.FROTE(rules=RULES, max_fits=1, random_state=0).fit(X, y, sample_weight=np.ones(len(X)))
    with pytest.warns(RecordWarning, match="no record can say sample_weight"):
        weighted.save(tmp_path / "weighted")
    # A text that a CSV file has no way to write stops it before anything is there; Parquet has one.
    named = X.assign(channel=X["channel"].where(X.index % 9 > 0, "NA"))
    editor = frote.FROTE(rules=RULES, max_fits=1, random_state=0).fit(named, y)
    with pytest.raises(FileError, match="'NA', which means a missing value"):
        editor.save(tmp_path / "named")
    assert not (tmp_path / "named").exists()
    editor.save(tmp_path / "named", format="parquet")
    assert replayed(tmp_path / "named") == ""


def test_nothing_is_replaced_that_is_not_said(tmp_path):
    editor = frote.FROTE(rules=RULES, max_fits=1, random_state=0).fit(X, y)
    editor.save(tmp_path / "edit")
    with pytest.raises(FileError, match=r"is there already\. Name another folder, or replace it with force=True\."):
        editor.save(tmp_path / "edit")
    editor.save(tmp_path / "edit", force=True)
    with pytest.raises(TableError, match="X_test"):
        editor.save(tmp_path / "other", test=(LATER[0].drop(columns="age"), LATER[1]))
    with pytest.raises(FileError, match="There is no format 'xlsx'"):
        editor.save(tmp_path / "other", format="xlsx")
    assert sorted(os.listdir(tmp_path)) == ["edit"]


def test_a_folder_that_was_tampered_with_runs_nothing(tmp_path):
    frote.FROTE(rules=RULES, max_fits=1, random_state=0).fit(X, y).save(tmp_path / "edit")
    path = tmp_path / "edit" / "edit.json"
    record = json.loads(path.read_text("utf-8"))
    estimator = tmp_path / "edit" / "estimator.skops"
    estimator.write_bytes(estimator.read_bytes() + b"!")
    assert "is not the estimator that" in replayed(tmp_path / "edit", code=2)
    record["data"]["name"] = "../data.csv"
    path.write_text(json.dumps(record), "utf-8")
    assert "Add --data with that file" in replayed(tmp_path / "edit", code=2)
    for wrong in ({"estimator": 3}, {"unsaid": "x"}, {"data": [1, 2]}, {"last_step": "x"}, {"more": 1}):
        in_python = {**record["asked"]["in_python"], **wrong}
        path.write_text(json.dumps({**record, "asked": {**record["asked"], "in_python": in_python}}), "utf-8")
        assert "is no record of an edit" in replayed(tmp_path / "edit", code=2) or "in_python" in replayed(
            tmp_path / "edit", code=2
        )


def test_an_editor_from_a_file_has_nothing_to_save(tmp_path):
    import pickle

    editor = pickle.loads(pickle.dumps(frote.FROTE(rules=RULES, max_fits=1).fit(X, y)))
    with pytest.raises(TableError, match="has no data to save"):
        editor.save(tmp_path / "edit")
    assert issubclass(RecordError, FroteError)
    assert issubclass(ModelError, FroteError)
