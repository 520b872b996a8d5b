"""Rows made for rules with conditions over several columns: every one of them satisfies its rule."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import frote
from frote import FROTE, parse_rules
from frote.coverage.matrix import cover
from frote.exceptions import BindingError
from frote.generation.possible import impossible
from frote.generation.sampler import DRAW, KEEP, Seeds, Synthesizer
from frote.rules import RuleSet
from frote.table import Table

COLUMNS = ["whole", "small", "real", "half", "start", "end", "seen"]


def frame(count, seed=0, gaps=True):
    rng = np.random.default_rng(seed)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, count), unit="D")
    found = pd.DataFrame(
        {
            "whole": rng.integers(-20, 50, count),
            "small": rng.integers(0, 60, count).astype("uint8"),
            "real": rng.normal(10, 20, count),
            "half": np.round(rng.normal(0, 9, count), 1).astype("float32"),
            "start": days.astype("datetime64[ns]"),
            "end": (days + pd.to_timedelta(rng.integers(-30, 60, count), unit="D")).astype("datetime64[ns]"),
            "seen": days.tz_localize("Europe/Berlin") + pd.to_timedelta(rng.integers(0, 24, count), unit="h"),
            "word": rng.choice(["a", "b", "c"], count),
        }
    )
    if gaps:
        found.loc[rng.random(count) < 0.2, "real"] = np.nan
        found["whole"] = found["whole"].astype("Int64").mask(rng.random(count) < 0.2)
        found.loc[rng.random(count) < 0.2, "end"] = pd.NaT
    return found


TABLE = Table.from_frame(frame(60))
NUMBERS = ["whole", "small", "real", "half"]


@st.composite
def sums(draw):
    if draw(st.integers(0, 3)) == 0:
        one, other = draw(st.permutations(["start", "end"]))
        sign = draw(st.sampled_from(["<", "<=", ">", ">="]))
        return (
            f"{one} {sign} {other} {draw(st.sampled_from(['', '+ 10 days', '- 90 days', '+ 36 hours', '+ 2000 days']))}"
        )
    names = draw(st.permutations(NUMBERS))[: draw(st.integers(2, 3))]
    factors = [draw(st.sampled_from(["", "", "0.9 * ", "2 * "])) for _ in names]
    left = f" {draw(st.sampled_from('+-'))} ".join(f + name for f, name in zip(factors[1:], names[1:], strict=True))
    sign = draw(st.sampled_from(["<", "<=", ">", ">=", ">", "<"]))
    bound = draw(st.sampled_from(["", " + 30", " - 12.5", " + 400"]))
    text = f"{left} {sign} {factors[0]}{names[0]}{bound}"
    return f"NOT ({text})" if draw(st.integers(0, 4)) == 0 else text


ALONE = [
    "TRUE",
    "whole > 30",
    "real BETWEEN 0 AND 5",
    "small IN {3, 40}",
    "half != 0",
    "start >= 2024-06-01",
    "word = a",
]
CLAUSES = st.tuples(st.lists(sums(), min_size=1, max_size=3), st.sampled_from(ALONE)).map(
    lambda drawn: " AND ".join([*drawn[0], drawn[1]])
)


def made(table, rule, count, seed):
    """Make rows towards neighbours, and copies moved inside, from any rows whatever."""
    rng = np.random.default_rng(seed)
    rules = RuleSet([rule])
    synthesizer = Synthesizer(table, rules)
    if not synthesizer.possible[0]:
        return synthesizer, None
    base, around = rng.integers(len(table), size=count), rng.integers(len(table), size=(count, 3))
    piece = np.zeros(count, dtype=np.intp)
    rows, _ = synthesizer.make(table, Seeds(piece, base, around), rng)
    models = {name: np.full(count, KEEP) for name, _ in rule.clause.alone}
    for name, condition in rule.clause.alone:
        met = cover(RuleSet([frote.rules.Rule("x", frote.rules.Clause.of({name: condition}), rule.outcome)]), table)[0]
        models[name][~met[base]] = DRAW
    moved = synthesizer.move(table, piece, base, models, rng)
    return synthesizer, (rows, moved)


def test_every_row_satisfies_its_rule():
    seen = uncovered = 0

    @settings(max_examples=examples(250))
    @given(CLAUSES, st.integers(0, 9))
    def law(text, seed):
        nonlocal seen, uncovered
        rules = parse_rules(f"r: IF {text} THEN yes").bind(TABLE)
        if len(rules) > 1:
            return
        _synthesizer, rows = made(TABLE, rules[0], 30, seed)
        lost = impossible(rules, TABLE)
        assert bool(lost) == (rows is None)
        if rows is None:
            assert "columns" in lost[0].why
            # What holds somewhere in the data is never said to be impossible.
            inside = cover(rules, TABLE)[0]
            gone = frame(60)[list(rules.columns)].isna().any(axis=1).to_numpy()
            assert not (inside & ~gone).any()
            return
        for table in rows:
            assert cover(rules, table).all()
            # It also does once it is written and read again.
            assert cover(rules, Table.from_frame(table.to_frame(), schema=TABLE.schema, unseen="extend")).all()
        again = made(TABLE, rules[0], 30, seed)[1]
        assert all(
            (a.to_frame() == b.to_frame()).equals(b.to_frame() == a.to_frame())
            for a, b in zip(rows, again, strict=True)
        )
        pd.testing.assert_frame_equal(rows[0].to_frame(), again[0].to_frame())
        seen += 1
        uncovered += not cover(rules, TABLE).any()

    law()
    assert seen >= examples(150)
    assert uncovered >= examples(20)  # rules that no row of the data satisfies


def test_where_one_column_can_do_it_the_others_stay():
    data = pd.DataFrame({"a": range(50), "b": range(50, 100), "c": [0.5] * 50})
    table = Table.from_frame(data)
    (rule,) = parse_rules("IF a > b THEN yes").bind(table)
    _, (_, moved) = made(table, rule, 40, 0)
    rows = moved.to_frame()
    assert (rows["a"] > rows["b"]).all()
    assert (np.isin(rows["a"], data["a"]) ^ np.isin(rows["b"], data["b"])).all()
    assert rows["a"].nunique() > 10
    assert rows["a"].between(0, 120).all()


def test_three_that_meet_on_the_same_columns():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({name: rng.integers(0, 100, 80) for name in "abcd"})
    table = Table.from_frame(data)
    text = "a + b <= c AND c - d BETWEEN 3 AND 5 AND 2 * a > d + 7 AND b >= 20"
    rules = parse_rules(f"r: IF {text} THEN yes").bind(table)
    assert not cover(rules, table).any()
    _, rows = made(table, rules[0], 60, 1)
    for found in rows:
        assert cover(rules, found).all()
        assert len(found.to_frame().drop_duplicates()) > 20


def test_an_equality_of_floats_and_of_whole_numbers():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"total": rng.normal(100, 9, 60), "price": rng.normal(80, 9, 60), "tax": rng.normal(20, 2, 60)})
    for typed in (data, data.round().astype("int32"), data.astype("float32")):
        table = Table.from_frame(typed)
        rules = parse_rules("IF total = price + tax THEN yes").bind(table)
        _, rows = made(table, rules[0], 50, 0)
        for found in rows:
            assert cover(rules, found).all()
            assert found.to_frame()["total"].nunique() > 5


def test_what_no_row_can_satisfy_is_said_before_anything_is_trained():
    data = pd.DataFrame(
        {"a": np.arange(40, dtype="uint8"), "b": np.arange(40, dtype="int8"), "day": pd.Timestamp("2024-01-01")}
    )
    cases = {
        "a > b + 400": "no values of columns 'a' and 'b'",
        "a > b AND b > 10 AND a < 5": "no values of columns 'a' and 'b'",
        "a > b AND b >= a + 0.5": "no values",
        "a + b BETWEEN 0.2 AND 0.8": "no values",
    }
    labels = np.array(["no", "yes"] * 20)
    for text, why in cases.items():
        rules = parse_rules(f"r: IF {text} THEN yes\ns: IF a > 30 AND b < 5 THEN yes")
        (lost,) = impossible(rules.bind(data), Table.from_frame(data))
        assert lost.rule == "r"
        assert why in lost.why
        with pytest.raises(BindingError, match="no row can satisfy it"):
            FROTE(rules=rules, random_state=0).fit_resample(data, labels)


def test_a_clock_that_skips_an_hour():
    hours = pd.date_range("2024-03-30", periods=60, freq="h", tz="Europe/Berlin")
    table = Table.from_frame(pd.DataFrame({"start": hours, "end": hours[::-1]}))
    rules = parse_rules("IF end >= start + 3 hours AND end - start <= 5 hours THEN yes").bind(table)
    _, rows = made(table, rules[0], 200, 0)
    for found in rows:
        assert cover(rules, found).all()
        assert cover(rules, found.to_frame()).all()


def test_missing_values_stay_where_a_complement_admits_them():
    data = frame(80, seed=3)[["whole", "real"]]
    table = Table.from_frame(data)
    rules = parse_rules("IF NOT (whole > real) THEN yes").bind(table)
    _, (rows, _) = made(table, rules[0], 80, 0)
    assert cover(rules, rows).all()
    assert rows.to_frame().isna().any().any()
    strict = parse_rules("IF whole <= real THEN yes").bind(table)
    _, (rows, moved) = made(table, strict[0], 80, 0)
    assert not rows.to_frame().isna().any().any()
    assert not moved.to_frame().isna().any().any()
