"""New numbers and dates: each case of the design's table, by hand, and the ends of every type."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import frote
from frote.generation.numbers import NumberColumn
from frote.rules import Condition
from frote.table import Table

LEAST, MOST = -(2**63), 2**63 - 1
quick = settings(max_examples=examples(250))


def column(values, dtype=None):
    return NumberColumn.of(Table.from_frame(pd.DataFrame({"a": pd.Series(values, dtype=dtype)})), "a")


def condition(text):
    (rule,) = frote.parse_rules(f"IF {text} THEN yes")
    return rule.clause["a"]


def way(made, base, neighbour, share, text=None, seed=0):
    """Return the values that a column makes between base and neighbour, one for each share."""
    share = np.atleast_1d(np.array(share, dtype=np.float64))
    dtype = np.float64 if made.column.kind == "continuous" else np.int64
    ends = (np.full(len(share), end, dtype=dtype) for end in (base, neighbour))
    if text is None:
        return made.between(*ends, share).tolist()
    limits = made.stretches(condition(text))
    values, lost = made.between_inside(*ends, share, [(len(share), limits)])
    values[lost] = made.draw(int(lost.sum()), limits, np.random.default_rng(seed))
    return values.tolist()


# --- on the segment ---


def test_on_the_segment_between_base_and_neighbour():
    assert way(column([0.0, 10.5]), 2.0, 4.0, [0.0, 0.25, 0.5]) == [2.0, 2.5, 3.0]
    assert way(column([0.0, 10.5]), 4.0, 2.0, [0.0, 0.25, 0.5]) == [4.0, 3.5, 3.0]


def test_whole_numbers_stay_whole():
    assert way(column([0, 10]), 2, 6, [0.0, 0.3, 0.4, 0.9]) == [2, 3, 4, 6]
    assert way(column([0, 10]), 6, 2, [0.0, 0.3, 0.4, 0.9]) == [6, 5, 4, 2]
    assert way(column([0.0, 10.0]), 2, 6, [0.3]) == [3]


def test_on_the_part_of_the_segment_inside_the_interval():
    made = column([0.0, 10.5])
    assert way(made, 2.0, 6.0, [0.0, 0.5], "a >= 4") == [4.0, 5.0]
    assert way(made, 6.0, 2.0, [0.0, 0.5], "a >= 4") == [6.0, 5.0]
    assert way(made, 2.0, 6.0, [0.5], "a > 3 AND a <= 4") == [pytest.approx(3.5)]
    assert way(column([0, 10]), 2, 9, [0.0, 0.99], "a > 2.5 AND a < 6.5") == [3, 6]


def test_of_several_intervals_the_way_leads_through_all_of_them():
    made = column([0.0, 10.5])
    # Inside the segment from 0 to 10 lie [0, 1], [4, 5] and [8, 10]: four in all.
    text = "(a <= 1 OR (a >= 4 AND a <= 5) OR a >= 8)"
    assert way(made, 0.0, 10.0, [0.0, 0.25, 0.375, 0.5, 0.75], text) == [0.0, 1.0, 4.5, 5.0, 9.0]
    assert way(made, 10.0, 0.0, [0.25, 0.625, 0.875], text) == [9.0, 4.5, 0.5]


def test_a_point_is_met_where_the_way_touches_it():
    assert way(column([0.0, 10.5]), 2.0, 6.0, [0.3], "a = 4.25") == [4.25]
    assert way(column([0.0, 10.5]), 4.0, 4.0, [0.3], "a >= 4") == [4.0]


# --- the segment lies outside ---


def test_else_within_the_observed_range():
    made = column([0.0, 5.0, 10.5])
    values = way(made, 0.0, 1.0, np.full(500, 0.5), "a >= 4")
    assert 4.0 <= min(values) < 4.2
    assert 10.3 < max(values) <= 10.5
    assert np.mean(values) == pytest.approx(7.25, abs=0.3)
    whole = way(column([0, 5, 10]), 0, 1, np.full(500, 0.5), "(a = 3 OR a >= 8)")
    assert np.bincount(whole, minlength=11)[[3, 8, 9, 10]] == pytest.approx([125] * 4, abs=40)
    assert set(whole) == {3, 8, 9, 10}


def test_else_just_inside_the_bound_within_one_standard_deviation():
    made = column([0.0, 5.0, 10.0, 0.5])
    spread = np.std([0.0, 5.0, 10.0, 0.5])
    values = way(made, 0.0, 1.0, np.full(300, 0.5), "a >= 100")
    assert 100 <= min(values) < 100.1
    assert spread - 0.1 < max(values) - 100 <= spread
    below = way(made, 0.0, 1.0, np.full(300, 0.5), "a < -7")
    assert -7 > max(below) > -7.1
    assert -7 - spread <= min(below) < -7 - spread + 0.1
    assert set(way(column([0, 6]), 0, 6, np.full(50, 0.5), "a > 20 AND a < 30")) == {21, 22, 23, 24}


def test_of_several_intervals_outside_the_nearest():
    values = way(column([0, 6]), 0, 6, np.full(50, 0.5), "(a >= 100 OR a <= -10 OR a = 9)")
    assert set(values) == {9}


def test_a_column_without_spread_counts_with_one():
    assert set(way(column([3, 3]), 3, 3, np.full(50, 0.5), "a > 5")) == {6, 7}
    values = way(column([3.5, 3.5]), 3.5, 3.5, np.full(50, 0.5), "a > 5")
    assert min(values) > 5
    assert max(values) <= 6


# --- types ---


def test_bounds_of_small_types():
    made = column([10, 20], "uint8")
    assert set(way(made, 10, 20, np.full(50, 0.5), "a > 250")) <= set(range(251, 256))
    assert made.stretches(condition("a > 255")) is None
    assert made.stretches(condition("a < 0")) is None
    assert made.stretches(condition("(a < 0 OR a = 3)")).lows.tolist() == [3]
    assert made.stretches(condition("a IS MISSING")) is None
    assert made.stretches(condition("(a IS MISSING OR a < -5)")) is None


def test_missing_where_the_type_holds_it():
    found = column([10, None], "Int8").stretches(condition("a IS MISSING"))
    assert found.missing
    assert not len(found.lows)
    assert column([1.5, 2.5]).stretches(condition("(a > 300 OR a IS MISSING)")).missing


def test_between_whole_numbers_lies_none():
    assert column([1, 2]).stretches(condition("a > 1 AND a < 2")) is None
    assert column([1.0, 2.0]).stretches(condition("a > 1 AND a < 2")) is None
    assert column([1.0, 2.5]).stretches(condition("a > 1 AND a < 2")) is not None


def test_open_ends_are_the_next_float_of_the_type():
    made = column([0.0, 1.5])
    assert way(made, 0.0, 1.0, [0.0], "a > 0")[0] == math.nextafter(0, 1)
    assert way(made, 1.0, 0.0, [0.0], "a < 1")[0] == math.nextafter(1, 0)
    single = column([0.0, 1.5], "float32")
    (least,) = way(single, 0.0, 1.0, [0.0], "a > 0.1")
    assert np.float32(least) == least > 0.1
    assert least == np.float32(0.1)  # which lies above the double that is written 0.1
    (most,) = way(single, 1.0, 0.0, [0.0], "a < 0.1")
    assert most == np.nextafter(np.float32(0.1), np.float32(0))
    assert all(value == np.float32(value) for value in way(single, 0.0, 1.0, np.linspace(0, 0.9, 50), "a >= 0.1"))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_numbers_that_a_type_of_floats_cannot_hold(dtype):
    made = column([0.0, 1.5], dtype)
    most = float(np.finfo(dtype).max)
    assert made.stretches(condition(f"a >= {int(most)}")).lows.tolist() == [most]
    assert made.stretches(condition(f"a > {int(most)}")) is None
    assert made.stretches(condition(f"a < {-int(most)}")) is None
    assert np.isfinite(way(made, 0.0, 1.0, np.full(9, 0.5), "a > 100")).all()


def test_large_whole_numbers_in_single_precision():
    made = column([3e9, 0.0], "float32")
    assert made.stretches(condition("a = 3000000001")) is None
    found = made.stretches(condition("a > 3000000000 AND a < 3000001000"))
    assert (found.lows[0], found.highs[0]) == (3000000256, 3000000768)
    values, lost = made.between_inside(*np.array([[0] * 50, [2**40] * 50]), np.linspace(0, 0.99, 50), [(50, found)])
    assert not lost.any()
    written = made.stored(values, np.zeros(50, dtype=bool))
    assert set(written) == {3000000256, 3000000512, 3000000768}


def test_integers_read_as_continuous_stay_inside():
    table = Table.from_frame(pd.DataFrame({"a": pd.array([1, None, 9], dtype="UInt8")}), kinds={"a": "continuous"})
    made = NumberColumn.of(table, "a")
    assert way(made, 1.0, 9.0, [0.3, 0.9], "a > 2.5") == [5.0, 8.0]
    assert made.stretches(condition("a > 255")) is None


# --- the ends of 64 bits, and infinity ---


def test_integers_of_64_bits_are_never_rounded():
    made = column([LEAST, MOST])
    assert way(made, LEAST, MOST, [0.0, 0.5]) == [LEAST, 0]
    assert way(made, MOST, LEAST, [0.0, 0.5]) == [MOST, 0]
    assert way(made, MOST - 4, MOST, [0.0, 0.5, 0.9]) == [MOST - 4, MOST - 2, MOST]
    assert way(made, 2**53 + 1, 2**53 + 1, [0.7]) == [2**53 + 1]
    assert way(made, LEAST, MOST, [0.0, 0.99999], f"a >= {MOST - 1}") == [MOST - 1, MOST]
    drawn = way(made, 0, 0, np.full(200, 0.5), "a != 0")
    assert min(drawn) < -(2**61)
    assert max(drawn) > 2**61


@quick
@given(st.lists(st.integers(LEAST, MOST), min_size=2, max_size=4), st.floats(0, 1, exclude_max=True), st.booleans())
def test_integers_never_leave_the_segment(values, share, limited):
    made = column(values, "int64")
    base, neighbour = values[:2]
    low, high = min(base, neighbour), max(base, neighbour)
    text = f"a >= {low} AND a <= {high}" if limited else None
    (value,) = way(made, base, neighbour, share, text)
    assert low <= value <= high
    assert share or value == base


@quick
@given(
    st.lists(st.floats(allow_nan=False), min_size=2, max_size=4),
    st.floats(0, 1, exclude_max=True),
    st.sampled_from([None, "a > 0", "a <= 1e308", "(a < -1e300 OR a > 1e-300)"]),
)
def test_floats_never_leave_the_segment_or_the_condition(values, share, text):
    made = column([*values, 0.5], "float64")
    base, neighbour = values[:2]
    (value,) = way(made, base, neighbour, share, text)
    assert not math.isnan(value)
    if text is None:
        assert min(base, neighbour) <= value <= max(base, neighbour)
    else:
        assert value in condition(text)


def test_infinite_values():
    made = column([0.0, 1.5, math.inf])
    assert (made.low, made.high) == (0.0, 1.5)
    assert way(made, 1.0, math.inf, [0.5]) == [1.0]
    assert way(made, math.inf, 1.0, [0.5]) == [math.inf]
    assert way(made, 1.0, math.inf, [0.5], "a > 0") == [1.0]
    assert way(made, 1.0, math.inf, [0.5], "a > 0 AND a <= 3") == [2.0]
    assert way(made, 0.0, 1.0, [0.5], f"a > {int(np.finfo(float).max)}") == [math.inf]


def test_numbers_too_far_apart_for_a_float():
    made = column([-1.7e308, 1.7e308, 0.5])
    assert made.spread == 1.0
    assert way(made, -1.7e308, 1.7e308, [0.5]) == [-1.7e308]
    values = way(made, 0.5, 0.5, np.full(50, 0.5), "a != 0.5")
    assert min(values) < -1e308
    assert max(values) > 1e308


def test_drawn_from_several_stretches_by_their_lengths():
    drawn = np.array(
        way(column([0.0, 20.5]), -5.0, -5.0, np.full(2000, 0.5), "(a > 0 AND a < 1) OR (a > 10 AND a < 13)")
    )
    assert ((drawn > 0) & (drawn < 1)).mean() == pytest.approx(0.25, abs=0.04)
    assert ((drawn > 10) & (drawn < 13)).mean() == pytest.approx(0.75, abs=0.04)


# --- dates ---


def dates(*texts, dtype="datetime64[us]"):
    return column(list(texts), dtype)


def times(made, base, neighbour, share, text=None, unit="us"):
    ends = (
        pd.Timestamp(end).as_unit(unit).value // {"us": 1000, "ns": 1, "s": 10**9}[unit] for end in (base, neighbour)
    )
    return [str(np.datetime64(value, unit))[:19] for value in way(made, *ends, share, text)]


def test_dates_stay_dates():
    made = dates("2024-01-01", "2024-01-11", "2024-03-01")
    day = "2024-01-05T00:00:00"
    assert times(made, "2024-01-01", "2024-01-11", [0.38, 0.4, 0.44]) == [day] * 3
    assert times(made, "2024-01-01", "2024-01-11", [0.9], "a > 2024-01-03 AND a < 2024-01-06") == [day]
    drawn = times(made, "2024-01-01", "2024-01-02", np.full(90, 0.5), "a > 2024-02-27")
    assert set(drawn) == {f"2024-0{text}T00:00:00" for text in ("2-28", "2-29", "3-01")}


def test_stamps_of_nine_o_clock_stay_at_nine_o_clock():
    made = dates("2024-01-01 09:00", "2024-01-11 09:00")
    assert times(made, "2024-01-01 09:00", "2024-01-11 09:00", [0.44]) == ["2024-01-05T09:00:00"]
    after = times(made, "2024-01-01 09:00", "2024-01-11 09:00", np.full(40, 0.5), "a > 2024-05-01")
    assert all(text.endswith("T09:00:00") for text in after)
    assert min(after) == "2024-05-01T09:00:00"


@pytest.mark.parametrize("days", [["2024-01-01"], ["2023-01-01", "2024-01-01"], [None]])
def test_dates_stay_dates_where_there_are_few(days):
    made = dates(*days)
    drawn = times(made, "2024-01-01", "2024-01-01", np.full(20, 0.5), "a > 2024-03-01 AND a < 2024-03-08")
    assert all(text.endswith("T00:00:00") for text in drawn)


def test_times_that_no_usual_step_meets():
    made = dates("2024-01-01", "2024-01-11")
    found = times(made, "2024-01-01", "2024-01-11", [0.0, 0.5], "a = '2024-01-05T12:30:00'")
    assert found == ["2024-01-05T12:30:00"] * 2


def test_nanoseconds_are_exact():
    first = 1_700_000_000_000_000_001
    made = NumberColumn.of(Table.from_frame(pd.DataFrame({"a": pd.to_datetime([first, first + 3, first + 10])})), "a")
    assert made.step == 1
    assert way(made, first, first + 10, [0.0, 0.3, 0.99]) == [first, first + 3, first + 10]
    assert way(made, first + 10, first, [0.0, 0.3, 0.99]) == [first + 10, first + 7, first]


def test_dates_that_are_centuries_apart():
    made = dates("1700-01-01", "2200-01-01", dtype="datetime64[ns]")
    assert made.step == 86_400 * 10**9
    found = times(made, "1700-01-01", "2200-01-01", [0.0, 0.5], unit="ns")
    assert found == ["1700-01-01T00:00:00", "1950-01-01T00:00:00"]


def test_polars_dates():
    made = NumberColumn.of(Table.from_frame(pl.DataFrame({"a": pl.Series([0, 10]).cast(pl.Date)})), "a")
    assert made.step == 1
    assert way(made, 0, 10, [0.5]) == [5]
    assert way(made, 0, 10, [0.5], "a = 1970-01-08") == [7]
    assert made.stretches(Condition.compare("=", pd.Timestamp("1970-01-08T12:00"))) is None


def test_a_moment_that_a_time_zone_skips_is_none():
    """On 31 March 2024 the clocks of Berlin went from 02:00 to 03:00."""
    made = column(pd.date_range("2024-03-30", periods=3, freq="30min", tz="Europe/Berlin"))
    assert made.stretches(condition("a = '2024-03-31 02:30'")) is None
    assert len(made.stretches(condition("a = '2024-03-31 03:30'")).lows) == 1


# --- the column that comes out ---


def test_missing_values_have_their_filler():
    missing = np.array([False, True])
    made = column([1.5, 2.5]).stored(np.array([1.5, 2.5]), missing)
    assert made.tolist()[0] == 1.5
    assert math.isnan(made[1])
    assert column([1, None], "Int8").stored(np.array([1, 2]), missing).tolist() == [1, 0]


# --- several columns at once ---


def test_parts_inside_their_own_stretches():
    made = column([0, 10])
    one, two, none = (made.stretches(condition(text)) for text in ("a >= 4", "a < 3 OR a > 8", "a > 20"))
    base, neighbour = np.array([2, 2, 2, 2]), np.array([6, 6, 10, 6])
    values, lost = made.between_inside(base, neighbour, np.full(4, 0.5), [(1, one), (2, two), (1, none)])
    assert values[:3].tolist() == [5, 2, 9]
    assert lost.tolist() == [False, False, False, True]


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.floats(0, 1, exclude_max=True)), min_size=1),
    st.lists(st.sampled_from(["a > 3", "a <= 0", "a = 5", "a < -4 OR a > 4", "a > 90"]), min_size=1),
    st.sampled_from([[-9, 9], [-9.5, 9.5]]),
)
@quick
def test_parts_together_as_each_by_itself(rows, texts, values):
    made = column(values)
    dtype = np.float64 if made.column.kind == "continuous" else np.int64
    base, neighbour = (np.array([row[side] for row in rows], dtype=dtype) for side in (0, 1))
    share = np.array([row[2] for row in rows])
    limits = [made.stretches(condition(text)) for text in texts]
    alone = [made.between_inside(base, neighbour, share, [(len(rows), one)]) for one in limits]
    together = made.between_inside(
        *(np.tile(part, len(texts)) for part in (base, neighbour, share)), [(len(rows), one) for one in limits]
    )
    lost = np.concatenate([found[1] for found in alone])
    assert together[1].tolist() == lost.tolist()
    assert together[0][~lost].tolist() == np.concatenate([found[0] for found in alone])[~lost].tolist()
    pair = made.between(np.stack([base, neighbour]), np.stack([neighbour, base]), share)
    assert pair[0].tolist() == made.between(base, neighbour, share).tolist()
    assert pair[1].tolist() == made.between(neighbour, base, share).tolist()
