"""Rows that come again: which rows of some tables are equal, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.table.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.table.frames import ColumnData
    from frote.table.schema import Column
    from frote.table.table import Table

    Part = tuple[Column, ColumnData]

__all__ = ["groups_of_rows"]


def groups_of_rows(tables: Sequence[Table]) -> list[NDArray[np.intp]]:
    """Give the rows of tables with the same columns numbers that equal rows, of one table or of several, share.

    Rows are equal if they are in every column: numbers and times by value, levels by their text, and what is missing to
    what is missing. Rows are numbered column by column, and those that are alone by then are not looked at again, so
    that it takes little more than one column's time where a column tells nearly all rows apart.

    Parameters
    ----------
    tables : sequence of Table
        The tables.

    Returns
    -------
    list of ndarray of int
        For each table the numbers of its rows, from 0; -1 for rows that no other is equal to.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.table import Table
    >>> one = Table.from_frame(pd.DataFrame({"a": [1, 2, 2], "b": ["x", "x", "y"]}))
    >>> two = Table.from_frame(pd.DataFrame({"a": [2.0, 1.5], "b": ["y", "y"]}))
    >>> [groups.tolist() for groups in groups_of_rows([one, two])]
    [[-1, -1, 0], [0, -1]]
    """
    ends = np.cumsum([len(table) for table in tables])
    left = np.arange(ends[-1])
    groups = np.zeros(len(left), dtype=np.int64)
    for name in tables[0].schema.names:
        codes = _codes([(table.schema[name], table[name]) for table in tables])[left]
        groups = pd.factorize(groups * (codes.max(initial=0) + 2) + codes + 1)[0]
        shared = np.bincount(groups)[groups] > 1
        left, groups = left[shared], pd.factorize(groups[shared])[0]
    numbers = np.full(ends[-1], -1, dtype=np.intp)
    numbers[left] = groups
    return np.split(numbers, ends[:-1])


def _codes(parts: Sequence[Part]) -> NDArray[np.int64]:
    """Return numbers for the values of one column of all tables, -1 where they are missing."""
    kinds = {column.kind for column, _ in parts}
    values: NDArray[Any]
    if all(kind.has_levels for kind in kinds):
        values = _texts(parts)
    elif kinds == {Kind.DATETIME}:
        values = _times(parts)
    elif all(kind.is_number for kind in kinds):
        values = np.concatenate([data.values for _, data in parts])
    else:  # values of unlike kinds are unlike
        values = np.concatenate(
            [pd.factorize(data.values)[0] * len(parts) + place for place, (_, data) in enumerate(parts)]
        )
    codes = pd.factorize(values)[0].astype(np.int64)
    codes[np.concatenate([data.gaps() for _, data in parts])] = -1
    return codes


def _texts(parts: Sequence[Part]) -> NDArray[np.intp]:
    places: dict[str, int] = {}
    codes = [np.array([places.setdefault(str(level), len(places)) for level in column.levels]) for column, _ in parts]
    return np.concatenate(
        [levels[data.values] if len(levels) else data.values for levels, (_, data) in zip(codes, parts, strict=True)]
    )


def _times(parts: Sequence[Part]) -> NDArray[np.int64]:
    """Return numbers for times that may be counted in unlike units, which all divide the coarsest."""
    coarsest = max(column.step for column, _ in parts)
    counts = [np.divmod(data.values, coarsest // column.step) for column, data in parts]
    whole = pd.factorize(np.concatenate([above for above, _ in counts]))[0]
    below = [rest * column.step for (_, rest), (column, _) in zip(counts, parts, strict=True)]
    rest = pd.factorize(np.concatenate(below))[0]
    numbers: NDArray[np.int64] = whole * (rest.max(initial=0) + 1) + rest
    return numbers
