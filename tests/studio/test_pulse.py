"""Live answers: they say what a check says, and cost what changed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import frote
from frote.coverage.labels import Labels
from frote.rules import masks as masks_module
from frote.rules.drafts import read_draft
from frote.studio.pulse import Pulses
from frote.studio.summaries import Summaries
from frote.studio.turns import NobodyWaitsError, Turns
from frote.table import Table

TEXT = """
    young: IF age < 29 AND income > 20K THEN yes
    poor: IF income < 10K OR job = clerk THEN no
    old: IF age >= 60 AND job IS MISSING THEN yes
    late: IF since > 2022-03-01 AND age < 40 THEN no
    never: IF age > 500 THEN yes
"""


def frame_of(rows, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": np.where(rng.random(rows) < 0.2, np.nan, rng.normal(20_000, 9_000, rows)),
            "job": pd.Categorical(rng.choice(["clerk", "smith", None], rows), categories=["clerk", "smith"]),
            "since": pd.to_datetime("2022-01-01") + pd.to_timedelta(rng.integers(0, 99, rows), "D"),
            "member": rng.random(rows) < 0.5,
            "nothing": [None] * rows,
        }
    )


def pulses_of(frame, labels):
    table = Table.from_frame(frame)
    return Pulses(table, Labels.of(labels), Summaries(table, Labels.of(labels)))


@given(st.integers(0, 99), st.integers(2, 70))
def test_a_pulse_says_what_a_check_says(seed, rows):
    frame, labels = frame_of(rows, seed), ["yes", "no"] + ["yes"] * (rows - 2)
    pulses = pulses_of(frame, labels)
    pulses.hear(np.arange(rows) % 2)
    rules = frote.parse_rules(TEXT)
    checked = rules.check(frame, labels)
    for _ in range(2):
        beat = pulses.of(read_draft(TEXT, pulses.table.schema, ("no", "yes")))
        assert (beat.rows, beat.covered) == (checked.rows, checked.covered)
        for (_, line), rule in zip(checked.frame.iterrows(), beat.rules.values(), strict=True):
            assert rule.inside.rows == line["rows"]
            counted = dict(zip(("no", "yes"), rule.inside.labels, strict=True))
            assert {label: count for label, count in counted.items() if count} == line["labels"]
            assert sum(rule.inside.said) == line["rows"]
        names = list(checked.frame.index)
        conflicts = {(names[one.first], names[one.second]): one.rows for one in beat.conflicts}
        assert set(conflicts) == {(one.first.origin, one.second.origin) for one in checked.conflicts}
        for pair, together in conflicts.items():
            each = [one.rows for one in checked.conflicts if (one.first.origin, one.second.origin) == pair]
            assert together == sum(each)


WRITTEN = [line.strip() for line in TEXT.strip().splitlines()]


@given(st.integers(0, 9), st.lists(st.lists(st.sampled_from(WRITTEN), unique=True), min_size=2, max_size=5))
def test_an_answer_is_the_same_whatever_was_asked_before(seed, texts):
    pulses = pulses_of(frame_of(40, seed), ["yes", "no"] * 20)
    for lines in texts:
        draft = read_draft("\n".join(lines), pulses.table.schema, ("no", "yes"))
        fresh = Pulses(pulses.table, pulses.labels, pulses.summaries)
        assert pulses.of(draft) == fresh.of(draft)


@given(st.integers(0, 99), st.integers(2, 70))
def test_near_misses_fail_one_condition(seed, rows):
    frame = frame_of(rows, seed)
    pulses = pulses_of(frame, ["yes", "no"] * (rows // 2) + ["yes"] * (rows % 2))
    beat = pulses.of(read_draft("IF age < 29 AND income > 20K AND job = clerk THEN yes", pulses.table.schema))
    met = np.array([frame["age"] < 29, frame["income"] > 20_000, frame["job"] == "clerk"])
    assert beat.rules[0].near.rows == int(((~met).sum(axis=0) == 1).sum())


@given(st.integers(0, 99), st.integers(2, 70))
def test_histograms_count_the_rows_that_meet_all_else(seed, rows):
    frame = frame_of(rows, seed)
    labels = ["yes", "no"] * (rows // 2) + ["yes"] * (rows % 2)
    pulses = pulses_of(frame, labels)
    draft = read_draft("IF age < 29 AND income > 20K THEN yes", pulses.table.schema)
    pieces = pulses.known(draft, draft.written[0]).pieces
    for column, mask in (("age", frame["income"] > 20_000), ("income", frame["age"] < 29)):
        counts = pulses.histogram(pieces, column)
        assert counts.sum() == mask.sum()
        assert counts[-1].sum() == frame[column][mask].isna().sum()
        assert counts[:, 1].sum() == (mask & (np.array(labels) == "yes")).sum()
        bits = np.packbits(mask.to_numpy())
        summary = pulses.summaries[column]
        np.testing.assert_array_equal(counts, summary._counted(summary.codes[mask.to_numpy()]))
        np.testing.assert_array_equal(counts, summary.within(bits, pulses.own))


@pytest.mark.parametrize("name", list(frame_of(2)))
def test_every_row_is_in_one_bin(name):
    frame = frame_of(60)
    frame.loc[0, "income"] = 1e300
    frame.loc[1, "income"] = -np.inf
    summary = pulses_of(frame, ["yes", "no"] * 30).summaries[name]
    assert summary.counts.sum() == 60
    assert summary.missing == frame[name].isna().sum()
    assert 1 <= summary.bins.count <= 120


@pytest.mark.parametrize(
    "values", [[5, 5, 5], [0.1 + 0.2] * 3, [1e-300, 2e-300, 3e-300], [1e18, 2e18, -1e18], [True] * 3, ["a"] * 3]
)
def test_strange_columns_are_cut_too(values):
    summary = pulses_of(pd.DataFrame({"x": values}), ["yes", "no", "no"]).summaries["x"]
    assert summary.counts.sum(axis=0).tolist() == [2, 1]
    assert summary.bins.low <= summary.bins.high


def test_one_changed_condition_costs_one_look(monkeypatch):
    seen = []
    prepare = masks_module.prepare
    monkeypatch.setattr(masks_module, "prepare", lambda held, column: seen.append(column.name) or prepare(held, column))
    pulses = pulses_of(frame_of(500), ["yes", "no"] * 250)
    pulses.of(read_draft(TEXT, pulses.table.schema))
    seen.clear()
    pulses.of(read_draft(TEXT.replace("age < 29", "age < 31"), pulses.table.schema))
    assert seen == ["age"]


def test_an_answer_that_nobody_waits_for_is_given_up():
    turns = Turns()
    pulses = pulses_of(frame_of(50), ["yes", "no"] * 25)
    first = turns.take("page", 1)
    turns.take("other page", 7)
    pulses.of(read_draft(TEXT, pulses.table.schema), first)
    turns.take("page", 2)
    with pytest.raises(NobodyWaitsError):
        pulses.of(read_draft(TEXT, pulses.table.schema), first)
