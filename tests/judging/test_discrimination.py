"""AUC, KS, average precision and the stability index by hand, and against scikit-learn."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from frote.judging.discrimination import area, average_precision, kolmogorov_smirnov, stability_index

ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=2, max_size=30)


def pair(chance):
    return np.column_stack([1 - chance, chance])


@given(ROWS)
def test_area_counts_pairs_in_order_and_ks_is_the_widest_gap(rows):
    labels = np.array([label for label, _ in rows])
    chance = np.array([tenths / 10 for _, tenths in rows])
    if len(set(labels)) < 2:
        assert np.isnan(area(labels, pair(chance)))
        assert np.isnan(kolmogorov_smirnov(labels, pair(chance)))
        return
    ones, zeros = chance[labels == 1], chance[labels == 0]
    pairs = [(one > zero) + (one == zero) / 2 for one, zero in product(ones, zeros)]
    assert area(labels, pair(chance)) == pytest.approx(np.mean(pairs))
    gaps = [abs((ones <= cut).mean() - (zeros <= cut).mean()) for cut in chance]
    assert kolmogorov_smirnov(labels, pair(chance)) == pytest.approx(max(gaps))


def test_of_three_classes_each_is_held_against_the_rest_as_scikit_learn_does():
    rng = np.random.default_rng(0)
    labels = rng.choice(3, size=60, p=[0.6, 0.3, 0.1])
    chances = rng.dirichlet(np.ones(3), size=60) + 0.5 * np.eye(3)[labels]
    chances /= chances.sum(axis=1, keepdims=True)
    expected = roc_auc_score(labels, chances, multi_class="ovr", average="weighted")
    assert area(labels, chances) == pytest.approx(expected)
    assert average_precision(labels, chances, 2) == average_precision_score(labels == 2, chances[:, 2])
    # A class that no row has counts for nothing.
    more = np.column_stack([chances, np.zeros(60)])
    assert area(labels, more) == pytest.approx(expected)
    assert np.isnan(average_precision(labels, more, 3))


def test_stability_index_by_hand():
    before = np.repeat(np.arange(10), 10) / 10
    assert stability_index(before, before) == 0
    # One tenth loses its ten rows to the last one: it counts as a row in ten thousand.
    after = np.where(before == 0, 0.9, before)
    by_hand = (1e-4 - 0.1) * np.log(1e-4 / 0.1) + (0.2 - 0.1) * np.log(0.2 / 0.1)
    assert stability_index(before, after) == pytest.approx(by_hand)
    assert np.isnan(stability_index(before[:0], before[:0]))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_stability_index_is_never_below_nothing(before, after):
    assert stability_index(np.array(before), np.array(after)) >= 0
