"""Regular delimited text: no blank line, every row of the same number of cells, quotes only around whole cells.

Such a text is cut where rows end and read part by part, so that no more of it is in memory than a part. What a column
is shows in the first part that has a value of it; where a later part contradicts that, the column alone is read again,
as texts. What is not regular is left to be read line by line.
"""

from __future__ import annotations

import csv
import io
from bisect import bisect_right
from codecs import BOM_UTF8
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from frote.exceptions import FileError
from frote.files.by_arrow import ArrowParts
from frote.files.by_pandas import PandasParts
from frote.files.gathered import Gathered
from frote.files.layout import IrregularError, Part
from frote.files.names import checked_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pandas as pd
    from numpy.typing import NDArray

    from frote.files.kinds import Texts
    from frote.files.limits import Limit
    from frote.files.names import Asked

__all__ = ["Blocks", "Columns", "read_regular"]

Blocks: TypeAlias = "Callable[[], Iterable[bytes]]"  # of a text, from its start whenever it is called

PART = 2**20  # bytes that are read at once, at least,
SHARE = 16  # or this share of what was read before,
LARGE = 8 * 2**20  # at most,
WIDE = 2**12  # or so many for each column if that is more
MOST = 2**26  # bytes without the end of a row


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The columns of a file, some of numbers already read, and what to call a row in messages.

    Some numbers of ``pointed`` columns have a point.
    """

    columns: dict[str, Texts | pd.Series[Any]]
    row: Callable[[int], str]
    pointed: frozenset[str] = frozenset()


def read_regular(text: Blocks, delimiter: str, file_name: str, asked: Asked, limit: Limit) -> Columns | None:
    r"""Read a regular text, or return None where it is not regular.

    Parameters
    ----------
    text : callable
        Gives the text in UTF-8 in blocks; called again where a column must be read again.

    delimiter : str
        What divides its cells.

    file_name : str
        The file, for messages.

    asked : Asked
        Columns to take for texts.

    limit : Limit
        What the table may take.

    Examples
    --------
    >>> from frote.files.limits import NO_LIMIT
    >>> from frote.files.names import Asked
    >>> read = read_regular(lambda: [b"age,na", b"me\n31,Ann\n,\n"], ",", "a.csv", Asked(), NO_LIMIT)
    >>> read.columns["age"].tolist(), read.columns["name"].levels, read.row(1)
    ([31, <NA>], ['Ann'], 'line 3')
    """
    try:
        first = _Pass(text(), delimiter)
        problem = None
        try:
            names = checked_names(first.header, file_name)
            asked.check(names, file_name)
        except FileError as error:
            names, problem = list(map(str, range(len(first.header)))), error
        columns = {name: Gathered(texts=asked.is_text(name)) for name in names} if problem is None else {}
        lines = first.read(names, columns, limit)
        if not lines.rows:
            return None
        limit.require_cells(lines.rows, len(names))
        if problem is not None:
            raise problem
        again = {name: Gathered(texts=True) for name, column in columns.items() if column.contradicted}
        if again:
            _Pass(text(), delimiter).read(names, again, limit)
    except IrregularError:
        return None
    columns |= again
    pointed = frozenset(name for name, column in columns.items() if column.pointed)
    return Columns({name: columns.pop(name).column for name in names}, lines.name, pointed)


class _Lines:
    """The lines on which rows begin: part by part, the first row and line, and the lines where they do not follow."""

    def __init__(self, line: int) -> None:
        self.rows = 0
        self._line = line
        self._starts: list[int] = []
        self._firsts: list[tuple[int, NDArray[np.int32] | None]] = []

    def add(self, rows: int, part: Part) -> None:
        """Add the rows of a part."""
        self._starts.append(self.rows)
        self._firsts.append((self._line, None if rows == part.lines else part.beginnings))
        self.rows += rows
        self._line += part.lines

    def name(self, row: int) -> str:
        """Return what to call a row in messages."""
        place = bisect_right(self._starts, row) - 1
        line, beginnings = self._firsts[place]
        at = row - self._starts[place]
        return f"line {line + (at if beginnings is None else int(beginnings[at]))}"


class _Pass:
    """One pass over a text: its names at once, and then its rows."""

    def __init__(self, blocks: Iterable[bytes], delimiter: str) -> None:
        self._delimiter = delimiter
        self._least = PART
        self._texts = self._cut(_with_newlines(blocks))
        first, cut = next(self._texts, (b"\n", 1))
        Part.of(first, delimiter, cut)  # the line of names is to be as regular as the rest
        end = _end_of_row(first)
        top = first[:end].decode()
        if not top.strip() or len(top) > csv.field_size_limit():
            raise IrregularError
        (self.header,) = csv.reader(io.StringIO(top, newline=""), delimiter=delimiter)
        self._least = max(PART, WIDE * len(self.header))
        self._first, self._above = first[end:cut], top.count("\n")

    def read(self, names: list[str], columns: dict[str, Gathered], limit: Limit) -> _Lines:
        """Read all rows into columns; where they take too much, go on to count them."""
        lines = _Lines(self._above + 1)
        read = _reader(self._delimiter, names)
        first = [(self._first, len(self._first))] if self._first else []
        for text, cut in chain(first, self._texts):
            if text.startswith(BOM_UTF8):  # which is no mark within a text
                raise IrregularError
            part = Part.of(text, self._delimiter, cut)
            within = limit.allows_cells(lines.rows, len(names))
            wanted = {name: column.kind for name, column in columns.items() if within and not column.contradicted}
            rows, cells = read(part, wanted)
            for name in wanted:
                columns[name].add(cells.pop(name))
            lines.add(rows, part)
        return lines

    def _cut(self, blocks: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
        """Yield pieces of a text and where in them a row ends last; blank lines at its end are left out."""
        rest: list[bytes] = []
        length = before = 0
        enough = self._least
        for block in blocks:
            rest.append(block)
            length += len(block)
            if length >= enough:
                text = b"".join(rest)
                cut = _last_cut(text)
                if cut:
                    yield text, cut
                elif length > MOST:
                    raise IrregularError
                rest, length, before = [text[cut:]], len(text) - cut, before + cut
                enough = max(self._least, min(before // SHARE, LARGE), 2 * length)
        text = b"".join(rest).rstrip(b"\r\n")
        if text:
            yield text + b"\n", len(text) + 1


def _with_newlines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Hand blocks on, with newlines where all lines end as old Macs end them."""
    old = None
    for block in blocks:
        if old is None:
            old = b"\r" in block and b"\n" not in block
        if old and (b"\n" in block or b'"' in block):
            raise IrregularError
        yield block.replace(b"\r", b"\n") if old else block


def _reader(delimiter: str, names: list[str]) -> ArrowParts | PandasParts:
    try:
        return ArrowParts(delimiter, names)
    except ImportError:
        return PandasParts(delimiter, names)


def _last_cut(text: bytes) -> int:
    """Return the last place at which a row ends and no blank line follows, 0 if there is none."""
    end = text.rfind(b"\n") + 1
    quotes = np.count_nonzero(np.frombuffer(text, dtype=np.uint8, count=end) == ord('"')) if b'"' in text else 0
    while quotes % 2:  # within quotes: before the last one
        quote = text.rfind(b'"', 0, end)
        before = text.rfind(b"\n", 0, quote) + 1
        quotes -= text.count(b'"', before, end)
        end = before
    if text[end - 2 : end - 1] not in (b"\r", b"\n"):
        return end
    filled = len(text[:end].rstrip(b"\r\n"))
    return text.find(b"\n", filled) + 1 if filled else 0


def _end_of_row(part: bytes) -> int:
    """Return where the first row of a part ends, 0 if it does not."""
    end = part.find(b"\n") + 1
    quotes = part.count(b'"', 0, end)
    while quotes % 2:
        start, end = end, part.find(b"\n", end) + 1
        quotes = quotes + part.count(b'"', start, end) if end else 0
    return end
