"""``frote edit --pick``: another step of a finished edit, from the command line."""

from __future__ import annotations

import json

import pytest

ORDER = ("--data", "loans.csv", "--target", "decision", "--rules", "clean.rules", "--max-fits", "2")
PICK = ("edit", "--from", "whole", "--data", "loans.csv", "--quiet")


@pytest.fixture
def whole(loans, call, tmp_path):
    """A folder with a finished edit whose loss outside was measured."""
    for name in ("loans.csv", "later.csv", "clean.rules"):
        (tmp_path / name).write_bytes((loans / name).read_bytes())
    call("edit", *ORDER, "--twins", "1", "--out", "whole", "--quiet", cwd=tmp_path)
    return tmp_path


def test_a_step_is_picked_and_replayed(whole, call):
    said = call("edit", "--pick", "1", "--from", "whole", "--data", "loans.csv", "--out", "one", cwd=whole)
    assert f"The report is {'one/report.html'}." in said.stdout
    record = json.loads((whole / "one" / "edit.json").read_text("utf-8"))
    assert record["asked"]["pick"] == 1
    assert len(record["steps"]) == 3
    assert "The same: " in call("replay", "one", "--data", "loans.csv", cwd=whole).stdout
    # What was picked may be replaced, as every edit; what is read may not.
    call(*PICK, "--pick=0", "--out", "one", "--force", cwd=whole)
    assert (
        "is read by the same command" in call(*PICK, "--pick=0", "--out", "whole", "--force", cwd=whole, code=2).stderr
    )


def test_what_cannot_be_picked_is_told_in_one_sentence(whole, call):
    def told(*arguments):
        error = call(*arguments, cwd=whole, code=2).stderr
        assert not (whole / "out").exists()
        return error

    assert "The steps are 0 to 2; those that no other one beats are -1" in told(*PICK, "--pick", "7", "--out", "out")
    assert "Missing option '--pick'" in told(*PICK, "--out", "out")
    assert "Missing option '--from'" in told("edit", "--pick", "1", "--data", "loans.csv", "--out", "out")
    assert "is not the loans.csv of the edit" in told(
        "edit", "--from", "whole", "--pick", "1", "--data", "later.csv", "--out", "out"
    )
    call("edit", *ORDER, "--out", "plain", "--quiet", cwd=whole)
    assert "keeps no steps to pick from" in told(
        "edit", "--from", "plain", "--pick", "1", "--data", "loans.csv", "--out", "out"
    )


def test_help_says_how(call, tmp_path):
    said = call("edit", "--help", cwd=tmp_path).stdout
    assert "--pick STEP" in said
    assert "--from" in said
