"""Rules while they are written: what is right lives on, and what is wrong is told as the command line tells it."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote import parse_rules
from frote.exceptions import FroteError
from frote.rules import parser
from frote.rules.drafts import Drafts, read_draft
from frote.table import Table

SCHEMA = Table.from_frame(pd.DataFrame({"age": [25, 40], "purpose": ["car", "home"]})).schema
LABELS = ("no", "yes")
LINES = [
    "young: IF age < 29 THEN yes",
    "IF purpose = car OR age > 60 THEN no",
    "broken: IF age THEN no",
    "IF agee < 3 THEN no",
    "IF purpose > 3 THEN yes",
    "odd: IF age < 'x THEN yes",
    "young: IF age > 30 THEN no",
    "young: IF agee > 30 THEN no",
    "IF age < 29 THEN maybe",
    "IF age > 5 AND THEN {yes: 0.5, no: 0.5}",
    "hello",
    "# a comment",
    "",
    "| IF age < 3 THEN yes",
]


@settings(max_examples=examples(500))
@given(st.lists(st.sampled_from(LINES), max_size=7))
def test_a_draft_says_what_the_parser_says(lines):
    text = "\n".join(lines)
    draft = read_draft(text)
    if not draft.faults:
        assert draft.rules == parse_rules(text)
        return
    with pytest.raises(FroteError) as told:
        parse_rules(text)
    for fault in draft.faults:
        assert draft.told(fault).splitlines()[0] in str(told.value)


@settings(max_examples=examples(500))
@given(st.lists(st.sampled_from(LINES), max_size=7))
def test_what_is_right_fits_the_table(lines):
    text = "\n".join(lines)
    draft = read_draft(text, SCHEMA, LABELS)
    bound = draft.rules.bind(SCHEMA, LABELS)
    assert set(bound.origins) <= {one.name for one in draft.written}
    for one in draft.written:
        assert bool(one.rules) != bool(one.faults)
        assert 0 <= one.start <= one.stop <= len(text)
        for asked in one.asked:
            start, stop = one.place_of(asked)
            assert asked.column in text[start:stop]
    for fault in draft.faults:
        assert 0 <= fault.start <= len(text)


def told_of(draft):
    """Return all that a draft says."""
    return [
        (
            one.name,
            one.start,
            one.stop,
            one.named,
            [(rule, rule.line) for rule in one.rules],
            one.tokens,
            one.asked,
            one.outcome_at,
            [(fault.message, fault.start, fault.length) for fault in one.faults],
        )
        for one in draft.written
    ]


@settings(max_examples=examples(300))
@given(st.lists(st.lists(st.sampled_from(LINES), max_size=6), min_size=2, max_size=4))
def test_what_was_read_before_is_told_where_it_stands_now(texts):
    drafts = Drafts(SCHEMA, LABELS)
    for lines in texts:
        text = "\n".join(lines)
        assert told_of(drafts.read(text)) == told_of(read_draft(text, SCHEMA, LABELS))


def test_rules_that_stay_are_not_read_again(monkeypatch):
    read = []
    tokenize = parser.tokenize
    monkeypatch.setattr(
        parser, "tokenize", lambda text, *place: read.append(text[slice(*place)]) or tokenize(text, *place)
    )
    drafts = Drafts(SCHEMA, LABELS)
    drafts.read("a: IF age < 29 THEN yes\nb: IF age > 60 THEN no")
    drafts.read("a: IF age < 3 THEN yes\nb: IF age > 60 THEN no")
    assert [text.strip() for text in read] == ["IF age < 29 THEN yes", "IF age > 60 THEN no", "IF age < 3 THEN yes"]


def test_each_mistake_stands_where_it_is():
    text = "young: IF agee < 29 THEN yes\nIF purpose > 3 THEN mayb\nok: IF age < 3 THEN no"
    draft = read_draft(text, SCHEMA, LABELS)
    assert [text[fault.start : fault.start + fault.length] for fault in draft.faults] == ["agee", "purpose", "mayb"]
    assert draft.rules.names == ("ok",)
    assert [draft.at(text.index(word)) for word in ("young", "purpose", "ok")] == [0, 1, 2]


@pytest.mark.parametrize(("place", "number"), [(0, 0), (500, 1)])
def test_a_place_outside_of_rules_is_in_the_nearest(place, number):
    assert read_draft("\n\nIF age < 3 THEN yes\nIF age > 9 THEN no\n\n").at(place) == number
    assert read_draft("").at(place) == -1
