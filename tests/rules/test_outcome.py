import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frote import Outcome, RuleError


def test_three_ways_to_be_certain_are_one():
    certain = Outcome.of("a")
    assert certain == Outcome.of({"a": 1}) == Outcome.of("a", confidence=1) == Outcome.of({"a": 1.0, "b": 0})
    assert certain == Outcome.of({"a": 0.9999999})
    assert certain.is_deterministic
    assert not Outcome.of("a", confidence=0.9).is_deterministic
    assert not Outcome.of({"a": 0.5, "b": 0.5}).is_deterministic


def test_labels_are_texts():
    assert Outcome.of(1) == Outcome.of("1") == Outcome.of(np.int64(1))
    assert Outcome.of({0: 0.5, 1: 0.5}).labels == ("0", "1")
    assert Outcome.of(True).labels == ("True",)


def test_probabilities_by_label():
    outcome = Outcome.of({"b": 0.75, "a": 0.25})
    assert (outcome["a"], outcome["b"], outcome["c"]) == (0.25, 0.75, 0.0)
    assert outcome == Outcome.of({"a": 0.25, "b": 0.75})
    assert hash(outcome) == hash(Outcome.of({"a": 0.25, "b": 0.75}))
    assert Outcome.of(outcome) is outcome
    assert pickle.loads(pickle.dumps(outcome)) == outcome


@pytest.mark.parametrize(
    ("target", "confidence", "message"),
    [
        ("a", 0, "above 0 and at most 1, not 0"),
        ("a", 1.5, "at most 1, not 1.5"),
        ("a", -1, "not -1"),
        ("a", math.nan, "not nan"),
        ({"a": 0.5}, 0.5, "one label"),
        (Outcome.of("a"), 0.5, "one label"),
        ({"a": 0.5}, 1, "sum to 0.5, not to 1"),
        ({"a": 1.0, "b": 0.000002}, 1, "sum to 1.000002, not to 1"),
        ({}, 1, "sum to 0, not to 1"),
        ({"a": 1.2, "b": -0.2}, 1, "'a' has 1.2"),
        ({"a": math.nan}, 1, "'a' has nan"),
        ({1: 0.5, "1": 0.5}, 1, "twice"),
    ],
)
def test_what_is_no_outcome(target, confidence, message):
    with pytest.raises(RuleError) as caught:
        Outcome.of(target, confidence=confidence)
    assert message in str(caught.value)


@given(st.floats(1e-9, 1), st.integers(2, 6))
def test_a_spread_outcome_sums_to_one(confidence, count):
    classes = tuple("abcdef"[:count])
    spread = Outcome.of("b", confidence=confidence).spread(classes)
    assert tuple(spread) == classes
    assert math.isclose(math.fsum(spread.values()), 1)
    assert spread["b"] == confidence


def test_a_confidence_needs_another_class():
    with pytest.raises(RuleError, match="needs another class"):
        Outcome.of("a", confidence=0.5).spread(("a",))
    assert Outcome.of("a").spread(("a",)) == {"a": 1.0}


def test_outcomes_do_not_change():
    with pytest.raises(AttributeError):
        Outcome.of("a").rest = 0.5
