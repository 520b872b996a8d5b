"""Decision tables as Excel files, by openpyxl: read cell by cell, nothing calculated, and written."""

from __future__ import annotations

import datetime as dt
import math
import warnings
from contextlib import closing
from typing import TYPE_CHECKING, Any

import openpyxl
from openpyxl.utils import get_column_letter

from frote.caller import warn_caller
from frote.exceptions import RuleSyntaxError, RuleWarning
from frote.exchange.decision_table import Cell
from frote.exchange.excel_layout import CHECK, laid_out
from frote.exchange.ruled import ruled
from frote.exchange.sheet import Sheet, SheetRow
from frote.exchange.unary_text import plain_number
from frote.exchange.workbook import MOST_COLUMNS, MOST_ROWS, Workbook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frote.exchange.workbook import SheetMarks
    from frote.rules.ruleset import RuleSet

__all__ = ["read", "write"]

_MIDNIGHT = dt.time()


def read(content: bytes, place: str) -> RuleSet:
    """Read the rules of an Excel file: of its one sheet that has a column headed THEN.

    Hidden rows and columns are read as all others, and told of in a warning.

    Raises
    ------
    RuleSyntaxError
        With the sheet and the cell of what is wrong.
    """
    workbook = Workbook(content, place)
    with warnings.catch_warnings(action="ignore"):  # openpyxl tells of what it leaves out: drawings, validations
        sheets = _sheets(workbook)
    if len(sheets) > 1:
        sheets = {title: sheet for title, sheet in sheets.items() if title != CHECK}
    if not sheets:
        raise RuleSyntaxError(
            f"{place}: no sheet has a column headed THEN. Give a row of headings, the names of the columns of data "
            "that are tested and THEN for the label, and a rule in each row below."
        )
    if len(sheets) > 1:
        named = " and ".join(map(repr, sheets))
        raise RuleSyntaxError(f"{place}: the sheets {named} have a column headed THEN each. Keep one policy in a file.")
    ((title, (sheet, marks, state)),) = sheets.items()
    heading = sheet.heading
    first = sheet.rows[heading].number if heading is not None else 1
    merged = next((ref for ref, last in marks.merged if last >= first), None)
    if merged is not None:
        raise RuleSyntaxError(
            f"{place}, sheet {title!r}: the cells {merged} are merged, so that most of them are blank. Unmerge them, "
            "and fill in each."
        )
    table = sheet.table()
    _tell_hidden(f"{place}, sheet {title!r}", marks, first, len(sheet.rows[first - 1].cells), state)
    return ruled(table, place)


def _sheets(workbook: Workbook) -> dict[str, tuple[Sheet, SheetMarks, str]]:
    """Return the sheets that have headings of a table, by their titles."""
    found: dict[str, tuple[Sheet, SheetMarks, str]] = {}
    try:
        with closing(openpyxl.load_workbook(workbook.repacked(), read_only=True, keep_links=False)) as book:
            for worksheet in book.worksheets:
                # Where a sheet lies in the archive is known to openpyxl alone; a test sees that it is still told so.
                marks = workbook.marks(worksheet._worksheet_path, worksheet.title)  # type: ignore[attr-defined]
                sheet = Sheet(list(_rows(worksheet, marks, workbook.place)), workbook.place)
                if sheet.heading is not None:
                    found[worksheet.title] = (sheet, marks, worksheet.sheet_state)
    except RuleSyntaxError:
        raise
    except Exception as error:  # whatever a damaged file makes openpyxl stumble over
        told = f"{type(error).__name__}: {error}"[:200]
        raise RuleSyntaxError(f"{workbook.place}: is no Excel file, or is damaged ({told}).") from None
    return found


def _rows(worksheet: Any, marks: SheetMarks, place: str) -> Iterator[SheetRow]:
    title = worksheet.title
    last = min(marks.row, MOST_ROWS)
    for number, cells in enumerate(worksheet.iter_rows(min_row=1, max_row=last, max_col=MOST_COLUMNS + 1), 1):
        filled = max((position for position, cell in enumerate(cells, 1) if cell.value is not None), default=0)
        if filled > MOST_COLUMNS:
            raise RuleSyntaxError(f"{place}, sheet {title!r}, row {number}: has more than {MOST_COLUMNS:,} columns.")
        texts = []
        for position, cell in enumerate(cells[:filled], 1):
            where = f"sheet {title!r}, cell {get_column_letter(position)}{number}"
            texts.append(Cell(_text(cell, f"{place}, {where}"), where))
        yield SheetRow(texts, f"sheet {title!r}, row {number}", number)


def _text(cell: Any, place: str) -> str:
    """Return what stands in a cell as it would be typed."""
    value = cell.value
    if cell.data_type == "f":
        formula = value if isinstance(value, str) else "an array or a table of them"
        raise RuleSyntaxError(
            f"{place}: holds a formula ({formula[:60]}), which is not calculated. Put the value in its place."
        )
    if cell.data_type == "e":
        raise RuleSyntaxError(f"{place}: holds the error {value}. Put a value in its place.")
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float) and math.isfinite(value):
        return plain_number(value)
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == _MIDNIGHT else value.isoformat(sep=" ")
    if isinstance(value, dt.date):
        return value.isoformat()
    if not isinstance(value, str):
        raise RuleSyntaxError(f"{place}: holds {value}, a time of day or a duration, which rules do not know.")
    return value


def _tell_hidden(place: str, marks: SheetMarks, first: int, width: int, state: str) -> None:
    rows = [number for number in marks.hidden_rows if number >= first]
    columns = [get_column_letter(low) for low, _ in marks.hidden_columns if low <= width]
    told = [f"row{'' if len(rows) == 1 else 's'} {_listed(map(str, rows))}"] if rows else []
    told += [f"column{'' if len(columns) == 1 else 's'} {_listed(columns)}"] if columns else []
    if state != "visible":
        told.append("the sheet itself")
    if told:
        are = "is" if len(told) == 1 and len(rows) + len(columns) <= 1 else "are"
        warn_caller(f"{place}: {' and '.join(told)} {are} hidden, and read as what is seen.", RuleWarning)


def _listed(names: Any) -> str:
    names = list(names)
    return ", ".join(names[:10]) + (f" and {len(names) - 10:,} more" if len(names) > 10 else "")


def write(rules: RuleSet, place: str) -> bytes:
    """Write rules as an Excel file: a sheet with the policy, and one that tells how they stand to one another.

    Raises
    ------
    RuleError
        If no cell can say what some rule says.
    """
    return laid_out(rules, place)
