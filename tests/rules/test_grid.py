"""The grid: pairs of clauses that meet, against every row there is."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.rules.brute_force import SCHEMA, boxes, clause, rows

from frote.rules import Clause, Condition
from frote.rules.grid import Grid

quick = settings(max_examples=examples(150))


@quick
@given(st.lists(boxes(), min_size=1, max_size=6))
def test_overlaps(drawn):
    masks = np.array([rows(box) for box in drawn])
    overlaps = Grid([clause(box) for box in drawn], SCHEMA).overlaps()
    assert (overlaps == (masks.astype(float) @ masks.T > 0)).all()


@quick
@given(st.lists(boxes(("real",)), min_size=1, max_size=5))
def test_overlaps_without_a_schema(drawn):
    """A column that is compared with numbers is continuous, as this one is."""
    drawn = [*drawn, {"real": ("real", "<", 1.0)}]
    masks = np.array([rows(box) for box in drawn])
    assert (Grid([clause(box) for box in drawn]).overlaps() == (masks.astype(float) @ masks.T > 0)).all()


def test_no_clauses():
    assert Grid([]).overlaps().shape == (0, 0)


def test_clauses_without_conditions():
    assert Grid([Clause(), Clause()]).overlaps().all()


def test_many_columns():
    """Each column is looked at on its own: a hundred of them are no matter."""
    below = [Clause.of({f"x{i}": Condition.compare("<", 0)}) for i in range(100)]
    above = Clause.of({f"x{i}": Condition.compare(">", 0) for i in range(100)})
    overlaps = Grid([*below, above]).overlaps()
    assert overlaps[:100, :100].all()
    assert not overlaps[100, :100].any()
    assert overlaps[100, 100]
