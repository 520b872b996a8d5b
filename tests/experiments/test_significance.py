"""What few draws can tell: cases worked by hand, and laws."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frote_experiments.significance import EXACT, UNIT, gain_of, holm, sign_flip

VALUES = st.lists(st.integers(-1000, 1000), min_size=1, max_size=10)


def pairs(*draws):
    """Return differences, given draw by draw."""
    places = [("car", 3, draw, model) for draw, values in enumerate(draws) for model in range(len(values))]
    values = [float(value) for values in draws for value in values]
    return pd.Series(values, pd.MultiIndex.from_tuples(places, names=[*UNIT, "model"]), dtype=float)


@pytest.mark.parametrize(
    ("sums", "p"),
    [
        ([1], 1.0),  # the other way round is as far from zero
        ([1, 1, 1], 2 / 8),
        ([1, 1, 1, 1, 1], 2 / 32),
        ([1, 1, 1, 1, 1, 1], 2 / 64),
        ([1, 2, 3, -1], 4 / 16 + 2 / 16),  # |sum| 5 or more: +++-, -+++ and +++ +, each with its mirror image
        ([0.1, 0.2, -0.3], 1.0),  # a sum of zero, though not in binary
        ([0, 0], 1.0),
    ],
)
def test_signs_are_flipped_by_hand(sums, p):
    assert sign_flip(np.array(sums, dtype=float)) == p


@given(VALUES)
def test_neither_order_nor_sign_nor_scale_of_all_changes_p(values):
    one = np.array(values, dtype=float)
    assert sign_flip(one) == sign_flip(-one[::-1]) == sign_flip(one * 7)
    assert 2 / 2 ** len(one) <= sign_flip(one) <= 1


def test_many_draws_are_flipped_by_a_seeded_lot():
    values = np.random.default_rng(1).normal(0.3, 1, EXACT + 1)
    assert sign_flip(values) == sign_flip(values)
    assert sign_flip(values) == pytest.approx(sign_flip(values[:EXACT]), abs=0.15)
    assert sign_flip(np.ones(40)) == 1e-5


def test_runs_of_one_draw_are_no_evidence_of_their_own():
    few, many = gain_of(pairs([1], [2], [3])), gain_of(pairs([1] * 9, [2] * 9, [3] * 9))
    assert few[:2] == pytest.approx(many[:2])
    assert few.p == many.p == 0.25
    assert (many.pairs, many.draws) == (27, 3)
    assert few.error == pytest.approx(1 / math.sqrt(3))  # of single values, the usual standard error


def test_draws_with_more_runs_weigh_more():
    # Mean 2; the deviations of the draws add up to -2 and 2: sqrt(2 / 1 * (4 + 4)) / 3.
    assert gain_of(pairs([1, 1], [4])) == (2.0, pytest.approx(4 / 3), 3, 2, 0.5)


def test_of_nothing_nothing_is_told():
    assert math.isnan(gain_of(pairs()).mean)
    one = gain_of(pairs([0.5]))
    assert (one.mean, one.p) == (0.5, 1.0)
    assert math.isnan(one.error)


@pytest.mark.parametrize(
    ("ps", "corrected"),
    [([0.04], [0.04]), ([0.03, 0.01], [0.03, 0.02]), ([0.01, 0.011, 0.9], [0.03, 0.03, 0.9]), ([0.5, 0.6], [1.0, 1.0])],
)
def test_correction_by_hand(ps, corrected):
    assert holm(ps) == pytest.approx(corrected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_correction_raises_every_p_and_keeps_their_order(ps):
    corrected = holm(ps)
    assert all(one <= other <= min(1, one * len(ps)) + 1e-12 for one, other in zip(ps, corrected, strict=True))
    assert [corrected[place] for place in np.argsort(ps, kind="stable")] == sorted(corrected)
