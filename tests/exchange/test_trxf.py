"""Rule sets of AIX360: the rows for which their own evaluation is true, and what rules cannot say."""

import contextlib
import dataclasses
import enum
import math
import operator

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote import RuleError, parse_rules, trxf_rules


class Relation(enum.Enum):
    """As in trxf: named so, with these values."""

    NEQ = "!="
    EQ = "=="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


class Feature:
    """A column; like trxf's, it forgets blanks of the name, and its text does not."""

    def __init__(self, expression, notation=None):
        self.expression = expression
        self.reverse_polish_notation = notation or ["".join(expression.split())]

    def __str__(self):
        return " ".join(self.expression.split())


@dataclasses.dataclass
class Predicate:
    feature: Feature
    relation: Relation
    value: object


@dataclasses.dataclass
class Conjunction:
    predicates: list


@dataclasses.dataclass
class DnfRuleSet:
    conjunctions: list
    then_part: object


COMPARED = {
    "!=": operator.ne,
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(predicate, row):
    """Evaluate a predicate as trxf does: whatever can be a number is one, and NaN is compared as Python does."""
    value = row[str(predicate.feature)]
    with contextlib.suppress(ValueError):
        value = float(value)
    if predicate.relation is Relation.EQ and not isinstance(predicate.value, str):
        return math.isclose(value, predicate.value, abs_tol=1e-5)
    return COMPARED[predicate.relation.value](value, predicate.value)


rng = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": rng.choice([17, 18, 28.5, 29, 40, np.nan], 200),
        "a b": rng.integers(-1, 3, 200),
        "purpose": rng.choice(np.array(["car", "own house", "it's", np.nan], dtype=object), 200),
        "flag": rng.choice([True, False], 200),
    }
)
ROWS = FRAME.to_dict("records")
NUMBERS = st.sampled_from([17, 18.0, 28.5, np.int64(29), np.float64(40.0), -1, 0, 2, 3.5])
EITHER = st.sampled_from([Relation.EQ, Relation.NEQ])
TRUTHS = st.sampled_from([True, False, np.True_, 1, 0])
TEXTS = st.sampled_from(["car", "own house", "it's", "other"])
PREDICATES = st.one_of(
    st.builds(Predicate, st.builds(Feature, st.sampled_from(["age", "a b"])), st.sampled_from(Relation), NUMBERS),
    st.builds(Predicate, st.just(Feature("a b")), EITHER, st.booleans()),
    st.builds(Predicate, st.just(Feature("purpose")), EITHER, TEXTS),
    st.builds(Predicate, st.just(Feature("flag")), EITHER, TRUTHS),
)
CONJUNCTIONS = st.builds(Conjunction, st.lists(PREDICATES, max_size=4))


@settings(max_examples=examples(500))
@given(st.lists(CONJUNCTIONS, max_size=4))
def test_the_rows_for_which_it_is_true(conjunctions):
    rules = trxf_rules(DnfRuleSet(conjunctions, "yes"))
    assert rules.names == tuple(f"rule {number}" for number in range(1, len(conjunctions) + 1))
    for rule, conjunction in zip(rules, conjunctions, strict=True):
        true = [all(holds(predicate, row) for predicate in conjunction.predicates) for row in ROWS]
        assert rule.mask(FRAME).tolist() == true
    assert parse_rules(str(rules)) == rules


def one(feature="age", relation=Relation.LT, value=29, then="yes"):
    """Return a rule set of two conjunctions, of which the second holds one predicate more."""
    fine = Predicate(Feature("age"), Relation.GT, 3)
    feature = Feature(feature) if isinstance(feature, str) else feature
    return DnfRuleSet([Conjunction([fine]), Conjunction([fine, Predicate(feature, relation, value)])], then)


def test_outcomes_and_names():
    assert str(trxf_rules(one(then=1))) == "rule 1: IF age > 3 THEN 1\nrule 2: IF age > 3 AND age < 29 THEN 1"
    rules = trxf_rules(one(), {"yes": 0.7, "no": 0.3}, name="young")
    assert rules.names == ("young 1", "young 2")
    assert rules[1].outcome["no"] == 0.3
    both = trxf_rules(one()) + trxf_rules(one(then="no"))
    assert both.names == ("rule 1", "rule 2", "rule 3", "rule 4")


def test_names_of_columns():
    assert trxf_rules(one("credit  history")).columns == ("age", "credit history")
    assert trxf_rules(one(Feature("( income )", ["income"]))).columns == ("age", "income")


def test_equal_numbers_alone_are_equal():
    rule = trxf_rules(one(relation=Relation.EQ, value=29))[1]
    assert rule.mask(pd.DataFrame({"age": [29, 29.000001]})).tolist() == [True, False]


def test_a_text_that_reads_as_a_number_is_that_number():
    assert str(trxf_rules(one("doors", Relation.EQ, "3"))[1]) == "rule 2: IF age > 3 AND doors = 3 THEN yes"


@pytest.mark.parametrize(
    ("ruleset", "said"),
    [
        (one(Feature("a - b", ["a", "b", "-"])), "conjunction 2, predicate 2: 'a - b' is calculated"),
        (DnfRuleSet([Conjunction(["age < 29"])], "yes"), "conjunction 1, predicate 1: is none of trxf ('str' object"),
        (one(relation="~"), "conjunction 2, predicate 2: ~ is no relation of trxf"),
        (one(relation=Relation.EQ, value=None), "predicate 2: None is no value to compare with"),
        (one(value=[1, 2]), "predicate 2: [1, 2] is no value to compare with"),
        (one(value=math.nan), "conjunction 2, predicate 2: NaN is no value to compare with"),
        (one(value=math.inf), "conjunction 2, predicate 2: A number beyond 1.8e308"),
        (one(value="car"), "predicate 2: '<' needs a number or a date"),
        (one(then=None), "has no then_part. Give its label as then"),
        ([one()], "and list has none. Of several rule sets, give one at a time"),
    ],
)
def test_what_is_refused(ruleset, said):
    with pytest.raises(RuleError) as error:
        trxf_rules(ruleset)
    assert said in str(error.value)
