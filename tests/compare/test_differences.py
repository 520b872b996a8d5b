"""Clauses for what differs: planted ones are found again, and chance is not taken for one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from frote.compare.differences import Differences
from frote.explain.master import Limits
from frote.rules.masks import clause_mask
from frote.table import Table


def draw(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=rows),
            "count": rng.integers(0, 40, rows),
            "kind": rng.choice(list("abcdefgh"), rows),
            "flag": rng.random(rows) < 0.5,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 600, rows), unit="D"),
            "same": 1,
        }
    )
    frame.loc[rng.random(rows) < 0.1, ["size"]] = np.nan
    frame.loc[rng.random(rows) < 0.1, ["kind"]] = None
    return frame


def search(frame, differs, able=None, min_share=0.002):
    table = Table.from_frame(frame)
    able = np.ones(len(table), dtype=bool) if able is None else np.asarray(able)
    found = Differences.of(table, min_share).find(np.asarray(differs), able, Limits(50))
    return found, table


PLANTED = {
    "a narrow box": lambda X: (X["size"] > 0.213) & (X["size"] < 0.71) & (X["count"] >= 17),
    "levels of many": lambda X: X["kind"].isin(["b", "c", "g"]) & (X["count"] < 23),
    "missing is inside": lambda X: ~(X["size"] > -0.3) & X["flag"],
    "missing alone": lambda X: X["kind"].isna(),
    "a time": lambda X: (X["day"] >= pd.Timestamp("2024-04-19")) & (X["day"] < pd.Timestamp("2024-09-02")) & ~X["flag"],
    "two boxes": lambda X: ((X["size"] < -1.1) & (X["kind"] != "a")) | ((X["count"] > 33) & X["flag"]),
    "everything": lambda X: X["same"] == 1,
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found_on_fresh_rows_too(name):
    planted = PLANTED[name]
    frame, fresh = draw(3000, 1), draw(6000, 2)
    found, _ = search(frame, planted(frame))
    told = np.any([clause_mask(clause, Table.from_frame(fresh)) for clause in found], axis=0)
    wanted = planted(fresh).to_numpy()
    assert (told & wanted).sum() / told.sum() > 0.97
    assert (told & wanted).sum() / wanted.sum() > 0.97
    assert len(found) <= (2 if name == "two boxes" else 1)


def test_a_hundredth_of_the_rows_is_told_and_a_thousandth_is_not():
    frame = draw(4000, 3)
    hundredth = (frame["size"] > 0.5) & (frame["size"] < 0.6) & (frame["count"] < 17)
    assert 0.008 < hundredth.mean() < 0.015
    assert len(search(frame, hundredth)[0]) == 1
    thousandth = hundredth & (frame["size"] < 0.51)
    assert 0 < thousandth.mean() < 0.002
    assert search(frame, thousandth)[0] == []


@pytest.mark.parametrize("share", [0.005, 0.05, 0.2])
@pytest.mark.parametrize("rows", [100, 1000, 5000])
def test_chance_is_no_region(rows, share):
    frame = draw(rows, 4)
    differs = np.random.default_rng(rows).random(rows) < share
    assert search(frame, differs)[0] == []


def test_rows_that_cannot_differ_do_not_shape_the_clause():
    # Of the rows with a flag, those below 20 differ; without one none can, and there is no more to be known of them.
    frame = draw(2000, 5)
    planted = frame["count"] < 20
    able = frame["size"].notna() & (frame["size"] + 0.05 * frame["count"] < 0.9)
    found, table = search(frame, planted & able, able)
    told = np.any([clause_mask(clause, table) for clause in found], axis=0)
    assert (told == planted)[able].mean() > 0.97
    # But where a condition parts them cleanly, it is said.
    flagged, _ = search(frame, planted & frame["flag"], frame["flag"])
    assert [str(clause) for clause in flagged] == ["count < 20 AND flag = true"]


def test_it_gives_the_same_twice():
    frame = draw(1500, 6)
    differs = PLANTED["two boxes"](frame) ^ (np.random.default_rng(0).random(1500) < 0.02)
    assert search(frame, differs)[0] == search(frame, differs)[0]


def test_nothing_differs_or_too_little():
    frame = draw(300, 7)
    assert search(frame, np.zeros(300, dtype=bool), np.arange(300) < 5)[0] == []
    few = np.arange(300) < 5
    assert search(frame, few, few)[0] == []


def test_a_table_without_anything_to_say():
    frame = pd.DataFrame({"one": [1] * 40, "none": [np.nan] * 40})
    assert search(frame, np.arange(40) < 15)[0] == []
    found, _ = search(frame, np.ones(40, dtype=bool))
    assert [str(clause) for clause in found] == ["TRUE"]


@pytest.mark.parametrize("share", [0.03, 0.1])
def test_a_condition_must_pay(share):
    # With some flips by chance, a longer clause would always gain a row or two.
    frame = draw(3000, 8)
    differs = PLANTED["a time"](frame) ^ (np.random.default_rng(8).random(3000) < share)
    found, _ = search(frame, differs)
    assert [str(clause) for clause in found] == ["flag = false AND day >= 2024-04-19 AND day < 2024-09-02"]


@pytest.mark.parametrize("rows_each", [1, 2])
def test_a_column_of_numbers_of_persons_tells_nothing_and_hides_nothing(rows_each):
    frame = draw(2000, 9).assign(ID=[f"R{100_000 + row // rows_each}" for row in range(2000)])
    chance = np.random.default_rng(9).random(2000) < 0.05
    found, _ = search(frame, chance)
    assert found == []
    found, _ = search(frame, PLANTED["levels of many"](frame) ^ chance)
    assert [str(clause) for clause in found] == ["count <= 22 AND kind IN {'b', 'c', 'g'}"]
