"""How many rows are proposed next: shares, limits, and that what follows a rejection is known before."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frote.loop.schedule import (
    MOST_IN_BATCH,
    AdaptivePlanner,
    AdaptiveSchedule,
    FixedPlanner,
    FixedSchedule,
    Limits,
    Plan,
)

LIMITS = st.one_of(st.integers(0, 5000), st.floats(0, 5000))
FIXED = st.builds(FixedPlanner, st.integers(1, 300), LIMITS, st.integers(0, 60), st.none() | st.integers(1, 10))
ADAPTIVE = st.builds(
    AdaptivePlanner,
    st.integers(1, 300),
    LIMITS,
    st.integers(0, 60),
    st.integers(1, 10),
    growth=st.sampled_from([1.0, 1.5, 2.0, 3.0]),
)
LACKING = st.lists(st.floats(0, 1), min_size=1, max_size=6)


def played(schedule, answers, lacking):
    """Go through a run in which batches are accepted or rejected as told; return (plan, added, quotas) per batch."""
    plan, added, batches = schedule.first(), 0, []
    while not schedule.reason_to_end(plan, added):
        quotas = schedule.quotas(plan, added, lacking)
        batches.append((plan, added, quotas))
        accepted = answers[len(batches) % len(answers)]
        added += sum(quotas) if accepted else 0
        plan = schedule.after(plan, accepted, added)
    return plan, added, batches


# --- what holds for every schedule ---


@given(FIXED | ADAPTIVE, st.lists(st.booleans(), min_size=1, max_size=8), LACKING)
def test_it_ends_by_the_limit_of_steps_and_says_why(schedule, answers, lacking):
    plan, added, batches = played(schedule, answers, lacking)
    assert len(batches) <= schedule.most_steps
    assert [one.step for one, _, _ in batches] == list(range(1, len(batches) + 1))
    assert plan.step == len(batches) + 1
    reason = schedule.reason_to_end(plan, added)
    assert reason
    assert ("synthetic rows" in reason) or ("rejected batches" in reason) or ("limit of" in reason)


@given(FIXED | ADAPTIVE, st.lists(st.booleans(), min_size=1, max_size=8), LACKING)
def test_every_batch_has_rows_and_none_is_negative(schedule, answers, lacking):
    for _, _, quotas in played(schedule, answers, lacking)[2]:
        assert len(quotas) == len(lacking)
        assert min(quotas) >= 0
        assert sum(quotas) >= 1


@given(FIXED | ADAPTIVE, st.integers(1, 10))
def test_patience_counts_rejections_in_a_row(schedule, number):
    plan = Plan(1, schedule.size)
    for _ in range(number):
        plan = schedule.after(plan, accepted=False, added=0)
    assert plan.rejected == number
    tired = schedule.patience is not None and number >= schedule.patience
    assert tired == (schedule.reason_to_end(Plan(0, 1, plan.rejected), -1) != "")
    assert schedule.after(plan, accepted=True, added=1).rejected == 0


@given(FIXED | ADAPTIVE, st.integers(0, 5000), LACKING, st.integers(1, 8))
def test_plans_after_rejections_are_known_in_advance(schedule, added, lacking, count):
    # Speculation: the plans of several batches are made before the first of them is tried.
    ahead, plan = [], schedule.first()
    while len(ahead) < count and not schedule.reason_to_end(plan, added):
        ahead.append((plan, schedule.quotas(plan, added, lacking)))
        plan = schedule.after(plan, accepted=False, added=added)
    one_by_one, plan = [], schedule.first()
    while len(one_by_one) < count and not schedule.reason_to_end(plan, added):
        quotas = schedule.quotas(plan, added, lacking)
        one_by_one.append((plan, quotas))
        schedule.after(plan, accepted=True, added=added + sum(quotas))  # asked in between, it changes nothing
        plan = schedule.after(plan, accepted=False, added=added)
    assert ahead == one_by_one


@given(FIXED | ADAPTIVE, st.permutations(range(4)), st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_the_order_of_rules_does_not_matter_but_for_the_odd_row(schedule, order, lacking):
    plan = schedule.first()
    if schedule.reason_to_end(plan, 0):
        return
    quotas = schedule.quotas(plan, 0, lacking)
    moved = schedule.quotas(plan, 0, [lacking[place] for place in order])
    assert all(abs(moved[spot] - quotas[place]) <= 1 for spot, place in enumerate(order))


# --- the paper's ---


@given(FIXED, st.lists(st.booleans(), min_size=1, max_size=8), LACKING)
def test_fixed_batches_are_of_one_size_in_equal_shares(schedule, answers, lacking):
    _, added, batches = played(schedule, answers, lacking)
    for plan, _, quotas in batches:
        assert plan.size == sum(quotas) == schedule.size
        assert max(quotas) - min(quotas) <= 1
    assert added <= schedule.most_rows + schedule.size  # the last batch may overshoot


def test_fixed_ends_once_there_are_more_rows_than_allowed():
    schedule = FixedPlanner(10, most_rows=20, most_steps=100)
    plan = schedule.first()
    assert schedule.reason_to_end(plan, 20) == ""  # N <= q |D|
    assert schedule.reason_to_end(plan, 21) == "there are 21 synthetic rows, more than the limit of 20"


def test_reasons():
    schedule = AdaptivePlanner(10, most_rows=20.5, most_steps=5, patience=3)
    assert schedule.reason_to_end(Plan(5, 10, 2), 19) == ""
    assert (
        schedule.reason_to_end(Plan(5, 10, 2), 20) == "there are 20 synthetic rows, as many as the limit of 20 allows"
    )
    assert schedule.reason_to_end(Plan(6, 10, 2), 19) == "the limit of 5 batches was reached"
    assert schedule.reason_to_end(Plan(5, 10, 3), 19) == "stopped after 3 rejected batches in a row"
    assert FixedPlanner(10, 20, 5).reason_to_end(Plan(5, 10, 4), 19) == ""  # the paper has no patience


# --- adaptive ---


@given(ADAPTIVE, st.lists(st.booleans(), min_size=1, max_size=8), LACKING)
def test_adaptive_batches_are_cut_to_what_is_left(schedule, answers, lacking):
    _, added, batches = played(schedule, answers, lacking)
    without_end = replace(schedule, most_rows=1e9)
    for plan, before, quotas in batches:
        wanted = sum(without_end.quotas(plan, before, lacking))
        assert sum(quotas) == min(wanted, math.floor(schedule.most_rows - before))
    assert added <= schedule.most_rows


@given(ADAPTIVE, st.lists(st.booleans(), min_size=1, max_size=8), st.integers(0, 5000))
def test_adaptive_batches_grow_when_they_are_accepted(schedule, answers, limit):
    schedule = replace(schedule, most_rows=limit, most_steps=60)
    for plan, before, quotas in played(schedule, answers, [0.5])[2]:
        added = before + sum(quotas)
        larger = schedule.after(plan, accepted=True, added=added)
        assert (larger.step, larger.rejected) == (plan.step + 1, 0)
        if not schedule.reason_to_end(larger, added):
            room, after = limit - added, sum(schedule.quotas(larger, added, [0.5]))
            assert after >= min(sum(quotas), room)
            if not plan.rejected:
                assert after == min(math.ceil(sum(quotas) * schedule.growth), room)


@given(ADAPTIVE, LACKING)
def test_shares_follow_what_is_lacking(schedule, lacking):
    plan = schedule.first()
    if schedule.reason_to_end(plan, 0):
        return
    quotas = schedule.quotas(plan, 0, lacking)
    lack = lacking if sum(lacking) > 0 else [1.0] * len(lacking)
    for quota, own in zip(quotas, lack, strict=True):
        assert abs(quota - sum(quotas) * own / sum(lack)) < 1  # largest remainders
    ordered = [quota for _, quota in sorted(zip(lack, quotas, strict=True))]
    assert all(later - earlier >= -1 for earlier, later in pairwise(ordered))


@pytest.mark.parametrize(
    ("lacking", "quotas"),
    [
        ([0.0, 0.25, 0.75], (0, 10, 30)),
        ([1.0, 0.5], (27, 13)),
        ([1.0, 1.0], (20, 20)),
        ([0.0, 0.0, 0.0], (14, 13, 13)),  # nothing is lacking: equal shares
        ([1.0], (40,)),
    ],
)
def test_shares_by_hand(lacking, quotas):
    assert AdaptivePlanner(40, 1000, 100, 8).quotas(Plan(1, 40), 0, lacking) == quotas


def test_a_run_by_hand():
    schedule = AdaptivePlanner(8, most_rows=30, most_steps=100, patience=3)
    plan, added, batches = played(schedule, [True], [0.5])
    assert [sum(quotas) for _, _, quotas in batches] == [8, 16, 6]
    assert added == 30
    assert schedule.reason_to_end(plan, added) == "there are 30 synthetic rows, as many as the limit of 30 allows"


@given(FIXED | ADAPTIVE, st.lists(st.booleans(), min_size=1, max_size=8))
def test_a_plan_can_be_written_down(schedule, answers):
    for plan, _, _ in played(schedule, answers, [0.5])[2]:
        assert Plan(**json.loads(json.dumps(asdict(plan)))) == plan


def test_sizes_of_batches_that_are_rejected_time_and_again():
    schedule, plan, sizes = (
        AdaptivePlanner(16, 1e6, 10_000, 5_000),
        AdaptivePlanner(16, 1e6, 10_000, 5_000).first(),
        [],
    )
    for _ in range(5_000):
        sizes.append(sum(schedule.quotas(plan, 0, [0.5])))
        plan = schedule.after(plan, accepted=False, added=0)
    assert sizes[:7] == [16, 32, 8, 64, 4, 128, 2]
    assert sizes[-2:] == [1, 1_000_000]
    assert sum(schedule.quotas(schedule.after(Plan(9, 16, 3), accepted=True, added=64), 64, [0.5])) == 128


@given(ADAPTIVE, LACKING, st.data())
def test_a_rule_without_support_has_half_of_a_batch_at_most(schedule, lacking, data):
    plan = schedule.first()
    if schedule.reason_to_end(plan, 0):
        return
    unsupported = data.draw(st.lists(st.booleans(), min_size=len(lacking), max_size=len(lacking)))
    free, bound = schedule.quotas(plan, 0, lacking), schedule.quotas(plan, 0, lacking, unsupported)
    most = math.ceil(sum(free) / 2)
    assert sum(bound) <= sum(free)
    assert sum(bound) >= most
    for rule, bare in enumerate(unsupported):
        if bare and not all(unsupported):
            assert bound[rule] <= most
        elif free[rule] > most:
            assert bound == free  # a rule with support may have all that it needs
    if not any(unsupported) or all(unsupported):
        assert bound == free


@pytest.mark.parametrize(
    ("lacking", "quotas"),
    [
        ([0.9, 0.05, 0.05], (20, 10, 10)),  # the others need what it may not have
        ([0.9, 0.1, 0.04], (20, 20, 0)),  # one of them
        ([0.9, 0.04, 0.04], (20, 2, 1)),  # none of them: it is not made
    ],
)
def test_bounded_shares_by_hand(lacking, quotas):
    planner = AdaptivePlanner(40, 1000, 100, 8)
    assert planner.quotas(Plan(1, 40), 0, lacking, [True, True, False]) == quotas
    assert planner.quotas(Plan(1, 40), 0, lacking, [True, True, True])[0] > 20  # nobody has what it lacks


def test_a_share_of_a_very_large_table_is_no_batch():
    limits = Limits(10_000_000, 2, 5, most_rows=100_000, most_steps=200)
    planner = AdaptiveSchedule().begin(limits)
    assert planner.first().size == MOST_IN_BATCH
    assert planner.after(planner.first(), accepted=True, added=20_000).size == MOST_IN_BATCH
    assert sum(planner.quotas(Plan(2, MOST_IN_BATCH, rejected=1), 0, [0.5, 0.5])) == MOST_IN_BATCH
    asked = AdaptiveSchedule().begin(replace(limits, batch_size=30_000))
    assert asked.after(asked.first(), accepted=True, added=30_000).size == 60_000


def test_a_bound_on_all_rows_is_kept_by_batches_of_one_size_too():
    planner = FixedSchedule().begin(Limits(300, 1, 5, most_rows=150, most_steps=8, batch_size=50, most_added=60))
    assert planner.quotas(planner.first(), 0, [0.5]) == (50,)
    assert planner.quotas(planner.first(), 50, [0.5]) == (10,)
    assert planner.reason_to_end(planner.first(), 50) == ""
    assert (
        planner.reason_to_end(planner.first(), 60) == "there are 60 synthetic rows, as many as the limit of 60 allows"
    )


@pytest.mark.parametrize(("asked", "twins", "patience"), [(None, False, 4), (None, True, 8), (3, True, 3)])
def test_more_batches_are_tried_where_they_must_be_better_on_both_sides_of_a_rule(asked, twins, patience):
    limits = Limits(1000, 2, 5, most_rows=500, most_steps=200, patience=asked, twins=twins)
    assert AdaptiveSchedule().begin(limits).patience == patience
