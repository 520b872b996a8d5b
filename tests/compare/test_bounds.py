"""Bounds lie between the two values, and at the roundest one."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from frote.compare.bounds import above, below, roundest
from frote.rules.masks import prepare
from frote.rules.values import DAY
from frote.table import Column, Kind

COLUMNS = {
    Kind.CONTINUOUS: (Column("x", Kind.CONTINUOUS), st.floats(allow_nan=False), np.float64),
    Kind.INTEGER: (Column("x", Kind.INTEGER), st.integers(-(2**62), 2**62), np.int64),
    # Microseconds, of the years that a date can have.
    Kind.DATETIME: (Column("x", Kind.DATETIME, step=1_000), st.integers(-(10**16), 10**17), np.int64),
}


@pytest.mark.parametrize("kind", COLUMNS)
@given(data=st.data())
def test_a_bound_parts_the_two_values(kind, data):
    column, values, dtype = COLUMNS[kind]
    low, high = sorted(data.draw(st.lists(values, min_size=2, max_size=2)))
    assume(low < high)
    both = np.array([low, high], dtype=dtype)
    assert prepare(below(column, both[0], both[1]), column)(both, None).tolist() == [True, False]
    assert prepare(above(column, both[0], both[1]), column)(both, None).tolist() == [False, True]


def digits(number: float) -> int:
    """How many digits a number has, without zeros at either end."""
    return len(Decimal(repr(number)).normalize().as_tuple().digits)


@given(st.integers(-9999, 9999), st.integers(1, 9999), st.sampled_from([1, 10, 1000]))
def test_no_number_between_has_fewer_digits(low, width, scale):
    first, last = low / scale, (low + width) / scale
    found = roundest(first, last)
    assert first <= found <= last
    between = [step / scale for step in range(low, low + width + 1)]
    assert digits(found) <= min(map(digits, between)) + 1  # one more for a 5
    if first <= 0 <= last:
        assert found == 0


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [(23950.2, 24017.3, 24000), (28, 29, 28), (29, 30, 30), (22, 28, 25), (-8.31, -8.27, -8.3), (0.1, 0.14, 0.1)],
)
def test_by_hand(low, high, found):
    assert roundest(low, high) == found


def test_infinite_values():
    assert roundest(-np.inf, np.inf) == 0
    assert roundest(3.5, np.inf) == 3.5
    assert roundest(-np.inf, -3.5) == -3.5
    assert roundest(-np.inf, 3.5) == 0


def test_a_day_starts_at_midnight():
    column = Column("t", Kind.DATETIME, step=1)
    held = below(column, np.int64(5 * DAY + 7), np.int64(6 * DAY + 7))
    assert held.times.cuts[-1][0] == 6 * DAY
    late = above(column, np.int64(6 * DAY + 1), np.int64(6 * DAY + 7))
    assert late.times.cuts[0][0] == 6 * DAY + 7
    first = below(column, np.int64(6 * DAY), np.int64(6 * DAY + 7))
    assert first.times.cuts[-1] == (6 * DAY, 1)  # up to midnight and with it
