"""PMML rule sets: the same rows as an evaluator of the standard's three-valued predicates."""

import datetime as dt
import xml.etree.ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from tests.examples import examples
from tests.exchange.policies import BOXES, KINDS, policies
from tests.exchange.test_dmn import rows_of_data, table_of

from frote import RuleError, RuleSet, RuleSyntaxError, parse_rules
from frote.exchange import pmml
from frote.exchange.forms import form_of

SPACE = "{http://www.dmg.org/PMML-4_4}"


def as_typed(value, kind):
    if kind == "number":
        return float(value)
    if kind == "truth":
        return {"true": True, "false": False}[value]
    return dt.datetime.fromisoformat(value) if kind == "date" else value


def holds(predicate, row):
    """Evaluate a predicate: True, False, or None where it is unknown."""
    name = predicate.tag.removeprefix(SPACE)
    if name in ("True", "False"):
        return name == "True"
    if name == "CompoundPredicate":
        results = [holds(part, row) for part in predicate]
        decisive = predicate.get("booleanOperator") == "or"
        if decisive in results:
            return decisive
        return None if None in results else not decisive
    field, operator = predicate.get("field"), predicate.get("operator")
    value = row[field]
    if operator in ("isMissing", "isNotMissing"):
        return (value is None) == (operator == "isMissing")
    if value is None:
        return None
    if KINDS[field] == "date" and not isinstance(value, dt.datetime):
        value = dt.datetime.combine(value, dt.time())
    other = as_typed(predicate.get("value"), KINDS[field])
    results = {
        "equal": lambda: value == other,
        "notEqual": lambda: value != other,
        "lessThan": lambda: value < other,
        "lessOrEqual": lambda: value <= other,
        "greaterThan": lambda: value > other,
        "greaterOrEqual": lambda: value >= other,
    }
    return results[operator]()


@settings(max_examples=examples(200), suppress_health_check=list(HealthCheck))
@given(policies(BOXES), rows_of_data())
def test_the_same_rows_as_an_evaluator(rules, rows):
    table = table_of(rows)
    for rule in rules:
        root = ET.fromstring(pmml.write(RuleSet([rule]), "p.pmml"))
        (simple,) = root.iter(f"{SPACE}SimpleRule")
        (predicate,) = [
            part for part in simple if part.tag.removeprefix(SPACE) not in ("Extension", "ScoreDistribution")
        ]
        assert [holds(predicate, row) is True for row in rows] == rule.mask(table).tolist()
        assert simple.get("id") == rule.name
        shares = {
            part.get("value"): float(part.get("probability")) for part in simple.iter(f"{SPACE}ScoreDistribution")
        }
        assert shares in ({}, dict(rule.outcome.probabilities))
        assert float(simple.get("confidence")) == max(share for _, share in rule.outcome.probabilities)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: IF x < 1 THEN b\nc: IF y < 1 THEN d", "rules 'a' and 'c' conflict"),
        ("a: IF x < 1 OR x = 'b' THEN c", "rule 'a' lets into column 'x' numbers, dates and texts at once"),
        ("a: IF NOT (x < 1 OR x = 'b') THEN c", "rule 'a' lets into column 'x' numbers, dates and texts at once"),
        ("a: IF x = '\x01' THEN c", "rule 'a' holds the character"),
    ],
)
def test_what_pmml_cannot_say(text, said):
    with pytest.raises(RuleError) as error:
        pmml.write(parse_rules(text), "p.pmml")
    assert said in str(error.value)


def test_pmml_is_only_written():
    with pytest.raises(RuleSyntaxError, match=r"PMML is only written, not read\. Give rule text"):
        form_of("p.pmml").read(b"<PMML/>", "p.pmml")
