"""Queries of pandas: the rows that pandas takes, and what is refused without being evaluated."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote import RuleSyntaxError, query_rules

rng = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": rng.choice([17, 18, 28.5, 29, 40, np.nan], 200),
        "c": rng.choice([17, 18.0, 7, -1, np.nan], 200),
        "a b": rng.choice([-1.0, 0, 2, np.nan], 200),
        "purpose": rng.choice(np.array(["car", "own house", "it's", None], dtype=object), 200),
        "applied": pd.to_datetime(pd.Series(rng.choice(["2024-01-01", "2024-03-01", None], 200))),
    }
)
NUMBERS = st.sampled_from(["17", "18", "28.5", "2_9", "-1", "4e1", "0"])
TEXTS = st.sampled_from(["'car'", '"own house"', r"'it\'s'", "'other'"])
SIGNS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
NAMES = st.sampled_from(["age", "`a b`"])
SIMPLE = st.one_of(
    st.builds("{} {} {}".format, NAMES, SIGNS, NUMBERS),
    st.builds("{} {} {}".format, NUMBERS, SIGNS, NAMES),
    st.builds("{} <= {} < {}".format, NUMBERS, NAMES, NUMBERS),
    st.builds("purpose {} {}".format, st.sampled_from(["==", "!="]), TEXTS),
    st.builds("purpose {} [{}, {}]".format, st.sampled_from(["in", "not in", "==", "!="]), TEXTS, TEXTS),
    # pandas' query finds no date by == and a text, though == itself does.
    st.builds("applied {} '2024-03-01'".format, st.sampled_from(["<", "<=", ">", ">="])),
    st.builds("{}.{}()".format, st.sampled_from(["age", "purpose", "applied"]), st.sampled_from(["isna", "notnull"])),
    st.builds("{}.isin([{}, {}])".format, NAMES, NUMBERS, NUMBERS),
    st.builds("{0} {1} {0}".format, NAMES, st.sampled_from(["==", "!="])),
    st.just("age.between(18, 29)"),
    st.builds("age {} `a b` {} c {} {}".format, st.sampled_from("+-"), st.sampled_from("+-"), SIGNS, NUMBERS),
    st.builds("{} * age {} -`a b` * 2".format, st.sampled_from(["0.5", "2", "-3"]), SIGNS),
    st.builds("c {} (age - 3) * 0.5 {} `a b`".format, SIGNS, SIGNS),
    st.builds("age {} `a b`".format, SIGNS),
)
QUERIES = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner),
        st.builds("(({}) {} ({}))".format, inner, st.sampled_from(["&", "|"]), inner),
        st.builds("{} {} {}".format, inner, st.sampled_from(["and", "or"]), inner),
        st.builds("(not ({}))".format, inner),
        st.builds("~({})".format, inner),
    ),
    max_leaves=5,
)


@settings(max_examples=examples(1_000))
@given(QUERIES)
def test_the_rows_that_pandas_takes(query):
    rules = query_rules(query, "yes")
    taken = FRAME.index.isin(FRAME.query(query, engine="python").index)
    assert (sum(rule.mask(FRAME) for rule in rules) == taken).all()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("age > @limit", "found '@' (a variable is not looked up; write its value)"),
        ("age + 1 > 3", "only one column is left in this comparison. Write age > 2"),
        ("age / 2 > income", "found '/' (columns are added up and multiplied with numbers alone, as in 0.5 * b)"),
        ("age * income > 3", "a column is multiplied with a number alone"),
        ("age > income + 'x'", "only columns and numbers are added up"),
        ("age - income > 'x'", "only columns and numbers are added up"),
        ("age - income in [1]", "rules compare a column with a value"),
        ("(age - income)", "a value alone is no condition"),
        ("not (age - income)", "a value alone is no condition"),
        ("age > (income > 3)", "rules compare a column with a value"),
        ("age + (income > 3) > 1", "only columns and numbers are added up"),
        ("-" * 99 + "age > 1", "more than 60 brackets and negations"),
        ("(" * 50 + "age" + ") + age" * 50, "a value alone is no condition"),
        ("age = 3", "write == to compare"),
        ("purpose == None", "no value is equal to a missing one. Write isna()"),
        ("__import__('os').system('x')", "__import__() is a function, which is not called"),
        ("purpose.str.upper() == 'A'", "purpose.str is no column"),
        ("age.map('x')", "map() is not read; there are isna, notna, isin and between"),
        ("age > 'car'", "'>' needs a number or a date"),
        ("age < [1, 2]", "'<' takes one value, not a list"),
        ("age in 3", "in takes a list"),
        ("~age > 3", "~ takes what is right behind it alone"),
        ("age >", "found the end of the query"),
        ("(age > 3", "expected and, or or ')'"),
        ("3 > 2", "rules compare a column with a value"),
        ("True", "a value alone is no condition"),
        ("age > 3 # x", "'#' means nothing here"),
        ("(" * 99 + "age" + ")" * 99, "more than 60 brackets"),
        ("age == 'a\\x'", "is an escape that is not read"),
        ("age == 1" + "0" * 400, "this number is too large"),
    ],
)
def test_what_is_refused(query, said):
    with pytest.raises(RuleSyntaxError) as error:
        query_rules(query, "yes")
    assert said in str(error.value)
    assert str(error.value).startswith("the query, line 1, column ")


def test_outcomes_and_names():
    rules = query_rules("age < 29 or purpose == 'car'", {"yes": 0.7, "no": 0.3}, name="young")
    assert rules.names == ("young/1", "young/2")
    assert rules[0].outcome["no"] == 0.3
