"""What a click changes in the text: the rule that was meant, and nothing else."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote import parse_rules
from frote.coverage.labels import Labels
from frote.rules.drafts import read_draft
from frote.rules.masks import clause_mask
from frote.studio import changes
from frote.studio.errors import StudioError
from frote.studio.summaries import Summaries
from frote.table import Table

FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 50, 60, 70],
        "income": [1.5, None, 3.5, 9.0, None, 2.0],
        "purpose": pd.Categorical(["car", "home", "it's", None, "two words", "car"]),
        "member": [True, False, True, False, True, False],
    }
)
TABLE = Table.from_frame(FRAME)
SUMMARIES = Summaries(TABLE, Labels.of(list("yynnyn")))
LEVELS = {"purpose": ["car", "home", "it's", "two words", None], "member": [True, False]}
ASKED = [
    "age < 29",
    "age BETWEEN 30 AND 50",
    "income IS MISSING",
    "purpose = car",
    "purpose IN {car, 'it''s'}",
    "purpose != home",
    "purpose NOT IN {car, home}",
    "member = true",
    "NOT (income > 2)",
    "(age < 29 OR income > 3)",
    "NOT purpose = car",
    "purpose LIKE '%m%'",
    "purpose NOT STARTS WITH c",
]
clauses = st.lists(st.sampled_from(ASKED), min_size=1, max_size=3).flatmap(
    lambda parts: st.sampled_from([" AND ", " OR "]).map(lambda word: word.join(parts))
)


def rows(text):
    """Return which rows a text of one rule covers."""
    covered = [False] * len(FRAME)
    for rule in parse_rules(text).bind(TABLE.schema):
        covered = clause_mask(rule.clause, TABLE) | covered
    return list(map(bool, covered))


@settings(max_examples=examples(500))
@given(clauses, st.sampled_from(["purpose", "member"]), st.data())
def test_a_bar_that_is_clicked_leaves_a_rule_that_reads(clause, column, data):
    text = f"# why\na: IF {clause} THEN y # so\n\nb: IF age > 3 THEN n\n"
    level = data.draw(st.sampled_from(LEVELS[column]))
    draft = read_draft(text, TABLE.schema)
    changed = changes.toggle(draft, 0, column, level, SUMMARIES[column]).on(text)
    after = read_draft(changed, TABLE.schema)
    assert not after.faults
    assert changed.startswith("# why\na: IF ")
    assert changed.endswith(" THEN y # so\n\nb: IF age > 3 THEN n\n")


@pytest.mark.parametrize(
    ("clause", "column", "level", "wanted"),
    [
        ("purpose = car", "purpose", "home", "purpose IN {car, home}"),
        ("purpose IN {car, home}", "purpose", "car", "purpose = home"),
        ("purpose IN {car, 'home'}", "purpose", "two words", "purpose IN {car, 'home', 'two words'}"),
        ("age < 29 AND purpose = car", "purpose", "car", "age < 29"),
        ("purpose = car", "purpose", "car", "TRUE"),
        ("purpose != car", "purpose", "home", "purpose NOT IN {car, home}"),
        ("purpose NOT IN {car, home}", "purpose", "car", "purpose != home"),
        ("age < 29", "purpose", "car", "age < 29 AND purpose = 'car'"),
        ("age < 29 OR age > 60", "purpose", "car", "(age < 29 OR age > 60) AND purpose = 'car'"),
        ("purpose = car", "purpose", None, "(purpose = car OR purpose IS MISSING)"),
        ("age < 9 AND (purpose = car OR purpose IS MISSING)", "purpose", None, "age < 9 AND (purpose = car)"),
        ("NOT purpose = car", "purpose", None, "NOT purpose = car AND purpose IS NOT MISSING"),
        ("member = true", "member", False, "member IN {true, false}"),
        ("TRUE", "purpose", "car", "purpose = 'car'"),
        ("purpose CONTAINS o", "purpose", "home", "purpose = 'two words'"),
        ("purpose CONTAINS o", "purpose", "car", "purpose IN {car, home, 'two words'}"),
    ],
)
def test_a_level_joins_or_leaves(clause, column, level, wanted):
    text = f"IF {clause} THEN y"
    changed = changes.toggle(read_draft(text), 0, column, level, SUMMARIES[column]).on(text)
    assert changed == f"IF {wanted} THEN y"


@settings(max_examples=examples(500))
@given(clauses, st.integers(0, 5))
def test_a_condition_that_goes_leaves_a_rule_that_reads(clause, place):
    text = f"IF {clause} THEN y"
    draft = read_draft(text)
    place %= len(draft.written[0].asked)
    changed = changes.remove(draft, 0, place).on(text)
    after = read_draft(changed)
    assert not after.faults
    assert len(after.written[0].asked) == len(draft.written[0].asked) - 1


@settings(max_examples=examples(300))
@given(clauses, st.sampled_from(list(FRAME)))
def test_one_condition_more_covers_no_row_more(clause, column):
    text = f"IF {clause} THEN y"
    changed = changes.add_condition(read_draft(text), 0, column, SUMMARIES[column]).on(text)
    assert all(before or not after for before, after in zip(rows(text), rows(changed), strict=True))


@settings(max_examples=examples(300))
@given(st.text(min_size=1, max_size=12))
def test_a_rule_gets_any_name_that_is_one(name):
    text = "a: IF age < 29 THEN y\nIF age > 60 THEN n"
    draft = read_draft(text)
    try:
        changed = changes.rename(draft, 1, name).on(text)
    except StudioError:
        return
    assert parse_rules(changed).origins[1] == " ".join(name.split())


POLICY = """# The policy.

# First.
a: IF age < 29 THEN y # young

# Second,
# in two lines.
b: IF age > 60
   AND member = true THEN n

c: IF income IS MISSING THEN n
"""


@pytest.mark.parametrize(("number", "by"), [(0, 1), (1, 1), (1, -1), (2, -1)])
def test_moving_there_and_back_changes_nothing(number, by):
    moved = changes.move(read_draft(POLICY), number, by).on(POLICY)
    assert sorted(parse_rules(moved).names) == ["a", "b", "c"]
    assert parse_rules(moved).names != ("a", "b", "c")
    back = changes.move(read_draft(moved), number + by, -by).on(moved)
    assert back == POLICY


def test_comments_go_with_their_rule():
    moved = changes.move(read_draft(POLICY), 1, -1).on(POLICY)
    assert moved.index("# Second,") < moved.index("b: IF") < moved.index("# First.") < moved.index("a: IF")
    left = changes.delete(read_draft(POLICY), 1).on(POLICY)
    assert "Second" not in left
    assert left.startswith("# The policy.\n\n# First.\na: IF")
    assert parse_rules(left).names == ("a", "c")


def test_the_last_rule_goes_without_a_word():
    assert changes.delete(read_draft("a: IF age < 3 THEN y"), 0).on("a: IF age < 3 THEN y") == ""
    with pytest.raises(StudioError, match="end already"):
        changes.move(read_draft(POLICY), 2, 1)


def test_an_outcome_is_changed_alone():
    text = "a: IF age < 3 THEN {y: 0.5, n: 0.5} # so\n"
    assert changes.outcome(read_draft(text), 0, "two words").on(text) == "a: IF age < 3 THEN 'two words' # so\n"
    assert (
        changes.outcome(read_draft(text), 0, "y", "0.8").on(text) == "a: IF age < 3 THEN y WITH CONFIDENCE 0.8 # so\n"
    )
