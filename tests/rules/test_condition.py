"""Conditions: a Boolean algebra of values and missing, against plain predicates on values."""

from __future__ import annotations

import datetime as dt
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.rules.boolean_laws import require_boolean_laws
from tests.rules.brute_force import FRAME, SCHEMA, VALUES, build, holds, one_row, trees

from frote.exceptions import RuleError
from frote.rules import Condition
from frote.rules.values import Instant
from frote.table import Column, Kind

quick = settings(max_examples=examples(300))

COLUMNS = tuple(VALUES)
NOTHING, ANYTHING = Condition.nothing(), Condition.anything()

# Values of every sort at once: a condition knows no kind.
MIXED = ("a", "b", "02", "zz", 2, 2.5, 0, -7, dt.date(2024, 3, 1), dt.datetime(2024, 1, 1, 0, 0, 1), "true", None)


def column_and_trees(count):
    return st.sampled_from(COLUMNS).flatmap(lambda name: st.tuples(st.just(name), *[trees(name)] * count))


def inside(condition, column):
    return [value in condition for value in VALUES[column]]


@quick
@given(column_and_trees(1).filter(lambda drawn: drawn[0] != "flag"))
def test_membership(drawn):
    column, tree = drawn
    assert inside(build(tree), column) == [holds(tree, value) for value in VALUES[column]]


@quick
@given(column_and_trees(1))
def test_levels_inside(drawn):
    column, tree = drawn
    if SCHEMA[column].kind.has_levels:
        assert build(tree).levels_inside(SCHEMA[column]) == [holds(tree, value) for value in VALUES[column][:-1]]


@quick
@given(*[st.sampled_from(COLUMNS).flatmap(trees)] * 3)
def test_boolean_laws(one, other, third):
    """The laws hold whatever the conditions speak of: numbers, dates and texts at once too."""
    a, b, c = build(one), build(other), build(third)
    require_boolean_laws(a, b, c, NOTHING, ANYTHING)
    for value in MIXED:
        assert (value in a & b) == (value in a and value in b)
        assert (value in a | b) == (value in a or value in b)
        assert (value in ~a) == (value not in a)


@quick
@given(column_and_trees(2).filter(lambda drawn: drawn[0] in ("real", "word")))
def test_equal_values_are_equal_sets(drawn):
    """In these columns, the values that there are tell all conditions apart but for the unseen text."""
    column, one, other = drawn
    a, b = build(one), build(other)
    probes = [*VALUES[column], "zz", "yy", 7, 1.25, math.inf, dt.date(2023, 1, 1)]
    assert (a == b) == ([value in a for value in probes] == [value in b for value in probes])
    if a == b:
        assert hash(a) == hash(b)


@quick
@given(column_and_trees(1))
def test_settled_means_the_same(drawn):
    column, tree = drawn
    kind = SCHEMA[column].kind
    settled = build(tree).settled(kind)
    assert settled.settled(kind) == settled
    assert inside(settled, column) == [holds(tree, value) for value in VALUES[column]]
    if column != "flag":
        assert inside(build(tree).settled(), column) == inside(settled, column)


@quick
@given(column_and_trees(2))
def test_settled_is_one_form_per_set(drawn):
    """Settled conditions on truth values are equal where the sets are; so are those on numbers that have no gaps."""
    column, one, other = drawn
    if column in ("flag", "real"):
        kind = SCHEMA[column].kind
        same = [holds(one, value) for value in VALUES[column]] == [holds(other, value) for value in VALUES[column]]
        probes = [1.25, 1e200, math.inf] if column == "real" else []
        same = same and [p in build(one) for p in probes] == [p in build(other) for p in probes]
        assert (build(one).settled(kind) == build(other).settled(kind)) == same


@quick
@given(column_and_trees(1))
def test_pick(drawn):
    """A pick is inside and can stand in the column; there is none where brute force finds none."""
    column, tree = drawn
    picked = build(tree).pick(SCHEMA[column])
    some = [value for value in VALUES[column] if holds(tree, value)]
    assert (picked is None) == (not some)
    if picked is None:
        return
    (value,) = picked
    assert (value is None) == (some == [None])
    if column == "flag" or value is None:
        assert value in some
    else:
        assert value in build(tree)
        (back,) = one_row({column: value})[column].tolist()
        assert back == value
        assert FRAME[column].dtype == one_row({column: value})[column].dtype


@quick
@given(*[st.sampled_from(COLUMNS).flatmap(trees)] * 2)
def test_pick_without_a_column(one, other):
    for condition in (build(one) & build(other), build(one) & ~build(other)):
        picked = condition.pick(None)
        assert (picked is None) == (condition == NOTHING)
        if picked is not None:
            assert picked[0] in condition
            assert picked[0] is not None or condition == Condition.is_missing()


DATES = Column("since", Kind.DATETIME)


def times(*comparisons):
    found = ANYTHING
    for sign, literal in comparisons:
        found &= Condition.compare(sign, literal)
    return found


@pytest.mark.parametrize(
    ("condition", "step", "expected"),
    [
        (times((">", "2024-01-01")), 1, dt.datetime(2024, 1, 2)),
        (times((">", "2024-01-01")), 86_400 * 10**9, dt.datetime(2024, 1, 2)),
        (times(("<", "2024-01-01")), 1_000, dt.datetime(2023, 12, 31)),
        (times(("<=", "2024-01-01")), 1, dt.datetime(2024, 1, 1)),
        (times((">", "2024-01-01"), ("<", "2024-01-02")), 86_400 * 10**9, None),
        (times((">", "2024-01-01"), ("<", "2024-01-02")), 10**9, dt.datetime(2024, 1, 1, 0, 0, 1)),
        (times((">", "2024-01-01"), ("<", "2024-01-01T00:00:01")), 10**9, None),
        (times((">", "2024-01-01"), ("<", "2024-01-01T00:00:01")), 10**6, dt.datetime(2024, 1, 1, 0, 0, 0, 1000)),
        (times((">", "2024-01-01"), ("<", "2024-01-01T00:00:00.000001")), 1_000, None),
        (
            times((">", "2024-01-01"), ("<", "2024-01-01T00:00:00.000001")),
            1,
            np.datetime64("2024-01-01T00:00:00.000000001"),
        ),
        # Dates that stand for "for ever", beyond what nanoseconds in 64 bits hold.
        (times((">", "2999-12-31")), 1, dt.datetime(3000, 1, 1)),
        (times((">=", "9999-12-31")), 1, dt.datetime(9999, 12, 31)),
        (times((">", "9999-12-31")), 10**9, dt.datetime(9999, 12, 31, 0, 0, 1)),
        (times((">", "9999-12-31T23:59:59.999999999")), 1, None),
        (times(("<", "0001-01-01")), 1, None),
        (times(("<=", "0001-01-01")), 1, dt.datetime(1, 1, 1)),
        (times(("<", "0001-01-01")) | times((">", "2024-01-01")), 1_000, dt.datetime(2024, 1, 2)),
    ],
)
def test_pick_of_instants(condition, step, expected):
    picked = condition.pick(Column("since", Kind.DATETIME, step=step))
    assert picked == (None if expected is None else (expected,))
    assert picked is None or picked[0] in condition


def test_pick_of_a_text_that_is_not_excluded():
    (text,) = (Condition.compare("!=", "other") & ~Condition.compare("=", "other_")).pick(None)
    assert text not in ("other", "other_")
    only_texts = Condition(texts=frozenset({"other"}), all_but=True)
    assert only_texts.pick(None) == ("other_",)


TRUTHS = SCHEMA["flag"]


@pytest.mark.parametrize(
    ("condition", "no", "yes"),
    [
        (Condition.among([1]), False, True),
        (Condition.among([0]), True, False),
        (Condition.among([0, 1]), True, True),
        (Condition.compare("!=", 1), True, False),
        (Condition.compare("!=", 0), False, True),
        (Condition.among([True]), False, True),
        (Condition.among(["TRUE"]), False, True),
        (Condition.compare("!=", "true"), True, False),
        (Condition.among([1, "false"]), True, True),
        (~Condition.among([1, "false"]), False, False),
        (~Condition.among([1, "true"]), True, False),
        (Condition.is_missing(), False, False),
        (~Condition.is_missing(), True, True),
        (ANYTHING, True, True),
        (NOTHING, False, False),
    ],
)
def test_truth_by_word_and_by_digit(condition, no, yes):
    assert condition.levels_inside(TRUTHS) == [no, yes]
    settled = condition.settled(Kind.BOOLEAN)
    assert (False in settled, True in settled) == (no, yes)
    assert settled.missing == condition.missing


@pytest.mark.parametrize("number", [math.inf, -math.inf, 10**400, -(10**309), np.inf])
def test_numbers_that_no_column_holds(number):
    for make in (lambda: Condition.compare("<", number), lambda: Condition.among([number])):
        with pytest.raises(RuleError, match="to compare with"):
            make()


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
def test_order_needs_a_number_or_a_date(sign):
    with pytest.raises(RuleError, match=f"'{sign}' needs a number or a date to compare with, not 'car'"):
        Condition.compare(sign, "car")


def test_missing_meets_no_comparison():
    for sign in ("=", "!=", "<", "<=", ">", ">="):
        assert None not in Condition.compare(sign, 3)
        assert None in ~Condition.compare(sign, 3)


def test_named_values_and_sorts():
    condition = Condition.among(["b", 2, "a", "2024-03-01", 1.5])
    assert condition.named_values() == [1.5, 2, Instant(19_783 * 86_400 * 10**9), "a", "b"]
    assert condition.is_discrete
    assert (~condition).is_discrete
    assert (condition.names_numbers, condition.names_times) == (True, True)
    assert not Condition.compare("<", 3).is_discrete
    assert not Condition.compare("<", "2024-01-01").is_discrete


def test_is_a_value():
    condition = ~Condition.compare("<", 29)
    assert pickle.loads(pickle.dumps(condition)) == condition
    assert len({condition, ~Condition.compare("<", 29.0)}) == 1
    with pytest.raises(AttributeError):
        condition.missing = False
