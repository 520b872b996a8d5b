"""Synthetic rows: from which values they are made, column by column, and how often a value is missing."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest

import frote
from frote.generation import sampler
from frote.generation.sampler import Seeds, Synthesizer
from frote.table import Table


def make(X, text, seeds, *, seed=0):
    """Make rows from seeds, given as (rule, base, neighbours)."""
    table = Table.from_frame(X)
    rules = frote.parse_rules(text).bind(table.schema)
    synthesizer = Synthesizer(table, rules)
    piece, base, around = (np.array(part) for part in zip(*seeds, strict=True))
    made, neighbour = synthesizer.make(table, Seeds(piece, base, around), np.random.default_rng(seed))
    return made.to_frame(), neighbour


def test_all_columns_lie_on_one_line():
    X = pd.DataFrame({"a": [0.0, 10.5, 3.3], "b": [10.5, 0.0, 3.3], "c": [5.0, 5.0, 5.5]})
    rows, neighbour = make(X, "IF c > 0 THEN yes", [(0, 0, [1])] * 20)
    assert (neighbour == 1).all()
    share = rows["a"] / 10.5
    assert share.between(0, 1).all()
    assert share.nunique() == 20
    assert np.allclose(1 - rows["b"] / 10.5, share)
    assert (rows["c"] == 5.0).all()


def test_constrained_columns_go_the_same_way():
    X = pd.DataFrame({"a": [0.0, 10.5, 3.3], "b": [10.5, 0.0, 3.3]})
    rows, _ = make(X, "IF a > -1 AND b > -1 THEN yes", [(0, 0, [1])] * 20)
    assert np.allclose(rows["a"] + rows["b"], 10.5)


def test_the_neighbour_is_one_of_those_around():
    X = pd.DataFrame({"a": np.arange(6.0) + 0.5})
    _, neighbour = make(X, "IF a > 0 THEN yes", [(0, 0, [1, 3, 4])] * 300)
    assert np.bincount(neighbour, minlength=6)[[1, 3, 4]] == pytest.approx([100] * 3, abs=35)
    assert set(neighbour) == {1, 3, 4}


def test_each_row_by_its_own_rule():
    X = pd.DataFrame({"a": [1, 5, 9], "b": ["x", "y", "z"]})
    rows, _ = make(X, "IF a > 6 THEN yes\nIF b = x THEN no", [(0, 0, [1, 2]), (1, 1, [1, 2]), (0, 1, [0, 0])])
    assert (rows["a"][[0, 2]] > 6).all()
    assert rows["b"][1] == "x"


@pytest.mark.parametrize("wide", [1, 256])
def test_levels_by_majority_however_many_there_are(wide, monkeypatch):
    monkeypatch.setattr(sampler, "WIDE", wide)
    X = pd.DataFrame({"a": ["p", "q", "q", "r", None, "s"], "b": [1, 2, 3, 4, 5, 6]})
    text = "IF b > 0 THEN yes\nIF a != q AND b > 0 THEN no"

    def shares(rule, around):
        rows, _ = make(X, text, [(rule, 0, around)] * 600)
        return rows["a"].value_counts(normalize=True).to_dict()

    assert shares(0, [1, 2, 3, 5]) == {"q": 1.0}
    assert shares(0, [3, 5, 1, 2, 3]) == pytest.approx({"q": 0.5, "r": 0.5}, abs=0.07)
    assert shares(0, [3, 4, 4, 5]) == pytest.approx({"r": 0.5, "s": 0.5}, abs=0.07)  # what is missing does not count
    assert shares(0, [4, 4]) == {"p": 1.0}  # the base's
    assert shares(1, [1, 2, 3, 3, 5]) == {"r": 1.0}
    assert shares(1, [1, 2, 3, 5]) == pytest.approx({"r": 0.5, "s": 0.5}, abs=0.07)
    assert set(shares(1, [1, 2])) == {"p", "r", "s"}  # none is allowed: drawn


def test_a_column_that_names_rows_does_not_fill_the_memory():
    names = [f"row {number}" for number in range(4_000)]
    X = pd.DataFrame({"name": names, "b": np.arange(4_000)})
    seeds = [(0, row, [row + 1, row + 2, row + 3]) for row in range(2_000)]
    make(X, "IF b > 0 THEN yes", seeds)  # what is made once is there
    tracemalloc.start()
    rows, _ = make(X, "IF name != 'row 3' AND b > 0 THEN yes", seeds)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert set(rows["name"]) <= set(names) - {"row 3"}
    assert peak < 16e6  # a number for each row and level would be 64 MB


GAPPY = pd.DataFrame(
    {
        "a": [1.5, np.nan, 3.5, np.nan],
        "b": pd.array([1, None, 3, None], dtype="Int8"),
        "c": ["x", None, "y", None],
        "d": pd.to_datetime(["2024-01-01", None, "2024-01-03", None]),
        "e": pd.array([True, None, False, None], dtype="boolean"),
        "f": [0, 1, 2, 3],
    }
)


@pytest.mark.parametrize(("base", "neighbour", "share"), [(0, 2, 0), (0, 1, 0.5), (1, 0, 0.5), (1, 3, 1)])
def test_missing_as_often_as_among_base_and_neighbour(base, neighbour, share):
    rows, _ = make(GAPPY, "IF f >= 0 THEN yes", [(0, base, [neighbour])] * 300)
    assert rows.isna().mean()[list("abcde")].tolist() == pytest.approx([share] * 5, abs=0.12)
    if share == 0.5:
        known = rows["a"].dropna()
        assert (known == 1.5).all()  # the way starts and ends at the one that is known
        assert set(rows["c"].dropna()) == {"x"}


@pytest.mark.parametrize(("base", "neighbour"), [(0, 1), (1, 0)])
def test_where_one_is_missing_new_numbers_and_dates_are_those_of_the_other(base, neighbour):
    rows, _ = make(GAPPY, "IF f >= 0 THEN yes", [(0, base, [neighbour])] * 40)
    assert {name: set(rows[name].dropna()) for name in "abd"} == {
        "a": {1.5},
        "b": {1},
        "d": {pd.Timestamp("2024-01-01")},
    }


def test_drawn_inside_the_condition_where_both_are_missing():
    rows, _ = make(GAPPY, "IF a > 1 AND f >= 0 THEN yes", [(0, 1, [3])] * 50)
    assert rows["a"].between(1.5, 3.5).all()
    assert rows["a"].nunique() == 50


@pytest.mark.parametrize(("base", "neighbour"), [(0, 2), (0, 1), (1, 0), (1, 3)])
def test_never_missing_where_the_condition_does_not_admit_it(base, neighbour):
    text = "IF a > 2 AND b > 0 AND c = y AND d > 2024-01-02 AND e = true THEN yes"
    rows, _ = make(GAPPY, text, [(0, base, [neighbour])] * 50)
    assert not rows.isna().any(axis=None)
    assert frote.parse_rules(text)[0].mask(rows).all()


@pytest.mark.parametrize(("base", "neighbour", "share"), [(0, 2, 0), (0, 1, 0.5), (1, 0, 0.5), (1, 3, 1)])
def test_where_it_admits_it_as_often_as_among_base_and_neighbour(base, neighbour, share):
    text = "IF (a > 2 OR a IS MISSING) AND NOT (c = x) AND (d = 2024-01-02 OR d IS MISSING) THEN yes"
    rows, _ = make(GAPPY, text, [(0, base, [neighbour])] * 300)
    assert rows.isna().mean()[list("acd")].tolist() == pytest.approx([share] * 3, abs=0.12)
    assert frote.parse_rules(text)[0].mask(rows).all()


@pytest.mark.parametrize(("base", "neighbour"), [(0, 2), (0, 1), (1, 0), (1, 3)])
def test_always_missing_where_it_admits_nothing_else(base, neighbour):
    text = "IF a IS MISSING AND b IS MISSING AND c IS MISSING AND d IS MISSING AND e IS MISSING THEN yes"
    rows, _ = make(GAPPY, text, [(0, base, [neighbour])] * 20)
    assert rows[list("abcde")].isna().all(axis=None)
    assert rows.dtypes.equals(GAPPY.dtypes)


def test_rules_that_these_types_cannot_hold():
    X = pd.DataFrame({"a": np.array([1, 2], dtype=np.uint8), "b": [1, 2]})
    table = Table.from_frame(X)
    rules = frote.parse_rules("fine: IF a > 300 OR b = 1 THEN yes\nbad: IF a IS MISSING THEN yes").bind(table.schema)
    synthesizer = Synthesizer(table, rules)
    assert dict(zip(rules.names, synthesizer.possible, strict=True)) == {"fine/1": False, "fine/2": True, "bad": False}


def test_the_same_generator_gives_the_same_rows():
    seeds = [(0, 0, [1, 2, 3]), (0, 1, [0, 2, 3])] * 10
    one, two, other = (make(GAPPY, "IF f >= 0 THEN yes", seeds, seed=seed)[0] for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, two)
    assert not one.equals(other)


def test_a_time_that_the_clocks_skip_becomes_one_of_the_rows_it_was_made_from():
    """On 31 March 2024 the clocks of Berlin went from 02:00 to 03:00."""
    times = pd.to_datetime(["2024-03-31 01:15", "2024-03-31 04:15", "2024-03-30 02:15"]).tz_localize("Europe/Berlin")
    rows, _ = make(pd.DataFrame({"when": times}), "IF when <= '2024-03-31 05:00' THEN yes", [(0, 0, [1])] * 40)
    assert set(rows["when"].dt.strftime("%H:%M")) == {"01:15", "03:15", "04:15"}


@pytest.mark.parametrize("bounds", [("01:30", "02:30"), ("00:00", "02:45"), ("02:10", "04:00")])
def test_times_that_a_time_zone_skips_are_not_made(bounds):
    """On 31 March 2024 the clocks of Berlin went from 02:00 to 03:00."""
    times = pd.date_range("2024-03-30", periods=200, freq="30min", tz="Europe/Berlin")
    X = pd.DataFrame({"when": times, "v": np.arange(200.0)})
    low, high = (f"'2024-03-31 {bound}'" for bound in bounds)
    rules = frote.parse_rules(f"night: IF when >= {low} AND when <= {high} THEN yes")
    X_new = X
    for seed in range(5):
        editor = frote.FROTE(
            None, rules, modify="none", evaluate="active", batch_size=60, max_fits=4, random_state=seed
        )
        X_new, _ = editor.fit_resample(X, ["yes", "no"] * 100)
        if len(X_new) > 200:
            break
    assert {"weakly", "strongly"} <= set(editor.ledger_["covered"])
    assert X_new["when"].dtype == X["when"].dtype
    assert rules[0].mask(X_new[200:]).all()
