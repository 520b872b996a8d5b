"""What a table holds or is named, as people spell it: texts that differ in capitals or blanks, columns named self."""

from __future__ import annotations

import pandas as pd
import pytest

GIVEN = ("--data", "data.csv", "--rules", "policy.rules")


@pytest.fixture
def folder(tmp_path):
    """A table with a column named self, labels of several spellings, and rules."""
    table = pd.DataFrame(
        {
            "age": [20 + row % 40 for row in range(60)],
            "self": ["no", "yes", "yes"] * 20,
            "job": ["a", "b", "A b"] * 20,
            "decision": ["no", "yes", "yes"] * 19 + ["NO", "yes ", "no"],
        }
    )
    table.to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "policy.rules").write_text("young: IF age < 25 THEN yes\n")
    return tmp_path


def test_texts_that_differ_only_in_capitals_or_blanks_are_told_of(folder, call):
    told = call("check", *GIVEN, "--target", "decision", cwd=folder).stderr
    assert told.splitlines() == [
        "data.csv: column 'decision' holds 'NO' and 'no', which differ only in capitals or blanks and are taken for "
        "different ones. Write them alike if they mean the same."
    ]


@pytest.mark.parametrize("more", [("--target", "self"), ("--target", "decision", "--levels", "self=perhaps")])
def test_a_column_may_be_named_self(folder, call, more):
    call("edit", *GIVEN, *more, "--max-fits", 1, "--out", "out", cwd=folder)
    assert "self" in pd.read_csv(folder / "out" / "augmented.csv").columns


def test_one_class_left_is_told_in_words_of_the_command_line(folder, call):
    (folder / "all.rules").write_text("all: IF age > 0 THEN yes\n")
    given = ("--data", "data.csv", "--rules", "all.rules", "--target", "self", "--out", "out")
    told = call("edit", *given, cwd=folder, code=2).stderr
    assert "After --modify relabel, rows of one class only are left to train on." in told
    assert told.endswith("Look at what the rules cover with frote check, or add --modify none.\n")
