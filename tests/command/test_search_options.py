"""Options of the search: they reach the editor, stand in the record, and an edit with them is made again."""

from __future__ import annotations

import json
import shutil

import pytest

import frote
from frote.edits.record import read_record
from frote.files import read_table

GIVEN = ("--data", "loans.csv", "--target", "decision", "--rules", "clean.rules")
ALL = (
    *("--evaluate", "0.25", "--agreement-weight", "0.8", "--scoring", "balanced_accuracy"),
    *("--k", "3", "--weak-share", "0.5", "--max-fits", "3"),
)
SETTINGS = {
    "evaluate": 0.25,
    "agreement_weight": 0.8,
    "scoring": "balanced_accuracy",
    "k": 3,
    "weak_share": 0.5,
    "max_fits": 3,
}


@pytest.fixture
def folder(loans, tmp_path):
    for name in ("loans.csv", "clean.rules"):
        shutil.copy(loans / name, tmp_path / name)
    return tmp_path


def test_they_are_those_of_python_and_replayed(folder, call):
    call("edit", *GIVEN, *ALL, "--out", "edit", "--quiet", cwd=folder)
    record = read_record(folder / "edit/edit.json")
    assert record["asked"]["settings"] == SETTINGS
    table = read_table(folder / "loans.csv").frame
    y = table.pop("decision")
    editor = frote.FROTE(rules=folder / "clean.rules", random_state=0, **SETTINGS).fit(table, y)
    assert [step["objective"] for step in record["steps"]] == pytest.approx(editor.history_["objective"].tolist())
    assert record["rows"] == editor.ledger_["status"].value_counts(sort=False).to_dict()
    assert "The same" in call("replay", "edit", "--data", "loans.csv", cwd=folder).stdout


def test_words_in_place_of_numbers_and_a_file_of_settings(folder, call):
    words = ("--evaluate", "active", "--agreement-weight", "coverage", "--max-fits", "2")
    by_option = json.loads(call("preview", *GIVEN, *words, "--json", cwd=folder).stdout)
    (folder / "frote.toml").write_text('[preview]\nevaluate = "active"\nagreement-weight = "coverage"\nmax-fits = 2\n')
    by_file = json.loads(call("preview", *GIVEN, "--json", cwd=folder).stdout)
    assert by_option["objective"] == by_file["objective"]
    (folder / "frote.toml").write_text("[preview]\nagreement-weight = 1\nmax-fits = 2\n")
    assert json.loads(call("preview", *GIVEN, "--json", cwd=folder).stdout)["objective"] != by_file["objective"]


def test_an_edit_that_ran_out_of_time_is_made_again_to_the_same_step(folder, call):
    call("edit", *GIVEN, "--time-limit", "0", "--out", "edit", "--quiet", cwd=folder)
    record = read_record(folder / "edit/edit.json")
    assert record["asked"]["settings"] == {"time_limit": 0.0}
    assert [step["step"] for step in record["steps"]] == [0]
    assert "The same" in call("replay", "edit", "--data", "loans.csv", cwd=folder).stdout
    # Another time it is: what counts is the step that the record ends with.
    record["asked"]["settings"]["time_limit"] = 3600.0
    (folder / "edit/edit.json").write_text(json.dumps(record))
    told = call("replay", "edit", "--data", "loans.csv", "--quiet", cwd=folder, code=1).stdout
    assert told.splitlines() == [
        "edit.json: another root belongs to what it says",
        'report.json: repeat.settings[25].value: "0.0" before, "3600.0" now',
    ]
    del record["steps"]
    (folder / "edit/edit.json").write_text(json.dumps(record))
    told = call("replay", "edit", "--data", "loans.csv", cwd=folder, code=2).stderr
    assert told == "Error: edit/edit.json has a time limit and no steps, so that nobody knows where the edit ended.\n"


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        (
            "--evaluate",
            "1",
            "--evaluate is probes, active, published, printed or a number between 0 and 1, and not '1'.",
        ),
        (
            "--evaluate",
            "probe",
            "--evaluate is probes, active, published, printed or a number between 0 and 1, and not 'probe'.",
        ),
        ("--agreement-weight", "nan", "--agreement-weight is coverage or a number from 0 to 1, and not 'nan'."),
        ("--agreement-weight", "1.5", "--agreement-weight is coverage or a number from 0 to 1, and not '1.5'."),
        ("--scoring", "f1_weigthed", "scikit-learn has no scorer 'f1_weigthed'. Did you mean 'f1_weighted'"),
        ("--k", "0", "Invalid value for '--k': 0 is not in the range x>=1."),
        ("--weak-share", "2", "Invalid value for '--weak-share': 2.0 is not in the range 0<=x<=1."),
        ("--time-limit", "inf", "--time-limit is a number such as 0.5, and not inf."),
    ],
)
def test_values_that_cannot_be(folder, call, option, value, told):
    done = call("edit", *GIVEN, option, value, "--out", "edit", cwd=folder, code=2)
    assert told in done.stderr
    assert not (folder / "edit").exists()


def test_rules_in_the_model_have_no_such_search(folder, call):
    given = ("edit", *GIVEN, "--how", "anchored", "--out", "edit")
    told = call(*given, "--weak-share", "0.5", cwd=folder, code=2).stderr
    assert told.startswith("Error: --weak-share is for edits by data: there is no loop that it could change with --how")
