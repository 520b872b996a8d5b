"""Base rows by integer program, against brute force and against the program as the paper writes it."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from tests.examples import examples
from tests.selection.small_requests import make_request

from frote.generation.space import Points, nearest
from frote.selection import IntegerProgram, program
from frote.selection.program import AROUND, Neighbourhoods, borderline, solve

quick = settings(max_examples=examples(150))


def instance(rng, *, rows, rules, density=0.5, weights=(1.0, 3.0)):
    """A random program in which every row counts for a rule; lower bounds may be too high."""
    counts = rng.random((rules, rows)) < density
    counts[rng.integers(rules, size=rows), np.arange(rows)] = True
    upper = rng.integers(1, 6, rules)
    lower = np.minimum(rng.integers(0, 5, rules), upper)
    return rng.choice(weights, rows), counts, lower, upper


def brute_force(weights, counts, lower, upper):
    """Return the least total by which lower bounds are missed, and the greatest weight of those that miss so little."""
    best = (np.inf, 0.0)
    for taken in itertools.product([False, True], repeat=len(weights)):
        per_rule = counts[:, np.array(taken)].sum(axis=1)
        if (per_rule <= upper).all():
            short = np.maximum(lower - per_rule, 0).sum()
            best = min(best, (short, -weights[np.array(taken)].sum()))
    return best[0], -best[1]


def value(chosen, weights, counts, lower, upper):
    """Return the same of a choice, having looked that it keeps the upper bounds."""
    assert (np.diff(chosen) > 0).all()
    per_rule = counts[:, chosen].sum(axis=1)
    assert (per_rule <= upper).all()
    return np.maximum(lower - per_rule, 0).sum(), weights[chosen].sum()


def as_written(weights, counts, lower, upper):
    """Equation 5 with a variable for every row."""
    found = milp(
        -weights,
        constraints=[LinearConstraint(counts.astype(float), lower, upper)],
        bounds=Bounds(0, 1),
        integrality=np.ones(len(weights)),
        options={"mip_rel_gap": 0.0},
    )
    return None if found.x is None else -found.fun


@pytest.mark.parametrize("block", range(10))
def test_the_optimum_of_brute_force(block):
    """In all, 240 programs of up to ten rows and five rules, of which many have lower bounds that cannot hold."""
    lowered = 0
    for number in range(24):
        rng = np.random.default_rng([block, number])
        rules = int(rng.integers(1, 6))
        weights = [(1.0, 3.0), (0.5, 1.25, 2.0, 7.0)][number % 2]
        problem = instance(rng, rows=int(rng.integers(1, 11)), rules=rules, density=rng.random(), weights=weights)
        found = value(solve(*problem, rng), *problem)
        assert found == pytest.approx(brute_force(*problem))
        lowered += found[0] > 0
    assert 0 < lowered < 24


@pytest.mark.parametrize("seed", range(12))
def test_kinds_of_rows_do_not_change_the_optimum(seed):
    rng = np.random.default_rng(seed)
    weights, counts, lower, upper = instance(rng, rows=300, rules=5, density=rng.uniform(0.1, 0.6))
    lower = np.minimum(lower, 1)
    found = solve(weights, counts, lower, upper, rng)
    expected = as_written(weights, counts, lower, upper)
    short, weight = value(found, weights, counts, lower, upper)
    if expected is not None:
        assert (short, weight) == (0, pytest.approx(expected))
    else:
        assert short > 0


@pytest.mark.parametrize("seed", range(12))
def test_sorting_where_no_row_counts_for_two(seed):
    rng = np.random.default_rng(seed)
    weights, counts, lower, upper = instance(rng, rows=60, rules=4, density=0.0)
    assert (counts.sum(axis=0) == 1).all()
    lower = np.minimum(lower, counts.sum(axis=1))
    found = solve(weights, counts, lower, upper, rng)
    assert value(found, weights, counts, lower, upper) == (0, pytest.approx(as_written(weights, counts, lower, upper)))
    # A rule more, for all rows and without any bite, makes sorting give way to the solver.
    counts, lower, upper = np.vstack([counts, np.ones(60, dtype=bool)]), np.append(lower, 0), np.append(upper, 60)
    other = solve(weights, counts, lower, upper, rng)
    assert weights[other].sum() == weights[found].sum()


def test_more_rules_than_bits_in_a_byte():
    counts = np.vstack([np.eye(19, dtype=bool), np.ones(19, dtype=bool)])
    weights = np.arange(1.0, 20.0)
    chosen = solve(weights, counts, np.zeros(20, dtype=np.intp), np.append(np.ones(19), 4).astype(int), _rng(0))
    assert chosen.tolist() == [15, 16, 17, 18]


@pytest.mark.parametrize("overlapping", [False, True])
def test_ties_are_broken_by_chance(overlapping):
    rng = _rng(7)
    counts = np.zeros((3, 90), dtype=bool)
    counts[rng.integers(3, size=90), np.arange(90)] = True
    if overlapping:
        counts[rng.integers(3, size=90), np.arange(90)] = True
    problem = (np.where(np.arange(90) % 9, 1.0, 3.0), counts, np.full(3, 2), np.full(3, 5))
    found = [solve(*problem, _rng(seed)) for seed in (0, 0, 1, 2, 3)]
    assert (found[0] == found[1]).all()
    assert len({tuple(rows) for rows in found}) > 2
    assert len({value(rows, *problem) for rows in found}) == 1


def test_chance_decides_between_kinds_too():
    """One row for both rules weighs as much as two rows for one each: both ways come up."""
    counts = np.array([[1, 0, 1, 0, 1], [0, 1, 0, 1, 1]], dtype=bool)
    problem = (np.array([1.0, 1.0, 1.0, 1.0, 2.0]), counts, np.ones(2, dtype=np.intp), np.ones(2, dtype=np.intp))
    found = {tuple(solve(*problem, _rng(seed)).tolist()) for seed in range(30)}
    assert found == {(0, 1), (0, 3), (1, 2), (2, 3), (4,)}


def test_bounds_that_cannot_hold_are_lowered_by_the_least():
    # Both rules want two rows, but every row counts for both and the second takes one at most.
    counts = np.ones((2, 3), dtype=bool)
    chosen = solve(np.array([1.0, 3.0, 1.0]), counts, np.array([2, 1]), np.array([3, 1]), _rng(0))
    assert chosen.tolist() == [1]
    # Where one rule falls short either way, the way of the greater weight is taken.
    counts = np.array([[1, 0], [1, 1], [0, 1]], dtype=bool)
    for weights, expected in (([3.0, 1.0], [0]), ([1.0, 3.0], [1])):
        for seed in range(5):
            assert solve(np.array(weights), counts, np.ones(3, int), np.ones(3, int), _rng(seed)).tolist() == expected


# Weights


@pytest.mark.parametrize("unlike", range(11))
def test_borderline_is_half_or_more_but_not_all(unlike):
    predicted = np.array([0] * 11 + [1] * 10)
    around = np.concatenate([np.arange(11, 11 + unlike), np.arange(1, 11 - unlike)])
    assert len(around) == 10
    assert borderline(predicted, np.array([0]), around[np.newaxis]).tolist() == [5 <= unlike < 10]


def test_borderline_with_few_neighbours():
    predicted = np.array([0, 1, 0, 2])
    rows = np.array([0, 3])
    assert borderline(predicted, rows, np.array([[1, 2, 3], [0, 1, 2]])).tolist() == [True, False]
    assert borderline(predicted, rows, np.empty((2, 0), dtype=np.intp)).tolist() == [False, False]


@given(st.data())
@quick
def test_neighbours_are_kept_up_to_date(data):
    """After any rows added and any candidates asked for, what is remembered is what a search finds.

    Of the rows there are at first, some may be left out of those that are neighbours.
    """
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    around = Neighbourhoods()
    total = data.draw(st.integers(1, 15))
    points = _some_points(rng, total)
    first = np.array(
        sorted(data.draw(st.sets(st.integers(0, total - 1), min_size=min(total, AROUND + 1)))), dtype=np.intp
    )
    for _ in range(data.draw(st.integers(1, 5))):
        rows = np.array(sorted(data.draw(st.sets(st.integers(0, len(points) - 1)))), dtype=np.intp)
        pool = np.append(first, np.arange(total, len(points)))
        found = around.of(points.take, pool, len(points), rows)
        if len(rows):
            assert found.tolist() == nearest(points, rows, pool, AROUND).tolist()
        assert len(found) == len(rows)
        points = points.concat(_some_points(rng, data.draw(st.integers(0, 14))))


def kept_around(around, points, rows):
    return around.of(points.take, np.arange(len(points)), len(points), rows)


def test_fewer_rows_than_before_are_other_rows():
    rng, around = _rng(0), Neighbourhoods()
    for points in (_some_points(rng, 40), _some_points(rng, 30)):
        rows = np.arange(0, 30, 2)
        assert (kept_around(around, points, rows) == nearest(points, rows, np.arange(len(points)), AROUND)).all()


def test_threads_may_ask_at_the_same_time(monkeypatch):
    """Two that find new rows at the same moment leave the same behind as one."""
    rng, around = _rng(0), Neighbourhoods()
    points, rows = _some_points(rng, 40), np.arange(0, 40, 3)
    kept_around(around, points, rows)
    more, both = points.concat(_some_points(rng, 20)), threading.Barrier(2)
    search = program.nearest_with_distances

    def together(*arguments):
        both.wait(20)
        return search(*arguments)

    expected = nearest(more, rows, np.arange(60), AROUND).tolist()
    monkeypatch.setattr(program, "nearest_with_distances", together)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: kept_around(around, more, rows).tolist(), range(2)))
    monkeypatch.undo()
    assert found == [expected, expected]
    assert kept_around(around, more, rows).tolist() == expected


# From request to choice


def line(values):
    """Points on a line."""
    return Points(np.array(values, dtype=float)[:, np.newaxis], np.empty((0, len(values)), dtype=np.int8))


def test_borderline_rows_are_chosen_first():
    # Twenty rows on a line, the later half predicted otherwise. The ten neighbours of row 9 are 4 to 8 and 10 to 14,
    # of which five are unlike it; so it is with row 10; all other rows have fewer unlike ones.
    points, predicted = line(range(20)), np.arange(20) // 10
    near = nearest(points, np.arange(20), np.arange(20), 10)
    edge = [row for row in range(20) if 5 <= (predicted[near[row]] != predicted[row]).sum() < 10]
    assert edge == [9, 10]
    request = make_request([[range(20)]], [2], points=points, predicted=predicted, neighbours=1)
    for seed in range(5):
        assert IntegerProgram().select(request, _rng(seed)).base.tolist() == [9, 10]


def test_a_row_that_counts_for_two_rules_generates_for_both():
    # Only row 3 counts for both, and it is all that the second has.
    request = make_request([[[0, 1, 2, 3]], [[3]]], [4, 4])
    choice = IntegerProgram().select(request, _rng(0))
    assert list(zip(choice.piece.tolist(), choice.base.tolist(), strict=True)) == [
        (0, 0),
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 3),
    ]


def test_each_row_goes_to_the_first_piece_that_has_it():
    request = make_request([[[0, 1], [1, 2]], [[2]]], [5, 5])
    choice = IntegerProgram().select(request, _rng(0))
    assert list(zip(choice.piece.tolist(), choice.base.tolist(), strict=True)) == [(0, 0), (0, 1), (1, 2), (2, 2)]


@pytest.mark.parametrize("quotas", [(0, 3), (3, 0), (0, 0)])
def test_a_rule_of_which_nothing_is_wanted_takes_no_part(quotas):
    request = make_request([[range(8)], [range(8)]], quotas)
    choice = IntegerProgram().select(request, _rng(0))
    assert tuple(np.bincount(choice.piece, minlength=2)) == quotas


def test_equal_shares_are_rounded_down_as_in_the_paper():
    request = make_request([[range(10)], [range(10, 20)], [range(20, 30)]], (7, 7, 6))
    assert np.bincount(IntegerProgram().select(request, _rng(0)).piece).tolist() == [6, 6, 6]


def test_no_rules_and_no_rows():
    assert len(IntegerProgram().select(make_request([], []), _rng(0)).base) == 0
    assert len(IntegerProgram().select(make_request([[]], [3]), _rng(0)).base) == 0
    assert IntegerProgram().select(make_request([[], [[2, 4]]], [3, 3]), _rng(0)).base.tolist() == [2, 4]


@given(
    st.lists(st.lists(st.sets(st.integers(0, 25), min_size=1).map(sorted), min_size=1, max_size=2), max_size=4),
    st.integers(0, 10**6),
)
@quick
def test_quotas_are_upper_bounds(populations, seed):
    rng = np.random.default_rng(seed)
    quotas = rng.integers(0, 9, len(populations)).tolist()
    points, predicted = _some_points(rng, 26), rng.integers(0, 2, 26)
    request = make_request(populations, quotas, points=points, predicted=predicted)
    choice = IntegerProgram().select(request, rng)
    chosen = []
    for pieces, quota in zip(request.populations, request.quotas, strict=True):
        rows = np.concatenate([choice.base[choice.piece == population.piece] for population in pieces])
        assert len(np.unique(rows)) == len(rows) <= quota
        for population in pieces:
            assert np.isin(choice.base[choice.piece == population.piece], population.rows).all()
        chosen.append(set(rows.tolist()))
    for one, other in itertools.permutations([rule for rule, quota in enumerate(quotas) if quota], 2):
        members = set(itertools.chain.from_iterable(populations[other]))
        assert chosen[one] & members <= chosen[other]


def test_what_is_remembered_changes_no_answer():
    rng, program = _rng(3), IntegerProgram()
    points, predicted = _some_points(rng, 60), rng.integers(0, 2, 60)
    for step in range(4):
        rows = [[np.flatnonzero(rng.random(len(points)) < 0.5)] for _ in range(2)]
        request = make_request(rows, [6, 6], points=points, predicted=predicted)
        one, other = program.select(request, _rng(step)), IntegerProgram().select(request, _rng(step))
        assert one.base.tolist() == other.base.tolist()
        assert one.piece.tolist() == other.piece.tolist()
        points = points.concat(_some_points(rng, 12))
        predicted = rng.integers(0, 2, len(points))


def _rng(seed):
    return np.random.default_rng(seed)


def _some_points(rng, count):
    """Points with many equal distances."""
    return Points(rng.integers(0, 4, (count, 2)) / 2, rng.integers(0, 3, (2, count)).astype(np.int8))
