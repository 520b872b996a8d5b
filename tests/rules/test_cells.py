"""Cells: conditions as sets of cells, the same sets."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.rules.brute_force import GAPLESS, SCHEMA, VALUES, build, holds, trees

from frote.rules import Condition
from frote.rules.cells import Cells
from frote.table import Column, Kind

quick = settings(max_examples=examples(200))

drawn = st.sampled_from(tuple(VALUES)).flatmap(
    lambda name: st.tuples(st.just(name), st.lists(trees(name), min_size=1, max_size=4))
)


@quick
@given(drawn)
def test_masks_are_the_sets(drawn):
    """Two masks have a cell in common where some value is in both, and none where there is none."""
    column, found = drawn
    cells = Cells.of([build(tree) for tree in found], SCHEMA[column])
    masks = [cells.mask(build(tree)) for tree in found]
    insides = [{value for value in VALUES[column] if holds(tree, value)} for tree in found]
    for (mask, inside), (other, theirs) in itertools.combinations_with_replacement(zip(masks, insides, strict=True), 2):
        assert bool(mask & other) == bool(inside & theirs)
        assert (mask & ~other == 0) == (inside <= theirs)
        assert (mask == other) == (inside == theirs)
    assert all(mask & ~cells.possible == 0 for mask in masks)


@pytest.mark.parametrize("schema", [SCHEMA, GAPLESS], ids=["any", "gapless"])
@quick
@given(drawn, st.integers(0, 15))
def test_back_to_conditions(schema, drawn, choice):
    """A union of masks, and its complement, come back as conditions on the same values of the columns' types."""
    column, found = drawn
    cells = Cells.of([build(tree) for tree in found], schema[column])
    chosen = [tree for place, tree in enumerate(found) if choice >> place & 1]
    mask = 0
    for tree in chosen:
        mask |= cells.mask(build(tree))
    for inverted, one in ((False, mask), (True, cells.possible & ~mask)):
        condition = cells.condition(one)
        assert cells.mask(condition) == one
        if not schema[column].nullable:
            assert not condition.missing
        for value in VALUES[column] if schema[column].nullable else VALUES[column][:-1]:
            assert (value in condition) == (any(holds(tree, value) for tree in chosen) != inverted)


@quick
@given(st.lists(trees("real"), min_size=1, max_size=3))
def test_cells_are_disjoint_and_are_everything(found):
    cells = Cells.of([build(tree) for tree in found], SCHEMA["real"]).cells
    for one, other in itertools.combinations(cells, 2):
        assert one & other == Condition.nothing()
    whole = Condition.nothing()
    for cell in cells:
        whole |= cell
    assert whole == Condition.anything()


@quick
@given(st.lists(trees("word"), min_size=1, max_size=3))
def test_without_a_column_all_names_count(found):
    conditions = [build(tree) for tree in found]
    cells = Cells.of(conditions, None)
    for condition in conditions:
        assert cells.condition(cells.mask(condition)) == condition
        assert cells.condition(cells.possible & ~cells.mask(condition)) == ~condition


def test_gaps_between_whole_numbers_are_closed():
    """What no value lies in goes with its neighbour, so that conditions stay simple."""
    low, high = Condition.compare("<=", 28), Condition.compare(">", 28.5)
    cells = Cells.of([low, high], Column("age", Kind.INTEGER))
    assert cells.condition(cells.mask(low) | cells.mask(high)) == ~Condition.is_missing()
    assert cells.condition(cells.possible & ~cells.mask(low)).missing


def test_impossible_number_cells_of_truth_values():
    word, digit = Condition.among(["true"]), Condition.among([1])
    cells = Cells.of([word, digit], SCHEMA["flag"])
    assert cells.mask(word) == cells.mask(digit)
    assert cells.condition(cells.possible & ~cells.mask(word)) == Condition(texts=frozenset({"false"}), missing=True)
