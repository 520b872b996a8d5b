"""Formats that are texts: read and written in any encoding."""

from __future__ import annotations

import codecs
from collections import deque
from typing import TYPE_CHECKING, Any

from frote.exceptions import FileError
from frote.files.delimited import find_delimiter, read_delimited, write_delimited
from frote.files.format import Parsed
from frote.files.json_lines import encoded_json, is_json_lines, read_json_lines, write_json_lines
from frote.files.source import NotUtf8Error, decoded

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from frote.files.form import FileForm
    from frote.files.format import Writing
    from frote.files.names import Asked
    from frote.files.source import Source

__all__ = ["is_separated", "read_lines", "read_separated", "write_lines", "write_separated"]

BOMS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


def is_separated(head: bytes) -> bool:
    r"""Tell whether something divides all rows of a text, which are no JSON, into as many cells.

    Examples
    --------
    >>> is_separated(b"age;rate\n31;1,5\n"), is_separated(b"Dear all,\n\nnothing here.\n")
    (True, False)
    """
    return find_delimiter(head).found and not is_json_lines(head)


def read_separated(source: Source, asked: Asked, *, delimiter: str = "") -> Parsed:
    """Read a text whose cells are divided, by what its name says if that fits, or by what is found."""

    def read() -> Parsed:
        divided_by = find_delimiter(source.head, whole=source.head_is_all, named=delimiter)
        table = read_delimited(source.blocks, divided_by, source.file_name, asked, source.limit)
        more = {"delimiter": divided_by.character, "decimal": table.decimal, "dates": table.dates}
        return Parsed(table.frame, table.row, {**_spelling(source), **more})

    return _decoded(source, read)


def read_lines(source: Source, asked: Asked) -> Parsed:
    """Read JSON lines."""

    def read() -> Parsed:
        frame, row = read_json_lines(source.blocks, source.file_name, asked, source.limit)
        return Parsed(frame, row, _spelling(source))

    return _decoded(source, read)


def _decoded(source: Source, read: Callable[[], Parsed]) -> Parsed:
    """Read a text in blocks, or, where that shows that it is not in UTF-8, as a whole."""
    try:
        try:
            return read()
        except FileError:
            deque(source.blocks(), maxlen=0)  # what is wrong with the file goes before what is wrong with a line of it
            raise
    except NotUtf8Error:
        source.read_all()
        return read()


def _spelling(source: Source) -> dict[str, Any]:
    return {"encoding": source.encoding, "bom": source.bom, "newline": _newline(source.head)}


def _newline(head: bytes) -> str:
    r"""Return what ends the first line: \n, \r\n, or \r as in old files."""
    end = head.find(b"\n")
    if end < 0:
        return "\r" if b"\r" in head else "\n"
    return "\r\n" if head[end - 1 : end] == b"\r" else "\n"


def write_separated(frame: pd.DataFrame, form: FileForm, writing: Writing) -> bytes:
    """Write a text whose cells are divided.

    Raises
    ------
    FileError
        If the encoding has not all characters.
    """
    text = write_delimited(
        frame,
        delimiter=form.delimiter,
        decimal=form.decimal,
        newline=form.newline,
        dates=form.dates,
        inert=writing.inert,
    )
    try:
        data = text.encode(form.encoding)
    except UnicodeEncodeError as error:
        raise FileError(
            f"{writing.file_name}: cannot be written as {form.encoding}, which has no {text[error.start]!r}. "
            "Save the data as UTF-8 first."
        ) from None
    if form.bom:
        return BOMS[form.encoding] + data
    if data.startswith(writing.taken):  # and so by a name without quotes
        first = str(frame.columns[0])
        text = f'"{first}"{text.removeprefix(first)}'
        data = text.encode(form.encoding)
    return data if _is_read_as(data, form.encoding) else text.encode()


def write_lines(frame: pd.DataFrame, form: FileForm, writing: Writing) -> bytes:  # noqa: ARG001
    """Write JSON lines; what the encoding has not is escaped."""
    text = write_json_lines(frame).replace("\n", "\r\n" if form.newline == "\r\n" else "\n")
    data = encoded_json(text, form.encoding)
    if form.bom:
        return BOMS[form.encoding] + data
    return data if _is_read_as(data, form.encoding) else encoded_json(text, "ascii")


def _is_read_as(data: bytes, encoding: str) -> bool:
    """Tell whether a text without a mark is read in its encoding; the same bytes may be a text in another."""
    if encoding == "utf-8":  # which is tried first where no mark says otherwise
        return not data.startswith(tuple(BOMS.values()))
    return decoded(data, "").content == data.decode(encoding).encode()
