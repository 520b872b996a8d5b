"""Intervals: a Boolean algebra on the line, against plain predicates on points."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.rules.boolean_laws import require_boolean_laws

from frote.rules.intervals import END, START, Intervals, first_step

quick = settings(max_examples=examples(250))

ENDS = (-2, -1, 0, 0.5, 1, 2)
# Every end, a point in each gap, and points beyond: they tell all sets apart that have such ends.
POINTS = (-math.inf, -3, -2, -1.5, -1, -0.5, 0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, math.inf)

NOTHING, EVERYTHING = Intervals(), Intervals.everything()


@st.composite
def drawn(draw):
    """Draw a set together with the points that are in it, which are found without it."""
    found, inside = NOTHING, set()
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["points", "below", "above", "between", "complement"]))
        low, high = draw(st.sampled_from(ENDS)), draw(st.sampled_from(ENDS))
        low_closed, high_closed = draw(st.booleans()), draw(st.booleans())
        if kind == "complement":
            found, inside = ~found, set(POINTS) - inside
            continue
        if kind == "points":
            part, new = Intervals.points([low, high, low]), {low, high}
        elif kind == "below":
            part = Intervals.between(high=high, high_closed=high_closed)
            new = {p for p in POINTS if p < high or (high_closed and p == high)}
        elif kind == "above":
            part = Intervals.between(low, low_closed=low_closed)
            new = {p for p in POINTS if p > low or (low_closed and p == low)}
        else:
            part = Intervals.between(low, high, low_closed=low_closed, high_closed=high_closed)
            new = {
                p
                for p in POINTS
                if (p > low or (low_closed and p == low)) and (p < high or (high_closed and p == high))
            }
        if draw(st.booleans()):
            found, inside = found | part, inside | new
        else:
            found, inside = found & part, inside & new
    return found, inside


@quick
@given(drawn())
def test_membership(one):
    found, inside = one
    assert {p for p in POINTS if p in found} == inside
    assert bool(found) == bool(inside)


@quick
@given(drawn(), drawn())
def test_equal_values_are_equal_sets(one, other):
    assert (one[0] == other[0]) == (one[1] == other[1])
    if one[0] == other[0]:
        assert hash(one[0]) == hash(other[0])


@quick
@given(drawn(), drawn())
def test_operations_are_those_of_sets(one, other):
    (a, in_a), (b, in_b) = one, other
    assert {p for p in POINTS if p in a & b} == in_a & in_b
    assert {p for p in POINTS if p in a | b} == in_a | in_b
    assert {p for p in POINTS if p in ~a} == set(POINTS) - in_a


@quick
@given(drawn(), drawn(), drawn())
def test_boolean_laws(one, other, third):
    require_boolean_laws(one[0], other[0], third[0], NOTHING, EVERYTHING)


@quick
@given(drawn())
def test_form(one):
    """Cuts increase strictly and come in pairs; no two intervals touch."""
    cuts = one[0].cuts
    assert len(cuts) % 2 == 0
    assert list(cuts) == sorted(set(cuts))
    assert one[0].is_everything == (one[0] == EVERYTHING)
    assert one[0].is_finite() == (one[1] <= set(ENDS))


def test_whole_and_float_ends_are_the_same():
    assert Intervals.points([1.0, 1]) == Intervals.points([1])
    assert Intervals.between(0.0, 2.0) == Intervals.between(0, 2)
    assert hash(Intervals.between(0.0, 2.0)) == hash(Intervals.between(0, 2))


@quick
@given(drawn(), st.sampled_from([1, 2, 3]))
def test_pick_among_multiples(one, step):
    found, _ = one
    picked = found.pick(step)
    # Beyond -6 and 6 there is nothing new.
    brute = [n for n in range(-6, 7) if n % step == 0 and n in found]
    assert (picked is None) == (not brute)
    if picked is not None:
        assert isinstance(picked, int)
        assert picked % step == 0
        assert picked in found


@quick
@given(drawn())
def test_pick_anything(one):
    found, inside = one
    for picked in (found.pick(), found.pick(floats_only=True)):
        assert (picked is None) == (not inside)
        assert picked is None or picked in found


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(2**70), 2**70),
    st.sampled_from([0.0, 5e-324, 1.0, math.nextafter(1.0, 2), 2**53, 2**53 + 1, 1e308, 1.7976931348623157e308]),
)


def _least_float(low, *, closed):
    """Return the least double that is above `low`, or equal to it if closed; Python compares exactly."""
    found = float(low)
    while found < low or (not closed and found == low):
        found = math.nextafter(found, math.inf)
        if found == math.inf:
            return found
    while (below := math.nextafter(found, -math.inf)) > low or (closed and below == low):
        found = below
    return found


@settings(quick, max_examples=examples(600))
@given(numbers, st.one_of(numbers, st.builds(range, st.integers(0, 3))), st.booleans(), st.booleans())
@example(1.0, math.nextafter(1.0, 2), False, False)
@example(2**60 + 1, 2**60 + 257, False, False)
@example(2**53, 2**53 + 1, False, False)
@example(1e308, 1.5e308, False, False)
@example(-1.7976931348623157e308, 1.7976931348623157e308, False, False)
@example(0, 5e-324, False, False)
@example(0, 1e-323, False, False)
def test_pick_next_to_each_other(low, high, low_closed, high_closed):
    """Between two doubles that are neighbours lies none; above them, a pick never gives up too early."""
    if isinstance(high, range):
        steps, high = high, low
        for _ in steps:
            high = math.nextafter(high, math.inf)
    found = Intervals.between(low, high, low_closed=low_closed, high_closed=high_closed)
    least = _least_float(low, closed=low_closed)
    some = least < high or (least == high and (high_closed or high == math.inf))
    picked = found.pick(floats_only=True)
    assert (picked is None) == (not some)
    if picked is not None:
        assert picked in found
        assert float(picked) == picked


@pytest.mark.parametrize(
    ("found", "step", "expected"),
    [
        (Intervals.between(28, 29), None, 28.5),
        (Intervals.between(28, 29), 1, None),
        (Intervals.between(28, 29, high_closed=True), 1, 29),
        (Intervals.between(28, 29, low_closed=True), 1, 28),
        (Intervals.between(high=29), 10, 20),
        (Intervals.between(high=30), 10, 20),
        (Intervals.between(high=30, high_closed=True), 10, 30),
        (Intervals.between(21, 29), 10, None),
        (EVERYTHING, 10, 0),
        (NOTHING, None, None),
        (Intervals.between(2**70, 2**70 + 2), 1, 2**70 + 1),
    ],
)
def test_picks(found, step, expected):
    assert found.pick(step) == expected


@quick
@given(
    value=st.one_of(st.integers(-(2**70), 2**70), st.floats(-1e18, 1e18), st.fractions(-99, 99, max_denominator=6)),
    side=st.sampled_from([0, 1]),
    step=st.integers(1, 10**9),
)
def test_the_first_step_lies_behind_a_cut_and_the_one_before_it_does_not(value, side, step):
    first = first_step((value, side), step)
    assert isinstance(first, int)
    assert ((first - 1) * step, 0) < (value, side) <= (first * step, 0)


def test_there_is_no_first_step_at_the_ends():
    assert first_step(START, 7) == -math.inf
    assert first_step(END, 7) == math.inf


def test_no_multiple_is_infinite():
    assert Intervals.points([math.inf]).pick(1) is None
    assert Intervals.points([-math.inf]).pick(7) is None


def test_the_union_of_an_interval_and_one_inside_it():
    assert Intervals.union([((0, 0), (10, 1)), ((2, 0), (3, 1))]) == Intervals(((0, 0), (10, 1)))
    assert Intervals.union([((2, 0), (3, 1)), ((0, 0), (2, 0)), ((5, 1), (5, 1))]) == Intervals(((0, 0), (3, 1)))


def test_the_whole_line():
    assert Intervals.everything() == Intervals.between()


def test_the_plainest_number_is_picked():
    picked = [Intervals.between(low, high).pick() for low, high in ((-1, 5), (28, math.inf), (-math.inf, -7), (28, 40))]
    assert picked == [0, 29, -8, 29]
