"""Intended, wrong, unintended: by hand."""

from __future__ import annotations

import numpy as np

from frote.compare.parts import PARTS, parts, row_agreement
from frote.rules import Outcome

CLASSES = ("no", "maybe", "yes")
NO, MAYBE, YES = range(3)


def split(outcome, before, after, own=None):
    owner = np.zeros(len(before), dtype=np.intp)
    before, after = np.array(before), np.array(after)
    own = None if own is None else np.array(own)
    agreed = [row_agreement(owner, [outcome], codes, own, CLASSES) for codes in (before, after)]
    return [None if code < 0 else PARTS[code] for code in parts(before, after, *agreed)]


def test_towards_a_class_or_away_from_it():
    assert split(Outcome.of("yes"), [NO, YES, NO, YES], [YES, NO, MAYBE, YES]) == ["intended", "wrong", "wrong", None]


def test_towards_the_likelier_class_of_a_distribution():
    outcome = Outcome.of({"yes": 0.5, "maybe": 0.3, "no": 0.2})
    assert split(outcome, [NO, MAYBE, YES], [MAYBE, NO, MAYBE]) == ["intended", "wrong", "wrong"]
    even = Outcome.of({"yes": 0.5, "no": 0.5})
    assert split(even, [NO], [YES]) == ["wrong"]


def test_a_confidence_leaves_a_row_its_own_label_where_that_is_known():
    outcome = Outcome.of("yes", confidence=0.6)
    assert split(outcome, [MAYBE], [NO], own=[NO]) == ["intended"]
    assert split(outcome, [MAYBE], [NO]) == ["wrong"]
    assert split(outcome, [NO], [YES]) == ["intended"]


def test_outside_the_rules():
    owner = np.array([-1, -1, 0])
    before, after = np.array([NO, NO, NO]), np.array([YES, NO, YES])
    agreed = [row_agreement(owner, [Outcome.of("yes")], codes, None, CLASSES) for codes in (before, after)]
    assert np.isnan(agreed[0]).tolist() == [True, True, False]
    assert parts(before, after, *agreed).tolist() == [PARTS.index("unintended"), -1, PARTS.index("intended")]
