"""What will be written can be: told before anything is trained; and what spreadsheets would run is text."""

from __future__ import annotations

import csv
import json

import pytest

from frote.files import read_table

ROWS = [f"{20 + n},{'=1+1' if n % 2 else '@x'},{'yes' if n < 15 else 'no'}" for n in range(30)]
RULES = "'=HYPERLINK(1)': IF age < 29 THEN no\n'-old': IF age > 45 THEN yes\nplain: IF age = 40 THEN no\n"
ASKED = ("--data", "a.csv", "--target", "y", "--rules", "a.rules")
EDIT = ("edit", *ASKED, "--out", "out", "--quiet", "--max-fits", "2")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.csv").write_text("\n".join(["age,=cmd,y", *ROWS, ""]))
    (tmp_path / "a.rules").write_text(RULES)
    return tmp_path


def cells(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_names_of_rules_are_no_formulas_in_the_ledger(call, folder):
    call(*EDIT, cwd=folder)
    ledger = read_table(folder / "out" / "ledger.csv").frame
    assert {"'=HYPERLINK(1)", "'-old", "plain"} >= set(ledger["rule"].dropna()) >= {"'=HYPERLINK(1)", "'-old"}
    # Data are what they were.
    augmented = cells(folder / "out" / "augmented.csv")
    assert augmented[0] == ["age", "=cmd", "y"]
    assert {row[1] for row in augmented[1:]} == {"=1+1", "@x"}


def test_data_are_none_either_if_that_is_asked_for_and_the_edit_can_be_repeated(call, folder):
    call(*EDIT, "--spreadsheet-safe", cwd=folder)
    for name in ("augmented.csv", "ledger.csv"):
        for row in cells(folder / "out" / name):
            assert not [cell for cell in row if cell.startswith(("=", "+", "@", "-o"))], name
    assert cells(folder / "out" / "augmented.csv")[0] == ["age", "'=cmd", "y"]
    assert json.loads((folder / "out" / "edit.json").read_text())["asked"]["spreadsheet_safe"] is True
    call("replay", "out", "--data", "a.csv", cwd=folder)
    model = ("--load", "out/model.skops")
    call("overlay", *ASKED, *model, "--out", "over.csv", cwd=folder)
    call("overlay", *ASKED, *model, "--out", "safe.csv", "--spreadsheet-safe", cwd=folder)
    assert {row[1] for row in cells(folder / "over.csv")} == {"=cmd", "=1+1", "@x"}
    assert {row[1] for row in cells(folder / "safe.csv")} == {"'=cmd", "'=1+1", "'@x"}
    assert {"'=HYPERLINK(1)", "'-old"} <= {row[-1] for row in cells(folder / "over.csv")}


def test_what_cannot_be_written_is_told_before_training(call, folder, monkeypatch):
    def trains(*_, **__):
        raise AssertionError("something was trained")

    monkeypatch.setattr("frote.edits.models.seeded", trains)
    (folder / "a.rules").write_text("NA: IF age < 29 THEN no\n")
    assert "holds the text 'NA', which means a missing value" in call(*EDIT, cwd=folder, code=2).output
    (folder / "a.rules").write_text(RULES)
    assert not (folder / "out").exists()


def test_json_lines_have_all_characters_in_any_encoding(call, folder):
    city = {"Łódź": "yes", "Zürich": "no"}
    rows = [{"age": 20 + n, "city": list(city)[n % 2], "y": list(city.values())[n // 15]} for n in range(30)]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    escaped = text.replace("Ł", "\\u0141").replace("ź", "\\u017a")
    (folder / "a.jsonl").write_bytes(escaped.encode("cp1252"))
    call("edit", "--data", "a.jsonl", *ASKED[2:], *EDIT[-5:], cwd=folder)
    data = (folder / "out" / "augmented.jsonl").read_bytes()
    assert b"Z\xfcrich" in data
    assert b"\\u0141" in data
    assert set(read_table(folder / "out" / "augmented.jsonl").frame["city"]) == set(city)


def test_a_record_with_half_a_character_is_told(call, folder):
    (folder / "edit.json").write_text('{"edit": 1, "asked": {"target": "\\ud800"}}')
    assert "no record of an edit" in call("replay", "edit.json", "--data", "a.csv", cwd=folder, code=2).output
