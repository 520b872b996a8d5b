"""Rows moved out of their rules: outside all of them, one column away, of values that the data have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.estimators.test_sampler import natives, rule_sets, tables
from tests.examples import examples

import frote
from frote.coverage.ruling import Ruling
from frote.generation.outside import Outside
from frote.table import Table


def outside_of(X, rules):
    table = Table.from_frame(X)
    rows = Ruling.of(frote.parse_rules(rules).bind(table.schema), ("no", "yes")).on(table)
    return table, rows, Outside(rows)


@pytest.mark.filterwarnings("ignore::frote.exceptions.RuleWarning")
@settings(max_examples=examples(150))
@given(st.data(), tables(), st.integers(0, 5))
def test_a_row_moved_out_is_outside_all_rules_and_differs_in_one_column_by_a_value_of_the_data(data, drawn, seed):
    X, literals = drawn
    table = Table.from_frame(X)
    rules = data.draw(rule_sets(literals)).bind(table.schema)
    rows = Ruling.of(rules, ("maybe", "no", "yes")).on(table)
    inside = np.flatnonzero(rows.piece >= 0)
    moved = Outside(rows).moved(table.take(inside), rows.piece[inside], np.random.default_rng(seed))
    assert (Ruling.of(rules).on(moved.table).owner < 0).all()
    assert moved.table.schema == table.schema
    cells, before = natives(moved.table.to_frame()), natives(X)
    for line, source, donor in zip(cells, moved.source, moved.donor, strict=True):
        changed = [name for name in line if not same(line[name], before[inside[source]][name])]
        assert len(changed) == 1
        assert same(line[changed[0]], before[donor][changed[0]])


def same(one, other):
    return one is other or one == other or (one != one and other != other)  # NumPy's missing is NaN


def test_a_row_that_falls_into_another_rule_tries_again_and_one_that_cannot_leave_is_left_out():
    X = pd.DataFrame({"age": [20, 50], "job": ["clerk", "smith"]})
    rules = "one: IF age < 30 AND job = clerk THEN yes\ntwo: IF age >= 30 THEN yes"
    table, rows, outside = outside_of(X, rules)
    for seed in range(8):
        moved = outside.moved(table.take([0, 1]), rows.piece, np.random.default_rng(seed))
        # An age that fails the first rule is one of the second: only the job can change.
        assert moved.table.to_frame().to_dict("records")[0] == {"age": 20, "job": "smith"}
        assert moved.source.tolist() == [0, 1]
        assert moved.table.to_frame()["age"].tolist()[1] == 20
    everything = "one: IF age < 30 THEN yes\ntwo: IF age >= 30 THEN no"
    table, rows, outside = outside_of(X, everything)
    assert len(outside.moved(table, rows.piece, np.random.default_rng(0))) == 0


def test_a_condition_that_every_row_meets_is_not_left():
    X = pd.DataFrame({"age": [20, 50]})
    table, rows, outside = outside_of(X, "IF age > 10 THEN yes")
    assert len(outside.moved(table, rows.piece, np.random.default_rng(0))) == 0
