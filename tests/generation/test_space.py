"""Distances between mixed rows and nearest neighbours, against plain Python."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote.generation import space
from frote.generation.space import MixedSpace, Points, nearest, nearest_with_distances
from frote.table import Table

# Multiples of a quarter: their distances are exact, so that equally near means equally near.
QUARTERS = st.integers(-8, 8).map(lambda n: n / 4)


@st.composite
def searches(draw):
    """Points with many equal distances, queries, candidates and a number of neighbours."""
    total = draw(st.integers(1, 25))
    dimensions, columns = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    numbers = draw(st.lists(QUARTERS, min_size=total * dimensions, max_size=total * dimensions))
    codes = draw(st.lists(st.integers(-1, 2), min_size=total * columns, max_size=total * columns))
    points = Points(
        np.array(numbers, dtype=float).reshape(total, dimensions),
        np.array(codes, dtype=np.int8).reshape(columns, total),
    )
    rows = st.integers(0, total - 1)
    queries = np.array(draw(st.lists(rows, max_size=8)), dtype=np.intp)
    among = np.array(sorted(draw(st.sets(rows))), dtype=np.intp)
    return points, queries, among, draw(st.integers(1, 6))


def squared_distance(points, one, other):
    numbers = sum((a - b) ** 2 for a, b in zip(points.numbers[one], points.numbers[other], strict=True))
    return numbers + sum(int(a != b) for a, b in zip(points.codes[:, one], points.codes[:, other], strict=True))


def by_hand(points, query, among, k):
    found = sorted((squared_distance(points, query, other), other) for other in among.tolist() if other != query)
    return found[:k]


def check(points, queries, among, k):
    found, distances = nearest_with_distances(points, queries, among, k)
    width = min(k, len(among) - any(query in among for query in queries))
    assert found.shape == distances.shape == (len(queries), max(width, 0))
    assert found.dtype == np.intp
    for query, near, far in zip(queries.tolist(), found.tolist(), distances.tolist(), strict=True):
        expected = by_hand(points, query, among, found.shape[1])
        assert near == [other for _, other in expected]
        assert far == [distance for distance, _ in expected]
    assert (nearest(points, queries, among, k) == found).all()


@given(searches())
@settings(max_examples=examples(300))
def test_nearest_as_in_plain_python(search):
    check(*search)


@given(searches(), st.integers(1, 60), st.integers(1, 6))
@settings(max_examples=examples(300))
def test_blocks_and_groups_change_nothing(search, block, groups):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(space, "BLOCK", block)
        patch.setattr(space, "GROUPS", groups)
        check(*search)


@pytest.mark.parametrize("groups", [1, 2, 10, 5000])
@pytest.mark.parametrize("far", [0.0, 1e-25, 1.0, 1e6])
def test_no_neighbour_is_lost_to_rounding(monkeypatch, groups, far):
    """Points close together but far from the centre: where lower bounds of distances are weakest."""
    monkeypatch.setattr(space, "GROUPS", groups)
    rng = np.random.default_rng(0)
    numbers = far * rng.choice([-1, 1], (400, 6)) + max(far, 1e-20) * 1e-7 * rng.integers(0, 3, (400, 6))
    points = Points(numbers, rng.integers(0, 2, (2, 400)).astype(np.int8))
    rows = np.arange(400)
    found, distances = nearest_with_distances(points, rows[:40], rows, 7)
    everything = np.square(numbers[:40, np.newaxis] - numbers).sum(axis=2)
    everything += (points.codes[:, :40, np.newaxis] != points.codes[:, np.newaxis]).sum(axis=0)
    everything[rows[:40], rows[:40]] = np.inf
    assert (distances == np.sort(everything, axis=1)[:, :7]).all()
    assert (found == np.argsort(everything, axis=1, kind="stable")[:, :7]).all()


def test_many_points_in_many_dimensions():
    rng = np.random.default_rng(1)
    points = Points(rng.normal(size=(6000, 20)), rng.integers(0, 4, (300, 6000)).astype(np.int16))
    queries = np.array([5999, 0, 17])
    everything = np.square(points.numbers[queries, np.newaxis] - points.numbers).sum(axis=2)
    everything += (points.codes[:, queries, np.newaxis] != points.codes[:, np.newaxis]).sum(axis=0)
    everything[range(3), queries] = np.inf
    found = nearest(points, queries, np.arange(6000), 10)
    assert (found == np.argsort(everything, axis=1, kind="stable")[:, :10]).all()


def test_duplicates_come_by_position_and_a_point_is_never_its_own():
    points = Points(np.zeros((5, 1)), np.zeros((1, 5), dtype=np.int8))
    rows = np.arange(5)
    assert nearest(points, np.array([0, 2, 4, 2]), rows, 3).tolist() == [[1, 2, 3], [0, 1, 3], [0, 1, 2], [0, 1, 3]]
    assert nearest(points, np.array([3]), np.array([1, 4]), 3).tolist() == [[1, 4]]


def test_few_points():
    one = Points(np.zeros((1, 2)), np.empty((0, 1), dtype=np.int8))
    row, none = np.array([0]), np.empty(0, dtype=np.intp)
    assert nearest(one, row, row, 5).shape == (1, 0)
    assert nearest(one, none, row, 5).shape == (0, 1)
    assert nearest(one, row, none, 5).shape == (1, 0)
    assert nearest(one, none, none, 5).shape == (0, 0)
    assert nearest(one, row, row, 0).shape == (1, 0)


# From frames to points


@st.composite
def frames(draw):
    size = draw(st.integers(2, 12))
    floats = st.one_of(st.none(), st.floats(-100, 100).map(lambda x: round(x, 1)), st.sampled_from([math.inf, -1e300]))
    column = {
        "real": st.lists(floats, min_size=size, max_size=size).map(lambda v: pd.array(v, dtype="float64")),
        "same": st.just([0.1] * size),
        "whole": st.lists(st.one_of(st.none(), st.integers(-5, 5)), min_size=size, max_size=size).map(
            lambda v: pd.array(v, dtype="Int64")
        ),
        "word": st.lists(st.one_of(st.none(), st.sampled_from("abc")), min_size=size, max_size=size).map(
            lambda v: pd.Categorical(v, categories=list("abcd"))
        ),
        "flag": st.lists(st.one_of(st.none(), st.booleans()), min_size=size, max_size=size).map(
            lambda v: pd.array(v, dtype="boolean")
        ),
        "empty": st.just(np.full(size, np.nan)),
    }
    names = draw(st.lists(st.sampled_from(sorted(column)), min_size=1, unique=True))
    return pd.DataFrame({name: draw(column[name]) for name in names})


def frame_distance(frame, one, other):
    """The squared distance as the module's docstring has it, in plain Python."""
    total = 0.0
    for name in frame:
        values = [None if pd.isna(value) else value for value in frame[name]]
        a, b = values[one], values[other]
        if name in ("word", "flag"):
            total += a != b
            continue
        known = [float(value) for value in values if value is not None and math.isfinite(value)]
        mean = math.fsum(known) / len(known) if known else 0.0
        largest = max(map(abs, known), default=0.0) or 1.0
        spread = largest * math.sqrt(math.fsum(((v - mean) / largest) ** 2 for v in known) / len(known)) if known else 0
        spread = spread if len(set(known)) > 1 else 1.0
        total += (a is None) != (b is None)
        a, b = ((0.0 if v is None else max(-1e6, min(1e6, (v - mean) / spread))) for v in (a, b))
        total += (a - b) ** 2
    return total


@given(frames())
@settings(max_examples=examples(100))
def test_distances_of_frames(frame):
    table = Table.from_frame(frame)
    points = MixedSpace.of(table).encode(table)
    rows = np.arange(len(frame))
    found, distances = nearest_with_distances(points, rows, rows, len(frame))
    for one in range(len(frame)):
        assert sorted(found[one].tolist()) == [row for row in range(len(frame)) if row != one]
        for other, distance in zip(found[one].tolist(), distances[one].tolist(), strict=True):
            assert distance == pytest.approx(frame_distance(frame, one, other), rel=1e-6, abs=1e-6)


def test_a_worked_example():
    frame = pd.DataFrame({"age": [20.0, 40.0, np.nan, 30.0], "job": ["a", "a", None, "b"]})
    table = Table.from_frame(frame)
    points = MixedSpace.of(table).encode(table)
    deviation = math.sqrt(200 / 3)  # mean 30
    assert points.numbers.tolist() == [[-10 / deviation, 0], [10 / deviation, 0], [0, 1], [0, 0]]
    _, distances = nearest_with_distances(points, np.array([2]), np.array([0, 1, 3]), 3)
    # The missing number lies at the mean, 1 from every number; the missing category differs from all.
    assert distances[0] == pytest.approx([0 + 1 + 1, 1.5 + 1 + 1, 1.5 + 1 + 1])
    assert nearest(points, np.array([2]), np.array([0, 1, 3]), 3).tolist() == [[3, 0, 1]]


@pytest.mark.parametrize("values", [[0.1] * 3, [0.1] * 10, [1e308] * 3, [7] * 4, [5e-324] * 2])
def test_a_column_without_spread_counts_with_one(values):
    table = Table.from_frame(pd.DataFrame({"x": values}))
    ((_, mean, spread),) = MixedSpace.of(table).scales
    assert (mean, spread) == (values[0], 1.0)
    assert (MixedSpace.of(table).encode(table).numbers == 0).all()


def test_very_large_and_very_small_values():
    for size in (1e308, 1e160, 1e-160, 1e-310):
        table = Table.from_frame(pd.DataFrame({"x": [size, -size, size / 2]}))
        encoded = MixedSpace.of(table).encode(table).numbers[:, 0]
        assert encoded == pytest.approx([0.980581, -1.372813, 0.392232], rel=1e-5)


def test_infinite_values_lie_at_the_far_end():
    table = Table.from_frame(pd.DataFrame({"x": [0.0, 1.0, np.inf, np.inf, -np.inf]}))
    points = MixedSpace.of(table).encode(table)
    assert np.isfinite(points.numbers).all()
    assert nearest(points, np.arange(5), np.arange(5), 2).tolist() == [[1, 4], [0, 2], [3, 1], [2, 1], [0, 1]]


def test_columns_that_may_get_missing_values():
    table = Table.from_frame(pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 2.0]}))
    mixed = MixedSpace.of(table, gappy=frozenset({"x", "elsewhere"}))
    assert mixed.gappy == {"x"}
    assert mixed.encode(table).numbers.tolist() == [[-1, 0, -1], [1, 0, 1]]


def test_dates():
    table = Table.from_frame(pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-03", None, "2020-02-01"])}))
    points = MixedSpace.of(table).encode(table)
    assert nearest(points, np.array([0, 3]), np.arange(4), 1).tolist() == [[1], [2]]


def test_points_are_taken_and_put_together():
    points = Points(np.array([[1.0], [2.0], [3.0]]), np.array([[1, 2, 3]], dtype=np.int8))
    both = points.take(np.array([2, 0])).concat(points.take(np.array([1])))
    assert both.numbers.ravel().tolist() == both.codes.ravel().tolist() == [3, 1, 2]
    assert len(both) == 3
