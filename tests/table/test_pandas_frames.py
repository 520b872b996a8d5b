"""pandas frames: each type of column is read as the right kind, and written back as itself."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from frote.exceptions import TableError
from frote.table import Kind, Table

CONTINUOUS, INTEGER, CATEGORICAL, BOOLEAN, DATETIME = Kind


def arrow(values, kind):
    return pd.Series(pd.array(values, dtype=pd.ArrowDtype(kind)))


def objects(*values):
    return pd.Series(list(values), dtype=object)


def category(values, categories, *, ordered=False):
    return pd.Series(pd.Categorical(values, categories=categories, ordered=ordered))


T0, T1 = pd.Timestamp("2024-02-29 12:30"), pd.Timestamp("1969-12-31 23:59")
PARIS = ZoneInfo("Europe/Paris")
DAY, SECOND = 86_400 * 10**9, 10**9

WIDTHS = [
    (pd.Series([1, 0, 100], dtype=dtype), INTEGER, [1, 0, 100])
    for dtype in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "Int8", "UInt64"]
]
FLOATS = [
    (pd.Series([1.5, None, -2.25], dtype=dtype), CONTINUOUS, [1.5, None, -2.25])
    for dtype in ["float16", "float32", "float64", "Float32", "Float64", "float[pyarrow]", "double[pyarrow]"]
]
NULLABLE = [
    (pd.Series([1, None, 100], dtype=dtype), INTEGER, [1, None, 100])
    for dtype in [
        *("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"),
        *("int8[pyarrow]", "int64[pyarrow]", "uint8[pyarrow]", "uint64[pyarrow]"),
        *("float16", "float32", "float64", "Float32", "Float64", "double[pyarrow]"),
    ]
]
STRINGS = [
    (pd.Series(["b", None, "a", "b"], dtype=dtype), CATEGORICAL, ["b", None, "a", "b"])
    for dtype in [
        *("str", "string[python]", "string[pyarrow]"),
        *(pd.StringDtype("python", na_value=np.nan), pd.StringDtype("pyarrow", na_value=np.nan)),
        *(pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.large_string()), object),
    ]
]
BOOLEANS = [
    (pd.Series([True, False], dtype="bool"), BOOLEAN, [True, False]),
    (pd.Series([True, None, False], dtype="boolean"), BOOLEAN, [True, None, False]),
    (pd.Series([True, None, False], dtype="bool[pyarrow]"), BOOLEAN, [True, None, False]),
    (objects(True, None, False), BOOLEAN, [True, None, False]),
]
CATEGORIES = [
    (
        category(["low", None, "high"], ["low", "mid", "high"], ordered=True),
        CATEGORICAL,
        ["low", None, "high"],
    ),
    (category(["b", "a"], ["b", "a", "unused"]), CATEGORICAL, ["b", "a"]),
    (category([3, None, 1], [3, 1]), CATEGORICAL, [3, None, 1]),
    (category([0.5, None], [0.5, 2.5], ordered=True), CATEGORICAL, [0.5, None]),
    (category([True, None, False], [True, False]), CATEGORICAL, [True, None, False]),
    (category([T0, None, T1], [T0, T1]), CATEGORICAL, [T0, None, T1]),
    (pd.Series(pd.cut([1, 5, 9], [0, 4, 10])), CATEGORICAL, None),
    (category([], []), CATEGORICAL, []),
    (category([None, None], ["a"]), CATEGORICAL, [None, None]),
    (arrow(["b", None, "a"], pa.dictionary(pa.int8(), pa.string())), CATEGORICAL, ["b", None, "a"]),
    (arrow(["b", None], pa.dictionary(pa.int8(), pa.string(), ordered=True)), CATEGORICAL, ["b", None]),
    (arrow([30, None, 10], pa.dictionary(pa.int32(), pa.int64())), CATEGORICAL, [30, None, 10]),
]
DATETIMES = [
    *((pd.Series([T0, None, T1], dtype=f"datetime64[{u}]"), DATETIME, None) for u in ["s", "ms", "us", "ns"]),
    *((pd.Series([T0, None, T1], dtype=f"datetime64[{u}, Europe/Paris]"), DATETIME, None) for u in ["s", "ns"]),
    (pd.Series([T0, None], dtype="datetime64[us, UTC]"), DATETIME, None),
    (
        pd.Series([T0, None], dtype=pd.DatetimeTZDtype("ns", dt.timezone(dt.timedelta(hours=5)))),
        DATETIME,
        None,
    ),
    (arrow([T0, None, T1], pa.timestamp("ms")), DATETIME, None),
    (arrow([T0.tz_localize(PARIS), None], pa.timestamp("us", "Europe/Paris")), DATETIME, None),
    (arrow([T0.date(), None], pa.date32()), DATETIME, None),
    (arrow([T0.date(), None], pa.date64()), DATETIME, None),
]
OBJECTS = [
    (objects(3, None, -1), INTEGER, [3, None, -1]),
    (objects(3.0, np.nan, 1.0), INTEGER, [3, None, 1]),
    (objects(0.5, np.nan, 1), CONTINUOUS, [0.5, None, 1.0]),
    (objects(Decimal("0.1"), None, Decimal("-2.50")), CONTINUOUS, [0.1, None, -2.5]),
    (objects(Decimal(7), Decimal(8)), INTEGER, [7, 8]),
    (objects("b", pd.NA, "a"), CATEGORICAL, ["b", None, "a"]),
    (objects("b", np.nan, ""), CATEGORICAL, ["b", None, ""]),
    (objects("b", 2, None, (1, 2), "10", 1), CATEGORICAL, ["b", 2, None, (1, 2), "10", 1]),
    (objects(b"x", b"a"), CATEGORICAL, [b"x", b"a"]),
    (objects(None, None), CATEGORICAL, [None, None]),
    (objects(np.nan, np.nan), CATEGORICAL, [None, None]),
    (objects(), CATEGORICAL, []),
    (objects(dt.date(2024, 2, 29), None, dt.date(1, 1, 1)), DATETIME, None),
    (objects(dt.datetime(2024, 2, 29, 1, 2, 3, 4), None, dt.datetime(9999, 1, 1)), DATETIME, None),
    (objects(dt.datetime(2024, 2, 29, tzinfo=PARIS), None), DATETIME, None),
    (objects(T0, pd.NaT, T1), DATETIME, None),
    (objects(pd.Timestamp(1, unit="ns"), T0.as_unit("ns")), DATETIME, None),
    (objects(T0.tz_localize("Europe/Paris"), None), DATETIME, None),
]
OTHERS = [
    (pd.Series(pd.arrays.SparseArray([0, 0, 5])), INTEGER, [0, 0, 5]),
    (pd.Series(pd.arrays.SparseArray([np.nan, 0.5, np.nan])), CONTINUOUS, [None, 0.5, None]),
    (pd.Series(pd.arrays.SparseArray([True, False, False])), BOOLEAN, [True, False, False]),
    (arrow([Decimal("1.25"), None], pa.decimal128(6, 2)), CONTINUOUS, [1.25, None]),
    (arrow([Decimal("3"), None], pa.decimal128(6, 2)), INTEGER, [3, None]),
    (arrow([None, None], pa.null()), CATEGORICAL, [None, None]),
    (pd.Series([np.inf, 1.0]), CONTINUOUS, [np.inf, 1.0]),
    (pd.Series([2.0**53, 1.0]), CONTINUOUS, [2.0**53, 1.0]),
    (pd.Series([2.0**53 - 1, 1.0]), INTEGER, [2**53 - 1, 1]),
    (pd.Series([*[1.0] * 2000, 0.5]), CONTINUOUS, [*[1.0] * 2000, 0.5]),
    (pd.Series([np.nan, np.nan]), CONTINUOUS, [None, None]),
    (pd.Series([], dtype="float64"), CONTINUOUS, []),
    (pd.Series([2**63 - 1, -(2**63)]), INTEGER, [2**63 - 1, -(2**63)]),
]
ALL = [*WIDTHS, *FLOATS, *NULLABLE, *STRINGS, *BOOLEANS, *CATEGORIES, *DATETIMES, *OBJECTS, *OTHERS]


def described(case):
    return f"{case[0].dtype}-{len(case[0])}" if isinstance(case, tuple) else None


def decoded(table, name):
    """The column's values as Python's own, by its schema."""
    column, data = table.schema[name], table[name]
    values = data.values.tolist()
    if column.kind.has_levels:
        values = [None if code == -1 else column.levels[code] for code in values]
    absent = [False] * len(values) if data.missing is None else data.missing.tolist()
    return [None if gone else value for value, gone in zip(values, absent, strict=True)]


def markers(series):
    return [value for value, gone in zip(series, series.isna(), strict=True) if gone]


@pytest.mark.parametrize("case", ALL, ids=described)
def test_each_type_is_read_as_its_kind_and_written_back(case):
    series, kind, values = case
    X = pd.DataFrame({"x": series})
    before = X.copy(deep=True)
    table = Table.from_frame(X)
    back = table.to_frame()
    assert table.schema["x"].kind is kind
    if values is not None:
        assert decoded(table, "x") == values
    assert_frame_equal(back, before, check_exact=True)
    assert_frame_equal(X, before)
    assert all(a is b or (a != a and b != b) for a, b in zip(markers(back["x"]), markers(X["x"]), strict=True))


@pytest.mark.parametrize("case", ALL, ids=described)
def test_taken_and_joined_rows_keep_their_type(case):
    X = pd.DataFrame({"x": case[0]})
    rows = list(range(len(X)))[::-1] * 2
    table = Table.from_frame(X).take(rows)
    assert_frame_equal(table.to_frame(), X.iloc[rows].reset_index(drop=True), check_exact=True)
    joined = table.concat(Table.from_frame(X)).to_frame()
    expected = X.iloc[rows + list(range(len(X)))].reset_index(drop=True)
    assert_frame_equal(joined, expected, check_exact=True)
    assert_frame_equal(table.take([]).to_frame(), X.iloc[:0].reset_index(drop=True))


@pytest.mark.parametrize("case", ALL, ids=described)
def test_any_column_may_be_read_as_categorical(case):
    X = pd.DataFrame({"x": case[0]})
    table = Table.from_frame(X, kinds={"x": "categorical"})
    assert table.schema["x"].kind is CATEGORICAL
    assert_frame_equal(table.to_frame(), X, check_exact=True)
    if case[2] is not None and case[1] is not CATEGORICAL:
        # Decimals stay decimals; only in their own kind are they floats.
        same = {level: float(level) if isinstance(level, Decimal) else level for level in table.schema["x"].levels}
        assert list(same.values()) == sorted({value for value in case[2] if value is not None})
        assert [same.get(value) for value in decoded(table, "x")] == case[2]


@pytest.mark.parametrize("case", [case for case in ALL if case[1] is INTEGER and len(case[0]) == 3], ids=described)
def test_any_integer_column_may_be_read_as_continuous(case):
    X = pd.DataFrame({"x": case[0]})
    table = Table.from_frame(X, kinds={"x": Kind.CONTINUOUS})
    assert table["x"].values.dtype == np.float64
    assert decoded(table, "x") == case[2]
    assert_frame_equal(table.to_frame(), X, check_exact=True)


def test_objects_are_written_back_as_the_same_python_types():
    values = [7, 0.5, True, "a", Decimal("0.1"), dt.date(2024, 1, 1), dt.datetime(2024, 1, 1), T0]
    X = pd.DataFrame({str(place): objects(value) for place, value in enumerate(values)})
    back = Table.from_frame(X).to_frame()
    assert [type(back[name][0]) for name in back] == [type(value) for value in values]


@pytest.mark.parametrize("marker", [None, np.nan, pd.NA], ids=repr)
@pytest.mark.parametrize("value", ["a", 3, 0.5, True, Decimal(1), dt.date(2024, 1, 1), T0, (1, 2)], ids=repr)
def test_objects_keep_their_marker_of_missing(marker, value):
    X = pd.DataFrame({"x": objects(value, marker)})
    table = Table.from_frame(X)
    assert table.to_frame()["x"][1] is marker
    # The rows joined first need not have had one.
    assert table.take([0]).concat(table).to_frame()["x"][2] is marker
    assert Table.from_frame(X[:1]).concat(table.take([1])).to_frame()["x"][1] is marker


def test_pieces_of_arrow_columns():
    pieces = [pa.array(["b"]), pa.array(["a", "b", None])]
    X = pd.DataFrame(
        {
            "text": pd.arrays.ArrowExtensionArray(pa.chunked_array(pieces)),
            "coded": pd.arrays.ArrowExtensionArray(pa.chunked_array([one.dictionary_encode() for one in pieces])),
        }
    )
    table = Table.from_frame(X)
    assert [column.levels for column in table.schema] == [("a", "b"), ("b", "a")]
    assert_frame_equal(table.to_frame(), X)


def test_a_null_among_the_values_of_a_dictionary_is_missing():
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), pa.array(["b", None, "a"]))
    table = Table.from_frame(pd.DataFrame({"x": pd.arrays.ArrowExtensionArray(pa.chunked_array([coded]))}))
    assert table.schema["x"].levels == ("b", "a")
    assert table["x"].values.tolist() == [0, -1, 1, -1]
    assert table.to_frame()["x"].tolist()[::2] == ["b", "a"]


def test_several_markers_in_one_column_become_the_first():
    back = Table.from_frame(pd.DataFrame({"x": objects("a", np.nan, None)})).to_frame()["x"]
    assert back[1] is back[2] is np.nan


def test_levels():
    X = pd.DataFrame(
        {
            "text": ["Z", "a", "é"],
            "mixed": objects(10, "1", None),
            "declared": category(["b", "b", "a"], ["c", "b", "a"]),
            "numbers": category([3, 1, None], [3, 1]),
            "arrow": arrow(["q", "p", None], pa.dictionary(pa.int8(), pa.string())),
        }
    )
    schema = Table.from_frame(X).schema
    assert [column.levels for column in schema] == [
        ("Z", "a", "é"),
        ("1", 10),
        ("c", "b", "a"),
        (3, 1),
        ("q", "p"),
    ]
    assert all(type(level) is int for level in schema["numbers"].levels)


def test_levels_of_numbers_read_as_categorical_are_the_callers_own():
    X = pd.DataFrame({"a": [3, 1, 3], "b": [2.0, np.nan, 1.0], "t": [T0, T1, T0]})
    schema = Table.from_frame(X, kinds=dict.fromkeys("abt", "categorical")).schema
    assert [column.levels for column in schema] == [(1, 3), (1.0, 2.0), (T1, T0)]
    assert [type(column.levels[0]) for column in schema] == [int, float, pd.Timestamp]


@pytest.mark.parametrize(("n", "dtype"), [(128, "int8"), (129, "int16"), (2**15, "int16"), (2**15 + 1, "int32")])
def test_codes_are_narrow(n, dtype):
    words = [f"{place:06}" for place in range(n)]
    for series in (pd.Series(words), pd.Series(words, dtype="category"), pd.Series(words, dtype=object)):
        data = Table.from_frame(pd.DataFrame({"x": series}))["x"]
        assert data.values.dtype == dtype
        assert data.values.tolist() == list(range(n))


@pytest.mark.parametrize(
    ("unit", "step"), [("s", SECOND), ("ms", 10**6), ("us", 10**3), ("ns", 1)], ids=lambda case: str(case)
)
def test_datetimes_count_their_own_unit(unit, step):
    X = pd.DataFrame({"t": pd.Series(["1970-01-01 00:00:02", None], dtype=f"datetime64[{unit}]")})
    table = Table.from_frame(X)
    assert table.schema["t"].step == step
    assert table["t"].values.tolist() == [2 * SECOND // step, 0]


def test_dates_count_days():
    columns = {"o": objects(dt.date(1970, 1, 3)), "a": arrow([dt.date(1970, 1, 3)], pa.date64())}
    table = Table.from_frame(pd.DataFrame(columns))
    assert [(column.step, table[column.name].values[0]) for column in table.schema] == [(DAY, 2), (DAY, 2)]


def test_times_in_a_zone_are_wall_times():
    paris = pd.Series(["1970-01-01 08:00"], dtype="datetime64[s]").dt.tz_localize("Europe/Paris")
    table = Table.from_frame(pd.DataFrame({"t": paris, "o": paris.astype(object)}))
    assert table["t"].values[0] * table.schema["t"].step == 8 * 3600 * SECOND
    assert table["o"].values[0] * table.schema["o"].step == 8 * 3600 * SECOND


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_clock_changes(kind):
    zone = "America/New_York"
    utc = pd.DatetimeIndex(["2024-11-03 05:30", "2024-11-03 06:30"], tz="UTC").as_unit("us")
    dtype = pd.ArrowDtype(pa.timestamp("us", zone)) if kind == "arrow" else f"datetime64[us, {zone}]"
    table = Table.from_frame(pd.DataFrame({"t": pd.Series(utc.tz_convert(zone)).astype(dtype)}))
    assert table["t"].values[0] == table["t"].values[1]
    # Of the hour that comes twice, the first; of the hour left out, its end.
    gap = np.array(["2024-03-10T02:30"], dtype="datetime64[us]").view(np.int64)
    first, second, moved = table.concat(table.take([0]).replace_data({"t": type(table["t"])(gap)})).to_frame()["t"]
    assert first == second == utc[0]
    assert moved == pd.Timestamp("2024-03-10 03:00", tz=zone)


def test_index_labels_and_order():
    labels = pd.Index(["b", 1, ("t", 2), None, 2.5, T0], name="features")
    X = pd.DataFrame(np.arange(12).reshape(2, 6), columns=labels, index=[7, 7])
    table = Table.from_frame(X)
    assert table.schema.names == ("b", "1", "('t', 2)", str(labels[3]), "2.5", "2024-02-29 12:30:00")
    assert_frame_equal(table.to_frame(), X.reset_index(drop=True))
    assert isinstance(table.to_frame().index, pd.RangeIndex)
    assert table.to_frame().columns.name == "features"


def test_labels_of_several_levels():
    X = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    assert_frame_equal(Table.from_frame(X).to_frame(), X)


@pytest.mark.parametrize("name", ["", " ", "a b", "a-b.c", "`tick`", "größe", "年齢", "\n", "IF", "x0", "🙂"])
def test_names_may_be_anything(name):
    X = pd.DataFrame({name: [1.5], f"{name}2": ["a"]})
    table = Table.from_frame(X)
    assert table.schema.names == (name, f"{name}2")
    assert table[name].values.tolist() == [1.5]
    assert_frame_equal(table.to_frame(), X)


UNREADABLE = [
    (pd.Series([pd.Timedelta(1)]), "timedelta64[ns]", "a number of seconds"),
    (pd.Series([1j]), "complex128", "two columns, its real and its imaginary part"),
    (pd.Series(pd.period_range("2024", periods=1, freq="D")), "period[D]", "timestamps"),
    (pd.Series(pd.interval_range(0, 1)), "interval[int64, right]", "text or categories"),
    (arrow([[1]], pa.list_(pa.int64())), "list<item: int64>[pyarrow]", "one column per element"),
    (arrow([{"a": 1}], pa.struct([("a", pa.int64())])), "struct<a: int64>[pyarrow]", "one column per field"),
    (arrow([dt.timedelta(1)], pa.duration("us")), "duration[us][pyarrow]", "a number of seconds"),
    (arrow([dt.time(1)], pa.time64("us")), "time64[us][pyarrow]", "numbers, text or timestamps"),
    (objects([1], None), "objects of type list", "one column per element"),
    (objects(dt.timedelta(1), None), "timedelta objects", "a number of seconds"),
    (objects(1j, None), "complex objects", "two columns, its real and its imaginary part"),
    (objects(pd.Period("2024"), None), "period objects", "timestamps"),
    (objects(pd.Interval(0, 1)), "interval objects", "text or categories"),
]


@pytest.mark.parametrize("case", UNREADABLE, ids=described)
def test_types_that_a_table_cannot_hold(case):
    series, dtype, way_out = case
    with pytest.raises(TableError) as caught:
        Table.from_frame(pd.DataFrame({"fine": 1, "odd one": series}))
    assert str(caught.value) == f"Column 'odd one' holds {dtype}, which a table cannot. Convert it to {way_out}."


@pytest.mark.parametrize(
    "series",
    [
        pd.Series([2**63], dtype="uint64"),
        pd.Series([2**63, None], dtype="UInt64"),
        pd.Series([2**63, None], dtype="uint64[pyarrow]"),
        objects(2**63),
        objects(-(2**63) - 1, None),
        objects(10**400, 0.5),
    ],
    ids=lambda series: str(series.dtype),
)
def test_integers_that_are_too_large(series):
    with pytest.raises(TableError) as caught:
        Table.from_frame(pd.DataFrame({"n": series}))
    assert str(caught.value) == (
        "Column 'n' holds an integer outside the range of int64 (above 2**63 - 1 or below -2**63). "
        "Convert it to float64 or to text."
    )


def test_objects_of_several_time_zones():
    X = pd.DataFrame({"t": objects(T0.tz_localize("UTC"), T0.tz_localize(PARIS))})
    with pytest.raises(TableError) as caught:
        Table.from_frame(X)
    assert str(caught.value) == (
        "Column 't' holds times of 2 time zones. Convert it to one, as pd.to_datetime(column, utc=True) does."
    )


@pytest.mark.parametrize("case", ALL, ids=described)
def test_a_later_change_of_the_input_is_not_seen(case):
    X = pd.DataFrame({"x": case[0].copy(deep=True)})
    before = X.copy(deep=True)
    table = Table.from_frame(X)
    array = X["x"].array
    # Both in pandas' own way and behind its back.
    buffers = [
        array,
        getattr(array, "_data", None),
        getattr(array, "_mask", None),
        getattr(array, "_ndarray", None),
    ]
    for buffer in buffers:
        if isinstance(buffer, np.ndarray):
            buffer.flags.writeable = True
            buffer[...] = buffer[::-1].copy()
    X["x"] = X["x"][::-1].array
    assert_frame_equal(table.to_frame(), before)


@pytest.mark.parametrize("case", ALL, ids=described)
def test_a_change_of_the_output_is_not_seen(case):
    table = Table.from_frame(pd.DataFrame({"x": case[0]}))
    first, kept = table.to_frame(), table.to_frame()
    if len(first) and not isinstance(first["x"].dtype, pd.SparseDtype):  # pandas cannot set values of such
        first.loc[0, "x"] = first["x"].iloc[-1]
    assert_frame_equal(table.to_frame(), kept)
