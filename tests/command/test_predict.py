"""Labels and probabilities by models of files, as those use them who have rows to answer for."""

from __future__ import annotations

import io
import json
import shutil

import pandas as pd
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import frote
from frote.edits.saved_models import load_model, save_model
from frote.files import read_table

MODEL = "edit/model.skops"


def expected(model, X):
    columns = {f"probability {label}": p for label, p in zip(model.classes_, model.predict_proba(X).T, strict=True)}
    return pd.DataFrame({"prediction": model.predict(X), **columns})


def test_predictions_are_printed_as_csv_and_as_json(edited, call):
    folder, _ = edited
    X = read_table(folder / "later.csv").frame.drop(columns="decision")
    wanted = expected(load_model(folder / MODEL), X)
    given = ("predict", MODEL, "--data", "later.csv")
    printed = pd.read_csv(io.StringIO(call(*given, cwd=folder).stdout))
    pd.testing.assert_frame_equal(printed, wanted, check_dtype=False)
    found = pd.DataFrame(json.loads(call(*given, "--json", cwd=folder).stdout))
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False)


@pytest.mark.parametrize("name", ["new.csv", "new.parquet"])
def test_a_table_is_written_with_the_predictions_beside_its_columns(edited, call, tmp_path, name):
    folder, _ = edited
    table = read_table(folder / "later.csv").frame
    wanted = expected(load_model(folder / MODEL), table.drop(columns="decision"))
    given = ("predict", MODEL, "--data", "later.csv", "--target", "decision", "--out", tmp_path / name)
    told = call(*given, cwd=folder).stdout
    counts = ", ".join(f"{count} {label}" for label, count in wanted["prediction"].value_counts().items())
    assert told == f"100 predictions in {tmp_path / name}: {counts}.\n"
    written = read_table(tmp_path / name).frame
    assert list(written) == [*table, *wanted]
    pd.testing.assert_frame_equal(written[list(wanted)], wanted, check_dtype=False, check_categorical=False)
    assert "is there already" in call(*given, cwd=folder, code=2).stderr
    assert json.loads(call(*given, "--force", "--json", cwd=folder).stdout)["rows"] == 100


def test_an_overlay_and_a_model_with_rules_in_it_predict_too(edited, call, tmp_path):
    folder, _ = edited
    X = read_table(folder / "loans.csv").frame
    y = X.pop("decision")
    rules = frote.read_rules(folder / "clean.rules")
    model = load_model(folder / "edit/before.skops")
    overlay = frote.OverlayClassifier(model, rules).fit(X)
    anchored = frote.FROTEClassifier(rules=rules, how="anchored", random_state=0).fit(X, y).estimator_
    for one in (overlay, anchored):
        save_model(one, tmp_path / "one.skops")
        printed = call("predict", tmp_path / "one.skops", "--data", "loans.csv", cwd=folder).stdout
        found = pd.read_csv(io.StringIO(printed))
        pd.testing.assert_frame_equal(found, expected(one, X), check_dtype=False)
        assert (found.loc[rules.bind(X)["risky"].mask(X), "prediction"] == "denied").all()


def test_a_model_without_probabilities_gives_labels(edited, call, tmp_path):
    folder, _ = edited
    table = read_table(folder / "loans.csv").frame
    model = make_pipeline(frote.TabularEncoder(), RidgeClassifier()).fit(table[["age", "income"]], table["decision"])
    save_model(model, tmp_path / "ridge.skops")
    printed = call("predict", tmp_path / "ridge.skops", "--data", "loans.csv", cwd=folder).stdout
    assert printed.splitlines() == ["prediction", *model.predict(table[["age", "income"]])]


def test_what_cannot_be_predicted_is_told_in_one_sentence(edited, call, tmp_path):
    folder, _ = edited
    table = pd.read_csv(folder / "later.csv")
    table.drop(columns="age").to_csv(tmp_path / "short.csv", index=False)
    table.rename(columns={"purpose": "probability denied"}).to_csv(tmp_path / "taken.csv", index=False)
    (tmp_path / "bad.skops").write_bytes(b"no model")
    shutil.copytree(folder / "edit", tmp_path / "edit")
    shutil.copy(folder / "later.csv", tmp_path / "later.csv")
    save_model(frote.default_pipeline().fit(table[["age"]], table["decision"]), tmp_path / "age.skops")
    for arguments, told in (
        ((MODEL, "--data", "short.csv"), "short.csv has no column 'age', which the model of edit/model.skops"),
        (("edit", "--data", "later.csv"), "edit is the folder of an edit. Its model is edit/model.skops;"),
        (("bad.skops", "--data", "later.csv"), "bad.skops cannot be read as a model"),
        (("no.skops", "--data", "later.csv"), "No such file or directory: no.skops"),
        ((MODEL, "--data", "later.csv", "--target", "decison"), "Did you mean 'decision'?"),
        ((MODEL, "--data", "later.csv", "--out", "later.csv", "--force"), "is read by the same command"),
        (
            ("age.skops", "--data", "taken.csv", "--out", "n.csv"),
            "'probability denied' already, which is to be written. Rename it, or leave out --out: then the",
        ),
    ):
        done = call("predict", *arguments, cwd=tmp_path, code=2)
        assert done.stdout == ""
        assert done.stderr.startswith("Error: ")
        assert told in done.stderr
        assert done.stderr.count("\n") == 1


def test_of_many_labels_the_most_frequent_are_counted(call, tmp_path):
    X = pd.DataFrame({"number": range(14)})
    X.to_csv(tmp_path / "rows.csv", index=False)
    y = [f"label {number // 2}" for number in range(14)]
    save_model(DecisionTreeClassifier(random_state=0).fit(X, y), tmp_path / "tree.skops")
    told = call("predict", "tree.skops", "--data", "rows.csv", "--out", "out.csv", cwd=tmp_path).stdout
    assert told.startswith("14 predictions in out.csv: 2 label 0, 2 label 1,")
    assert told.endswith(", 2 label 4, and 2 other labels.\n")
