"""The bytes of a file: read once, in blocks, so that what is no table is refused before it fills the memory."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from frote.exceptions import FileError
from frote.files.limits import Limit
from frote.opened import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

__all__ = ["LONGEST_LINE", "TAKEN", "Source", "Text", "decoded", "read_source", "require_text"]

LONGEST_LINE = 16 * 2**20  # bytes
BLOCK = 2**20

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
# Files of these kinds have no lines whose length could be looked at.
MAGIC = {b"PAR1": "parquet", b"ARROW1": "feather"}
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# What a text has none of, or a few: a stray one is let through, one byte in twenty is not.
CONTROL = bytes(code for code in range(1, 32) if code not in b"\t\n\v\f\r\x1a\x1b")
TAKEN = (GZIP, ZIP, *MAGIC, *MARKS)  # what a text must not begin with
FORMATS = "CSV, JSON lines, Parquet or Feather"


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """What a file holds.

    Parameters
    ----------
    place : str
        The file's path, for messages.

    content : bytes
        Its bytes, unpacked.

    magic : str
        The format that its first bytes give away: "parquet", "feather", or "" for a text.

    gzipped : bool
        Whether it was packed.

    digest : str
        The SHA-256 of the file as it lies there.

    limit : Limit
        What its table may take.
    """

    place: str
    content: bytes
    magic: str
    gzipped: bool
    digest: str
    limit: Limit

    @property
    def suffix(self) -> str:
        """The end of the file's name in lower case, without that of a packed one: ".csv" for "Loans.CSV.gz"."""
        path = Path(self.place.lower())
        return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix


@dataclass(frozen=True, slots=True)
class Text:
    """A text as UTF-8 without a mark, and how it was encoded."""

    content: bytes
    encoding: str
    bom: bool


def read_source(path: str | PathLike[str], max_size: int | str | None = None) -> Source:
    """Read a file, or say in one sentence why it cannot be a table."""
    place = str(path)
    try:
        with opened(path) as file:
            return _read(file, place, max_size)
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"{place}: there is no such file. Check the path.") from None
    except IsADirectoryError:
        raise FileError(f"{place}: is a folder. Give a file in it.") from None
    except PermissionError:
        raise FileError(f"{place}: you are not permitted to read it. Ask its owner, or give a copy.") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileError(f"{place}: is a damaged gzip file ({error}). Pack or copy it again.") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{place}: cannot be read ({getattr(error, 'strerror', None) or error}).") from None


class _Hashed:
    """A file that counts what is read from it, and takes its digest."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.digest = hashlib.sha256()
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        """Read that many bytes at most."""
        data = self.file.read(size)
        self.digest.update(data)
        self.size += len(data)
        return data


def _read(file: IO[bytes], place: str, max_size: int | str | None) -> Source:
    hashed = _Hashed(file)
    first = hashed.read(BLOCK)
    gzipped = first.startswith(GZIP)
    blocks = _chained(first, hashed)
    if gzipped:
        unpacked = gzip.GzipFile(fileobj=_Joined(blocks))  # type: ignore[call-overload]
        first = unpacked.read(BLOCK)
        blocks = _chained(first, unpacked)
    blocks = _counted(blocks, lambda: Limit.of(place, hashed.size, max_size))
    if not first:
        raise FileError(f"{place}: is empty. Give a file with a line of column names and rows below it.")
    magic = "" if gzipped else next((kind for mark, kind in MAGIC.items() if first.startswith(mark)), "")
    content = b"".join(blocks) if magic else _lines_checked(blocks, first, place)
    return Source(place, content, magic, gzipped, hashed.digest.hexdigest(), Limit.of(place, hashed.size, max_size))


class _Joined:
    """Blocks as a file, for gzip."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks = blocks
        self.rest = b""

    def read(self, size: int) -> bytes:
        """Read that many bytes at most, none at the end."""
        data = self.rest or next(self.blocks, b"")
        self.rest = data[size:]
        return data[:size]


def _chained(first: bytes, file: _Hashed | gzip.GzipFile) -> Iterator[bytes]:
    block = first
    while block:
        yield block
        block = file.read(BLOCK)


def _counted(blocks: Iterator[bytes], limit: Callable[[], Limit]) -> Iterator[bytes]:
    """Hand blocks on until there are more than what has been read of the file may unpack to."""
    size = 0
    for block in blocks:
        size += len(block)
        limit().require_bytes(size)
        yield block


def _lines_checked(blocks: Iterator[bytes], first: bytes, place: str) -> bytes:
    """Join blocks of text, until one shows that it is none or that a line has no end."""
    if first.startswith(ZIP):
        raise FileError(f"{place}: is a zip archive or a spreadsheet. Unpack it, or save its sheet as CSV.")
    wide = first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not wide and len(first.translate(None, CONTROL)) < 0.95 * len(first):
        raise no_table(place)
    passed: list[bytes] = []
    length = 0
    for block in blocks:
        if not wide and b"\0" in block:
            raise no_table(place)
        # Old files end their lines by \r alone.
        end = b"\n" if b"\n" in block else b"\r"
        start = block.find(end)
        length += len(block) if start < 0 else start
        if length > LONGEST_LINE:
            line = sum(one.count(b"\n") or one.count(b"\r") for one in passed) + 1
            raise FileError(
                f"{place}: line {line} is longer than {LONGEST_LINE // 2**20} MB. "
                "Check that it is a table whose rows are lines."
            )
        if start >= 0:
            length = len(block) - block.rfind(end) - 1
        passed.append(block)
    return b"".join(passed)


def require_text(data: bytes, place: str) -> None:
    """Refuse what was written as a text, but would not be read as one."""
    _lines_checked((data[at : at + BLOCK] for at in range(0, len(data), BLOCK)), data[:BLOCK], place)


def no_table(place: str) -> FileError:
    """Say that a file is something else than a table."""
    return FileError(f"{place}: holds binary data and is no table. Give {FORMATS}.")


def decoded(content: bytes, place: str) -> Text:
    """Return a file's text as UTF-8: what its mark says, else UTF-8, else what Western Windows writes, else Latin-1."""
    mark = next((mark for mark in MARKS if content.startswith(mark)), b"")
    if mark:
        encoding = MARKS[mark]
        try:
            text = content[len(mark) :].decode(encoding)
        except UnicodeDecodeError as error:
            raise FileError(
                f"{place}: begins as {encoding.upper()} text, but byte {error.start + len(mark)} is none "
                f"({error.reason}). Save it as UTF-8."
            ) from None
        if "\0" in text:
            raise no_table(place)
        return Text(text.encode(), encoding, True)
    for encoding in ("utf-8", "cp1252"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return Text(content if encoding == "utf-8" else text.encode(), encoding, False)
    return Text(content.decode("latin-1").encode(), "latin-1", False)
