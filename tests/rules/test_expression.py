import datetime as dt
import functools
import operator
import pickle

import numpy as np
import pandas as pd
import pytest

import frote
from frote import RuleError, col, parse_rules

DAY = dt.date(2024, 3, 1)


@pytest.mark.parametrize(
    ("built", "text"),
    [
        (lambda: col("a") < 1, "a < 1"),
        (lambda: col("a") <= 1.5, "a <= 1.5"),
        (lambda: col("a") > -1, "a > -1"),
        (lambda: col("a") >= 150_000.0, "a >= 150K"),
        (lambda: 1 > col("a"), "a < 1"),  # noqa: SIM300
        (lambda: 1 <= col("a"), "a >= 1"),  # noqa: SIM300
        (lambda: col("a") == "x", "a = 'x'"),
        (lambda: col("a") == "2", "a = 2"),
        (lambda: "x" == col("a"), "a = x"),  # noqa: SIM300
        (lambda: col("a") != 3, "a != 3"),
        (lambda: col("a") == True, "a = true"),  # noqa: E712
        (lambda: col("a") == np.bool_(False), "a = FALSE"),
        (lambda: col("a") == np.int64(3), "a = 3"),
        (lambda: col("a") < DAY, "a < 2024-03-01"),
        (lambda: col("a") < pd.Timestamp("2024-03-01 10:30"), "a < '2024-03-01 10:30'"),
        (lambda: col("a") < "2024-03-01", "a < 2024-03-01"),
        (lambda: col("a").isin([1, "x", DAY]), "a IN {1, x, 2024-03-01}"),
        (lambda: col("a").isin(np.array([1, 2])), "a IN {1, 2}"),
        (lambda: col("a").isin([]), "a IN {}"),
        (lambda: col("a").between(1, 2), "a BETWEEN 1 AND 2"),
        (lambda: col("a").between(DAY, "2024-03-02"), "a BETWEEN 2024-03-01 AND 2024-03-02"),
        (lambda: col("a").is_missing(), "a IS MISSING"),
        (lambda: col("a").not_missing(), "a IS NOT MISSING"),
        (lambda: ~col("a").isin([1]), "NOT (a IN {1})"),
        (lambda: ~~(col("a") > 1), "a > 1"),
        (lambda: (col("a") > 1) & (col("a") < 2), "a > 1 AND a < 2"),
        (lambda: (col("a") > 1) | (col("b c") < 2), "a > 1 OR `b c` < 2"),
        (lambda: ~((col("a") > 1) & (col("b") < 2)), "NOT (a > 1 AND b < 2)"),
        (lambda: (col("a") > 1) & ((col("b") < 2) | (col("c") == "x")), "a > 1 AND (b < 2 OR c = x)"),
    ],
)
def test_the_builder_gives_what_the_text_gives(built, text):
    rules = parse_rules(f"IF {text} THEN x")
    assert built().then("x") == rules
    assert [str(rule) for rule in built().then("x")] == [str(rule) for rule in rules]


def test_outcomes_and_names():
    young = col("age") < 29
    assert young.then("yes", name="n") == parse_rules("n: IF age < 29 THEN yes")
    assert young.then("yes", confidence=0.8) == parse_rules("IF age < 29 THEN yes WITH CONFIDENCE 0.8")
    assert young.then({"yes": 0.9, "no": 0.1}) == parse_rules("IF age < 29 THEN {yes: 0.9, no: 0.1}")
    assert young.then(1) == parse_rules("IF age < 29 THEN 1")
    with pytest.raises(RuleError, match="one label"):
        young.then({"yes": 0.9, "no": 0.1}, confidence=0.5)
    with pytest.raises(RuleError, match="name is one line"):
        young.then("yes", name="two\nlines")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: (col("a") > 1) and (col("b") > 1), "& | ~ and brackets"),
        (lambda: (col("a") > 1) or (col("b") > 1), "& | ~ and brackets"),
        (lambda: not (col("a") > 1), "& | ~ and brackets"),
        (lambda: 1 < col("a") < 2, "& | ~ and brackets"),
        (lambda: col("a") and (col("b") > 1), "Compare col('a') with a value"),
        (lambda: (col("a") > 1) & True, "Put each comparison in brackets"),
        (lambda: (col("a") > 1) | col("b"), "Put each comparison in brackets"),
        (lambda: (col("a") > 1) & 5 < 3, "Put each comparison in brackets"),
        (lambda: col("a").isin([col("b")]), "or with another column, by an operator"),
        (lambda: col("a") < (col("b") > 1), "or with another column, by an operator"),
        (lambda: col("a").isin("xyz"), r"isin(['xyz'])"),
        (lambda: col(3), "named by a text"),
        (lambda: {col("a"): 1}, "unhashable"),
    ],
)
def test_slips_of_python_are_told_of(wrong, message):
    with pytest.raises(TypeError) as caught:
        wrong()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: col("a") == None,  # noqa: E711
        lambda: col("a") == float("nan"),
        lambda: col("a") < float("inf"),
        lambda: col("a").isin([1, -np.inf]),
        lambda: col("a").isin([pd.NaT]),
        lambda: col("a").between(2, 1),
        lambda: col("a").between(1, DAY),
        lambda: col("a").between(1, "x"),
        lambda: col("a").startswith(""),
        lambda: col("a").like("x\\"),
        lambda: col("a") > 10**400,
    ],
)
def test_values_that_no_rule_can_name_are_refused(wrong):
    with pytest.raises(RuleError):
        wrong()


@pytest.mark.parametrize("join", [operator.and_, operator.or_])
def test_a_long_chain_does_not_nest(join):
    parts = [col("a") == value for value in range(3_000)]
    chain = functools.reduce(join, parts)
    assert len(chain.then("x")) == 1
    other_way = functools.reduce(lambda right, left: join(left, right), parts)
    assert other_way.then("x") == chain.then("x")


def test_what_nests_too_deep_is_our_own_error():
    nested = col("a") == 0
    for value in range(5_000):
        nested = ~(nested & (col("b") == value))
    with pytest.raises(frote.FroteError, match="within one another"):
        nested.then("x")


def test_expressions_are_values():
    one = (col("a") > 1) & ~(col("b") == "x")
    assert one == (col("a") > 1) & ~(col("b") == "x")
    assert hash(one) == hash((col("a") > 1) & ~(col("b") == "x"))
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(AttributeError):
        one.parts = ()


def test_too_many_pieces_is_our_own_error():
    wide = functools.reduce(operator.and_, [(col(f"a{i}") == 1) | (col(f"b{i}") == 1) for i in range(20)])
    with pytest.raises(RuleError, match="more than 10,000 disjoint pieces"):
        wide.then("x")


def test_a_time_zone_is_refused_as_in_text():
    import pandas as pd

    with pytest.raises(frote.RuleError, match="has a time zone"):
        _ = frote.col("when") >= pd.Timestamp("2024-03-31 12:00", tz="UTC")
