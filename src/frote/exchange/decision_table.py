"""A decision table as a neutral value: what a sheet of a spreadsheet, a CSV file and a DMN model all become."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frote.exchange.dialects import Dialect

__all__ = ["BLANK", "Cell", "DecisionTable", "Entry", "HitPolicy"]


class HitPolicy(Enum):
    """What holds where rows of a table overlap, by DMN's names."""

    UNIQUE = "UNIQUE"
    ANY = "ANY"
    FIRST = "FIRST"
    COLLECT = "COLLECT"
    RULE_ORDER = "RULE ORDER"

    @property
    def letter(self) -> str:
        """DMN's one letter for it."""
        return self.value[0]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell.

    Parameters
    ----------
    text : str
        What stands in it, nothing for a blank one.

    place : str
        Where it is, for messages, such as "sheet 'Policy', cell B3".
    """

    text: str
    place: str

    def __bool__(self) -> bool:
        return bool(self.text.strip())


BLANK = Cell("", "")


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a decision table: one rule.

    Parameters
    ----------
    place : str
        Where it is, for messages, such as "sheet 'Policy', row 3".

    tests : tuple of Cell
        What is asked of each of the table's columns.

    name : Cell
        The rule's name, which may be blank.

    label : Cell
        The label that it sends rows to, blank if it has shares.

    confidence : Cell
        With a label: how sure it is; blank for certain.

    shares : tuple of Cell
        The probability of each of the table's classes, all blank if it has a label.

    remarks : tuple of (str, str), default=()
        What is said beside it: its owner, a note.

    number : int, default=None
        The row's number in its file.
    """

    place: str
    tests: tuple[Cell, ...]
    name: Cell = BLANK
    label: Cell = BLANK
    confidence: Cell = BLANK
    shares: tuple[Cell, ...] = ()
    remarks: tuple[tuple[str, str], ...] = ()
    number: int | None = None


@dataclass(frozen=True, slots=True)
class DecisionTable:
    """A decision table.

    Parameters
    ----------
    columns : tuple of str
        The columns of data that its entries test; one that is named twice is tested twice.

    classes : tuple of str
        The labels that have a column of shares.

    entries : tuple of Entry
        Its rows.

    dialect : Dialect
        How its cells are written.

    hit_policy : HitPolicy, default=HitPolicy.RULE_ORDER
        What holds where they overlap.

    default : Entry or None, default=None
        What holds where none of them does.
    """

    columns: tuple[str, ...]
    classes: tuple[str, ...]
    entries: tuple[Entry, ...]
    dialect: Dialect
    hit_policy: HitPolicy = HitPolicy.RULE_ORDER
    default: Entry | None = None
