"""Base rows at random: quotas, no row twice where the population allows, the same for the same chance."""

from __future__ import annotations

import collections

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.selection.small_requests import make_request

from frote.selection import Uniform, shares

quick = settings(max_examples=examples(250))

PIECES = st.lists(st.sets(st.integers(0, 30), min_size=1, max_size=12).map(sorted), min_size=1, max_size=3)


@given(st.lists(st.tuples(PIECES, st.integers(0, 40)), max_size=4), st.integers(0, 99))
@quick
def test_quotas_and_rounds(rules, seed):
    request = make_request([pieces for pieces, _ in rules], [quota for _, quota in rules])
    choice = Uniform().select(request, np.random.default_rng(seed))
    assert len(choice.piece) == len(choice.base) == sum(quota for _, quota in rules)
    for pieces, quota in zip(request.populations, request.quotas, strict=True):
        parts = shares(quota, [len(population.rows) for population in pieces])
        for population, part in zip(pieces, parts, strict=True):
            drawn = collections.Counter(choice.base[choice.piece == population.piece].tolist())
            assert drawn.total() == part
            assert set(drawn) <= set(population.rows.tolist())
            # Each row once before any comes twice, and so on.
            rounds, rest = divmod(part, len(population.rows))
            times = [drawn[row] for row in population.rows.tolist()]
            assert set(times) <= {rounds, rounds + 1}
            assert times.count(rounds + 1) == rest


@given(PIECES, st.integers(0, 99))
@quick
def test_no_row_twice_in_a_piece_where_the_rule_has_enough(pieces, seed):
    there = sum(map(len, pieces))
    for quota in (1, there // 2, there):
        choice = Uniform().select(make_request([pieces], [quota]), np.random.default_rng(seed))
        assert len(set(zip(choice.piece.tolist(), choice.base.tolist(), strict=True))) == quota


def test_chance_comes_from_the_generator_alone():
    request = make_request([[range(50)], [range(20, 40)]], [10, 10])
    one, same, other = (Uniform().select(request, np.random.default_rng(seed)).base.tolist() for seed in (1, 1, 2))
    assert one == same != other


def test_each_row_is_as_likely_as_another():
    request, rng = make_request([[range(10)]], [3]), np.random.default_rng(0)
    times = np.bincount(np.concatenate([Uniform().select(request, rng).base for _ in range(3000)]))
    assert times == pytest.approx(np.full(10, 900), abs=100)
