"""Tables with labels, from files."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.exceptions import FileError, TableError, nearest
from frote.files import read_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pandas as pd

    from frote.command.record import Asked
    from frote.files import FileTable

__all__ = ["Labelled", "labelled", "require_columns", "require_unseen"]


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
        If the table cannot be read, has no such column, rows without a label, or labels that are no classes.
    """
    source = read_table(path, categorical=asked.categorical, numeric=asked.numeric)
    frame = source.frame
    require_columns(frame, path, [asked.target])
    if asked.target in asked.ignore:
        raise FileError(f"{asked.target!r} is the target and cannot be ignored.")
    X, y = frame.drop(columns=[asked.target, *(name for name in asked.ignore if name in frame)]), frame[asked.target]
    gaps = np.flatnonzero(y.isna())
    if len(gaps):
        raise FileError(
            f"{len(gaps):,} rows of {path} have no {asked.target!r}, the first is {source.row(gaps[0])}. "
            "Leave them out."
        )
    _require_classes(y, path)
    return Labelled(path, source, X, y)


def _require_classes(y: pd.Series[Any], path: Path) -> None:
    from frote.coverage.labels import Labels  # heavy: only when the table could be read
    from frote.estimators.input import require_classes

    labels = Labels.of(y)
    if len(labels.classes) < 2:
        return  # one class is too few to learn from, but enough to be judged on
    try:
        require_classes(labels, y)
    except TableError:
        broken = [label for label in labels.classes if label % 1]
        raise FileError(
            f"{path}: column {y.name!r} holds numbers such as {[*broken, *labels.classes][0]}, which are no classes. "
            f"Give another --target, or take each number for a class: --categorical {shlex.quote(str(y.name))}."
        ) from None


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


def require_unseen(held: Labelled, table: Labelled) -> None:
    """Refuse to judge on the table that is trained on.

    Raises
    ------
    FileError
        If the two are the same.
    """
    if held.source.digest == table.source.digest:
        raise FileError(f"{held.path} is what is trained on, so nothing new can be learned from it. Leave --test out.")
