"""What models answer is looked at once: what is no label and no probability is refused, and nothing else."""

from __future__ import annotations

import re

import numpy as np
import pytest

from frote.coverage.said import chances_of, labels_of
from frote.exceptions import ModelError

SLIP = 5e-7  # what rounding may leave


@pytest.mark.parametrize(
    "said", [[[0, 1], [1, 0]], [[0.0, 1.0], [-SLIP, 1 + SLIP]], np.array([["0.5", 1]] * 2, object)]
)
def test_probabilities_from_0_to_1_are_taken_with_what_rounding_leaves(said):
    found = chances_of(said, 2, "Mine")
    assert found.tolist() == np.asarray(said, dtype=float).tolist()
    assert not np.shares_memory(found, said)


@pytest.mark.parametrize(
    ("said", "given"),
    [
        (None, "None"),
        (7, "an object of type int"),
        ("no", "an object of type str"),
        ([[0.5], [0.5, 0.5]], "an object of type list"),
        ([0.5, 0.5], "an array of shape (2,)"),
        ([[0.5, 0.5]], "an array of shape (1, 2)"),
        ([[[0.5]], [[0.5]]], "an array of shape (2, 1, 1)"),
        ([["0.5", "x"]] * 2, "an array of shape (2, 2)"),
    ],
)
def test_what_holds_no_probabilities_is_named(said, given):
    told = f"^predict_proba of Mine gave {re.escape(given)} for 2 rows. A classifier gives a line of probabilities"
    with pytest.raises(ModelError, match=told):
        chances_of(said, 2, "Mine")


@pytest.mark.parametrize("worst", [-0.5, 1.5, np.nan, np.inf])
def test_what_is_no_probability_is_named_with_its_row(worst):
    with pytest.raises(ModelError, match=f"^predict_proba of Mine gave {worst:g} for row 1, which is no probability"):
        chances_of([[0.5, 0.5], [0.5, worst]], 2, "Mine")


@pytest.mark.parametrize(
    ("said", "row", "shown"),
    [
        (["no", float("nan"), "yes"], 1, "'nan'"),  # in an array of texts, NumPy makes it one
        ([["no"], [None], ["yes"]], 1, "None"),
        (np.array([1.0, np.nan, 0.0]), 1, "nan"),
        (np.ma.masked_array([1, 0, 1], mask=[False, False, True]), 2, "1"),
        (np.ma.masked_array([["no"], ["no"], ["no"]], mask=[[True], [False], [False]]), 0, "'no'"),
    ],
)
def test_a_label_that_is_missing_is_told_with_its_row(said, row, shown):
    with pytest.raises(ModelError, match=f"^predict of Mine gave no label for row {row}, but .*{shown}"):
        labels_of(said, 3, "Mine")


@pytest.mark.parametrize("said", [np.array(["nan", "yes"]), ["nan", "yes"], np.ma.masked_array(["nan", "yes"])])
def test_a_label_that_is_called_nan_is_none_that_is_missing(said):
    assert labels_of(said, 2, "Mine").tolist() == ["nan", "yes"]
