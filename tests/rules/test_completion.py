"""What is offered while somebody writes is what the parser takes there, and whatever is taken parses on."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote.rules.completion import Known, complete
from frote.rules.lexer import Fault, tokenize
from frote.rules.parser import read_chunks, start_before
from frote.rules.reader import Reader
from frote.table import Table

FRAME = pd.DataFrame(
    {
        "age": [25, 40],
        "income": [1.5, None],
        "purpose": pd.Categorical(["car", "it's"], categories=["car", "it's", "in", "007", "two words", "2"]),
        "capital gain": [1, 2],
        "member": [True, False],
        "since": pd.to_datetime(["2024-01-31", "2024-02-01"]),
    }
)
KNOWN = Known(
    Table.from_frame(FRAME).schema,
    {
        "age": [(31, "half are below")],
        "income": [(-0.5, "")],
        "purpose": [(level, "") for level in FRAME["purpose"].cat.categories],
        "member": [("true", ""), ("false", "")],
        "since": [("2024-01-31", ""), ("2024-01-31 12:30:00", "")],
    },
    [("approved", ""), (">50K", ""), ("then", "")],
)
BEHIND = ["<", "<=", ">", ">=", "=", "!=", "IS MISSING", "IS NOT MISSING", "IN {", "NOT IN {", "BETWEEN"]
PATTERNS = ["STARTS WITH", "ENDS WITH", "CONTAINS", "LIKE"]
NO_PATTERNS = [f"NOT {words}" for words in PATTERNS]


def texts(text, cursor=None):
    return [one.text for one in complete(text, len(text) if cursor is None else cursor, KNOWN).offered]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", ["IF"]),
        ("# Monday\n\nyoung: ", ["IF"]),
        ("IF ", ["age", "income", "purpose", "`capital gain`", "member", "since", "NOT"]),
        ("IF ga", ["`capital gain`"]),
        ("IF `cap", ["`capital gain`"]),
        ("IF capital ", ["`capital gain`"]),
        ("IF age < 29 AND Capital g", ["`capital gain`"]),
        ("IF age < 29 AND capital loss", []),
        ("IF age ", BEHIND),
        ("IF purpose ", ["=", "!=", "IS MISSING", "IS NOT MISSING", "IN {", "NOT IN {", *PATTERNS, *NO_PATTERNS]),
        ("IF purpose l", ["LIKE", "NOT LIKE"]),
        ("IF purpose NOT ", ["IN", *PATTERNS]),
        ("IF purpose STARTS ", ["WITH"]),
        ("IF purpose STARTS WITH c", ["car"]),
        ("IF purpose = ", ["car", "'it''s'", "'in'", "'007'", "'two words'", "2"]),
        ("IF purpose IN {car, ", ["'it''s'", "'in'", "'007'", "'two words'", "2"]),
        ("IF purpose IN {car", []),
        ("IF purpose IN {car ", [",", "}"]),
        ("IF purpose = 't", ["'two words'", "'it''s'"]),
        ('IF purpose = "tw', ['"two words"']),
        ("IF age BETWEEN 3 ", ["AND"]),
        ("IF age < ", ["31", "income", "`capital gain`"]),
        ("IF age < 0.9 * ", ["age", "income", "purpose", "`capital gain`", "member", "since"]),
        ("IF age + inco", ["income"]),
        ("IF purpose < ", []),
        ("IF since > ", ["2024-01-31", "'2024-01-31 12:30:00'"]),
        ("IF (age < 29 ", ["AND", "OR", ")"]),
        ("IF age < 29 THEN ", ["approved", "'>50K'", "'then'", "{"]),
        ("IF age < 29 THEN approved ", ["WITH"]),
        ("IF age < 29 THEN approved\n", ["WITH", "IF"]),
        ("IF age # no", []),
        ("IF age > > 3 AND ", []),
        (
            "IF nothing ",
            [*BEHIND[:6], *BEHIND[6:], *PATTERNS, *NO_PATTERNS],
        ),
    ],
)
def test_what_is_offered(text, wanted):
    assert texts(text) == wanted


def test_a_word_in_the_middle_is_replaced_whole():
    text = "IF age < 29 THEN approved"
    found = complete(text, 4, KNOWN)
    assert (found.start, found.stop) == (3, 6)
    found = complete("IF purpose = 'two x' AND age < 3 THEN approved", 16, KNOWN)
    assert (found.start, found.stop) == (13, 20)


WORDS = (
    "IF age income purpose member since `capital gain` < <= = != IN NOT IS MISSING BETWEEN AND OR THEN WITH CONFIDENCE "
    "( ) { } , : 29 0.8 car 'it''s' approved 2024-01-31 0.3 #"
)
PIECES = st.sampled_from([*WORDS.split(), "\n"])


@st.composite
def beginnings(draw):
    """The beginning of a rule, one word after the other: mostly one that is offered, so that it goes on."""
    text = "IF "
    for _ in range(draw(st.integers(0, 14))):
        offered = texts(text)
        word = draw(st.sampled_from(offered)) if offered and draw(st.integers(0, 9)) else draw(PIECES)
        text += f"{word} "
    return text


def ends_well(text):
    """Tell whether the parser gets to the end of a text that may go on."""
    try:
        start = start_before(text, len(text))
        reader = Reader(text, tokenize(text, start, len(text)))
        reader.rule()
    except Fault as fault:
        return fault.start >= len(text.rstrip()) or reader.here.kind == "end"
    return True


@settings(max_examples=examples(500))
@given(beginnings(), st.text("acipstgwTHEN", max_size=2))
def test_whatever_is_offered_parses_on(text, begun):
    found = complete(text + begun, len(text + begun), KNOWN)
    for one in found.offered:
        after = text + begun
        after = after[: found.start] + one.text + after[found.stop :]
        assert ends_well(after), (after, one)


@settings(max_examples=examples(500))
@given(st.text(st.sampled_from("IF age<>=29 THEN{}()'`\"#\n:,.\u00e9\U0001f680"), max_size=40), st.integers(0, 40))
def test_any_text_and_any_place_are_looked_at(text, cursor):
    found = complete(text, min(cursor, len(text)), KNOWN)
    assert 0 <= found.start <= found.stop <= len(text)


@settings(max_examples=examples(200))
@given(beginnings())
def test_a_whole_rule_is_offered_another_one(text):
    chunks, faults = read_chunks(text)
    if len(chunks) == 1 and not faults:
        assert "IF" in texts(f"{text}\n")
