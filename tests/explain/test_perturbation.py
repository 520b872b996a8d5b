"""Perturbed rules are made of other rules by the paper's three operations; rules drawn from a pool do not conflict."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import frote
from frote import Clause, Condition, Outcome, Rule, RuleSet

REVERSED = {"=": "!=", "!=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
EVERY = {"least": 0.0, "most": 2.0}


@dataclass(frozen=True)
class Given:
    """A rule as a test knows it: comparisons, each on a column of its own, and a label."""

    comparisons: tuple[tuple[str, str, Any], ...]
    label: str


def clause_of(comparisons: Any) -> Clause:
    clause = Clause()
    for column, sign, value in comparisons:
        clause = clause & Clause.of({column: Condition.compare(sign, value)})
    return clause


def rule_set(rules: list[Given]) -> RuleSet:
    return RuleSet(
        Rule(f"given {place}", clause_of(rule.comparisons), Outcome.of(rule.label)) for place, rule in enumerate(rules)
    )


def frame(seed: int, rows: int) -> pd.DataFrame:
    """All kinds of columns, most with missing values, one of them constant and one empty."""
    rng = np.random.default_rng(seed)
    gone = rng.random((3, rows)) < 0.15
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, rows), unit="D")
    return pd.DataFrame(
        {
            "whole": rng.integers(-3, 8, rows),
            "a real": np.where(gone[0], np.nan, rng.normal(size=rows).round(2)),
            "job": pd.Categorical(rng.choice(["clerk", "farmer", "miner"], rows), ["none", "clerk", "farmer", "miner"]),
            "flag": pd.array(np.where(gone[1], None, rng.random(rows) < 0.4), dtype="boolean"),
            "day": pd.Series(days).where(~gone[2]),
            "constant": np.full(rows, 5),
            "same": np.full(rows, "word"),
            "empty": np.full(rows, np.nan),
        }
    )


ORDERED = st.sampled_from(["<", "<=", ">", ">=", "=", "!="])
NAMED = st.sampled_from(["=", "!="])
COMPARISONS = {
    "whole": st.tuples(ORDERED, st.integers(-3, 8)),
    "a real": st.tuples(ORDERED, st.sampled_from([-1.25, -0.5, 0.0, 0.5, 1.5])),
    "job": st.tuples(NAMED, st.sampled_from(["none", "clerk", "farmer", "miner"])),
    "flag": st.tuples(NAMED, st.booleans()),
    "day": st.tuples(ORDERED, st.sampled_from(["2023-12-31", "2024-01-20", "2024-02-10"])),
    "constant": st.tuples(ORDERED, st.sampled_from([4, 5, 6])),
    "same": st.tuples(NAMED, st.just("word")),
    "empty": st.tuples(ORDERED, st.just(1)),
}


@st.composite
def given_rule(draw):
    columns = draw(st.lists(st.sampled_from(list(COMPARISONS)), min_size=1, max_size=3, unique=True))
    comparisons = tuple((column, *draw(COMPARISONS[column])) for column in columns)
    return Given(comparisons, draw(st.sampled_from(["yes", "no", "maybe"])))


# The first two can be perturbed whatever comes after them.
SURE = [Given((("whole", ">", 3), ("job", "=", "clerk")), "yes"), Given((("a real", "<=", 0.0),), "no")]
given_rules = st.lists(given_rule(), max_size=4).map(lambda rules: SURE + rules)


def is_perturbation(made: Rule, rules: list[Given], X: pd.DataFrame) -> bool:
    """Tell whether some rule becomes this one by the three operations."""
    schema = frote.Table.from_frame(X).schema
    for place, rule in enumerate(rules):
        if Outcome.of(rule.label) != made.outcome:
            continue
        lent = [comparison for other in rules[:place] + rules[place + 1 :] for comparison in other.comparisons]
        for at, (column, sign, value) in enumerate(rule.comparisons):
            for new, added in itertools.product(possible_values(made, column, value, X), lent):
                changed = [*rule.comparisons[:at], (column, REVERSED[sign], new), *rule.comparisons[at + 1 :], added]
                if clause_of(changed).settled(schema) == made.clause:
                    return True
    return False


def possible_values(made: Rule, column: str, old: Any, X: pd.DataFrame) -> list[Any]:
    """List the values that the paper lets take the old one's place: of numbers and dates, those that the rule names."""
    known = X[column].dropna()
    if column in ("job", "flag", "same"):
        return [value for value in known.unique() if value != old]
    values = made.clause[column].named_values()
    if column == "day":
        values = [pd.Timestamp(value.native()) for value in values if not isinstance(value, int | float)]
    # What the added condition hides (x > 3 and x > 5) might as well be the least or greatest there is.
    return [value for value in [*values, *known.agg(["min", "max"])] if known.min() <= value <= known.max()]


@settings(max_examples=examples(100))
@given(given_rules, st.integers(0, 1000), st.integers(5, 60), st.integers(0, 3))
def test_each_rule_is_made_by_the_three_operations(rules, seed, rows, state):
    X = frame(seed, rows)
    pool = frote.perturb_rules(rule_set(rules), X, size=4, max_tries=40, random_state=state, **EVERY)
    assert all(is_perturbation(rule, rules, X) for rule in pool.rules)


@settings(max_examples=examples(100))
@given(given_rules, st.integers(0, 1000), st.integers(5, 60), st.sampled_from([(0.05, 0.25), (0.3, 0.31), (0.0, 0.1)]))
def test_rules_cover_shares_of_the_window_and_differ(rules, seed, rows, window):
    X = frame(seed, rows)
    least, most = window
    pool = frote.perturb_rules(rule_set(rules), X, size=10, least=least, most=most, max_tries=100)
    shares = pool.rules.coverage(X).mean(axis=0)
    assert ((shares >= least) & (shares < most)).all()
    assert not any(rule.clause.is_empty(frote.Table.from_frame(X).schema) for rule in pool.rules)
    known = {(rule.clause, rule.outcome) for rule in (*rule_set(rules).bind(X), *pool.rules)}
    assert len(known) == len(pool.rules) + len({(rule.clause, rule.outcome) for rule in rule_set(rules).bind(X)})
    assert pool.tried <= 100
    assert len(pool.rules) <= 10
    assert set(pool.rules.labels) <= {rule.label for rule in rules}


@settings(max_examples=examples(75))
@given(given_rules, st.integers(0, 1000), st.integers(0, 5))
def test_same_seed_same_pool_whatever_the_kind_of_frame(rules, seed, state):
    X = frame(seed, 40)
    one, again, other = (
        frote.perturb_rules(rule_set(rules), data, size=5, max_tries=60, random_state=state)
        for data in (X, frote.Table.from_frame(X), pl.from_pandas(X))
    )
    assert one == again
    assert one.tried == other.tried
    # Polars has no level that does not occur, so that a rule may be written otherwise.
    np.testing.assert_array_equal(one.rules.coverage(X), other.rules.coverage(X))


def test_another_seed_another_pool():
    rules, X = rule_set(SURE), frame(0, 200)
    assert frote.perturb_rules(rules, X, size=5) != frote.perturb_rules(rules, X, size=5, random_state=1)


@pytest.mark.parametrize(("sign", "back"), REVERSED.items())
def test_a_comparison_is_reversed_and_redrawn_and_a_condition_of_another_rule_added(sign, back):
    # Of the two rules, only the first has a comparison, and 7 is the only number there is.
    X = pd.DataFrame({"x": [7, 7, 7, 7], "z": [None, 1, 2, 3]})
    rules = frote.parse_rules(f"IF x {sign} 3 THEN yes\nIF z IS MISSING THEN no")
    pool = frote.perturb_rules(rules, X, size=1, max_tries=5, **EVERY)
    (made,) = pool.rules
    expected = clause_of([("x", back, 7)]) & Clause.of({"z": Condition.is_missing()})
    assert (made.clause, made.outcome) == (expected, Outcome.of("yes"))
    assert (pool.tried, pool.complete) == (1, True)


def test_the_two_perturbations_that_two_rules_have():
    X = pd.DataFrame({"job": ["clerk", "clerk", "farmer"], "age": [65, 65, 65]})
    rules = frote.parse_rules("IF job = clerk THEN yes WITH CONFIDENCE 0.8\nIF age > 60 THEN no")
    pool = frote.perturb_rules(rules, X, size=5, max_tries=50, **EVERY)
    assert {(str(rule.clause), str(rule.outcome)) for rule in pool.rules} == {
        ("job != 'farmer' AND age > 60", "yes WITH CONFIDENCE 0.8"),
        ("age < 65 AND job = 'clerk'", "no"),
    }
    assert pool.tried == 50


def test_a_rule_that_is_as_it_was_is_not_kept():
    X = pd.DataFrame({"flag": [True, False], "z": [1.0, None]})
    # Of two values, reversed and another one is the same one; and what is added was there.
    rules = frote.parse_rules("IF flag = true AND z IS MISSING THEN yes\nIF z IS MISSING THEN no")
    assert len(frote.perturb_rules(rules, X, size=1, max_tries=10, **EVERY).rules) == 0


def test_one_comparison_of_several_is_changed():
    X = pd.DataFrame({"job": ["a", "b"], "age": [65, 65], "z": [1.0, None]})
    rules = frote.parse_rules("IF job = a AND age BETWEEN 30 AND 90 THEN yes\nIF z IS MISSING THEN no")
    pool = frote.perturb_rules(rules, X, size=9, max_tries=100, **EVERY)
    assert {str(rule.clause) for rule in pool.rules} == {
        "job != 'b' AND age BETWEEN 30 AND 90 AND z IS MISSING",
        "job = 'a' AND age <= 65 AND z IS MISSING",  # of age >= 30
        "job = 'a' AND age >= 65 AND z IS MISSING",  # of age <= 90
    }


def test_conditions_that_are_no_comparisons_stay_and_are_lent():
    X = pd.DataFrame({"job": list("abcd"), "x": [7.0, 7.0, 7.0, None]})
    rules = frote.parse_rules(
        """
        IF job IN {a, b} AND x > 1 THEN yes
        IF (x > 9 OR x IS MISSING) THEN no
        """
    )
    pool = frote.perturb_rules(rules, X, size=9, max_tries=50, least=0, most=2)
    # x < 7 and x > 9: nothing is left of it, but for the other order of the rules there is no comparison.
    assert len(pool.rules) == 0
    rules = frote.parse_rules("IF job IN {a, b} AND x > 1 THEN yes\nIF job NOT IN {c} OR job IS MISSING THEN no")
    pool = frote.perturb_rules(rules, X, size=9, max_tries=50, least=0, most=2)
    assert {str(rule) for rule in pool.rules} == {"rule 1: IF job IN {'a', 'b'} AND x < 7 THEN yes"}


@pytest.mark.parametrize(
    ("values", "rule", "expected"),
    [
        (pd.to_datetime(["2024-03-01", None]), "x < 2024-01-01", "x > 2024-03-01"),
        (pd.to_datetime(["2024-03-01 12:30", None]), "x <= 2024-01-01", "x >= '2024-03-01 12:30:00'"),
        (pd.array([True, False], dtype="boolean"), "x = true", "x = true"),  # not false: of two, reversed twice
        (pd.array([True, False], dtype="boolean"), "x = 0", "x = false"),
        (pd.Categorical([3, 4]), "x != 3", "x = 4"),
        (np.array([1e308, 1e308]), "x > 5", "x < 1e+308"),
        (np.array([np.inf, 2.5]), "x >= 1", "x <= 2.5"),
        (np.array([0, 0]), "x >= 1", "x <= 0"),
    ],
)
def test_values_of_every_kind(values, rule, expected):
    X = pd.DataFrame({"x": values, "z": [None, "here"]})
    rules = frote.parse_rules(f"IF {rule} THEN yes\nIF z IS MISSING THEN no")
    (made,) = frote.perturb_rules(rules, X, size=1, max_tries=1, **EVERY).rules
    assert str(made.clause) == f"{expected} AND z IS MISSING"


def test_drawn_numbers_lie_between_the_least_and_greatest_that_occur():
    X = pd.DataFrame(
        {"real": [-1.7e308, 1.7e308], "whole": [20, 60], "day": pd.to_datetime(["2024-01-01", "2024-01-31"])}
    )
    lent = "IF z IS MISSING THEN no"
    for column, named in [("real", 0.5), ("whole", 3), ("day", "2023-01-01")]:
        rules = frote.parse_rules(f"IF {column} < {named} THEN yes\n{lent}")
        pool = frote.perturb_rules(rules, X.assign(z=[None, "here"]), size=200, max_tries=400, **EVERY)
        (drawn,) = zip(*(rule.clause[column].named_values() for rule in pool.rules), strict=True)
        low, high = (frote.rules.values.as_value(value) for value in X[column])
        assert low <= min(drawn) < max(drawn) <= high
        if column == "whole":
            assert set(drawn) == {20, 40, 60}  # multiples of what all are multiples of
        if column == "day":
            assert len(set(drawn)) == 31  # whole days


def test_a_pool_that_falls_short_says_so(caplog):
    X = pd.DataFrame({"job": ["clerk", "clerk", "farmer"], "age": [65, 65, 65]})
    rules = frote.parse_rules("IF job = clerk THEN yes\nIF age > 60 THEN no")
    pool = frote.perturb_rules(rules, X, size=5, max_tries=50, **EVERY)
    assert (len(pool.rules), pool.wanted, pool.tried, pool.complete) == (2, 5, 50, False)
    assert str(pool).startswith("# 2 rules of 5 wanted, after 50 tries\n")
    assert frote.parse_rules(str(pool)) == pool.rules
    assert "2 of 5 rules" in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        "IF x < 3 THEN yes",
        "IF x < 3 OR y < 3 THEN yes",  # two pieces of one rule
        "IF x IS MISSING THEN yes\nIF y IS MISSING THEN no",
        "IF empty < 3 THEN yes\nIF y IS MISSING THEN no",
        "IF same = a THEN yes\nIF y IS MISSING THEN no",
    ],
)
def test_rules_that_cannot_be_perturbed(text):
    X = pd.DataFrame({"x": [1.0, 2.0, None], "y": [1.0, 2.0, None], "same": ["a", "a", None], "empty": [np.nan] * 3})
    with pytest.raises(frote.RuleError, match="None of these rules can be perturbed"):
        frote.perturb_rules(frote.parse_rules(text), X)


def test_a_window_without_a_share_is_refused():
    with pytest.raises(frote.RuleError, match=r"at least 0\.3 and less than 0\.2"):
        frote.perturb_rules(rule_set(SURE), frame(0, 20), least=0.3, most=0.2)


def test_unknown_columns_are_told_of():
    with pytest.raises(frote.BindingError, match="no column 'agee'"):
        frote.perturb_rules(
            frote.parse_rules("IF agee < 3 THEN a\nIF x < 2 THEN b"), pd.DataFrame({"age": [1], "x": [1]})
        )


@settings(max_examples=examples(100))
@given(st.lists(given_rule(), max_size=8), st.integers(0, 8), st.integers(0, 5))
def test_drawn_rules_do_not_conflict(rules, size, state):
    pool, X = rule_set(rules), frame(1, 20)
    at_odds = [{conflict.first.name, conflict.second.name} for conflict in pool.conflicts(X)]
    subsets = itertools.chain.from_iterable(itertools.combinations(pool.names, n) for n in range(len(pool) + 1))
    largest = max(len(some) for some in subsets if not any(pair <= set(some) for pair in at_odds))
    try:
        drawn = frote.draw_rules(pool, size, X, random_state=state)
    except frote.RuleError as error:
        found = int(re.search(r"(\d+) at most", str(error)).group(1))
        assert found < size
        assert found <= largest
        assert len(frote.draw_rules(pool, found, X, random_state=state)) == found
    else:
        assert size <= largest
        assert len(drawn) == size
        assert set(drawn) <= set(pool)
        assert not drawn.conflicts(X)
        assert drawn == frote.draw_rules(pool, size, X, random_state=state)


def test_draws_find_what_is_there():
    # Ten that conflict with all others, and four that go together: some order begins with one of these.
    loud = "\n".join(f"loud {place}: IF x < {place + 50} THEN l{place}" for place in range(4))
    calm = "\n".join(f"calm {place}: IF x BETWEEN {place} AND {place}.5 THEN c{place}" for place in range(4))
    pool = frote.parse_rules(f"{loud}\n{calm}")
    drawn = [frote.draw_rules(pool, 4, random_state=state) for state in range(10)]
    assert all(set(one.names) == {f"calm {place}" for place in range(4)} for one in drawn)
    assert len({one.names for one in drawn}) > 1
    with pytest.raises(frote.RuleError, match="No 5 rules without conflict were found among 8, 4 at most"):
        frote.draw_rules(pool, 5)


def test_the_schema_decides_what_conflicts():
    pool = frote.parse_rules("IF x > 1 AND x < 2 THEN yes\nIF x > 0 THEN no")
    assert len(frote.draw_rules(pool, 2, pd.DataFrame({"x": [1, 2]}))) == 2
    with pytest.raises(frote.FroteError, match="need rows to look at"):
        frote.draw_rules(pool, 2, conflicts="rows")
    with pytest.raises(frote.RuleError, match="1 at most"):
        frote.draw_rules(pool, 2, pd.DataFrame({"x": [1.5, 2]}))
    with pytest.raises(frote.RuleError, match="1 at most"):
        frote.draw_rules(pool, 2)


def test_pieces_of_a_rule_are_drawn_together():
    pool = frote.parse_rules(
        "either: IF x < 1 OR y < 1 THEN yes\nIF x < 1 AND y > 5 THEN no\nIF y > 5 AND x > 5 THEN no"
    )
    for state in range(10):
        drawn = frote.draw_rules(pool, 2, random_state=state)
        assert not drawn.conflicts()
        assert len(drawn.origins) == 2
        assert len(drawn.pieces("either")) in (0, 2)


def test_a_real_pool_end_to_end():
    loans = frote.datasets.load_loans(500)
    model = frote.default_pipeline().fit(loans.X, loans.y)
    rules = frote.explain_model(model, loans.X, lambda0=0.01, lambda1=0.01).rules
    pool = frote.perturb_rules(rules, loans.X, size=30)
    assert pool.complete
    assert len(set(pool.rules.labels)) == 2
    drawn = frote.draw_rules(pool, 3, loans.X, random_state=[1, 3])
    editor = frote.FROTE.as_published(frote.default_pipeline(), drawn, max_fits=1, random_state=0)
    X, y = editor.fit_resample(loans.X, loans.y)
    assert len(X) == len(y) >= len(loans.X)
