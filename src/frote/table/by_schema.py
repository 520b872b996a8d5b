"""Columns typed by others: rows that come later are read as those before them were."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.exceptions import TableError
from frote.table.frames import ColumnData, ReadColumn, code_dtype, no_values, with_kind
from frote.table.schema import Column, Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["UNSEEN", "typed_as"]

LONGEST = 60  # characters of a value that is told
UNSEEN = ("error", "extend")  # what becomes of levels, and of numbers between whole ones, that nobody saw before


def typed_as(read: ReadColumn, wanted: Column, unseen: str, what: str) -> ReadColumn:
    """Type a column as another was: its kind, and its levels with their codes.

    Parameters
    ----------
    read : ReadColumn
        The column as it was read by itself.

    wanted : Column
        What it is to be. A column without any value can be anything.

    unseen : {"error", "extend"}
        What becomes of a level that the other column does not have, of a number between whole ones, and of times in
        another unit: they are told, or the column is extended by them.

    what : str
        What to call the rows in messages.

    Returns
    -------
    ReadColumn

    Raises
    ------
    TableError
        If its values are of a kind that cannot be the other's, or of unseen values where they are to be told.
    """
    here, data = read.column, read.data
    if here == wanted:
        return read
    if (data.missing is not None and data.missing.all()) or not len(data):
        return replace(read, column=wanted, data=no_values(wanted, len(data)))
    if wanted.kind is Kind.CATEGORICAL:
        if here.kind is not Kind.CATEGORICAL:
            if all(isinstance(level, str) for level in wanted.levels):
                raise _misfit(here, wanted, what)
            read = with_kind(read, Kind.CATEGORICAL)
        return _with_levels_of(read, wanted, unseen, what)
    if here.kind.is_number and wanted.kind.is_number:
        if here.kind is Kind.INTEGER:
            return with_kind(read, Kind.CONTINUOUS)
        if unseen == "error":
            raise TableError(
                f"Column {wanted.name!r} of {what} holds numbers that are not whole, and whole ones are expected. "
                "Round them, or extend the column with unseen='extend'."
            )
        return read
    if here.kind is not wanted.kind:
        raise _misfit(here, wanted, what)
    if unseen == "error":  # times alone are left
        raise TableError(
            f"Column {wanted.name!r} of {what} counts times in another unit than is expected. Convert it to that one, "
            "or take it as it is with unseen='extend'."
        )
    return read


def _misfit(here: Column, wanted: Column, what: str) -> TableError:
    such = f" such as {str(here.levels[0])[:LONGEST]!r}" if here.kind is Kind.CATEGORICAL and here.levels else ""
    return TableError(
        f"Column {wanted.name!r} of {what} holds {here.kind} values{such}, and {wanted.kind} ones are expected. "
        "Convert it."
    )


def _with_levels_of(read: ReadColumn, wanted: Column, unseen: str, what: str) -> ReadColumn:
    """Code levels as another column does, those that it has not behind its own."""
    used = np.flatnonzero(np.bincount(read.data.values[read.data.values >= 0], minlength=len(read.column.levels)))
    places: dict[Any, int] = {level: code for code, level in enumerate(wanted.levels)}
    strange = [level for code in used if (level := read.column.levels[code]) not in places]
    if strange and unseen == "error":
        raise TableError(
            f"Column {wanted.name!r} of {what} holds the level {strange[0]!r}, which is not among those expected. "
            "Leave such rows out, or extend the column with unseen='extend'."
        )
    levels = (*wanted.levels, *strange)
    places.update((level, len(wanted.levels) + place) for place, level in enumerate(strange))
    # One more place than there are levels: the code -1 indexes it, and stays -1.
    own_codes = [places.get(level, -1) for level in read.column.levels]
    codes: NDArray[Any] = np.array([*own_codes, -1], dtype=code_dtype(len(levels)))[read.data.values]
    column = Column(wanted.name, Kind.CATEGORICAL, levels=levels)
    return ReadColumn(column, ColumnData(codes, codes < 0), read.format.of_levels(levels, read.column))
