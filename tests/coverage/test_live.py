"""Masks that are kept say what masks say; after a rule was changed only its own conditions are looked at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import frote
from frote.coverage.check import check_rows
from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.rules import masks as masks_module
from frote.rules.masks import Masks, clause_mask, count
from frote.table import Table

TEXT = """
    young: IF age < 29 AND income > 20K THEN yes
    poor: IF income < 10K OR job = clerk THEN no
    old: IF age >= 60 AND job IS MISSING THEN yes
    late: IF since > 2022-03-01 AND age < 40 THEN no
"""


def frame_of(rows, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": np.where(rng.random(rows) < 0.2, np.nan, rng.normal(20_000, 9_000, rows)),
            "job": pd.Categorical(rng.choice(["clerk", "smith", None], rows), categories=["clerk", "smith"]),
            "since": pd.to_datetime("2022-01-01") + pd.to_timedelta(rng.integers(0, 99, rows), "D"),
        }
    )


@pytest.fixture
def evaluated(monkeypatch):
    """Count the conditions that are looked at."""
    seen = []

    def counted(held, column):
        seen.append((column.name, held))
        return prepare(held, column)

    prepare = masks_module.prepare
    monkeypatch.setattr(masks_module, "prepare", counted)
    return seen


@given(st.integers(0, 99), st.integers(1, 70), st.integers(1, 40))
def test_packed_masks_say_what_masks_say(seed, rows, kept):
    table = Table.from_frame(frame_of(rows, seed))
    rules = frote.parse_rules(TEXT).bind(table.schema)
    masks = Masks(table, kept)
    for _ in range(2):
        for rule in rules:
            wanted = clause_mask(rule.clause, table)
            np.testing.assert_array_equal(masks.unpacked(rule.clause), wanted)
            assert count(masks.packed(rule.clause)) == wanted.sum()
    kept_masks, none_kept = Ruling.of(rules).on(masks), Ruling.of(rules).on(table)
    np.testing.assert_array_equal(kept_masks.covered, none_kept.covered)
    np.testing.assert_array_equal(kept_masks.packed, none_kept.packed)
    assert len(masks) <= max(1, kept // -(-rows // 8))


@given(st.binary(max_size=40))
def test_rows_that_are_packed_are_counted(content):
    packed = np.frombuffer(content, dtype=np.uint8)
    assert count(packed) == sum(byte.bit_count() for byte in content)


def test_what_was_not_used_for_longest_is_forgotten(evaluated):
    table = Table.from_frame(frame_of(80))
    masks = Masks(table, kept=20)  # two masks of ten bytes
    one, two, three = (frote.parse_rules(f"IF age < {age} THEN yes")[0].clause for age in (20, 40, 60))
    for clause in (one, two, one, three, one):
        masks.packed(clause)
    assert len(evaluated) == 3
    masks.packed(two)
    assert len(evaluated) == 4


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("age < 29 AND", "age < 31 AND", 1),
        ("income > 20K THEN", "income > 20K AND since > 2022-03-01 THEN", 0),
        ("job = clerk", "job = smith", 1),
        ("late: IF since > 2022-03-01 AND age < 40", "late: IF since > 2022-03-02 AND age < 41", 2),
        ("THEN yes", "THEN no", 0),
    ],
)
def test_one_changed_rule_costs_its_own_conditions(evaluated, old, new, changed):
    frame, labels = frame_of(500), Labels.of(["yes", "no"] * 250)
    masks = Masks(Table.from_frame(frame))
    check_rows(frote.parse_rules(TEXT), masks, labels)
    distinct = {(name, held) for rule in frote.parse_rules(TEXT).bind(frame) for name, held in rule.clause}
    assert len(evaluated) == len(distinct)  # conflicts, attribution and what is missing share them
    evaluated.clear()
    assert old in TEXT
    found = check_rows(frote.parse_rules(TEXT.replace(old, new, 1)), masks, labels)
    assert len(evaluated) == changed
    assert str(found) == str(frote.parse_rules(TEXT.replace(old, new, 1)).check(frame, ["yes", "no"] * 250))
