"""Decision tables of DMN models, read: one table of unary tests in a file, of DMN 1.1 to 1.5."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote.caller import warn_caller
from frote.exceptions import RuleSyntaxError, RuleWarning
from frote.exchange.decision_table import BLANK, Cell, DecisionTable, Entry
from frote.exchange.dialects import Dialect
from frote.exchange.dmn_text import SPACES, is_feel_name, share_of, written
from frote.exchange.ruled import ruled
from frote.exchange.sheet import hit_policy_named
from frote.exchange.xml_read import read_xml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frote.exchange.xml_read import Element
    from frote.rules.ruleset import RuleSet

__all__ = ["read", "write"]

CALCULATED = "inputs are columns of data, so calculate it there"
_FEEL = re.compile(r"(?i)feel|https?://\S*/feel/?")
_LOGIC = ("decision", "businessKnowledgeModel", "decisionService", "import")
_EXPRESSIONS = (
    *("decisionTable", "literalExpression", "context", "invocation", "relation", "list", "functionDefinition"),
    *("conditional", "filter", "for", "every", "some"),
)
_NAMES = ("rule", "name")


def read(content: bytes, place: str) -> RuleSet:
    """Read the rules of a DMN model: of its decision table, which must be all the logic that it has.

    Raises
    ------
    RuleSyntaxError
        With the line of what is wrong, or of what rules cannot say.
    """
    root = read_xml(content, place)
    if root.name != "definitions" or "DMN" not in root.space.upper():
        raise RuleSyntaxError(f"{place}: is no DMN model, but XML that begins with <{root.name[:60]}>.")
    if root.space not in SPACES.values():
        raise RuleSyntaxError(
            f"{place}: is of another version of DMN ({root.space}) than {', '.join(SPACES)}. Save it as one of these."
        )
    return ruled(_Model(root, place).table(), place)


def write(rules: RuleSet, place: str) -> bytes:
    """Write rules as a DMN model of version 1.3.

    Raises
    ------
    RuleError
        If DMN cannot say what some rule says.
    """
    return written(rules, place)


@dataclass(slots=True)
class _Model:
    """A DMN model of which the decision table is taken."""

    root: Element
    place: str

    def table(self) -> DecisionTable:
        table = self.only_table()
        policy = table.get("hitPolicy") or "UNIQUE"
        if table.get("aggregation"):
            raise self.wrong(
                table, f"the hits of the table are put together by {table.get('aggregation')}, which labels cannot be"
            )
        columns = [self.column(clause) for clause in table.all("input")]
        outputs = [self.output(clause) for clause in table.all("output")]
        self.require_known(table, outputs)
        annotations = [clause.get("name") or clause.get("label") or "note" for clause in table.all("annotation")]
        entries = [
            self.entry(rule, columns, outputs, annotations, number) for number, rule in enumerate(table.all("rule"), 1)
        ]
        unused = [name for name, clause in zip(columns, table.all("input"), strict=True) if clause.first("inputValues")]
        if unused:
            warn_caller(
                f"{self.place}: lists the values that {', '.join(map(repr, unused))} may have, which is no part of "
                "rules and is left out: data may have others too.",
                RuleWarning,
            )
        defaults = [self.default(clause, name) for clause, name in zip(table.all("output"), outputs, strict=True)]
        default = None
        if any(defaults):
            blank = (BLANK,) * len(columns)
            default = self.outcome_of(f"line {table.line}", blank, outputs, defaults)
        return DecisionTable(
            tuple(columns),
            tuple(label for kind, label in outputs if kind == "share"),
            tuple(entries),
            Dialect.FEEL,
            hit_policy_named(policy, f"{self.place}, line {table.line}"),
            default,
        )

    def only_table(self) -> Element:
        """Return the decision table; any other logic of the model would be dropped."""
        logic = [child for child in self.root.children if child.name in _LOGIC and child.space == self.root.space]
        tables = [(one, one.first("decisionTable")) for one in logic if one.name == "decision"]
        found = [(decision, table) for decision, table in tables if table is not None]
        if not found:
            raise RuleSyntaxError(f"{self.place}: holds no decision table. Give the model of one.")
        decision, table = found[0]
        others = [one for one in logic if one is not decision]
        if others:
            named = ", ".join(repr(one.get("name") or one.name) for one in others[:5])
            raise self.wrong(
                others[0],
                f"beside {decision.get('name')!r} there is other logic ({named}), which rules cannot take over; keep "
                "one decision table in the model",
            )
        beside = [one for one in decision.children if one.name in _EXPRESSIONS]
        if len(beside) > 1:
            raise self.wrong(beside[1], "the decision has other logic beside its table, which rules cannot take over")
        for element in (self.root, table, *table.descendants()):
            language = element.get("expressionLanguage")
            if language and not _FEEL.fullmatch(language):
                raise self.wrong(element, f"expressions are in {language[:60]!r}; only FEEL is read")
        return table

    def column(self, clause: Element) -> str:
        expression = clause.first("inputExpression")
        text = " ".join((_text(expression) or clause.get("label")).split())
        if not is_feel_name(text):
            raise self.wrong(clause, f"expected the name of a column, found {text[:60]!r}; {CALCULATED}")
        return text

    def output(self, clause: Element) -> tuple[str, str]:
        """Return what an output says, "label", "confidence" or "share", and of a share its class."""
        for title in (clause.get("label"), clause.get("name")):
            label = share_of(title)
            if label is not None:
                return "share", label
        if "confidence" in (clause.get("name").casefold(), clause.get("label").casefold()):
            return "confidence", ""
        return "label", clause.get("name") or clause.get("label") or "label"

    def require_known(self, table: Element, outputs: list[tuple[str, str]]) -> None:
        labels = [name for kind, name in outputs if kind == "label"]
        if len(labels) > 1 or sum(kind == "confidence" for kind, _ in outputs) > 1:
            raise self.wrong(
                table,
                f"has the outputs {', '.join(map(repr, labels))}; rules have one label, with an output 'confidence' or "
                "outputs 'share of' each class beside it",
            )

    def entry(
        self,
        rule: Element,
        columns: list[str],
        outputs: list[tuple[str, str]],
        annotations: list[str],
        number: int,
    ) -> Entry:
        where = f"line {rule.line}, rule {number}"
        tests = [self.cell(entry, f"input {index}") for index, entry in enumerate(rule.all("inputEntry"), 1)]
        results = [self.cell(entry, f"output {index}") for index, entry in enumerate(rule.all("outputEntry"), 1)]
        said = [self.text_of(entry) for entry in rule.all("annotationEntry")]
        if len(tests) != len(columns) or len(results) != len(outputs) or len(said) > len(annotations):
            raise self.wrong(rule, f"the entries of rule {number} are not those that the table has clauses for")
        tests = [Cell(cell.text, f"{cell.place} ({name})") for cell, name in zip(tests, columns, strict=True)]
        remarks: dict[str, str] = {}
        description = rule.first("description")
        texts = [
            *zip(annotations, said, strict=False),
            ("note", "" if description is None else description.text.strip()),
        ]
        for title, text in texts:
            if text and remarks.get(title) != text:
                remarks[title] = f"{remarks[title]}; {text}" if title in remarks else text
        name = next((remarks.pop(title) for title in list(remarks) if title.casefold() in _NAMES), rule.get("label"))
        return self.outcome_of(where, tests, outputs, results, Cell(name, where), tuple(remarks.items()), rule.line)

    def outcome_of(
        self,
        place: str,
        tests: Sequence[Cell],
        outputs: list[tuple[str, str]],
        results: list[Cell],
        name: Cell = BLANK,
        remarks: tuple[tuple[str, str], ...] = (),
        number: int | None = None,
    ) -> Entry:
        by_kind: dict[str, list[Cell]] = {"label": [], "confidence": [], "share": []}
        for (kind, _), cell in zip(outputs, results, strict=True):
            by_kind[kind].append(BLANK if cell.text.strip() == "null" else cell)
        (label,), (sure,) = (by_kind[kind] or [BLANK] for kind in ("label", "confidence"))
        return Entry(place, tuple(tests), name, label, sure, tuple(by_kind["share"]), remarks, number)

    def default(self, clause: Element, output: tuple[str, str]) -> Cell:
        entry = clause.first("defaultOutputEntry")
        return BLANK if entry is None else self.cell(entry, f"default of {output[1] or output[0]}")

    def cell(self, entry: Element, what: str) -> Cell:
        return Cell(self.text_of(entry), f"line {entry.line}, {what}")

    def text_of(self, entry: Element) -> str:
        """Return what an entry says, all of which stands in one text."""
        inner = entry.all("text")
        if len(inner) > 1 or entry.text.strip() or any(one.children for one in inner):
            raise self.wrong(entry, "an entry says what it says in one <text>, without other elements in it")
        return inner[0].text.strip() if inner else ""

    def wrong(self, element: Element, what: str) -> RuleSyntaxError:
        return RuleSyntaxError(f"{self.place}, line {element.line}: {what}.")


def _text(element: Element | None) -> str:
    inner = None if element is None else element.first("text")
    return "" if inner is None else inner.text
