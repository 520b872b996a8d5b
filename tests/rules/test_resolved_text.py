"""What resolving makes are rules like any others: they fit the table, read back as printed, and mean the right rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote import Clause, Condition, ConflictError, Outcome, Rule, RuleSet, parse_rules

# Some literals are no values of their column: rules that ask for them are told of, and resolved all the same.
pytestmark = pytest.mark.filterwarnings("ignore::frote.exceptions.RuleWarning")

COLUMNS = {
    "branch": (pd.Categorical(["1", "2", "3", None, "2", "1"]), ["1", "2", 3, "7"]),
    "zip": (pd.Categorical(["12", "x", "34", "x", None, "12"]), ["12", "x", 34, "y"]),
    "code": (pd.Categorical(["01", "2.5", "2024-01-31", "true", "-1", None]), ["01", 2.5, "2024-01-31", "true", "q"]),
    "mixed": (pd.Series([1, "a", 2.5, None, "1970-01-01", 1], dtype=object), [1, "a", 2.5, "1970-01-01"]),
    "flag": (pd.array([True, False, None, True, False, True], dtype="boolean"), ["true", "false", 1]),
    "age": (np.array([1, 2, 3, 4, 5, 6]), [1, 2.5, 3, 6]),
    "pay": (np.array([0.5, np.nan, 1.5, 2.0, 2.5, np.inf]), [0.5, 1, 2.0]),
    "since": (pd.to_datetime(["2024-01-01", "2024-02-01", None, "2024-03-01", "2024-01-01", "2023-05-05"]),
              ["2024-01-01", "2024-02-15", "2024-03-01"]),
}  # fmt: skip
FRAME = pd.DataFrame({name: values for name, (values, _) in COLUMNS.items()})
ORDERED = ("age", "pay", "since")

quick = settings(max_examples=examples(150))


@st.composite
def conditions(draw, name):
    literals = st.sampled_from(COLUMNS[name][1])
    held = Condition.among(draw(st.lists(literals, min_size=1, max_size=3)))
    if name in ORDERED and draw(st.booleans()):
        held = Condition.compare(draw(st.sampled_from(["<", "<=", ">", ">="])), draw(literals))
    if draw(st.booleans()):
        held = ~held
    return held | Condition.is_missing() if draw(st.booleans()) else held


CLAUSES = st.dictionaries(st.sampled_from(list(COLUMNS)), st.none(), min_size=1, max_size=3).flatmap(
    lambda names: st.fixed_dictionaries({name: conditions(name) for name in names})
)
RULES = st.lists(st.tuples(CLAUSES, st.sampled_from(["yes", "no"])), min_size=2, max_size=4).map(
    lambda drawn: RuleSet(Rule(f"r{i}", Clause.of(held), Outcome.of(label)) for i, (held, label) in enumerate(drawn))
)


def sent_to(rules, covered):
    """Return the outcomes that each row is sent to."""
    return [{rules[int(place)].outcome for place in np.flatnonzero(row)} for row in covered]


@pytest.mark.parametrize("how", ["exclude", "mix", "priority"])
@quick
@given(rules=RULES)
def test_resolved_rules_are_rules(how, rules):
    resolved = rules.resolve(how, FRAME)
    assert resolved.bind(FRAME) == resolved
    again = parse_rules(str(resolved))
    assert again == resolved
    assert again.bind(FRAME) == resolved
    assert again.conflicts(FRAME) == []
    before = rules.coverage(FRAME)
    for row, (asked, found) in enumerate(
        zip(sent_to(rules, before), sent_to(again, again.coverage(FRAME)), strict=True)
    ):
        if len(asked) < 2:
            assert found == asked
        elif how == "priority":
            assert found == {rules[int(np.argmax(before[row]))].outcome}
        else:
            assert len(found) == (how == "mix")


@quick
@given(rules=RULES)
def test_disjoint_rules_mean_the_same(rules):
    """No two overlap; each row goes to the rule that it was attributed to."""
    rules = RuleSet(Rule(rule.name, rule.clause, Outcome.of("yes")) for rule in rules)
    apart = rules.disjoint(FRAME)
    assert parse_rules(str(apart)) == apart
    covered, before = apart.coverage(FRAME), rules.coverage(FRAME)
    assert (covered.sum(axis=1) == before.any(axis=1)).all()
    for row in np.flatnonzero(before.any(axis=1)):
        assert apart[int(np.argmax(covered[row]))].origin == rules[int(np.argmax(before[row]))].origin
    assert apart.disjoint(FRAME) == apart


def test_conflicts_are_not_merged():
    rules = parse_rules("a: IF x < 2 THEN yes\nb: IF x > 1 THEN no")
    with pytest.raises(
        ConflictError, match=r"'a' and 'b' overlap and have unlike outcomes.* rules.resolve\('exclude'\)"
    ):
        rules.disjoint()


def test_levels_that_look_like_numbers():
    rules = parse_rules("a: IF branch = 1 THEN yes\nb: IF age > 2 THEN no")
    assert str(rules.resolve("exclude", FRAME)["b"].clause) == "age > 2 AND (branch != 1 OR branch IS MISSING)"
    rules = parse_rules("a: IF zip = x THEN yes\nb: IF age > 2 THEN no")
    assert str(rules.resolve("exclude", FRAME)["b"].clause) == "age > 2 AND (zip != 'x' OR zip IS MISSING)"
