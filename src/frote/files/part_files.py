"""Frames written as Parquet files that stand one after the other in a folder, and read back in that order."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pandas as pd

from frote.exceptions import FileError
from frote.files.arrow import arrow_array, pyarrow_for

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["name_of_part", "require_in_order", "written_part"]


def name_of_part(number: int) -> str:
    """Return what the file of a part is called, by its number from 0.

    Examples
    --------
    >>> name_of_part(7)
    '00007.parquet'
    """
    return f"{number:05d}.parquet"


def require_in_order(names: Iterable[str], where: str) -> None:
    """Refuse names that are not those of parts from the first one on, in order.

    Examples
    --------
    >>> require_in_order(["00000.parquet", "00002.parquet"], "augmented")
    Traceback (most recent call last):
    ...
    frote.exceptions.FileError: augmented: 00002.parquet stands where 00001.parquet is expected.
    """
    for number, name in enumerate(names):
        if name != name_of_part(number):
            raise FileError(f"{where}: {name} stands where {name_of_part(number)} is expected.")


def written_part(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame as a Parquet file: the same rows give the same bytes. What was there before is replaced.

    Raises
    ------
    FileError
        If it cannot be written, such as for want of room.
    """
    pa = pyarrow_for(str(path))
    table = pa.table({str(name): _array(pa, str(name), frame[name]) for name in frame.columns})
    beside = path.with_name(f".{path.name}")
    try:
        pa.parquet.write_table(table, beside)
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        why = error.strerror or str(error).partition("\n")[0]
        raise FileError(f"{path}: cannot be written ({why}). Make room, or name another folder.") from None


def _array(pa: Any, name: str, column: pd.Series[Any]) -> Any:
    """Return a column for PyArrow; texts are one type wherever they come from."""
    if isinstance(column.dtype, pd.CategoricalDtype) or column.dtype.kind == "O":
        values = column.astype(object)
        return pa.array(values.where(values.notna(), None).to_numpy(dtype=object), type=pa.string())
    if pd.api.types.is_string_dtype(column.dtype):
        return pa.array(column.array, type=pa.string(), from_pandas=True)
    return arrow_array(pa, name, column)
