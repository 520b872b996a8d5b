"""Any frame that Hypothesis can think of comes back as it went in."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from frote.table import Table

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
TIMES = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1))
FLOATS = st.floats(allow_nan=False, width=32)
SMALL, LARGE = st.integers(-128, 127), st.integers(-(2**63), 2**63 - 1)

# The values of a column by its type; each may be missing where the type allows it.
PANDAS = {
    **dict.fromkeys(["Int8", "int8[pyarrow]"], SMALL),
    **dict.fromkeys(["Int64", "int64[pyarrow]"], LARGE),
    **dict.fromkeys(["float32", "float64", "Float64", "double[pyarrow]"], FLOATS | SMALL.map(float)),
    **dict.fromkeys(["str", "string[python]", "string[pyarrow]", "category", object], TEXT),
    **dict.fromkeys(["boolean", "bool[pyarrow]"], st.booleans()),
    **dict.fromkeys(["datetime64[us]", "datetime64[ns]", "datetime64[ns, UTC]"], TIMES),
}
POLARS = {
    pl.Int8: SMALL,
    pl.Int64: LARGE,
    pl.Float32: FLOATS,
    pl.Float64: FLOATS | SMALL.map(float),
    pl.String: TEXT,
    pl.Categorical: TEXT,
    pl.Boolean: st.booleans(),
    pl.Date: st.dates(),
    pl.Datetime("us"): TIMES,
    pl.Datetime("ms", "UTC"): TIMES.map(lambda t: t.replace(microsecond=0)),
}


@st.composite
def columns(draw, types):
    n_rows = draw(st.integers(0, 6))
    names = draw(st.lists(TEXT, min_size=1, max_size=5, unique=True))
    chosen = {}
    for name in names:
        dtype = draw(st.sampled_from(list(types)))
        values = st.none() | types[dtype]
        chosen[name] = (draw(st.lists(values, min_size=n_rows, max_size=n_rows)), dtype)
    return chosen


def rows_of(draw, n_rows):
    return draw(st.lists(st.integers(0, n_rows - 1), max_size=8)) if n_rows else []


def check_typing(table, X, some, rows):
    """Some rows of a table are those that reading them gives, by themselves or by the schema of all."""
    by_themselves = table.take(rows).as_read()
    if by_themselves is not None:
        assert by_themselves.digest() == Table.from_frame(some).digest()
        assert by_themselves.schema == Table.from_frame(some).schema
    assert table.as_read() in (None, table)
    by_schema = Table.from_frame(some, schema=table.schema)
    assert by_schema.schema == table.schema
    for name in table.schema.names:
        for one, other in zip(both_arrays(by_schema[name]), both_arrays(table.take(rows)[name]), strict=True):
            np.testing.assert_array_equal(one, other)
    assert type(by_schema.to_frame()) is type(X)
    assert Table.from_frame(by_schema.to_frame(), schema=table.schema).digest() == by_schema.digest()
    assert Table.from_frame(X, schema=Table.from_frame(some).schema, unseen="extend").n_rows == len(X)


def both_arrays(data):
    gone = np.zeros(len(data), dtype=bool) if data.missing is None else data.missing
    return np.where(gone, np.zeros(1, dtype=data.values.dtype), data.values), gone


@given(st.data(), columns(PANDAS))
def test_pandas(data, chosen):
    X = pd.DataFrame({name: pd.Series(values, dtype=dtype) for name, (values, dtype) in chosen.items()})
    before = X.copy(deep=True)
    table = Table.from_frame(X)
    assert_frame_equal(table.to_frame(), before, check_exact=True)
    assert_frame_equal(X, before)
    rows = rows_of(data.draw, len(X))
    taken = X.iloc[rows].reset_index(drop=True)
    assert_frame_equal(table.take(rows).to_frame(), taken, check_exact=True)
    both = X.iloc[[*range(len(X)), *rows]].reset_index(drop=True)
    assert_frame_equal(table.concat(table.take(rows)).to_frame(), both, check_exact=True)
    every = dict.fromkeys(table.schema.names, "categorical")
    assert_frame_equal(Table.from_frame(X, kinds=every).to_frame(), before, check_exact=True)
    for name in table.schema.names:
        expected = X[name].isna().to_numpy()
        assert np.array_equal(table[name].missing if expected.any() else ~expected, expected | ~expected.any())
    same = {name: table[name] for name in table.schema.names}
    assert_frame_equal(table.replace_data(same).to_frame(), before)
    check_typing(table, X, taken, rows)


@given(st.data(), columns(POLARS))
def test_polars(data, chosen):
    X = pl.DataFrame({name: pl.Series(values, dtype=dtype) for name, (values, dtype) in chosen.items()})
    table = Table.from_frame(X)
    pl.testing.assert_frame_equal(table.to_frame(), X, check_exact=True)
    rows = rows_of(data.draw, len(X))
    pl.testing.assert_frame_equal(table.take(rows).to_frame(), X[rows], check_exact=True)
    both = X[[*range(len(X)), *rows]]
    pl.testing.assert_frame_equal(table.concat(table.take(rows)).to_frame(), both, check_exact=True)
    every = dict.fromkeys(table.schema.names, "categorical")
    pl.testing.assert_frame_equal(Table.from_frame(X, kinds=every).to_frame(), X, check_exact=True)
    same = {name: table[name] for name in table.schema.names}
    pl.testing.assert_frame_equal(table.replace_data(same).to_frame(), X)
    check_typing(table, X, X[rows], rows)


@given(st.lists(st.lists(st.none() | TEXT | SMALL | FLOATS | st.booleans(), min_size=2, max_size=2), max_size=5))
def test_objects(rows):
    X = np.empty((len(rows), 2), dtype=object)
    X[...] = np.array(rows, dtype=object).reshape(len(rows), 2)
    back = Table.from_frame(X).to_frame()
    assert back.dtype == object
    assert back.tolist() == X.tolist()
    if len(rows):
        found = Table.from_frame(X).take([0]).as_read()
        assert found is None or found.digest() == Table.from_frame(X[:1]).digest()
