"""JSON lines: an object per line, whose keys are the columns."""

from __future__ import annotations

import io
import json
from array import array
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import FileError
from frote.files.cells import encodable, written
from frote.files.kinds import (
    LEAST,
    MOST,
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

if TYPE_CHECKING:
    from collections.abc import Callable

    from frote.files.names import Asked

__all__ = ["encoded_json", "is_json_lines", "read_json_lines", "write_json_lines"]

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
    content: bytes, file_name: str, asked: Asked, limit: Limit = NO_LIMIT
) -> tuple[pd.DataFrame, Callable[[int], str]]:
    r"""Read a table.

    Parameters
    ----------
    content : bytes
        The file's text in UTF-8.

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
    >>> frame, row = read_json_lines(content, "loans.jsonl", Asked())
    >>> frame
        age purpose
    0    31     car
    1  <NA>     NaN
    >>> row(1)
    'line 2'
    """
    cells: dict[str, list[Any]] = {}
    lines = array("q")
    for number, line in enumerate(io.BytesIO(content), 1):
        if line.isspace():
            continue
        row = len(lines)
        for key, value in _pairs(line, f"{file_name}: line {number}"):
            column = cells.get(key)
            if column is None:
                limit.require_cells(row + 1, len(cells) + 1)
                column = cells[key] = []
            if len(column) > row:
                raise FileError(f"{file_name}: line {number}: has the key {key!r} twice. Rename one of them.")
            column.extend(repeat(None, row - len(column)))  # what the lines since its last one lack
            column.append(value)
        lines.append(number)
    if not cells:
        raise FileError(f'{file_name}: holds no values. Give an object per line, such as {{"age": 31}}.')
    limit.require_cells(len(lines), len(cells))
    names = checked_names(cells, file_name)
    asked.check(names, file_name)
    row_name = by_lines(lines)
    columns = {}
    for name in names:
        column = cells.pop(name)
        column.extend(repeat(None, len(lines) - len(column)))
        columns[name] = _column(column, Where(file_name, name, row_name), asked)
    return pd.DataFrame(columns), row_name


def _pairs(line: bytes, where: str) -> tuple[tuple[str, Any], ...]:
    """Return the keys and values of a line, in its order; a key may come twice."""
    try:
        pairs = DECODER.decode(line.decode("utf-8", "surrogatepass").removeprefix("\ufeff"))
    except (ValueError, RecursionError):  # a number of thousands of digits is a ValueError
        pairs = None
    if not isinstance(pairs, tuple):
        raise FileError(f'{where}: is no JSON object. Give an object per line, such as {{"age": 31}}.')
    return pairs


def _column(values: list[Any], where: Where, asked: Asked) -> pd.Series[Any]:
    kinds = set(map(type, values)) - {type(None)}
    if kinds & {tuple, list}:
        row = next(row for row, value in enumerate(values) if isinstance(value, tuple | list))
        raise where.error(row, "holds a list or an object. Give it one value, or a key for each.")
    texts = Texts.of(values) if str in kinds else None
    if texts is not None and not all(map(encodable, texts.levels)):
        row = texts.first([not encodable(level) for level in texts.levels])
        raise where.error(row, "holds half a character (an unpaired surrogate). Mend it.")
    if asked.is_text(where.column):
        return categories(texts or Texts.of(values))
    if where.column in asked.numeric:
        return from_texts(texts or Texts.of(values), where, numeric=True)
    if texts is not None:
        return texts_or_dates(texts) if kinds == {str} else from_texts(texts, where)
    missing = np.array([value is None for value in values])
    if kinds == {bool}:
        return truths(np.array([bool(value) for value in values]), missing)
    if bool in kinds:
        return categories(Texts.of(values))
    if kinds == {int}:
        if all(LEAST <= value <= MOST for value in values if value is not None):
            return whole_numbers(np.array([value or 0 for value in values], dtype=np.int64), missing)
        return from_texts(Texts.of(values), where)
    try:
        return numbers(np.array([np.nan if value is None else value for value in values], dtype=np.float64))
    except OverflowError:  # a whole number that is too large for a float
        return from_texts(Texts.of(values), where)


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
