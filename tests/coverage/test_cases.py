"""Cases: rows with an expected answer, of which the reference row gives what they leave out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier

import frote
from frote.exceptions import TableError, TableWarning

X = pd.DataFrame(
    {
        "age": [20, 30, 30, 70],
        "income": [1.5, np.nan, 9.0, 4.0],
        "city": pd.Categorical(["Ulm", None, "Bonn", "Ulm"]),
        "since": pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01", "2023-01-01"]),
        "member": [True, False, False, False],
        "empty": [None, None, None, None],
    }
)
Y = ["no", "yes", "no", "yes"]
RULES = frote.parse_rules("young: IF age < 29 THEN yes\nold: IF age > 60 THEN no WITH CONFIDENCE 0.4")


def cases(**columns):
    return frote.Cases.of(pd.DataFrame(columns), X, Y)


def test_the_reference_row_has_lower_medians_and_most_frequent_values():
    made = cases(expected=["yes", "no"], member=[True, False])
    row = made.rows.frame.iloc[1]
    assert (row["age"], row["income"], row["city"], row["since"]) == (30, 4.0, "Ulm", pd.Timestamp("2021-01-01"))
    assert pd.isna(row["empty"])
    assert made.rows.frame["member"].tolist() == [True, False]
    assert made.filled == ("age", "income", "city", "since", "empty")
    assert made.rows.table.schema == frote.Table.from_frame(X).schema


@pytest.mark.parametrize("data", [pl.from_pandas(X[["age", "income"]]), X[["age", "income"]].to_numpy()])
def test_data_may_be_of_any_kind(data):
    first = frote.Table.from_frame(data).schema.names[0]
    made = frote.Cases.of(pd.DataFrame({first: [25], "expected": ["yes"]}), data, Y)
    assert made.rows.table.schema.names == frote.Table.from_frame(data).schema.names


def test_rules_answer_where_they_are_surer_than_not():
    report = cases(name=["a", "b", "c"], age=[20, 70, 40], expected=["no", "no", "yes"], why=["x", None, "z"]).by_rules(
        RULES
    )
    assert report.frame["answer"].tolist() == ["yes", None, None]
    assert report.frame["rule"].tolist() == ["young", "old", None]
    assert report.frame["why"].tolist() == ["x", "", "z"]
    assert report.broken == ["a"]
    assert not report.ok
    assert str(report).startswith("0 of 1 case answered as expected; no rule speaks of 2 cases.")
    assert "<table" in report._repr_html_()


def test_a_model_answers_every_case_and_labels_match_by_their_text():
    model = DummyClassifier(strategy="constant", constant=1).fit(X[["age"]], [0, 1, 0, 1])
    made = frote.Cases.of(pd.DataFrame({"age": [20, 70], "expected": ["1", "0"]}), X[["age"]], [0, 1, 0, 1])
    report = made.by_model(model)
    assert report.frame["holds"].tolist() == [True, False]
    assert report.broken == ["case 2"]
    assert report.frame["expected"].tolist() == [1, 0]  # as the data have them


def test_a_column_of_the_data_comes_before_one_of_the_case():
    data = pd.DataFrame({"name": ["Ann", "Bob"], "age": [1, 2]})
    made = frote.Cases.of(pd.DataFrame({"name": ["Bob"], "case name": ["b"], "expected": ["no"]}), data, ["no", "yes"])
    assert made.names == ("b",)
    assert made.rows.frame["name"].tolist() == ["Bob"]
    # Written alike for all three, also where the data have one of them alone.
    frame = pd.DataFrame({"name": ["Bob"], "case name": ["b"], "case expected": ["no"], "case why": ["so"]})
    made = frote.Cases.of(frame, data, ["no", "yes"])
    assert (made.names, made.expected, made.why) == (("b",), ("no",), ("so",))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"age": []}, "cases has no case. Write one in each line."),
        ({"age": [1], "expect": ["yes"]}, "cases has no column 'expected', the label that a case is to get. Did you"),
        ({"age": [1], "expected": [None]}, "cases: 'case 1' expects nothing. Write the label that it is to get."),
        ({"age": [1], "expected": ["yess"]}, "expects 'yess', which is no label of the data. Did you mean 'yes'?"),
        ({"aeg": [1], "expected": ["yes"]}, "has a column 'aeg', and the data have none. Did you mean 'age'?"),
        ({"name": ["a", "a"], "expected": ["yes", "no"]}, "two cases that are called 'a'. Call each of them otherwise"),
        ({"age": ["x"], "expected": ["yes"]}, "age"),
    ],
)
def test_what_is_no_case_is_told(columns, said):
    with pytest.raises(TableError, match=said):
        cases(**columns)


def test_any_label_may_be_expected_where_the_data_have_none():
    made = frote.Cases.of(pd.DataFrame({"age": [20], "expected": ["maybe"]}), X)
    assert made.expected == ("maybe",)


def test_a_level_that_the_data_do_not_have_is_told():
    """It may be misspelt, and then the case is of nothing that anybody asked about."""
    data = pd.DataFrame({"channel": ["branch", "online"], "age": [30, 40]})
    frame = pd.DataFrame({"channel": ["brnch", "online"], "expected": ["no", "no"]})
    with pytest.warns(TableWarning, match="cases: column 'channel' has 'brnch', which the data do not have. Did you"):
        made = frote.Cases.of(frame, data)
    report = made.by_rules(frote.parse_rules("IF channel = branch THEN yes"))
    assert str(report).startswith("No rule speaks of any of 2 cases.")
