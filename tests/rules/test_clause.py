"""Clauses, against every row there is in a small world."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from tests.examples import examples
from tests.rules.brute_force import SCHEMA, TABLE, boxes, clause, one_row, rows

from frote.rules import Clause, Condition
from frote.rules.clause import infer_schema
from frote.rules.masks import clause_mask
from frote.table import Column, Kind, Schema

quick = settings(max_examples=examples(200))


@quick
@given(boxes(), boxes())
def test_masks(one, other):
    a, b = clause(one), clause(other)
    assert (clause_mask(a, TABLE) == rows(one)).all()
    both = a.settled(SCHEMA) & b.settled(SCHEMA)
    assert (clause_mask(both, TABLE) == rows(one) & rows(other)).all()
    assert both.is_empty(SCHEMA) == (not (rows(one) & rows(other)).any())
    assert both == b.settled(SCHEMA) & a.settled(SCHEMA)
    assert hash(both) == hash(b.settled(SCHEMA) & a.settled(SCHEMA))


@quick
@given(boxes(("whole", "real", "word", "date")), boxes(("whole", "real", "word", "date")))
def test_intersection_of_clauses_as_written(one, other):
    assert (clause_mask(clause(one) & clause(other), TABLE) == rows(one) & rows(other)).all()


@quick
@given(boxes())
def test_emptiness_and_witness(box):
    """A witness is a row of the world's own types that satisfies the clause; without one, there is no such row."""
    a = clause(box)
    witness = a.witness(SCHEMA)
    assert a.is_empty(SCHEMA) == (witness is None) == (not rows(box).any())
    if witness is None:
        return
    assert set(witness) == set(a.columns)
    assert clause_mask(a, TABLE.from_frame(one_row(witness))).all()
    assert all(witness[name] in held for name, held in a.settled(SCHEMA))


@quick
@given(boxes(), boxes())
def test_implication(one, other):
    a, b = clause(one), clause(other)
    assert a.implies(b, SCHEMA) == bool((rows(one) <= rows(other)).all())
    assert a.is_equivalent(b, SCHEMA) == bool((rows(one) == rows(other)).all())
    if a == b:
        assert (rows(one) == rows(other)).all()


@quick
@given(boxes())
def test_relax_drops_one_column(box):
    a = clause(box)
    for name in a.columns:
        wider = a.relax(name)
        rest = {column: tree for column, tree in box.items() if column != name}
        assert name not in wider.columns
        assert (clause_mask(wider, TABLE) == rows(rest)).all()
        assert a.implies(wider, SCHEMA)
    assert a.relax("no such column") == a


@quick
@given(boxes())
def test_settled_means_the_same(box):
    settled = clause(box).settled(SCHEMA)
    assert (clause_mask(settled, TABLE) == rows(box)).all()
    assert settled.settled(SCHEMA) == settled


@quick
@given(boxes(("real", "word")), boxes(("real", "word")))
def test_without_a_schema(one, other):
    """What is decided without a schema holds for the rows of any that fits; of real numbers it is exact."""
    a, b = clause(one), clause(other)
    if a.is_empty():
        assert not rows(one).any()
    if a.implies(b):
        assert (rows(one) <= rows(other)).all()
    if not (a & b).is_empty() and infer_schema([a & b]).names == (a & b).columns:
        assert (rows(one) & rows(other)).any()


def test_whole_numbers_are_known_by_the_schema():
    between = Clause.of({"age": Condition.compare(">", 28) & Condition.compare("<", 29)})
    assert not between.is_empty()
    assert not between.is_empty(Schema((Column("age", Kind.CONTINUOUS),)))
    assert between.is_empty(Schema((Column("age", Kind.INTEGER),)))
    older = Clause.of({"age": Condition.compare(">", 28)})
    at_least = Clause.of({"age": Condition.compare(">=", 29)})
    assert not older.implies(at_least)
    assert older.is_equivalent(at_least, Schema((Column("age", Kind.INTEGER),)))


def test_words_and_digits_of_truth_values():
    word, digit = (Clause.of({"flag": Condition.among([literal])}) for literal in ("true", 1))
    assert word.is_equivalent(digit, SCHEMA)
    assert word.settled(SCHEMA) == digit.settled(SCHEMA)


def test_categories_that_are_not_there():
    unseen = Clause.of({"word": Condition.among(["zz"])})
    assert unseen.is_empty(SCHEMA)
    assert not unseen.is_empty()
    assert Clause().implies(Clause.of({"word": Condition.among(["zz"])} | {"word": ~Condition.among(["zz"])}), SCHEMA)


def test_everything_and_nothing():
    assert Clause.of({"age": Condition.anything()}) == Clause()
    assert Clause().witness() == {}
    assert not Clause().is_empty()
    nothing = Clause.of({"age": Condition.nothing()})
    assert nothing.is_empty()
    assert nothing.implies(Clause.of({"pay": Condition.compare("<", 0)}))
    assert nothing.implies(Clause())
    assert not Clause().implies(nothing)


def test_access():
    young = Condition.compare("<", 29)
    a = Clause.of({"age": young, "sex": Condition.compare("=", "F")})
    assert a.columns == ("age", "sex")
    assert len(a) == 2
    assert a["age"] == young
    assert a["height"] == Condition.anything()
    assert a == Clause(tuple(reversed(a.conditions)))
    assert a != "age < 29"
    assert a.having("age", ~young)["age"] == (~young).settled()
    assert a.having("age", Condition.anything()).columns == ("sex",)
    assert a.having("height", young).columns == ("age", "sex", "height")
    assert pickle.loads(pickle.dumps(a)) == a
    assert repr(a) == "<Clause age < 29 AND sex = 'F'>"


@pytest.mark.parametrize(
    ("conditions", "kinds"),
    [
        ([Condition.compare("<", 3)], {"x": Kind.CONTINUOUS}),
        ([Condition.compare("=", 3), ~Condition.is_missing()], {"x": Kind.CONTINUOUS}),
        ([Condition.compare("<", "2024-01-01")], {"x": Kind.DATETIME}),
        ([Condition.compare("=", 3), Condition.compare("=", "2024-01-01")], {}),
        ([Condition.compare("=", 3), Condition.compare("=", "two")], {}),
        ([Condition.is_missing()], {}),
    ],
)
def test_inferred_kinds(conditions, kinds):
    schema = infer_schema([Clause.of({"x": held}) for held in conditions])
    assert {column.name: column.kind for column in schema} == kinds
