"""A digest of the rows of a table that does not depend on how these are cut into files or partitions.

Rows in their order are cut into chunks of 65,536. Each chunk is written as bytes, column after column, and has a
SHA-256; the digest of the table is that of its columns' names and kinds, the number of rows, and these, in order. So
the chunks can be worked out anywhere, and a table of any size is read with the memory of one of them.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["CHUNK", "chunk_digests", "chunks_of", "digest_of_chunks", "digest_of_rows", "kinds_of"]

CHUNK = 1 << 16  # rows
KINDS = {"b": "truth", "i": "integer", "u": "integer", "f": "number", "M": "instant"}
SECOND = 10**9  # nanoseconds


def kinds_of(frame: pd.DataFrame) -> list[list[str]]:
    """Return the name of each column and what it holds: truth, integer, number, instant or text.

    Examples
    --------
    >>> kinds_of(pd.DataFrame({"age": [31], "rate": [0.5], "purpose": ["car"]}))
    [['age', 'integer'], ['rate', 'number'], ['purpose', 'text']]
    """
    return [[str(name), _kind(dtype)] for name, dtype in frame.dtypes.items()]


def _kind(dtype: Any) -> str:
    if isinstance(dtype, pd.CategoricalDtype):
        return "text"
    kind: str = KINDS.get(getattr(dtype, "kind", "O"), "text")
    return kind


def chunks_of(frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Cut frames that follow each other into chunks; all but the last one are full.

    Examples
    --------
    >>> parts = [pd.DataFrame({"age": np.arange(rows)}) for rows in (40_000, 100_000, 5)]
    >>> [len(chunk) for chunk in chunks_of(parts)]
    [65536, 65536, 8933]
    """
    left: list[pd.DataFrame] = []
    waiting = 0
    for frame in frames:
        start = 0
        while waiting + len(frame) - start >= CHUNK:
            end = start + CHUNK - waiting
            left.append(frame.iloc[start:end])
            yield left[0] if len(left) == 1 else pd.concat(left, ignore_index=True)
            left, waiting, start = [], 0, end
        if start < len(frame):
            left.append(frame.iloc[start:])
            waiting += len(frame) - start
    if left:
        yield left[0] if len(left) == 1 else pd.concat(left, ignore_index=True)


def chunk_digests(frames: Iterable[pd.DataFrame]) -> list[str]:
    """Return the SHA-256 of each chunk of frames that follow each other, the first of which begins a chunk."""
    return [_digest_of_chunk(chunk) for chunk in chunks_of(frames)]


def _digest_of_chunk(chunk: pd.DataFrame) -> str:
    digest = hashlib.sha256()
    for place in range(chunk.shape[1]):
        for part in _encoded(chunk.iloc[:, place]):
            digest.update(part)
    return digest.hexdigest()


def _encoded(column: pd.Series[Any]) -> Iterator[bytes]:
    """Write a column: which values are missing, a byte each, and then all of them, zero or empty where one is."""
    missing = column.isna().to_numpy(dtype=bool)
    yield missing.astype(np.uint8).tobytes()
    kind = _kind(column.dtype)
    if kind == "text":
        yield from _texts(column, missing)
    elif kind == "instant":
        seconds, rest = _instants(column, missing)
        yield seconds.astype("<i8").tobytes()
        yield rest.astype("<i8").tobytes()
    else:
        wanted = {"truth": "u1", "integer": "<i8", "number": "<f8"}[kind]
        plain: Any = getattr(column.dtype, "numpy_dtype", column.dtype)
        values = column.to_numpy(dtype=plain, na_value=plain.type(0)).copy()
        values[missing] = 0
        yield values.astype(wanted).tobytes()


def _texts(column: pd.Series[Any], missing: NDArray[np.bool_]) -> Iterator[bytes]:
    codes, distinct = pd.factorize(column)
    for value in distinct:
        if not isinstance(value, str):
            raise TableError(
                f"Column {str(column.name)!r} holds {value!r} among texts, and of such a column no digest is made. "
                "Make its values texts or numbers."
            )
    encoded = [value.encode() for value in distinct] + [b""]
    lengths = np.array([len(value) for value in encoded], dtype="<i8")
    codes = np.where(missing, len(distinct), codes)
    yield lengths[codes].tobytes()
    yield b"".join([encoded[code] for code in codes.tolist()])


def _instants(column: pd.Series[Any], missing: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return whole seconds since 1970 and nanoseconds beyond them, whatever unit the column counts in."""
    zone = getattr(column.dtype, "tz", None)
    plain = column if zone is None else column.dt.tz_convert("UTC").dt.tz_localize(None)
    values = plain.to_numpy()
    unit = np.datetime_data(values.dtype)[0]
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": SECOND}[unit]
    counts = np.where(missing, 0, values.astype(np.int64))
    return counts // per_second, counts % per_second * (SECOND // per_second)


def digest_of_chunks(kinds: Sequence[Sequence[str]], rows: int, digests: Iterable[str]) -> str:
    """Return the digest of a table by the kinds of its columns, its number of rows, and the digests of its chunks."""
    head = json.dumps([list(map(list, kinds)), rows, CHUNK], separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256("\n".join([head, *digests]).encode()).hexdigest()


def digest_of_rows(frames: Iterable[pd.DataFrame]) -> str:
    """Return the digest of a table that comes frame by frame.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [31, 25, 40], "purpose": ["car", None, "boat"]})
    >>> cut = digest_of_rows([frame[:1], frame[1:1], frame[1:]])
    >>> cut == digest_of_rows([frame]), cut == digest_of_rows([frame[::-1]])
    (True, False)
    >>> cut[:12]
    '20f2a92a4bfa'
    """
    kinds: list[list[str]] = []
    rows, digests = 0, []

    def seen() -> Iterator[pd.DataFrame]:
        nonlocal kinds, rows
        for frame in frames:
            kinds, rows = kinds_of(frame), rows + len(frame)
            yield frame

    digests = chunk_digests(seen())
    return digest_of_chunks(kinds, rows, digests)
