"""Labels made to agree with the rules: what is relabelled, dropped and drawn, and how often."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import frote
from frote.coverage.ruling import Ruling
from frote.estimators.named import MODIFICATIONS
from frote.loop.modify import Contradictions, contradicting, draw_labels, outcome_shares, share_labels

CLASSES = ("high", "low", "mid")
HIGH, LOW, MID = range(3)
X = pd.DataFrame({"a": [0, 1, 2, 3, 4, 5, 6, 7]})


def rows_of(text):
    table = frote.Table.from_frame(X)
    return Ruling.of(frote.parse_rules(text).bind(table.schema, CLASSES), CLASSES).on(table)


def modified(text, how, labels, seed=0):
    labels = np.array(labels)
    before = labels.copy()
    kept, changed = MODIFICATIONS[how].modify(Contradictions(rows_of(text), labels), np.random.default_rng(seed))
    assert (labels == before).all()
    return kept.tolist(), changed.tolist()


LABELS = [HIGH, LOW, MID, HIGH, LOW, MID, HIGH, LOW]
EVERY = [True] * 8


@pytest.mark.parametrize(
    ("outcome", "agreeing"),
    [("low", {LOW}), ("{low: 0.5, mid: 0.5}", {LOW, MID}), ("low WITH CONFIDENCE 0.8", {HIGH, LOW, MID})],
)
def test_rows_whose_label_has_no_chance_contradict(outcome, agreeing):
    found = contradicting(rows_of(f"IF a < 6 THEN {outcome}"), np.array(LABELS))
    assert found.tolist() == [place < 6 and label not in agreeing for place, label in enumerate(LABELS)]


def test_none_leaves_everything():
    assert modified("IF a < 6 THEN low", "none", LABELS) == (EVERY, LABELS)


def test_relabel():
    assert modified("IF a < 6 THEN low", "relabel", LABELS) == (EVERY, [LOW] * 6 + [HIGH, LOW])
    kept, changed = modified("IF a < 6 THEN {low: 0.5, mid: 0.5}", "relabel", LABELS)
    assert kept == EVERY
    assert [changed[place] for place in (1, 2, 4, 5, 6, 7)] == [LOW, MID, LOW, MID, HIGH, LOW]
    assert {changed[0], changed[3]} <= {LOW, MID}
    assert modified("IF a < 6 THEN low WITH CONFIDENCE 0.8", "relabel", LABELS) == (EVERY, LABELS)


def test_drop():
    kept, changed = modified("IF a < 6 THEN low", "drop", LABELS)
    assert kept == [False, True, False, False, True, False, True, True]
    assert changed == LABELS
    kept, _ = modified("IF a < 6 THEN {low: 0.5, mid: 0.5}", "drop", LABELS)
    assert kept == [False, True, True, False, True, True, True, True]
    assert modified("IF a < 6 THEN low WITH CONFIDENCE 0.8", "drop", LABELS) == (EVERY, LABELS)


def test_the_first_rule_that_covers_a_row_counts():
    text = "IF a < 4 THEN low\nIF a < 6 THEN mid"
    assert modified(text, "relabel", [HIGH] * 8) == (EVERY, [LOW] * 4 + [MID] * 2 + [HIGH] * 2)
    kept, _ = modified(text, "drop", [LOW] * 8)
    assert kept == [True] * 4 + [False] * 2 + [True] * 2


def test_the_pieces_of_a_rule_are_one_rule():
    assert modified("IF a < 2 OR a > 6 THEN low", "relabel", [HIGH] * 8)[1] == [LOW] * 2 + [HIGH] * 5 + [LOW]


def drawn(outcome, own, count=3000):
    ruling = rows_of(f"IF a < 6 THEN {outcome}").ruling
    rng = np.random.default_rng(0)
    labels = draw_labels(ruling, np.zeros(count, dtype=np.intp), np.full(count, own), rng)
    return np.bincount(labels, minlength=3) / count


@pytest.mark.parametrize(
    ("outcome", "own", "shares"),
    [
        ("low", HIGH, [0, 1, 0]),
        ("{low: 0.7, mid: 0.3}", HIGH, [0, 0.7, 0.3]),
        ("{high: 0.1, low: 0.2, mid: 0.7}", HIGH, [0.1, 0.2, 0.7]),
        ("low WITH CONFIDENCE 0.6", HIGH, [0.4, 0.6, 0]),
        ("low WITH CONFIDENCE 0.6", MID, [0, 0.6, 0.4]),
        ("low WITH CONFIDENCE 0.6", LOW, [0.2, 0.6, 0.2]),
        ("high WITH CONFIDENCE 0.6", HIGH, [0.6, 0.2, 0.2]),
        ("mid WITH CONFIDENCE 0.6", MID, [0.2, 0.2, 0.6]),
    ],
)
def test_how_often_each_class_is_drawn(outcome, own, shares):
    assert drawn(outcome, own) == pytest.approx(shares, abs=0.035)


def test_each_row_by_its_own_rule():
    ruling = rows_of("IF a < 2 THEN low\nIF a > 4 THEN mid\nIF a = 3 THEN high").ruling
    owner = np.array([2, 0, 1, 1, 0])
    assert draw_labels(ruling, owner, np.zeros(5, dtype=np.intp), np.random.default_rng(0)).tolist() == [0, 1, 2, 2, 1]


def test_relabelled_rows_get_labels_by_quota_or_by_lot():
    rows = frote.Table.from_frame(pd.DataFrame({"a": np.zeros(50, dtype=int)}))
    rules = frote.parse_rules("IF a < 6 THEN {low: 0.7, mid: 0.3}").bind(rows.schema, CLASSES)
    attribution, labels = Ruling.of(rules, CLASSES).on(rows), np.full(50, HIGH)
    counts = {True: set(), False: set()}
    for by_quota, seed in product(counts, range(10)):
        contradictions = Contradictions(attribution, labels, by_quota)
        changed = contradictions.redrawn(contradictions.against, np.random.default_rng(seed))
        counts[by_quota].add(int((changed == LOW).sum()))
    assert counts[True] == {35}
    assert len(counts[False]) > 3


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), max_size=60),
    st.sampled_from(["{low: 0.7, mid: 0.3}", "low WITH CONFIDENCE 0.8", "low"]),
    st.integers(0, 99),
)
def test_quotas_are_within_one_row_of_the_shares(rows, outcome, seed):
    ruling = Ruling.of(frote.parse_rules(f"IF a < 3 THEN {outcome}\nIF a >= 3 THEN mid"), CLASSES)
    owner, own = (np.array([row[place] for row in rows], dtype=np.intp) for place in (0, 1))
    labels = share_labels(ruling, owner, own, np.random.default_rng(seed))
    assert (labels[owner == 1] == MID).all()
    for code in range(3):
        mine = (owner == 0) & (own == code) if "CONFIDENCE" in outcome else owner == 0
        shares = outcome_shares(ruling.outcomes[0], code, CLASSES)
        assert (np.abs(np.bincount(labels[mine], minlength=3) - shares * mine.sum()) < 1 + 1e-9).all()
