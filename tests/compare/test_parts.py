"""Intended, wrong, unintended: by hand."""

from __future__ import annotations

import numpy as np

from frote.compare.parts import PARTS, parts
from frote.coverage.measures import row_agreement
from frote.coverage.ruling import Ruling
from frote.rules import Clause, Outcome, Rule, RuleSet
from frote.table import Table

CLASSES = ("no", "maybe", "yes")
NO, MAYBE, YES = range(3)


def rows_of(outcome, owner):
    """Return rows that are attributed to the one rule, or to none."""
    ruling = Ruling.of(RuleSet([Rule("one", Clause(), outcome)]), CLASSES)
    return ruling.on(Table.from_frame(np.zeros((len(owner), 1)))).attributed_to(np.array(owner))


def split(outcome, before, after, own=None):
    rows = rows_of(outcome, [0] * len(before))
    before, after = np.array(before), np.array(after)
    own = None if own is None else np.array(own)
    agreed = [row_agreement(rows, codes, own) for codes in (before, after)]
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
    rows = rows_of(Outcome.of("yes"), [-1, -1, 0])
    before, after = np.array([NO, NO, NO]), np.array([YES, NO, YES])
    agreed = [row_agreement(rows, codes, None) for codes in (before, after)]
    assert np.isnan(agreed[0]).tolist() == [True, True, False]
    assert parts(before, after, *agreed).tolist() == [PARTS.index("unintended"), -1, PARTS.index("intended")]
