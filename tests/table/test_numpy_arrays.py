"""NumPy arrays: each dtype is read as the right kinds, and written back as itself."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from frote.exceptions import TableError
from frote.table import ColumnData, Kind, Table

CONTINUOUS, INTEGER, CATEGORICAL, BOOLEAN, DATETIME = Kind
DAY = 86_400 * 10**9

CASES = [
    *((np.array([[1, 0.5], [np.nan, np.nan]], dtype=dtype), [INTEGER, CONTINUOUS]) for dtype in "efd"),
    (np.array([[1, 0.5]], dtype=">f8"), [INTEGER, CONTINUOUS]),
    (np.array([[1, 0.5]], dtype=np.longdouble), [INTEGER, CONTINUOUS]),
    *((np.array([[1, 2], [3, 100]], dtype=dtype), [INTEGER] * 2) for dtype in "bhilqBHILQ"),
    (np.array([[1, 2]], dtype=">i4"), [INTEGER] * 2),
    (np.array([[True, False]]), [BOOLEAN] * 2),
    (np.array([["b", "long word"], ["a", ""]]), [CATEGORICAL] * 2),
    (np.array([["b", "ß"]], dtype="U40"), [CATEGORICAL] * 2),
    (np.array([[b"b", b"a"]]), [CATEGORICAL] * 2),
    *(
        (
            np.array([["2024-02-29", "NaT"], ["1969-01-01", "2000-01-01"]], dtype=f"datetime64[{unit}]"),
            [DATETIME] * 2,
        )
        for unit in ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "10s"]
    ),
    (np.array([["2024-02-29"]], dtype=">M8[s]"), [DATETIME]),
    (
        np.array([[1, "a", 0.5, None], [None, 3, 8.25, True]], dtype=object),
        [INTEGER, CATEGORICAL, CONTINUOUS, BOOLEAN],
    ),
    (np.empty((0, 2)), [CONTINUOUS] * 2),
    (np.empty((0, 1), dtype=object), [CATEGORICAL]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[0].dtype))
def test_each_dtype_is_read_as_its_kinds_and_written_back(case):
    X, kinds = case
    before = X.copy()
    table = Table.from_frame(X)
    assert table.schema.names == tuple(f"x{place}" for place in range(X.shape[1]))
    assert [column.kind for column in table.schema] == kinds
    back = table.to_frame()
    assert back.dtype == X.dtype
    assert_array_equal(back, before)
    assert_array_equal(X, before)
    X[...] = X[::-1, ::-1].copy()
    assert_array_equal(table.to_frame(), before)
    rows = list(range(len(X)))[::-1] * 2
    assert_array_equal(table.take(rows).to_frame(), before[rows])
    assert_array_equal(table.concat(table).to_frame(), np.concatenate([before, before]))
    X[...] = before


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy before 2 has no such strings")
def test_strings_of_variable_width():
    X = np.array([["b"], [np.nan], ["a"]], dtype=np.dtypes.StringDType(na_object=np.nan))
    table = Table.from_frame(X)
    assert table.schema["x0"].levels == ("a", "b")
    assert table["x0"].values.tolist() == [1, -1, 0]
    assert table.to_frame().dtype == X.dtype
    assert table.to_frame()[[0, 2]].tolist() == [["b"], ["a"]]
    assert np.isnan(table.to_frame()[1, 0])


@pytest.mark.parametrize(("unit", "step"), [("D", DAY), ("M", DAY), ("Y", DAY), ("W", 7 * DAY), ("10s", 10**10)])
def test_steps(unit, step):
    X = np.array([["1971-01-01"]], dtype=f"datetime64[{unit}]")
    table = Table.from_frame(X)
    assert table.schema["x0"].step == step
    assert table["x0"].values[0] * step == X.astype("datetime64[ns]").astype(np.int64)[0, 0]


def test_values_of_objects():
    X = np.array([["b", 2, dt.date(1970, 1, 2)], [None, None, None]], dtype=object)
    table = Table.from_frame(X)
    assert [table[name].values.tolist() for name in table.schema.names] == [[0, -1], [2, 0], [1, 0]]
    assert [table[name].missing.tolist() for name in table.schema.names] == [[False, True]] * 3


def test_columns_read_as_another_kind():
    X = np.array([[1.0, 2.0], [np.nan, 3.0]])
    table = Table.from_frame(X, kinds={"x0": Kind.CATEGORICAL, "x1": "continuous"})
    assert table.schema["x0"].levels == (1.0,)
    assert table["x0"].values.tolist() == [0, -1]
    assert table["x1"].values.tolist() == [2.0, 3.0]
    assert_array_equal(table.to_frame(), X)
    whole = Table.from_frame(np.array([[1], [2]]), kinds={"x0": "continuous"})
    new = whole.replace_data({"x0": ColumnData(np.array([1.4, 1.6]))}).to_frame()
    assert new.tolist() == [[1], [2]]
    assert new.dtype == np.int64


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            np.zeros(3),
            "X is an array of 1 dimensions, not of 2. Reshape it: reshape(-1, 1) makes one column of it.",
        ),
        (
            np.zeros((2, 2, 2)),
            "X is an array of 3 dimensions, not of 2. Reshape it: reshape(len(X), -1) makes it flat.",
        ),
        (
            np.ma.masked_array([[1.0]], [[True]]),
            "X is a masked array. Fill the masked values with NaN, as in X.filled(np.nan).",
        ),
        (np.empty((3, 0)), "X has no columns. Give it one at least."),
        (
            np.array([[1]], dtype="m8[s]"),
            "Column 'x0' holds timedelta64[s], which a table cannot. Convert it to a number of seconds.",
        ),
        (
            np.array([["2024"]], dtype="M8[ps]"),
            "Column 'x0' holds datetime64[ps], which a table cannot. Convert it to datetime64[ns].",
        ),
        (
            np.array([[1j]]),
            "Column 'x0' holds complex128, which a table cannot. "
            "Convert it to two columns, its real and its imaginary part.",
        ),
    ],
    ids=lambda case: None if isinstance(case, str) else f"{case.dtype}-{case.ndim}",
)
def test_arrays_that_cannot_be_read(X, message):
    with pytest.raises(TableError) as caught:
        Table.from_frame(X)
    assert str(caught.value) == message
