"""Literals of a table of every kind of column."""

from __future__ import annotations

import numpy as np
import pandas as pd

from frote import Clause, Table
from frote.explain.literals import Literals


def texts(X, thresholds=9):
    return [str(Clause.of([literal])) for literal in Literals.of(Table.from_frame(X), thresholds).conditions]


def test_thresholds_both_ways_at_quantiles_that_occur():
    assert texts(pd.DataFrame({"x": [1.5, 2.5, 3.5, 4.5]}), 3) == [
        *("x <= 1.5", "x > 1.5", "x <= 2.5", "x > 2.5", "x <= 3.5", "x > 3.5"),
    ]


def test_levels_that_occur_with_and_without():
    X = pd.DataFrame({"job": pd.Categorical(["a", "b", "c"], categories=["a", "b", "c", "unused"])})
    assert texts(X) == ["job = 'a'", "job != 'a'", "job = 'b'", "job != 'b'", "job = 'c'", "job != 'c'"]


def test_of_two_levels_each_is_the_negation_of_the_other():
    assert texts(pd.DataFrame({"job": ["a", "b"]})) == ["job = 'a'", "job = 'b'"]
    assert texts(pd.DataFrame({"flag": [True, False]})) == ["flag = false", "flag = true"]


def test_missing_is_a_literal_of_its_own():
    assert texts(pd.DataFrame({"x": [1.0, 2.0, None]}), 1)[-2:] == ["x IS MISSING", "x IS NOT MISSING"]
    X = pd.DataFrame({"job": ["a", "b", None]})
    assert texts(X)[-2:] == ["job IS MISSING", "job IS NOT MISSING"]
    assert "job != 'a'" in texts(X)


def test_dates():
    X = pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"])})
    assert texts(X, 1) == ["day <= 2024-01-02", "day > 2024-01-02"]


def test_constant_and_empty_columns_have_no_literals():
    X = pd.DataFrame({"one": [1, 1], "same": ["a", "a"], "none": [None, None], "gone": [np.nan, np.nan]})
    assert texts(X) == []


def test_evaluation_and_clauses():
    X = pd.DataFrame({"age": [20, 30, 40, None], "job": ["a", "b", "a", "c"]})
    table = Table.from_frame(X)
    literals = Literals.of(table, 1)
    met = literals.evaluate(table)
    assert met.shape == (4, len(literals.conditions))
    for place, literal in enumerate(literals.conditions):
        clause = Clause.of([literal])
        expected = [
            all((None if pd.isna(row[name]) else row[name]) in held for name, held in clause) for _, row in X.iterrows()
        ]
        assert met[:, place].tolist() == expected
    names = [str(Clause.of([literal])) for literal in literals.conditions]
    both = literals.clause([names.index("age <= 30"), names.index("job = 'a'")])
    assert str(both) == "age <= 30 AND job = 'a'"


def test_a_value_that_is_a_large_share_leaves_its_thresholds_to_the_others():
    X = pd.DataFrame({"gain": [0] * 90 + list(range(1, 11))})
    assert texts(X, 3)[::2] == ["gain <= 0", "gain <= 4", "gain <= 7"]  # ten are left for three shares
    X = pd.DataFrame({"score": list(range(10)) + [100] * 90})
    assert texts(X, 3)[::2] == ["score <= 3", "score <= 6", "score <= 9"]
    assert texts(X, 1)[::2] == ["score <= 9"]
    X = pd.DataFrame({"both": [0] * 7 + [1, 2, 3] + [4] * 3})
    assert texts(X, 3)[::2] == ["both <= 0", "both <= 2"]  # and not 4, which is the greatest
    X = pd.DataFrame({"x": np.arange(1000)})
    assert texts(X, 9)[::2] == [f"x <= {place}" for place in range(99, 900, 100)]
