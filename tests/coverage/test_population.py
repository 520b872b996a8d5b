"""Base populations: rules relaxed until they cover enough rows."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.examples import examples

import frote
from frote.coverage.population import populations, relax
from frote.coverage.ruling import Ruling
from frote.keys import Sample
from frote.rules import RuleSet
from frote.table import Table

TRUTHS = st.tuples(st.integers(1, 5), st.integers(1, 12)).flatmap(lambda shape: arrays(bool, shape))


def found(text, frame, least, resolve=None):
    rules = frote.parse_rules(text)
    rules = rules if resolve is None else rules.resolve(resolve)
    return populations(Ruling.of(rules).on(Table.from_frame(frame)), least)


def plain(pieces):
    return [(population.piece, population.rows.tolist(), population.dropped) for population in pieces]


def covered(met, kept):
    return np.array([all(met[one, row] for one in kept) for row in range(met.shape[1])])


# Relaxation of one clause


def test_nothing_is_dropped_where_enough_is_covered():
    met = np.array([[1, 1, 1, 0], [1, 1, 0, 1]], dtype=bool)
    mask, dropped = relax(met, [0, 1], 2)
    assert (mask.tolist(), dropped) == ([True, True, False, False], [])


def test_the_condition_that_leaves_most_rows_goes_first():
    #             0  1  2  3  4  5
    met = np.array(
        [
            [1, 1, 0, 0, 0, 0],  # a
            [1, 0, 1, 1, 0, 0],  # b
            [1, 1, 1, 1, 1, 0],  # c
        ],
        dtype=bool,
    )
    # All three cover row 0. Without a: 0, 2, 3; without b: 0, 1; without c: 0. So a goes, then 3 rows are covered.
    mask, dropped = relax(met, [0, 1, 2], 3)
    assert (np.flatnonzero(mask).tolist(), dropped) == ([0, 2, 3], [0])
    # For 4 rows a second one goes: without b, c covers 0 to 4; without c, b covers 0, 2, 3.
    mask, dropped = relax(met, [0, 1, 2], 4)
    assert (np.flatnonzero(mask).tolist(), dropped) == ([0, 1, 2, 3, 4], [0, 1])
    # For 6 rows all go: all rows.
    mask, dropped = relax(met, [0, 1, 2], 6)
    assert (mask.all(), dropped) == (True, [0, 1, 2])


def test_it_is_greedy():
    """The one that leaves most rows now need not be part of the best pair: it goes all the same."""
    met = np.array(
        [
            [1, 0, 0, 0, 0, 0, 0],
            [0, 1, 1, 1, 1, 1, 0],
            [0, 1, 1, 1, 1, 1, 0],
            [1, 0, 0, 0, 0, 0, 1],
        ],
        dtype=bool,
    )
    # Any one dropped leaves nothing: the first written goes. Then of 1, 2, 3, dropping 3 leaves five rows.
    mask, dropped = relax(met, [0, 1, 2, 3], 5)
    assert (np.flatnonzero(mask).tolist(), dropped) == ([1, 2, 3, 4, 5], [0, 3])


def test_of_equal_conditions_the_first_written_goes():
    met = np.array([[1, 0, 0], [0, 1, 0]], dtype=bool)
    assert relax(met, [0, 1], 1)[1] == [0]
    assert relax(met, [1, 0], 1)[1] == [1]


def test_more_rows_wanted_than_there_are():
    mask, dropped = relax(np.ones((2, 3), dtype=bool), [0, 1], 10)
    assert (mask.tolist(), sorted(dropped)) == ([True] * 3, [0, 1])


def test_no_conditions_and_no_rows():
    assert relax(np.zeros((1, 3), dtype=bool), [], 2)[0].tolist() == [True] * 3
    assert relax(np.zeros((2, 0), dtype=bool), [0, 1], 2)[0].shape == (0,)


@given(TRUTHS, st.integers(1, 14))
@settings(max_examples=examples(200))
def test_relaxation_as_in_plain_python(met, least):
    needs = list(range(len(met)))
    mask, dropped = relax(met, needs, least)
    kept = list(needs)
    for one in dropped:
        assert covered(met, kept).sum() < least  # never one more than needed
        left = {other: covered(met, [c for c in kept if c != other]).sum() for other in kept}
        assert left[one] == max(left.values())
        assert one == min(other for other in kept if left[other] == left[one])
        kept.remove(one)
    assert (mask == covered(met, kept)).all()
    assert mask.sum() >= min(least, met.shape[1])


# Populations of rules

FRAME = pd.DataFrame({"a": [1, 1, 1, 2, 2, 3], "b": [0, 0, 1, 0, 1, 1], "c": [5, 6, 7, 8, 9, 10]})


def test_a_rule_that_covers_enough_is_taken_as_it_is():
    ((population,),) = found("IF a = 1 AND b = 0 THEN x", FRAME, 2)
    assert plain([population]) == [(0, [0, 1], ())]


def test_a_rule_that_covers_too_few_is_relaxed():
    # a = 1 AND b = 1 covers row 2. Without a: 2, 4, 5; without b: 0, 1, 2. As many: the first written goes.
    ((population,),) = found("IF a = 1 AND b = 1 THEN x", FRAME, 2)
    assert plain([population]) == [(0, [2, 4, 5], ("a",))]
    # Nothing has a = 9: without a, b = 0 covers three rows.
    ((population,),) = found("IF b = 0 AND a = 9 THEN x", FRAME, 3)
    assert plain([population]) == [(0, [0, 1, 3], ("a",))]


def test_all_rows_at_worst():
    ((population,),) = found("IF a = 9 AND c > 99 THEN x", FRAME, 2)
    assert population.rows.tolist() == list(range(6))
    assert sorted(population.dropped) == ["a", "c"]
    ((population,),) = found("IF a = 1 THEN x", FRAME, 100)
    assert population.rows.tolist() == list(range(6))


def test_a_column_goes_with_its_whole_condition():
    ((population,),) = found("IF (a = 9 OR a = 8) AND b = 1 THEN x", FRAME, 2)
    assert plain([population]) == [(0, [2, 4, 5], ("a",))]


def test_rules_are_relaxed_each_by_itself():
    first, second = found("IF a = 1 THEN x\nIF a = 3 AND b = 1 THEN x", FRAME, 3)
    assert plain(first) == [(0, [0, 1, 2], ())]
    assert plain(second) == [(1, [2, 4, 5], ("a",))]


def test_pieces_that_cover_enough_together_are_taken_as_they_are():
    """Two rows of one piece and one of another: three together, though neither has three."""
    text = "IF (a = 1 AND b = 0) OR (a = 3 AND c > 9) THEN x"
    (pieces,) = found(text, FRAME, 3)
    assert all(not population.dropped for population in pieces)
    assert sorted(itertools.chain.from_iterable(population.rows.tolist() for population in pieces)) == [0, 1, 5]


def test_pieces_that_cover_nothing_have_no_population():
    (pieces,) = found("IF (a = 1 AND b = 0) OR (a = 7 AND c > 9) THEN x", FRAME, 2)
    assert [population.rows.tolist() for population in pieces] == [[0, 1]]
    assert [population.dropped for population in pieces] == [()]


def test_pieces_that_cover_too_few_together_are_each_relaxed():
    text = "IF (a = 1 AND b = 0) OR (a = 7 AND c > 7) THEN x"
    rules = frote.parse_rules(text)
    (pieces,) = found(text, FRAME, 3)
    assert [population.piece for population in pieces] == list(range(len(rules)))
    for population in pieces:
        assert len(population.rows) >= 3
        assert population.dropped


def test_pieces_of_a_resolution_share_their_origin():
    text = "one: IF a <= 2 THEN x\ntwo: IF b = 0 AND c < 9 THEN y"
    rules = frote.parse_rules(text).resolve("exclude")
    groups = found(text, FRAME, 2, resolve="exclude")
    assert len(groups) == len(rules.origins) == 2
    for origin, pieces in zip(rules.origins, groups, strict=True):
        assert pieces
        assert {rules[population.piece].origin for population in pieces} == {origin}


def test_no_rules():
    assert populations(Ruling.of(RuleSet()).on(Table.from_frame(np.zeros((3, 1)))), 2) == []


def test_a_rule_without_conditions_covers_all():
    rules = RuleSet([frote.Rule("all", frote.Clause(), frote.Outcome.of("x"))])
    ((population,),) = populations(Ruling.of(rules).on(Table.from_frame(np.zeros((4, 1)))), 6)
    assert plain([population]) == [(0, [0, 1, 2, 3], ())]


@given(st.integers(0, 10**6), st.integers(1, 20))
@settings(max_examples=examples(150))
def test_every_rule_has_a_population(seed, least):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 3, (12, 3)), columns=["a", "b", "c"])
    a, b, c, d = rng.integers(0, 5, 4)
    groups = found(
        f"IF (a = {a} AND b = {b}) OR (b >= {c} AND c < {d}) THEN x\nIF c = {a} AND a > {b} THEN x", frame, least
    )
    assert len(groups) == 2
    for pieces in groups:
        rows = np.unique(np.concatenate([population.rows for population in pieces]))
        assert len(rows) >= min(least, 12)
        for population in pieces:
            assert len(population.rows)
            assert (np.diff(population.rows) > 0).all()


@pytest.mark.parametrize("least", [1, 2, 6])
def test_the_threshold_itself_is_enough(least):
    frame = pd.DataFrame({"a": [1] * least + [2] * 3, "b": [1] * (least + 3)})
    ((population,),) = found("IF a = 1 AND b = 1 THEN x", frame, least)
    assert (len(population.rows), population.dropped) == (least, ())
    ((population,),) = found("IF a = 1 AND b = 1 THEN x", frame, least + 1)
    assert (len(population.rows), population.dropped) == (least + 3, ("a",))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40),
    st.integers(1, 8),
    st.integers(0, 5),
    st.integers(0, 99),
)
@settings(max_examples=examples(100))
def test_a_sample_of_a_rule_is_of_its_own_rows(cells, least, most, seed):
    """Of all pieces together so many rows as are wanted, and all of them where there are no more."""
    frame = pd.DataFrame(cells, columns=["a", "b"])
    rows = Ruling.of(frote.parse_rules("one: IF a > 1 OR b > 2 THEN p\ntwo: IF a <= 1 AND b <= 2 THEN q")).on(
        Table.from_frame(frame)
    )
    sample = Sample(most + least, seed)
    for whole, bounded in zip(populations(rows, least), populations(rows, least, sample=sample), strict=True):
        every = {row for one in whole for row in one.rows.tolist()}
        chosen = {row for one in bounded for row in one.rows.tolist()}
        assert len(chosen) == min(len(every), most + least)
        of_piece = {one.piece: one for one in whole}
        for one in bounded:
            assert one.rows.tolist() == sorted(chosen & set(of_piece[one.piece].rows.tolist()))
            assert one.dropped == of_piece[one.piece].dropped
        assert len(every) > most + least or plain(whole) == plain(bounded)
