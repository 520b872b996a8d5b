"""From a file to a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote.exceptions import FileError
from frote.files.form import FileForm
from frote.files.formats import FORMATS, format_of, known_formats, separated_by, suffix_of
from frote.files.names import Asked
from frote.files.source import opened_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    import pandas as pd

    from frote.files.format import Format, Parsed
    from frote.files.source import Source

__all__ = ["FileTable", "read_table"]


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
        Windows writes. What a file holds goes before what its name says.

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
    with opened_source(path, FORMATS, max_size) as source:
        own_format = _format_of(source)
        parsed = own_format.read(source, asked)
        return FileTable(parsed.frame, _form_of(source, own_format, parsed), source.digest, parsed.row)


def _format_of(source: Source) -> Format:
    """Return a file's format: what its first bytes give away, or else its name, or else what the text seems to be."""
    named = format_of(source.file_name)
    if source.format is not None:
        return source.format
    if named is not None and not named.is_text:
        source.read_all()  # another thing may be wrong with it
        raise FileError(
            f"{source.file_name}: is named like a {named.title} file, but is none. "
            "Write it again, or give it the name of what it is."
        )
    if named is not None:
        return named
    head = source.head if source.head.isascii() else source.content
    for one in FORMATS:
        if one.recognises is not None and one.recognises(head):
            return one
    source.read_all()
    raise FileError(f"{source.file_name}: is no table that can be read. Give {known_formats()}, and name it so.")


def _form_of(source: Source, own_format: Format, parsed: Parsed) -> FileForm:
    """Return how a file is written; its name is kept where it says what the file holds."""
    delimiter = parsed.options.get("delimiter")
    said = own_format is format_of(source.file_name) and own_format.delimiter in ("", delimiter)
    if delimiter is not None and not said:
        own_format = separated_by(delimiter)
    suffix = suffix_of(source.file_name)
    ending = suffix if suffix in own_format.suffixes else ""
    return FileForm(own_format.name, gzipped=source.gzipped, ending=ending, **parsed.options)
