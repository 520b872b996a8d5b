"""Which rules a table's columns, types and levels can satisfy, in whole and in part."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import frote
from frote.exceptions import RuleWarning
from frote.generation.possible import able, impossible, in_part, uncovering
from frote.generation.sampler import Synthesizer
from frote.table import Table

FRAME = pd.DataFrame(
    {
        "age": np.array([20, 30, 40], dtype=np.uint8),
        "pay": [1.5, None, 3.0],
        "channel": ["web", "broker", None],
        "member": [True, False, True],
        "day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]),
    }
)
TABLE = Table.from_frame(FRAME)

conditions = st.sampled_from(
    [
        "age > 28 AND age < 29",
        "age > 300",
        "age <= 300",
        "age < 30",
        "age IS MISSING",
        "pay IS MISSING",
        "pay > 2",
        "channel = brokr",
        "channel != brokr",
        "channel IN {broker, brokr}",
        "channel NOT IN {web, broker}",
        "channel IS NOT MISSING",
        "member = true",
        "member IS MISSING",
        "day > 2024-01-02",
    ]
)
texts = st.recursive(
    conditions,
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from(["AND", "OR"]), inner),
    max_leaves=4,
)


@given(st.lists(texts, min_size=1, max_size=3))
def test_what_can_be_made_is_possible_and_nothing_else(bodies):
    rules = frote.parse_rules("\n".join(f"IF {body} THEN yes" for body in bodies))
    bound = rules.bind(TABLE)
    assert tuple(able(bound, TABLE)) == Synthesizer(TABLE, bound).possible
    alive = {rule.origin for rule, fits in zip(rules, able(rules, TABLE), strict=True) if fits}
    assert {one.rule for one in impossible(rules, TABLE)} == set(rules.origins) - alive
    # What is told of in part is possible as a whole, and every level that nobody has is told of.
    parts = in_part(rules, TABLE)
    assert set(parts) <= alive
    for origin in alive:
        named = any("brokr" in str(piece) for piece in rules.pieces(origin))
        assert any("has no level 'brokr'" in said for said in parts.get(origin, ())) == named


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("channel = brokr", "column 'channel' has no level 'brokr'. Did you mean 'broker'?"),
        ("channel IN {zzz, brokr}", "column 'channel' has no level 'brokr' or 'zzz'. Did you mean 'broker'?"),
        ("channel NOT IN {web, broker} AND channel IS NOT MISSING", "column 'channel' has no level that it allows."),
        ("age > 28 AND age < 29", "column 'age' holds whole numbers from 0 to 255, and none of them is so."),
        ("age IS MISSING", "column 'age' is of a type that has no missing values."),
        ("day > 2024-01-01 AND day < 2024-01-01", "column 'day' holds dates, and none of them is so."),
    ],
)
def test_the_reason(body, why):
    (found,) = impossible(frote.parse_rules(f"one: IF {body} THEN yes"), TABLE)
    assert found.why == why
    assert found.told.startswith(f"line 1, rule 'one': no row can satisfy it: {why}\n  ")
    assert not found.made


def test_the_caret_stands_below_the_value_that_is_unknown():
    (found,) = impossible(frote.parse_rules("IF channel IN {10, 1} AND age < 30 THEN yes"), TABLE)
    assert found.told.splitlines()[1:] == ["  channel IN {1, 10}", "              ^"]


@pytest.mark.parametrize(
    "body",
    [
        "age <= 300 OR pay > 2",  # the first covers everything, so that nothing of the second is lost
        "channel = web OR channel = broker OR channel IS MISSING OR pay > 2",
        "age IS MISSING OR pay > 2",  # right where a value happens never to be missing
        "age < 30 OR pay > 2",
    ],
)
def test_pieces_that_take_nothing_with_them_are_not_told_of(body):
    assert in_part(frote.parse_rules(f"IF {body} THEN yes"), TABLE) == {}


def test_a_column_without_any_value():
    table = Table.from_frame(pd.DataFrame({"channel": [None, None]}))
    (found,) = impossible(frote.parse_rules("IF channel = web THEN yes"), table)
    assert found.why == "column 'channel' has no value in the data, and so no level."


def test_resolving_tells_what_it_drops():
    rules = frote.parse_rules("a: IF channel = brokr OR age < 30 THEN yes\nb: IF channel = brkr THEN no")
    with pytest.warns(RuleWarning) as told:
        rules.resolve("exclude", FRAME)
    expected = [
        "Rule 'b' covers nothing, since no row can satisfy it: "
        "column 'channel' has no level 'brkr'. Did you mean 'broker'?",
        "Part of rule 'a' cannot apply: column 'channel' has no level 'brokr'. Did you mean 'broker'?",
    ]
    assert [str(one.message) for one in told] == uncovering(rules, TABLE) == expected
