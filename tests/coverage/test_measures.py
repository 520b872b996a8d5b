"""Agreement of labels with outcomes, as the design's table has it, worked out by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from frote.coverage.measures import Scores, agreement, with_guards
from frote.rules import Outcome

CLASSES = ("a", "b", "c")
PAIRS = list(itertools.product(CLASSES, repeat=2))  # predicted, own


def measured(outcome, classes=CLASSES, pairs=PAIRS, *, own=True):
    place = classes.index
    predicted = np.array([place(guess) for guess, _ in pairs])
    labels = np.array([place(label) for _, label in pairs]) if own else None
    found = agreement(outcome, predicted, labels, classes)
    assert found.dtype == np.float64
    return dict(zip(pairs, found.tolist(), strict=True))


def test_class():
    for (guess, _), share in measured(Outcome.of("a")).items():
        assert share == (1 if guess == "a" else 0)


def test_distribution():
    shares = {"a": 0.7, "b": 0.3, "c": 0.0}
    for (guess, _), share in measured(Outcome.of(shares)).items():
        assert share == shares[guess]


def test_confidence():
    """P if the prediction is the class; 1-p if it is the row's own other label; own is the class: shared evenly."""
    assert measured(Outcome.of("a", confidence=0.8)) == pytest.approx(
        {
            ("a", "a"): 0.8,
            ("a", "b"): 0.8,
            ("a", "c"): 0.8,
            ("b", "a"): 0.1,
            ("c", "a"): 0.1,
            ("b", "b"): 0.2,
            ("c", "c"): 0.2,
            ("b", "c"): 0.0,
            ("c", "b"): 0.0,
        }
    )


def test_confidence_with_two_classes():
    assert measured(
        Outcome.of("yes", confidence=0.8), ("no", "yes"), list(itertools.product(("no", "yes"), repeat=2))
    ) == (pytest.approx({("yes", "yes"): 0.8, ("yes", "no"): 0.8, ("no", "no"): 0.2, ("no", "yes"): 0.2}))


def test_confidence_without_own_labels():
    found = measured(Outcome.of("a", confidence=0.8), own=False)
    assert found == pytest.approx({(guess, own): 0.8 if guess == "a" else 0.1 for guess, own in PAIRS})


@pytest.mark.parametrize("own", [True, False])
def test_equal_outcomes_agree_alike(own):
    one, two, three = Outcome.of("b"), Outcome.of({"b": 1}), Outcome.of("b", confidence=1)
    assert measured(one, own=own) == measured(two, own=own) == measured(three, own=own)


@pytest.mark.parametrize(
    "outcome", [Outcome.of("a"), Outcome.of({"a": 0.25, "c": 0.75}), Outcome.of("b", confidence=0.6)]
)
def test_probabilities_sum_to_one(outcome):
    """Whatever a row's own label is, the outcome gives it some label."""
    found = measured(outcome)
    for own in CLASSES:
        assert sum(found[guess, own] for guess in CLASSES) == pytest.approx(1)


def test_one_class_and_no_rows():
    assert measured(Outcome.of("a"), ("a",), [("a", "a")]) == {("a", "a"): 1}
    assert agreement(Outcome.of("a"), np.array([], dtype=int), np.array([], dtype=int), CLASSES).shape == (0,)


@pytest.mark.parametrize(
    ("loss", "cost", "weight", "objective", "lost"),
    [
        (0.1, 0.2, 0.5, 0.6, 0.2),  # half of 0.7, and half of 0.7 - 0.2
        (0.3, 0.2, 0.5, 0.6, 0.3),
        (None, 0.2, 0.5, 0.6, 0.2),
        (0.1, 0.2, "coverage", 0.54, 0.2),  # one row of five is covered
        (0.1, math.nan, 0.5, 0.7, 0.1),
    ],
)
def test_what_answers_to_guards_cost_is_taken_from_the_score_outside(loss, cost, weight, objective, lost):
    scores = Scores(0.7, 0.7, (0.7,), 0.7, (1,), 4, loss)
    found = with_guards(scores, cost, weight=weight)
    assert (found.objective, found.loss) == (pytest.approx(objective), pytest.approx(lost))
    assert (found.agreement, found.outside) == (0.7, 0.7)


def test_guards_where_no_row_lies_outside():
    scores = Scores(0.6, 0.6, (0.6,), math.nan, (5,), 0, 0.0)
    assert with_guards(scores, 0.2, weight=0.5).objective == pytest.approx(0.7)  # half of 0.6, and half of 1 - 0.2
