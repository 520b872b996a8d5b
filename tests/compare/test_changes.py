"""The tables of changes, recounted one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from frote.compare.changes import ChangeKind, Changes, Region
from frote.compare.parts import PARTS
from frote.rules.clause import Clause
from frote.rules.masks import clause_mask
from frote.table import Table

CLASSES = ("low", "mid", "high")


@pytest.fixture(params=range(4))
def changes(request):
    rng = np.random.default_rng(request.param)
    frame = pd.DataFrame({"a": rng.integers(0, 30, 800), "b": rng.choice(["u", "v", "w"], 800)})
    before = rng.integers(0, 3, 800)
    after = np.where((frame["a"] < 12) & (frame["b"] != "u"), (before + 1) % 3, before)
    after = np.where(rng.random(800) < 0.01, rng.integers(0, 3, 800), after)
    part = np.where(frame["a"] < 8, rng.integers(0, 2, 800), 2)
    part = np.where(before == after, -1, np.where(frame["b"] == "v", part, 2))
    return Changes(Table.from_frame(frame), CLASSES, before, after, part)


def test_kinds_part_the_rows_that_changed(changes):
    masks = [changes.rows(kind) for kind in changes.kinds()]
    assert (np.sum(masks, axis=0) == (changes.before != changes.after)).all()
    assert list(changes.kinds().values()) == [mask.sum() for mask in masks]
    assert [kind.part for kind in changes.kinds()] == sorted(kind.part for kind in changes.kinds())


def test_counts_are_those_of_the_masks(changes):
    regions = changes.regions(0.002, 60)
    assert regions
    summary = changes.summary(regions)
    assert summary.index.tolist() == [region.name for region in regions]
    assert len(set(summary.index)) == len(regions)
    for region, line in zip(regions, summary.itertuples(), strict=True):
        mask = clause_mask(region.clause, changes.table)
        pairs = zip(changes.part, changes.before, changes.after, mask, strict=True)
        so = [(part, old, new) == region.kind for part, old, new, inside in pairs if inside]
        able = [old == region.kind.before for old, inside in zip(changes.before, mask, strict=True) if inside]
        assert (line.part, line.before, line.after) == (
            PARTS[region.kind.part],
            CLASSES[region.kind.before],
            CLASSES[region.kind.after],
        )
        assert (line.rows, line.before_rows, line.changed) == (len(so), sum(able), sum(so))
        assert line.share == len(so) / 800
        assert line.precision == sum(so) / len(so)
        assert line.rate == sum(so) / sum(able)
        assert line.recall == sum(so) / changes.kinds()[region.kind]
        assert region.name.split()[0] == line.part


def test_tables_add_up(changes):
    regions = changes.regions(0.002, 60)
    rows = changes.by_row(regions, np.full(800, "", dtype=object))
    kinds, parts = changes.by_kind(regions), changes.by_part(regions)
    differs = changes.before != changes.after
    assert rows.index.tolist() == np.flatnonzero(differs).tolist()
    assert kinds["rows"].sum() == parts["rows"].sum() == differs.sum()
    assert kinds["regions"].sum() == len(regions)
    assert parts.index.tolist() == list(PARTS)
    for part in PARTS:
        mine = rows[rows["part"] == part]
        assert parts.loc[part, "rows"] == len(mine) == kinds.loc[kinds["part"] == part, "rows"].sum()
        if len(mine):
            assert parts.loc[part, "explained"] == pytest.approx((mine["region"] != "").mean())
    for line in kinds.itertuples():
        mine = rows[(rows["part"] == line.part) & (rows["before"] == line.before) & (rows["after"] == line.after)]
        assert line.rows == len(mine)
        assert line.explained == pytest.approx((mine["region"] != "").mean())
    for region in regions:
        named = rows.index[rows["region"] == region.name]
        assert changes.rows(region.kind)[named].all()
        assert region.mask[named].all()


def test_nothing_changed():
    table = Table.from_frame(pd.DataFrame({"a": [1, 2]}))
    same = Changes(table, CLASSES, np.array([0, 1]), np.array([0, 1]), np.array([-1, -1]))
    assert same.kinds() == {}
    assert same.regions(0.002, 60) == []
    assert len(same.summary([])) == len(same.by_kind([])) == 0
    assert same.by_part([])["rows"].tolist() == [0, 0, 0]
    assert same.by_part([])["explained"].isna().all()
    assert same.summary([]).columns.tolist()[:3] == ["part", "before", "after"]


def test_kinds_come_by_part_then_by_number():
    table = Table.from_frame(pd.DataFrame({"a": range(5)}))
    made = Changes(table, CLASSES, np.array([0, 0, 0, 1, 2]), np.array([1, 2, 2, 0, 2]), np.array([2, 2, 2, 0, -1]))
    assert list(made.kinds()) == [ChangeKind(0, 1, 0), ChangeKind(2, 0, 2), ChangeKind(2, 0, 1)]


def test_a_row_is_named_after_the_first_region_that_holds_it():
    table = Table.from_frame(pd.DataFrame({"a": range(4)}))
    made = Changes(table, CLASSES, np.zeros(4, dtype=int), np.array([1, 1, 1, 2]), np.full(4, 2))
    kind = ChangeKind(2, 0, 1)
    regions = [
        Region("unintended 1", kind, Clause(), np.array([True, True, False, True])),
        Region("unintended 2", kind, Clause(), np.array([False, True, True, True])),
    ]
    rows = made.by_row(regions, np.array(["r", "", "", ""], dtype=object))
    assert rows["region"].tolist() == ["unintended 1", "unintended 1", "unintended 2", ""]
    assert rows["rule"].tolist() == ["r", "", "", ""]
