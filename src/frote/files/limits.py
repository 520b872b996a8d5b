"""How much a file may unpack to: in proportion to its own size, unless more is granted.

A few bytes can stand for a table that no memory holds: packed texts, keys that each line names anew, columns without
rows. What a table would take is counted before it is made.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote.exceptions import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NO_LIMIT", "Limit", "bytes_of", "granted"]

ANY = 256 * 2**20  # bytes that a file of any size may take
FOLD = 100  # how often its own bytes a file may take
CELL = 8  # bytes of a cell in memory, at least
COLUMN = 10_000  # bytes of a column beside its cells, about
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SIZE = re.compile(r"(\d{1,15})\s*([KMGT]?B?)", re.ASCII | re.IGNORECASE)

_GRANTED: ContextVar[int | None] = ContextVar("granted", default=None)


def bytes_of(size: int | str) -> int:
    """Read a size such as 4GB.

    Examples
    --------
    >>> bytes_of("4GB"), bytes_of("512 mb"), bytes_of(10)
    (4000000000, 512000000, 10)
    """
    match = SIZE.fullmatch(str(size).strip())
    unit = match[2].upper().removesuffix("B") if match else ""
    if match is None or not int(match[1]):
        raise FileError(f"A size is a number of bytes, such as 4GB or 500MB, not {str(size)[:60]!r}.")
    return int(match[1]) * UNITS[f"{unit}B" if unit else ""]


@contextmanager
def granted(size: int | str | None) -> Iterator[None]:
    """Grant tables that are read within this context so many bytes, whatever the size of their files.

    Examples
    --------
    >>> with granted("4GB"):
    ...     Limit.of("loans.csv", 10).most
    4000000000
    """
    token = _GRANTED.set(None if size is None else bytes_of(size))
    try:
        yield
    finally:
        _GRANTED.reset(token)


@dataclass(frozen=True, slots=True)
class Limit:
    """What a table may take.

    Parameters
    ----------
    file_name : str
        The file, for messages.

    most : float
        The bytes that it may take.
    """

    file_name: str = ""
    most: float = float("inf")

    @classmethod
    def of(cls, file_name: str, size: int, given: int | str | None = None) -> Limit:
        """Return what a file of some bytes may take: what is given or granted, else a multiple of them."""
        most = _GRANTED.get() if given is None else bytes_of(given)
        return cls(file_name, max(ANY, FOLD * size) if most is None else most)

    def require_bytes(self, size: int) -> None:
        """Refuse a file that unpacks to more.

        Raises
        ------
        FileError
            With what grants more.
        """
        if size > self.most:
            raise self._error("unpacks to a table", size)

    def require_cells(self, rows: int, columns: int) -> None:
        """Refuse a table of too many cells, or columns.

        Raises
        ------
        FileError
            With what grants more.

        Examples
        --------
        >>> Limit("loans.jsonl", 1e9).require_cells(30_000, 30_000)
        Traceback (most recent call last):
        ...
        frote.exceptions.FileError: loans.jsonl: holds 30,000 columns and 30,000 rows, more than ...
        """
        if not self.allows_cells(rows, columns):
            raise self._error(f"holds {columns:,} columns and {rows:,} rows", _size(rows, columns))

    def allows_cells(self, rows: int, columns: int) -> bool:
        """Tell whether a table may have so many cells and columns.

        Examples
        --------
        >>> Limit("loans.jsonl", 1e9).allows_cells(30_000, 30)
        True
        """
        return _size(rows, columns) <= self.most

    def _error(self, what: str, size: int) -> FileError:
        # Sizes that a file claims may have any number of digits.
        needed = f"--max-size {-(-size // 10**9)}GB" if size < 10**15 else "--max-size"
        return FileError(
            f"{self.file_name}: {what}, more than the {self.most / 2**20:,.0f} MB that a file of its size is granted. "
            f"Check that it is the table you mean, and grant more: {needed} (in Python: max_size)."
        )


def _size(rows: int, columns: int) -> int:
    return rows * columns * CELL + columns * COLUMN


NO_LIMIT = Limit()
