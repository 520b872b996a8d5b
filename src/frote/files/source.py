"""The bytes of a file: read once, in blocks, so that what is no table is refused before it fills the memory."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from frote.exceptions import FileError
from frote.files.format import listed
from frote.files.limits import Limit
from frote.opened import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from frote.files.format import Format

__all__ = ["LONGEST_LINE", "TAKEN", "Source", "Text", "decoded", "read_source", "require_text"]

LONGEST_LINE = 16 * 2**20  # bytes
BLOCK = 2**20

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
MARKUP = (b"<!doctype", b"<html", b"<?xml", b"<table")  # how web pages and XML begin
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# What a text has none of, or a few: a stray one is let through, one byte in twenty is not.
CONTROL = bytes(code for code in range(1, 32) if code not in b"\t\n\v\f\r\x1a\x1b")
TAKEN = (GZIP, ZIP, *MARKS)  # what a text must not begin with, whatever formats there are


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """What a file holds.

    Parameters
    ----------
    file_name : str
        The file's path, for messages.

    content : bytes
        Its bytes, unpacked; a text is in UTF-8, without a mark.

    format : Format or None
        The format that its first bytes give away; None for a text.

    gzipped : bool
        Whether it was packed.

    encoding : str
        How characters are written in a text, by Python's name of it.

    bom : bool
        Whether a mark at its start says so.

    digest : str
        The SHA-256 of the file as it lies there.

    limit : Limit
        What its table may take.
    """

    file_name: str
    content: bytes
    format: Format | None
    gzipped: bool
    encoding: str
    bom: bool
    digest: str
    limit: Limit


@dataclass(frozen=True, slots=True)
class Text:
    """A text as UTF-8 without a mark, and how it was encoded."""

    content: bytes
    encoding: str
    bom: bool


def read_source(path: str | PathLike[str], formats: Sequence[Format], max_size: int | str | None = None) -> Source:
    """Read a file of one of some formats, or say in one sentence why it cannot be a table."""
    file_name = str(path)
    try:
        with opened(path) as file:
            return _read(file, file_name, formats, max_size)
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"{file_name}: there is no such file. Check the path.") from None
    except IsADirectoryError:
        raise FileError(f"{file_name}: is a folder. Give a file in it.") from None
    except PermissionError:
        raise FileError(f"{file_name}: you are not permitted to read it. Ask its owner, or give a copy.") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileError(f"{file_name}: is a damaged gzip file ({error}). Pack or copy it again.") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{file_name}: cannot be read ({getattr(error, 'strerror', None) or error}).") from None


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


def _read(file: IO[bytes], file_name: str, formats: Sequence[Format], max_size: int | str | None) -> Source:
    hashed = _Hashed(file)
    first = hashed.read(BLOCK)
    gzipped = first.startswith(GZIP)
    blocks = _chained(first, hashed)
    if gzipped:
        unpacked = gzip.GzipFile(fileobj=_Joined(blocks))  # type: ignore[call-overload]
        first = unpacked.read(BLOCK)
        blocks = _chained(first, unpacked)
    blocks = _counted(blocks, lambda: Limit.of(file_name, hashed.size, max_size))
    if not first:
        raise FileError(f"{file_name}: is empty. Give a file with a line of column names and rows below it.")
    binary = None if gzipped else next((one for one in formats if one.magic and first.startswith(one.magic)), None)
    # What is no text has no lines whose length could be looked at.
    if binary:
        text = Text(b"".join(blocks), "", False)
    else:
        text = decoded(_lines_checked(blocks, first, file_name, formats), file_name, formats)
    digest, limit = hashed.digest.hexdigest(), Limit.of(file_name, hashed.size, max_size)
    return Source(file_name, text.content, binary, gzipped, text.encoding, text.bom, digest, limit)


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


def _lines_checked(blocks: Iterator[bytes], first: bytes, file_name: str, formats: Sequence[Format]) -> bytes:
    """Join blocks of text, until one shows that it is none or that a line has no end."""
    if first.startswith(ZIP):
        raise FileError(f"{file_name}: is a zip archive or a spreadsheet. Unpack it, or save its sheet as CSV.")
    if first.removeprefix(codecs.BOM_UTF8).lstrip()[:20].lower().startswith(MARKUP):
        raise FileError(f"{file_name}: is a web page or XML, and no table. Save the table that it shows as CSV.")
    wide = first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not wide and len(first.translate(None, CONTROL)) < 0.95 * len(first):
        raise _no_table(file_name, formats)
    passed: list[bytes] = []
    length = 0
    for block in blocks:
        if not wide and b"\0" in block:
            raise _no_table(file_name, formats)
        # Old files end their lines by \r alone.
        end = b"\n" if b"\n" in block else b"\r"
        start = block.find(end)
        length += len(block) if start < 0 else start
        if length > LONGEST_LINE:
            line = sum(one.count(b"\n") or one.count(b"\r") for one in passed) + 1
            raise FileError(
                f"{file_name}: line {line} is longer than {LONGEST_LINE // 2**20} MB. "
                "Check that it is a table whose rows are lines."
            )
        if start >= 0:
            length = len(block) - block.rfind(end) - 1
        passed.append(block)
    return b"".join(passed)


def require_text(data: bytes, file_name: str, formats: Sequence[Format]) -> None:
    """Refuse what was written as a text, but would not be read as one."""
    _lines_checked((data[at : at + BLOCK] for at in range(0, len(data), BLOCK)), data[:BLOCK], file_name, formats)


def _no_table(file_name: str, formats: Sequence[Format]) -> FileError:
    return FileError(f"{file_name}: holds binary data and is no table. Give {listed(formats)}.")


def decoded(content: bytes, file_name: str, formats: Sequence[Format] = ()) -> Text:
    """Return a file's text as UTF-8: what its mark says, else UTF-8, else what Western Windows writes, else Latin-1."""
    mark = next((mark for mark in MARKS if content.startswith(mark)), b"")
    if mark:
        encoding = MARKS[mark]
        try:
            text = content[len(mark) :].decode(encoding)
        except UnicodeDecodeError as error:
            raise FileError(
                f"{file_name}: begins as {encoding.upper()} text, but byte {error.start + len(mark)} is none "
                f"({error.reason}). Save it as UTF-8."
            ) from None
        if "\0" in text:
            raise _no_table(file_name, formats)
        return Text(text.encode(), encoding, True)
    for encoding in ("utf-8", "cp1252"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return Text(content if encoding == "utf-8" else text.encode(), encoding, False)
    return Text(content.decode("latin-1").encode(), "latin-1", False)
