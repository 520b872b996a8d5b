"""Masks: every kind of condition on every kind of column, against plain Python."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import operator

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.rules.brute_force import COMPARE

from frote.rules import Clause, Condition
from frote.rules.masks import clause_mask, prepare
from frote.table import Column, Kind, Table

quick = settings(max_examples=examples(200))


def conditions(literals):
    """Yield conditions of every sort on these literals, each with a plain test of a value that is not None."""
    for (sign, test), literal in itertools.product(COMPARE.items(), literals):
        yield Condition.compare(sign, literal), lambda value, test=test, literal=literal: test(value, literal)
    for low, high in itertools.combinations(sorted(literals), 2):
        for below, above in itertools.product((operator.lt, operator.le), repeat=2):
            signs = {operator.lt: (">", "<"), operator.le: (">=", "<=")}
            inside = Condition.compare(signs[below][0], low) & Condition.compare(signs[above][1], high)

            def within(value, low=low, high=high, below=below, above=above):
                return below(low, value) and above(value, high)

            yield inside, within
            yield inside | Condition.compare("=", high), lambda v, high=high, within=within: within(v) or v == high
    yield Condition.among(literals), lambda value: value in literals
    yield Condition.among([]), lambda _: False


def check(frame, values, literals, meaning=lambda literal: literal, *, kind=None):
    """Compare masks on a column `x` with plain tests; None is a missing value."""
    table = Table.from_frame(frame)
    if kind is not None:
        assert table.schema["x"].kind is kind
    for condition, test in conditions([meaning(literal) for literal in literals]):
        expected = np.array([value is not None and bool(test(value)) for value in values])
        missing = np.array([value is None for value in values])
        for one, wanted in (
            (condition, expected),
            (~condition, ~expected),
            (condition | Condition.is_missing(), expected | missing),
            (~(condition | Condition.is_missing()), ~(expected | missing)),
        ):
            found = clause_mask(Clause.of({"x": one}), table)
            assert found.dtype == bool
            assert found.tolist() == wanted.tolist(), one
    assert clause_mask(Clause.of({"x": Condition.is_missing()}), table).tolist() == [v is None for v in values]
    assert clause_mask(Clause(), table).all()


LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        ("int64", [LEAST, LEAST + 1, -1, 0, 1, MOST - 1, MOST]),
        ("Int64", [LEAST, None, -1, 0, MOST]),
        ("int8", [-128, -1, 0, 127]),
        ("uint8", [0, 1, 127, 128, 255]),
        ("UInt8", [0, 1, None, 255]),
        ("uint64", [0, 1, 2**53 + 1, MOST]),
        ("float64", [-3.0, 0.0, None, 2.0**40]),
        ("float32", [-3.0, 0.0, None, 7.0]),
        ("Float64", [-3.0, 0.0, None, 7.0]),
    ],
)
def test_whole_numbers(dtype, values):
    frame = pd.DataFrame({"x": pd.Series(values, dtype=dtype)})
    literals = [LEAST - 1, LEAST, LEAST + 1, -1, 0, 0.5, 1, 128, 2**53 + 1, MOST, MOST + 1, 10**30, -1e300]
    check(frame, values, literals, kind=Kind.INTEGER)


def test_reals():
    next_to_one = math.nextafter(1.0, 2)
    values = [-math.inf, -1e308, -0.5, -0.0, 5e-324, 1.0, next_to_one, 1.5, 1e308, math.inf, None]
    check(
        pd.DataFrame({"x": values}, dtype=float),
        values,
        [-1e308, 0, 1, 1.0, next_to_one, 2, 1e308],
        kind=Kind.CONTINUOUS,
    )


def test_whole_literals_that_no_double_holds():
    values = [0.5, 2.0**53, 2.0**53 + 2, 2.0**53 + 4, -(2.0**60), 2.0**60, 2.0**60 + 256, None]
    literals = [2**53 + d for d in range(-1, 6)] + [2**60 - 1, 2**60 + 1, 2**60 + 255, -(2**60) - 1, -(2**60) + 1]
    check(pd.DataFrame({"x": values}, dtype=float), values, literals, kind=Kind.CONTINUOUS)


@quick
@given(
    st.lists(st.one_of(st.none(), st.floats(allow_nan=False)), min_size=1, max_size=6),
    st.lists(
        st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**70), 2**70)),
        min_size=1,
        max_size=3,
    ),
)
def test_any_reals(values, literals):
    known = [value for value in values if value is not None]
    # Thresholds on and beside the values are where it may go wrong.
    near = [
        v for v in (f(k) for k in known[:2] for f in (float, lambda k: math.nextafter(k, 9e99))) if math.isfinite(v)
    ]
    check(
        pd.DataFrame({"x": [*values, 0.5]}, dtype=float), [*values, 0.5], [*literals, *near][:4], kind=Kind.CONTINUOUS
    )


@quick
@given(
    st.lists(st.one_of(st.none(), st.integers(LEAST, MOST)), min_size=1, max_size=6),
    st.lists(st.one_of(st.integers(LEAST - 2, MOST + 2), st.floats(-1e20, 1e20), st.integers(-3, 3)), max_size=3),
)
def test_any_whole_numbers(values, literals):
    values = [*values, 0]
    known = [value for value in values if value is not None]
    check(pd.DataFrame({"x": pd.array(values, dtype="Int64")}), values, [*literals, known[0]], kind=Kind.INTEGER)


LEVELS = ["a", "b", "2", "02", "2.5", "2024-03-01", "true", "it's"]


@pytest.mark.parametrize("dtype", ["category", "object", "string", "polars"])
def test_levels(dtype):
    values = [*LEVELS, None, "a", "b"]
    frame = pl.DataFrame({"x": values}) if dtype == "polars" else pd.DataFrame({"x": pd.Series(values, dtype=dtype)})
    table = Table.from_frame(frame)
    for size in range(4):
        for chosen in itertools.combinations([*LEVELS, "zz"], size):
            expected = [value in chosen for value in values]
            inside = Condition.among(chosen)
            for one, wanted in (
                (inside, expected),
                (~inside, [not found for found in expected]),
                (inside | Condition.is_missing(), [value is None or value in chosen for value in values]),
            ):
                assert clause_mask(Clause.of({"x": one}), table).tolist() == wanted
    for literal, level in ((2, "2"), (2.0, "2"), (2.5, "2.5"), (dt.date(2024, 3, 1), "2024-03-01"), (True, "true")):
        mask = clause_mask(Clause.of({"x": Condition.compare("=", literal)}), table)
        assert mask.tolist() == [value == level for value in values]


@pytest.mark.parametrize("count", [1, 127, 128, 129, 40_000])
def test_many_levels(count):
    """Codes are as narrow as the number of levels allows; the last level and missing are told apart."""
    values = [*map("v{}".format, range(count)), None]
    table = Table.from_frame(pd.DataFrame({"x": pd.Categorical(values)}))
    last = Condition.among([values[-2]])
    assert np.flatnonzero(clause_mask(Clause.of({"x": last}), table)).tolist() == [count - 1]
    assert np.flatnonzero(clause_mask(Clause.of({"x": last | Condition.is_missing()}), table)).tolist() == [
        count - 1,
        count,
    ]
    assert clause_mask(Clause.of({"x": ~last}), table).sum() == count


def test_numbers_as_levels():
    table = Table.from_frame(pd.DataFrame({"x": [1.0, 2.0, None, 2.0]}), kinds={"x": "categorical"})
    assert clause_mask(Clause.of({"x": Condition.compare("=", 2)}), table).tolist() == [False, True, False, True]


@pytest.mark.parametrize("dtype", ["bool", "boolean", "object", "polars"])
def test_truth_values(dtype):
    values = [True, False, True] if dtype == "bool" else [True, False, None]
    frame = pl.DataFrame({"x": values}) if dtype == "polars" else pd.DataFrame({"x": pd.Series(values, dtype=dtype)})
    table = Table.from_frame(frame)
    assert table.schema["x"].kind is Kind.BOOLEAN
    for literal, meant in ((True, True), ("true", True), ("FALSE", False), (1, True), (0, False), (0.0, False)):
        equal = Condition.compare("=", literal)
        unequal = Condition.compare("!=", literal)
        for one, wanted in (
            (equal, [value is meant for value in values]),
            (~equal, [value is not meant for value in values]),
            (unequal, [value is not None and value is not meant for value in values]),
            (~unequal, [value is None or value is meant for value in values]),
        ):
            assert clause_mask(Clause.of({"x": one}), table).tolist() == wanted


MOMENTS = [
    dt.datetime(1, 1, 1),
    dt.datetime(1969, 12, 31, 23, 59, 59),
    dt.datetime(1970, 1, 1),
    dt.datetime(2024, 3, 1),
    dt.datetime(2024, 3, 1, 0, 0, 1),
    dt.datetime(2024, 3, 1, 12, 30),
    None,
    dt.datetime(9999, 12, 31),
]
# With parts of a second too, on which few of the columns can be.
THRESHOLDS = [
    dt.datetime(1, 1, 1),
    dt.datetime(1969, 12, 31, 23, 59, 59, 500_000),
    dt.datetime(1970, 1, 1),
    dt.datetime(2024, 3, 1),
    dt.datetime(2024, 3, 1, 0, 0, 0, 1),
    dt.datetime(2024, 3, 1, 0, 0, 1),
    dt.datetime(9999, 12, 31),
]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_datetimes(unit):
    values = [v for v in MOMENTS if unit != "ns" or v is None or 1700 < v.year < 2200]
    frame = pd.DataFrame({"x": np.array(values, dtype=f"datetime64[{unit}]")})
    assert frame["x"].dtype == f"datetime64[{unit}]"
    check(frame, values, THRESHOLDS, kind=Kind.DATETIME)


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_polars_datetimes(unit):
    values = [v for v in MOMENTS if unit != "ns" or v is None or 1700 < v.year < 2200]
    check(pl.DataFrame({"x": pl.Series(values, dtype=pl.Datetime(unit))}), values, THRESHOLDS, kind=Kind.DATETIME)


def test_polars_dates():
    values = [v and v.replace(hour=0, minute=0, second=0) for v in MOMENTS]
    frame = pl.DataFrame({"x": pl.Series([v and v.date() for v in values], dtype=pl.Date)})
    check(frame, values, THRESHOLDS, kind=Kind.DATETIME)
    half_past = Condition.compare(">", "2024-03-01T12:00") & Condition.compare("<", "2024-03-01T13:00")
    assert not clause_mask(Clause.of({"x": half_past}), Table.from_frame(frame)).any()


def test_nanoseconds():
    frame = pd.DataFrame({"x": np.array(["2024-03-01T00:00:00.000000001", "2024-03-01"], dtype="datetime64[ns]")})
    table = Table.from_frame(frame)
    for literal, expected in (("2024-03-01", [True, False]), ("2024-03-01T00:00:00.000000001", [False, False])):
        assert clause_mask(Clause.of({"x": Condition.compare(">", literal)}), table).tolist() == expected
    assert clause_mask(Clause.of({"x": Condition.compare("<", "2999-12-31")}), table).all()
    assert not clause_mask(Clause.of({"x": Condition.compare(">", "2999-12-31")}), table).any()


def test_time_zones_count_by_the_wall_clock():
    values = [dt.datetime(2024, 3, 1, 0, 30), dt.datetime(2024, 2, 29, 23, 30), None]
    stamps = pd.Series(pd.to_datetime(values)).dt.tz_localize("Asia/Tokyo")
    check(pd.DataFrame({"x": stamps}), values, [dt.datetime(2024, 3, 1), values[0]], kind=Kind.DATETIME)
    polars = pl.DataFrame({"x": pl.Series(values).dt.replace_time_zone("Asia/Tokyo")})
    check(polars, values, [dt.datetime(2024, 3, 1), values[0]], kind=Kind.DATETIME)


def test_arrays():
    values = [1.5, 2.5, None]
    table = Table.from_frame(np.array([[1.5], [2.5], [np.nan]]))
    assert clause_mask(Clause.of({"x0": Condition.compare("<=", 1.5)}), table).tolist() == [v == 1.5 for v in values]


@pytest.mark.parametrize("kind", list(Kind))
def test_stretches_of_a_column(kind):
    """A test that was prepared once serves any stretch of rows, and the empty one."""
    levels = {Kind.CATEGORICAL: ("a", "b"), Kind.BOOLEAN: (False, True)}.get(kind, ())
    dtype = np.int8 if levels else float if kind is Kind.CONTINUOUS else np.int64
    literal = {"categorical": "a", "boolean": True, "datetime": dt.datetime(1970, 1, 1)}.get(kind, 0)
    for condition in (Condition.compare("=", literal), Condition.anything(), Condition.nothing()):
        test = prepare(condition, Column("x", kind, levels))
        for count in (0, 1, 3):
            found = test(np.zeros(count, dtype=dtype), None)
            assert (found.shape, found.dtype) == ((count,), bool)
