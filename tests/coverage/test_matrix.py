"""Coverage of many rules at once, and attribution."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pandas as pd
import polars as pl
import pytest

import frote
from frote.coverage import matrix
from frote.coverage.matrix import Conditions, attribute, cover
from frote.exceptions import BindingError
from frote.rules import Clause, Condition, Outcome, Rule, RuleSet
from frote.rules.masks import clause_mask
from frote.table import Table


def frame(count, seed=0):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": pd.array(draw.integers(18, 60, count), dtype="Int64"),
            "pay": np.where(draw.random(count) < 0.1, np.nan, draw.normal(50, 20, count)),
            "job": pd.Categorical.from_codes(draw.integers(-1, 4, count), categories=list("abcd")),
            "member": pd.array(draw.random(count) < 0.5, dtype="boolean"),
        }
    )


def many(count, seed=0):
    draw = random.Random(seed)
    makers = {
        "age": lambda: Condition.compare(draw.choice(["<", ">", ">=", "<=", "=", "!="]), draw.randint(18, 60)),
        "pay": lambda: ~Condition.compare(draw.choice("<>"), draw.randint(0, 100)),
        "job": lambda: Condition.among(draw.sample("abcd", 2)),
        "member": lambda: Condition.among([draw.random() < 0.5]),
    }
    return RuleSet(
        Rule(f"r{i}", Clause.of({name: makers[name]() for name in draw.sample(list(makers), 2)}), Outcome.of("x"))
        for i in range(count)
    )


@pytest.mark.parametrize("block", [1, 7, 100, 101, 1 << 15])
def test_blocks_of_rows(monkeypatch, block):
    monkeypatch.setattr(matrix, "BLOCK", block)
    table, rules = Table.from_frame(frame(100)), many(20)
    covered = cover(rules, table)
    assert covered.shape == (20, 100)
    assert covered.dtype == bool
    for found, rule in zip(covered, rules, strict=True):
        assert (found == clause_mask(rule.clause, table)).all()
        assert (found == rule.mask(table)).all()
    assert 0 < covered.mean() < 1


def test_each_distinct_condition_is_prepared_once(monkeypatch):
    prepared = []
    original = matrix.prepare_at
    monkeypatch.setattr(
        matrix, "prepare_at", lambda key, held, schema: prepared.append(held) or original(key, held, schema)
    )
    young, rich = Condition.compare("<", 29), Condition.compare(">", 50)
    rules = RuleSet(
        Rule(f"r{i}", Clause.of({"age": young, "pay": rich} if i % 2 else {"age": young}), Outcome.of("x"))
        for i in range(10)
    )
    cover(rules, frame(50))
    assert sorted(map(str, prepared)) == sorted(map(str, [young, rich]))


def test_nothing_and_everything():
    rules = RuleSet(
        [
            Rule("all", Clause(), Outcome.of("x")),
            Rule("none", Clause.of({"age": Condition.nothing()}), Outcome.of("x")),
            Rule("low", Clause.of({"age": Condition.compare("<", 0)}), Outcome.of("x")),
        ]
    )
    assert cover(rules, frame(10)).sum(axis=1).tolist() == [10, 0, 0]
    assert cover(RuleSet(), frame(10)).shape == (0, 10)
    assert cover(rules, frame(0)).shape == (3, 0)
    assert cover(many(5), frame(0)).shape == (5, 0)
    assert RuleSet().coverage(frame(10)).shape == (10, 0)


def test_kinds_of_frames_agree():
    rules = frote.parse_rules("IF x0 > 1 THEN a\nIF x1 <= 2.5 OR x0 IS MISSING THEN a")
    array = np.array([[0.5, 1.0], [1.5, 2.5], [np.nan, 3.0]])
    pandas = pd.DataFrame(array, columns=["x0", "x1"])
    expected = [[False, True, False], [True, True, False], [False, False, True]]
    for one in (array, pandas, pl.from_pandas(pandas), Table.from_frame(array)):
        assert cover(rules, one).tolist() == expected
        assert (expected == rules.coverage(one).T).all()


def test_rules_that_do_not_fit():
    with pytest.raises(BindingError, match="no column 'agee'"):
        cover(frote.parse_rules("IF agee < 3 THEN x"), frame(3))


def test_frames_are_left_alone():
    data = frame(20)
    before = data.copy(deep=True)
    cover(many(10), data)
    pd.testing.assert_frame_equal(data, before)


def test_attribute():
    covered = np.array([[0, 1, 0, 0], [1, 1, 0, 0], [1, 0, 0, 1]], dtype=bool)
    assert attribute(covered).tolist() == [1, 0, -1, 2]
    assert attribute(np.zeros((0, 3), dtype=bool)).tolist() == [-1, -1, -1]
    assert attribute(np.zeros((3, 0), dtype=bool)).tolist() == []
    assert attribute(np.zeros((2, 2), dtype=bool)).tolist() == [-1, -1]


def test_attribute_is_the_first_rule():
    covered = cover(many(15), frame(200))
    for row, rule in enumerate(attribute(covered)):
        firsts = np.flatnonzero(covered[:, row])
        assert rule == (firsts[0] if len(firsts) else -1)


def test_conditions_are_prepared_for_each_schema_and_survive_a_pickle():
    conditions = Conditions.of(frote.parse_rules("IF a = 1 THEN yes"))
    whole, text = (Table.from_frame(pd.DataFrame({"a": values})) for values in ([1, 2], pd.Categorical(["2", "1"])))
    for _ in range(2):
        assert conditions.evaluate(whole).tolist() == [[True, False]]
        assert conditions.evaluate(text).tolist() == [[False, True]]
    assert pickle.loads(pickle.dumps(conditions)) == conditions
    assert pickle.loads(pickle.dumps(conditions)).evaluate(whole).tolist() == [[True, False]]
