"""New categories: the majority of the neighbours, the levels that a rule allows, and how often they are drawn."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import frote
from frote.generation.levels import LevelColumn, majority
from frote.table import Table


def column(values, dtype=None):
    return LevelColumn.of(Table.from_frame(pd.DataFrame({"a": pd.Series(values, dtype=dtype)})), "a")


def condition(text):
    (rule,) = frote.parse_rules(f"IF {text} THEN yes")
    return rule.clause["a"]


def most_frequent(made, around, seed=0):
    """Return the most frequent of neighbours that are given as levels, None where missing."""
    code = {level: place for place, level in enumerate(made.column.levels)} | {None: -1}
    codes = np.array([[code[level] for level in row] for row in around])
    ties = np.random.default_rng(seed).random((len(codes), len(made.column.levels)))
    return [None if place < 0 else made.column.levels[place] for place in majority(codes, codes >= 0, [ties])]


LETTERS = column(list("aaabbc"))


def test_the_most_frequent_among_the_neighbours():
    assert most_frequent(LETTERS, [["a", "b", "b"], ["c", "c", "a"], ["a", None, None]]) == ["b", "c", "a"]


def test_none_where_no_neighbour_has_a_value():
    assert most_frequent(LETTERS, [[None, None], ["b", None]]) == [None, "b"]


def test_equally_frequent_ones_by_chance():
    found = most_frequent(LETTERS, [["a", "b", "c", "c", "b"]] * 400)
    assert found.count("a") == 0
    assert found.count("b") == pytest.approx(200, abs=50)


@given(st.data())
@settings(max_examples=examples(250))
def test_columns_together_as_in_plain_python(data):
    near = data.draw(st.integers(1, 5))
    widths = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    around, ties, expected = [], [], []
    for width in widths:
        rows = data.draw(st.integers(0, 4))
        codes = st.lists(st.integers(-1, width - 1), min_size=near, max_size=near)
        around += data.draw(st.lists(codes, min_size=rows, max_size=rows))
        chances = np.random.default_rng(data.draw(st.integers(0, 9))).random((rows, width))
        ties.append(chances)
        for row, chance in zip(around[len(around) - rows :], chances, strict=True):
            votes = Counter(code for code in row if code >= 0)
            expected.append(max(votes, key=lambda code: (votes[code], chance[code]), default=-1))
    codes = np.array(around, dtype=np.int8).reshape(-1, near)
    assert majority(codes, codes >= 0, ties).tolist() == expected


def test_drawn_by_how_often_they_occur():
    found = LETTERS.draw(600, LETTERS.allowed(condition("a IN {a, b}")), np.random.default_rng(0)).tolist()
    assert found.count(0) == pytest.approx(360, abs=50)
    assert found.count(1) == pytest.approx(240, abs=50)


def test_levels_that_never_occur_are_drawn_evenly_and_only_if_no_other_is_allowed():
    made = column(pd.Categorical(["x", "y"], categories=["new", "x", "newer", "y"]))
    found = made.draw(400, made.allowed(condition("a IN {new, newer}")), np.random.default_rng(0)).tolist()
    assert found.count(0) == pytest.approx(200, abs=50)
    assert set(found) == {0, 2}
    assert set(made.draw(50, made.allowed(condition("a IN {new, x}")), np.random.default_rng(0))) == {1}


def test_levels_that_the_column_does_not_have():
    assert LETTERS.allowed(condition("a = zz")) is None
    assert LETTERS.allowed(condition("a IN {zz, b}")).codes.tolist() == [1]


@pytest.mark.parametrize(
    ("dtype", "nullable"), [("bool", False), ("boolean", True), ("str", True), ("category", True), (object, True)]
)
def test_missing_only_where_the_type_holds_it(dtype, nullable):
    values = [True, False] if dtype in ("bool", "boolean") else ["x", "y"]
    found = column(values, dtype).allowed(condition("a IS MISSING"))
    assert (found is not None) == nullable
    if nullable:
        assert found.missing
        assert not len(found.codes)


def test_which_levels_are_allowed():
    made = column([True, True, False], "boolean")
    assert made.allowed(condition("a = false")).inside.tolist() == [True, False, False]  # the last one for missing
    assert LETTERS.allowed(condition("a != a")).inside.tolist() == [False, True, True, False]


def test_a_column_without_a_value():
    made = LevelColumn.of(Table.from_frame(pl.DataFrame({"a": pl.Series([None, None], dtype=pl.String)})), "a")
    assert most_frequent(made, [[None, None]]) == [None]
    assert made.allowed(condition("a = x")) is None
    assert made.allowed(condition("a IS MISSING")).only_missing


def test_codes_are_of_the_columns_type_with_a_filler_where_missing():
    stored = LETTERS.stored(np.array([0, 2]), np.array([False, True]))
    assert stored.dtype == np.int8
    assert stored.tolist() == [0, -1]


def test_whether_there_are_gaps():
    assert column(["a", None]).has_gaps
    assert not column(["a", "b"]).has_gaps
