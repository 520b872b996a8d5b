"""Moves: into the nearest of some clauses, by the columns that fail alone, in the caller's own types."""

from __future__ import annotations

import datetime as dt
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.rules.brute_force import FRAME, SCHEMA, TABLE, VALUES, boxes, build, clause, holds

import frote
from frote.generation.moves import Goal, Mover
from frote.rules.partition import unite
from frote.table import Table

NUMBERS = ("whole", "real", "date")
SINGLE = np.array([1.5, 2.5], dtype=np.float32)


def moved(X, text, rows, *, inside, **parameters):
    """Move all rows into or out of a rule; values are learned from X."""
    table = Table.from_frame(X)
    rule = frote.parse_rules(f"IF {text} THEN yes").bind(table.schema)
    goal = Goal.of((piece.clause for piece in rule), inside=inside)
    return Mover(table, [goal], **parameters).move(rows, Table.from_frame(rows), [(goal, np.arange(len(rows)))])


def as_numbers(values):
    """Return numbers or dates as floats, as far apart as the column counts them; NaN for None."""
    if any(isinstance(value, dt.datetime) for value in values):
        return np.array(
            [np.nan if value is None else (value - dt.datetime(1970, 1, 1)).total_seconds() for value in values]
        )
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def spread(name):
    """Return the standard deviation of a column of the world, every value of which is equally frequent."""
    known = as_numbers(VALUES[name])
    with np.errstate(over="ignore"):
        found = float(np.std(known[np.isfinite(known)]))
    return found if 0 < found < math.inf else 1.0


SPREADS = {name: spread(name) for name in NUMBERS}


def cost(name, before, after):
    """Tell what it costs to change a value of the world, in plain Python."""
    if before == after:
        return 0.0
    if name not in NUMBERS or before is None or after is None:
        return 1.0
    far = np.subtract(*as_numbers([before, after]))
    return min(abs(far) / SPREADS[name], 1e300)


def native(frame):
    """Return the rows of a frame of the world as dicts of Python's values, None for missing."""
    return [
        {name: None if pd.isna(value) else value for name, value in row.items()} for row in frame.to_dict("records")
    ]


def world(draw_rows):
    return FRAME.iloc[draw_rows].set_axis([f"row {place}" for place in range(len(draw_rows))])


def move_in_world(goal, rows):
    frame = world(rows)
    before = frame.copy(deep=True)
    found = Mover(TABLE, [goal]).move(frame, Table.from_frame(frame), [(goal, np.arange(len(frame)))])
    pd.testing.assert_frame_equal(frame, before)
    assert found.index.equals(frame.index)
    assert found.dtypes.equals(frame.dtypes)
    return list(zip(native(frame), native(found), strict=True)), goal.reached(Table.from_frame(found))


some_rows = st.lists(st.integers(0, len(FRAME) - 1), min_size=1, max_size=8)


def nearest_cost(name, tree, value):
    """Return what the cheapest change to a value that was seen costs; None if none of them meets the condition."""
    known = [
        other for other in VALUES[name] if other is not None and not (isinstance(other, float) and math.isinf(other))
    ]
    costs = [cost(name, value, other) for other in known if holds(tree, other)]
    if costs:
        return 1.0 if value is None else min(costs)
    return None


@given(boxes(), some_rows)
@settings(max_examples=examples(175))
def test_into_a_clause_by_the_columns_that_fail_alone(box, rows):
    pairs, reached = move_in_world(Goal.of([clause(box)], inside=True), rows)
    for (before, after), there in zip(pairs, reached, strict=True):
        fails = {name for name, tree in box.items() if not holds(tree, before[name])}
        possible = all(build(box[name]).pick(SCHEMA[name]) is not None for name in fails)
        assert there == possible
        if not possible:
            assert before == after
            continue
        assert {name for name in after if after[name] != before[name]} == fails
        for name in fails:
            cheapest = nearest_cost(name, box[name], before[name])
            if cheapest is not None:
                assert after[name] is not None
                spent = 1.0 if before[name] is None else cost(name, before[name], after[name])
                assert spent == pytest.approx(cheapest, rel=1e-12)


@given(boxes(), some_rows)
@settings(max_examples=examples(175))
def test_out_of_a_clause_by_the_one_column_that_is_cheapest(box, rows):
    pairs, reached = move_in_world(Goal.of([clause(box)], inside=False), rows)
    for (before, after), there in zip(pairs, reached, strict=True):
        changed = [name for name in after if after[name] != before[name]]
        if not all(holds(tree, before[name]) for name, tree in box.items()):
            assert not changed
            continue
        assert there == any((~build(tree)).pick(SCHEMA[name]) is not None for name, tree in box.items())
        if not there:
            assert not changed
            continue
        (name,) = changed
        spent = 1.0 if None in (before[name], after[name]) else cost(name, before[name], after[name])
        costs = [nearest_cost(other, ("not", tree), before[other]) for other, tree in box.items()]
        # Where nothing that was seen would do, a column may go to a value that was not.
        if None not in costs:
            assert spent == pytest.approx(min(costs), rel=1e-12)


COLUMNS = ("whole", "word", "flag", "date")


@given(st.lists(boxes(COLUMNS), min_size=1, max_size=3), some_rows, st.booleans())
@settings(max_examples=examples(65))
def test_rules_of_several_pieces_by_the_least_change_of_all(alternatives, rows, inside):
    pieces = unite([clause(box) for box in alternatives], SCHEMA)
    goal = Goal.of(pieces, inside=inside)
    pairs, reached = move_in_world(goal, rows)
    wanted = np.flatnonzero(goal.reached(TABLE))
    points = native(FRAME.iloc[wanted].drop_duplicates(list(COLUMNS)))
    for (before, after), there in zip(pairs, reached, strict=True):
        if not there:
            assert before == after
            assert not points
            continue
        made_missing = any(after[name] is None is not before[name] for name in COLUMNS)
        spent = sum(cost(name, before[name], after[name]) for name in COLUMNS)
        ways = [
            sum(cost(name, before[name], point[name]) for name in COLUMNS)
            for point in points
            if not any(point[name] is None is not before[name] for name in COLUMNS)
        ]
        if ways and not made_missing and all(after[name] in VALUES[name] for name in COLUMNS):
            assert spent == pytest.approx(min(ways), rel=1e-12)


X = pd.DataFrame(
    {
        "age": [20, 30, 40, 50, 60],
        "pay": [1.5, 2.5, 3.5, 4.5, np.nan],
        "job": ["clerk", "clerk", "smith", "baker", None],
        "when": pd.to_datetime(["2024-01-01", "2024-01-05", "2024-01-10", "2024-01-20", None]),
        "home": [True, True, False, True, True],
    }
)


def one(**values):
    """Return a row of X's types, with other values."""
    row = X.iloc[[1]].reset_index(drop=True)
    for name, value in values.items():
        row[name] = pd.Series([value], dtype=X[name].dtype)
    return row


@pytest.mark.parametrize(
    ("text", "column", "before", "after"),
    [
        ("age > 30", "age", 25, 40),
        ("age >= 30", "age", 25, 30),
        ("age < 30", "age", 33, 20),
        ("age BETWEEN 25 AND 45", "age", 60, 40),
        ("age = 30 OR age = 50", "age", 40, 30),  # of two equally near, the lower
        ("age != 30", "age", 30, 20),
        ("age > 60", "age", 25, 61),  # none was seen: the next whole number
        ("age > 30.5 AND age < 33", "age", 20, 31),
        ("age > 30.5 AND age < 33", "age", 90, 32),
        ("pay > 2", "pay", 1.0, 2.5),
        ("pay > 4.5", "pay", 1.0, math.nextafter(4.5, 5)),
        ("pay <= 1", "pay", 9.0, 1.0),
        ("pay > 3", "pay", np.nan, 3.5),  # from the median, 2.5
        ("pay IS MISSING", "pay", 1.0, np.nan),
        ("pay > 3 OR pay IS MISSING", "pay", 1.0, 3.5),
        ("job = smith", "job", "clerk", "smith"),
        ("job != clerk", "job", "clerk", "baker"),  # as frequent as smith, and before it
        ("job IN {clerk, smith}", "job", "baker", "clerk"),
        ("job IN {clerk, smith}", "job", None, "clerk"),
        ("job IN {clerk, smith}", "job", "a new one", "clerk"),
        ("job IS MISSING", "job", "clerk", None),
        ("when > 2024-01-05", "when", "2024-01-02", "2024-01-10"),
        ("when > 2024-01-20", "when", "2024-01-02", "2024-01-21"),  # midnights stay midnights
        ("when < 2024-01-03", "when", "2024-01-09", "2024-01-01"),
        ("home = false", "home", True, False),
    ],
)  # fmt: skip
def test_into_by_hand(text, column, before, after):
    expected = one(**{column: pd.Timestamp(after) if column == "when" else after})
    rows = one(**{column: pd.Timestamp(before) if column == "when" else before})
    pd.testing.assert_frame_equal(moved(X, text, rows, inside=True), expected)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("age > 25", {"age": 20}),
        ("age > 15", {"age": 15}),  # none was seen outside: the next whole number
        ("age > 25 AND pay > 2", {"age": 20}),  # 10 years are 0.71 deviations, 1.0 of pay 0.89
        ("age > 15 AND pay > 2", {"pay": 1.5}),  # 15 years are 1.06
        ("job = clerk AND age >= 0", {"job": "baker"}),  # 31 years are 2.2 deviations, another level is 1
        ("job != smith", {"job": "smith"}),
        ("job NOT IN {smith, baker}", {"job": "baker"}),
        ("job = clerk AND when = 2024-01-05", {"when": pd.Timestamp("2024-01-01")}),
        ("age IS NOT MISSING AND job != smith", {"job": "smith"}),  # this column's type cannot be missing
        ("pay IS NOT MISSING", {"pay": np.nan}),
        ("home = true", {"home": False}),
        ("job != nothing AND job IS NOT MISSING", {"job": None}),
        ("age = 30 OR (age > 10 AND job = smith)", {"age": 20}),
        ("age > 25 OR job = clerk", {"age": 20, "job": "baker"}),  # one change would leave it inside
    ],
)
def test_out_of_it_by_hand(text, changed):
    pd.testing.assert_frame_equal(moved(X, text, one(), inside=False), one(**changed))


def test_out_of_missing():
    text = "pay IS MISSING AND age > {}"
    rows = one(pay=np.nan)
    pd.testing.assert_frame_equal(moved(X, text.format(25), rows, inside=False), one(pay=np.nan, age=20))
    pd.testing.assert_frame_equal(moved(X, text.format(15), rows, inside=False), one(pay=2.5))
    pd.testing.assert_frame_equal(moved(X, "pay IS MISSING", one(pay=np.nan), inside=False), one(pay=2.5))
    pd.testing.assert_frame_equal(moved(X, "job IS MISSING", one(job=None), inside=False), one(job="clerk"))


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("TRUE", False),
        ("TRUE", True),
        ("age IS NOT MISSING", False),  # the type holds no missing
        ("age < 3 AND age > 2", True),  # nothing lies between
        ("home IS MISSING", True),
        ("job = sailor", True),  # a level that was not seen
        ("age > 0 OR job != clerk OR job = clerk OR job IS MISSING", False),
        ("age < 100", True),  # it is there already
        ("age > 100", False),
    ],
)
def test_rows_that_stay(text, inside):
    rows = one()
    assert moved(X, text, rows, inside=inside) is rows


def test_missing_is_not_made_where_none_was_seen():
    rows = one()
    assert moved(X[:4], "pay IS MISSING", rows, inside=True) is rows
    assert moved(X[:4], "job IS MISSING", rows, inside=True) is rows
    assert moved(X[:4], "when IS NOT MISSING", rows, inside=False) is rows


def test_values_that_were_not_seen_on_demand():
    assert moved(X, "age > 30", one(age=25), inside=True, observed=False)["age"].tolist() == [31]
    assert moved(X, "age <= 25", one(age=60), inside=True, observed=False)["age"].tolist() == [25]
    assert moved(X, "pay > 2", one(pay=1.0), inside=True, observed=False)["pay"].tolist() == [math.nextafter(2, 3)]
    assert moved(X, "when > 2024-01-05", one(), inside=True, observed=False)["when"].tolist() == [
        pd.Timestamp("2024-01-06")
    ]
    assert moved(X, "age < 90", one(age=100), inside=True, observed=False)["age"].tolist() == [89]
    assert moved(X, "age > 25", one(), inside=False, observed=False)["age"].tolist() == [25]


def test_equally_cheap_columns_by_the_order_of_conditions():
    Y = pd.DataFrame({"a": ["x", "y"], "b": ["x", "y"]})
    assert moved(Y, "a = x AND b = x", Y[:1], inside=False).iloc[0].tolist() == ["y", "x"]
    assert moved(Y, "b = x AND a = x", Y[:1], inside=False).iloc[0].tolist() == ["x", "y"]


def test_a_column_without_spread_or_values():
    Y = pd.DataFrame({"a": [7, 7, 7], "b": [np.nan] * 3, "c": [None] * 3, "d": [0.5, 1.5, 2.5]})
    assert moved(Y, "a > 7 AND b > 2 AND d < 1", Y[2:], inside=True).iloc[0].tolist() == [
        8,
        math.nextafter(2, 3),
        None,
        0.5,
    ]
    rows = Y[:1]
    assert moved(Y, "c = x", rows, inside=True) is rows
    assert moved(Y, "a = 7 AND d = 0.5", Y[:1], inside=False)["a"].tolist() == [6]  # a deviation of 1


def test_infinite_numbers():
    Y = pd.DataFrame({"a": [-np.inf, 1.0, 2.0, np.inf]})
    assert moved(Y, "a > 1.5", Y[:2], inside=True)["a"].tolist() == [2.0, 2.0]
    assert moved(Y, "a < 1.5", Y[3:], inside=True)["a"].tolist() == [1.0]
    assert moved(Y, "a > 5", Y[1:2], inside=True)["a"].tolist() == [math.nextafter(5, 6)]
    assert moved(Y, "a > 5", Y, inside=False)["a"].tolist() == [-np.inf, 1.0, 2.0, 2.0]


def test_numbers_farther_apart_than_floats_count():
    Y = pd.DataFrame({"a": [-1.7e308, 0.5, 1.7e308], "b": ["x", "y", "z"]})
    assert moved(Y, "a > 1", Y, inside=True)["a"].tolist() == [1.7e308] * 3
    assert moved(Y, "a > 1 AND b = z", Y[2:], inside=False)["b"].tolist() == ["x"]


def test_large_whole_numbers_are_exact():
    big = 2**60
    Y = pd.DataFrame({"a": [big + 1, big + 3]})
    assert moved(Y, f"a <= {big + 2}", Y, inside=True)["a"].tolist() == [big + 1, big + 1]
    assert moved(Y, f"a <= {big + 2}", Y, inside=True, observed=False)["a"].tolist() == [big + 1, big + 2]


@pytest.mark.parametrize(
    ("seen", "here", "text", "expected"),
    [
        # The kind that was seen counts, whatever these few rows look like.
        (np.array([1.5, 2.5, 3.5]), np.array([1.0]), "a > 2", 2.5),
        (np.array([1.5, 2.5, 3.5]), np.array([1.0]), "a > 3.5", math.nextafter(3.5, 4)),
        (np.array([1.0, 2.0, 3.0]), np.array([0.5]), "a > 3", 4.0),
        # Other types: what they cannot hold is not written.
        (np.array([1.5, 2.5, 3.5]), np.array([1]), "a > 3.5", 4),
        (np.array([1.5, 2.6, 3.5]), np.array([1]), "a > 2 AND a < 3", 1),
        (np.array([100, 300]), np.array([5], dtype=np.uint8), "a > 200", 5),
        (np.array([5, 300]), np.array([5], dtype=np.uint8), "a != 5", 5),
        (np.array([100, 300]), np.array([5], dtype=np.float32), "a > 200", 300),
        (np.array([1.5, np.nan]), np.array([5]), "a IS MISSING", 5),
        (np.array([1.5, 2.5]), np.array([1.0], dtype=np.float32), "a > 2.5", 1.0),
        (np.array([1.5, 1e300]), np.array([1.0], dtype=np.float32), "a > 2.5 AND a < 1e301", 1.0),
        (SINGLE, SINGLE[:1], "a > 2.5", np.nextafter(np.float32(2.5), np.float32(3))),
        (pd.array([1, None], dtype="Int8"), pd.array([1, 3], dtype="Int8"), "a IS MISSING", pd.NA),
        (np.array([1, 2, 3]), pd.array([1, None], dtype="Int64"), "a > 2", 3),
        (np.array([1.5, 2.5, 3.5], dtype=object), np.array([1], dtype=object), "a > 3 AND a < 3.6", 1),
        (np.array([1, 2, 3], dtype=object), np.array([1.5], dtype=object), "a > 2", 3.0),
        (np.array([1, 2, 3]), np.array(["1"], dtype=object), "a = 3", "1"),
        (np.array(["1", "2"], dtype=object), np.array([2]), "a = 1", 2),
        (np.array([1, 2, 3]), np.array([None], dtype=object), "a = 3", None),
    ],
)
def test_numbers_of_other_types(seen, here, text, expected):
    rows = pd.DataFrame({"a": here, "b": 1})
    found = moved(pd.DataFrame({"a": seen}), text, rows, inside=True)
    assert found["a"].dtype == rows["a"].dtype
    value = found["a"].iloc[0]
    assert value is expected or value == expected
    assert type(value) is type(rows["a"].iloc[0]) or expected is pd.NA


def categories(values, levels):
    return pd.Series(list(values), dtype=pd.CategoricalDtype(list(levels)))


@pytest.mark.parametrize(
    ("seen", "here", "text", "expected"),
    [
        # A text can be any text, also one that none of these rows has.
        (pd.Series(["x", "y", "y"], dtype=object), pd.Series(["x"], dtype=object), "a != x", "y"),
        (pd.Series(["x", "y", "y"], dtype="string"), pd.Series(["x"], dtype="string"), "a != x", "y"),
        (pd.Series(["x", "y", "y"], dtype="str"), pd.Series(["x"], dtype="str"), "a != x", "y"),
        (categories("xy", "xy"), categories("x", "xy"), "a = y", "y"),
        # A category is one of its type's, whatever was seen elsewhere.
        (categories("xy", "xy"), categories("x", "x"), "a = y", "x"),
        (categories("xy", "xy"), categories("x", "zyx"), "a = y", "y"),
        (categories("xy", "xyz"), categories("x", "xyz"), "a = z", "x"),  # it was not seen
        (pd.Series(["x", "y"], dtype=object), pd.Series(["x"], dtype="string"), "a = y", "x"),
        (pd.Series(["x", None]), pd.Series(["x"]), "a IS MISSING", None),
        (pd.Series([True, False]), pd.Series([True]), "a = false", False),
        (pd.Series([True, True]), pd.Series([True]), "a = false", True),  # false was not seen
        (pd.Series([True, None], dtype="boolean"), pd.Series([True], dtype="boolean"), "a IS MISSING", pd.NA),
        (pd.Series([True, None], dtype="boolean"), pd.Series([True]), "a IS MISSING", True),
        (pd.Series([1, "x", "x"], dtype=object), pd.Series([1, "y"], dtype=object), "a = x", "x"),
    ],
)  # fmt: skip
def test_levels_of_all_types(seen, here, text, expected):
    rows = pd.DataFrame({"b": range(len(here)), "a": here})
    found = moved(pd.DataFrame({"a": seen}), text, rows, inside=True)
    assert found["a"].dtype == rows["a"].dtype
    value = found["a"].iloc[0]
    assert (pd.isna(value) and pd.isna(expected)) or value == expected


def test_more_levels_than_a_byte_counts():
    levels = [f"level {number:03d}" for number in range(200)]
    seen = pd.DataFrame({"a": [*levels, levels[150]]})
    assert moved(seen, "a != 'level 001'", pd.DataFrame({"a": levels[1:2]}), inside=True)["a"].tolist() == [levels[150]]
    found = moved(seen, "a = 'level 150'", pd.DataFrame({"a": levels[:128]}), inside=True)
    assert found["a"].unique().tolist() == [levels[150]]


# Made when they are needed: polars starts threads, and tests are collected in processes that fork.
FRAMES = {
    "pandas": (X.convert_dtypes, lambda frame: frame),
    "arrow": (lambda: X.convert_dtypes(dtype_backend="pyarrow"), lambda frame: frame),
    "polars": (lambda: pl.from_pandas(X), lambda frame: frame.to_pandas()),
    "polars categories": (
        lambda: pl.from_pandas(X).with_columns(pl.col("job").cast(pl.Categorical), pl.col("when").cast(pl.Date)),
        lambda frame: frame.to_pandas(),
    ),
    "polars enum": (
        lambda: pl.from_pandas(X).with_columns(pl.col("job").cast(pl.Enum(["smith", "clerk", "baker", "cook"]))),
        lambda frame: frame.to_pandas(),
    ),
    "objects": (lambda: X.to_numpy(object), lambda array: pd.DataFrame(array, columns=X.columns)),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_all_kinds_of_frames(kind):
    make, back = FRAMES[kind]
    frame = make()
    names = {name: f"x{place}" if kind == "objects" else name for place, name in enumerate(X.columns)}
    text = "age > 30 AND pay < 3 AND job = clerk AND when >= 2024-01-10 AND home = true"
    for name, place in names.items():
        text = text.replace(f"{name} ", f"{place} ")
    rows = frame[:2]
    found = moved(frame, text, rows, inside=True)
    assert type(found) is type(rows)
    if not isinstance(found, np.ndarray):
        assert list(found.dtypes) == list(rows.dtypes)
    plain = back(found)
    assert plain["age"].tolist() == [40, 40]
    assert plain["pay"].tolist() == [1.5, 2.5]
    assert plain["job"].tolist() == ["clerk", "clerk"]
    assert pd.to_datetime(plain["when"]).dt.day.tolist() == [10, 10]
    gone = moved(frame, text.replace("AND", "OR"), frame[2:3], inside=False)
    assert type(gone) is type(rows)


def test_arrays_of_numbers_and_of_texts():
    numbers = np.array([[1.0, 2.5], [2.0, 3.5], [3.0, np.nan]])
    found = moved(numbers, "x0 > 2 AND x1 > 3", numbers, inside=True)
    assert found.tolist() == [[3.0, 3.5], [3.0, 3.5], [3.0, 3.5]]
    assert numbers[0].tolist() == [1.0, 2.5]
    texts = np.array([["a", "no"], ["b", "yes"]])
    assert moved(texts, "x1 = yes", texts, inside=True).tolist() == [["a", "yes"], ["b", "yes"]]
    short = np.array([["a", "no"]])  # its type holds two letters
    assert moved(texts, "x1 = yes", short, inside=True) is short


def test_many_categories():
    Y = pd.DataFrame({f"c{place}": pd.Categorical(["x", "y", None]) for place in range(6)}).assign(a=[1, 2, 3])
    Y.index = ["p", "q", "q"]
    found = moved(Y, "c0 = x AND c5 = y AND a >= 2", Y, inside=True)
    assert found["c0"].tolist() == ["x", "x", "x"]
    assert found["c5"].tolist() == ["y", "y", "y"]
    assert found["a"].tolist() == [2, 2, 3]
    pd.testing.assert_frame_equal(found[["c1", "c2", "c3", "c4"]], Y[["c1", "c2", "c3", "c4"]])
    assert found.index.tolist() == ["p", "q", "q"]


def test_rows_that_do_not_move_stay_the_callers_own():
    kept = [1, 2.0, "x"]
    Y = pd.DataFrame({"a": pd.Series([*kept, 5], dtype=object), "b": [9, 9, 9, 1]})
    found = moved(Y, "b > 5", Y, inside=True)
    assert found["b"].tolist() == [9, 9, 9, 9]
    assert [type(value) for value in found["a"][:3]] == [int, float, str]


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@pytest.mark.parametrize(("one", "other"), [("ns", "s"), ("s", "ns"), ("us", "ms")])
def test_dates_of_other_units(one, other, zone):
    times = (
        pd.Series(pd.to_datetime(["2024-01-01 09:00", "2024-01-02 09:00", None])).dt.as_unit(one).dt.tz_localize(zone)
    )
    rows = pd.DataFrame({"t": times.dt.as_unit(other)})
    found = moved(pd.DataFrame({"t": times}), "t > '2024-01-01 10:00'", rows, inside=True)
    assert found["t"].dtype == rows["t"].dtype
    assert (found["t"] == times[1]).all()
    beyond = moved(pd.DataFrame({"t": times}), "t > 2024-02-01", rows[:1], inside=True)
    assert beyond["t"].tolist() == [pd.Timestamp("2024-02-01 09:00", tz=zone)]


def test_dates_that_a_unit_cannot_hold():
    days = pd.DataFrame({"t": pd.Series(["2024-01-01", "2500-01-01"], dtype="datetime64[s]")})
    rows = pd.DataFrame({"t": pd.Series(["2024-01-01"], dtype="datetime64[ns]")})
    assert moved(days, "t > 2100-01-01", rows, inside=True) is rows
    assert moved(days, "t != 2024-01-01", rows, inside=True) is rows
    hours = pd.DataFrame({"t": pd.Series(["2024-01-01 09:00", "2024-01-02 09:00"], dtype="datetime64[s]")})
    whole = pl.DataFrame({"t": [dt.date(2024, 1, 1)]})
    assert moved(hours, "t > 2024-01-02 AND t < 2024-01-03", whole, inside=True) is whole


def test_an_hour_that_a_time_zone_skips():
    """On 31 March 2024 the clocks of Berlin went from 02:00 to 03:00."""
    times = pd.date_range("2024-03-30", periods=3, freq="h", tz="Europe/Berlin")
    seen = pd.DataFrame({"t": times})
    rows = seen[:1]
    assert moved(seen, "t >= '2024-03-31 02:10' AND t <= '2024-03-31 02:50'", rows, inside=True) is rows


def test_a_mover_survives_a_pickle():
    goal = Goal.of((rule.clause for rule in frote.parse_rules("IF age > 30 AND job = smith THEN yes")), inside=True)
    mover = pickle.loads(pickle.dumps(Mover(Table.from_frame(X), [goal])))
    found = mover.move(X, Table.from_frame(X), [(pickle.loads(pickle.dumps(goal)), np.arange(2))])
    assert found["age"].tolist() == [40, 40, 40, 50, 60]
    assert found["job"].tolist()[:2] == ["smith", "smith"]


def test_several_goals_at_once():
    old, smiths = (frote.parse_rules(f"IF {text} THEN yes")[0].clause for text in ("age > 30", "job = smith"))
    goals = [Goal.of([old], inside=True), Goal.of([old], inside=False), Goal.of([smiths], inside=True)]
    table = Table.from_frame(X)
    journeys = list(zip(goals, (np.array([0]), np.array([3, 4]), np.array([1])), strict=True))
    found = Mover(table, goals).move(X, table, journeys)
    assert found["age"].tolist() == [40, 30, 40, 30, 30]
    assert found["job"].tolist()[:4] == ["clerk", "smith", "smith", "baker"]


def test_no_rows_and_no_goals():
    goal = Goal.of([frote.parse_rules("IF age > 30 THEN yes")[0].clause], inside=True)
    table = Table.from_frame(X)
    assert Mover(table, [goal]).move(X, table, [(goal, np.array([], dtype=int))]) is X
    assert Mover(table, []).move(X, table, []) is X


def test_rows_that_go_missing_beside_rows_that_go_to_the_last_level():
    seen = pd.DataFrame({"age": [20, 40, 60], "job": ["clerk", "smith", None]})
    rows = pd.DataFrame({"age": [20, 40], "job": ["clerk", "clerk"]})
    found = moved(seen, "(job IS MISSING AND age < 30) OR (job = smith AND age >= 30)", rows, inside=True)
    assert found.astype(object).where(found.notna(), None).to_numpy().tolist() == [[20, None], [40, "smith"]]


def test_a_missing_number_counts_from_the_median():
    seen = pd.DataFrame({"a": [0.0, 14.0, 20.0]})
    found = moved(seen, "a != 14 AND a IS NOT MISSING", pd.DataFrame({"a": [np.nan]}), inside=True)
    assert found["a"].tolist() == [20.0]
