"""Rules to decision tables: each rule a row, each column of data a column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from frote.exceptions import RuleError
from frote.exchange.cell_sums import sum_cells
from frote.exchange.decision_table import BLANK, Cell, DecisionTable, Entry
from frote.exchange.dialects import Dialect, read_text
from frote.exchange.hit_policies import policy_of
from frote.exchange.unary import read_tests
from frote.exchange.unary_text import condition_cell, feel_text, plain_number
from frote.rules.clause import Clause
from frote.rules.condition import Condition
from frote.rules.sum_reader import as_message
from frote.rules.values import quoted

if TYPE_CHECKING:
    from frote.rules.linear import Key
    from frote.rules.rule import Rule
    from frote.rules.ruleset import RuleSet

__all__ = ["label_cell", "name_cell", "tabled"]

_PIECE = re.compile(r"/[0-9]+\Z")


def tabled(rules: RuleSet, dialect: Dialect, place: str) -> DecisionTable:
    """Return the decision table of rules.

    Parameters
    ----------
    rules : RuleSet
        The rules.

    dialect : Dialect
        How cells are written.

    place : str
        What to call the table's file in messages.

    Returns
    -------
    DecisionTable

    Raises
    ------
    RuleError
        If a cell cannot say what a rule says, with the rule's name.

    Examples
    --------
    >>> import frote
    >>> rules = frote.parse_rules("young: IF age < 29 AND purpose != 'car' THEN approved WITH CONFIDENCE 0.8")
    >>> table = tabled(rules, Dialect.SHEET, "policy.csv")
    >>> table.columns, [cell.text for cell in table.entries[0].tests], table.hit_policy.value
    (('age', 'purpose'), ['< 29', 'not(car, missing)'], 'UNIQUE')
    """
    classes = dict.fromkeys(label for rule in rules if _is_shared(rule) for label in rule.outcome.labels)
    asked = [_cells(rule, rules.columns, dialect, place) for rule in rules]
    # Two cells of one column, both of which are to be met, take a column of that heading each.
    columns = tuple(
        name for name in rules.columns for _ in range(max((len(cells.get(name, "-")) for cells in asked), default=1))
    )
    entries = tuple(
        _entry(rule, _spread(cells, columns), tuple(classes), dialect) for rule, cells in zip(rules, asked, strict=True)
    )
    return DecisionTable(columns, tuple(classes), entries, dialect, policy_of(rules))


def _cells(rule: Rule, columns: tuple[str, ...], dialect: Dialect, place: str) -> dict[str, list[str]]:
    """Return what is asked of columns, each in one cell or more."""
    cells: dict[str, list[str]] = {}
    read: dict[Key, Condition] = {}
    for key, condition in rule.clause:
        try:
            if isinstance(key, str):
                host, own = key, [condition_cell(condition, dialect)]
            else:
                host, own = sum_cells(key, condition, dialect, cells)
        except RuleError as error:
            what = f"lets into column {key!r} " if isinstance(key, str) else ""
            raise _unsayable(place, rule, f"{what}{as_message(error)}") from None
        cells.setdefault(host, []).extend(own)
        for cell in own:
            found = read_tests(cell, host, dialect, columns)
            read[found.key] = found.condition & read.get(found.key, Condition.anything())
        # Whatever conditions come to be, none is written that would be read as another.
        if dict(Clause.of(read)).get(key) != condition:
            asked = f"of column {key!r}" if isinstance(key, str) else f"of {key}"
            raise _unsayable(place, rule, f"asks {asked} what would be read as another condition")
    return cells


def _spread(cells: dict[str, list[str]], columns: tuple[str, ...]) -> tuple[Cell, ...]:
    waiting = {name: iter(texts) for name, texts in cells.items()}
    return tuple(Cell(next(waiting.get(name, iter(())), "-"), "") for name in columns)


def _is_shared(rule: Rule) -> bool:
    return len(rule.outcome.probabilities) > 1


def _entry(rule: Rule, tests: tuple[Cell, ...], classes: tuple[str, ...], dialect: Dialect) -> Entry:
    name = Cell(name_cell(rule.name, rule.origin), "")
    if _is_shared(rule):
        shares = tuple(Cell(plain_number(rule.outcome[label]) if rule.outcome[label] else "", "") for label in classes)
        return Entry("", tests, name, shares=shares, remarks=rule.remarks)
    ((label, share),) = rule.outcome.probabilities
    written = label_cell(label) if dialect is Dialect.SHEET else feel_text(label)
    confidence = Cell(plain_number(share), "") if rule.outcome.rest else BLANK
    blank = (BLANK,) * len(classes)
    return Entry("", tests, name, Cell(written, ""), confidence, blank, rule.remarks)


def _unsayable(place: str, rule: Rule, what: str) -> RuleError:
    return RuleError(
        f"{place}: rule {rule.name!r} {what}, which no cell of a decision table can say. Write the rule otherwise, or "
        "leave it out."
    )


def name_cell(name: str, origin: str) -> str:
    """Write a rule's name so that it reads back as the same name and origin.

    Examples
    --------
    >>> print(name_cell("young/2", "young"), name_cell("support 24/7", "support 24/7"))
    young/2 'support 24/7'
    """
    plain = " ".join(origin.split()) == origin and not re.match(r"['\"`=+\-@]", origin)
    if origin != name:
        return name if plain else quoted(origin) + name[len(origin) :]
    return name if plain and not _PIECE.search(name) else quoted(name)


def label_cell(label: str) -> str:
    """Write a label as it stands, or in quotes where it would be read as another one, or taken for a formula.

    Examples
    --------
    >>> print(label_cell(">50K"), label_cell(""), label_cell("=A1"))
    >50K "" "=A1"
    """
    plain = label and label == label.strip() and read_text(label, Dialect.SHEET) is None
    return label if plain and not re.match(r"['\"`=+\-@]", label) else quoted(label, '"')
