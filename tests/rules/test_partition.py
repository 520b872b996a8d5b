"""Disjoint pieces, against every row there is in a small world."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.rules.brute_force import FRAME, SCHEMA, TABLE, boxes, clause, rows

from frote.exceptions import RuleError
from frote.rules import Clause, Condition, diagram, partition, work
from frote.rules.masks import clause_mask
from frote.rules.partition import UNDECIDED, regions, subtract, unite

quick = settings(max_examples=examples(150))

PLAIN = ("whole", "real", "word", "date")


def union(pieces, schema):
    """Return the rows of disjoint, possible pieces."""
    found = np.zeros(len(FRAME), dtype=int)
    for piece in pieces:
        mask = clause_mask(piece, TABLE)
        if schema is not None:
            assert mask.any(), f"{piece} is impossible"
        found += mask
    assert (found <= 1).all(), "two pieces share a row"
    for one, other in itertools.combinations(pieces, 2):
        assert (one & other).is_empty(schema)
    return found.astype(bool)


@pytest.mark.parametrize("schema", [SCHEMA, None], ids=["schema", "none"])
@quick
@given(data=st.data())
def test_difference(schema, data):
    """The pieces are disjoint, meet none of the subtrahends, and with the intersections are the whole clause."""
    columns = boxes() if schema is not None else boxes(PLAIN)
    one, others = data.draw(columns), data.draw(st.lists(columns, max_size=3))
    taken = np.zeros(len(FRAME), dtype=bool)
    for other in others:
        taken |= rows(other)
    pieces = subtract(clause(one), [clause(other) for other in others], schema)
    assert (union(pieces, schema) == rows(one) & ~taken).all()
    if schema is not None:
        whole, minus = clause(one).settled(SCHEMA), [clause(other).settled(SCHEMA) for other in others]
        for piece in pieces:
            assert piece.implies(whole, SCHEMA)
            assert all((piece & other).is_empty(SCHEMA) for other in minus)
        # Nothing is left of the clause without the pieces and the subtrahends.
        assert not subtract(whole, [*pieces, *minus], SCHEMA)
        assert (not pieces) == (not (rows(one) & ~taken).any())


@pytest.mark.parametrize("schema", [SCHEMA, None], ids=["schema", "none"])
@quick
@given(data=st.data())
def test_union(schema, data):
    drawn = data.draw(st.lists(boxes() if schema is not None else boxes(PLAIN), max_size=4))
    expected = np.zeros(len(FRAME), dtype=bool)
    for box in drawn:
        expected |= rows(box)
    assert (union(unite([clause(box) for box in drawn], schema), schema) == expected).all()


@quick
@given(boxes())
def test_complement(box):
    outside = subtract(Clause(), [clause(box)], SCHEMA)
    assert (union(outside, SCHEMA) == ~rows(box)).all()
    back = subtract(Clause(), outside, SCHEMA)
    assert (union(back, SCHEMA) == rows(box)).all()


@quick
@given(st.lists(boxes(), max_size=4))
def test_regions(drawn):
    """Each region has one value; here, the number of clauses that cover it."""

    def count(certain, pending):
        return UNDECIDED if pending else certain.bit_count() or None

    expected = sum((rows(box).astype(int) for box in drawn), np.zeros(len(FRAME), dtype=int))
    found = np.zeros(len(FRAME), dtype=int)
    pieces = regions([clause(box) for box in drawn], count, SCHEMA)
    for piece, value in pieces:
        found += value * clause_mask(piece, TABLE)
    assert (found == expected).all()
    assert union([piece for piece, _ in pieces], SCHEMA).sum() == (expected > 0).sum()


@quick
@given(st.lists(boxes(), min_size=2, max_size=3), boxes())
def test_order_of_clauses_does_not_matter(drawn, one):
    """The number of pieces, and what they cover, follow from the sets alone."""
    counts = set()
    for order in itertools.permutations(drawn):
        pieces = subtract(clause(one), [clause(box) for box in order], SCHEMA)
        counts.add((len(pieces), union(pieces, SCHEMA).tobytes()))
    assert len({covered for _, covered in counts}) == 1
    if len({name for box in drawn for name in box}) <= 3:
        assert len(counts) == 1


def test_words_and_digits_of_truth_values():
    known, yes, digit = (
        Clause.of({"flag": held}) for held in (~Condition.is_missing(), Condition.among(["true"]), Condition.among([1]))
    )
    no = Clause.of({"flag": Condition.among([False])})
    assert subtract(known, [yes, no], SCHEMA) == []
    assert subtract(yes, [digit], SCHEMA) == []
    assert [str(piece) for piece in subtract(known, [digit], SCHEMA)] == ["flag = false"]


def test_nothing():
    empty = Clause.of({"whole": Condition.nothing()})
    assert unite([]) == []
    assert unite([empty]) == []
    assert unite([Clause()]) == [Clause()]
    assert subtract(Clause(), []) == [Clause()]
    assert subtract(empty, []) == []
    assert subtract(Clause(), [Clause()]) == []
    assert subtract(Clause(), [empty]) == [Clause()]


def test_parts_with_one_answer_are_put_together():
    """However finely it is cut, a set of values of one column is one piece."""
    stripes = [Clause.of({"x": Condition.compare(">=", i) & Condition.compare("<", i + 1)}) for i in range(100)]
    (piece,) = unite(stripes)
    assert str(piece) == "x >= 0 AND x < 100"


def _diagonal(count):
    """Return clauses on as many columns, whose union is many disjoint pieces."""
    return [Clause.of({f"a{i}": Condition.compare("<", 0), f"b{i}": Condition.compare("<", 0)}) for i in range(count)]


def test_too_many_pieces(monkeypatch):
    for module in (work, partition, diagram):
        monkeypatch.setattr(module, "MOST_PIECES", 50)
    assert len(unite(_diagonal(5))) <= 50
    with pytest.raises(RuleError, match="fall apart into more than 50 disjoint pieces"):
        unite(_diagonal(8))


def test_too_many_columns():
    wide = [Clause.of({f"x{i}": Condition.compare("<", 0)}) for i in range(201)]
    with pytest.raises(RuleError, match="across more than 200 columns"):
        unite(wide)
    assert len(unite(wide[:200])) == 200
