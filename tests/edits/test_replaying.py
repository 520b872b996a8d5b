"""Edits made again from their records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import frote
from frote.edits.order import Order
from frote.edits.record import comparable, differences, read_record, since_then
from frote.edits.replaying import replay
from frote.edits.run_options import RunOptions
from frote.edits.running import run
from frote.edits.tables import read_tables
from frote.rules.written import WrittenRules

RULES = "young: IF age < 29 THEN approved\nrisky: IF defaults >= 3 THEN denied\n"


def test_what_has_changed_since_a_format_is_said_in_one_sentence(tmp_path):
    """Before format 3, resolved rules of whole numbers spoke of missing values: other bytes, and nothing is wrong."""
    loans = frote.datasets.load_loans(200)
    data = tmp_path / "loans.csv"
    loans.X.assign(decision=loans.y).to_csv(data, index=False)
    order = Order(
        target="decision", rules=WrittenRules(RULES), model="logistic", settings={"max_fits": 1}, resolve="priority"
    )
    (tmp_path / "edit").mkdir()
    run(order, *read_tables(order, data, None), tmp_path / "edit", RunOptions(), "")
    path = tmp_path / "edit" / "edit.json"
    record = json.loads(path.read_text("utf-8"))
    asked = record["asked"]

    def differing(**changed):
        path.write_text(json.dumps({**record, **changed}), "utf-8")
        return replay(read_record(path), path, data, None, RunOptions())

    other = {**record["outputs"], "rules": "0"}
    assert differing(outputs=other)[1:] == ["edit.json: another root belongs to what it says"]
    del record["root"]
    assert differing(edit=2) == []
    del record["population"]
    assert differing(edit=3) == []  # which knew nothing of it
    sentence, line = differing(edit=2, outputs=other)
    assert sentence.startswith("The record is of format 2, and since format 3 resolved rules speak of missing values ")
    assert line.startswith('outputs.rules: "0" before, ')
    assert "resolved rules" not in since_then({**record, "edit": 2, "asked": {**asked, "resolve": None}})
    by_quota = since_then({**record, "edit": 3})
    assert by_quota.startswith("The record is of format 3, and since format 4 labels that a rule leaves to chance are ")
    assert since_then({**record, "edit": 3, "asked": {**asked, "published": True}}) is None
    assert since_then(record) is None


@pytest.mark.parametrize("record", ["format_1.json", "format_3.json"])
def test_records_that_earlier_versions_wrote_are_made_again(tmp_path, record):
    """Of the first format and of the third, with twins, written by frote as it was then: what they tell is the same."""
    loans = frote.datasets.load_loans(200)
    data = tmp_path / "loans.csv"
    loans.X.assign(decision=loans.y).to_csv(data, index=False)
    path = Path(__file__).with_name(record)
    differing = replay(read_record(path), path, data, None, RunOptions())
    assert [line for line in differing if not line.startswith("versions.")] == []


def test_steps_that_differ_from_those_of_an_earlier_version_are_told():
    old = {"edit": 1, "asked": {}, "outputs": {}, "steps": [{"step": 0, "objective": 0.5}]}
    new = {"edit": 4, "asked": {}, "outputs": {}, "steps": [{"step": 0, "objective": 0.6, "guards": 0}]}
    assert differences(old, comparable(new, old)) == ["steps[0].objective: 0.5 before, 0.6 now"]
