"""New categories: the majority of the neighbours, the levels that a rule allows, and how often they are drawn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import frote
from frote.generation.levels import LevelColumn
from frote.table import Table


def column(values, dtype=None):
    return LevelColumn.of(Table.from_frame(pd.DataFrame({"a": pd.Series(values, dtype=dtype)})), "a")


def condition(text):
    (rule,) = frote.parse_rules(f"IF {text} THEN yes")
    return rule.clause["a"]


def majority(made, around, base, text=None, seed=0):
    """Return the levels made from neighbours and bases that are given as levels, None where missing."""
    code = {level: place for place, level in enumerate(made.column.levels)} | {None: -1}
    codes = np.array([[code[level] for level in row] for row in around])
    bases = np.array([code[level] for level in base])
    allowed = None if text is None else made.allowed(condition(text))
    found = made.majority(codes, bases, allowed, np.random.default_rng(seed))
    return [None if place < 0 else made.column.levels[place] for place in found]


LETTERS = column(list("aaabbc"))


def test_the_most_frequent_among_the_neighbours():
    around = [["a", "b", "b"], ["c", "c", "a"], ["a", None, None]]
    assert majority(LETTERS, around, ["a", "a", "b"]) == ["b", "c", "a"]


def test_the_base_where_no_neighbour_has_a_value():
    assert majority(LETTERS, [[None, None], [None, None]], ["b", None]) == ["b", None]


def test_equally_frequent_ones_by_chance():
    found = majority(LETTERS, [["a", "b", "c", "c", "b"]] * 400, ["a"] * 400)
    assert found.count("a") == 0
    assert found.count("b") == pytest.approx(200, abs=50)


def test_the_most_frequent_that_the_rule_allows():
    around = [["a", "a", "b"], ["c", "c", "b"]]
    assert majority(LETTERS, around, ["a", "a"], "a != a") == ["b", "c"]
    assert majority(LETTERS, around, ["a", "a"], "a IN {a, b}") == ["a", "b"]


def test_else_drawn_by_how_often_they_occur():
    found = majority(LETTERS, [["c", "c"]] * 600, ["c"] * 600, "a IN {a, b}")
    assert found.count("a") == pytest.approx(360, abs=50)
    assert found.count("b") == pytest.approx(240, abs=50)


def test_levels_that_never_occur_are_drawn_evenly_and_only_if_no_other_is_allowed():
    made = column(pd.Categorical(["x", "y"], categories=["new", "x", "newer", "y"]))
    found = majority(made, [["y", "y"]] * 400, ["y"] * 400, "a IN {new, newer}")
    assert found.count("new") == pytest.approx(200, abs=50)
    assert set(found) == {"new", "newer"}
    assert set(majority(made, [["y", "y"]] * 50, ["y"] * 50, "a IN {new, x}")) == {"x"}


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


def test_truth_values():
    made = column([True, True, False], "boolean")
    assert majority(made, [[True, True], [None, False]], [True, True], "a = false") == [False, False]
    assert majority(made, [[True, True], [None, False]], [True, True]) == [True, False]


def test_a_column_without_a_value():
    made = LevelColumn.of(Table.from_frame(pl.DataFrame({"a": pl.Series([None, None], dtype=pl.String)})), "a")
    assert majority(made, [[None, None]], [None]) == [None]
    assert made.allowed(condition("a = x")) is None
    assert majority(made, [[None, None]], [None], "a IS MISSING") == [None]


def test_codes_are_of_the_columns_type_and_missing_ones_marked():
    filled = LETTERS.filled(np.array([0, 2]), np.array([False, True]))
    assert filled.values.dtype == np.int8
    assert filled.values.tolist() == [0, -1]
    assert filled.missing.tolist() == [False, True]
