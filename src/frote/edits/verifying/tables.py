"""The augmented data and the ledger of an edit, read back from their files."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.edits.tables import read_labelled, with_levels
from frote.exceptions import FileError
from frote.files import marked, read_table, unmarked
from frote.rules.values import as_value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from frote.edits.order import Order
    from frote.edits.tables import LabelledTable

    Numbers = NDArray[np.int64]
    Values = NDArray[np.object_]

__all__ = ["NOTHING", "Ledger", "ledger_of", "quietly", "read_augmented", "read_ledger", "values_of"]

NOTHING = -1  # where a column of numbers says nothing of a row
LARGEST = 2**53  # rows
NUMBERS = ("row", "source", "base", "neighbour", "step")
TEXTS = ("status", "rule", "covered")
LISTS = ("categorical", "numeric", "ignore")  # columns that an order names
LABELS = ("old_label", "new_label")


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """The columns of a ledger: numbers with `NOTHING`, texts with "", labels as rules take them with None."""

    name: str
    row: Numbers
    source: Numbers
    base: Numbers
    neighbour: Numbers
    step: Numbers
    status: Values
    rule: Values
    covered: Values
    old_label: Values
    new_label: Values

    def __len__(self) -> int:
        return len(self.row)

    def lines_of(self, *statuses: str) -> NDArray[np.intp]:
        """Return the positions of lines of some statuses."""
        return np.flatnonzero(np.isin(self.status.astype(str), statuses))


@contextmanager
def quietly() -> Iterator[None]:
    """Keep warnings to ourselves that were told when the edit was made."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def read_augmented(path: Path, order: Order) -> LabelledTable:
    """Read the data that a model was trained on, as the order says that its columns are to be read.

    Raises
    ------
    FroteError
        If they cannot be read so.
    """
    with quietly():
        if not (order.spreadsheet_safe and read_table(path).form.has_marks):
            return read_labelled(path, order)
        # What a spreadsheet must not take for a formula has a mark before it, names of columns too.
        named: dict[str, Any] = {name: tuple(map(marked, getattr(order, name))) for name in LISTS}
        table = read_labelled(path, replace(order, target=marked(order.target), levels={}, **named))
        frame = table.X.apply(_unmarked).rename(columns=unmarked)
        return replace(table, X=with_levels(frame, order.levels, path), y=_unmarked(table.y))


def _unmarked(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column without the marks that its texts have for spreadsheets."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.rename_categories([unmarked(str(level)) for level in column.cat.categories])
    return column


def values_of(column: pd.Series[Any]) -> Values:
    """Return what rules take the values of a column for, None where they are missing."""
    codes, distinct = pd.factorize(column)
    values = np.empty(len(distinct) + 1, dtype=object)
    values[: len(distinct)] = [as_value(native) for native in distinct]
    taken: Values = values[codes]
    return taken


def read_ledger(path: Path, *, safe: bool) -> Ledger:
    """Read a ledger.

    Parameters
    ----------
    path : Path
        Its file.

    safe : bool
        Whether labels in it are marked for spreadsheets too, and not only the names of rules.

    Raises
    ------
    FroteError
        If it is none.
    """
    with quietly():
        source = read_table(path, categorical=[*TEXTS, *LABELS])
    frame = source.frame
    if source.form.has_marks:
        marked_ones = [name for name in (("rule", *LABELS) if safe else ("rule",)) if name in frame]
        frame = frame.assign(**{name: _unmarked(frame[name]) for name in marked_ones})
    return ledger_of(frame, path)


def ledger_of(frame: pd.DataFrame, path: Path) -> Ledger:
    """Return the lines of a ledger, or of a part of it, that stand in a frame; the path is for messages."""
    lacking = [name for name in (*NUMBERS, *TEXTS, *LABELS) if name not in frame]
    if lacking:
        raise FileError(f"{path}: is no ledger: it has no column {lacking[0]!r}.")
    numbers = {name: _numbers(frame[name], path) for name in NUMBERS}
    texts = {name: _texts(frame[name]) for name in TEXTS}
    labels = {name: values_of(frame[name]) for name in LABELS}
    columns: dict[str, Any] = {**numbers, **texts, **labels}
    return Ledger(path.name, **columns)


def _numbers(column: pd.Series[Any], path: Path) -> Numbers:
    """Return whole numbers from 0, `NOTHING` where there is none."""
    numbers = np.full(len(column), NOTHING, dtype=np.int64)
    places = np.flatnonzero(column.notna())
    if not len(places):
        return numbers
    whole = column.dtype.kind == "i"
    values: Any = column.iloc[places].to_numpy(dtype=np.int64 if whole else object)
    sound = values.min() >= 0 and values.max() < LARGEST if whole else all(map(_is_place, values))
    if not sound:
        raise FileError(f"{path}: is no ledger: column {column.name!r} holds what is no number of a row or step.")
    numbers[places] = values.astype(np.int64)
    return numbers


def _is_place(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value < LARGEST and value == int(value)


def _texts(column: pd.Series[Any]) -> Values:
    """Return texts, "" where there is none."""
    codes, distinct = pd.factorize(column)
    texts: Values = np.array([*map(str, distinct), ""], dtype=object)[codes]
    return texts
