"""JSON lines: an object per line, whose keys are the columns."""

from __future__ import annotations

import json
from array import array
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import FileError
from frote.files.cells import encodable, written
from frote.files.kinds import (
    Texts,
    Where,
    by_lines,
    categories,
    from_texts,
    numbers,
    texts_or_dates,
    truths,
    whole_numbers,
)
from frote.files.limits import NO_LIMIT, Limit
from frote.files.names import checked_names
from frote.files.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from frote.files.names import Asked
    from frote.files.regular import Blocks

__all__ = ["encoded_json", "is_json_lines", "read_json_lines", "write_json_lines"]

PIECE = 2**16  # rows that are kept as objects
ENCODER = json.JSONEncoder(ensure_ascii=False)
DECODER = json.JSONDecoder(object_pairs_hook=tuple)  # a list stands for a list


def is_json_lines(content: bytes) -> bool:
    """Tell whether the first line is a JSON object.

    Examples
    --------
    >>> is_json_lines(b'{"age": 31}'), is_json_lines(b"{age}")
    (True, False)
    """
    try:
        return isinstance(json.loads(content.lstrip().partition(b"\n")[0]), dict)
    except (ValueError, RecursionError):
        return False


def read_json_lines(
    text: Blocks, file_name: str, asked: Asked, limit: Limit = NO_LIMIT
) -> tuple[pd.DataFrame, Callable[[int], str]]:
    r"""Read a table.

    Parameters
    ----------
    text : callable
        Gives the file's text in UTF-8 in blocks.

    file_name : str
        The file, for messages.

    asked : Asked
        Columns to take for texts, or for numbers.

    limit : Limit, default=NO_LIMIT
        What the table may take.

    Returns
    -------
    frame : DataFrame
        The columns in the order in which their keys first come; a key that a line lacks is missing there.

    row : callable
        What to call a row in messages, by its number from 0.

    Examples
    --------
    >>> from frote.files.names import Asked
    >>> content = b'{"age": 31, "purpose": "car"}\n{"age": null}\n'
    >>> frame, row = read_json_lines(lambda: [content], "loans.jsonl", Asked())
    >>> frame
        age purpose
    0    31     car
    1  <NA>     NaN
    >>> row(1)
    'line 2'
    """
    pieces: dict[str, Pieces] = {}
    cells: dict[str, list[Any]] = {}  # of the lines since the last piece
    lines = array("q")
    before = 0  # the rows of all pieces

    def put_away() -> None:
        for key, column in cells.items():
            pieces[key].add([None] * (before - pieces[key].rows))
            pieces[key].add(column)
        cells.clear()

    for number, line in enumerate(_lines(text()), 1):
        if not line or line.isspace():
            continue
        row = len(lines) - before
        for key, value in _pairs(line, f"{file_name}: line {number}"):
            column = cells.get(key)
            if column is None:
                if key not in pieces:
                    limit.require_cells(len(lines) + 1, len(pieces) + 1)
                    pieces[key] = Pieces()
                column = cells[key] = []
            if len(column) > row:
                raise FileError(f"{file_name}: line {number}: has the key {key!r} twice. Rename one of them.")
            column.extend(repeat(None, row - len(column)))  # what the lines since its last one lack
            column.append(value)
        lines.append(number)
        if row + 1 == PIECE:
            put_away()
            before = len(lines)
    put_away()
    if not pieces:
        raise FileError(f'{file_name}: holds no values. Give an object per line, such as {{"age": 31}}.')
    limit.require_cells(len(lines), len(pieces))
    names = checked_names(pieces, file_name)
    asked.check(names, file_name)
    row_name = by_lines(lines)
    columns = {}
    for name in names:
        values = pieces.pop(name)
        values.add([None] * (len(lines) - values.rows))
        columns[name] = _column(values, Where(file_name, name, row_name), asked)
    return pd.DataFrame(columns, copy=False), row_name


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a text."""
    rest = b""
    for block in blocks:
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        yield from lines
    if rest:
        yield rest


def _pairs(line: bytes, where: str) -> tuple[tuple[str, Any], ...]:
    """Return the keys and values of a line, in its order; a key may come twice."""
    try:
        pairs = DECODER.decode(line.decode("utf-8", "surrogatepass").removeprefix("\ufeff"))
    except (ValueError, RecursionError):  # a number of thousands of digits is a ValueError
        pairs = None
    if not isinstance(pairs, tuple):
        raise FileError(f'{where}: is no JSON object. Give an object per line, such as {{"age": 31}}.')
    return pairs


def _column(values: Pieces, where: Where, asked: Asked) -> pd.Series[Any]:
    kinds = values.kinds
    if object in kinds or (len(kinds) > 1 and kinds != {int, float}):
        return _mixed(list(values), where, asked)
    texts = values.texts if kinds == {str} else None
    if texts is not None:
        _require_whole_characters(texts, where)
    if asked.is_text(where.column):
        return categories(texts or Texts.of(values))
    if where.column in asked.numeric:
        return from_texts(texts or Texts.of(values), where, numeric=True)
    if texts is not None:
        return texts_or_dates(texts)
    if kinds == {bool}:
        return truths(values.array(bool), values.missing)
    if kinds == {int}:
        return whole_numbers(values.array(int), values.missing)
    column = values.array(float)
    column[values.missing] = np.nan
    return numbers(column)


def _mixed(values: list[Any], where: Where, asked: Asked) -> pd.Series[Any]:
    """Return a column of several types, or of numbers that are too large for an array."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds & {tuple, list}:
        row = next(row for row, value in enumerate(values) if isinstance(value, tuple | list))
        raise where.error(row, "holds a list or an object. Give it one value, or a key for each.")
    if kinds == {int, float} and not asked.is_text(where.column) and where.column not in asked.numeric:
        try:
            return numbers(np.array([np.nan if value is None else value for value in values], dtype=np.float64))
        except OverflowError:  # a whole number that is too large for a float
            return from_texts(Texts.of(values), where)
    texts = Texts.of(values)
    _require_whole_characters(texts, where)
    if asked.is_text(where.column):
        return categories(texts)
    if str not in kinds and bool in kinds and where.column not in asked.numeric:
        return categories(texts)
    return from_texts(texts, where, numeric=where.column in asked.numeric)


def _require_whole_characters(texts: Texts, where: Where) -> None:
    if not all(map(encodable, texts.levels)):
        row = texts.first([not encodable(level) for level in texts.levels])
        raise where.error(row, "holds half a character (an unpaired surrogate). Mend it.")


def write_json_lines(frame: pd.DataFrame) -> str:
    r"""Return a frame as JSON lines that read back as the same values.

    Examples
    --------
    >>> import pandas as pd
    >>> write_json_lines(pd.DataFrame({"age": pd.array([31, None])}))
    '{"age": 31}\n{"age": null}\n'
    """
    columns = []
    for name in frame.columns:
        key = _json(name)
        columns.append([f"{key}: {value}" for value in written(name, frame[name], _json)])
    return "".join(f"{{{', '.join(cells)}}}\n" for cells in zip(*columns, strict=True))


def _json(value: Any) -> str:
    return ENCODER.encode(value)


def encoded_json(text: str, encoding: str) -> bytes:
    r"""Encode JSON text; characters that the encoding has not are escaped, as JSON can.

    Examples
    --------
    >>> encoded_json('{"city": "Łódź"}', "cp1252")
    b'{"city": "\\u0141\xf3d\\u017a"}'
    """
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        lacking = {character for character in set(text) if not _has(encoding, character)}
        return text.translate({ord(one): json.dumps(one)[1:-1] for one in lacking}).encode(encoding)


def _has(encoding: str, character: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
