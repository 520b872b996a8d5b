"""Calibration against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, log_loss

from frote.judging.calibration import Calibration, brier, calibration_error, logarithmic, reliability


@given(st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1)), min_size=1, max_size=30))
def test_two_classes_as_scikit_learn_has_them(rows):
    labels = np.array([label for label, _ in rows])
    chance = np.array([share for _, share in rows])
    chances = np.column_stack([1 - chance, chance])
    assert brier(labels, chances) == pytest.approx(brier_score_loss(labels, chance, pos_label=1))
    assert logarithmic(labels, chances) == pytest.approx(log_loss(labels, chance, labels=[0, 1]))


def test_three_classes_by_hand():
    labels, chances = np.array([0, 2]), np.array([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]])
    assert brier(labels, chances) == pytest.approx(((0.25 + 0.0625 + 0.0625) + (0.25 + 0.25)) / 2)
    assert logarithmic(labels, chances) == pytest.approx(np.log(2))


def test_one_class_is_never_wrong():
    assert logarithmic(np.zeros(3, dtype=int), np.ones((3, 1))) == 0
    assert brier(np.zeros(3, dtype=int), np.ones((3, 1))) == 0


def test_bins_and_error_by_hand():
    bins = reliability(np.array([0.0, 0.1, 0.62, 0.68, 1.0]), np.array([False, True, True, False, True]))
    assert bins["low"].tolist() == [0.0, 0.6, 0.9]
    assert bins["high"].tolist() == [0.1, 0.7, 1.0]
    assert bins["rows"].tolist() == [2, 2, 1]
    assert bins["confidence"].tolist() == pytest.approx([0.05, 0.65, 1.0])
    assert bins["accuracy"].tolist() == [0.5, 0.5, 1.0]
    assert calibration_error(bins) == pytest.approx((2 * 0.45 + 2 * 0.15) / 5)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_every_row_is_in_one_bin_between_its_ends(rows):
    confidence = np.array([share for share, _ in rows])
    bins = reliability(confidence, np.array([right for _, right in rows]))
    assert bins["rows"].sum() == len(rows)
    assert (bins["confidence"] >= bins["low"] - 1e-12).all()
    assert (bins["confidence"] <= bins["high"] + 1e-12).all()
    assert (bins["accuracy"] * bins["rows"]).sum() == pytest.approx(sum(right for _, right in rows))
    assert 0 <= calibration_error(bins) <= 1


def test_confidence_is_that_of_the_predicted_class():
    # What is predicted need not be the likeliest class.
    found = Calibration.of(np.array([0]), np.array([0]), np.array([[0.35, 0.65]]))
    assert found.bins["confidence"].tolist() == [0.35]
    assert found.calibration_error == pytest.approx(0.65)
