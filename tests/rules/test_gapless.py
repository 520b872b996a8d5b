"""Columns whose types have no missing values: what is made for them says nothing of missing ones, and means the same.

The small world of `brute_force` without its missing values: what holds for all its rows holds for every row that such
types can hold.
"""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.rules.brute_force import FRAME, GAPLESS, boxes, clause, rows

import frote
from frote import Outcome, Rule, RuleSet, parse_rules
from frote.generation.possible import impossible, in_part
from frote.rules import Clause, Condition
from frote.rules.partition import subtract, unite
from frote.table import Column, Kind, Table

pytestmark = pytest.mark.filterwarnings("ignore::frote.exceptions.RuleWarning")

quick = settings(max_examples=examples(150))

KNOWN = FRAME.notna().all(axis=1).to_numpy()
INTS = pd.DataFrame({name: np.arange(-2, 5) for name in ("a", "b", "c")})


def known_rows(box):
    return rows(box)[KNOWN]


def covered(clauses):
    """Return which of the rows without gaps each clause covers."""
    held = RuleSet(Rule(f"r{place}", one, Outcome.of("yes")) for place, one in enumerate(clauses))
    return held.coverage(FRAME)[KNOWN]


@quick
@given(boxes())
def test_empty_if_no_value_that_the_types_hold_is_inside(box):
    held = clause(box)
    assert held.is_empty(GAPLESS) == (not known_rows(box).any())
    row = held.witness(GAPLESS)
    assert row is None or None not in row.values()
    assert held.implies(Clause.of({"whole": ~Condition.is_missing()}), GAPLESS)


@quick
@given(boxes(), st.lists(boxes(), min_size=1, max_size=3))
def test_pieces_cover_the_same_rows(box, others):
    clauses = [clause(one) for one in others]
    rivals = np.array([known_rows(one) for one in others])
    pieces = subtract(clause(box), clauses, GAPLESS)
    assert (covered(pieces).sum(axis=1) == (known_rows(box) & ~rivals.any(axis=0))).all()
    united = unite(clauses, GAPLESS)
    assert (covered(united).sum(axis=1) == rivals.any(axis=0)).all()
    assert not any(held.missing for piece in united for _, held in piece)


texts = st.sampled_from(
    ["a < 2", "a >= 1", "NOT (a > 0)", "b = 1", "b != 1", "NOT b IN {0, 3}", "c BETWEEN 0 AND 2", "NOT c <= 2", "c > 3"]
)
SIDES = st.tuples(texts, st.sampled_from(["AND", "OR"]), texts, st.sampled_from(["yes", "no"]))
POLICIES = st.lists(SIDES, min_size=2, max_size=4).map(
    lambda sides: parse_rules("\n".join(f"IF {one} {word} {two} THEN {label}" for one, word, two, label in sides))
)
WORLD = pd.DataFrame(
    {name: column.ravel() for name, column in zip("abc", np.meshgrid(*[np.arange(-2, 6)] * 3), strict=True)}
)


@pytest.mark.parametrize("how", ["exclude", "mix", "priority"])
@quick
@given(rules=POLICIES)
def test_resolved_for_whole_numbers_nothing_is_said_of_missing_values(how, rules):
    """Each row that the types can hold is sent where it was sent; what a person said of known values stays."""
    resolved, as_before = rules.resolve(how, INTS), rules.resolve(how, INTS.astype("Int64"))
    assert "IS MISSING" not in str(resolved)
    assert "IS MISSING" not in "".join(map(str, rules.conflicts(INTS)))
    assert len(resolved) <= len(as_before)
    assert resolved.bind(INTS) == resolved == parse_rules(str(resolved))
    for one in (resolved, as_before):
        assert one.conflicts(INTS) == []
    assert _sent(resolved) == _sent(as_before)


@quick
@given(rules=POLICIES)
def test_disjoint_for_whole_numbers_nothing_is_said_of_missing_values(rules):
    rules = RuleSet(Rule(rule.name, rule.clause, Outcome.of("yes"), rule.origin) for rule in rules)
    apart = rules.disjoint(INTS)
    assert "IS MISSING" not in str(apart)
    assert _sent(apart) == _sent(rules)
    assert (apart.coverage(WORLD).sum(axis=1) <= 1).all()


def _sent(rules):
    """Return the outcomes that each row is sent to."""
    outcomes = [rule.outcome for rule in rules]
    return [{outcomes[place] for place in np.flatnonzero(row)} for row in rules.coverage(WORLD)]


def test_by_the_type_and_not_by_the_data_at_hand():
    rules = parse_rules("young: IF age < 30 THEN yes\nrich: IF pay > 5 THEN no")
    told = {}
    for dtype in ("int64", "uint8", "Int64", "float64", "object"):
        X = pd.DataFrame({"age": pd.Series([20, 40], dtype=dtype), "pay": [1.5, 9.5]})
        told[dtype] = str(rules.resolve("priority", X)["rich"].clause)
    assert told["int64"] == told["uint8"] == "pay > 5 AND age >= 30"
    assert told["Int64"] == told["float64"] == told["object"] == "pay > 5 AND (age >= 30 OR age IS MISSING)"


def test_levels():
    """A list of levels, inside or outside, and truth values: without a word of missing ones."""
    rules = parse_rules("a: IF zip IN {10, 20} THEN yes\nb: IF member = true THEN no\nc: IF word = x THEN maybe")
    frame = pd.DataFrame({"zip": [10, 20, 30, 40], "member": [True, False] * 2, "word": list("xyzx")})
    schema = Table.from_frame(frame, kinds={"zip": "categorical"}).schema
    assert str(rules.resolve("priority", schema)) == (
        "a: IF zip IN {10, 20} THEN yes\n"
        "b: IF member = true AND zip NOT IN {10, 20} THEN no\n"
        "c: IF word = 'x' AND zip NOT IN {10, 20} AND member = false THEN maybe"
    )
    array = np.array([["x", "p"], ["y", "q"], ["z", "q"]])
    rules = parse_rules("a: IF x0 = x THEN yes\nb: IF x1 = q THEN no")
    assert str(rules.resolve("priority", array)["b"].clause) == "x1 = 'q' AND x0 != 'x'"


def test_binding_keeps_what_is_asked_of_missing_values():
    """It holds for later tables, whose types may be others; a rule that was not resolved means what was written."""
    rules = parse_rules(
        "gaps: IF a IS MISSING OR b > 1 THEN yes\n"
        "all: IF NOT (a > 1) THEN yes\n"
        "some: IF a IS NOT MISSING AND b < 0 THEN no"
    )
    later = pd.DataFrame({"a": pd.array([None, 2], dtype="Int64"), "b": [-1, -1]})
    bound = rules.bind(INTS)
    assert str(bound) == str(rules)
    assert bound.coverage(later).tolist() == rules.coverage(later).tolist()
    # What is resolved is for tables of these types: where a value is missing after all, its conditions do not hold.
    resolved = parse_rules("all: IF NOT (a > 1) THEN yes\nless: IF b < 0 THEN no").resolve("priority", INTS)
    assert str(resolved) == "all: IF a <= 1 THEN yes\nless: IF b < 0 AND a > 1 THEN no"
    assert resolved.coverage(later).tolist() == [[False, False], [False, True]]


@pytest.mark.parametrize("kinds", [None, {"a": "categorical"}])
def test_a_rule_for_missing_values_that_cannot_be_is_named(kinds):
    table = Table.from_frame(INTS, kinds=kinds)
    (found,) = impossible(parse_rules("gaps: IF a IS MISSING THEN yes"), table)
    assert found.why == "column 'a' is of a type that has no missing values."
    resolved = parse_rules("gaps: IF a IS MISSING THEN yes\nb: IF b > 1 THEN no").resolve("priority", table.schema)
    assert str(resolved) == "gaps: IF a IS MISSING THEN yes\nb: IF b > 1 THEN no"
    assert in_part(parse_rules("gaps: IF a IS MISSING OR b > 1 THEN yes"), table) == {}


def test_rules_that_met_in_missing_values_alone_do_not_conflict():
    rules = parse_rules("low: IF NOT (a > 1) THEN yes\nhigh: IF NOT (a <= 1) THEN no")
    assert len(rules.conflicts(INTS.astype("Int64"))) == 1
    assert rules.conflicts(INTS) == []


def test_an_edit_judges_tables_whose_types_can_hold_missing_values():
    """Trained on whole numbers, asked of numbers that may be missing."""
    X = pd.DataFrame({"a": np.arange(40) % 7, "b": np.arange(40) % 5})
    y = np.where(X["a"] > 3, "yes", "no")
    rules = parse_rules("r: IF a > 2 AND NOT (b > 1) THEN yes")
    editor = frote.FROTEClassifier(frote.default_pipeline(), rules, max_fits=2, random_state=0).fit(X, y)
    later = X.astype("Int64")
    later.loc[0, "a"] = None
    assert len(editor.predict(later)) == 40
    assert frote.score(editor, later, y, rules).covered == int(((later["a"] > 2) & (later["b"] <= 1)).sum())


@pytest.mark.parametrize("nullable", [True, False])
def test_columns_come_back_from_a_pickle(nullable):
    column = Column("a", Kind.DATETIME, step=1_000, nullable=nullable)
    assert pickle.loads(pickle.dumps(column)) == column
    # The first four are what files of models have held from the first.
    assert column.__getstate__() == ("a", "datetime", (), 1_000, *([] if nullable else [False]))
