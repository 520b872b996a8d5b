"""From a file to a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote.exceptions import FileError
from frote.files.arrow import read_arrow, row_of_arrow
from frote.files.delimited import find_delimiter, read_delimited
from frote.files.form import FileForm
from frote.files.json_lines import is_json_lines, read_json_lines
from frote.files.names import Asked
from frote.files.source import FORMATS, decoded, read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    import pandas as pd

    from frote.files.source import Source

__all__ = ["FileTable", "read_table"]

ARROW_SUFFIXES = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".feather": "Feather",
    ".arrow": "Feather",
    ".ipc": "Feather",
}
JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
LIKELY = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".psv": "|", ".txt": ",", ".data": ",", ".dat": ","}


@dataclass(frozen=True, slots=True, eq=False)
class FileTable:
    """A table read from a file.

    Parameters
    ----------
    frame : pandas.DataFrame
        The rows, with a RangeIndex.

    form : FileForm
        How the file was written.

    digest : str
        The SHA-256 of the file's bytes.

    row : callable
        What to call a row in messages, by its number from 0: "line 2" for the first one below the names of columns,
        "row 1" where a file has no lines.

    Examples
    --------
    See `read_table`.
    """

    frame: pd.DataFrame
    form: FileForm
    digest: str
    row: Callable[[int], str]


def read_table(
    path: str | PathLike[str],
    *,
    categorical: Iterable[str] = (),
    numeric: Iterable[str] = (),
    like: FileTable | None = None,
    max_size: int | str | None = None,
) -> FileTable:
    r"""Read a table from a file, whose format, delimiter and encoding are found.

    Parameters
    ----------
    path : str or path
        A file of delimited text (comma, semicolon, tab or bar; the first line holds the names), of JSON lines, either
        also packed by gzip, or a Parquet or Feather file. Text is UTF-8, or UTF-16 with a mark, or what Western
        Windows writes.

    categorical : iterable of str, default=()
        Columns to take for texts whatever they hold, such as numbers that name something.

    numeric : iterable of str, default=()
        Columns that must hold numbers. Those that are dressed up are read too, $50,000, 1.234,56 €, (20) and 5% as
        50000, 1234.56, -20 and 5, and written back plainly.

    like : FileTable, default=None
        Another table with the same columns. What is text there is text here too, also where this file alone would be
        read as numbers; and it tells days from months where this one does not.

    max_size : int or str, default=None
        The bytes that the table may take when it is unpacked, such as ``"4GB"``. ``None`` means 256 MB, or a hundred
        times the size of the file if that is more: a few bytes can stand for a table that no memory holds.

    Returns
    -------
    FileTable
        Whole numbers are int64, other numbers float64, true and false bool, dates datetime64, and texts categories in
        order. Dates are in ISO form or, in delimited text, written like 31/01/2024, 31.1.2024 or 1/31/2024, all of a
        column alike; they stay texts where no day above 12 tells days from months, and ``like`` does not. Empty cells,
        NA, NaN, null and the like are missing; whole numbers and truth values with such gaps are of pandas' own types.
        Texts with leading zeros and numbers too large stay texts. Parquet and Feather files keep their own types.

    Raises
    ------
    FileError
        If it is no such file, or would take too much, or a column holds another word among numbers; the message
        names the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from frote.files import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "loans.csv")
    ...     _ = path.write_text("age;zip;decision\n31;01234;approved\n;98765;denied\n")
    ...     table = read_table(path)
    >>> table.frame
        age    zip  decision
    0    31  01234  approved
    1  <NA>  98765    denied
    >>> table.form.delimiter, table.digest[:8]
    (';', '...')
    """
    asked = Asked.of(categorical, numeric)
    if like is not None:
        asked = asked.as_in(like.frame, like.form.dates)
    source = read_source(path, max_size)
    if source.magic:
        frame = read_arrow(source.content, source.magic, source.place, asked, source.limit)
        return FileTable(frame, FileForm(source.magic), source.digest, row_of_arrow)
    if source.suffix in ARROW_SUFFIXES:
        raise FileError(
            f"{source.place}: is named like a {ARROW_SUFFIXES[source.suffix]} file, but is none. "
            "Write it again, or give it the name of what it is."
        )
    return _read_text(source, asked)


def _read_text(source: Source, asked: Asked) -> FileTable:
    place = source.place
    text = decoded(source.content, place)
    content = text.content
    newline = _newline(content)
    if source.suffix in JSON_SUFFIXES or (source.suffix not in LIKELY and is_json_lines(content)):
        frame, row = read_json_lines(content, place, asked, source.limit)
        form = FileForm("json lines", source.gzipped, text.encoding, text.bom, newline=newline)
        return FileTable(frame, form, source.digest, row)
    delimiter = find_delimiter(content, likely=LIKELY.get(source.suffix, ","))
    if source.suffix not in LIKELY and not delimiter.found:
        raise FileError(f"{place}: is no table that can be read. Give {FORMATS}, and name it so.")
    table = read_delimited(content, delimiter, place, asked, source.limit)
    form = FileForm(
        "csv", source.gzipped, text.encoding, text.bom, delimiter.character, table.decimal, newline, table.dates
    )
    return FileTable(table.frame, form, source.digest, table.row)


def _newline(content: bytes) -> str:
    r"""Return what ends the first line: \n, \r\n, or \r as in old files."""
    end = content.find(b"\n")
    if end < 0:
        return "\r" if b"\r" in content else "\n"
    return "\r\n" if content[end - 1 : end] == b"\r" else "\n"
