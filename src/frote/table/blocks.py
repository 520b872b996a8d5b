"""Columns of one NumPy type side by side, so that what is done to the rows of all of them is one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.table.frames import ColumnData, frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Block", "blocks_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Columns of one NumPy type, as read-only arrays with a line for each column.

    Parameters
    ----------
    names : tuple of str
        The columns, in the order of the lines of `values`.

    values : ndarray of shape (n_columns, n_rows)
        Their values, as in :class:`ColumnData`.

    missing : ndarray of bool of shape (n_columns, n_rows), or None
        Where values are missing. An array without a True is kept as None.

    Examples
    --------
    >>> block = Block(("age", "income"), np.array([[31, 25], [50, 40]]))
    >>> block.take(np.array([1])).column(1).values
    array([40])
    """

    names: tuple[str, ...]
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(self.values))
        if self.missing is not None:
            object.__setattr__(self, "missing", frozen(self.missing) if self.missing.any() else None)

    def __reduce__(self) -> tuple[Any, ...]:
        # Arrays come back from a pickle writeable; the constructor makes them read-only again.
        return type(self), (self.names, self.values, self.missing)

    def column(self, place: int) -> ColumnData:
        """Return one of the columns."""
        return ColumnData(self.values[place], None if self.missing is None else self.missing[place])

    def take(self, rows: NDArray[np.intp]) -> Block:
        """Return the rows at some positions."""
        missing = None if self.missing is None else self.missing.take(rows, axis=1)
        return Block(self.names, self.values.take(rows, axis=1), missing)

    def concat(self, other: Block) -> Block:
        """Return the rows of this block and, after them, those of another of the same columns."""
        missing = None
        if self.missing is not None or other.missing is not None:
            missing = np.concatenate([self.gaps(), other.gaps()], axis=1)
        return Block(self.names, np.concatenate([self.values, other.values], axis=1), missing)

    def gaps(self) -> NDArray[np.bool_]:
        """Return where values are missing, as an array also where none is."""
        return np.zeros(self.values.shape, dtype=np.bool_) if self.missing is None else self.missing


def blocks_of(data: dict[str, ColumnData]) -> tuple[Block, ...]:
    """Put columns of the same NumPy type together, in the order in which the types come.

    Columns are taken out of the mapping, so that none is in memory twice for long.

    Examples
    --------
    >>> columns = {"a": np.array([1, 2]), "b": np.array([0.5, 1.5]), "c": np.array([3, 4])}
    >>> [block.names for block in blocks_of({name: ColumnData(values) for name, values in columns.items()})]
    [('a', 'c'), ('b',)]
    """
    names: dict[np.dtype[Any], list[str]] = {}
    for name, column in data.items():
        names.setdefault(column.values.dtype, []).append(name)
    return tuple(_block(tuple(group), dtype, data) for dtype, group in names.items())


def _block(names: tuple[str, ...], dtype: np.dtype[Any], data: dict[str, ColumnData]) -> Block:
    rows = len(data[names[0]])
    values, missing = np.empty((len(names), rows), dtype=dtype), None
    for place, name in enumerate(names):
        column = data.pop(name)
        values[place] = column.values
        if column.missing is not None:
            if missing is None:
                missing = np.zeros(values.shape, dtype=np.bool_)
            missing[place] = column.missing
    return Block(names, values, missing)
