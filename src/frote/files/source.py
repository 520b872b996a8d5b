"""The bytes of a file: read in blocks, so that what is no table is refused before it fills the memory."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import os
import zlib
from collections import deque
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import IO, TYPE_CHECKING

import numpy as np

from frote.exceptions import FileError
from frote.files.format import listed
from frote.files.limits import Limit
from frote.opened import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from os import PathLike

    from frote.files.format import Format

__all__ = ["LONGEST_LINE", "TAKEN", "NotUtf8Error", "Source", "Text", "decoded", "opened_source", "require_text"]

LONGEST_LINE = 16 * 2**20  # bytes
BLOCK = 2**20

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
MARKUP = (b"<!doctype", b"<html", b"<?xml", b"<table")  # how web pages and XML begin
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# What a text has none of, or a few: a stray one is let through, one byte in twenty is not.
CONTROL = bytes(code for code in range(1, 32) if code not in b"\t\n\v\f\r\x1a\x1b")
TAKEN = (GZIP, ZIP, *MARKS)  # what a text must not begin with, whatever formats there are


class NotUtf8Error(Exception):
    """A text that is read in blocks is not in UTF-8: it must be read as a whole, which finds out its encoding."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text as UTF-8 without a mark, and how it was encoded."""

    content: bytes
    encoding: str
    bom: bool


class Source:
    """What a file holds, while it is open: block by block, as often as needed, or at once.

    Parameters
    ----------
    file : file
        The file, open.

    file_name : str
        Its path, for messages.

    formats : sequence of Format
        Those that it may be of.

    max_size : int or str, default=None
        What its table may take.

    Attributes
    ----------
    format : Format or None
        The format that its first bytes give away; None for a text.

    gzipped : bool
        Whether it was packed.

    encoding : str
        How characters are written in a text, by Python's name of it.

    bom : bool
        Whether a mark at its start says so.

    digest : str
        The SHA-256 of the file as it lies there, once all of it was read.

    limit : Limit
        What its table may take.
    """

    def __init__(
        self, file: IO[bytes], file_name: str, formats: Sequence[Format], max_size: int | str | None = None
    ) -> None:
        self._file, self._formats, self._max_size = file, formats, max_size
        self.file_name = file_name
        self._whole: bytes | None = None
        self._head_is_all = False
        self.digest = ""
        self.encoding, self.bom = "utf-8", False
        self._hashed = _Hashed(file)
        first = self._hashed.read(BLOCK)
        self.gzipped = first.startswith(GZIP)
        blocks = self._unpacked(first)
        first = next(blocks, b"")
        if not first:
            raise FileError(f"{file_name}: is empty. Give a file with a line of column names and rows below it.")
        self.format = None if self.gzipped else next((one for one in formats if _begins(first, one)), None)
        self._head = first.removeprefix(codecs.BOM_UTF8)
        self.bom = self._head is not first
        streams = self.format is not None or b"\n" in self._head.lstrip()
        # A pipe is read once; what is in UTF-16, or has a first line without an end, is read as a whole.
        if not streams or first.startswith(WIDE) or not file.seekable():
            self._join(first, blocks)
        else:
            self.limit = Limit.of(file_name, os.fstat(file.fileno()).st_size, max_size)
            self._head_is_all = not next(blocks, b"")

    @property
    def content(self) -> bytes:
        """All of it, unpacked; a text is in UTF-8, without a mark."""
        return self.read_all()

    def read_all(self) -> bytes:
        """Read it as a whole, if it was not yet, which finds out the encoding of a text."""
        if self._whole is not None:
            return self._whole
        self._file.seek(0)
        self._hashed = _Hashed(self._file)
        blocks = self._unpacked(self._hashed.read(BLOCK))
        return self._join(next(blocks, b""), blocks)

    @property
    def head(self) -> bytes:
        """The text from its start: all of it, or a megabyte with at least the first line that is not blank."""
        return self._head if self._whole is None else self._whole

    @property
    def head_is_all(self) -> bool:
        """Whether there is no more than the head."""
        return self._whole is not None or self._head_is_all

    def blocks(self) -> Iterator[bytes]:
        """Yield the text in UTF-8, without a mark, from the start, however often this is asked for.

        Raises
        ------
        NotUtf8Error
            If it is in another encoding, and was not read as a whole before.
        """
        if self._whole is not None:
            view = memoryview(self._whole)
            yield from (bytes(view[at : at + BLOCK]) for at in range(0, len(view), BLOCK))
            return
        with _told(self.file_name):
            self._file.seek(0)
            self._hashed = _Hashed(self._file)
            blocks = self._unpacked(self._hashed.read(BLOCK))
            first = next(blocks, b"")
            decoder = codecs.getincrementaldecoder("utf-8")()
            inside = False  # of a character that a block cut
            for block in _lines_checked(chain([first] if first else [], blocks), first, self.file_name, self._formats):
                if inside or not block.isascii():
                    try:
                        decoder.decode(block)
                    except UnicodeDecodeError:
                        raise NotUtf8Error from None
                    inside = bool(decoder.getstate()[0])
                yield block if block is not first else block.removeprefix(codecs.BOM_UTF8)
            if inside:
                raise NotUtf8Error
            self._done()

    def _join(self, first: bytes, blocks: Iterator[bytes]) -> bytes:
        blocks = chain([first], blocks)
        with _told(self.file_name):
            if self.format is not None:
                text = Text(b"".join(blocks), "", False)
            else:
                # What is no text has no lines whose length could be looked at.
                checked = _lines_checked(blocks, first, self.file_name, self._formats)
                text = decoded(b"".join(checked), self.file_name, self._formats)
            self._done()
        self._whole, self.encoding, self.bom = text.content, text.encoding, text.bom
        self.limit = Limit.of(self.file_name, self._hashed.size, self._max_size)
        return self._whole

    def _unpacked(self, first: bytes) -> Iterator[bytes]:
        """Yield blocks of the file from its first one on, unpacked, until there are more than it is granted."""
        hashed = self._hashed
        blocks = _chained(first, hashed)
        if first.startswith(GZIP):
            unpacked = gzip.GzipFile(fileobj=_Joined(blocks))  # type: ignore[call-overload]
            blocks = _chained(unpacked.read(BLOCK), unpacked)
        return _counted(blocks, lambda: Limit.of(self.file_name, hashed.size, self._max_size))

    def _done(self) -> None:
        """Take the digest of what was read; a file that is read again must be the same."""
        digest = self._hashed.digest.hexdigest()
        if self.digest not in ("", digest):
            raise FileError(f"{self.file_name}: was changed while it was read. Read it again when it is written.")
        self.digest = digest


def _begins(first: bytes, one: Format) -> bool:
    return bool(one.magic) and first.startswith(one.magic)


@contextmanager
def opened_source(
    path: str | PathLike[str], formats: Sequence[Format], max_size: int | str | None = None
) -> Iterator[Source]:
    """Open a file of one of some formats, or say in one sentence why it cannot be a table."""
    with ExitStack() as stack:
        with _told(str(path)):
            source = Source(stack.enter_context(opened(path)), str(path), formats, max_size)
        yield source


@contextmanager
def _told(file_name: str) -> Iterator[None]:
    """Say in one sentence why a file cannot be read."""
    try:
        yield
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


def _lines_checked(blocks: Iterable[bytes], first: bytes, file_name: str, formats: Sequence[Format]) -> Iterator[bytes]:
    """Hand blocks of text on, until one shows that it is none or that a line has no end."""
    if first.startswith(ZIP):
        raise FileError(f"{file_name}: is a zip archive or a spreadsheet. Unpack it, or save its sheet as CSV.")
    if first.removeprefix(codecs.BOM_UTF8).lstrip()[:20].lower().startswith(MARKUP):
        raise FileError(f"{file_name}: is a web page or XML, and no table. Save the table that it shows as CSV.")
    wide = first.startswith(WIDE)
    if not wide and len(first.translate(None, CONTROL)) < 0.95 * len(first):
        raise _no_table(file_name, formats)
    length, lines = 0, 1
    for block in blocks:
        if not wide and b"\0" in block:
            raise _no_table(file_name, formats)
        # Old files end their lines by \r alone.
        end = b"\n" if b"\n" in block else b"\r"
        start = block.find(end)
        length += len(block) if start < 0 else start
        if length > LONGEST_LINE:
            raise FileError(
                f"{file_name}: line {lines} is longer than {LONGEST_LINE // 2**20} MB. "
                "Check that it is a table whose rows are lines."
            )
        if start >= 0:
            length = len(block) - block.rfind(end) - 1
            lines += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == ord(end)))
        yield block


def require_text(data: bytes, file_name: str, formats: Sequence[Format]) -> None:
    """Refuse what was written as a text, but would not be read as one."""
    blocks = (data[at : at + BLOCK] for at in range(0, len(data), BLOCK))
    deque(_lines_checked(blocks, data[:BLOCK], file_name, formats), maxlen=0)


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
