"""The best condition on a column against brute force, and boxes that have nowhere to go."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frote.compare.boxes import Boxes, Slots
from frote.rules.clause import Clause
from frote.rules.condition import Condition
from frote.table import Table

GAINS = st.lists(st.tuples(st.integers(0, 5), st.integers(-4, 4)), min_size=1, max_size=14)


def slots_of(values) -> Slots:
    table = Table.from_frame(pd.DataFrame({"x": values}))
    return Slots.of(table.schema["x"], table)


def stretches(slots: Slots):
    """Every way to have a stretch of slots inside: which, and how many bounds it takes."""
    count = len(slots.values)
    for start, stop in itertools.combinations(range(count + 1), 2):
        yield range(start, stop), (start > 0) + (stop < count)


def subsets(slots: Slots):
    count = len(slots.values)
    for size in range(1, count + 1):
        for chosen in itertools.combinations(range(count), size):
            yield chosen, min(size, count - size)  # levels named, those inside or those outside


def best_net(slots: Slots, gains: np.ndarray, cost: float, ways) -> float:
    """The best net gain of all conditions, counted one by one."""
    sums = np.bincount(slots.places, gains, len(slots))
    options = [sums[-1] - cost] if (slots.places == len(slots.values)).any() else []
    for chosen, bounds in ways(slots):
        known = sums[list(chosen)].sum()
        if bounds:
            options += [known - cost * bounds, known + sums[-1] - cost * (bounds + 1)]
        else:
            options += [known + sums[-1], known - cost]
    return max(options)


def paid(slots: Slots, held: Condition, cost: float) -> float:
    """What a condition costs: its bounds or the levels that it names, and a mention of missing where it needs one."""
    if held == Condition.anything():
        return 0.0
    known = slots.inside(held)[:-1]
    if not known.any():
        return cost
    if known.all():
        return cost
    named = min(known.sum(), (~known).sum())
    edges = named if slots.column.kind.has_levels else int(not known[0]) + int(not known[-1])
    return cost * (edges + held.missing)


@pytest.mark.parametrize("cost", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("kind", ["numbers", "levels"])
@given(GAINS)
def test_the_best_condition_is_the_best_of_all(kind, cost, rows):
    # The value 5 stands for missing.
    if kind == "numbers":
        values = [None if value == 5 else float(value) + 0.5 for value, _ in rows]
        slots, ways = slots_of(pd.array(values, dtype="Float64")), stretches
    else:
        values = [None if value == 5 else "abcde"[value] for value, _ in rows]
        slots, ways = slots_of(pd.Series(values, dtype="string")), subsets
    if not len(slots.values):
        return
    gains = np.array([gain for _, gain in rows], dtype=float)
    held = slots.best(gains, np.ones(len(rows), dtype=bool), cost)
    inside = slots.inside(held)[slots.places]
    assert gains[inside].sum() - paid(slots, held, cost) == pytest.approx(best_net(slots, gains, cost, ways))


def test_rows_outside_the_other_sides_count_for_nothing():
    slots = slots_of([1, 2, 3, 4])
    gains = np.array([5.0, -9.0, 5.0, -1.0])
    held = slots.best(gains, np.array([True, False, True, True]), 0.5)
    assert str(Clause.of({"x": held})) == "x <= 3"


def test_levels_are_listed_by_the_shorter_list():
    slots = slots_of(["a", "b", "c", "d", "e"])
    rows = np.ones(5, dtype=bool)
    few = slots.best(np.array([1.0, 1, -1, -1, -1]), rows, 0.1)
    many = slots.best(np.array([1.0, 1, 1, 1, -1]), rows, 0.1)
    assert str(Clause.of({"x": few})) == "x IN {'a', 'b'}"
    assert str(Clause.of({"x": many})) == "x != 'e'"


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_list_of_levels_is_short(sign):
    # Of forty levels sixteen gain, or lose, each more than the one before: the twelve that matter most are named.
    levels = [f"l{place:02d}" for place in range(40)]
    gains = np.where(np.arange(40) < 16, sign * (10.0 + np.arange(40)), -sign * 5.0)
    held = slots_of(levels).best(gains, np.ones(40, dtype=bool), 1.0)
    named = held if sign > 0 else ~(held | Condition.is_missing())
    assert sorted(named.texts) == levels[4:16]


def test_levels_that_gain_less_than_they_cost_are_not_named():
    slots = slots_of(["a", "a", "a", "b", "c", "c", "d"])
    held = slots.best(np.array([1.0, 1, 1, 1, -1, -1, -1]), np.ones(7, dtype=bool), 1.5)
    assert str(Clause.of({"x": held})) == "x = 'a'"


@pytest.mark.parametrize("seed", range(8))
def test_a_grown_box_has_nowhere_to_go(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=400),
            "b": rng.integers(0, 20, 400),
            "c": rng.choice(["u", "v", "w", None], 400),
            "d": rng.random(400) < 0.5,
        }
    )
    inside = (frame["a"] > -0.2) & (frame["a"] < 1.4) & (frame["b"] <= 12) & frame["c"].isin(["u", "v"])
    table = Table.from_frame(frame)
    columns = tuple(Slots.of(column, table) for column in table.schema)
    boxes = Boxes(columns, np.where(inside, 1.0, -1.0), 0.5)
    start = [np.ones(len(slots), dtype=bool) for slots in columns]
    # A part of it, as a leaf of a tree would be: wider on some sides, narrower on others.
    start[0] = np.append((columns[0].values > 0) & (columns[0].values < 0.9), False)
    start[1] = columns[1].inside(Condition.compare("<", 15))
    start[2] = columns[2].inside(Condition.compare("=", "u"))
    found = boxes.grown(start)
    sides = [slots.inside(found[slots.column.name]) for slots in columns]
    assert boxes.grown(sides) == found
    covered = np.all([side[slots.places] for slots, side in zip(columns, sides, strict=True)], axis=0)
    assert (covered == inside).all()
    assert "d" not in found.columns


def test_infinite_numbers_have_their_slots():
    slots = slots_of([-np.inf, 0.5, np.inf, np.nan])
    held = slots.best(np.array([1.0, 1.0, -1.0, -1.0]), np.ones(4, dtype=bool), 0.1)
    assert slots.inside(held).tolist() == [True, True, False, False]
