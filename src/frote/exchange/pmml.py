"""Rules written as a PMML RuleSetModel, for engines that score by PMML 4.4."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from frote.exceptions import FroteError, RuleError
from frote.exchange.decision_table import HitPolicy
from frote.exchange.dmn_text import type_of
from frote.exchange.hit_policies import policy_of
from frote.exchange.unary_text import plain_number
from frote.exchange.xml_read import require_xml_text
from frote.rules.condition import Condition
from frote.rules.conflicts import find_conflicts
from frote.rules.ruleset import FreeNames
from frote.rules.values import Instant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from frote.rules.intervals import Intervals
    from frote.rules.rule import Rule
    from frote.rules.ruleset import RuleSet
    from frote.rules.values import Number, Value

__all__ = ["write"]

# What PMML calls a column of each of FEEL's types.
TYPES = {
    "number": 'optype="continuous" dataType="double"',
    "string": 'optype="categorical" dataType="string"',
    "boolean": 'optype="categorical" dataType="boolean"',
    "date": 'optype="continuous" dataType="date"',
    "dateTime": 'optype="continuous" dataType="dateTime"',
    "Any": 'optype="categorical" dataType="string"',
}


def write(rules: RuleSet, place: str) -> bytes:
    r"""Write rules as PMML.

    Raises
    ------
    RuleError
        If some rules conflict, as the model takes the first that holds; or if PMML cannot say what a rule says.

    Examples
    --------
    >>> import frote
    >>> model = write(frote.parse_rules("young: IF age < 29 THEN approved"), "policy.pmml").decode()
    >>> print(*(line.strip() for line in model.splitlines() if "Simple" in line), sep="\n")
    <SimpleRule id="young" score="approved" confidence="1">
    <SimplePredicate field="age" operator="lessThan" value="29"/>
    </SimpleRule>
    """
    if policy_of(rules) is HitPolicy.RULE_ORDER:
        raise RuleError(f"{place}: {_in_conflict(rules)}, and PMML has one answer. Resolve them first.")
    for rule in rules:
        require_xml_text(f"{rule}{''.join(f'{title}{text}' for title, text in rule.remarks)}", place, rule.name)
        beyond = next((key for key in dict(rule.clause) if key not in rules.columns), None)
        if beyond is not None:
            raise RuleError(f"{place}: rule {rule.name!r} compares {beyond}, which PMML's rules cannot. Leave it out.")
    text = "\n".join(_lines(rules, place))
    return f"{text}\n".encode()


def _lines(rules: RuleSet, place: str) -> Iterator[str]:
    types = {column: type_of([rule.clause[column] for rule in rules]) for column in rules.columns}
    target = "label" if "label" not in types else FreeNames(set(types), "label").give(2)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">'
    yield '  <Header><Application name="frote"/></Header>'
    yield f'  <DataDictionary numberOfFields="{len(types) + 1}">'
    for column, kind in types.items():
        yield f"    <DataField name={quoteattr(column)} {TYPES[kind]}/>"
    yield f"    <DataField name={quoteattr(target)} {TYPES['string']}>"
    yield from (f"      <Value value={quoteattr(label)}/>" for label in rules.labels)
    yield "    </DataField>"
    yield "  </DataDictionary>"
    yield '  <RuleSetModel functionName="classification">'
    yield "    <MiningSchema>"
    yield from (f"      <MiningField name={quoteattr(column)}/>" for column in types)
    yield f'      <MiningField name={quoteattr(target)} usageType="target"/>'
    yield "    </MiningSchema>"
    yield "    <RuleSet>"
    yield '      <RuleSelectionMethod criterion="firstHit"/>'
    for rule in rules:
        yield from (f"      {line}" for line in _rule(rule, place))
    yield "    </RuleSet>"
    yield "  </RuleSetModel>"
    yield "</PMML>"


def _in_conflict(rules: RuleSet) -> str:
    """Say which rules conflict."""
    try:
        first = find_conflicts(rules)[0]
    except FroteError:  # too many to be listed
        return "very many of the rules overlap"
    return f"rules {first.first.name!r} and {first.second.name!r} conflict"


def _rule(rule: Rule, place: str) -> Iterator[str]:
    label, share = max(rule.outcome.probabilities, key=lambda pair: pair[1])
    name = quoteattr(rule.name)
    yield f'<SimpleRule id={name} score={quoteattr(label)} confidence="{plain_number(share)}">'
    for title, text in rule.remarks:
        yield f"  <Extension name={quoteattr(title)} value={quoteattr(text)}/>"
    tests = []
    for column, condition in rule.clause.alone:
        try:
            tests.append(_tests(column, condition))
        except RuleError as error:
            raise RuleError(f"{place}: rule {rule.name!r} lets into column {column!r} {error}. Leave it out.") from None
    yield from (f"  {line}" for line in _joined("and", tests))
    if len(rule.outcome.probabilities) > 1:
        for one, part in rule.outcome.probabilities:
            number = plain_number(part)
            yield f'  <ScoreDistribution value={quoteattr(one)} recordCount="{number}" probability="{number}"/>'
    yield "</SimpleRule>"


def _joined(operator: str, parts: list[list[str]]) -> list[str]:
    if len(parts) < 2:
        return parts[0] if parts else ["<True/>"]
    inside = [f"  {line}" for part in parts for line in part]
    return [f'<CompoundPredicate booleanOperator="{operator}">', *inside, "</CompoundPredicate>"]


def _tests(column: str, condition: Condition) -> list[str]:
    """Return the predicate of a condition; one that compares is unknown, and so does not hold, for a missing value."""

    def one(operator: str, value: str | None = None) -> list[str]:
        given = "" if value is None else f" value={quoteattr(value)}"
        return [f'<SimplePredicate field={quoteattr(column)} operator="{operator}"{given}/>']

    if condition == Condition.nothing():
        return ["<False/>"]
    if not condition.all_but:
        parts = list(_alternatives(condition, one))
        return _joined("or", [*parts, one("isMissing")] if condition.missing else parts)
    outside = ~condition
    if not (outside.numbers.is_finite() and outside.times.is_finite()):
        raise RuleError("numbers, dates and texts at once, which PMML keeps apart")
    values = outside.named_values()
    if not values:
        return one("isNotMissing")
    others = _joined("and", [one("notEqual", _written(value)) for value in values])
    return _joined("or", [others, one("isMissing")]) if condition.missing else others


def _alternatives(condition: Condition, one: Callable[..., list[str]]) -> Iterator[list[str]]:
    if (condition.numbers and condition.times) or (condition.texts and not condition.is_discrete):
        raise RuleError("numbers, dates and texts at once, which PMML keeps apart")
    yield from _line(condition.numbers, lambda number: number, one)
    yield from _line(condition.times, lambda nanoseconds: Instant(int(nanoseconds)), one)
    yield from (one("equal", text) for text in sorted(condition.texts))


def _line(line: Intervals, to_value: Callable[[Number], Value], one: Callable[..., list[str]]) -> Iterator[list[str]]:
    if line.is_everything:
        yield one("isNotMissing")
        return
    for (low, low_open), (high, high_closed) in line:
        ends = []
        if low == high:
            ends.append(one("equal", _written(to_value(low))))
        if low != high and low != -math.inf:
            ends.append(one("greaterThan" if low_open else "greaterOrEqual", _written(to_value(low))))
        if low != high and high != math.inf:
            ends.append(one("lessOrEqual" if high_closed else "lessThan", _written(to_value(high))))
        yield _joined("and", ends)


def _written(value: Value) -> str:
    if isinstance(value, Instant):
        return str(value).replace(" ", "T")
    return value if isinstance(value, str) else plain_number(value)
