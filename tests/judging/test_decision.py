"""Thresholds and costs: what rows get, and what is told of those that cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from frote.coverage.labels import Labels
from frote.exceptions import ModelError, TableError
from frote.judging.decision import Decision
from frote.ways_out import for_commands

TWO, THREE = Labels.known(["approved", "denied"]), Labels.known([0, 1, 2])


def test_a_threshold_is_on_the_favourable_label_and_reaches_from_it_on():
    chances = np.array([[0.4, 0.6], [0.39, 0.61], [1.0, 0.0]])
    predicted = chances.argmax(axis=1)
    assert Decision.of(TWO, favourable="approved", threshold=0.4).decided(predicted, chances).tolist() == [0, 1, 0]
    assert Decision.of(TWO, favourable="denied", threshold=0.61).decided(predicted, chances).tolist() == [0, 1, 0]
    assert Decision.of(TWO, favourable="approved").decided(predicted, chances).tolist() == [1, 1, 0]


def test_costs_give_each_row_the_label_of_least_expected_cost():
    chances = np.array([[0.8, 0.2], [0.85, 0.15]])
    # To approve costs 5 x P(denied), to deny P(approved): 1.0 against 0.8, and 0.75 against 0.85.
    costs = Decision.of(TWO, cost={"denied": {"approved": 5}, "approved": {"denied": 1}})
    assert costs.decided(np.array([0, 0]), chances).tolist() == [1, 0]
    assert costs.decided(np.array([0, 0]), None).tolist() == [0, 0]  # without probabilities as it is predicted
    assert Decision.of(THREE, cost={"1": {"2": 3.0}}).cost.tolist() == [[0, 0, 0], [0, 0, 3], [0, 0, 0]]


@pytest.mark.parametrize(
    ("labels", "asked", "message"),
    [
        (TWO, {"favourable": "aproved"}, "favourable: 'aproved' is no label; these are 'approved', 'denied'."),
        (TWO, {"threshold": 0.5}, "none was said. The labels are 'approved', 'denied': say which, such as favourable="),
        (TWO, {"threshold": 1.5, "favourable": "denied"}, "threshold is a probability, from 0 to 1, not 1.5."),
        (TWO, {"threshold": float("nan"), "favourable": "denied"}, "from 0 to 1, not nan."),
        (TWO, {"threshold": "0.5", "favourable": "denied"}, "from 0 to 1, not '0.5'."),
        (THREE, {"threshold": 0.5, "favourable": 1}, r"parts two classes, and here are 3 \(0, 1, 2\)"),
        (TWO, {"cost": {"denied": {"yes": 1}}}, "cost: 'yes' is no label"),
        (TWO, {"cost": {"denied": {"approved": "much"}}}, "predicted as 'approved' is a number, not 'much'."),
        (TWO, {"cost": {"denied": 5}}, "cost is given by label and prediction"),
        (TWO, {"cost": [1]}, "cost is given by label and prediction"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(labels, asked, message):
    with pytest.raises(TableError, match=message):
        Decision.of(labels, **asked)


def test_commands_are_told_in_options_and_models_without_probabilities_by_name():
    with for_commands(), pytest.raises(TableError, match=r"--threshold .* such as --favourable approved"):
        Decision.of(TWO, threshold=0.5)
    with pytest.raises(ModelError, match="LinearSVC has no predict_proba"):
        Decision.of(TWO, threshold=0.5, favourable="approved").require_chances(None, "LinearSVC")
