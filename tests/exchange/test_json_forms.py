"""JSON of other programs: GoRules' decision tables and JsonLogic, with the rows that these take."""

import json
import operator
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote import RuleSyntaxError, read_rules
from frote.exceptions import RuleWarning
from frote.exchange import jdm, json_logic

INPUTS = [{"id": "a", "name": "Age", "field": "age"}, {"id": "p", "field": "purpose"}]
OUTPUTS = [{"id": "y", "field": "label"}]
ROWS = [
    {"_id": "1", "_description": "agreed in March", "a": "[18..29)", "p": "'car', \"own house\"", "y": "'approved'"},
    {"_id": "2", "a": "> 60, null", "p": "", "y": '"denied"'},
]


def model(more=(), **content):
    table = {"hitPolicy": "first", "inputs": INPUTS, "outputs": OUTPUTS, "rules": ROWS, **content}
    nodes = [{"type": "inputNode"}, {"type": "decisionTableNode", "name": "loans", "content": table}, *more]
    return json.dumps({"nodes": [*nodes, {"type": "outputNode"}], "edges": []}).encode()


def test_a_decision_table_of_gorules(tmp_path):
    (tmp_path / "policy.jdm.json").write_bytes(model())
    rules = read_rules(tmp_path / "policy.jdm.json")
    assert str(rules) == (
        "rule 1: IF age >= 18 AND age < 29 AND purpose IN {'car', 'own house'} THEN approved\n"
        "rule 2: IF age > 60 OR age IS MISSING THEN denied"
    )
    assert rules[0].remarks == (("note", "agreed in March"),)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (model(more=[{"type": "functionNode", "name": "js"}]), "here there are 2 ('loans', 'js')"),
        (model(hitPolicy="sum"), "expected the hit policy first or collect, found 'sum'"),
        (model(inputField="customer"), "inputField moves what the table is asked about"),
        (model(inputs=[{"id": "a", "name": "free"}]), "the input 'free' names no field"),
        (model(outputs=[*OUTPUTS, {"id": "z", "field": "fee"}]), "has the outputs 'label', 'fee'"),
        (model(rules=[{"a": "$ > limit", "y": "'x'"}]), "row 1, age: '$' means nothing here"),
        (model(rules=[{"a": "not(5)", "y": "'x'"}]), "row 1, age: expected a test such as"),
        (model(rules=[{"a": "'a\\\\b'", "y": "'x'"}]), "this quote is never closed"),
        (model(rules=[{"a": "1", "y": "age * 2"}]), "row 1, label: expected a label in double quotes"),
        (b"[" * 100_000, "is no JSON"),
        (b"{}", "is no JSON decision model"),
        (b'{"nodes": [], "nodes": []}', "an object has the key 'nodes' twice"),
        (b"\xff", "is not UTF-8 text"),
    ],
)
def test_models_that_rules_cannot_say(content, said):
    with pytest.raises(RuleSyntaxError) as error:
        jdm.read(content, "p.jdm")
    assert said in str(error.value)
    assert str(error.value).startswith("p.jdm")


ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def holds(node, row):
    """Evaluate JsonLogic as JavaScript does, where null is 0 beside a number that it is compared with by order."""
    if not isinstance(node, dict):
        return node
    ((sign, given),) = node.items()
    if sign == "var":
        return row[given]
    values = [holds(one, row) for one in given] if isinstance(given, list) else [holds(given, row)]
    if sign in ORDERS:
        numbers = [0 if value is None else value for value in values]
        return all(ORDERS[sign](one, other) for one, other in pairwise(numbers))
    if sign in ("==", "!="):
        return (values[0] == values[1]) == (sign == "==")
    if sign == "in":
        return values[0] in values[1]
    return {"and": all, "or": any, "!": lambda found: not found[0]}[sign](values)


NUMBER = st.sampled_from([-1, 0, 0.5, 2, 29])
AGE = {"var": "age"}
TESTS = st.one_of(
    st.builds(lambda sign, value: {sign: [AGE, value]}, st.sampled_from([*ORDERS, "==", "!="]), NUMBER),
    st.builds(lambda sign, value: {sign: [value, AGE]}, st.sampled_from(list(ORDERS)), NUMBER),
    st.builds(lambda low, high: {"<=": [low, AGE, high]}, NUMBER, NUMBER),
    st.builds(
        lambda sign, value: {sign: [{"var": "purpose"}, value]},
        st.sampled_from(["==", "!="]),
        st.sampled_from(["car", None]),
    ),
    st.just({"in": [{"var": "purpose"}, ["car", "bike"]]}),
)
LOGIC = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.builds(
            lambda sign, parts: {sign: parts}, st.sampled_from(["and", "or"]), st.lists(inner, min_size=1, max_size=3)
        ),
        inner.map(lambda one: {"!": one}),
    ),
    max_leaves=5,
)
RECORDS = [
    {"age": age, "purpose": what} for age in (-2, -1, 0, 0.5, 1, 2, 29, 30, None) for what in ("car", "bike", "x", None)
]
FRAME = pd.DataFrame(
    {
        "age": [np.nan if one["age"] is None else one["age"] for one in RECORDS],
        "purpose": [one["purpose"] for one in RECORDS],
    }
)


@settings(max_examples=examples(500))
@given(LOGIC, LOGIC)
def test_the_rows_that_json_logic_takes(first, second):
    policy = {"if": [first, "yes", second, "no", "else"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)  # of rules that earlier ones leave nothing of
        rules = json_logic.read(json.dumps(policy).encode(), "p.jsonlogic")
    masks = {
        label: sum(rule.mask(FRAME) for rule in rules if rule.outcome.labels == (label,))
        for label in ("yes", "no", "else")
    }
    for place, record in enumerate(RECORDS):
        wanted = "yes" if holds(first, record) else "no" if holds(second, record) else "else"
        assert {label: int(np.broadcast_to(mask, len(RECORDS))[place]) for label, mask in masks.items()} == {
            label: int(label == wanted) for label in masks
        }


def test_an_answer_that_is_never_given_is_told():
    policy = {"if": [{"<": [{"var": "age"}, 29]}, "yes", {"<": [{"var": "age"}, 20]}, "no"]}
    with pytest.warns(RuleWarning, match="rule 2"):
        json_logic.read(json.dumps(policy).encode(), "p.jsonlogic")


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ({"and": [True]}, "expected an 'if' that decides between labels, found 'and'"),
        ({"if": [{"<": [{"var": "a"}, {"var": "b"}]}, "x"]}, "if[0].<: rules compare a column with a value"),
        ({"if": [{"<": [{"+": [1, 2]}, 3]}, "x"]}, "if[0].<: rules compare a column with a value"),
        ({"if": [{"some": [1, 2]}, "x"]}, "if[0].some: is an operator that rules have not"),
        ({"if": [{"<": [{"var": "a"}, 3]}, {"if": [True, "x"]}]}, "if[1]: expected a label, found an object"),
        ({"if": [{"<": [{"var": "a"}, "b"]}, "x"]}, "needs a number or a date"),
        ({"if": [{">": [3, {"var": "a"}, 1]}, "x"]}, "is an operator that rules have not, or has other arguments"),
        ({"if": [{"in": ["a", {"var": "b"}]}, "x"]}, "expected a column and a list of values"),
        ({"if": [5, "x"]}, "expected an object with one operator, found 5"),
    ],
)
def test_logic_that_rules_cannot_say(policy, said):
    with pytest.raises(RuleSyntaxError) as error:
        json_logic.read(json.dumps(policy).encode(), "p.jsonlogic")
    assert said in str(error.value)
    assert str(error.value).startswith("p.jsonlogic")


def test_what_is_only_read_is_not_written(tmp_path):
    from frote import RuleError, parse_rules

    with pytest.raises(RuleError, match=r"is only read, not written. Name rule text"):
        parse_rules("IF a < 1 THEN b").save(tmp_path / "p.jdm.json")


@pytest.mark.parametrize(
    "content",
    [
        {"outputs": [{"id": "y", "field": "label"}, {"id": "z", "field": "Label"}]},
        {"inputs": [INPUTS[0], {"id": "a", "field": "income"}]},
        {"inputs": [INPUTS[0], {"field": "income"}]},
        {"executionMode": "loop"},
    ],
)
def test_nothing_of_a_table_of_gorules_is_left_out(content):
    with pytest.raises(RuleSyntaxError, match=r"have one name|has no id, or that of another|several times"):
        jdm.read(model(**content), "p.jdm")
