"""Columns side by side: what is done to all of them at once, against each by itself."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from tests.examples import examples

from frote.table import Block, ColumnData, Table, frames
from frote.table.blocks import blocks_of

quick = settings(max_examples=examples(150))


@st.composite
def columns(draw):
    """Columns of two types, some of them with missing values."""
    rows = draw(st.integers(0, 6))
    data = {}
    for name in draw(st.lists(st.sampled_from("abcdef"), unique=True, min_size=1)):
        values = draw(st.lists(st.integers(0, 9), min_size=rows, max_size=rows))
        gone = draw(st.none() | st.lists(st.booleans(), min_size=rows, max_size=rows))
        dtype = draw(st.sampled_from([np.int64, np.float64]))
        data[name] = ColumnData(np.array(values, dtype=dtype), None if gone is None else np.array(gone, dtype=bool))
    return data


def unpacked(blocks):
    """Return values, type and missing of every column."""
    found = {}
    for block in blocks:
        for place, name in enumerate(block.names):
            column = block.column(place)
            gone = None if column.missing is None else column.missing.tolist()
            found[name] = (column.values.tolist(), column.values.dtype, gone)
    return found


def alone(data, change):
    """Return the same of columns that are changed one by one, by a function of an array."""
    found = {}
    for name, column in data.items():
        gone = None if column.missing is None else change(column.missing)
        made = ColumnData(change(column.values), gone)
        found[name] = (made.values.tolist(), made.values.dtype, None if made.missing is None else made.missing.tolist())
    return found


@given(columns(), st.data())
@quick
def test_all_columns_at_once_as_each_by_itself(data, more):
    blocks = blocks_of(dict(data))
    assert unpacked(blocks) == alone(data, np.copy)
    assert len(blocks) == len({column.values.dtype for column in data.values()})
    rows = len(next(iter(data.values())))
    chosen = np.array(more.draw(st.lists(st.integers(0, rows - 1))) if rows else [], dtype=np.intp)
    taken = [block.take(chosen) for block in blocks]
    assert unpacked(taken) == alone(data, lambda array: array[chosen])
    stacked = [block.concat(below) for block, below in zip(blocks, taken, strict=True)]
    assert unpacked(stacked) == alone(data, lambda array: np.concatenate([array, array[chosen]]))


def test_nobody_can_write_to_them_also_after_a_pickle():
    mine = np.array([[1, 2], [3, 4]])
    block = Block(("a", "b"), mine, np.array([[True, False], [False, False]]))
    for one in (block, pickle.loads(pickle.dumps(block))):
        assert one.column(1).values.tolist() == [3, 4]
        for array in (one.values, one.missing, one.column(0).values):
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 0
    mine[0, 0] = 9  # whose it is may


# From tables back to frames: rows that were given stay as they were

WHOLE = pd.DataFrame({"a": [-0.0, 1.0, 2.0, 3.0], "b": [0.5, -0.0, np.nan, 2.5]})
MIXED = WHOLE.assign(
    c=pd.Categorical(["x", None, "y", "x"], categories=["y", "x", "z"]),
    d=pd.Series([None, np.nan, "t", "u"], dtype=object),
    e=[True, False, True, True],
    f=np.array([1, 2, 3, 4], dtype=np.int8),
)
MANY = pd.DataFrame({name: pd.Categorical(list("abca")) for name in "abcdef"})


@pytest.mark.parametrize(
    "frame", [WHOLE, WHOLE[["b"]], MIXED, MIXED[["c", "e", "f"]], MANY, MANY.assign(n=[-0.0, 1.0, 2.0, 3.0])]
)
@pytest.mark.parametrize("top", [1, 2, 4])
@pytest.mark.parametrize("many", [1, 100])
def test_completed_pandas(frame, top, many, monkeypatch):
    monkeypatch.setattr(frames, "MANY_ROWS", many)  # large frames are laid out at once, and say the same
    table, given_rows = Table.from_frame(frame), frame[:top].copy()
    first, below = table.take(range(top)), table.take(np.arange(top, len(frame)))
    found = first.completed(given_rows, below)
    assert_frame_equal(found, pd.concat([given_rows, table.to_frame()[top:]], ignore_index=True))
    assert_frame_equal(given_rows, frame[:top])
    for name in frame.columns:
        if frame[name].dtype == np.float64:
            assert np.signbit(found[name])[:top].tolist() == np.signbit(frame[name])[:top].tolist()
    found.iloc[0, 0] = found.iloc[-1, 0]
    assert_frame_equal(first.completed(given_rows, below).iloc[:top], frame.iloc[:top])


def test_completed_polars_and_numpy():
    frame = pl.DataFrame({"a": [1.0, -0.0, None], "b": ["x", "y", "x"]})
    table = Table.from_frame(frame)
    found = table.take([0, 1]).completed(frame[:2], table.take([2]))
    assert found.equals(frame)
    assert np.signbit(found["a"].to_numpy()).tolist()[:2] == [False, True]
    array = np.array([[1.0, -0.0], [2.0, 3.0], [4.0, 5.0]])
    table = Table.from_frame(array)
    found = table.take([0]).completed(array[:1], table.take([1, 2]))
    assert found.tolist() == array.tolist()
    assert np.signbit(found[0, 1])
