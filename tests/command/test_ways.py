"""``frote edit --how``: rules that are a part of the model."""

from __future__ import annotations

import json
import shutil

import pytest

from frote.edits.saved_models import load_model
from frote.estimators.ways.models import Anchored, Switched
from frote.files import read_table

ASKED = ("--data", "loans.csv", "--target", "decision")


@pytest.fixture(scope="module")
def folder(loans, tmp_path_factory):
    """The loans, in a folder of these tests."""
    return shutil.copytree(loans, tmp_path_factory.mktemp("ways") / "loans", ignore=shutil.ignore_patterns("edit*"))


def edit(call, folder, *more, code=0):
    return call("edit", *ASKED, "--rules", "clean.rules", "--test", "later.csv", *more, cwd=folder, code=code)


@pytest.mark.parametrize(
    ("how", "kind"), [("switches", Switched), ("anchored", Anchored), ("auto", (Switched, Anchored))]
)
def test_an_edit_is_told_of_repeated_and_compared(call, folder, how, kind):
    done = edit(call, folder, "--how", how, "--max-loss", "0.01", "--out", how)
    told = " ".join(done.output.split())
    assert "The rules are needed at prediction time: they are inside the model, which" in told
    record, report = (json.loads((folder / how / name).read_text()) for name in ("edit.json", "report.json"))
    assert record["asked"]["settings"] == {"how": how, "max_loss_outside": 0.01}
    assert report["how"] == how or how == "auto"
    assert report["done"]["rows"]["relabelled"] == 0
    page = (folder / how / "report.html").read_text()
    assert "The rules were put into the model" in page
    assert page.count("<title>Before the edit: agreement ") == 1  # in the frontier
    assert "A row that the rule covers, once more with the rule" in page
    assert record["scores"]["after"]["agreement"] >= 0.98
    model = load_model(folder / how / "model.skops")
    assert isinstance(model, kind)
    later = read_table(folder / "later.csv").frame.drop(columns="decision")
    assert model.without("young").rules_.origins == ("risky",)
    assert (model.predict(later[(later["age"] < 29) & (later["defaults"] == 0)]) == "approved").all()

    replayed = call("replay", f"{how}/edit.json", "--data", "loans.csv", "--test", "later.csv", cwd=folder)
    assert "The same:" in replayed.output
    files = ("--before", f"{how}/before.skops", "--after", f"{how}/model.skops")
    compared = call("compare", *ASKED, "--rules", "clean.rules", *files, cwd=folder)
    assert "as the rules want" in compared.output
    scored = call("score", *ASKED, "--rules", "clean.rules", "--load", f"{how}/model.skops", cwd=folder)
    assert "agreement 1.000" in scored.output


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--max-fits", "3"), "--max-fits is for edits by data: there is no loop that it could change with --how auto"),
        (("--twins", "1"), "--twins is for edits by data"),
        (("--as-published",), "--as-published does not go with another --how"),
    ],
)
def test_what_does_not_go_with_a_way_is_told_before_anything_is_trained(call, folder, more, told, monkeypatch):
    monkeypatch.setattr("frote.edits.running.train", None)
    done = edit(call, folder, "--how", "auto", *more, "--out", "nothing", code=2)
    assert told in done.output
    assert not (folder / "nothing").exists()


def test_by_data_is_what_is_usual(call, folder):
    edit(call, folder, "--how", "data", "--max-fits", "1", "--out", "data")
    report = json.loads((folder / "data" / "report.json").read_text())
    assert report["how"] == "data"
    assert "needed at prediction time" not in report["verdict"]
