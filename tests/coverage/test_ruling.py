"""Rules on rows: pieces and rules as written, who owns a row, and that all ways to find it agree."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import frote
from frote.coverage.ruling import Ruling
from frote.exceptions import BindingError
from frote.rules import RuleSet
from frote.table import Table

RULES = frote.parse_rules("""
    either: IF a < 2 OR b > 6 THEN yes
    low: IF b <= 2 THEN no
    gap: IF c IS MISSING OR c = x THEN yes WITH CONFIDENCE 0.8
""")
CLASSES = ("no", "yes")
CELLS = st.tuples(st.integers(0, 4), st.integers(0, 8), st.sampled_from(["x", "y", None]))


def table_of(cells):
    frame = pd.DataFrame(cells, columns=["a", "b", "c"])
    return Table.from_frame(frame.assign(c=pd.Categorical(frame["c"], categories=["x", "y"])))


def test_pieces_and_rules_as_written():
    ruling = Ruling.of(RULES, CLASSES)
    assert ruling.names == RULES.origins
    assert [ruling.names[place] for place in ruling.origin] == [rule.origin for rule in RULES]
    assert [ruling.outcomes[place] for place in ruling.origin] == [rule.outcome for rule in RULES]
    assert ruling.pieces_of(0).tolist() == [0, 1]
    assert ruling.per_rule(np.array([0, 1, 1, 2])) == (3, 1, 0)
    assert ruling.may_be_missing >= {"c"}


@given(st.lists(CELLS, min_size=1, max_size=30))
def test_a_row_belongs_to_the_first_rule_that_covers_it(cells):
    table = table_of(cells)
    rows = Ruling.of(RULES, CLASSES).on(table)
    by_hand = np.array([np.any([rule.mask(table) for rule in RULES.pieces(name)], axis=0) for name in RULES.origins])
    np.testing.assert_array_equal(rows.by_rule, by_hand)
    first = [int(np.argmax(column)) if column.any() else -1 for column in by_hand.T]
    assert rows.owner.tolist() == first
    assert rows.support == tuple(by_hand.sum(axis=1))
    assert rows.named.tolist() == ["" if rule < 0 else RULES.origins[rule] for rule in first]
    assert rows.outside.tolist() == [place for place, rule in enumerate(first) if rule < 0]
    for rule in range(3):
        assert rows.rows_of(rule).tolist() == [place for place, owner in enumerate(first) if owner == rule]


@given(st.lists(CELLS, min_size=1, max_size=20), st.lists(CELLS, min_size=1, max_size=20))
def test_facts_are_the_same_however_they_are_found(above, below):
    ruling, whole = Ruling.of(RULES, CLASSES), table_of([*above, *below])
    alone = ruling.on(whole)  # without ever asking which conditions are met
    first, second = (ruling.on(whole.take(rows)) for rows in np.split(np.arange(len(whole)), [len(above)]))
    stacked = first.stacked(second)
    assert len(stacked) == len(alone)
    for fact in ("covered", "by_rule", "owner", "piece", "support", "outside"):
        np.testing.assert_array_equal(getattr(stacked, fact), getattr(alone, fact))
    again = pickle.loads(pickle.dumps(stacked))
    np.testing.assert_array_equal(again.by_rule, alone.by_rule)


def test_rows_may_be_attributed_otherwise_and_judged_among_other_classes():
    rows = Ruling.of(RULES, CLASSES).on(table_of([(0, 0, "y"), (4, 4, "y")]))
    assert rows.owner.tolist() == [0, -1]
    given = rows.attributed_to(np.array([1, 2]))
    assert given.rows_of(1).tolist() == [0]
    assert rows.owner.tolist() == [0, -1]
    more = rows.among(("maybe", *CLASSES))
    assert more.ruling.classes == ("maybe", *CLASSES)
    assert more.owner is rows.owner
    assert rows.ruling.classes == CLASSES


def test_no_rules_and_no_rows():
    rows = Ruling.of(RuleSet(), CLASSES).on(table_of([(0, 0, "x")]))
    assert rows.owner.tolist() == [-1]
    assert rows.support == ()
    empty = Ruling.of(RULES, CLASSES).on(table_of([(0, 0, "x")]).take([]))
    assert empty.support == (0, 0, 0)
    assert empty.owner.tolist() == []


def test_rules_that_do_not_fit_are_told_for_every_table():
    ruling = Ruling.of(RULES, CLASSES)
    ruling.on(table_of([(0, 0, "x")]))
    for _ in range(2):
        with pytest.raises(BindingError, match="no column 'c'"):
            ruling.on(Table.from_frame(pd.DataFrame({"a": [1], "b": [2]})))


def test_score_needs_no_synthesizer(monkeypatch):
    loans = frote.datasets.load_loans(200)
    model = frote.default_pipeline().fit(loans.X, loans.y)
    for name in ("frote.generation.sampler.Synthesizer.__init__", "frote.generation.space.MixedSpace.of"):
        monkeypatch.setattr(name, None)
    assert frote.score(model, loans.X, loans.y, "young: IF age < 29 AND defaults = 0 THEN approved").covered
