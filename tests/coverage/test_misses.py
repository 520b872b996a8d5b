"""Near misses: which rows fail the fewest conditions, and of which piece."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frote.coverage.misses import near_misses

# Rows:          0      1      2      3      4
MET = np.array(
    [
        [True, False, False, True, False],
        [False, True, False, False, False],
        [True, True, True, False, False],
    ]
)


def found(needs, pieces, among, least):
    misses = near_misses(MET, needs, pieces, np.array(among, dtype=np.intp), least)
    return misses.rows.tolist(), misses.piece.tolist()


def test_rows_that_fail_the_fewest_conditions():
    # Of the conditions 0, 1 and 2 the rows fail 1, 1, 2, 2 and 3.
    assert found([(0, 1, 2)], [0], range(5), least=1) == ([0, 1], [0, 0])


def test_the_next_ones_too_where_there_are_too_few():
    assert found([(0, 1, 2)], [0], range(5), least=3) == ([0, 1, 2, 3], [0] * 4)
    assert found([(0, 1, 2)], [0], range(5), least=99) == ([0, 1, 2, 3, 4], [0] * 5)


def test_only_among_the_rows_given():
    assert found([(0, 1, 2)], [0], [2, 4], least=1) == ([2], [0])
    assert found([(0, 1, 2)], [0], [], least=1) == ([], [])


def test_each_row_by_the_piece_it_is_nearest_to():
    # Piece 3 needs 0 and 1, piece 5 needs 1 and 2: row 3 misses piece 3 by one condition and piece 5 by two.
    needs = [(), (), (), (0, 1), (), (1, 2)]
    assert found(needs, [3, 5], [2, 3], least=1) == ([2, 3], [5, 3])
    assert found(needs, [], [2, 3], least=1) == ([], [])


@given(st.integers(0, 2**32), st.integers(1, 30))
def test_no_row_that_was_left_out_is_nearer(seed, least):
    rng = np.random.default_rng(seed)
    met = rng.random((4, 25)) < 0.6
    needs = [(0, 1, 2), (1, 3)]
    misses = near_misses(met, needs, [0, 1], np.arange(25), least)
    failing = np.array([(~met[list(need)]).sum(axis=0) for need in needs])
    fewest = failing.min(axis=0)
    assert len(misses.rows) >= min(least, 25)
    out = np.setdiff1d(np.arange(25), misses.rows)
    if len(out):
        assert fewest[out].min() > fewest[misses.rows].max()
    assert (failing[misses.piece, misses.rows] == fewest[misses.rows]).all()
