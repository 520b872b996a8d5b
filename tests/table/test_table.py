"""The table itself: what it promises whatever the frame."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from pandas.testing import assert_frame_equal

from frote.exceptions import TableError
from frote.table import Column, ColumnData, Kind, Schema, Table


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "age": pd.Series([31, 25, 40], dtype="int8"),
            "income": [1.5, np.nan, 3.5],
            "purpose": ["car", None, "boat"],
            "member": pd.Series([True, None, False], dtype="boolean"),
            "since": pd.Series(["2024-01-01", None, "2024-03-01"], dtype="datetime64[s]"),
        }
    ).set_axis(["p", "q", "r"], axis="index")


@pytest.fixture
def table(frame):
    return Table.from_frame(frame)


def message(call, *arguments, **named):
    with pytest.raises(TableError) as caught:
        call(*arguments, **named)
    return str(caught.value)


def test_schema(table):
    assert table.schema == Schema(
        (
            Column("age", Kind.INTEGER, nullable=False),
            Column("income", Kind.CONTINUOUS),
            Column("purpose", Kind.CATEGORICAL, levels=("boat", "car")),
            Column("member", Kind.BOOLEAN, levels=(False, True)),
            Column("since", Kind.DATETIME, step=10**9),
        )
    )
    assert (table.n_rows, len(table)) == (3, 3)
    assert repr(table) == (
        "<Table of 3 rows: 'age' integer, 'income' continuous, 'purpose' categorical, 'member' boolean, "
        "'since' datetime>"
    )


def test_values_and_missing(table):
    assert table["age"].values.dtype == np.int64
    assert table["age"].missing is None
    assert table["purpose"].values.tolist() == [1, -1, 0]
    assert table["member"].values.tolist() == [1, -1, 0]
    assert all(table[name].missing.tolist() == [False, True, False] for name in table.schema.names[1:])


def test_nothing_can_be_changed(table):
    for column in table.schema:
        data = table[column.name]
        arrays = [data.values] if data.missing is None else [data.values, data.missing]
        for array in arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
    with pytest.raises(FrozenInstanceError):
        table.n_rows = 5
    with pytest.raises(FrozenInstanceError):
        table["age"].values = np.zeros(3)


def test_a_table_passes_through(table):
    assert Table.from_frame(table) is table
    again = Table.from_frame(table, kinds={"age": "categorical"})
    assert again.schema["age"].levels == (25, 31, 40)


@pytest.mark.parametrize("clone", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy])
def test_copies(table, frame, clone):
    twin = clone(table)
    assert twin.schema == table.schema
    assert not twin["age"].values.flags.writeable
    assert_frame_equal(twin.to_frame(), frame.reset_index(drop=True))
    assert len(table.concat(twin)) == 6


def test_copies_of_a_polars_table():
    X = pl.DataFrame({"a": [1, None], "c": pl.Series(["x", None], dtype=pl.Enum(["x", "y"]))})
    assert pickle.loads(pickle.dumps(Table.from_frame(X))).to_frame().equals(X)


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(frame, rows):
    X = frame.iloc[:rows]
    table = Table.from_frame(X)
    assert len(table) == rows
    assert_frame_equal(table.to_frame(), X.reset_index(drop=True))
    assert_frame_equal(table.concat(table).to_frame(), pd.concat([X, X], ignore_index=True))


def test_take(table, frame):
    assert_frame_equal(table.take(np.array([2, 2, 1])).to_frame(), frame.iloc[[2, 2, 1]].reset_index(drop=True))
    taken = table.take([0, 2])
    assert taken.schema is table.schema
    assert all(taken[name].missing is None for name in taken.schema.names)
    assert len(table.take([])) == 0


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([0, 3], "Rows to take run from 0 to 3, but the table has 3. Count from 0."),
        ([-1], "Rows to take run from -1 to -1, but the table has 3. Count from 0."),
        (
            [True, False, True],
            "Rows to take are bool of shape (3,). Give a list of positions, as np.flatnonzero(mask) does.",
        ),
        (
            [[0]],
            "Rows to take are int64 of shape (1, 1). Give a list of positions, as np.flatnonzero(mask) does.",
        ),
    ],
)
def test_rows_that_cannot_be_taken(table, rows, expected):
    assert message(table.take, rows) == expected


def test_concat(table, frame):
    joined = table.take([0]).concat(table)
    assert joined["income"].missing.tolist() == [False, False, True, False]
    assert_frame_equal(joined.to_frame(), frame.iloc[[0, 0, 1, 2]].reset_index(drop=True))


@pytest.mark.parametrize(
    ("dtype", "nullable"),
    [
        *((dtype, False) for dtype in ("int64", "uint8", "bool", pd.SparseDtype("int64"))),
        *((dtype, True) for dtype in ("Int64", "float64", "float32", "boolean", "object", "str", "category")),
        ("datetime64[ns]", True),
    ],
)
def test_what_can_be_missing_goes_by_the_type(dtype, nullable):
    """Nothing is missing here."""
    frame = pd.DataFrame({"a": pd.Series([0, 1]).astype(dtype)})
    for kinds in (None, {"a": "categorical"}):
        table = Table.from_frame(frame, kinds=kinds)
        assert table.schema["a"].nullable == table.storage("a").nullable == nullable
        assert pickle.loads(pickle.dumps(table)).schema == table.schema
        assert table.schema.with_gaps()["a"].nullable
    assert Table.from_frame(pl.DataFrame({"a": [1]})).schema["a"].nullable
    assert not Table.from_frame(np.array([["x"]])).schema["x0"].nullable


def test_tables_that_cannot_be_joined():
    def unlike(first, second):
        return message(Table.from_frame(first).concat, Table.from_frame(second))

    plain = pd.DataFrame({"a": [1]})
    assert unlike(plain, plain.rename(columns={"a": "b"})) == (
        "The tables have columns ('a',) and ('b',). Give both the same."
    )
    other_level = (
        "Column 'a' has another kind, other levels or another step in the two tables. "
        "Read both from one frame, or convert the column to one categorical type first."
    )
    assert unlike(pd.DataFrame({"a": ["x"]}), pd.DataFrame({"a": ["y"]})) == other_level
    for dtype in ("int8", "Int64"):
        assert unlike(plain, plain.astype(dtype)) == (
            "Column 'a' has different types in the two tables. Convert one of them."
        )
    assert unlike(plain, pl.DataFrame({"a": [1]})) == (
        "The tables come from different kinds of frame. Read both from the same kind."
    )
    assert unlike(pd.DataFrame({1: [1]}), pd.DataFrame({"1": [1]})) == (
        "The tables come from frames with unlike column labels. Name the columns alike."
    )


def test_new_rows(table):
    new = table.replace_data(
        {
            "since": ColumnData(np.array([0, 7]), np.array([False, True])),
            "age": ColumnData(np.array([-128, 127])),
            "income": ColumnData(np.array([0.25, np.nan]), np.array([False, True])),
            "purpose": ColumnData(np.array([1, -1], dtype=np.int8), np.array([False, True])),
            "member": ColumnData(np.array([0, 1], dtype=np.int8)),
        }
    )
    expected = pd.DataFrame(
        {
            "age": pd.Series([-128, 127], dtype="int8"),
            "income": [0.25, np.nan],
            "purpose": ["car", None],
            "member": pd.Series([False, True], dtype="boolean"),
            "since": pd.Series(["1970-01-01", None], dtype="datetime64[s]"),
        }
    )
    assert_frame_equal(new.to_frame(), expected)
    assert len(table.concat(new)) == 5


ABSENT = np.array([False, False, True])


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("incme", ColumnData(np.zeros(3)), "No column 'incme' for data. Did you mean 'income' or 'since'?"),
        ("age", None, "Column 'age' has no new values. Give values for every column."),
        ("age", ColumnData(np.zeros(3)), "are float64. Give int64, as its kind is integer."),
        (
            "purpose",
            ColumnData(np.zeros(3, dtype=np.int64)),
            "are int64. Give int8, as its kind is categorical.",
        ),
        (
            "income",
            ColumnData(np.zeros(3, dtype=np.float32)),
            "are float32. Give float64, as its kind is continuous.",
        ),
        ("since", ColumnData(np.zeros(3, dtype=np.int32)), "are int32. Give int64, as its kind is datetime."),
        ("age", ColumnData(np.array([1, 2, 300])), "run from 1 to 300. Keep them from -128 to 127."),
        (
            "purpose",
            ColumnData(np.array([0, 1, 2], dtype=np.int8)),
            "run from 0 to 2. Keep them from 0 to 1.",
        ),
        (
            "purpose",
            ColumnData(np.array([0, 1, -1], dtype=np.int8)),
            "run from -1 to 1. Keep them from 0 to 1.",
        ),
        (
            "purpose",
            ColumnData(np.array([0, 1, 1], dtype=np.int8), ABSENT),
            "hold other values than -1 where they are missing. Put -1 there.",
        ),
        (
            "income",
            ColumnData(np.zeros(3), ABSENT),
            "hold other values than nan where they are missing. Put nan there.",
        ),
        (
            "income",
            ColumnData(np.array([0, np.nan, np.nan]), ABSENT),
            "include NaN that is not marked as missing. Mark it.",
        ),
        (
            "age",
            ColumnData(np.zeros(3, dtype=int), ABSENT),
            "include missing ones, which its type cannot hold. Fill them.",
        ),
    ],
)
def test_new_rows_that_do_not_fit(table, name, data, expected):
    columns = {column: table[column] for column in table.schema.names}
    columns[name] = data
    if data is None:
        del columns[name]
    found = message(table.replace_data, columns)
    assert found == expected or found == f"The new values of column {name!r} {expected}"


def test_new_rows_of_unlike_lengths():
    table = Table.from_frame(pd.DataFrame({"a": [1], "b": [2]}))
    columns = {"a": table["a"], "b": ColumnData(np.array([1, 2]))}
    expected = "The new columns have unlike lengths: {'a': 1, 'b': 2}. Give all the same number of rows."
    assert message(table.replace_data, columns) == expected


@pytest.mark.parametrize("X", [np.array([[True]]), np.array([["a"]])], ids=str)
def test_arrays_that_hold_no_missing_values(X):
    data = ColumnData(np.array([-1], dtype=np.int8), np.array([True]))
    expected = "The new values of column 'x0' include missing ones, which its type cannot hold. Fill them."
    assert message(Table.from_frame(X).replace_data, {"x0": data}) == expected


def test_data_of_odd_shapes():
    expected = "Values and missing of a column have shapes (2, 1) and None. Give both the shape (n_rows,)."
    assert message(ColumnData, np.zeros((2, 1))) == expected
    expected = "Values and missing of a column have shapes (2,) and (3,). Give both the shape (n_rows,)."
    assert message(ColumnData, np.zeros(2), np.zeros(3, dtype=bool)) == expected


def test_data_leaves_the_array_of_its_maker_writeable():
    array = np.zeros(2)
    assert not ColumnData(array).values.flags.writeable
    assert array.flags.writeable


def test_an_unknown_column(table):
    assert message(table.__getitem__, "purpse") == "No column 'purpse' for table. Did you mean 'purpose'?"


def test_kinds_that_cannot_be(frame):
    def refused(**kinds):
        return message(Table.from_frame, frame, kinds=kinds)

    assert refused(agee="categorical") == "No column 'agee' for kinds. Did you mean 'age'?"
    assert refused(age="category") == "Column 'age' is given the unknown kind 'category'. Did you mean 'categorical'?"
    cannot = "Column {!r} is {} and cannot be read as {}. Possible: {}; or convert the column first."
    assert refused(age="boolean") == cannot.format(
        "age", "integer", "boolean", "'integer', 'categorical', 'continuous'"
    )
    assert refused(income="integer") == cannot.format("income", "continuous", "integer", "'continuous', 'categorical'")
    assert refused(purpose="integer") == cannot.format("purpose", "categorical", "integer", "'categorical'")
    assert refused(member="integer") == cannot.format("member", "boolean", "integer", "'boolean', 'categorical'")
    assert refused(since="integer") == cannot.format("since", "datetime", "integer", "'datetime', 'categorical'")


def test_kinds_that_are_so_already(frame, table):
    same = {column.name: column.kind for column in table.schema}
    assert Table.from_frame(frame, kinds=same).schema == table.schema


OTHER = "Pass a pandas or polars DataFrame, or a NumPy array of two dimensions."


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        ([[1, 2]], f"X is list. {OTHER}"),
        ({"a": [1]}, f"X is dict. {OTHER}"),
        (None, f"X is NoneType. {OTHER}"),
        ("data.csv", f"X is str. {OTHER}"),
        (pd.Series([1]), "X is pandas.Series. Call X.to_frame() for a table of one column."),
        (scipy.sparse.csr_array([[1]]), "X is scipy.csr_array. Call X.toarray() for a dense array."),
        (scipy.sparse.coo_matrix([[1]]), "X is scipy.coo_matrix. Call X.toarray() for a dense array."),
        (
            nw.from_native(pd.DataFrame({"a": [1]})),
            "X is narwhals.DataFrame. Call X.to_native() for the frame that it wraps.",
        ),
        (pd.DataFrame(index=[1, 2]), "X has no columns. Give it one at least."),
        (pl.DataFrame(), "X has no columns. Give it one at least."),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            "Two columns are named 'a'. Give each column a name of its own.",
        ),
        (pd.DataFrame({1: [1], "1": [2]}), "Two columns are named '1'. Give each column a name of its own."),
    ],
    ids=lambda case: None if isinstance(case, str) else type(case).__name__,
)
def test_what_is_no_frame(X, expected):
    assert message(Table.from_frame, X) == expected
