"""Rules written as a DMN model: a decision with one table, and its inputs."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from frote.exceptions import RuleError
from frote.exchange.dialects import Dialect
from frote.exchange.tabled import tabled
from frote.exchange.xml_read import require_xml_text
from frote.rules.values import DAY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from frote.exchange.decision_table import Cell, DecisionTable, Entry
    from frote.rules.condition import Condition
    from frote.rules.linear import Linear
    from frote.rules.ruleset import RuleSet

__all__ = ["SPACES", "is_feel_name", "share_of", "type_of", "written"]

SPACES = {  # of the versions that are read; tables are alike in all of them
    "1.1": "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
    "1.2": "http://www.omg.org/spec/DMN/20180521/MODEL/",
    "1.3": "https://www.omg.org/spec/DMN/20191111/MODEL/",
    "1.4": "https://www.omg.org/spec/DMN/20211108/MODEL/",
    "1.5": "https://www.omg.org/spec/DMN/20230324/MODEL/",
}
RESERVED = frozenset({"and", "between", "else", "every", "false", "for", "function", "if", "in", "instance", "not"})
RESERVED |= {"null", "of", "or", "return", "satisfies", "some", "then", "true"}

_NAME = re.compile(r"[^\W\d][\w.'+*/\-]*(?: [\w.'+*/\-]+)*")
_SHARE = re.compile(r"share of (?P<class>.*)", re.DOTALL)


def is_feel_name(text: str) -> bool:
    """Tell whether FEEL can name an input so.

    Examples
    --------
    >>> is_feel_name("marital-status"), is_feel_name("capital gain"), is_feel_name("a < b"), is_feel_name("if")
    (True, True, False, False)
    """
    return bool(_NAME.fullmatch(text)) and RESERVED.isdisjoint(text.split())


def share_of(title: str) -> str | None:
    """Return the class whose share an output of this title is; None if it is none.

    Examples
    --------
    >>> share_of("share of approved"), share_of("risk")
    ('approved', None)
    """
    match = _SHARE.fullmatch(title)
    return None if match is None else match["class"]


def written(rules: RuleSet, place: str) -> bytes:
    """Return the content of a DMN model of rules.

    Raises
    ------
    RuleError
        If DMN cannot say what some rule says.
    """
    table = tabled(rules, Dialect.FEEL, place)
    for rule in rules:
        unnamed = next((name for name in rule.clause.columns if not is_feel_name(name)), None)
        if unnamed is not None:
            raise RuleError(
                f"{place}: rule {rule.name!r} asks for column {unnamed!r}, which is no name in DMN's FEEL. Rename it."
            )
        require_xml_text(f"{rule}{''.join(f'{title}{text}' for title, text in rule.remarks)}", place, rule.name)
    types = {column: type_of([rule.clause[column] for rule in rules]) for column in rules.columns}
    added = {name for rule in rules for key, condition in rule.clause.sums for name in _numbers(key, condition)}
    types.update((name, "number") for name in added if types[name] == "Any")
    text = "\n".join(_lines(table, types))
    return f"{text}\n".encode()


def type_of(conditions: Iterable[Condition]) -> str:
    """Return FEEL's type of a column, by what conditions compare it with.

    Examples
    --------
    >>> from frote import Condition
    >>> type_of([Condition.compare("<", 29)]), type_of([Condition.among(["car", 2])])
    ('number', 'Any')
    """
    conditions = list(conditions)
    texts = frozenset(text for condition in conditions for text in condition.texts)
    kinds = {
        "number": any(condition.names_numbers for condition in conditions),
        "boolean": bool(texts) and texts <= {"false", "true"},
        "string": not texts <= {"false", "true"},
        "dateTime": any(condition.names_times for condition in conditions),
    }
    found = [kind for kind, named in kinds.items() if named]
    if found == ["dateTime"]:
        instants = [value for condition in conditions for value, _ in condition.times.cuts]
        whole = all(abs(value) == float("inf") or value % DAY == 0 for value in instants)
        found = ["date"] if whole else found
    return found[0] if len(found) == 1 else "Any"


def _numbers(key: Linear, condition: Condition) -> tuple[str, ...]:
    """Return the columns that are added up if they are of numbers for sure, and not of dates that are compared."""
    bounds = any(value and math.isfinite(value) for value, _ in condition.numbers.cuts)
    sure = bounds or len(key.terms) > 2 or any(abs(factor) != 1 for _, factor in key.terms)
    return key.columns if sure and not key.timed else ()


def _lines(table: DecisionTable, types: dict[str, str]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<definitions xmlns="{SPACES["1.3"]}" id="policy" name="Policy" namespace="urn:frote:policy">'
    columns = tuple(dict.fromkeys(table.columns))
    for number, column in enumerate(columns, 1):
        name, kind = quoteattr(column), types[column]
        yield f'  <inputData id="data_{number}" name={name}><variable name={name} typeRef="{kind}"/></inputData>'
    outputs = list(_outputs(table))
    alone = outputs[0][1] if len(outputs) == 1 else "Any"
    yield '  <decision id="decision" name="label">'
    yield f'    <variable name="label" typeRef="{alone}"/>'
    for number in range(1, len(columns) + 1):
        yield f'    <informationRequirement id="needs_{number}">'
        yield f'      <requiredInput href="#data_{number}"/>'
        yield "    </informationRequirement>"
    yield f'    <decisionTable id="table" hitPolicy="{table.hit_policy.value}">'
    for number, column in enumerate(table.columns, 1):
        yield f'      <input id="input_{number}" label={quoteattr(column)}>'
        yield f'        <inputExpression typeRef="{types[column]}"><text>{_escaped(column)}</text></inputExpression>'
        yield "      </input>"
    for number, (title, kind) in enumerate(outputs, 1):
        name = title if share_of(title) is None else f"share {number}"
        yield f'      <output id="output_{number}" name={quoteattr(name)} label={quoteattr(title)} typeRef="{kind}"/>'
    titles = list(dict.fromkeys(title for entry in table.entries for title, _ in entry.remarks))
    for title in ("rule", *titles):
        yield f"      <annotation name={quoteattr(title)}/>"
    for number, entry in enumerate(table.entries, 1):
        yield from _rule(number, entry, table, [title for title, _ in outputs], titles)
    yield "    </decisionTable>"
    yield "  </decision>"
    yield "</definitions>"


def _outputs(table: DecisionTable) -> Iterator[tuple[str, str]]:
    """Go through the outputs' titles and types."""
    if not table.classes or any(entry.label for entry in table.entries):
        yield "label", "string"
    if any(entry.confidence for entry in table.entries):
        yield "confidence", "number"
    yield from ((f"share of {label}", "number") for label in table.classes)


def _rule(number: int, entry: Entry, table: DecisionTable, outputs: list[str], titles: list[str]) -> Iterator[str]:
    cells: dict[str, Cell] = {"label": entry.label, "confidence": entry.confidence}
    shares = dict(zip((f"share of {label}" for label in table.classes), entry.shares, strict=True))
    said = dict(entry.remarks)
    yield f'      <rule id="rule_{number}">'
    for cell in entry.tests:
        yield f"        <inputEntry><text>{_escaped(cell.text)}</text></inputEntry>"
    for title in outputs:
        # FEEL has no blank: what a rule says nothing of is null.
        text = (shares[title] if title in shares else cells[title]).text
        yield f"        <outputEntry><text>{_escaped(text) or 'null'}</text></outputEntry>"
    for text in (entry.name.text, *(said.get(title, "") for title in titles)):
        yield f"        <annotationEntry><text>{_escaped(text)}</text></annotationEntry>"
    yield "      </rule>"


def _escaped(text: str) -> str:
    return escape(text, {"\r": "&#13;"})
