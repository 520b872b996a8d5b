"""Decision tables to rules: each row's cells read as conditions and an outcome, all mistakes told with their cells."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from frote.exceptions import RuleError, RuleSyntaxError
from frote.exchange.dialects import Dialect, read_text
from frote.exchange.hit_policies import ruled_by
from frote.exchange.unary import read_tests
from frote.rules.clause import Clause, infer_schema
from frote.rules.lexer import MOST_FAULTS, Fault, tokenize, with_carets
from frote.rules.outcome import Outcome
from frote.rules.partition import cut_out
from frote.rules.reader import Reader
from frote.rules.rule import Rule
from frote.rules.ruleset import FreeNames, RuleSet
from frote.rules.sum_reader import as_message
from frote.rules.text import is_name
from frote.rules.work import Work

if TYPE_CHECKING:
    from frote.exchange.decision_table import Cell, DecisionTable, Entry
    from frote.rules.condition import Condition
    from frote.rules.linear import Key

__all__ = ["OTHERWISE", "ruled"]

OTHERWISE = "otherwise"  # the name of the rule for what no other covers
MOST_ROWS = 100_000

_QUOTED = re.compile(r"(?P<quote>['\"`])(?P<inner>.*)(?P=quote)(?P<piece>/[0-9]+)?", re.DOTALL)
_PIECE = re.compile(r"(?P<origin>.*\S)/[0-9]+", re.DOTALL)


def ruled(table: DecisionTable, place: str) -> RuleSet:
    """Return the rules of a decision table.

    Parameters
    ----------
    table : DecisionTable
        The table.

    place : str
        What to call its file in messages.

    Returns
    -------
    RuleSet

    Raises
    ------
    RuleSyntaxError
        With all cells that are wrong, what was expected there and what stands there; or if rows overlap though the hit
        policy promises that none do.
    """
    if len(table.entries) > MOST_ROWS:
        raise RuleSyntaxError(f"{place}: has more than {MOST_ROWS:,} rows. Split it, or check that it is a policy.")
    reading = _Reading(table)
    drafts = [draft for draft in map(reading.row, table.entries) if draft is not None]
    otherwise = None if table.default is None else reading.row(table.default)
    if reading.faults:
        shown = [f"{place}, {fault}" for fault in reading.faults[:MOST_FAULTS]]
        more = len(reading.faults) - MOST_FAULTS
        head = [f"{len(reading.faults)} errors in the rules:"] if len(shown) > 1 else []
        raise RuleSyntaxError("\n".join([*head, *shown, *([f"... and {more} more"] if more > 0 else [])]))
    unnamed = FreeNames(reading.taken)
    try:
        rules = RuleSet(
            Rule(
                draft.name or unnamed.give(number),
                Clause.of(draft.conditions),
                draft.outcome,
                draft.origin,
                line=draft.entry.number,
                dotted=tuple(draft.dotted),
                remarks=draft.entry.remarks,
            )
            for number, draft in enumerate(drafts, 1)
        )
    except RuleError as error:
        raise RuleSyntaxError(f"{place}: {error}") from None
    decided = ruled_by(table.hit_policy, rules, place)
    return decided if otherwise is None else _with_rest(rules, decided, otherwise, place)


@dataclass(slots=True)
class _Draft:
    """What was read of a row."""

    entry: Entry
    outcome: Outcome
    name: str = ""
    origin: str = ""
    conditions: dict[Key, Condition] = field(default_factory=dict)
    dotted: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Reading:
    """The rows of a table, read one by one; mistakes are collected."""

    table: DecisionTable
    faults: list[str] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)

    def row(self, entry: Entry) -> _Draft | None:
        faults_before = len(self.faults)
        draft = _Draft(entry, self.outcome(entry) or Outcome.of("none"))
        for column, cell in zip(self.table.columns, entry.tests, strict=True):
            try:
                read = read_tests(cell.text, column, self.table.dialect, self.table.columns)
            except Fault as fault:
                self.wrong(cell, fault)
                continue
            except RuleError as error:
                self.wrong(cell, Fault(as_message(error), 0, len(cell.text)))
                continue
            before = draft.conditions.get(read.key)
            draft.conditions[read.key] = read.condition if before is None else before & read.condition
            draft.dotted += read.dotted
        if entry.name:
            self.name(entry.name, draft)
        return draft if len(self.faults) == faults_before else None

    def name(self, cell: Cell, draft: _Draft) -> None:
        draft.name, draft.origin = _named(cell.text.strip())
        if not is_name(draft.name) or not is_name(draft.origin):
            self.wrong(cell, Fault("a rule's name is one line of text without control characters", 0, len(cell.text)))
        elif draft.name in self.taken:
            message = f"another row is named {draft.name!r} too; give each a name of its own"
            self.wrong(cell, Fault(message, 0, len(cell.text)))
        self.taken |= {draft.name, draft.origin}

    def outcome(self, entry: Entry) -> Outcome | None:
        """Read where a row sends the label: a label, one with a confidence, or a share for each class."""
        shares = {label: cell for label, cell in zip(self.table.classes, entry.shares, strict=True) if cell}
        if shares and entry.label:
            self.faults.append(f"{entry.place}: has a label and shares of classes; keep one of both.")
        elif not shares and not entry.label:
            self.faults.append(
                f"{entry.place}: says no outcome; fill in its label, or take the row away (notes stand on top)."
            )
        elif shares and entry.confidence:
            self.faults.append(f"{entry.confidence.place}: a confidence goes with a label, not with shares of classes.")
        else:
            return self.distribution(entry, shares) if shares else self.labelled(entry)
        return None

    def labelled(self, entry: Entry) -> Outcome | None:
        cell = entry.label
        try:
            label = read_label(cell.text, self.table.dialect)
            cell = entry.confidence
            confidence = _probability(cell.text, "a confidence between 0 and 1") if cell else 1.0
            return Outcome.of(label, confidence=confidence)
        except Fault as fault:
            self.wrong(cell, fault)
        except RuleError as error:
            self.wrong(cell, Fault(as_message(error), 0, len(cell.text)))
        return None

    def distribution(self, entry: Entry, cells: dict[str, Cell]) -> Outcome | None:
        shares = {}
        for label, cell in cells.items():
            try:
                shares[label] = _probability(cell.text, "a share between 0 and 1")
            except Fault as fault:
                self.wrong(cell, fault)
        try:
            return Outcome.of(shares) if len(shares) == len(cells) else None
        except RuleError as error:
            self.faults.append(f"{entry.place}: {error}")
        return None

    def wrong(self, cell: Cell, fault: Fault) -> None:
        begin = cell.text.rfind("\n", 0, fault.start) + 1
        line = cell.text[begin:].partition("\n")[0].rstrip()
        start = min(fault.start - begin, len(line))
        self.faults.append(f"{cell.place}: {fault.message}\n{with_carets(line, start, fault.length)}")


def read_label(text: str, dialect: Dialect) -> str:
    """Read a label: as it stands in a sheet, or taken out of its quotes.

    Examples
    --------
    >>> read_label(" >50K ", Dialect.SHEET), read_label('"in a year"', Dialect.FEEL)
    ('>50K', 'in a year')
    """
    quoted = read_text(text.strip(), dialect)
    if quoted is not None:
        return quoted
    bare = text.strip()
    if dialect is Dialect.SHEET:
        return bare
    if bare in ("true", "false") or re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?", bare):
        return bare
    raise Fault(f"expected a label in double quotes, found {bare!r} (nothing is calculated)", 0, len(text))


def _probability(text: str, what: str) -> float:
    reader = Reader(text, tokenize(text, 0, len(text)))
    start = reader.here.start
    number = reader.probability(what)
    if reader.here.kind != "end":
        reader.fail("the end of the cell")
    if not 0 <= number <= 1:
        raise Fault(f"expected {what}, found {number:g}", start, len(text.strip()))
    return number


def _named(text: str) -> tuple[str, str]:
    """Return the name and the origin that a cell says: `young/2` is a piece of `young`, unless it stands in quotes."""
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        inner = quoted["inner"].replace(quoted["quote"] * 2, quoted["quote"])
        return inner + (quoted["piece"] or ""), inner
    words = " ".join(text.split())
    piece = _PIECE.fullmatch(words)
    return words, piece["origin"] if piece else words


def _with_rest(rules: RuleSet, decided: RuleSet, otherwise: _Draft, place: str) -> RuleSet:
    """Add a rule for all rows that none covers."""
    schema = infer_schema(rule.clause for rule in rules)
    covered = [rule.clause.settled(schema) for rule in rules if not rule.clause.is_empty(schema)]
    try:
        left = cut_out(Clause(), covered, schema, Work(len(rules)))
    except RuleError as error:
        raise RuleSyntaxError(f"{place}: what holds otherwise cannot be told. {error}") from None
    name = FreeNames({*decided.names, *decided.origins}, OTHERWISE)
    origin = OTHERWISE if OTHERWISE not in name.taken else name.give(2)
    return decided + RuleSet(
        Rule(origin if len(left) == 1 else f"{origin}/{number}", clause, otherwise.outcome, origin)
        for number, clause in enumerate(left, 1)
    )
