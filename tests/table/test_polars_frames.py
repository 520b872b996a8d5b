"""polars frames: each type of column is read as the right kind, and written back as itself."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from frote.exceptions import TableError
from frote.table import ColumnData, Kind, Table

CONTINUOUS, INTEGER, CATEGORICAL, BOOLEAN, DATETIME = Kind
NOON = dt.datetime(2024, 2, 29, 12)

WHOLE = [
    pl.Int8,
    pl.Int16,
    pl.Int32,
    pl.Int64,
    pl.Int128,
    pl.UInt8,
    pl.UInt16,
    pl.UInt32,
    pl.UInt64,
    pl.UInt128,
]
CASES = [
    *((pl.Series([1, None, 100], dtype=dtype), INTEGER, (), 1) for dtype in WHOLE),
    *((pl.Series([1, None, 100], dtype=dtype), INTEGER, (), 1) for dtype in [pl.Float32, pl.Float64]),
    *((pl.Series([0.5, None, 8], dtype=dtype), CONTINUOUS, (), 1) for dtype in [pl.Float16, pl.Float32, pl.Float64]),
    (pl.Series([Decimal("0.25"), None], dtype=pl.Decimal(8, 2)), CONTINUOUS, (), 1),
    (pl.Series([float("inf"), 1.0]), CONTINUOUS, (), 1),
    (pl.Series([None, None], dtype=pl.Float64), CONTINUOUS, (), 1),
    (pl.Series(["b", None, "a"]), CATEGORICAL, ("a", "b"), 1),
    (pl.Series(["b", None, "a"], dtype=pl.Categorical), CATEGORICAL, ("a", "b"), 1),
    (pl.Series(["b", None, "a"], dtype=pl.Enum(["c", "b", "a"])), CATEGORICAL, ("c", "b", "a"), 1),
    (pl.Series(["b", None, "a"], dtype=pl.Categorical(pl.Categories("own"))), CATEGORICAL, ("a", "b"), 1),
    (pl.Series([True, None, False]), BOOLEAN, (False, True), 1),
    (pl.Series([NOON.date(), None]), DATETIME, (), 86_400 * 10**9),
    (pl.Series([NOON, None], dtype=pl.Datetime("ms")), DATETIME, (), 10**6),
    (pl.Series([NOON, None], dtype=pl.Datetime("us")), DATETIME, (), 10**3),
    (pl.Series([NOON, None], dtype=pl.Datetime("ns")), DATETIME, (), 1),
    (pl.Series([NOON, None], dtype=pl.Datetime("us", "Europe/Paris")), DATETIME, (), 10**3),
    (pl.Series([None, None], dtype=pl.Null), CATEGORICAL, (), 1),
    (pl.Series([None, None], dtype=pl.String), CATEGORICAL, (), 1),
]


def described(case):
    return str(case[0].dtype) if isinstance(case, tuple) else None


@pytest.mark.parametrize("rows", [None, 1, 0])
@pytest.mark.parametrize("case", CASES, ids=described)
def test_each_type_is_read_as_its_kind_and_written_back(case, rows):
    series, kind, levels, step = case
    X = pl.DataFrame({"x": series}).head(len(series) if rows is None else rows)
    before = X.clone()
    table = Table.from_frame(X)
    assert_frame_equal(table.to_frame(), X, categorical_as_str=False)
    assert_frame_equal(X, before)
    if rows is None:
        column = table.schema["x"]
        assert (column.kind, column.levels, column.step) == (kind, levels, step)
        absent = X["x"].is_null().to_list()
        assert (table["x"].missing is not None) == any(absent)
        assert [False] * len(X) if table["x"].missing is None else table["x"].missing.tolist() == absent


@pytest.mark.parametrize("case", CASES, ids=described)
def test_taken_joined_and_categorical_columns_keep_their_type(case):
    X = pl.DataFrame({"x": case[0], "y": case[0]})
    table = Table.from_frame(X, kinds={"y": "categorical"})
    assert table.schema["y"].kind is CATEGORICAL
    assert_frame_equal(table.to_frame(), X)
    assert_frame_equal(table.take([1, 0, 1]).to_frame(), X[[1, 0, 1]])
    assert_frame_equal(table.concat(table).to_frame(), X[[*range(len(X)), *range(len(X))]])


def test_values():
    X = pl.DataFrame(
        {
            "i": pl.Series([7, None], dtype=pl.UInt8),
            "f": [0.5, None],
            "s": ["a", None],
            "b": [True, None],
            "d": [dt.date(1970, 1, 3), None],
            "t": pl.Series([dt.datetime(1970, 1, 1, 8), None]).dt.replace_time_zone("Europe/Paris"),
        }
    )
    table = Table.from_frame(X)
    values = [table[name].values.tolist() for name in X.columns]
    assert values[0] == [7, 0]
    assert values[1][0] == 0.5
    assert np.isnan(values[1][1])
    assert values[2:] == [[0, -1], [1, -1], [2, 0], [8 * 3600 * 10**6, 0]]
    dtypes = [str(table[name].values.dtype) for name in X.columns]
    assert dtypes == ["int64", "float64", "int8", "int8", "int64", "int64"]


def test_nan_counts_as_missing_and_comes_back_as_null():
    table = Table.from_frame(pl.DataFrame({"x": [0.5, float("nan"), None]}))
    assert table["x"].missing.tolist() == [False, True, True]
    assert table.to_frame()["x"].to_list() == [0.5, None, None]


def test_levels_of_a_shared_categorical_are_those_present():
    both = pl.Series(["x", "b", "a", "b"], dtype=pl.Categorical)
    assert Table.from_frame(pl.DataFrame({"c": both[1:]})).schema["c"].levels == ("a", "b")


def test_clock_changes():
    zone = "America/New_York"
    utc = pl.Series([dt.datetime(2024, 11, 3, 5, 30), dt.datetime(2024, 11, 3, 6, 30)]).dt.replace_time_zone("UTC")
    table = Table.from_frame(pl.DataFrame({"t": utc.dt.convert_time_zone(zone)}))
    gap = np.array(["2024-03-10T02:30"], dtype="datetime64[us]").view(np.int64)
    back = table.concat(table.replace_data({"t": ColumnData(gap)})).to_frame()["t"]
    assert back.dtype == pl.Datetime("us", zone)
    moments = back.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_list()
    assert moments == [dt.datetime(2024, 11, 3, 5, 30)] * 2 + [dt.datetime(2024, 3, 10, 7)]


def test_generated_integers_stay_within_their_type():
    table = Table.from_frame(pl.DataFrame({"n": pl.Series([1], dtype=pl.Int8)}))
    assert table.replace_data({"n": ColumnData(np.array([127, -128]))}).to_frame()["n"].dtype == pl.Int8
    with pytest.raises(TableError, match=r"run from 128 to 128\. Keep them from -128 to 127"):
        table.replace_data({"n": ColumnData(np.array([128]))})
    wide = Table.from_frame(pl.DataFrame({"n": pl.Series([1], dtype=pl.Int128)}))
    assert wide.replace_data({"n": ColumnData(np.array([2**62]))}).to_frame()["n"].to_list() == [2**62]


@pytest.mark.parametrize("name", ["", "a b", "a-b.c", "`tick`", "年齢", "\n"])
def test_names_may_be_anything(name):
    X = pl.DataFrame({name: [1.5], "other": ["a"]})
    assert Table.from_frame(X).schema.names == (name, "other")
    assert_frame_equal(Table.from_frame(X).to_frame(), X)


@pytest.mark.parametrize(
    ("series", "way_out"),
    [
        (pl.Series([dt.timedelta(1)]), "a number of seconds"),
        (pl.Series([[1]]), "one column per element"),
        (pl.Series([[1]], dtype=pl.Array(pl.Int64, 1)), "one column per element"),
        (pl.Series([{"a": 1}]), "one column per field"),
        (pl.Series([dt.time(1)]), "numbers, text or timestamps"),
        (pl.Series([b"a"]), "numbers, text or timestamps"),
    ],
    ids=str,
)
def test_types_that_a_table_cannot_hold(series, way_out):
    with pytest.raises(TableError) as caught:
        Table.from_frame(pl.DataFrame({"odd": series}))
    expected = f"Column 'odd' holds {series.dtype}, which a table cannot. Convert it to {way_out}."
    assert str(caught.value) == expected


@pytest.mark.parametrize("dtype", [pl.UInt64, pl.Int128])
def test_integers_that_are_too_large(dtype):
    with pytest.raises(TableError, match="Column 'n' holds an integer outside the range of int64"):
        Table.from_frame(pl.DataFrame({"n": pl.Series([2**63], dtype=dtype)}))


def test_a_lazy_frame_is_to_be_collected():
    with pytest.raises(TableError) as caught:
        Table.from_frame(pl.LazyFrame({"a": [1]}))
    assert str(caught.value) == "X is polars.LazyFrame. Call X.collect() first."


def test_a_series_is_to_be_made_a_frame():
    with pytest.raises(TableError) as caught:
        Table.from_frame(pl.Series("a", [1]))
    assert str(caught.value) == "X is polars.Series. Call X.to_frame() for a table of one column."
