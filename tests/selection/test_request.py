"""What selections share: shares of a number, and choices put together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote.selection import Choice, shares


@given(st.integers(0, 10_000), st.lists(st.integers(0, 1000) | st.floats(0, 1e6), min_size=1, max_size=30))
@settings(max_examples=examples(375))
def test_shares_add_up_and_are_rounded_once(total, weights):
    found = shares(total, weights)
    assert sum(found) == total
    assert len(found) == len(weights)
    assert all(isinstance(share, int) for share in found)
    fair = weights if sum(weights) > 0 else [1.0] * len(weights)
    for share, weight in zip(found, fair, strict=True):
        exact = total * weight / math.fsum(fair)
        assert exact - 1 - 1e-6 < share < exact + 1 + 1e-6


@given(st.integers(0, 50), st.lists(st.integers(0, 9), min_size=1, max_size=8))
@settings(max_examples=examples(375))
def test_what_is_left_goes_to_the_largest_remainders(total, weights):
    if not sum(weights):
        weights = [1] * len(weights)
    # In whole numbers: quotient and remainder of total * weight by the sum of the weights.
    parts = [divmod(total * weight, sum(weights)) for weight in weights]
    left = total - sum(whole for whole, _ in parts)
    first = sorted(range(len(parts)), key=lambda i: (-parts[i][1], i))[:left]
    by_hand = [whole + (i in first) for i, (whole, _) in enumerate(parts)]
    assert shares(total, weights) == tuple(by_hand)


def test_shares_by_hand():
    assert shares(20, [1, 1, 1]) == (7, 7, 6)
    assert shares(10, [0.5, 0.25, 0.25]) == (5, 3, 2)
    assert shares(7, [5, 0, 1]) == (6, 0, 1)
    assert shares(3, [0, 1, 0]) == (0, 3, 0)
    assert shares(1, [0.2, 0.5, 0.3]) == (0, 1, 0)
    assert shares(5, [0, 0]) == (3, 2)
    assert shares(0, [1, 2]) == (0, 0)
    assert shares(4, []) == ()
    assert shares(10, [0.1] * 10) == (1,) * 10


@pytest.mark.parametrize("total", [1, 2, 7, 20, 199])
def test_zero_weights_get_nothing(total):
    found = shares(total, [3, 0, 1.7, 0, 0.1])
    assert found[1] == found[3] == 0


def test_choices():
    choice = Choice.of([(2, np.array([5, 6])), (0, np.array([], dtype=np.intp)), (1, np.array([5]))])
    assert choice.piece.tolist() == [2, 2, 1]
    assert choice.base.tolist() == [5, 6, 5]
    for empty in (Choice.of([]), Choice.of([(1, np.array([], dtype=np.intp))])):
        assert empty.piece.shape == empty.base.shape == (0,)
        assert empty.piece.dtype == empty.base.dtype == np.intp
