"""Tables with labels, from files."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import FileError, TableError, nearest
from frote.files import read_table
from frote.rules.disguise import disguise
from frote.shell import say

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from frote.command.record import Asked
    from frote.files import FileTable

__all__ = [
    "Labelled",
    "labelled",
    "require_alike",
    "require_columns",
    "require_known_labels",
    "require_unseen",
    "tell_of_disguises",
    "with_levels",
]

MOST = 3  # columns that are told of one by one
# By NumPy's letters.
KINDS = {"b": "truth values", "i": "numbers", "u": "numbers", "f": "numbers", "M": "dates", "m": "durations"}


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


def labelled(path: Path, asked: Asked, like: Labelled | None = None) -> Labelled:
    """Read a table with labels; what can be read in two ways is read as in the one that it is to be like.

    Raises
    ------
    FileError
        If the table cannot be read, has no such column, rows without a label, or labels that are no classes.
    """
    other = None if like is None else like.source
    source = read_table(path, categorical=asked.categorical, numeric=asked.numeric, like=other)
    frame = source.frame
    require_columns(frame, path, [asked.target])
    if asked.target in asked.ignore:
        raise FileError(f"{asked.target!r} is the target and cannot be ignored.")
    frame = with_levels(frame, asked.levels, path)
    X, y = frame.drop(columns=[asked.target, *(name for name in asked.ignore if name in frame)]), frame[asked.target]
    gaps = np.flatnonzero(y.isna())
    if len(gaps):
        raise FileError(
            f"{len(gaps):,} rows of {path} have no {asked.target!r}, the first is {source.row(gaps[0])}. "
            "Leave them out."
        )
    _require_classes(y, path)
    if like is None:
        tell_of_disguises(X, path, (*asked.categorical, *asked.levels))
        _tell_of_spellings([*X.items(), (asked.target, y)], path)
    return Labelled(path, source, X, y)


def tell_of_disguises(X: pd.DataFrame, path: Path, categorical: Collection[str] = ()) -> None:
    """Say which columns are taken for categories though their texts seem to be numbers or dates, and the way out."""
    told = []
    for name, column in X.items():
        if isinstance(column.dtype, pd.CategoricalDtype) and name not in categorical:
            levels = [level for level in column.cat.categories if isinstance(level, str)]
            kind = disguise(levels)
            if kind:
                told.append((str(name), kind, levels[0]))
    for name, kind, example in told[:MOST]:
        way = f"--numeric {shlex.quote(name)}" if kind == "numbers" else "write them as 2021-01-31"
        say(
            f"{path}: column {name!r} is taken for categories, and seems to hold {kind}, such as {example!r}. "
            f"If so: {way}; if not: --categorical {shlex.quote(name)}",
            err=True,
        )
    if len(told) > MOST:
        say(f"{path}: so are {len(told) - MOST} columns more.", err=True)


def _tell_of_spellings(columns: Iterable[tuple[Any, pd.Series[Any]]], path: Path) -> None:
    """Say which columns hold texts that differ only in capitals or blanks: rules and models take each for another."""
    told = []
    for name, column in columns:
        if isinstance(column.dtype, pd.CategoricalDtype):
            alike: dict[str, list[str]] = {}
            for level in column.cat.categories:
                alike.setdefault(" ".join(str(level).split()).casefold(), []).append(repr(level))
            pairs = [levels for levels in alike.values() if len(levels) > 1]
            if pairs:
                told.append((name, " and ".join(pairs[0][:MOST])))
    for name, levels in told[:MOST]:
        say(
            f"{path}: column {name!r} holds {levels}, which differ only in capitals or blanks and are taken for "
            "different ones. Write them alike if they mean the same.",
            err=True,
        )
    if len(told) > MOST:
        say(f"{path}: so do {len(told) - MOST} columns more.", err=True)


def with_levels(frame: pd.DataFrame, levels: Mapping[str, Iterable[str]], path: Path) -> pd.DataFrame:
    """Return a table whose columns may have some levels more.

    Raises
    ------
    FileError
        If a column is not there or has no levels.
    """
    frame = frame.copy(deep=False)
    require_columns(frame, path, levels)
    for name, more in levels.items():
        column = frame[name]
        known = getattr(column, "cat", None)
        if known is None:
            what = KINDS.get(column.dtype.kind, "other values")
            raise FileError(
                f"{path}: column {name!r} holds {what}, which have no levels. If they are categories, add "
                f"--categorical {shlex.quote(name)}."
            )
        texts = set(map(str, known.categories))
        every = [*known.categories, *(level for level in dict.fromkeys(more) if level not in texts)]
        if known.categories.is_monotonic_increasing and all(isinstance(level, str) for level in every):
            every.sort()
        frame[name] = column.cat.set_categories(every)  # assign() takes no column that is named self
    return frame


def _require_classes(y: pd.Series[Any], path: Path) -> None:
    from frote.coverage.labels import Labels, require_classes  # heavy: only when the table could be read

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


def require_alike(held: Labelled, table: Labelled) -> None:
    """Refuse a table to judge on that lacks columns of the one to train on, or holds something else in them.

    Raises
    ------
    FileError
        With the first such column.
    """
    require_columns(held.X, held.path, table.X.columns)  # in any order, and beside others
    for name in table.X:
        known = [one.X[name].dropna() for one in (held, table)]
        here, there = map(_held, known)
        if here != there and all(map(len, known)):
            raise FileError(
                f"{held.path}: column {name!r} holds {here}, and in {table.path} it holds {there}. Write it alike, or "
                f"take it for texts in both: --categorical {shlex.quote(str(name))}."
            )


def _held(column: pd.Series[Any]) -> str:
    """Say what a column without gaps holds."""
    exact = len(column) and isinstance(column.iloc[0], Decimal)
    return "numbers" if exact else KINDS.get(column.dtype.kind, "texts")


def require_unseen(held: Labelled, table: Labelled) -> None:
    """Refuse to judge on the table that is trained on.

    Raises
    ------
    FileError
        If the two are the same.
    """
    if held.source.digest == table.source.digest:
        raise FileError(f"{held.path} is what is trained on, so nothing new can be learned from it. Leave --test out.")


def require_known_labels(table: Labelled, *models: Any) -> None:
    """Refuse labels that are written in another way than the classes of a model, or of two.

    Raises
    ------
    TableError
        With the labels and the classes.
    """
    from frote.coverage.labels import Labels, unknown_labels  # heavy: only when the table could be read
    from frote.coverage.said import classes_of

    unknown_labels(Labels.of(table.y), [classes_of(model) for model in models], what=str(table.path))
