"""How a decision table is laid out in the cells of a sheet, be it of a spreadsheet or a CSV file: read and laid.

Above the headings may stand a title and the hit policy. A heading is the name of a column of data, or one of ours:
RULE for the rule's name, THEN for its label, CONFIDENCE, THEN followed by a class for that class's share, OWNER, NOTE.
A column of data that is named like one of these stands in backticks. Each row below is a rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from frote.exceptions import RuleSyntaxError
from frote.exchange.decision_table import BLANK, Cell, DecisionTable, Entry, HitPolicy
from frote.exchange.dialects import Dialect
from frote.exchange.ruled import read_label
from frote.exchange.tabled import label_cell
from frote.rules.values import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["HIT_POLICY", "Sheet", "SheetRow", "headings_of", "hit_policy_named", "laid"]

HIT_POLICY = "hit policy"
RULE, THEN, CONFIDENCE = "rule", "then", "confidence"
REMARKS = ("owner", "note")
_OURS = {"rule": RULE, "name": RULE, "confidence": CONFIDENCE, **{title: title for title in REMARKS}}
_THEN = re.compile(r"then(?:\s+(?P<class>.+))?", re.IGNORECASE | re.DOTALL)
_POLICY = re.compile(r"hit\s+policy\s*:?\s*(?P<policy>.*)", re.IGNORECASE | re.DOTALL)
_LETTERS = {policy.letter: policy for policy in HitPolicy}
_NAMES = {**{policy.value: policy for policy in HitPolicy}, **_LETTERS, "MIX": HitPolicy.COLLECT}


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row of a sheet.

    Parameters
    ----------
    cells : sequence of Cell
        Its cells from the first column on.

    place : str
        What to call it in messages.

    number : int
        Its number in the file.
    """

    cells: Sequence[Cell]
    place: str
    number: int

    def is_heading(self) -> bool:
        """Tell whether the headings stand here: one of them says what follows from the others."""
        filled = [cell.text.strip() for cell in self.cells if cell]
        return any(_THEN.fullmatch(text) for text in filled) and (len(filled) > 1 or filled[0].casefold() == THEN)


@dataclass(slots=True)
class Sheet:
    """A sheet whose table is to be read.

    Parameters
    ----------
    rows : list of SheetRow
        Its rows.

    place : str
        What to call its file in messages.
    """

    rows: list[SheetRow]
    place: str
    _columns: dict[int, str] = field(default_factory=dict)
    _classes: dict[int, str] = field(default_factory=dict)
    _ours: dict[str, int] = field(default_factory=dict)
    _untitled: list[int] = field(default_factory=list)

    @property
    def heading(self) -> int | None:
        """The position of the row of headings; None if there is none."""
        return next((place for place, row in enumerate(self.rows) if row.is_heading()), None)

    def table(self) -> DecisionTable:
        """Return the decision table.

        Raises
        ------
        RuleSyntaxError
            With the place of what is wrong with its layout.
        """
        heading = self.heading
        if heading is None:
            raise RuleSyntaxError(
                f"{self.place}: has no column headed THEN. Give a row of headings, the names of the columns of data "
                "that are tested and THEN for the label, and a rule in each row below."
            )
        policy = self._hit_policy(self.rows[:heading])
        self._headings(self.rows[heading])
        entries = tuple(self._entry(row) for row in self.rows[heading + 1 :] if any(row.cells))
        columns, classes = tuple(self._columns.values()), tuple(self._classes.values())
        return DecisionTable(columns, classes, entries, Dialect.SHEET, policy)

    def _hit_policy(self, above: Iterable[SheetRow]) -> HitPolicy:
        found: HitPolicy | None = None
        for row in above:
            filled = [cell for cell in row.cells if cell]
            match = _POLICY.fullmatch(filled[0].text.strip()) if filled else None
            if match is None:
                continue
            if found is not None:
                raise RuleSyntaxError(f"{self.place}, {filled[0].place}: the hit policy stands twice. Leave one.")
            cell = filled[0] if match["policy"] or len(filled) < 2 else filled[1]
            found = hit_policy_named(match["policy"] or cell.text, f"{self.place}, {cell.place}")
        return HitPolicy.RULE_ORDER if found is None else found

    def _headings(self, row: SheetRow) -> None:
        for position, cell in enumerate(row.cells):
            text = " ".join(cell.text.split())
            then = _THEN.fullmatch(cell.text.strip())
            if not text:
                self._untitled.append(position)
            elif len(text) >= 2 and text[0] == text[-1] == "`":
                self._columns[position] = cell.text.strip()[1:-1].replace("``", "`")
            elif then is not None and then["class"]:
                label = read_label(then["class"], Dialect.SHEET)
                if label in self._classes.values():
                    raise RuleSyntaxError(
                        f"{self.place}, {cell.place}: another column has the shares of {label!r} too."
                    )
                self._classes[position] = label
            elif then is not None or text.casefold() in _OURS:
                ours = THEN if then is not None else _OURS[text.casefold()]
                if ours in self._ours:
                    raise RuleSyntaxError(
                        f"{self.place}, {cell.place}: another column is headed {ours.upper()} too. Keep one; a column "
                        f"of data of that name is headed `{text}`, in backticks."
                    )
                self._ours[ours] = position
            else:
                self._columns[position] = text

    def _entry(self, row: SheetRow) -> Entry:
        def at(position: int | None) -> Cell:
            return row.cells[position] if position is not None and position < len(row.cells) else BLANK

        headed = {*self._columns, *self._classes, *self._ours.values()}
        stray = next((cell for place, cell in enumerate(row.cells) if cell and place not in headed), None)
        if stray is not None:
            raise RuleSyntaxError(f"{self.place}, {stray.place}: stands in a column without a heading. Give it one.")
        remarks = ((title, at(self._ours.get(title)).text.strip()) for title in REMARKS)
        return Entry(
            row.place,
            tuple(at(position) for position in self._columns),
            at(self._ours.get(RULE)),
            at(self._ours.get(THEN)),
            at(self._ours.get(CONFIDENCE)),
            tuple(at(position) for position in self._classes),
            tuple((title, text) for title, text in remarks if text),
            row.number,
        )


def hit_policy_named(name: str, place: str) -> HitPolicy:
    """Return a hit policy by its name or its letter.

    Examples
    --------
    >>> hit_policy_named("f", "cell B1")
    <HitPolicy.FIRST: 'FIRST'>
    """
    policy = _NAMES.get(" ".join(name.upper().split()))
    if policy is None:
        known = ", ".join(policy.value for policy in HitPolicy)
        raise RuleSyntaxError(f"{place}: expected a hit policy ({known}), found {name.strip()[:60]!r}.")
    return policy


def headings_of(table: DecisionTable) -> list[str]:
    """Return the headings of a table's columns, in their order: what is asked, what follows, what is said beside it."""
    titles = [title for title in REMARKS if any(title in dict(entry.remarks) for entry in table.entries)]
    sure = [CONFIDENCE.upper()] if any(entry.confidence for entry in table.entries) else []
    then = [THEN.upper()] if any(entry.label for entry in table.entries) or not table.classes else []
    shares = [f"{THEN.upper()} {label_cell(label)}" for label in table.classes]
    return [RULE.upper(), *map(_heading, table.columns), *then, *sure, *shares, *(title.upper() for title in titles)]


def _heading(column: str) -> str:
    """Write a column of data as a heading: as it stands, or in backticks where it would be read as something else."""
    plain = column and column == " ".join(column.split()) and column.casefold() not in _OURS
    plain = plain and not _THEN.fullmatch(column) and not re.match(r"[`=+\-@]", column)
    return column if plain else quoted(column, "`")


def laid(table: DecisionTable) -> list[list[str]]:
    """Lay a table out: the rows of headings and rules, each as the texts of its cells."""
    headings = headings_of(table)
    has_then, has_sure = THEN.upper() in headings, CONFIDENCE.upper() in headings
    titles = [title for title in REMARKS if title.upper() in headings]
    rows = [headings]
    for entry in table.entries:
        outcome = [entry.label] * has_then + [entry.confidence] * has_sure + list(entry.shares)
        said = [dict(entry.remarks).get(title, "") for title in titles]
        rows.append([entry.name.text, *(cell.text for cell in (*entry.tests, *outcome)), *said])
    return rows
