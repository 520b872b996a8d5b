"""Levels that a column may have though no row has them and its type does not list them: declared beside the data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from frote.exceptions import TableError
from frote.table.frames import AsCategorical, ReadColumn, read_levels
from frote.table.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["with_levels"]


def with_levels(read: ReadColumn, declared: Iterable[Any]) -> ReadColumn:
    """Return a categorical column that has some levels more.

    Parameters
    ----------
    read : ReadColumn
        The column as it was read.

    declared : iterable
        Levels; those that the column has count for nothing. Of a column of texts, any value stands for its text. A
        type with categories (pandas' ordered ``CategoricalDtype``, polars' ``Enum``) declares their order too.

    Returns
    -------
    ReadColumn
        The same rows. Levels that stood in order do so again; else the new ones come last.

    Raises
    ------
    TableError
        If the column is not categorical, or its type cannot hold such a level.
    """
    column = read.column
    if column.kind is not Kind.CATEGORICAL:
        raise TableError(
            f"levels: column {column.name!r} is {column.kind} and has no levels to be declared. "
            f"If its values are categories, give kinds={{{column.name!r}: 'categorical'}} too."
        )
    if isinstance(declared, str):
        raise TableError(f"levels: column {column.name!r} is given a text, {declared!r}. Give a list of levels.")
    if getattr(declared, "categories", None) is not None:
        if getattr(declared, "ordered", True):
            return _in_order(read, list(cast("Any", declared).categories))
        declared = list(cast("Any", declared).categories)
    if isinstance(read.format, AsCategorical):
        return _with_numbers(read, read.format, declared)
    levels = column.levels
    texts = all(isinstance(level, str) for level in levels)
    new = list(dict.fromkeys(str(level) if texts else level for level in declared))
    new = [level for level in new if level not in levels]
    for level in new:
        if not read.format.holds(level):
            raise TableError(
                f"levels: the type of column {column.name!r} does not hold {level!r}. Add it there: to the categories "
                "of the column, to its Enum, or by making it a column of texts."
            )
    in_order = texts and list(levels) == sorted(levels)
    return read_levels(column.name, read.data.values, [*levels, *new], read.format, sort=in_order)


def _in_order(read: ReadColumn, order: Sequence[Any]) -> ReadColumn:
    """Return the column with its levels in an order that counts, among others that it may have."""
    column = read.column
    strange = next((level for level in column.levels if level not in order), None)
    if strange is not None or isinstance(read.format, AsCategorical):
        lacking = "is of numbers" if strange is None else f"holds {strange!r}, for which it has no place"
        raise TableError(f"levels: an order is declared for column {column.name!r}, which {lacking}. Mend the order.")
    new = next((level for level in order if not read.format.holds(level) and level not in column.levels), None)
    if new is not None:
        raise TableError(f"levels: the type of column {column.name!r} does not hold {new!r}. Add it there.")
    # One more place than there are levels: the code -1 indexes it, and stays -1.
    places = np.array([*(order.index(level) for level in column.levels), -1])
    ordered = read_levels(column.name, places[read.data.values], order, read.format, sort=False)
    return replace(ordered, column=ordered.column.with_ordered(True))


def _with_numbers(read: ReadColumn, form: AsCategorical, declared: Iterable[Any]) -> ReadColumn:
    """Do so in a column of numbers that is read as categorical."""
    values = sorted({*form.values, *_numbers(form, list(declared))})
    # One more place than there are values: the code -1 indexes it, and stays -1.
    places = np.array([*(values.index(value) for value in form.values), -1])
    return replace(form, values=tuple(values)).read(places[read.data.values])


def _numbers(form: AsCategorical, declared: Sequence[Any]) -> list[Any]:
    whole = form.column.kind is Kind.INTEGER
    low, high = form.inner.bounds or (-np.inf, np.inf)
    numbers: list[Any] = []
    for level in declared:
        try:
            number = float(level)
        except (TypeError, ValueError):
            number = np.nan
        if not form.column.kind.is_number or not low <= number <= high or (whole and not number.is_integer()):
            raise TableError(
                f"levels: column {form.column.name!r} holds {form.column.kind} values, and {level!r} is no such one."
            )
        numbers.append(int(number) if whole else number)
    return numbers
