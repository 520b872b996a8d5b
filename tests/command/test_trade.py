"""Thresholds, costs and protected groups on the command line: in what is printed, in reports, and when repeated."""

from __future__ import annotations

import json
import shutil

import pytest

TABLE = ("--data", "loans.csv", "--target", "decision", "--rules", "clean.rules")
ASKED = ("--favourable", "approved", "--threshold", "0.6", "--cost", "denied:approved=5")
GROUPS = ("--protected", "age < 25, channel")


@pytest.fixture(scope="module")
def folder(loans, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trade")
    for name in ("loans.csv", "later.csv", "clean.rules"):
        shutil.copy(loans / name, folder)
    return folder


def test_an_edit_is_judged_so_and_so_again(folder, call):
    done = call("edit", *TABLE, "--test", "later.csv", "--max-fits", "1", "--out", "out", *ASKED, *GROUPS, cwd=folder)
    assert "Rule 'young' names 'age', which is protected (age < 25)." in done.stdout
    record = json.loads((folder / "out/edit.json").read_text("utf-8"))
    assert record["asked"]["judge_by"] == {
        "protected": "age < 25, channel",
        "favourable": "approved",
        "threshold": 0.6,
        "cost": {"denied": {"approved": 5.0}},
    }
    report = json.loads((folder / "out/report.json").read_text("utf-8"))
    assert record["notices"] == report["fairness"]["notices"]
    assert {rate["protected"] for rate in report["fairness"]["rates"]} == {"age < 25", "channel"}
    assert "0.6" in report["numbers"]["decided"]
    page = (folder / "out/report.html").read_text("utf-8")
    assert "In the numbers of your trade" in page
    assert "Protected groups" in page
    call("replay", "out/edit.json", "--data", "loans.csv", "--test", "later.csv", cwd=folder)

    # The same numbers by compare, and by score of each model.
    table = ("--data", "later.csv", "--target", "decision", "--rules", "clean.rules")
    models = ("--before", "out/before.skops", "--after", "out/model.skops")
    compared = json.loads(call("compare", *table, *models, *ASKED, *GROUPS, "--json", cwd=folder).stdout)
    assert compared["numbers"]["lines"] == report["numbers"]["lines"]
    assert compared["fairness"]["notices"] == record["notices"]
    scored = json.loads(call("score", *table, "--load", "out/model.skops", *ASKED, "--json", cwd=folder).stdout)
    after = [line["after"] for line in compared["numbers"]["lines"]]
    assert [line["value"] for line in scored["numbers"]["lines"]] == after
    shown = call("compare", *table, *models, *ASKED, *GROUPS, cwd=folder).stdout
    assert "Protected: channel" in shown
    assert "AUC" in call("score", *table, "--load", "out/model.skops", cwd=folder).stdout


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--protected", "age < 25"], "The labels are 'approved', 'denied': say which, such as --favourable approved."),
        (["--protected", "sexx", "--favourable", "approved"], "--protected: X has no column 'sexx'"),
        (["--favourable", "yes"], "--favourable: 'yes' is no label; these are 'approved', 'denied'."),
        (["--threshold", "0.5"], "--threshold is on the probability of one label, and none was said."),
        (["--threshold", "7", "--favourable", "denied"], "--threshold is a probability, from 0 to 1, not 7.0."),
        (
            ["--cost", "denied=5"],
            "--cost is given as LABEL:PREDICTION=COST, such as denied:approved=5, not 'denied=5'.",
        ),
        (["--cost", "denied:maybe=5"], "--cost: 'maybe' is no label"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_trained(folder, call, asked, message, monkeypatch):
    def never(*_, **__):
        raise AssertionError("trained")

    monkeypatch.setattr("frote.edits.running.train", never)
    done = call("edit", *TABLE, "--out", "none", *asked, cwd=folder, code=2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "none").exists()
