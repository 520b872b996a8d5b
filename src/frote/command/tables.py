"""Tables with labels, from files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.exceptions import FileError, nearest
from frote.files import read_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pandas as pd

    from frote.command.record import Asked
    from frote.files import FileTable

__all__ = ["Labelled", "labelled", "require_columns"]


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """A table of a file, with its column of labels apart."""

    path: Path
    source: FileTable
    X: pd.DataFrame
    y: pd.Series[Any]

    @property
    def described(self) -> dict[str, Any]:
        """What the record says of it."""
        return {"name": self.path.name, "sha256": self.source.digest, "rows": len(self.X)}


def labelled(path: Path, asked: Asked) -> Labelled:
    """Read a table with labels.

    Raises
    ------
    FileError
        If the table cannot be read, has no such column, or rows without a label.
    """
    source = read_table(path, categorical=asked.categorical, numeric=asked.numeric)
    frame = source.frame
    require_columns(frame, path, [asked.target])
    X, y = frame.drop(columns=asked.target), frame[asked.target]
    gaps = np.flatnonzero(y.isna())
    if len(gaps):
        raise FileError(
            f"{len(gaps):,} rows of {path} have no {asked.target!r}, the first is row {gaps[0] + 1:,}. Leave them out."
        )
    return Labelled(path, source, X, y)


def require_columns(frame: pd.DataFrame, path: Path, present: Iterable[str], absent: Iterable[str] = ()) -> None:
    """Refuse a table that lacks a column, or has one that is to be made.

    Raises
    ------
    FileError
        With the first such column.
    """
    for name in present:
        if name not in frame.columns:
            raise FileError(f"{path} has no column {name!r}. {nearest(name, frame.columns)}")
    for name in absent:
        if name in frame.columns:
            raise FileError(f"{path} has a column {name!r} already, which is to be written. Rename it.")
