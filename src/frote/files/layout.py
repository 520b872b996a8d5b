"""Where the cells of a regular text are, seen from the positions of a few bytes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["IrregularError", "Layout", "Part", "leading_zeros", "one_of"]


class IrregularError(Exception):
    """A text is not regular: it must be read line by line, which tells where it goes wrong, if it does."""


def one_of(data: NDArray[np.uint8], *characters: str) -> NDArray[np.bool_]:
    """Tell which bytes are one of some characters.

    Examples
    --------
    >>> one_of(np.frombuffer(b"a,b", dtype=np.uint8), ",", ";").tolist()
    [False, True, False]
    """
    mask: NDArray[np.bool_] = data == ord(characters[0])
    for character in characters[1:]:
        mask |= data == ord(character)
    return mask


@dataclass(frozen=True, eq=False)
class Part:
    r"""Rows of a text, the last of which ends where it does: lines that end alike, quotes around whole cells.

    Parameters
    ----------
    text : bytes
        What begins with the rows.

    end : int
        Where in it they end.

    quoted : bool
        Whether there may be quotes.

    lines : int
        How many lines they are, blank ones and those within quotes among them.

    Examples
    --------
    >>> part = Part.of(b'1,"a ""b"" c"\n2,"two\nlines"\n3,\n', ",")
    >>> part.lines, part.beginnings.tolist()
    (4, [0, 1, 3])
    """

    text: bytes
    end: int
    quoted: bool
    lines: int

    @classmethod
    def of(cls, text: bytes, delimiter: str, end: int | None = None) -> Part:
        """Look at a text up to an end, before which stands a newline.

        Raises
        ------
        IrregularError
            If lines or quotes are otherwise.
        """
        part = cls(text, len(text) if end is None else end, b'"' in text, 0)
        data = part.data
        if b"\r" in text and (data[np.flatnonzero(data == ord("\r")) + 1] != ord("\n")).any():
            raise IrregularError
        if part.quoted and not _around_cells(data, np.flatnonzero(data == ord('"')), delimiter):
            raise IrregularError
        return replace(part, lines=int(np.count_nonzero(data == ord("\n"))))

    @property
    def data(self) -> NDArray[np.uint8]:
        """The bytes of the rows."""
        return np.frombuffer(self.text, dtype=np.uint8, count=self.end)

    @cached_property
    def beginnings(self) -> NDArray[np.int32]:
        """The line on which each row begins, from 0, if no line is blank."""
        newlines, quotes = (np.flatnonzero(self.data == ord(one)) for one in '\n"')
        ends = np.flatnonzero(np.searchsorted(quotes, newlines) % 2 == 0)
        return np.append(0, ends[:-1] + 1).astype(np.int32)

    def has_rows(self, rows: int) -> bool:
        """Tell whether it has so many rows, and no blank line, of which there would be more than rows."""
        return rows == self.lines or (self.quoted and rows == len(self.beginnings))


def _around_cells(data: NDArray[np.uint8], quotes: NDArray[np.intp], delimiter: str) -> bool:
    """Tell whether quotes stand around whole cells and, doubled, within such, but nowhere else."""
    if quotes.size % 2:
        return False
    opening, closing = quotes[::2], quotes[1::2]
    doubled = opening[1:] == closing[:-1] + 1
    # The text ends in a newline, so what stands before its first byte is one too.
    before, after = one_of(data[opening - 1], delimiter, "\n"), one_of(data[closing + 1], delimiter, "\r", "\n")
    before[1:] |= doubled
    after[:-1] |= doubled
    return bool(before.all() and after.all())


def leading_zeros(data: NDArray[np.uint8], starts: NDArray[np.int32], *, whole: bool) -> bool:
    """Tell whether cells that are numbers, each of which begins where the one before it ends, have such zeros.

    Parameters
    ----------
    data : ndarray of uint8
        The bytes of the cells.

    starts : ndarray of int32
        Where they begin, and where the last ends; a cell that is missing has no bytes.

    whole : bool
        Whether they are whole numbers, which begin with a zero only if it is all of them: -0 counts too, as it is
        another number than 0 where another cell of the column has a point.
    """
    lengths = np.diff(starts)
    places = np.minimum(starts[:-1], data.size - 1)
    signed = one_of(data[places], "+", "-")
    if signed.any():
        signed &= lengths > 0
        places = np.minimum(places + signed, data.size - 1)
    zeros = np.flatnonzero((data[places] == ord("0")) & (lengths > 1))
    if whole or not zeros.size:
        return bool(zeros.size)
    zeros = zeros[lengths[zeros] > 1 + signed[zeros]]
    following = data[places[zeros] + 1]
    return bool(((following >= ord("0")) & (following <= ord("9"))).any())


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the cells of a part of a regular text end, a row for each of its lines."""

    data: NDArray[np.uint8]
    ends: NDArray[np.intp]
    _cells: dict[tuple[str, ...], NDArray[np.intp]] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, part: Part, delimiter: str, width: int) -> Layout:
        """Look at a part with so many columns.

        Raises
        ------
        IrregularError
            If rows differ in length, or one is blank.
        """
        data = part.data
        ends = np.flatnonzero(one_of(data, delimiter, "\n"))
        if part.quoted:
            quotes = np.flatnonzero(data == ord('"'))
            ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
        last = data[ends] == ord("\n")
        rows = int(np.count_nonzero(last))
        if ends.size != width * rows or not last[width - 1 :: width].all():
            raise IrregularError
        # In a table of one column a blank line would look like a cell.
        if width == 1 and (np.diff(ends, prepend=-1) <= 1 + (data[ends - 1] == ord("\r"))).any():
            raise IrregularError
        return cls(data, ends.reshape(rows, width))

    def starts(self, at: int) -> NDArray[np.intp]:
        """Return where the cells of a column begin, behind a quote."""
        before = np.append(-1, self.ends[:-1, -1]) if at == 0 else self.ends[:, at - 1]
        starts: NDArray[np.intp] = before + 1 + (self.data[before + 1] == ord('"'))
        return starts

    def has(self, at: int, rows: NDArray[np.bool_], *characters: str) -> bool:
        """Tell whether a cell of a column in some of the rows has one of some characters."""
        if characters not in self._cells:
            places = np.flatnonzero(one_of(self.data, *characters))
            self._cells[characters] = np.searchsorted(self.ends.ravel(), places)
        cells, width = self._cells[characters], self.ends.shape[1]
        return bool(rows[cells[cells % width == at] // width].any())
