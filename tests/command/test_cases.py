"""Cases on the command line: what rules or a model answer to them, and exit code 1 if one is answered otherwise."""

from __future__ import annotations

import json

import pytest

CASES = """name,age,defaults,expected,why
young and clean,25,0,approved,the new policy
many defaults,50,4,denied,
"""


@pytest.fixture
def cases(tmp_path):
    def write(text=CASES):
        path = tmp_path / "cases.csv"
        path.write_text(text, "utf-8")
        return path

    return write


def test_check_says_what_the_rules_answer(cases, loans, call):
    given = ("check", "--data", "loans.csv", "--rules", "clean.rules", "--cases")
    for more in ((), ("--target", "decision")):
        said = call(*given, cases(), *more, cwd=loans).stdout
        assert "2 of 2 cases answered as expected." in said
        assert "From the reference row: income, " in said
    wrong = cases(CASES.replace("approved", "denied"))
    answer = json.loads(call(*given, wrong, "--json", cwd=loans, code=1).stdout)
    assert not answer["ok"]
    assert answer["cases"][0] == {
        "case": "young and clean",
        "expected": "denied",
        "answer": "approved",
        "holds": False,
        "rule": "young",
        "why": "the new policy",
    }
    assert "age" not in answer["from_reference_row"]


def test_score_and_check_say_what_a_model_answers(cases, edited, call):
    folder, _ = edited
    given = ("--data", "later.csv", "--target", "decision", "--rules", "clean.rules", "--load", "edit/model.skops")
    answer = json.loads(call("score", *given, "--cases", cases(), "--json", cwd=folder).stdout)
    assert [line["holds"] for line in answer["cases"]] == [True, True]
    wrong = cases(CASES.replace("approved", "denied"))
    for command in ("score", "check"):
        assert (
            "1 of 2 cases answered as expected." in call(command, *given, "--cases", wrong, cwd=folder, code=1).stdout
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("age,expect\n1,approved\n", "has no column 'expected'"),
        ("age,expected\n1,aproved\n", "expects 'aproved', which is no label of the data. Did you mean 'approved'?"),
        ("agee,expected\n1,approved\n", "has a column 'agee', and the data have none. Did you mean 'age'?"),
        ("age,expected\nold,approved\n", "age"),
        ("expected\n", "no"),
    ],
)
def test_what_is_no_case_is_told_in_one_sentence(text, said, cases, loans, call):
    given = ("check", "--data", "loans.csv", "--rules", "clean.rules", "--target", "decision", "--cases", cases(text))
    told = call(*given, cwd=loans, code=2).stderr
    assert said in told
    assert "Traceback" not in told


def test_names_that_are_numbers_are_names(cases, loans, call):
    given = ("check", "--data", "loans.csv", "--rules", "clean.rules", "--json", "--cases")
    answer = json.loads(call(*given, cases("name,age,expected\n007,25,approved\n8,70,denied\n"), cwd=loans).stdout)
    assert [line["case"] for line in answer["cases"]] == ["007", "8"]


def edit(cases, out, *more):
    given = ("--data", "loans.csv", "--target", "decision", "--rules", "clean.rules", "--max-fits", "1")
    return ("edit", *given, "--out", out, "--cases", cases, *more)


def test_an_edit_tells_of_its_cases_everywhere_and_is_repeated_with_them(cases, loans, call, tmp_path):
    out = tmp_path / "edit"
    wrong = CASES + "an odd wish,25,0,denied,nobody knows\n007,40,0,approved,\n"
    said = call(*edit(cases(wrong), out), cwd=loans).stdout
    assert "Answered otherwise than expected: “an odd wish” (approved, not denied)." in " ".join(said.split())
    report = json.loads((out / "report.json").read_text("utf-8"))
    lines = {line["name"]: line for line in report["cases"]["lines"]}
    assert [line["holds"] for line in lines.values()][:3] == [True, True, False]
    assert lines["an odd wish"]["rule"] == "young"
    assert "007" in lines
    record = json.loads((out / "edit.json").read_text("utf-8"))
    assert record["cases"]["of"] == 4
    assert record["cases"]["hold"] == sum(line["holds"] for line in lines.values())
    assert f"{record['cases']['hold']} after." in said
    assert "cases.csv" in record["files"]
    page = (out / "report.html").read_text("utf-8")
    assert "nobody knows" in page
    assert "✗ approved" in page
    (tmp_path / "cases.csv").unlink()  # what is needed is in the record
    assert "The same: " in call("replay", out, "--data", "loans.csv", cwd=loans).stdout


def test_cases_that_must_hold_and_do_not_leave_nothing_behind(cases, loans, call, tmp_path):
    out = tmp_path / "edit"
    call(*edit(cases(), out, "--cases-must-hold"), cwd=loans)
    wrong = cases(CASES.replace("approved", "denied"))
    told = call(*edit(wrong, tmp_path / "other", "--cases-must-hold"), cwd=loans, code=2).stderr
    assert "answers 1 case otherwise than expected, first 'young and clean': approved, and not denied." in told
    assert not (tmp_path / "other").exists()
    told = call(*edit(cases(), out)[:-2], "--cases-must-hold", cwd=loans, code=2).stderr
    assert "--cases-must-hold needs cases" in told


def test_a_wrong_case_is_told_before_anything_is_trained_and_by_the_name_of_its_file(cases, loans, call, tmp_path):
    told = call(*edit(cases("age,expected\n1,maybe\n"), tmp_path / "edit"), cwd=loans, code=2).stderr
    assert "expects 'maybe', which is no label of the data" in told
    assert str(tmp_path / "cases.csv") in told
