"""Chance by keys: the published sequence, no two alike, the same sample for any split, and fair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote.keys import _outputs, hashes, shares, smallest

SEEDS = st.integers(0, 2**63)
PURPOSES = st.text(max_size=8)


def test_the_sequence_is_that_of_splitmix64():
    # The first outputs for the seed 1234567, as Rosetta Code's "Pseudo-random numbers/Splitmix64" lists them.
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert _outputs(np.uint64(1234567), np.arange(5, dtype=np.uint64)).tolist() == published


def by_hand(start: int, place: int) -> int:
    mask = 2**64 - 1
    mixed = (start + (place + 1) * 0x9E3779B97F4A7C15) & mask
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & mask
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
    return mixed ^ (mixed >> 31)


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(0, 2**64 - 1), max_size=5))
def test_it_counts_as_whole_numbers_of_any_size_do(start, places):
    ours = _outputs(np.uint64(start), np.array(places, dtype=np.uint64))
    assert ours.tolist() == [by_hand(start, place) for place in places]


@settings(max_examples=examples(300))
@given(SEEDS, PURPOSES, st.lists(st.integers(0, 2**62), unique=True, max_size=60), st.data())
def test_the_smallest_do_not_depend_on_the_parts(seed, purpose, keys, data):
    count = data.draw(st.integers(0, 20))
    ends = sorted(data.draw(st.lists(st.integers(0, len(keys)), max_size=4)))
    order = data.draw(st.permutations(keys))
    whole = smallest(np.array(keys, dtype=np.int64), count, seed, purpose)
    parts = [smallest(part, count, seed, purpose) for part in np.split(np.array(order, dtype=np.int64), ends)]
    assert smallest(np.concatenate(parts), count, seed, purpose).tolist() == whole.tolist()
    by_sorting = sorted(keys, key=lambda key: int(hashes([key], seed, purpose)[0]))[:count]
    assert whole.tolist() == sorted(by_sorting)


@given(SEEDS, PURPOSES, st.lists(st.integers(0, 2**62), max_size=10))
def test_a_key_draws_the_same_in_any_company(seed, purpose, keys):
    assert [int(hashes([key], seed, purpose)[0]) for key in keys] == hashes(keys, seed, purpose).tolist()


@pytest.mark.parametrize("purpose", ["sample", "labels", ""])
def test_shares_are_spread_evenly_and_do_not_go_with_each_other(purpose):
    drawn = shares(np.arange(100_000), 3, purpose)
    assert 0 <= drawn.min() < drawn.max() < 1
    counts = np.bincount((drawn * 50).astype(int), minlength=50)
    # The chi-squared statistic of 49 degrees of freedom has the mean 49 and the standard deviation 9.9.
    assert ((counts - 2000) ** 2 / 2000).sum() < 49 + 5 * 9.9
    for other in (shares(np.arange(100_000), 3, purpose + "x"), shares(np.arange(100_000), 4, purpose)):
        assert abs(np.corrcoef(drawn, other)[0, 1]) < 5 / np.sqrt(100_000)


def test_no_two_keys_share_a_hash():
    assert len(np.unique(hashes(np.arange(200_000), 11, "sample"))) == 200_000
