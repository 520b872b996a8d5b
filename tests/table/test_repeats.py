"""Rows that come again, against a plain look at every pair."""

from __future__ import annotations

import datetime as dt
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frote.table import Table
from frote.table.repeats import groups_of_rows

NUMBERS = st.sampled_from([0, 1, 2, None])
TEXTS = st.sampled_from(["x", "y", None])
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS, TEXTS), min_size=1, max_size=12)


def frame(rows, number, text):
    columns = list(zip(*rows, strict=True))
    return pd.DataFrame(
        {
            "a": pd.array(columns[0], dtype=number),
            "b": pd.Series([None if value is None else dt.datetime(2024, 1, 1 + value) for value in columns[1]]),
            "c": pd.Series(columns[2], dtype=text),
        }
    )


@given(first=ROWS, second=ROWS)
@pytest.mark.parametrize(("number", "text"), [("Int64", "object"), ("Float64", "category"), ("float64", "string")])
def test_rows_share_a_number_exactly_if_they_are_equal(first, second, number, text):
    one, two = frame(first, "Int64", "object"), frame(second, number, text)
    groups = groups_of_rows([Table.from_frame(one), Table.from_frame(two)])
    assert [len(part) for part in groups] == [len(first), len(second)]
    rows, found = [*first, *second], np.concatenate(groups)
    for (here, row), (there, other) in product(enumerate(rows), repeat=2):
        if here != there:
            assert (row == other) == (found[here] == found[there] >= 0)
    assert all((found[place] >= 0) == (rows.count(row) > 1) for place, row in enumerate(rows))


def test_times_are_equal_whatever_they_are_counted_in():
    times = [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 0, 0, 0, 1), dt.datetime(9000, 1, 1)]
    one = Table.from_frame(pl.DataFrame({"at": times[:1]}, schema={"at": pl.Date}))
    two = Table.from_frame(pl.DataFrame({"at": times}, schema={"at": pl.Datetime("us")}))
    three = Table.from_frame(pl.DataFrame({"at": times[:2]}, schema={"at": pl.Datetime("ns")}))
    assert [part.tolist() for part in groups_of_rows([one, two, three])] == [[0], [0, 1, -1], [0, 1]]


def test_values_of_unlike_kinds_are_unlike_and_what_is_missing_is_missing():
    one = Table.from_frame(pd.DataFrame({"a": [1.0, np.nan]}))
    two = Table.from_frame(pd.DataFrame({"a": ["1.0", None, "1.0"]}))
    assert [part.tolist() for part in groups_of_rows([one, two])] == [[-1, 0], [1, 0, 1]]


def test_large_whole_numbers_are_told_apart():
    one, two = (Table.from_frame(pd.DataFrame({"a": [2**60 + step]})) for step in (0, 1))
    assert [part.tolist() for part in groups_of_rows([one, two])] == [[-1], [-1]]
