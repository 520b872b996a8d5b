"""Tables to judge on: their columns in any order, their labels as they were trained, before anything is trained."""

from __future__ import annotations

import json

import pandas as pd
import pytest

GIVEN = ("--data", "loans.csv", "--target", "decision", "--rules", "clean.rules", "--max-fits", "1", "--quiet")


@pytest.fixture(scope="module")
def later(loans):
    """Later applications."""
    return pd.read_csv(loans / "later.csv")


@pytest.fixture
def folder(loans, tmp_path):
    """A folder with the table to train on and the rules."""
    for name in ("loans.csv", "clean.rules"):
        (tmp_path / name).write_bytes((loans / name).read_bytes())
    return tmp_path


def scores(folder, out):
    return json.loads((folder / out / "edit.json").read_text())["scores"]


def test_columns_to_judge_on_stand_in_any_order_beside_others(folder, call, later):
    later.to_csv(folder / "same.csv", index=False)
    later.assign(branch=7)[[*later.columns[::-1], "branch"]].to_csv(folder / "other.csv", index=False)
    for name in ("same", "other"):
        call("edit", *GIVEN, "--test", f"{name}.csv", "--out", name, cwd=folder)
    assert scores(folder, "same") == scores(folder, "other")
    call("replay", "other", "--data", "loans.csv", "--test", "other.csv", "--quiet", cwd=folder)
    rules = ("--target", "decision", "--rules", "clean.rules")
    told = [
        call("score", "--data", f"{name}.csv", *rules, "--load", "same/model.skops", cwd=folder).stdout
        for name in ("same", "other")
    ]
    assert told[0] == told[1]


def test_a_column_that_a_model_knows_is_lacking(folder, call, later):
    call("edit", *GIVEN, "--out", "edit", cwd=folder)
    later.rename(columns={"income": "incme"}).to_csv(folder / "other.csv", index=False)
    given = ("--data", "other.csv", "--target", "decision")
    model, rules = ("--load", "edit/model.skops"), ("--rules", "clean.rules")
    both = ("--before", "edit/before.skops", "--after", "edit/model.skops")
    told = "Error: other.csv has no column 'income', which the model of edit/{} was fitted to. Did you mean 'incme'?\n"
    for name, *more in (
        ("score", *rules, *model),
        ("compare", *both),
        ("check", *rules, *model),
        ("explain", "--load", "edit/model.skops"),
        ("overlay", *rules, *model, "--out", "out.csv"),
    ):
        done = call(name, *given, *more, cwd=folder, code=2)
        assert done.stderr == told.format("before.skops" if name == "compare" else "model.skops")


def test_labels_that_are_written_otherwise_are_refused_before_anything_is_trained(folder, call, later, monkeypatch):
    call("edit", *GIVEN, "--out", "edit", cwd=folder)
    later.assign(decision=later["decision"].map({"approved": 1, "denied": 0})).to_csv(folder / "coded.csv", index=False)
    told = "Error: coded.csv has labels that {} (0, 1, on 100 of 100 rows): the classes are 'approved', 'denied'. "
    told += "Write them alike, or leave those rows out.\n"
    given = ("--data", "coded.csv", "--target", "decision", "--rules", "clean.rules")
    done = call("score", *given, "--load", "edit/model.skops", cwd=folder, code=2)
    assert done.stderr == told.format("the model does not know")
    both = ("--before", "edit/before.skops", "--after", "edit/model.skops")
    done = call("compare", *given, *both, cwd=folder, code=2)
    assert done.stderr == told.format("neither model knows")
    done = call("check", *given, "--load", "edit/model.skops", cwd=folder, code=2)
    assert done.stderr == told.format("the model does not know")

    def never(*_, **__):
        raise AssertionError("something was trained")

    monkeypatch.setattr("frote.edits.models.seeded", never)
    done = call("edit", *GIVEN, "--test", "coded.csv", "--out", "new", cwd=folder, code=2)
    # What can be read in two ways is read as in the table to train on.
    assert done.stderr.replace("'0', '1'", "0, 1") == told.format("no row of the training data has")


def test_a_class_too_rare_to_be_learned_is_told_of(folder, call, later):
    later.loc[0, "decision"] = "withdrawn"
    later.to_csv(folder / "rare.csv", index=False)
    call("edit", *GIVEN, "--test", "rare.csv", "--out", "edit", cwd=folder)
    told = "1 row has a label that {}, 'withdrawn', and counts as a mistake."
    limits = json.loads((folder / "edit" / "report.json").read_text())["limits"]
    assert told.format("no row of the training data has") in limits
    given = ("--data", "rare.csv", "--target", "decision", "--rules", "clean.rules", "--load", "edit/model.skops")
    done = call("score", *given, cwd=folder)
    assert told.format("the model does not know") in done.stdout.splitlines()
    done = call("score", *given, "--json", cwd=folder)
    assert json.loads(done.stdout)["unknown"] == {"rows": 1, "labels": ["withdrawn"]}
    both = ("--before", "edit/before.skops", "--after", "edit/model.skops")
    done = call("compare", *given[:6], *both, cwd=folder)
    assert told.format("neither model knows") in done.stdout.splitlines()


def test_rows_that_were_trained_on_are_counted_and_left_out(folder, call, later):
    data = pd.read_csv(folder / "loans.csv")
    pd.concat([later, data[:40]]).to_csv(folder / "some.csv", index=False)
    given = [word for word in GIVEN if word != "--quiet"]
    done = call("edit", *given, "--test", "some.csv", "--out", "some", cwd=folder)
    first = (
        "40 of the 140 rows to judge on also stand in the training data and were left out: the verdict is on the 100"
    )
    record = json.loads((folder / "some" / "edit.json").read_text())
    assert record["verdict"].startswith(f"{first} others. ")
    assert {name: record["test"][name] for name in ("rows", "seen", "judged", "made")} == {
        "rows": 140,
        "seen": 40,
        "judged": 100,
        "made": 0,
    }
    assert first.split(" of ")[0] in done.stdout
    report = (folder / "some" / "report.html").read_text("utf-8")
    assert "100 rows: rows that do not stand in the training data." in " ".join(report.split())
    later.to_csv(folder / "none.csv", index=False)
    call("edit", *GIVEN, "--test", "none.csv", "--out", "none", cwd=folder)
    assert scores(folder, "some") == scores(folder, "none")
    call("replay", "some", "--data", "loans.csv", "--test", "some.csv", "--quiet", cwd=folder)


def test_a_table_that_was_trained_on_for_the_most_part_is_refused(folder, call, later, monkeypatch):
    data = pd.read_csv(folder / "loans.csv")
    pd.concat([later[:20], data[:150]]).to_csv(folder / "most.csv", index=False)
    with monkeypatch.context() as patched:
        patched.setattr("frote.edits.models.seeded", None)
        done = call("edit", *GIVEN, "--test", "most.csv", "--out", "out", cwd=folder, code=2)
    assert done.stderr.startswith("Error: 150 of 170 rows of most.csv also stand in the training data, so that scores ")
    assert done.stderr.endswith("or judge on the 20 others with --seen drop, on all with --seen keep.\n")
    call("edit", *GIVEN, "--test", "most.csv", "--seen", "keep", "--out", "out", cwd=folder)
    summary = json.loads((folder / "out" / "report.json").read_text())
    assert summary["verdict"].startswith("150 of the 170 rows to judge on also stand in the training data. ")
    assert summary["limits"][0].startswith("150 of the 170 rows judged also stand in the training data.")
    report = " ".join((folder / "out" / "report.html").read_text("utf-8").split())
    assert "170 rows: rows of which 150 also stand in the training data." in report
    assert "neither model" not in report
    call("replay", "out", "--data", "loans.csv", "--test", "most.csv", "--quiet", cwd=folder)
