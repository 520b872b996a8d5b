from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

import frote
from frote.report.words import clause_words, condition_words, outcome_words, percent, rule_words
from frote.rules import Clause, Condition, Outcome

TOLD = {
    "a < 29": "a is below 29",
    "a <= 29": "a is at most 29",
    "a > 150K": "a is above 150,000",
    "a >= 0.5": "a is at least 0.5",
    "a = 3": "a is 3",
    "a != 3": "a is not 3",
    "a != 3 OR a IS MISSING": "a is not 3 or is missing",
    "a BETWEEN 1 AND 12000": "a is from 1 to 12,000",
    "a > 1 AND a < 5": "a is above 1 and below 5",
    "a >= 1 AND a < 5": "a is at least 1 and below 5",
    "a < 1 OR a > 5": "a is below 1 or above 5",
    "a < 1 OR a = 7 OR a IS MISSING": "a is 7, below 1 or missing",
    "a IN {1, 2, 3}": "a is 1, 2 or 3",
    "a NOT IN {1, 2}": "a is neither 1 nor 2",
    "a NOT IN {x, y, z}": "a is none of x, y and z",
    "a IN {car, 'two words'}": "a is car or “two words”",
    "a = 'or'": "a is “or”",
    "a = ''": "a is “”",
    "a = true": "a is true",
    "a IS MISSING": "a is missing",
    "a IS NOT MISSING": "a is known",
    "a < 40K OR a IS MISSING": "a is below 40,000 or missing",
    "NOT (a > 1)": "a is at most 1 or missing",
    "NOT (a > 1 OR a = q)": "a is anything but q or above 1",
    "a < 2024-05-01": "a is before 1 May 2024",
    "a <= 2024-05-01": "a is on or before 1 May 2024",
    "a > 2024-05-01": "a is after 1 May 2024",
    "a >= 2024-05-01": "a is on or after 1 May 2024",
    "a >= '2024-05-01 13:30'": "a is on or after 2024-05-01 13:30:00",
    "a = 2024-02-29": "a is 29 February 2024",
    "a BETWEEN 2024-05-01 AND 2024-06-30": "a is from 1 May 2024 to 30 June 2024",
    "`odd name` < 1": "“odd name” is below 1",
    "a < 1 AND b = x": "a is below 1 and b is x",
    "a < 1 AND b = x AND c = 2": "a is below 1, b is x and c is 2",
    "a < 1 AND b IN {x, y}": "a is below 1, and b is x or y",
    "a > 1 AND a < 5 AND b = x": "a is above 1 and below 5, and b is x",
}


@pytest.mark.parametrize("written", TOLD)
def test_conditions_in_words(written):
    (rule,) = frote.parse_rules(f"IF {written} THEN yes")
    assert clause_words(rule.clause) == TOLD[written]
    assert rule_words([rule]) == f"If {TOLD[written]}, then yes."


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("approved", "approved"),
        ("'> 50K'", "“> 50K”"),
        ("approved WITH CONFIDENCE 0.8", "approved, with a confidence of 80 %"),
        ("approved WITH CONFIDENCE 0.075", "approved, with a confidence of 7.5 %"),
        ("{a: 0.7, b: 0.3}", "a in 70 % and b in 30 % of cases"),
        ("{a: 0.5, b: 0.25, c: 0.25}", "a in 50 %, b in 25 % and c in 25 % of cases"),
        ("{a: 1, b: 0}", "a"),
    ],
)
def test_outcomes_in_words(outcome, words):
    (rule,) = frote.parse_rules(f"IF x > 1 THEN {outcome}")
    assert outcome_words(rule.outcome).replace("\xa0", " ") == words


def test_a_rule_of_several_pieces_is_one_sentence():
    rules = frote.parse_rules("IF age < 29 OR income > 150K THEN approved")
    told = "If age is below 29; or if age is at least 29 or missing, and income is above 150,000, then approved."
    assert rule_words(rules) == told


def test_of_many_pieces_the_first_are_told_and_the_others_counted():
    conditions = " OR ".join(f"c{place} = 1" for place in range(7))
    words = rule_words(frote.parse_rules(f"IF {conditions} THEN yes"))
    assert words.count("; or if") == 4
    assert words.endswith("; or if in 3 further cases of this rule, then yes.")


def test_a_rule_without_conditions_holds_in_every_case():
    assert rule_words([frote.Rule("all", Clause(), Outcome.of("yes"))]) == "In every case yes."


def test_a_condition_that_nothing_meets_and_one_that_all_meet():
    assert condition_words("a", Condition.nothing()) == "a has no value that would do"
    assert condition_words("a", Condition.anything()) == "a is anything"
    assert condition_words("a", Condition(numbers=Condition.anything().numbers)) == "a is any number"
    assert condition_words("a", Condition(times=Condition.anything().times)) == "a is any date"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0"), (1, "100"), (0.974, "97"), (0.9951, "99.5"), (0.99999, "99.9"), (0.0049, "0.5"), (1e-9, "0.1")],
)
def test_a_share_that_is_not_all_is_not_told_as_all(share, text):
    assert percent(share) == f"{text}\xa0%"


values = st.one_of(
    st.integers(0, 3),
    st.sampled_from([0.5, -1.25, 1e-9, 1e22, 20_000]),
    st.sampled_from(["x", "y z", "missing", "“x”", "above 1", "", "3 or missing", "known"]),
    st.sampled_from([dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.datetime(2020, 1, 1, 12)]),
)
ordered = values.filter(lambda value: not isinstance(value, str))
atoms = st.one_of(
    st.builds(Condition.compare, st.sampled_from(["<", "<=", ">", ">="]), ordered),
    st.builds(Condition.compare, st.sampled_from(["=", "!="]), values),
    st.builds(Condition.among, st.lists(values, max_size=3)),
    st.just(Condition.is_missing()),
)
conditions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(lambda a, b: a & b, inner, inner),
        st.builds(lambda a, b: a | b, inner, inner),
        st.builds(lambda a: ~a, inner),
    ),
    max_leaves=4,
)


@given(conditions, conditions)
def test_conditions_that_differ_are_never_told_alike(one, other):
    assert (condition_words("a", one) == condition_words("a", other)) == (one == other)
