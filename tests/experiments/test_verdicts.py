"""Verdicts: by rule."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frote_experiments.verdicts import verdict

MEANS = st.floats(-1, 1)
STDS = st.floats(0, 1)
OPPOSITE = {"better": "worse", "worse": "better"}


@pytest.mark.parametrize(
    ("ours", "paper", "std", "said"),
    [
        (0.05, 0.03, 0.02, "within one standard deviation, same sign"),  # exactly one, though not in binary
        (0.0501, 0.03, 0.02, "better, same sign"),
        (0.0099, 0.03, 0.02, "worse, same sign"),
        (-0.001, 0.002, 0.01, "within one standard deviation, other sign"),
        (-0.001, -0.237, 0.212, "better, same sign"),
        (0.3, -0.1, 0.0, "better, other sign"),
        (0.3, -0.0, 0.0, "better, no sign"),
        (0.00049, 0.3, 0.0, "worse, no sign"),
        (0.00051, 0.3, 0.0, "worse, same sign"),
        (-0.00049, -0.0004, 0.0, "worse, no sign"),
        (math.nan, 0.3, 0.1, "-"),
        (0.3, math.nan, math.nan, "-"),
    ],
)
def test_the_rule_by_hand(ours, paper, std, said):
    assert verdict(ours, paper, std) == said


def test_amounts_are_more_or_fewer_and_have_no_sign():
    assert verdict(0.5, 0.1, 0.1, count=True) == "more"
    assert verdict(0.01, 0.5, 0.1, count=True) == "fewer"
    assert verdict(0.01, 0.05, 0.1, count=True) == "within one standard deviation"


def test_where_the_definition_differs_nothing_else_is_said_but_the_sign():
    assert verdict(0.1, 0.1, 0.1, differs=True) == "definition differs, same sign"
    assert verdict(0.9, -0.1, 0.1, differs=True) == "definition differs, other sign"
    assert verdict(math.nan, -0.1, 0.1, differs=True) == "-"


@given(MEANS, MEANS, STDS)
def test_turning_both_round_turns_the_verdict_round(ours, paper, std):
    word, sign = verdict(ours, paper, std).split(", ")
    assert verdict(-ours, -paper, std) == f"{OPPOSITE.get(word, word)}, {sign}"


@given(MEANS, MEANS, STDS)
def test_within_is_mutual_and_better_is_not(ours, paper, std):
    one, other = (verdict(*pair, std).split(", ") for pair in ((ours, paper), (paper, ours)))
    assert one[1] == other[1]
    assert other[0] == OPPOSITE.get(one[0], one[0])
