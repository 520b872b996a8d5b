"""JsonLogic, read: conditions as nested objects, and the labels that an ``if`` decides between."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from frote.exceptions import RuleError, RuleSyntaxError
from frote.exchange.json_read import read_json
from frote.rules.condition import Condition
from frote.rules.conflicts import resolve, tell_nothing_left
from frote.rules.expression import And, Expression, Leaf, Not, Or, Truth, make_pieces
from frote.rules.outcome import Outcome
from frote.rules.ruleset import RuleSet
from frote.rules.sum_reader import as_message
from frote.rules.work import Work

if TYPE_CHECKING:
    from frote.rules.rule import Rule

__all__ = ["read"]

_ORDERS = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_EQUAL = {"==": True, "===": True, "!=": False, "!==": False}


def read(content: bytes, place: str) -> RuleSet:
    """Read the rules of a JsonLogic file: one ``if`` whose conditions ask about columns and whose answers are labels.

    As in JavaScript, a missing value is taken for 0 where it is compared by order with a number.

    Raises
    ------
    RuleSyntaxError
        With the way to what is wrong, or to what rules cannot say.

    Examples
    --------
    >>> policy = b'''{"if": [{"and": [{"<": [18, {"var": "age"}, 29]}, {"in": [{"var": "purpose"}, ["car", "bike"]]}]},
    ...     "approved", {">": [{"var": "amount"}, 20000]}, "denied"]}'''
    >>> print(read(policy, "policy.jsonlogic"))
    rule 1: IF age > 18 AND age < 29 AND purpose IN {'bike', 'car'} THEN approved
    rule 2/1: IF amount > 20000 AND (age <= 18 OR age >= 29 OR age IS MISSING) THEN denied
    rule 2/2: IF amount > 20000 AND age > 18 AND age < 29 AND (purpose NOT IN {'bike', 'car'} OR purpose IS MISSING)
    THEN denied
    """
    document = read_json(content, place)
    reading = _Reading(place)
    operator, steps = reading.operation(document, "")
    if operator not in ("if", "?:"):
        reading.fail("", f"expected an 'if' that decides between labels, found {operator!r}")
    work = Work(len(content))
    rules: list[Rule] = []
    try:
        for number, at in enumerate(range(0, len(steps) - 1, 2), 1):
            way = f"if[{at}]"
            expression = reading.condition(steps[at], way)
            label = reading.label(steps[at + 1], f"if[{at + 1}]")
            rules += make_pieces(f"rule {number}", expression, Outcome.of(label), None, work)
        if len(steps) % 2 and steps[-1] is not None:
            label = reading.label(steps[-1], f"if[{len(steps) - 1}]")
            rules += make_pieces("otherwise", Truth(), Outcome.of(label), None, work)
        as_written = RuleSet(rules)
        # The first condition that holds decides.
        resolved = resolve(as_written, "priority")
    except RuleSyntaxError:
        raise
    except RuleError as error:
        raise RuleSyntaxError(f"{place}: {error}") from None
    tell_nothing_left(as_written, resolved, "priority")
    return resolved


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read, with the way to each part."""

    place: str

    def fail(self, way: str, what: str) -> NoReturn:
        raise RuleSyntaxError(f"{self.place}{', ' if way else ''}{way}: {what}.")

    def operation(self, node: Any, way: str) -> tuple[str, list[Any]]:
        if not isinstance(node, dict) or len(node) != 1:
            self.fail(way, f"expected an object with one operator, found {_shown(node)}")
        ((operator, given),) = node.items()
        return operator, given if isinstance(given, list) else [given]

    def label(self, node: Any, way: str) -> str:
        if isinstance(node, dict | list) or node is None:
            self.fail(way, f"expected a label, found {_shown(node)}; nested decisions are not read")
        return str(node).lower() if isinstance(node, bool) else str(node)

    def condition(self, node: Any, way: str) -> Expression:
        if node is True:
            return Truth()
        operator, given = self.operation(node, way)
        way = f"{way}.{operator[:40]}" if way else operator[:40]
        if operator in ("and", "or") and given:
            parts = [self.condition(one, f"{way}[{place}]") for place, one in enumerate(given)]
            return And.of(parts) if operator == "and" else Or.of(parts)
        if operator == "!" and len(given) == 1:
            return Not(self.condition(given[0], way))
        if operator in _ORDERS and len(given) in (2, 3)[: 1 + operator.startswith("<")]:
            pairs = itertools.pairwise(given)
            return And.of([self.compared(operator, left, right, way) for left, right in pairs])
        if operator in _EQUAL and len(given) == 2:
            return self.equal(given[0], given[1], way, equal=_EQUAL[operator])
        if operator == "in" and len(given) == 2:
            name, listed = self.column(given[0]), given[1]
            if name is None or not isinstance(listed, list) or not all(map(_is_value, listed)):
                self.fail(way, "expected a column and a list of values")
            return self.leaf(name, lambda: Condition.among(listed), way)
        return self.fail(way, "is an operator that rules have not, or has other arguments than two")

    def compared(self, operator: str, left: Any, right: Any, way: str) -> Expression:
        name, value = self.column(left), right
        if name is None:
            name, value, operator = self.column(right), left, _ORDERS[operator]
        if name is None or not _is_value(value):
            self.fail(way, "rules compare a column with a value")
        zero = isinstance(value, int | float) and 0 in Condition.compare(operator, value)
        missing = Condition.is_missing() if zero else Condition.nothing()
        return self.leaf(name, lambda: Condition.compare(operator, value) | missing, way)

    def equal(self, left: Any, right: Any, way: str, *, equal: bool) -> Expression:
        name, value = self.column(left), right
        if name is None:
            name, value = self.column(right), left
        if name is None or not (value is None or _is_value(value)):
            self.fail(way, "rules compare a column with a value")
        found = self.leaf(name, lambda: Condition.is_missing() if value is None else Condition.among([value]), way)
        return found if equal else Not(found)

    def leaf(self, name: str, make: Any, way: str) -> Expression:
        try:
            return Leaf(name, make())
        except RuleError as error:
            self.fail(way, as_message(error))

    def column(self, node: Any) -> str | None:
        """Return the column that a node asks for; None if it asks for none."""
        if not isinstance(node, dict) or list(node) != ["var"]:
            return None
        name = node["var"]
        name = name[0] if isinstance(name, list) and len(name) == 1 else name
        return name if isinstance(name, str) and name else None


def _is_value(node: Any) -> bool:
    return isinstance(node, str | int | float)


def _shown(node: Any) -> str:
    return {dict: "an object", list: "a list", type(None): "nothing"}.get(type(node), repr(node)[:40])
