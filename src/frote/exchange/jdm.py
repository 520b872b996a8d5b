"""Decision tables of GoRules' JSON decision models (JDM), read: the one table that is all the logic of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.exceptions import RuleSyntaxError
from frote.exchange.decision_table import BLANK, Cell, DecisionTable, Entry, HitPolicy
from frote.exchange.dialects import Dialect
from frote.exchange.json_read import read_json
from frote.exchange.ruled import ruled

if TYPE_CHECKING:
    from frote.rules.ruleset import RuleSet

__all__ = ["read"]

POLICIES = {"first": HitPolicy.FIRST, "collect": HitPolicy.COLLECT}
AROUND = ("inputNode", "outputNode")  # nodes without logic


def read(content: bytes, place: str) -> RuleSet:
    """Read the rules of a JSON decision model.

    Raises
    ------
    RuleSyntaxError
        With the node, row and column of what is wrong, or of what rules cannot say.

    Examples
    --------
    >>> table = b'''{"hitPolicy": "first", "inputs": [{"id": "a", "field": "age"}],
    ...     "outputs": [{"id": "b", "field": "label"}],
    ...     "rules": [{"a": "[18..29)", "b": "'approved'"}, {"a": "", "b": "'denied'"}]}'''
    >>> model = b'{"nodes": [{"type": "decisionTableNode", "name": "loans", "content": ' + table + b'}], "edges": []}'
    >>> print(read(model, "policy.jdm.json"))
    rule 1: IF age >= 18 AND age < 29 THEN approved
    rule 2: IF age < 18 OR age >= 29 OR age IS MISSING THEN denied
    """
    document = read_json(content, place)
    nodes = document.get("nodes") if isinstance(document, dict) else None
    if not isinstance(nodes, list) or not all(isinstance(node, dict) for node in nodes):
        raise RuleSyntaxError(f"{place}: is no JSON decision model; expected an object with a list of nodes.")
    logic = [node for node in nodes if node.get("type") not in AROUND]
    tables = [node for node in logic if node.get("type") == "decisionTableNode"]
    if len(logic) != 1 or not tables:
        named = ", ".join(repr(str(node.get("name"))[:40]) for node in logic[:5]) or "none"
        raise RuleSyntaxError(
            f"{place}: rules are read of a model whose one node with logic is a decision table; here there are "
            f"{len(logic)} ({named}). Keep the table alone."
        )
    return ruled(_table(tables[0], place), place)


def _table(node: dict[str, Any], place: str) -> DecisionTable:
    content = node.get("content")
    where = f"{place}, node {str(node.get('name'))[:40]!r}"
    if not isinstance(content, dict):
        raise RuleSyntaxError(f"{where}: has no content.")
    policy = POLICIES.get(str(content.get("hitPolicy")))
    if policy is None:
        raise RuleSyntaxError(f"{where}: expected the hit policy first or collect, found {content.get('hitPolicy')!r}.")
    for setting in ("inputField", "outputPath"):
        if content.get(setting):
            raise RuleSyntaxError(f"{where}: {setting} moves what the table is asked about; take it out.")
    if content.get("executionMode") not in (None, "", "single"):
        raise RuleSyntaxError(f"{where}: executionMode asks the table several times; take it out.")
    inputs, outputs, rules = (_listed(content, key, where) for key in ("inputs", "outputs", "rules"))
    unnamed = next((one for one in inputs if not _field(one)), None)
    if unnamed is not None:
        raise RuleSyntaxError(
            f"{where}: the input {str(unnamed.get('name'))[:40]!r} names no field; a cell that is an expression of its "
            "own is not read."
        )
    ids = [str(one.get("id") or "") for one in (*inputs, *outputs)]
    if "" in ids or len(set(ids)) < len(ids):
        raise RuleSyntaxError(f"{where}: an input or an output has no id, or that of another one.")
    kinds = {_field(one).casefold(): one for one in outputs}
    if len(kinds) < len(outputs):
        raise RuleSyntaxError(f"{where}: two outputs have one name.")
    sure = kinds.pop("confidence", None)
    if len(kinds) != 1:
        raise RuleSyntaxError(f"{where}: has the outputs {', '.join(map(repr, kinds))}; rules have one label.")
    (label,) = kinds.values()
    entries = []
    for number, rule in enumerate(rules, 1):

        def cell(column: dict[str, Any] | None, rule: dict[str, Any] = rule, number: int = number) -> Cell:
            text = "" if column is None else rule.get(str(column.get("id")), "")
            return Cell(str(text), f"row {number}" + (f", {_field(column)}" if column else ""))

        said = str(rule.get("_description") or "").strip()
        tests = tuple(cell(column) for column in inputs)
        remarks = (("note", said),) if said else ()
        entries.append(Entry(f"row {number}", tests, BLANK, cell(label), cell(sure), (), remarks, number))
    return DecisionTable(tuple(_field(one) for one in inputs), (), tuple(entries), Dialect.ZEN, policy)


def _listed(content: dict[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    found = content.get(key)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise RuleSyntaxError(f"{where}: {key} is no list of objects.")
    return found


def _field(column: dict[str, Any]) -> str:
    return str(column.get("field") or "").strip()
