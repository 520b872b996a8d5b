"""What the parts of a Feather file unpack to, read from its own index before anything is unpacked.

The format is Arrow's: a footer lists blocks; each has a message that gives rows and buffers; a packed buffer begins
with the size that it unpacks to. Messages are FlatBuffers, of which the little that is needed is read here.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["unpacked_sizes"]

MAGIC = b"ARROW1"
BLOCK, BUFFER, NODE = 24, 16, 16  # bytes of each
RECORDS = 3  # the kind of a message with rows; one with levels has such a message within
# Fields of the tables, by their places.
LEVELS, ROWS = 2, 3  # of the footer
KIND, HEADER = 1, 2  # of a message
WITHIN = 1  # of levels
NODES, BUFFERS, PACKING = 1, 2, 3  # of rows


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a FlatBuffer."""

    data: memoryview
    at: int

    @classmethod
    def root(cls, data: memoryview) -> _Table:
        return cls(data, _number("<I", data, 0))

    def field(self, place: int) -> int | None:
        """Return where a field is, or None if it is not there."""
        index = self.at - _number("<i", self.data, self.at)
        entry = 4 + 2 * place
        if entry >= _number("<H", self.data, index):
            return None
        offset = _number("<H", self.data, index + entry)
        return self.at + offset if offset else None

    def table(self, place: int) -> _Table | None:
        """Return the table in a field."""
        at = self.field(place)
        return None if at is None else _Table(self.data, at + _number("<I", self.data, at))

    def parts(self, place: int, size: int) -> Iterator[memoryview]:
        """Return the parts of a list, each of so many bytes."""
        at = self.field(place)
        if at is None:
            return
        start = at + _number("<I", self.data, at)
        for number in range(_number("<I", self.data, start)):
            part = self.data[start + 4 + number * size :][:size]
            if len(part) < size:
                raise ValueError("a list goes beyond the end")
            yield part


def _number(form: str, data: memoryview, at: int) -> int:
    if at < 0:
        raise ValueError("a place before the start")
    return int(struct.unpack_from(form, data, at)[0])


def unpacked_sizes(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield for each block the rows of its longest column and the bytes that it unpacks to.

    Raises
    ------
    ValueError, struct.error
        If the file is damaged.
    """
    data = memoryview(content)
    length = _number("<i", data, len(data) - len(MAGIC) - 4)
    end = len(data) - len(MAGIC) - 4
    footer = _Table.root(data[end - length : end] if 0 < length < end else data[:0])
    for place in (LEVELS, ROWS):
        for block in footer.parts(place, BLOCK):
            yield _block(data, *struct.unpack("<qi4xq", block))


def _block(data: memoryview, offset: int, length: int, size: int) -> tuple[int, int]:
    if not 0 <= offset <= len(data) or length < 8:
        raise ValueError("a block goes beyond the end")
    marked = _number("<i", data, offset) == -1  # files of old begin with the length itself
    start, body = offset + (8 if marked else 4), data[offset + length :][: max(size, 0)]
    message = _Table.root(data[start : offset + length])
    at, header = message.field(KIND), message.table(HEADER)
    if at is not None and header is not None and _number("<B", message.data, at) != RECORDS:
        header = header.table(WITHIN)
    if at is None or header is None:
        raise ValueError("a block without rows")
    rows = max((_number("<q", node, 0) for node in header.parts(NODES, NODE)), default=0)
    packed = header.field(PACKING) is not None
    return rows, sum(_unpacked(body, part, packed=packed) for part in header.parts(BUFFERS, BUFFER))


def _unpacked(body: memoryview, buffer: memoryview, *, packed: bool) -> int:
    offset, length = struct.unpack("<qq", buffer)
    size = _number("<q", body, offset) if packed and length >= 8 else -1
    return max(length, 0) if size < 0 else size  # what would not shrink is not packed
