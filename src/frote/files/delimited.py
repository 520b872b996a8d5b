"""Tables whose cells a comma, semicolon, tab or bar divides.

Most files are regular, and are read part by part (`frote.files.regular`). Any other is read line by line, which is
slower, and tells where it goes wrong (`frote.files.line_by_line`). Both ways give the same columns.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import pandas as pd

from frote.exceptions import FileError
from frote.files.cells import written_alike
from frote.files.kinds import NUMBER, Texts, Where, categories, from_texts, spelled_dates
from frote.files.limits import NO_LIMIT, Limit
from frote.files.line_by_line import read_rows
from frote.files.missing import MISSING
from frote.files.regular import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from frote.files.names import Asked
    from frote.files.regular import Blocks, Columns
    from frote.table.spelling import DateSpelling

__all__ = ["Delimited", "Delimiter", "find_delimiter", "marked", "read_delimited", "unmarked", "write_delimited"]

DELIMITERS = (",", ";", "\t", "|")
SAMPLE = 2**16
AT_ONCE = 20_000  # rows that are made texts at once, each cell of which is an object
SAMPLE_ROWS = 200
COMMA_NUMBER = re.compile(NUMBER.pattern.replace(r"\.", ","), NUMBER.flags)
# What spreadsheets take for formulas; an apostrophe before one of them is kept apart from ours by another.
FORMULA = re.compile("'*[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]")
THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}(?:,\d{3})*\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Delimiter:
    """What divides the cells of a file, as its first rows show it.

    Parameters
    ----------
    character : str
        What stands between two cells.

    found : bool
        Whether the first line holds it and all rows have as many cells as that.

    spaced : bool
        Whether a space follows it everywhere, which is then no part of the cells.
    """

    character: str
    found: bool
    spaced: bool


def find_delimiter(head: bytes, *, whole: bool = True, named: str = "") -> Delimiter:
    r"""Find what divides the cells: that by which the first rows have as many cells as the first, and the most.

    What the file's name says goes before one that makes more cells. If the text goes on behind its head, it is not
    ``whole``.

    Examples
    --------
    >>> content = b"name;note\nAnn;tall, fair, and so on\n"
    >>> find_delimiter(content).character
    ';'
    >>> find_delimiter(b"name|x, y, z\nAnn|1, 2, 3\n", named="|").character
    '|'
    """
    sample = head[:SAMPLE]
    whole = whole and len(sample) == len(head)
    text = sample.decode("utf-8", errors="ignore")
    best, delimiter = (False, 0.0, False, 1), Delimiter(named or DELIMITERS[0], False, False)
    for character in DELIMITERS:
        rows, sound = _first_rows(text, character, whole=whole)
        if rows and len(rows[0]) > 1:
            alike = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
            spaced = all(cell.startswith(" ") for row in rows for cell in row[1:])
            if best < (fit := (sound, alike, character == named, len(rows[0]))):
                best, delimiter = fit, Delimiter(character, alike == 1, spaced)
    return delimiter


def _first_rows(text: str, delimiter: str, *, whole: bool) -> tuple[list[list[str]], bool]:
    """Return the first rows by a delimiter, and whether it leaves all quotes around cells."""
    rows = _rows(text, delimiter)
    # The last row of a text that was cut may be half a row.
    rows = rows if whole or not 1 < len(rows) < SAMPLE_ROWS else rows[:-1]
    try:
        _rows(text, delimiter, strict=True)
    except csv.Error:
        # By a delimiter that is none, a quote of another cell may open one that takes in all the rest.
        return rows, not whole and len(rows) > 1
    return rows, True


def _rows(text: str, delimiter: str, *, strict: bool = False) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    return list(islice(filter(None, reader), SAMPLE_ROWS))


@dataclass(frozen=True, slots=True, eq=False)
class Delimited:
    """A table of delimited text.

    Parameters
    ----------
    frame : DataFrame
        The columns by what their cells are.

    decimal : str
        What stands between a number's whole part and the rest.

    dates : dict of str to DateSpelling
        How dates are written in columns where they are not in ISO form.

    row : callable
        What to call a row in messages, by its number from 0: "line 2" for the first.
    """

    frame: pd.DataFrame
    decimal: str
    dates: dict[str, DateSpelling]
    row: Callable[[int], str]


def read_delimited(
    text: Blocks, delimiter: Delimiter, file_name: str, asked: Asked, limit: Limit = NO_LIMIT
) -> Delimited:
    r"""Read a table.

    Parameters
    ----------
    text : callable
        Gives the file's text in UTF-8 in blocks, from its start, however often it is called.

    delimiter : Delimiter
        What divides its cells.

    file_name : str
        The file, for messages.

    asked : Asked
        Columns to take for texts, or for numbers.

    limit : Limit, default=NO_LIMIT
        What the table may take.

    Returns
    -------
    Delimited

    Examples
    --------
    >>> from frote.files.names import Asked
    >>> content = b"age;rate\n31;1,5\n25;\n"
    >>> table = read_delimited(lambda: [content], find_delimiter(content), "loans.csv", Asked())
    >>> table.frame["rate"].tolist(), table.decimal
    ([1.5, nan], ',')
    """
    table = None if delimiter.spaced else read_regular(text, delimiter.character, file_name, asked, limit)
    if table is None:
        table = read_rows(text, delimiter.character, file_name, asked, limit, spaced=delimiter.spaced)
    decimal = "," if delimiter.character != "," and _decimal_comma(table, delimiter, asked) else "."
    columns: dict[str, pd.Series[Any]] = {}
    dates: dict[str, DateSpelling] = {}
    for name in list(table.columns):
        column = table.columns.pop(name)
        if not isinstance(column, Texts):
            columns[name] = column
        elif asked.is_text(name):
            columns[name] = categories(column)
        elif name not in asked.numeric and (spelled := spelled_dates(column, asked.dates.get(name))):
            columns[name], dates[name] = spelled
        else:
            where = Where(file_name, name, table.row)
            columns[name] = from_texts(column, where, numeric=name in asked.numeric, decimal=decimal)
    return Delimited(pd.DataFrame(columns, copy=False), decimal, dates, table.row)


def _decimal_comma(table: Columns, delimiter: Delimiter, asked: Asked) -> bool:
    """Tell whether some column can only be read as numbers with a decimal comma, and none has a decimal point."""
    proof = False
    for name, column in table.columns.items():
        if asked.is_text(name):
            continue
        if not isinstance(column, Texts):
            if name in table.pointed:
                return False
        elif all(map(COMMA_NUMBER.fullmatch, column.levels)) and any("," in level for level in column.levels):
            # 1,234 may be a thousand, but hardly in a file whose cells are divided by semicolons.
            proof |= delimiter.character == ";" or not all(map(THOUSANDS.fullmatch, column.levels))
        elif any("." in level for level in column.levels) and all(map(NUMBER.fullmatch, column.levels)):
            return False
    return proof


def write_delimited(
    frame: pd.DataFrame,
    *,
    delimiter: str = ",",
    decimal: str = ".",
    newline: str = "\n",
    dates: Mapping[str, DateSpelling] | None = None,
    inert: Collection[str] = (),
) -> str:
    r"""Return a frame as delimited text that reads back as the same values, but for empty texts, which are missing.

    Parameters
    ----------
    frame : DataFrame
        The table.

    delimiter, decimal, newline : str
        What divides cells, stands between a number's whole part and the rest, and ends a line.

    dates : mapping of str to DateSpelling
        How dates are spelled.

    inert : collection of str, default=()
        Columns whose texts, and names, must not be taken for formulas by a spreadsheet: those that could be are
        written with an apostrophe before them.

    Raises
    ------
    FileError
        If a text would be read as a missing value, or cannot be in such a file.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": pd.array([31, None]), "note": ["tall, fair", "=1+1"]})
    >>> write_delimited(frame)
    'age,note\n31,"tall, fair"\n,=1+1\n'
    """
    # Also cells that hold another delimiter are quoted: it could be taken for that of the file.
    special = re.compile(r'[,;\t|"\r\n\ufeff]|^\s|\s$|^$')
    alone = len(frame.columns) == 1
    # A missing value in a table of one column must not become a blank line.
    missing = '""' if alone else ""
    # A comma means a decimal one only where another character divides cells.
    decimal = "." if alone or delimiter == "," else decimal

    def cell(value: Any) -> str:
        if value is None:
            return missing
        if isinstance(value, float):
            return repr(value).replace(".", decimal)
        return quoted(str(value))

    @cache  # most texts of a table come again and again
    def quoted(text: str) -> str:
        return f'"{text.replace(chr(34), chr(34) * 2)}"' if special.search(text) else text

    def harmless(value: Any) -> str:
        return cell(marked(value) if isinstance(value, str) else value)

    def lines(columns: Iterable[list[str]]) -> str:
        return "".join([f"{delimiter.join(cells)}{newline}" for cells in zip(*columns, strict=True)])

    def parts() -> Iterator[str]:
        writes = {name: harmless if name in inert else cell for name in frame.columns}
        alike = {
            name: written_alike(name, frame[name], write, (dates or {}).get(name)) for name, write in writes.items()
        }
        yield lines([write(name)] for name, write in writes.items())
        for start in range(0, len(frame), AT_ONCE):
            some = frame.iloc[start : start + AT_ONCE]
            columns = {name: texts_of(some[name]) for name, texts_of in alike.items()}
            for name, cells in columns.items():
                _require_told_apart(name, cells)
            yield lines(columns.values())

    return "".join(parts())


def marked(text: str) -> str:
    """Return a text as it is written where spreadsheets must not take it for a formula.

    Examples
    --------
    >>> marked("=1+1"), marked("'=1+1"), marked("car")
    ("'=1+1", "''=1+1", 'car')
    """
    return f"'{text}" if FORMULA.match(text) else text


def unmarked(text: str) -> str:
    """Return the text that was written so.

    Examples
    --------
    >>> unmarked("'=1+1"), unmarked("''=1+1"), unmarked("'car'")
    ('=1+1', "'=1+1", "'car'")
    """
    return text[1:] if text.startswith("'") and FORMULA.match(text[1:]) else text


def _require_told_apart(name: str, cells: list[str]) -> None:
    """Refuse texts that would be read as missing, but for empty ones, and what no text can hold."""
    gone = sorted(MISSING.intersection(cells) - {""})
    if gone:
        raise FileError(
            f"Column {name!r} holds the text {gone[0]!r}, which means a missing value in a CSV file. "
            "Rename it, or write JSON lines or Parquet."
        )
    if any("\0" in cell for cell in {name, *cells}):
        raise FileError(f"Column {name!r} holds a character of code 0, which no CSV file can. Leave it out.")
