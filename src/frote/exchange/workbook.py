"""Excel files looked at before openpyxl reads them: what they unpack to, whether their XML is harmless, what is hidden.

openpyxl alone would make a cell of each one that is merged, be it a billion, and tells hidden rows only where it reads
a whole file at once. Here, every part is unpacked once, within bounds, and gone through without being kept.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass, field

from openpyxl.utils import column_index_from_string

from frote.exceptions import RuleSyntaxError
from frote.exchange.xml_read import walk_xml
from frote.unpacked import unpacked

__all__ = ["MOST_COLUMNS", "MOST_ROWS", "SheetMarks", "Workbook"]

MOST_BYTES = 32 * 2**20  # that all parts unpack to
MOST_PARTS = 1_000
MOST_TAGS = 200_000  # of a part that is no sheet, such as the styles, and of what a sheet has beside its cells
MOST_STRINGS = 1_000_000  # tags of the texts of all sheets
MOST_CELLS = 300_000
MOST_ROWS, MOST_COLUMNS = 100_000, 1_000

_DAMAGES = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError, OSError)
OLD = b"\xd0\xcf\x11\xe0"
_MACROS = re.compile(r"(?i)vbaproject\.bin$|/macrosheets/|/dialogsheets/")
_DECLARES = re.compile(rb"<\0?!\0?[Dd]\0?[Oo]\0?[Cc]\0?[Tt]")
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main "


@dataclass(slots=True)
class SheetMarks:
    """What a sheet has beside its values.

    Parameters
    ----------
    merged : list of (str, int)
        Ranges of cells that are merged, with the last row of each.

    hidden_rows : list of int
        Rows that are hidden, and have cells.

    hidden_columns : list of (int, int)
        Columns that are hidden, as the first and the last one.

    cells : int
        How many cells it has.

    row : int
        The last row.
    """

    merged: list[tuple[str, int]] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    cells: int = 0
    row: int = 0


@dataclass(slots=True)
class Workbook:
    """An Excel file as a zip archive whose parts are harmless.

    Parameters
    ----------
    content : bytes
        The file's content.

    place : str
        What to call the file in messages.

    parts : dict of str to bytes
        What its parts unpack to, each once.

    Raises
    ------
    RuleSyntaxError
        If it is no such file, holds macros, or unpacks to more than a policy can be.
    """

    content: bytes
    place: str
    parts: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.content.startswith(OLD):
            raise RuleSyntaxError(
                f"{self.place}: is an old Excel file (.xls), or has a password. Save it as .xlsx, without a password."
            )
        try:
            with zipfile.ZipFile(io.BytesIO(self.content)) as archive:
                self._require_small(archive.infolist())
                for part in archive.infolist():
                    self.parts[part.filename] = unpacked(archive, part)
            self._require_harmless()
        except RuleSyntaxError:
            raise
        except (*_DAMAGES, ValueError) as error:  # such as a part before the beginning of the file
            raise RuleSyntaxError(f"{self.place}: is no Excel file, or is damaged ({error}).") from None

    def _require_small(self, parts: list[zipfile.ZipInfo]) -> None:
        if len({part.filename for part in parts}) < len(parts):
            raise RuleSyntaxError(f"{self.place}: holds a part twice. Save it anew in Excel.")
        # No more than an archive says of a part's size is read of it, so that these sums cannot lie.
        size = sum(part.file_size for part in parts)
        if size > MOST_BYTES or len(parts) > MOST_PARTS:
            what = f"{size // 2**20:,} MB" if size > MOST_BYTES else f"{len(parts):,} parts"
            raise RuleSyntaxError(
                f"{self.place}: unpacks to {what}, more than a policy has. Keep the sheet with the policy alone."
            )
        macros = next((part.filename for part in parts if _MACROS.search(part.filename)), None)
        if macros is not None:
            raise RuleSyntaxError(
                f"{self.place}: holds macros ({macros}), which are never run. Save it as .xlsx, without macros."
            )

    def _require_harmless(self) -> None:
        for name, data in self.parts.items():
            place = f"{self.place}, part {name[:100]!r}"
            root = ""
            if name.endswith((".xml", ".rels", ".vml")):
                root = walk_xml(data, place)
            elif _DECLARES.search(data):  # whatever its name, it might be read as XML
                raise RuleSyntaxError(f"{place}: declares a document type. Save the file anew in Excel.")
            most = {f"{_SHEETS}worksheet": len(data), f"{_SHEETS}sst": MOST_STRINGS}.get(root, MOST_TAGS)
            if data.count(b"<") > most:
                raise RuleSyntaxError(
                    f"{place}: has more styles, names or texts than a policy has. Copy its sheet into a new file."
                )

    def repacked(self) -> io.BytesIO:
        """Return the archive of these very parts, and of nothing that was not looked at."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, data in self.parts.items():
                archive.writestr(name, data)
        return packed

    def marks(self, part: str, title: str) -> SheetMarks:
        """Go through a sheet, and refuse one that is larger than a policy can be.

        Parameters
        ----------
        part : str
            Where the sheet is in the archive.

        title : str
            What the sheet is called.
        """
        marks = SheetMarks()
        place = f"{self.place}, sheet {title!r}"
        hidden = others = column = 0

        def start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal hidden, others, column
            name = tag.removeprefix(_SHEETS)
            if name == "row":
                number = int(attributes.get("r", marks.row + 1))
                if number <= marks.row:
                    raise RuleSyntaxError(f"{place}: its rows are out of order at row {number}. Save it anew in Excel.")
                marks.row = number
                hidden = number if attributes.get("hidden") in ("1", "true") else 0
                column = 0
            elif name in ("v", "is", "f"):
                marks.cells += 1
                if marks.row > MOST_ROWS or column > MOST_COLUMNS or marks.cells > MOST_CELLS:
                    raise RuleSyntaxError(
                        f"{place}: has {marks.cells:,} cells down to row {marks.row:,}, column {column:,}, which is no "
                        "policy. Keep the policy alone in its file."
                    )
                if hidden and marks.hidden_rows[-1:] != [hidden]:
                    marks.hidden_rows.append(hidden)
            elif name == "c":
                cell = _CELL.fullmatch(attributes.get("r", ""))
                before, column = column, column + 1 if cell is None else column_index_from_string(cell[1])
                if column <= before or ("r" in attributes and (cell is None or int(cell[2]) != marks.row)):
                    raise RuleSyntaxError(f"{place}: is out of order at row {marks.row}. Save it anew in Excel.")
            elif name == "col" and attributes.get("hidden") in ("1", "true"):
                marks.hidden_columns.append((int(attributes.get("min", "1")), int(attributes.get("max", "1"))))
            elif name == "mergeCell":
                ends = [int(cell[2]) for cell in _CELL.finditer(attributes.get("ref", ""))]
                marks.merged.append((attributes.get("ref", "")[:40], max(ends, default=0)))
            elif name != "t":
                others += 1
                if others > MOST_TAGS:
                    raise RuleSyntaxError(
                        f"{place}: has more formats and links than a policy has. Copy its cells into a new file."
                    )

        try:
            walk_xml(self.parts[part], place, start)
        except (KeyError, ValueError) as error:
            if isinstance(error, RuleSyntaxError):
                raise
            raise RuleSyntaxError(f"{place}: is damaged ({error}). Save it anew in Excel.") from None
        return marks
