"""The check of a rule set, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier

import frote
from frote.exceptions import BindingError, ModelError, TableError
from frote.rules import Clause, Outcome, Rule, RuleSet

X = pd.DataFrame(
    {
        "age": pd.array([20, 25, 30, 40, None, 28], dtype="Int64"),
        "pay": [1.5, 9.0, np.nan, 20.0, 30.0, 5.0],
        "job": pd.Categorical(["clerk", "nurse", "clerk", None, "nurse", "clerk"]),
    }
)
Y = ["yes", "no", "no", "no", "yes", "yes"]

RULES = frote.parse_rules("""
    young: IF age < 29 THEN yes
    poor: IF pay < 10 THEN no WITH CONFIDENCE 0.8
    either: IF age < 25 OR job = nurse THEN yes
    kids: IF age < 21 THEN yes
    between: IF age > 28 AND age < 29 THEN no
    clerks: IF job = clark OR NOT (pay > 0) THEN no
    far: IF pay > 1000 THEN {yes: 0.5, no: 0.5}
""")


def model(constant, classes=("no", "yes")):
    return DummyClassifier(strategy="constant", constant=constant).fit(np.zeros((len(classes), 1)), list(classes))


# Rows by hand, from 0: young 0 1 5, poor 0 1 5, either 0 1 4, kids 0, clerks 2 (pay missing), far none.
WORKED = {
    "outcome": ["yes", "no WITH CONFIDENCE 0.8", "yes", "yes", "no", "no", "{no: 0.5, yes: 0.5}"],
    "rows": [3, 3, 3, 1, 0, 1, 0],
    "share": [3 / 6, 3 / 6, 3 / 6, 1 / 6, 0, 1 / 6, 0],
    "overlap": [3, 3, 2, 1, 0, 0, 0],
    "conflicts": [
        ("poor", "clerks", "far"),
        ("young", "either", "kids", "clerks"),
        ("poor", "clerks", "far"),
        ("poor", "clerks", "far"),
        (),
        ("young", "poor", "either", "kids"),
        ("young", "either", "kids"),
    ],
    "conflict_rows": [3, 3, 2, 1, 0, 0, 0],
    "implied_by": ["", "", "", "young", "", "", ""],
    "possible": [True, True, True, True, False, True, True],
    # Row 4 has no age and is a nurse; row 2 has no pay.
    "missing_in": [0, 0, 1, 0, 0, 1, 0],
    # Row 4 might be young, or a kid; row 2 might be poor or far; row 3 might be a nurse. No value makes row 4 come
    # between, nor row 3 a clark.
    "missing_out": [1, 1, 1, 1, 0, 0, 1],
    "labels": [
        {"yes": 2, "no": 1},
        {"yes": 2, "no": 1},
        {"yes": 2, "no": 1},
        {"yes": 1},
        {},
        {"no": 1},
        {},
    ],
    "contradicted": [1, 0, 1, 0, 0, 0, 0],
    # poor: twice the row's own other label (0.2), once the class itself (0.8).
    "agreement": [2 / 3, (0.2 + 0.8 + 0.2) / 3, 2 / 3, 1, math.nan, 1, math.nan],
    # The model says no.
    "model_agreement": [0, 0.8, 0, 0, math.nan, 1, math.nan],
}


def test_worked_example():
    check = RULES.check(X, Y, model("no"))
    assert check.frame.index.tolist() == list(RULES.origins)
    assert check.frame.columns.tolist() == list(WORKED)
    for column, expected in WORKED.items():
        found = check.frame[column].tolist()
        if "agreement" in column or column == "share":
            assert found == pytest.approx(expected, nan_ok=True), column
        else:
            assert found == expected, column
    assert (check.rows, check.covered) == (6, 5)
    assert not check.ok
    assert len(check.conflicts) == 13  # pairs of pieces


def test_advice():
    advice = RULES.check(X, Y, model("no")).advice
    assert advice[0] == (
        "young (yes) and poor (no WITH CONFIDENCE 0.8) conflict where age < 29 AND pay < 10, "
        "for example age=28, pay=0 (3 rows)."
    )
    assert advice[5:] == [
        "8 more pairs conflict; see `conflicts`.",
        'Resolve conflicts with rules.resolve("exclude"), "mix" or "priority".',
        "kids: young says the same of all that it covers; it can go.",
        "between: no row can satisfy it: column 'age' holds whole numbers, and none of them is so.",
        "clerks: one of its alternatives can never hold in these columns.",
        "far: covers no row, so what it wants must be learned from synthetic rows alone. "
        "No row has pay > 1000: the values of 'pay' go from 1.5 to 30.",
        "clerks: job never holds 'clark'. Did you mean 'clerk'?",
        "Labels that a rule rules out, to be relabelled or dropped, are in young (1), either (1).",
        "A value that a condition asks for is missing in rows covered by either (1), clerks (1).",
        "Only a missing value keeps rows out of young (1), poor (1), either (1), kids (1), far (1); "
        "OR ... IS MISSING would cover them.",
    ]


def test_printed():
    rules = frote.parse_rules("""
        young: IF age < 29 THEN yes
        poor: IF pay < 10 THEN no
        old: IF age > 99 THEN no
    """)
    printed = """
3 rules cover 3 of 6 rows (50.0%).

rule   outcome  rows  share  overlap  data agrees  model agrees  labels in coverage  notes
young  yes         3  50.0%        3        66.7%        100.0%  yes 2, no 1         conflicts with poor
poor   no          3  50.0%        3        33.3%          0.0%  yes 2, no 1         conflicts with young
old    no          0   0.0%        0
"""
    text = str(rules.check(X, Y, model("yes")))
    assert text.startswith(printed.strip("\n") + "\n\n- young (yes) and poor (no) conflict where")
    assert repr(rules.check(X, Y, model("yes"))) == text
    assert max(map(len, text.splitlines())) <= 120


def test_printed_without_labels_and_model():
    assert str(frote.parse_rules("young: IF age < 29 THEN yes").check(X.dropna())) == (
        "1 rule covers 3 of 3 rows (100.0%).\n"
        "\n"
        "rule   outcome  rows   share  overlap\n"
        "young  yes         3  100.0%        0\n"
        "\n"
        "- young: covers every row."
    )


def test_without_labels():
    frame = RULES.check(X).frame
    assert frame["labels"].tolist() == [{}] * 7
    assert frame["contradicted"].tolist() == [0] * 7
    assert frame["agreement"].isna().all()
    assert frame["model_agreement"].isna().all()
    for column in ("rows", "conflicts", "implied_by", "possible", "missing_in", "missing_out"):
        assert frame[column].tolist() == WORKED[column]


def test_model_without_labels():
    """Where own labels are unknown, what a confidence leaves over is shared by the other classes."""
    rules = frote.parse_rules("poor: IF pay < 10 THEN no WITH CONFIDENCE 0.8")
    classes = ("maybe", "no", "yes")
    for constant, expected in (("no", 0.8), ("yes", 0.1)):
        check = rules.check(X, model=model(constant, classes))
        assert check.frame.loc["poor", "model_agreement"] == pytest.approx(expected)


def test_a_model_of_the_callers_frame():
    """The model gets the frame as it was passed."""
    seen = []

    class Remembers:
        def predict(self, frame):
            seen.append(frame)
            return ["yes"] * len(frame)

    for frame in (X, pl.from_pandas(X)):
        assert RULES.check(frame, Y, Remembers()).frame.loc["young", "model_agreement"] == 1
        assert type(seen[-1]) is type(frame)
        assert seen.pop().equals(frame)


def test_classes_that_are_numbers():
    rules = frote.parse_rules("IF pay < 10 THEN 1")
    check = rules.check(X, [1, 0, 0, 0, 1, 1], DummyClassifier().fit(np.zeros((6, 1)), [1, 1, 1, 0, 1, 1]))
    assert check.frame["agreement"].tolist() == pytest.approx([2 / 3])
    assert check.frame["model_agreement"].tolist() == [1]
    assert check.frame["labels"].tolist() == [{"1": 2, "0": 1}]


def test_redundant_by_the_pieces_of_one_rule_together():
    rules = frote.parse_rules("""
        wide: IF age < 30 OR pay < 10 THEN yes
        poor: IF pay < 10 THEN yes
        poor no: IF pay < 10 THEN no
        poor again: IF pay < 5 THEN no
    """)
    assert rules.check(X).frame["implied_by"].tolist() == ["", "wide", "", "poor no"]


def test_redundant_by_what_the_columns_can_hold():
    rules = frote.parse_rules("""
        a: IF age >= 29 THEN yes
        b: IF age > 28 THEN yes
        c: IF job IN {clerk, nurse} THEN no
        d: IF job != 'pilot' THEN no
        e: IF job = 'pilot' THEN no
    """)
    check = rules.check(X)
    assert check.frame["implied_by"].tolist() == ["", "a", "", "c", ""]
    assert check.frame["possible"].tolist() == [True, True, True, True, False]


def test_words_and_digits_of_truth_values():
    rules = frote.parse_rules("a: IF member = 1 THEN yes\nb: IF member = true THEN yes\nc: IF member != 0 THEN no")
    check = rules.check(pd.DataFrame({"member": [True, False, True]}))
    assert check.frame["implied_by"].tolist() == ["", "a", ""]
    assert check.frame["conflicts"].tolist() == [("c",), ("c",), ("a", "b")]
    assert check.frame["rows"].tolist() == [2, 2, 2]


def test_unseen_categories():
    rules = frote.parse_rules("""
        a: IF job IN {clerc, nurse} THEN yes
        b: IF job != 'astronaut' AND pay > 0 THEN yes
    """)
    advice = rules.check(X).advice
    assert "a: job never holds 'clerc'. Did you mean 'clerk'?" in advice
    assert "b: job never holds 'astronaut'. Known: 'clerk', 'nurse'." in advice


def test_everything():
    rules = RuleSet([Rule("all", Clause(), Outcome.of("yes"))])
    check = rules.check(X, Y)
    assert check.ok
    assert (check.rows, check.covered) == (6, 6)
    assert check.frame.loc["all", ["rows", "share", "overlap", "missing_in", "missing_out"]].tolist() == [6, 1, 0, 0, 0]
    assert "all: covers every row." in check.advice


def test_no_rules():
    for check in (RuleSet().check(X), RuleSet().check(X, Y, model("no"))):
        assert check.ok
        assert check.frame.columns.tolist() == list(WORKED)
        assert (len(check.frame), check.frame.index.name) == (0, "rule")
        assert (check.advice, check.conflicts, check.covered) == ([], [], 0)
        assert str(check) == "0 rules cover 0 of 6 rows (0.0%).\n\n(no rules)"


def test_no_rows():
    check = RULES.check(X.iloc[:0])
    assert check.frame["rows"].tolist() == [0] * 7
    assert check.frame["share"].isna().all()
    assert check.frame["conflicts"].tolist() == WORKED["conflicts"]
    assert str(check).startswith("7 rules cover 0 of 0 rows (none).\n")


def test_faults():
    with pytest.raises(BindingError, match=r"'yes' is no class of the data\. Did you mean 'yess'"):
        frote.parse_rules("IF age < 29 THEN yes").check(X, ["yess", "no"] * 3)
    with pytest.raises(BindingError, match="the data have no column 'agee'"):
        frote.parse_rules("IF agee < 29 THEN yes").check(X)
    with pytest.raises(TableError, match="y has 2 labels for 6 rows"):
        RULES.check(X, ["yes", "no"])

    class Short:
        def predict(self, _):
            return ["yes"]

    with pytest.raises(ModelError, match=r"^predict of Short gave 1 label for 6 rows\."):
        RULES.check(X, Y, Short())


def test_input_is_left_alone():
    before = X.copy(deep=True)
    RULES.check(X, Y, model("no"))
    pd.testing.assert_frame_equal(X, before)


def test_texts_that_seem_to_be_numbers_are_told_with_one_of_them():
    rules = frote.parse_rules("IF age < 29 THEN yes")
    frame = X.assign(fee=["$10", "$25", "$10", "$1,200", "$25", "$7"], code=["a-1", "a-2", "a-3", "a-1", "a-2", "a-3"])
    told = [line for line in rules.check(frame).advice if "taken for categories" in line]
    assert told == [
        "Column 'fee' is taken for categories, and seems to hold numbers, such as '$1,200'. If so, convert it first."
    ]


def test_rules_that_overlap_too_much_to_look_for_redundant_ones(monkeypatch):
    rules = frote.parse_rules("a: IF age < 30 THEN yes\nb: IF age < 25 AND pay < 9 THEN yes")
    assert rules.check(X).frame["implied_by"].tolist() == ["", "a"]
    monkeypatch.setattr("frote.rules.work.MOST_STEPS", 4)
    monkeypatch.setattr("frote.rules.work.STEPS_PER_CHARACTER", 0)
    check = rules.check(X)
    assert check.frame["implied_by"].tolist() == ["", ""]
    assert "So many rules overlap that it was not looked into whether some say what others say already." in check.advice


def test_values_out_of_reach_are_told_of_the_first_piece_and_column_and_only_if_no_piece_can_be_met():
    frame = pd.DataFrame({"ratio": [0.2, 0.9], "age": [20, 30]})
    told = "covers no row, so what it wants must be learned from synthetic rows alone."
    rules = frote.parse_rules("""
        both: IF age > 60 AND ratio > 45 THEN no
        either: IF ratio > 45 OR age > 60 THEN no
        one: IF ratio > 45 OR (age > 25 AND ratio < 0.5) THEN no
    """)
    assert rules.check(frame).advice[-3:] == [
        f"both: {told} No row has age > 60: the values of 'age' go from 20 to 30.",
        f"either: {told} No row has ratio > 45: the values of 'ratio' go from 0.2 to 0.9.",
        f"one: {told}",
    ]
