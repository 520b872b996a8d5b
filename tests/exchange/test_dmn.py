"""DMN models: the same rows as an independent evaluator of the standard, other tools' models, and what is refused."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.exchange.feel import hits, meets
from tests.exchange.policies import KINDS, VALUES, policies

from frote import RuleError, RuleSyntaxError, Table, parse_rules
from frote.exceptions import RuleWarning
from frote.exchange import dmn
from frote.exchange.dmn_text import SPACES

LENIENT = {"suppress_health_check": list(HealthCheck)}
MISSING = {"number": np.nan, "text": None, "date": pd.NaT, "truth": None}


def as_feel(value):
    """Return a value as FEEL knows it; numbers are of one type, and dates are points in time."""
    if value is None or value is pd.NaT or value != value:
        return None
    if isinstance(value, bool | str):
        return value
    if isinstance(value, dt.date):
        return dt.datetime.combine(value, getattr(value, "time", dt.time)())
    return float(value)


@st.composite
def rows_of_data(draw):
    one = st.fixed_dictionaries({name: st.none() | VALUES[kind] for name, kind in KINDS.items()})
    return draw(st.lists(one, min_size=3, max_size=8))


def table_of(rows):
    columns = {}
    for name, kind in KINDS.items():
        values = [MISSING[kind] if row[name] is None else row[name] for row in rows]
        if kind == "number":
            columns[name] = pd.Series(values, dtype=float)
        elif kind == "date":
            columns[name] = pd.to_datetime(pd.Series(values, dtype=object), format="mixed")
        else:
            columns[name] = pd.Series(values, dtype=object).astype("boolean" if kind == "truth" else "category")
    return Table.from_frame(pd.DataFrame(columns))


def test_the_same_rows_as_an_independent_evaluator():
    seen = set()

    @settings(max_examples=examples(600), **LENIENT)
    @given(policies().filter(len), rows_of_data())
    def compare(rules, rows):
        table = table_of(rows)
        ours = [rule.mask(table).tolist() for rule in rules]
        as_they_are = [{name: as_feel(value) for name, value in row.items()} for row in rows]
        assert hits(dmn.write(rules, "p.dmn"), as_they_are) == ours
        seen.update(*ours)

    compare()
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("cell", "met"),
    [
        ('not("b")', [True, False, True]),
        ('not("b", null)', [True, False, False]),
        ('"b", null', [False, True, True]),
        ("not(null)", [True, True, False]),
        ("-", [True, True, True]),
    ],
)
def test_the_evaluator_by_hand(cell, met):
    assert [meets(cell, value) for value in ("a", "b", None)] == met


def test_order_says_nothing_of_missing_values():
    assert [meets(cell, None) for cell in ("< 5", "not(< 5)", 'not("a", < 5)', "[1..5]")] == [False] * 4


# As modelling tools write it: prefixes, positions of shapes, descriptions, identifiers, allowed values, a default.
TOOL = """<?xml version="1.0" encoding="UTF-8"?>
<dmn:definitions xmlns:dmn="{space}" xmlns:di="urn:di" xmlns:tool="urn:tool" id="d" name="Loans" namespace="urn:x"
    tool:version="5" exporter="A modeller">
  <dmn:extensionElements><tool:decision name="not logic"/></dmn:extensionElements>
  <dmn:inputData id="i1" name="Age"><dmn:variable name="Age" typeRef="feel:number"/></dmn:inputData>
  <dmn:decision id="approval" name="Approval status">
    <dmn:variable name="Approval status" typeRef="string"/>
    <dmn:informationRequirement><dmn:requiredInput href="#i1"/></dmn:informationRequirement>
    <dmn:decisionTable id="t" hitPolicy="{policy}" preferredOrientation="Rule-as-Row">
      <dmn:input id="a" label="how old"><dmn:inputExpression typeRef="number">
        <dmn:text>Age</dmn:text></dmn:inputExpression></dmn:input>
      <dmn:input id="b" label="risk class"><dmn:inputExpression typeRef="string"><dmn:text/></dmn:inputExpression>
        {values}</dmn:input>
      <dmn:output id="o" typeRef="string">{default}</dmn:output>
      <dmn:annotation name="Reason"/>
      <dmn:rule id="r1" label="adults"><dmn:description>agreed in March</dmn:description>
        <dmn:inputEntry id="r1a"><dmn:text>&gt;=18</dmn:text></dmn:inputEntry>
        <dmn:inputEntry id="r1b"><dmn:text>"Medium","Low"</dmn:text></dmn:inputEntry>
        <dmn:outputEntry id="r1o"><dmn:text>"Approved"</dmn:text></dmn:outputEntry>
        <dmn:annotationEntry><dmn:text>law</dmn:text></dmn:annotationEntry></dmn:rule>
      <dmn:rule id="r2">
        <dmn:inputEntry id="r2a"><dmn:text>&lt;18</dmn:text></dmn:inputEntry>
        <dmn:inputEntry id="r2b"><dmn:text></dmn:text></dmn:inputEntry>
        <dmn:outputEntry id="r2o"><dmn:text>"Declined"</dmn:text></dmn:outputEntry></dmn:rule>
    </dmn:decisionTable>
  </dmn:decision>
  <di:DMNDI><di:decision/></di:DMNDI>
</dmn:definitions>
"""
VALUES_LISTED = '<dmn:inputValues><dmn:text>"High","Medium","Low"</dmn:text></dmn:inputValues>'
DEFAULT = '<dmn:defaultOutputEntry><dmn:text>"Referred"</dmn:text></dmn:defaultOutputEntry>'


def tool(policy="UNIQUE", values="", default="", version="1.3"):
    return TOOL.format(space=SPACES[version], policy=policy, values=values, default=default).encode()


@pytest.mark.parametrize("version", SPACES)
def test_a_model_as_tools_write_it(version):
    rules = dmn.read(tool(version=version), "p.dmn")
    assert str(rules) == (
        "adults: IF Age >= 18 AND `risk class` IN {'Low', 'Medium'} THEN Approved\nrule 2: IF Age < 18 THEN Declined"
    )
    assert rules["adults"].remarks == (("Reason", "law"), ("note", "agreed in March"))


def test_a_default_covers_what_no_rule_does():
    rules = dmn.read(tool(default=DEFAULT), "p.dmn")
    frame = pd.DataFrame({"Age": [20, 20, 3, np.nan], "risk class": ["Low", "High", None, "Low"]})
    rest = sum(rule.mask(frame) for rule in rules.pieces("otherwise"))
    assert rest.tolist() == [0, 1, 0, 1]
    assert {str(rule.outcome) for rule in rules.pieces("otherwise")} == {"Referred"}


def test_allowed_values_are_told_to_be_left_out():
    with pytest.warns(RuleWarning, match="lists the values that 'risk class' may have"):
        dmn.read(tool(values=VALUES_LISTED), "p.dmn")


def model(table="", rest="", cells=("&lt; 3", '"x"'), policy="UNIQUE", output='<output name="label"/>', column="age"):
    rules = "".join(f"<text>{cell}</text>" for cell in cells[:1])
    return (
        f'<definitions xmlns="{SPACES["1.5"]}" name="p" namespace="urn:p"><decision name="d">'
        f'<decisionTable hitPolicy="{policy}" {table}><input><inputExpression><text>{column}</text></inputExpression>'
        f"</input>{output}<rule><inputEntry>{rules}</inputEntry>"
        + "".join(f"<outputEntry><text>{cell}</text></outputEntry>" for cell in cells[1:])
        + f"</rule></decisionTable></decision>{rest}</definitions>"
    ).encode()


def test_labels_with_confidence_and_shares():
    sure = '<output name="label"/><output name="confidence"/>'
    assert str(dmn.read(model(output=sure, cells=("-", '"x"', "0.8")), "p")[0].outcome) == "x WITH CONFIDENCE 0.8"
    shares = '<output name="share of a"/><output name="s" label="share of b c"/>'
    assert str(dmn.read(model(output=shares, cells=("-", "0.7", "0.3")), "p")[0].outcome) == "{a: 0.7, 'b c': 0.3}"
    for label, read in (("true", "true"), ("12", "12"), ('"a \\"b\\""', 'a "b"')):
        assert dmn.read(model(cells=("-", label)), "p")[0].outcome.labels == (read,)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (model(policy="PRIORITY"), "line 1: expected a hit policy (UNIQUE, ANY, FIRST, COLLECT, RULE ORDER)"),
        (model(table='aggregation="SUM"', policy="COLLECT"), "put together by SUM, which labels cannot be"),
        (model(cells=("&lt; limit", '"x"')), "input 1 (age): expected a number or a date after '<', found 'limit'"),
        (model(cells=("-", "a + b")), "output 1: expected a label in double quotes, found 'a + b'"),
        (model(cells=("-",)), "the entries of rule 1 are not those"),
        (model(cells=("-", "null")), "says no outcome"),
        (model(column="a + b(c)"), "expected the name of a column, found 'a + b(c)'"),
        (model(output='<output name="risk"/><output name="fee"/>', cells=("-", "1", "2")), "has the outputs"),
        (model(rest='<decision name="other"/>'), "beside 'd' there is other logic ('other')"),
        (model(rest='<businessKnowledgeModel name="f"/>'), "there is other logic ('f')"),
        (model(table='expressionLanguage="juel"'), "expressions are in 'juel'; only FEEL is read"),
        (b"<definitions xmlns='urn:OMG/DMN/1999'/>", "is of another version of DMN"),
        (b"<html/>", "is no DMN model, but XML that begins with <html>"),
        (b"hello", "is no XML"),
        (f'<definitions xmlns="{SPACES["1.3"]}"/>'.encode(), "holds no decision table"),
    ],
)
def test_what_rules_cannot_say_is_refused(content, said):
    with pytest.raises(RuleSyntaxError) as error:
        dmn.read(content, "p.dmn")
    assert said in str(error.value)
    assert str(error.value).startswith("p.dmn")


def test_what_dmn_cannot_say_is_refused():
    with pytest.raises(RuleError, match="rule 'a' asks for column 'x < y', which is no name in DMN's FEEL"):
        dmn.write(parse_rules("a: IF `x < y` = 1 THEN b"), "p.dmn")


def test_types_of_columns_are_told():
    rules = parse_rules(
        "IF a < 1 AND b = 'x' AND c = true AND d < 2024-01-01 AND e < '2024-01-01 12:00' AND f IN {1, x} THEN y"
    )
    text = dmn.write(rules, "p.dmn").decode()
    kinds = dict(zip("abcdef", ["number", "string", "boolean", "date", "dateTime", "Any"], strict=True))
    for name, kind in kinds.items():
        assert (
            f'<inputData id="data_{"abcdef".index(name) + 1}" name="{name}"><variable name="{name}" typeRef="{kind}"/>'
            in text
        )


@pytest.mark.parametrize(
    ("part", "other"),
    [
        (b"<text>&lt; 3</text>", b"&lt; 3"),
        (b"<text>&lt; 3</text>", b"<text>&lt; 3</text><text>&lt; 2</text>"),
        (b"<text>&lt; 3</text>", b"<text>&lt; 3<b>0</b></text>"),
        (b"</decisionTable>", b"</decisionTable><literalExpression><text>1</text></literalExpression>"),
    ],
)
def test_nothing_of_a_decision_is_left_out(part, other):
    whole = model()
    assert part in whole
    with pytest.raises(RuleSyntaxError, match=r"in one <text>|other logic beside its table"):
        dmn.read(whole.replace(part, other), "p")
