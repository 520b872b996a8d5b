"""Tables with labels, from files."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.caller import warn_caller
from frote.edits.frame_forms import as_formed
from frote.edits.order import Columns, Order
from frote.exceptions import FileError, TableError, TableWarning, nearest
from frote.files import read_table
from frote.table import TypedFrame
from frote.table.disguise import disguise
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from frote.coverage.labels import Labels
    from frote.edits.record import TableFacts
    from frote.files import FileTable

__all__ = [
    "LabelledTable",
    "as_given",
    "read_columns",
    "read_labelled",
    "read_tables",
    "require_columns",
    "require_known_labels",
    "tell_of_disguises",
    "tell_of_identifiers",
    "with_levels",
]

MOST = 3  # columns that are told of one by one
MANY = 45  # rows from which on texts that hardly ever come again are strange
# By NumPy's letters.
KINDS = {"b": "truth values", "i": "numbers", "u": "numbers", "f": "numbers", "M": "dates", "m": "durations"}


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A table of a file, with its column of labels apart.

    Parameters
    ----------
    path : Path
        The file, as messages and the record name it.

    source : FileTable
        What was read, and how it was written.

    X : DataFrame
        The columns that are not left out.

    y : Series
        The labels, of the type that the file gives them.
    """

    path: Path
    source: FileTable
    X: pd.DataFrame
    y: pd.Series[Any]

    @property
    def given(self) -> Any:
        """The rows as models get them."""
        return self.X

    @cached_property
    def rows(self) -> TypedFrame:
        """The rows with their typed columns."""
        return TypedFrame.of(self.given)

    @cached_property
    def labels(self) -> Labels:
        """The labels as codes of classes."""
        from frote.coverage.labels import Labels  # heavy: only when the table could be read

        return Labels.of(self.y)

    @property
    def described(self) -> TableFacts:
        """What the record says of it."""
        return {"name": self.path.name, "sha256": self.source.digest, "rows": len(self.X)}


@dataclass(frozen=True, eq=False)
class KeptTable(LabelledTable):
    """A table of a file that holds what an edit in Python was given.

    Parameters
    ----------
    native : DataFrame or array
        The rows as they were given there, of any kind of frame.

    typed_by : dict
        The kinds and levels that were given with them.
    """

    native: Any
    typed_by: dict[str, Any]

    @property
    def given(self) -> Any:
        """The rows as models get them."""
        return self.native

    @cached_property
    def rows(self) -> TypedFrame:
        """The rows with their typed columns."""
        return TypedFrame.of(self.native, **self.typed_by)


def read_tables(columns: Columns, data: Path, test: Path | None = None) -> tuple[LabelledTable, LabelledTable | None]:
    """Read a table to train on and one to judge on, if there is one.

    Raises
    ------
    FileError
        If one cannot be read, lacks a column, or they do not go together.
    """
    table = read_labelled(data, columns)
    require_columns(table.source.frame, data, columns.ignore)
    tell_of_identifiers(table)
    if test is None:
        return table, None
    test_table = read_labelled(test, columns, like=table)
    _require_unseen(test_table, table)
    _require_alike(test_table, table)
    return table, test_table


def read_labelled(path: Path, columns: Columns, like: LabelledTable | None = None) -> LabelledTable:
    """Read a table with labels; what can be read in two ways is read as in the one that it is to be like.

    Raises
    ------
    FileError
        If the table cannot be read, has no such column, rows without a label, or labels that are no classes.
    """
    other, target = None if like is None else like.source, columns.target
    source = read_table(path, categorical=columns.categorical, numeric=columns.numeric, like=other)
    frame = source.frame
    require_columns(frame, path, [target])
    if target in columns.ignore:
        raise FileError(f"{target!r} is the target and cannot be ignored.")
    frame = with_levels(frame, columns.levels, path)
    X, y = frame.drop(columns=[target, *(name for name in columns.ignore if name in frame)]), frame[target]
    gaps = np.flatnonzero(y.isna())
    if len(gaps):
        raise FileError(
            f"{len(gaps):,} rows of {path} have no {target!r}, the first is {source.row(gaps[0])}. Leave them out."
        )
    _require_classes(y, path)
    if isinstance(columns, Order) and columns.in_python:
        return _kept(LabelledTable(path, source, X, y), columns, "data" if like is None else "test")
    if like is None:
        tell_of_disguises(X, path, (*columns.categorical, *columns.levels))
        _tell_of_spellings([*X.items(), (target, y)], path)
    return LabelledTable(path, source, X, y)


def _kept(table: LabelledTable, order: Order, which: str) -> LabelledTable:
    """Return the table as an edit in Python was given it, where the record can tell how that was."""
    forms = order.in_python.get(which, [None, None])
    X, y = table.X, table.y
    native = X if forms[0] is None else as_formed(X, forms[0])
    return as_given(table, order, native, y if forms[1] is None else as_formed(y.to_frame(), forms[1], labels=True))


def as_given(table: LabelledTable, order: Order, native: Any, y: Any) -> KeptTable:
    """Return the table of a file with the rows and labels that an edit in Python was given."""
    typed_by = {name: value for name, value in order.settings.items() if name in ("kinds", "levels")}
    return KeptTable(table.path, table.source, table.X, y, native, typed_by)


def read_columns(
    path: Path,
    target: str | None,
    *,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    ignore: tuple[str, ...],
    levels: dict[str, list[str]],
) -> tuple[pd.DataFrame, LabelledTable | None]:
    """Read the columns that rules may speak of and, if there is a column of labels, the table with them.

    Parameters
    ----------
    path : Path
        The file.

    target : str or None
        The column of labels.

    categorical, numeric, ignore, levels : as in `Columns`
        How the columns are to be read.

    Returns
    -------
    X : DataFrame
    table : LabelledTable or None

    Raises
    ------
    FileError
        As `read_labelled`, and for a column to be left out that is not there.
    """
    if target is not None:
        table = read_labelled(path, Columns(target, categorical, numeric, ignore, levels))
        require_columns(table.source.frame, path, ignore)
        return table.X, table
    frame = read_table(path, categorical=categorical, numeric=numeric).frame
    require_columns(frame, path, ignore)
    X = with_levels(frame, levels, path).drop(columns=list(ignore))
    tell_of_disguises(X, path, (*categorical, *levels))
    return X, None


def _tell(text: str) -> None:
    warn_caller(text, TableWarning)


def _way(command: str, page: str) -> str:
    """Return a way out; whoever calls this from Python reads that of the command."""
    return way_out(command, command, page)


def tell_of_identifiers(table: LabelledTable) -> None:
    """Say which columns seem to name rows: a model would learn them by heart."""
    for name, column in table.X.items():
        if column.dtype.kind not in "biufM" and column.nunique() > 0.9 * len(column) > MANY:
            way = _way(f"--ignore {name!r}", "leave it out, in the data room.")
            _tell(f"Column {name!r} has another text in nearly every row. If it only names them: {way}")


def tell_of_disguises(X: pd.DataFrame, path: Path, categorical: Collection[str] = ()) -> None:
    """Say which columns are taken for categories though their texts seem to be numbers or dates, and the way out."""
    disguised = []
    for name, column in X.items():
        if isinstance(column.dtype, pd.CategoricalDtype) and name not in categorical:
            levels = [level for level in column.cat.categories if isinstance(level, str)]
            kind = disguise(levels)
            if kind:
                disguised.append((str(name), kind, levels[0]))
    for name, kind, example in disguised[:MOST]:
        numbers = _way(f"--numeric {shlex.quote(name)}", "take it as numbers, in the data room")
        way = numbers if kind == "numbers" else "write them as 2021-01-31"
        _tell(
            f"{path}: column {name!r} is taken for categories, and seems to hold {kind}, such as {example!r}. "
            f"If so: {way}; if not: {_way(f'--categorical {shlex.quote(name)}', 'take it as categories there.')}"
        )
    if len(disguised) > MOST:
        _tell(f"{path}: so are {len(disguised) - MOST} columns more.")


def _tell_of_spellings(columns: Iterable[tuple[Any, pd.Series[Any]]], path: Path) -> None:
    """Say which columns hold texts that differ only in capitals or blanks: rules and models take each for another."""
    confused = []
    for name, column in columns:
        if isinstance(column.dtype, pd.CategoricalDtype):
            alike: dict[str, list[str]] = {}
            for level in column.cat.categories:
                alike.setdefault(" ".join(str(level).split()).casefold(), []).append(repr(level))
            pairs = [levels for levels in alike.values() if len(levels) > 1]
            if pairs:
                confused.append((name, " and ".join(pairs[0][:MOST])))
    for name, levels in confused[:MOST]:
        _tell(
            f"{path}: column {name!r} holds {levels}, which differ only in capitals or blanks and are taken for "
            "different ones. Write them alike if they mean the same."
        )
    if len(confused) > MOST:
        _tell(f"{path}: so do {len(confused) - MOST} columns more.")


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
        categories = getattr(column, "cat", None)
        if categories is None:
            what = KINDS.get(column.dtype.kind, "other values")
            raise FileError(
                f"{path}: column {name!r} holds {what}, which have no levels. If they are categories, "
                f"{_way(f'add --categorical {shlex.quote(name)}', 'take it as such in the data room')}."
            )
        texts = set(map(str, categories.categories))
        every = [*categories.categories, *(level for level in dict.fromkeys(more) if level not in texts)]
        if categories.categories.is_monotonic_increasing and all(isinstance(level, str) for level in every):
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
        way = _way(
            f"Give another --target, or take each number for a class: --categorical {shlex.quote(str(y.name))}.",
            "Choose another column of labels.",
        )
        raise FileError(
            f"{path}: column {y.name!r} holds numbers such as {[*broken, *labels.classes][0]}, which are no classes. "
            f"{way}"
        ) from None


def require_columns(
    frame: pd.DataFrame, path: Path, present: Iterable[str], absent: Iterable[str] = (), instead: str = "Rename it."
) -> None:
    """Refuse a table that lacks a column, or has one that is to be made; for the latter there may be another way out.

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
            raise FileError(f"{path} has a column {name!r} already, which is to be written. {instead}")


def _require_alike(test_table: LabelledTable, table: LabelledTable) -> None:
    """Refuse a table to judge on that lacks columns of the one to train on, or holds something else in them.

    Raises
    ------
    FileError
        With the first such column.
    """
    require_columns(test_table.X, test_table.path, table.X.columns)  # in any order, and beside others
    for name in table.X:
        columns = [one.X[name].dropna() for one in (test_table, table)]
        here, there = map(_kind_of, columns)
        if here != there and all(map(len, columns)):
            raise FileError(
                f"{test_table.path}: column {name!r} holds {here}, and in {table.path} it holds {there}. "
                f"Write it alike, or take it for texts in both: "
                f"{_way(f'--categorical {shlex.quote(str(name))}', 'as categories, in the data room')}."
            )


def _kind_of(column: pd.Series[Any]) -> str:
    """Say what a column without gaps holds."""
    exact = len(column) and isinstance(column.iloc[0], Decimal)
    return "numbers" if exact else KINDS.get(column.dtype.kind, "texts")


def _require_unseen(test_table: LabelledTable, table: LabelledTable) -> None:
    """Refuse to judge on the table that is trained on.

    Raises
    ------
    FileError
        If the two are the same.
    """
    if test_table.source.digest == table.source.digest:
        raise FileError(
            f"{test_table.path} is what is trained on, so nothing new can be learned from it. "
            f"{_way('Leave --test out.', 'Choose another table to judge on, or none.')}"
        )


def require_known_labels(table: LabelledTable, *models: Any) -> None:
    """Refuse labels that are written in another way than the classes of a model, or of two.

    Raises
    ------
    TableError
        With the labels and the classes.
    """
    from frote.coverage.labels import unknown_labels  # heavy: only when the table could be read
    from frote.coverage.said import classes_of

    unknown_labels(table.labels, [classes_of(model) for model in models], what=str(table.path))
