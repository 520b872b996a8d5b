"""Columns of numbers and dates in disguise are told of by name, and read as numbers where that is asked for."""

from __future__ import annotations

import pandas as pd
import pytest

import frote
from frote.files import read_table


@pytest.fixture
def folder(tmp_path):
    """A table with columns in disguise, and rules."""
    rows = range(60)
    table = pd.DataFrame(
        {
            "age": [20 + row % 40 for row in rows],
            "income": [f"${1000 * row:,}" for row in rows],
            "rate": [f"{row % 7 + 0.5}%" for row in rows],
            "since": [f"{row % 28 + 1}-Jan-2021" for row in rows],
            "limit": [f"{1000 + row:,}" for row in rows],
            "band": ["18-25", "26-40", "40+"] * 20,
            "decision": ["no", "yes", "yes"] * 20,
        }
    )
    table.to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "policy.rules").write_text("young: IF age < 25 THEN yes\n")
    return tmp_path


def test_they_are_told_of_by_name_once_with_the_way_out(folder, call):
    given = ("--data", "data.csv", "--target", "decision", "--rules", "policy.rules")
    told = call("preview", *given, cwd=folder).stderr.splitlines()
    start = "data.csv: column {!r} is taken for categories, and seems to hold {}, such as {!r}. If so: {}; "
    assert [line for line in told if line.startswith("data.csv: ")] == [
        start.format("income", "numbers", "$0", "--numeric income") + "if not: --categorical income",
        start.format("rate", "numbers", "0.5%", "--numeric rate") + "if not: --categorical rate",
        start.format("since", "dates", "1-Jan-2021", "write them as 2021-01-31") + "if not: --categorical since",
        "data.csv: so are 1 columns more.",
    ]
    more = ("--categorical", "since,limit", "--numeric", "income,rate")
    assert "is taken for" not in call("preview", *given, *more, cwd=folder).stderr
    (folder / "rich.rules").write_text("rich: IF income >= 30000 AND rate < 5 THEN yes\n")
    call("check", *given[:4], "--rules", "rich.rules", *more, cwd=folder)


def test_numbers_in_disguise_are_read_where_numbers_are_asked_for(folder):
    frame = read_table(folder / "data.csv", numeric=["income", "rate", "limit"]).frame
    assert frame["income"].tolist() == [1000.0 * row for row in range(60)]
    assert frame["rate"].tolist() == [row % 7 + 0.5 for row in range(60)]
    assert frame["limit"].tolist() == [1000.0 + row for row in range(60)]
    assert read_table(folder / "data.csv").frame["income"].dtype == "category"


def test_check_tells_of_texts_but_not_of_what_was_made_categories():
    rules = frote.parse_rules("young: IF age < 25 THEN yes")
    X = pd.DataFrame({"age": [20, 30, 40], "income": ["$50,000", "$9", "$1"], "job": ["a", "b", "c"]})
    told = [line for line in rules.check(X).advice if "seems to hold" in line]
    assert told == [
        "Column 'income' is taken for categories, and seems to hold numbers, such as '$1'. If so, convert it first."
    ]
    assert not any("seems to hold" in line for line in rules.check(X.astype({"income": "category"})).advice)
