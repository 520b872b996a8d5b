"""A folder as one file to take along, made while it is sent."""

from __future__ import annotations

import zipfile
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["zipped"]

CHUNK = 2**18
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of the format: the same folder gives the same file


class _Pieces:
    """A file that cannot be gone back in, whose content is taken away piece by piece."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def write(self, content: bytes, /) -> int:
        self.pieces.append(bytes(content))
        return len(self.pieces[-1])

    def flush(self) -> None:
        """Do nothing: it is taken away by `taken`."""

    def taken(self) -> bytes:
        content, self.pieces = b"".join(self.pieces), []
        return content


def zipped(files: Mapping[str, Path | bytes]) -> Iterator[bytes]:
    """Go through the bytes of an archive of files, each of which has a name in it.

    Examples
    --------
    >>> import io
    >>> content = b"".join(zipped({"edit/rules.rules": b"IF age < 29 THEN approved"}))
    >>> zipfile.ZipFile(io.BytesIO(content)).read("edit/rules.rules")
    b'IF age < 29 THEN approved'
    """
    pieces = _Pieces()
    with zipfile.ZipFile(cast("IO[bytes]", pieces), "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for name, source in files.items():
            entry = zipfile.ZipInfo(name, FIRST_DAY)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with archive.open(entry, "w", force_zip64=True) as target:
                for chunk in _chunks(source):
                    target.write(chunk)
                    if pieces.pieces:
                        yield pieces.taken()
    yield pieces.taken()


def _chunks(source: Path | bytes) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield source
        return
    with source.open("rb") as file:
        yield from iter(lambda: file.read(CHUNK), b"")
