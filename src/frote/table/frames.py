"""What every kind of frame has in common: a column's data, and how it is written back.

Reading a column gives a :class:`ReadColumn`: what the column is (:class:`~frote.table.Column`), its values
(:class:`ColumnData`) and a :class:`ColumnFormat` that turns such values into the caller's own kind of column
again. The format does not hold the values, so it serves rows that were taken, joined or made up as well.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import narwhals as nw
import numpy as np
import pandas as pd

from frote.exceptions import TableError
from frote.table.lattice import DOUBLES
from frote.table.schema import Column, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from frote.table.lattice import Lattice

__all__ = [
    "AsCategorical",
    "ColumnData",
    "ColumnFormat",
    "FrameFormat",
    "ReadColumn",
    "again_as_floats",
    "again_as_it_is",
    "again_as_texts",
    "are_many",
    "check_data",
    "code_dtype",
    "fractional",
    "frozen",
    "no_values",
    "read_booleans",
    "read_counts",
    "read_floats",
    "read_integers",
    "read_levels",
    "too_large",
    "unreadable",
    "with_kind",
    "with_zeros",
]

# Below this every whole float64 is an exact integer, and each integer has its own float64.
_EXACT = 2.0**53
MANY_ROWS = 1 << 18  # from which on none of them should be in memory more often than need be
FEW = 20  # values that settle for nearly every column of floats whether all are whole


@dataclass(frozen=True, slots=True, eq=False)
class ColumnData:
    """The values of one column, as read-only NumPy arrays.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        By the column's kind: continuous: float64, NaN where missing; integer: int64, 0 where missing;
        categorical and boolean: codes of the column's levels in the smallest of int8, int16 and int32, -1
        where missing; datetime: int64 counts of the column's step since 1970 (of wall time where the column
        has a time zone), anything where missing.

    missing : ndarray of bool of shape (n_rows,), or None
        Where values are missing. An array without a True is kept as None.

    Examples
    --------
    >>> import numpy as np
    >>> data = ColumnData(np.array([1.5, np.nan]), np.array([False, True]))
    >>> data.values.flags.writeable
    False
    >>> ColumnData(np.array([1.5, 2.5]), np.array([False, False])).missing is None
    True
    """

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        missing = self.missing
        if self.values.ndim != 1 or (missing is not None and missing.shape != self.values.shape):
            shapes = f"{self.values.shape} and {None if missing is None else missing.shape}"
            raise TableError(f"Values and missing of a column have shapes {shapes}. Give both the shape (n_rows,).")
        object.__setattr__(self, "values", frozen(self.values))
        if missing is not None:
            object.__setattr__(self, "missing", frozen(missing) if missing.any() else None)

    def __reduce__(self) -> tuple[Any, ...]:
        # Arrays come back from a pickle writeable; the constructor makes them read-only again.
        return type(self), (self.values, self.missing)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def present(self) -> NDArray[Any]:
        """The values that are not missing."""
        return self.values if self.missing is None else self.values[~self.missing]

    def gaps(self) -> NDArray[np.bool_]:
        """Return where values are missing, as an array also where none is."""
        return np.zeros(len(self), dtype=np.bool_) if self.missing is None else self.missing


def are_many(rows: int) -> bool:
    """Tell whether there are so many rows that a frame of them is made for one use, and laid out at once."""
    return rows >= MANY_ROWS


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Give a read-only view, which leaves the array of whoever passed it as it was."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def with_zeros(data: ColumnData) -> NDArray[Any]:
    """Return the values of a column with 0 in place of those that are missing."""
    return data.values if data.missing is None else np.where(data.missing, 0, data.values)


class ColumnFormat(ABC):
    """How the values of one column are written back into the caller's kind of column.

    Formats are values: two are equal when they write columns of the same type.
    """

    @property
    def nullable(self) -> bool:
        """Whether a column of this type can hold missing values."""
        return True

    @property
    def ordered(self) -> bool:
        """Whether levels of a column of this type are below and above one another."""
        return False

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The least and the greatest whole number, or count of time, that a column of this type can hold.

        None where 64 bits, or its lattice, are all that limits it.
        """
        return None

    @property
    def lattice(self) -> Lattice:
        """The numbers that a column of this type can hold, where it is none of whole numbers."""
        return DOUBLES

    def holds(self, level: Any) -> bool:  # noqa: ARG002
        """Tell whether a column of texts of this type can hold one more than its values show."""
        return True

    def exact(self, column: Column) -> bool:  # noqa: ARG002
        """Tell whether every value of such a column comes back from a table just as it was, down to its sign."""
        return False

    def as_read_back(self, column: Column, data: ColumnData) -> NDArray[Any]:  # noqa: ARG002
        """Return the values that a column has once it is written and read again.

        They differ for wall times that a time zone skips: those are moved to when its clocks go on; and for days in a
        column of months or years.
        """
        return data.values

    def read_again(self, column: Column, data: ColumnData) -> ReadColumn | None:  # noqa: ARG002
        """Return what reading the restored column would give, found without doing so; None where only reading tells."""
        return None

    def of_levels(self, levels: tuple[Any, ...], own: Column) -> ColumnFormat:  # noqa: ARG002
        """Return the format of such a column with other levels than its own."""
        return self

    @abstractmethod
    def restore(self, column: Column, data: ColumnData) -> Any:
        """Return a new column of the caller's type, which shares no memory with the data."""


class FrameFormat(ABC):
    """How native columns are put together into the caller's kind of frame; a value, like a column's."""

    by_column: ClassVar[bool] = False  # whether frames are put together from columns sooner than they are stacked

    @abstractmethod
    def assemble(self, columns: dict[str, Any], n_rows: int) -> Any:
        """Return a frame of the native columns, by name."""

    def assemble_from(self, names: tuple[str, ...], restored: Callable[[int], Any], n_rows: int) -> Any:
        """Return a frame of native columns, each of which is made when it is asked for by its place."""
        return self.assemble({name: restored(place) for place, name in enumerate(names)}, n_rows)

    def counted_anew(self, frame: Any) -> Any:
        """Return all rows of a native frame, counted from 0; a copy only where the frame may be written to."""
        return frame

    def labels_of(self, names: tuple[str, ...]) -> list[Any] | None:
        """Return the labels of columns, given their names; None for a kind of frame that has none."""
        return list(names)

    @abstractmethod
    def take(self, frame: Any, rows: NDArray[np.intp]) -> Any:
        """Return the rows of a native frame at some positions, counted anew."""

    @abstractmethod
    def stack(self, frame: Any, below: Any, restored: Callable[[int], Any]) -> Any:
        """Return a native frame and, below it, another of the same types.

        `restored` gives a column of the two together, by its place, written back from a table; for columns that lose
        nothing by that.
        """


@dataclass(frozen=True, slots=True, eq=False)
class ReadColumn:
    """One column as read from a frame."""

    column: Column
    data: ColumnData
    format: ColumnFormat


def code_dtype(n_levels: int) -> np.dtype[Any]:
    """Return the smallest of int8, int16 and int32 that can count the levels.

    Examples
    --------
    >>> code_dtype(128), code_dtype(129)
    (dtype('int8'), dtype('int16'))
    """
    return np.dtype(np.int8 if n_levels <= 2**7 else np.int16 if n_levels <= 2**15 else np.int32)


def read_floats(name: str, values: NDArray[np.float64], form: ColumnFormat) -> ReadColumn:
    """Read an array that is nobody else's, NaN where missing: integers if all are whole, else continuous."""
    missing = np.isnan(values)
    # The first values settle it for nearly every column that is not whole.
    if not (_whole(values[:1000]) and _whole(values)) or missing.all():
        return ReadColumn(Column(name, Kind.CONTINUOUS), ColumnData(values, missing), form)
    whole = np.where(missing, 0.0, values).astype(np.int64)
    return ReadColumn(Column(name, Kind.INTEGER), ColumnData(whole, missing), form)


def _whole(values: NDArray[np.float64]) -> bool:
    return not fractional(values).any()


def fractional(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which values make a column of floats continuous: those that are neither missing nor exact whole numbers.

    Examples
    --------
    >>> fractional(np.array([1.0, 1.5, np.nan, np.inf])).tolist()
    [False, True, False, True]
    """
    whole: NDArray[np.bool_] = (np.rint(values) == values) & (np.abs(values) < _EXACT)
    return ~(whole | np.isnan(values))


def again_as_floats(column: Column, data: ColumnData, form: ColumnFormat) -> ReadColumn | None:
    """Return what reading 64-bit floats again would give: by the rows there are, whole numbers or others."""
    if column.kind is Kind.CONTINUOUS:
        if any(value == value and not value.is_integer() for value in data.values[:FEW].tolist()):  # NaN tells nothing
            return ReadColumn(column, data, form)
        return read_floats(column.name, data.values, form)
    if column.kind is not Kind.INTEGER:
        return None
    if len(data) and (data.missing is None or not data.missing.all()):
        return ReadColumn(column, data, form)
    return read_floats(column.name, np.full(len(data), np.nan), form)


def again_as_texts(column: Column, data: ColumnData, form: ColumnFormat) -> ReadColumn | None:
    """Return what reading texts again would give: the levels that rows have, in order."""
    if column.kind is not Kind.CATEGORICAL or not all(isinstance(level, str) for level in column.levels):
        return None
    used = np.flatnonzero(np.bincount(data.values[data.values >= 0], minlength=len(column.levels)))
    levels = [column.levels[code] for code in used]
    if len(levels) == len(column.levels) and levels == sorted(levels):
        return ReadColumn(column, data, form)
    places = np.full(len(column.levels) + 1, -1)
    places[used] = np.arange(len(used))
    return read_levels(column.name, places[data.values], levels, form, sort=True)


def again_as_it_is(column: Column, data: ColumnData, form: ColumnFormat, *kinds: Kind) -> ReadColumn | None:
    """Return a column of a type that tells its kind whatever rows there are, unless it is read as another kind."""
    return ReadColumn(column, data, form) if column.kind in kinds else None


def read_integers(name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None, form: ColumnFormat) -> ReadColumn:
    """Read an array of any integer type; it is copied."""
    if values.dtype.kind == "u" and values.size and int(values.max()) > np.iinfo(np.int64).max:
        raise too_large(name)
    whole = np.array(values, dtype=np.int64)
    if missing is not None:
        whole[missing] = 0
    return ReadColumn(Column(name, Kind.INTEGER), ColumnData(whole, missing), form)


def too_large(name: str) -> TableError:
    """Say that a column's integers do not fit."""
    return TableError(
        f"Column {name!r} holds an integer outside the range of int64 (above 2**63 - 1 or below -2**63). "
        "Convert it to float64 or to text."
    )


def read_booleans(
    name: str, values: NDArray[np.bool_], missing: NDArray[np.bool_] | None, form: ColumnFormat
) -> ReadColumn:
    """Read an array of truth values; it is copied."""
    codes = values.astype(np.int8)
    if missing is not None:
        codes[missing] = -1
    return ReadColumn(Column(name, Kind.BOOLEAN, levels=(False, True)), ColumnData(codes, missing), form)


def read_counts(
    name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None, form: ColumnFormat, *, step: int
) -> ReadColumn:
    """Read int64 counts of ``step`` nanoseconds since 1970; they are copied."""
    counts = np.array(values, dtype=np.int64)
    if missing is not None:
        # What stands there differs between libraries; a fixed filler makes equal columns equal bytes.
        counts[missing] = 0
    return ReadColumn(Column(name, Kind.DATETIME, step=step), ColumnData(counts, missing), form)


def read_levels(name: str, codes: NDArray[Any], levels: Sequence[Any], form: ColumnFormat, *, sort: bool) -> ReadColumn:
    """Read integer codes of levels, -1 where missing; they are copied.

    With ``sort`` the levels are put in order, strings by value and mixed objects by their text; without it
    their own order stands.
    """
    dtype = code_dtype(len(levels))
    if sort:
        order = _sorted_positions(levels)
        # One more place than there are levels: the code -1 indexes it, and stays -1.
        rank = np.full(len(levels) + 1, -1, dtype=dtype)
        rank[order] = np.arange(len(levels), dtype=dtype)
        narrow, levels = rank[codes], [levels[position] for position in order]
    else:
        narrow = codes.astype(dtype)
    column = Column(name, Kind.CATEGORICAL, levels=tuple(levels))
    return ReadColumn(column, ColumnData(narrow, narrow < 0), form)


def _sorted_positions(levels: Sequence[Any]) -> list[int]:
    if all(isinstance(level, str) for level in levels):
        return sorted(range(len(levels)), key=levels.__getitem__)
    return sorted(range(len(levels)), key=lambda i: (str(levels[i]), type(levels[i]).__name__))


# What to turn a column into that cannot be read, by a word in its type.
_WAYS_OUT = {
    "timedelta": "a number of seconds",
    "duration": "a number of seconds",
    "complex": "two columns, its real and its imaginary part",
    "period": "timestamps",
    "interval": "text or categories",
    "list": "one column per element",
    "array": "one column per element",
    "struct": "one column per field",
    "map": "one column per key",
    "datetime64": "datetime64[ns]",
}


def unreadable(name: str, dtype: object) -> TableError:
    """Say that a column's type cannot be read, and what to convert it to.

    Examples
    --------
    >>> print(unreadable("wait", "timedelta64[ns]"))
    Column 'wait' holds timedelta64[ns], which a table cannot. Convert it to a number of seconds.
    """
    text = str(dtype)
    way_out = next((to for word, to in _WAYS_OUT.items() if word in text.lower()), "numbers, text or timestamps")
    return TableError(f"Column {name!r} holds {text}, which a table cannot. Convert it to {way_out}.")


def with_kind(read: ReadColumn, kind: Kind) -> ReadColumn:
    """Read a column as another kind: any as categorical, integer as continuous.

    Parameters
    ----------
    read : ReadColumn
        The column as it was read.

    kind : Kind
        What it shall be.

    Returns
    -------
    ReadColumn
        The same values, as that kind; they are written back as the column's own type.

    Raises
    ------
    TableError
        If the column cannot be of that kind.
    """
    column, data = read.column, read.data
    if kind is column.kind:
        return read
    if kind is Kind.CATEGORICAL:
        return _as_categorical(read)
    if kind is Kind.CONTINUOUS and column.kind is Kind.INTEGER:
        numbers = data.values.astype(np.float64)
        if data.missing is not None:
            numbers[data.missing] = np.nan
        return replace(read, column=Column(column.name, kind), data=ColumnData(numbers, data.missing))
    possible = dict.fromkeys([column.kind, Kind.CATEGORICAL])
    if column.kind is Kind.INTEGER:
        possible[Kind.CONTINUOUS] = None
    raise TableError(
        f"Column {column.name!r} is {column.kind} and cannot be read as {kind}. "
        f"Possible: {', '.join(repr(str(one)) for one in possible)}; or convert the column first."
    )


@dataclass(frozen=True, slots=True)
class AsCategorical(ColumnFormat):
    """A column of another kind that is read as categorical: each level stands for one of its values."""

    inner: ColumnFormat
    column: Column
    values: tuple[Any, ...]

    @property
    def nullable(self) -> bool:
        """Whether the column's own type can hold missing values."""
        return self.inner.nullable

    def restore(self, column: Column, data: ColumnData) -> Any:  # noqa: ARG002
        """Return a new column of the caller's type."""
        # The code -1 finds the last place: what stands for missing in the column's own kind.
        values = np.array((*self.values, _filler(self.column.kind)))
        return self.inner.restore(self.column, ColumnData(values[data.values], data.missing))

    def of_levels(self, levels: tuple[Any, ...], own: Column) -> ColumnFormat:
        """Return the format of the column with other levels than its own, which must be values of its kind."""
        value_of = dict(zip(own.levels, self.values, strict=True))
        number = int if self.column.kind is Kind.INTEGER else float
        if self.column.kind.is_number:
            return replace(self, values=tuple(value_of[one] if one in value_of else number(one) for one in levels))
        lacking = [level for level in levels if level not in value_of]
        if lacking:
            raise TableError(
                f"Column {self.column.name!r} holds {self.column.kind} values, and {lacking[0]!r} is among the levels "
                "expected. Convert it to text."
            )
        return replace(self, values=tuple(value_of[level] for level in levels))

    def read(self, codes: NDArray[Any]) -> ReadColumn:
        """Read codes of the values, -1 where missing; the levels are the values as the caller has them."""
        native = self.inner.restore(self.column, ColumnData(np.array(self.values, dtype=_data_dtype(self.column))))
        levels = native.to_list() if nw.dependencies.is_polars_series(native) else pd.Series(native).tolist()
        return read_levels(self.column.name, codes, levels, self, sort=False)


def no_values(column: Column, rows: int) -> ColumnData:
    """Return the data of a column in which every value is missing."""
    values = np.full(rows, _filler(column.kind), dtype=_data_dtype(column))
    return ColumnData(values, np.ones(rows, dtype=np.bool_))


def _filler(kind: Kind) -> float:
    return np.nan if kind is Kind.CONTINUOUS else -1 if kind.has_levels else 0


def _as_categorical(read: ReadColumn) -> ReadColumn:
    column, data = read.column, read.data
    values, places = np.unique(data.present, return_inverse=True)
    codes = places
    if data.missing is not None:
        codes = np.full(len(data), -1, dtype=np.int64)
        codes[~data.missing] = places
    return AsCategorical(read.format, column, tuple(values.tolist())).read(codes)


def _data_dtype(column: Column) -> np.dtype[Any]:
    """Return the type that the values of a column have in a table."""
    if column.kind.has_levels:
        return code_dtype(len(column.levels))
    return np.dtype(np.float64 if column.kind is Kind.CONTINUOUS else np.int64)


def check_data(column: Column, form: ColumnFormat, data: ColumnData) -> None:
    """Raise a TableError where data is not what a column of that kind and type holds."""
    what = f"The new values of column {column.name!r}"
    coded, missing, wanted = column.kind.has_levels, data.missing, _data_dtype(column)
    if data.values.dtype != wanted:
        raise TableError(f"{what} are {data.values.dtype}. Give {wanted}, as its kind is {column.kind}.")
    if missing is not None and not form.nullable:
        raise TableError(f"{what} include missing ones, which its type cannot hold. Fill them.")
    present = data.present
    low, high = (0, len(column.levels) - 1) if coded else form.bounds or (-np.inf, np.inf)
    if present.size and (present.min() < low or present.max() > high):
        raise TableError(f"{what} run from {present.min()} to {present.max()}. Keep them from {low} to {high}.")
    if column.kind is Kind.CONTINUOUS and np.isnan(present).any():
        raise TableError(f"{what} include NaN that is not marked as missing. Mark it.")
    if missing is not None and column.kind is not Kind.DATETIME:
        filler = _filler(column.kind)
        if not np.array_equal(data.values[missing], np.full(int(missing.sum()), filler), equal_nan=True):
            raise TableError(f"{what} hold other values than {filler} where they are missing. Put {filler} there.")
