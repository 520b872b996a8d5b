"""An Excel file of rules as a person would lay it out: a sheet with the policy, and one that tells how rules stand."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from typing import TYPE_CHECKING, Any

import openpyxl
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.properties import PageSetupProperties

from frote.exceptions import RuleError
from frote.exchange.checked import remarks_on
from frote.exchange.decision_table import HitPolicy
from frote.exchange.dialects import Dialect
from frote.exchange.sheet import HIT_POLICY, laid
from frote.exchange.tabled import tabled
from frote.exchange.xml_read import require_xml_text
from frote.rules.text import shortened
from frote.rules.values import as_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frote.exchange.decision_table import DecisionTable
    from frote.rules.ruleset import RuleSet

__all__ = ["CHECK", "laid_out"]

POLICY, CHECK = "Policy", "Check"
MEANING = {
    HitPolicy.UNIQUE: "no two rows apply to the same case",
    HitPolicy.ANY: "where several rows apply, they say the same",
    HitPolicy.RULE_ORDER: f"some rows apply to the same case and disagree: see the sheet {CHECK}",
}
LONGEST = 32_767  # characters of a cell
EXACT = 10**15  # beyond it Excel rounds a number
NARROWEST, WIDEST = 14, 44  # characters of a column
HEIGHT, HIGHEST = 15, 20  # points of a line, and lines of a row

_ESCAPED = re.compile(r"_x[0-9A-Fa-f]{4}_|x005F_")  # what Excel, and openpyxl, take for another character
_THIN = Side(style="thin", color="BFC7D1")
_GRID = Border(_THIN, _THIN, _THIN, _THIN)
_ASKED, _FOLLOWS, _BESIDE = (PatternFill("solid", start_color=color) for color in ("1F3A5F", "2E6B4F", "6B7280"))
_WHITE = Font(name="Calibri", size=11, bold=True, color="FFFFFF")
_BOLD = Font(name="Calibri", size=11, bold=True)
_GREY = Font(name="Calibri", size=11, italic=True, color="6B7280")
_TOP = Alignment(vertical="top", wrap_text=True)
_FIRST_DAY = dt.datetime(2000, 1, 1)


def laid_out(rules: RuleSet, place: str) -> bytes:
    """Return the content of an Excel file of rules; the same rules give the same bytes.

    Raises
    ------
    RuleError
        If no cell can say what some rule says.
    """
    table = tabled(rules, Dialect.SHEET, place)
    book = openpyxl.Workbook()
    policy = book.active
    assert policy is not None, "a new workbook has a sheet"
    policy.title = POLICY
    _lay_policy(policy, table, rules, place)
    _lay_check(book.create_sheet(CHECK), rules)
    for sheet in book.worksheets:  # printed on sheets as wide as the table
        sheet.page_setup.orientation = "landscape"
        sheet.page_setup.fitToHeight = False
        sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    packed = io.BytesIO()
    book.properties.created = _FIRST_DAY
    book.save(packed)
    return _dateless(packed.getvalue())


def _lay_policy(sheet: Any, table: DecisionTable, rules: RuleSet, place: str) -> None:
    rows = laid(table)
    top = 3
    _put(sheet, 1, 1, HIT_POLICY, font=_BOLD)
    _put(sheet, 1, 2, table.hit_policy.value)
    _put(sheet, 1, 3, MEANING[table.hit_policy], font=_GREY)
    asked = 1 + len(table.columns)
    for column, heading in enumerate(rows[0], 1):
        require_cell(heading, place, rules[0].name if rules else "")
        beside = column == 1 or heading in ("OWNER", "NOTE")
        fill = _BESIDE if beside else _ASKED if column <= asked else _FOLLOWS
        _put(sheet, top, column, heading, font=_WHITE, fill=fill, border=_GRID, alignment=_TOP)
    for number, (rule, texts) in enumerate(zip(rules, rows[1:], strict=True), top + 1):
        for column, text in enumerate(texts, 1):
            require_cell(text, place, rule.name)
            _put(sheet, number, column, _native(text) if column > 1 else text, border=_GRID, alignment=_TOP)
    sheet.freeze_panes = f"B{top + 1}"
    _fit(sheet, top)


def _lay_check(sheet: Any, rules: RuleSet) -> None:
    summary, lines = remarks_on(rules)
    _put(sheet, 1, 1, shown(summary), font=_BOLD)
    _put(sheet, 2, 1, "Written with the policy, and not read back: change the sheet Policy.", font=_GREY)
    for column, heading in enumerate(("Rule", "As text", "To know"), 1):
        _put(sheet, 4, column, heading, font=_WHITE, fill=_BESIDE, border=_GRID, alignment=_TOP)
    for number, line in enumerate(lines, 5):
        for column, text in enumerate(line, 1):
            _put(sheet, number, column, shown(text), border=_GRID, alignment=_TOP)
    sheet.freeze_panes = "B5"
    _fit(sheet, 4, (24, 80, 60))


def _put(sheet: Any, row: int, column: int, value: str | float, **looks: Any) -> None:
    cell = sheet.cell(row, column)
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"  # never a formula, whatever it begins with
    for name, look in looks.items():
        setattr(cell, name, look)


def _native(text: str) -> str | float:
    """Return a number as a number, where openpyxl writes enough of its digits and Excel keeps them."""
    value = as_value(text)
    exact = isinstance(value, int | float) and abs(value) < EXACT and float(f"{value:.16g}") == value
    return value if exact and isinstance(value, int | float) else text


def _fit(sheet: Any, top: int, widths: Sequence[int] | None = None) -> None:
    """Make columns as wide as what stands in them, within measure, and rows as high as it takes to show all of it."""
    if widths is None:
        longest = [max(_length(cell.value) for cell in cells) for cells in sheet.iter_cols(min_row=top)]
        widths = [min(max(length + 4, NARROWEST), WIDEST) for length in longest]
    for column, width in enumerate(widths, 1):
        sheet.column_dimensions[get_column_letter(column)].width = width
    for row in sheet.iter_rows(min_row=top):
        lines = max(-(-_length(cell.value) * 11 // (width * 10)) for cell, width in zip(row, widths, strict=False))
        sheet.row_dimensions[row[0].row].height = HEIGHT * min(max(lines, 1), HIGHEST)


def _length(value: object) -> int:
    return len(str(value)) if value is not None else 0


def require_cell(text: str, place: str, name: str) -> None:
    """Refuse a text that no cell can hold and give back."""
    require_xml_text(text, place, name)
    strange = _ESCAPED.search(text)
    if len(text) > LONGEST or strange or "\r" in text:
        what = (
            f"a cell of {len(text):,} characters"
            if len(text) > LONGEST
            else f"the text {strange[0] if strange else chr(13)!r}"
        )
        raise RuleError(
            f"{place}: rule {name!r} takes {what}, which Excel does not keep as it is. Split the rule, or leave it out."
        )


def shown(text: str) -> str:
    """Return a text for people, as a cell can hold it."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "?" for sign in shortened(text, 5_000))


def _dateless(content: bytes) -> bytes:
    """Return an archive with the time of its making taken out."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as after:
        for part in before.infolist():
            data = before.read(part)
            if part.filename == "docProps/core.xml":
                data = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>2000-01-01T00:00:00Z", data)
            after.writestr(zipfile.ZipInfo(part.filename, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()
