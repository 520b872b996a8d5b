"""Tables whose cells a comma, semicolon, tab or bar divides.

Most files are regular: no blank line, every row of the same number of cells, quotes only around whole cells. That is
seen from the positions of a few bytes, and such a file is read by pandas, in one pass. Any other is read line by line,
which is slower, and tells where it goes wrong. Both ways give the same columns.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import FileError
from frote.files.cells import written
from frote.files.kinds import (
    NUMBER,
    Texts,
    TextsSoFar,
    Where,
    by_lines,
    categories,
    from_texts,
    spelled_dates,
    whole_numbers,
)
from frote.files.limits import NO_LIMIT, Limit
from frote.files.names import checked_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from numpy.typing import NDArray

    from frote.files.names import Asked
    from frote.table.spelling import DateSpelling

    Column = Texts | pd.Series[Any]

__all__ = ["Delimited", "Delimiter", "find_delimiter", "marked", "read_delimited", "unmarked", "write_delimited"]

DELIMITERS = (",", ";", "\t", "|")
SAMPLE = 2**16
SAMPLE_ROWS = 200
# The cells that pandas takes for missing, fixed here so that they do not change with its version.
MISSING = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"}
    | {"NULL", "NaN", "None", "n/a", "nan", "null"}
)
COMMA_NUMBER = re.compile(NUMBER.pattern.replace(r"\.", ","), NUMBER.flags)
# What spreadsheets take for formulas; an apostrophe before one of them is kept apart from ours by another.
FORMULA = re.compile("'*[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]")
THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}(?:,\d{3})*\s*", re.ASCII)
EXACT_FLOATS = 2.0**53  # below it every whole number is a float
# Later releases of pandas read every number to the last bit by themselves, and deprecate the option.
EXACT: dict[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
)


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


def find_delimiter(content: bytes, *, named: str = "") -> Delimiter:
    r"""Find what divides the cells: that by which the first rows have as many cells as the first, and the most.

    What the file's name says goes before one that makes more cells.

    Examples
    --------
    >>> content = b"name;note\nAnn;tall, fair, and so on\n"
    >>> find_delimiter(content).character
    ';'
    >>> find_delimiter(b"name|x, y, z\nAnn|1, 2, 3\n", named="|").character
    '|'
    """
    sample = content[:SAMPLE]
    text = sample.decode("utf-8", errors="ignore")
    best, delimiter = (False, 0.0, False, 1), Delimiter(named or DELIMITERS[0], False, False)
    for character in DELIMITERS:
        rows, sound = _first_rows(text, character, whole=len(sample) == len(content))
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
    content: bytes, delimiter: Delimiter, file_name: str, asked: Asked, limit: Limit = NO_LIMIT
) -> Delimited:
    r"""Read a table.

    Parameters
    ----------
    content : bytes
        The file's text in UTF-8.

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
    >>> table = read_delimited(content, find_delimiter(content), "loans.csv", Asked())
    >>> table.frame["rate"].tolist(), table.decimal
    ([1.5, nan], ',')
    """
    table = _read_regular(content, delimiter, file_name, asked, limit)
    table = table or _read_rows(content, delimiter, file_name, asked, limit)
    decimal = "," if delimiter.character != "," and _decimal_comma(table, delimiter, asked) else "."
    columns: dict[str, pd.Series[Any]] = {}
    dates: dict[str, DateSpelling] = {}
    for name, column in table.columns.items():
        if not isinstance(column, Texts):
            columns[name] = column
        elif asked.is_text(name):
            columns[name] = categories(column)
        elif name not in asked.numeric and (spelled := spelled_dates(column, asked.dates.get(name))):
            columns[name], dates[name] = spelled
        else:
            where = Where(file_name, name, table.row)
            columns[name] = from_texts(column, where, numeric=name in asked.numeric, decimal=decimal)
    return Delimited(pd.DataFrame(columns), decimal, dates, table.row)


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """The columns of a file, some of numbers already read, and what to call a row in messages."""

    columns: dict[str, Column]
    row: Callable[[int], str]


def _decimal_comma(table: _Columns, delimiter: Delimiter, asked: Asked) -> bool:
    """Tell whether some column can only be read as numbers with a decimal comma, and none has a decimal point."""
    proof = False
    for name, column in table.columns.items():
        if asked.is_text(name):
            continue
        if not isinstance(column, Texts):
            if column.dtype == np.float64:
                return False
        elif all(map(COMMA_NUMBER.fullmatch, column.levels)) and any("," in level for level in column.levels):
            # 1,234 may be a thousand, but hardly in a file whose cells are divided by semicolons.
            proof |= delimiter.character == ";" or not all(map(THOUSANDS.fullmatch, column.levels))
        elif any("." in level for level in column.levels) and all(map(NUMBER.fullmatch, column.levels)):
            return False
    return proof


def _read_regular(content: bytes, delimiter: Delimiter, file_name: str, asked: Asked, limit: Limit) -> _Columns | None:
    """Read a regular file by pandas, or return None where it is not regular."""
    if b"\n" not in content and b'"' not in content:  # lines as old Macs end them
        content = content.replace(b"\r", b"\n")
    if not content.endswith(b"\n") or content.endswith((b"\n\n", b"\n\r\n")):
        content = content.rstrip(b"\r\n") + b"\n"
    layout = None if delimiter.spaced else _Layout.of(content, delimiter.character)
    if layout is None:
        return None
    limit.require_cells(*layout.shape)
    top = content[: layout.ends[0, -1]].decode()
    if not top.strip() or len(top) > csv.field_size_limit():
        return None
    (header,) = csv.reader(io.StringIO(top, newline=""), delimiter=delimiter.character)
    names = checked_names(header, file_name)
    asked.check(names, file_name)
    try:
        frame = _by_pandas(content, delimiter, names)
        # What pandas takes for numbers may be something else to us: such a column is read again, as texts.
        seeming = [at for at, name in enumerate(names) if not isinstance(frame[name].dtype, pd.StringDtype)]
        numbers = {names[at]: layout.sure(frame[names[at]], at) for at in seeming if not asked.is_text(names[at])}
        unsure = [names[at] for at in seeming if numbers.get(names[at]) is None]
        texts = _by_pandas(content, delimiter, names, texts=unsure) if unsure else frame
    except (ValueError, OverflowError):  # errors of pandas' own among them; the other way finds out what is wrong
        return None
    if len(frame) != len(layout.ends) - 1:
        return None
    columns: dict[str, Column] = {}
    for name in names:
        column = numbers.get(name)
        columns[name] = _texts((texts if name in unsure else frame)[name]) if column is None else column
    return _Columns(columns, by_lines(layout.lines()))


@dataclass(frozen=True, eq=False)
class _Layout:
    """Where the cells of a regular text end, a row for each of its lines."""

    data: NDArray[np.uint8]
    ends: NDArray[np.intp]

    @classmethod
    def of(cls, content: bytes, delimiter: str) -> _Layout | None:
        """Look at a text that ends in a newline; return None if it is not regular."""
        if b"\r" in content and content.count(b"\r") != content.count(b"\r\n"):
            return None
        data = np.frombuffer(content, dtype=np.uint8)
        ends = np.flatnonzero(_one_of(data, delimiter, "\n"))
        if b'"' in content:
            quotes = np.flatnonzero(data == ord('"'))
            if not _around_cells(data, quotes, delimiter):
                return None
            ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
        last = data[ends] == ord("\n")
        width = int(last.argmax()) + 1
        height = int(np.count_nonzero(last))
        if height < 2 or ends.size != width * height or not last[width - 1 :: width].all():
            return None
        # In a table of one column a blank line would look like a cell.
        if width == 1 and (np.diff(ends, prepend=-1) <= 1 + (data[ends - 1] == ord("\r"))).any():
            return None
        return cls(data, ends.reshape(height, width))

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows below the names, and of columns."""
        height, width = self.ends.shape
        return height - 1, width

    def sure(self, column: pd.Series[Any], at: int) -> pd.Series[Any] | None:
        """Return the column at a place, which pandas took for numbers, if its cells say just these numbers."""
        if column.dtype == np.float64:
            values = column.to_numpy()
            missing = np.isnan(values)
            if np.isinf(values).any() or missing.all():  # a number too large is infinite to pandas
                return None
            if not (values != np.rint(values))[~missing].any():
                # Whole numbers with gaps are floats to pandas.
                if self._pointed[at] or np.nanmax(np.abs(values)) >= EXACT_FLOATS:
                    return None
                column = whole_numbers(np.where(missing, 0, values).astype(np.int64), missing)
        elif column.dtype != np.int64:
            return None
        starts = (self.ends[1:, at - 1] if at else self.ends[:-1, -1]) + 1
        for skipped in ('"', "+-"):
            starts = starts + _one_of(self.data[starts], *skipped)
        first = self.data[starts]
        if _one_of(first, " ", "\t").any():
            return None
        zeros = starts[first == ord("0")]
        following = self.data[np.minimum(zeros + 1, len(self.data) - 1)]
        return None if ((following >= ord("0")) & (following <= ord("9"))).any() else column

    def lines(self) -> range | NDArray[np.intp]:
        """Return the line on which each row below the names begins."""
        height = len(self.ends)
        newlines = np.flatnonzero(self.data == ord("\n"))
        if len(newlines) == height:
            return range(2, height + 1)
        return np.searchsorted(newlines, self.ends[:-1, -1], side="right") + 1

    @cached_property
    def _pointed(self) -> NDArray[np.bool_]:
        """Which columns have, below their name, a point or what may be an exponent."""
        width = self.ends.shape[1]
        points = np.flatnonzero(_one_of(self.data, ".", "e", "E"))
        cells = np.searchsorted(self.ends.ravel(), points)
        return np.bincount(cells[cells >= width] % width, minlength=width) > 0


def _around_cells(data: NDArray[np.uint8], quotes: NDArray[np.intp], delimiter: str) -> bool:
    """Tell whether quotes stand around whole cells and, doubled, within such, but nowhere else."""
    if quotes.size % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    doubled = opening[1:] == closing[:-1] + 1
    # The text ends in a newline, so what stands before its first byte is one too.
    before, after = _one_of(data[opening - 1], delimiter, "\n"), _one_of(data[closing + 1], delimiter, "\r", "\n")
    before[1:] |= doubled
    after[:-1] |= doubled
    return bool(before.all() and after.all())


def _one_of(data: NDArray[np.uint8], *characters: str) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = data == ord(characters[0])
    for character in characters[1:]:
        mask |= data == ord(character)
    return mask


def _by_pandas(
    content: bytes, delimiter: Delimiter, names: list[str], *, texts: list[str] | None = None
) -> pd.DataFrame:
    """Read the rows of a regular file: all columns as they seem to pandas, or some of them as texts."""
    frame: pd.DataFrame = pd.read_csv(
        io.BytesIO(content),
        sep=delimiter.character,
        header=0,
        names=names,
        usecols=texts,
        index_col=False,
        dtype=None if texts is None else object,
        na_values=list(MISSING),
        keep_default_na=False,
        skip_blank_lines=False,
        low_memory=False,
        **EXACT,
    )
    return frame


def _texts(column: pd.Series[Any]) -> Texts:
    codes, levels = pd.factorize(column.array)
    if MISSING.isdisjoint(levels):
        return Texts(levels.tolist(), codes)
    # Among whole numbers too large for it, pandas leaves what is missing as it stands.
    return Texts.of(None if pd.isna(cell) or cell in MISSING else cell for cell in column)


def _read_rows(content: bytes, delimiter: Delimiter, file_name: str, asked: Asked, limit: Limit) -> _Columns:
    """Read any file line by line."""
    header: list[str] = []
    columns: list[TextsSoFar] = []
    lines = array("q")  # a table of many lines is kept as numbers, not as an object for each cell
    line = 1
    reader = csv.reader(
        io.StringIO(content.decode(), newline=""),
        delimiter=delimiter.character,
        skipinitialspace=delimiter.spaced,
        strict=True,
    )
    longest = csv.field_size_limit(len(content) + 1)
    try:
        for row in reader:
            # A blank line is no row, nor is one of spaces, unless that may be the one cell of it.
            if row and (len(row) > 1 or row[0].strip() or len(header) == 1):
                if not header:
                    header = row
                    limit.require_cells(0, len(header))
                    columns = [TextsSoFar() for _ in header]
                elif len(row) != len(header):
                    raise FileError(
                        f"{file_name}: line {line}: expected {len(header)} cells as in the first line, found "
                        f"{len(row)}. Mend the line, or quote a cell that holds {delimiter.character!r}."
                    )
                else:
                    lines.append(line)
                    limit.require_cells(len(lines), len(header))
                    for column, cell in zip(columns, row, strict=True):
                        column.add(None if cell in MISSING else cell)
            line = reader.line_num + 1
    except csv.Error:
        raise FileError(
            f"{file_name}: line {line}: a quote is not closed, or text follows a closed one. "
            "Put a cell that holds quotes into quotes, and double those within."
        ) from None
    finally:
        csv.field_size_limit(longest)
    if not header:
        raise FileError(f"{file_name}: is empty. Give a file with a line of column names and rows below it.")
    names = checked_names(header, file_name)
    asked.check(names, file_name)
    if not lines:
        raise FileError(f"{file_name}: has a line of column names, but no rows below it. Add some.")
    return _Columns(dict(zip(names, (column.texts for column in columns), strict=True)), by_lines(lines))


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

    columns = []
    for name in frame.columns:
        write = harmless if name in inert else cell
        cells = written(name, frame[name], write, (dates or {}).get(name))
        _require_told_apart(name, cells)
        columns.append([write(name), *cells])
    return "".join(f"{delimiter.join(cells)}{newline}" for cells in zip(*columns, strict=True))


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
