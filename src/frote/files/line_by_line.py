"""Delimited text of any sort, read line by line, which tells where it goes wrong."""

from __future__ import annotations

import csv
import io
from array import array
from typing import TYPE_CHECKING, Any

from frote.exceptions import FileError
from frote.files.kinds import TextsSoFar, by_lines
from frote.files.missing import MISSING
from frote.files.names import checked_names
from frote.files.regular import Columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frote.files.limits import Limit
    from frote.files.names import Asked
    from frote.files.regular import Blocks

__all__ = ["read_rows"]

LONGEST = 2**31 - 1  # characters of a cell: the most that the reader can be told


def read_rows(text: Blocks, delimiter: str, file_name: str, asked: Asked, limit: Limit, *, spaced: bool) -> Columns:
    r"""Read any delimited text.

    Parameters
    ----------
    text : callable
        Gives the text in UTF-8 in blocks.

    delimiter : str
        What divides its cells.

    file_name : str
        The file, for messages.

    asked : Asked
        Columns that must be there.

    limit : Limit
        What the table may take.

    spaced : bool
        Whether a space that follows a delimiter is no part of a cell.

    Examples
    --------
    >>> from frote.files.limits import NO_LIMIT
    >>> from frote.files.names import Asked
    >>> table = read_rows(lambda: [b"age, job\n\n31, nurse\n"], ",", "a.csv", Asked(), NO_LIMIT, spaced=True)
    >>> {name: column.levels for name, column in table.columns.items()}, table.row(0)
    ({'age': ['31'], 'job': ['nurse']}, 'line 3')
    """
    header: list[str] = []
    columns: list[TextsSoFar] = []
    lines = array("q")  # a table of many lines is kept as numbers, not as an object for each cell
    line = 1
    reader = csv.reader(
        io.TextIOWrapper(io.BufferedReader(_Raw(iter(text()))), "utf-8", newline=""),
        delimiter=delimiter,
        skipinitialspace=spaced,
        strict=True,
    )
    longest = csv.field_size_limit(LONGEST)
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
                        f"{len(row)}. Mend the line, or quote a cell that holds {delimiter!r}."
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
    return Columns(dict(zip(names, (column.texts for column in columns), strict=True)), by_lines(lines))


class _Raw(io.RawIOBase):
    """Blocks as a file."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes, none at the end."""
        rest = self._rest or memoryview(next(self._blocks, b""))
        size = min(len(buffer), len(rest))
        buffer[:size] = rest[:size]
        self._rest = rest[size:]
        return size
