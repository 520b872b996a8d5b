"""NumPy arrays: single columns of any dtype, Python objects included, and whole two-dimensional arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import TableError
from frote.table.frames import (
    ColumnData,
    ColumnFormat,
    FrameFormat,
    ReadColumn,
    again_as_floats,
    again_as_it_is,
    again_as_texts,
    read_booleans,
    read_counts,
    read_floats,
    read_integers,
    read_levels,
    too_large,
    unreadable,
)
from frote.table.lattice import DOUBLES, Floats
from frote.table.schema import Kind

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from frote.table.lattice import Lattice
    from frote.table.schema import Column

__all__ = [
    "ArrayFrame",
    "floats_of",
    "localised",
    "read_array",
    "read_column",
    "whole_bounds",
    "whole_numbers",
]

_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_NANOSECONDS |= {"D": 86_400 * 10**9, "W": 7 * 86_400 * 10**9}


@dataclass(frozen=True, slots=True)
class ArrayFrame(FrameFormat):
    """A two-dimensional NumPy array."""

    dtype: np.dtype[Any]

    def labels_of(self, names: tuple[str, ...]) -> None:
        """Return none: the columns of an array have no labels."""

    def assemble(self, columns: dict[str, Any], n_rows: int) -> NDArray[Any]:
        """Return the columns side by side."""
        array = np.empty((n_rows, len(columns)), dtype=self.dtype)
        for place, column in enumerate(columns.values()):
            array[:, place] = column
        return array

    def take(self, frame: Any, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Return some rows of an array."""
        taken: NDArray[Any] = np.asarray(frame)[rows]
        return taken

    def counted_anew(self, frame: Any) -> NDArray[Any]:
        """Return a copy of an array."""
        return self.take(frame, np.arange(len(frame)))

    def stack(self, frame: Any, below: Any, restored: Callable[[int], Any]) -> NDArray[Any]:  # noqa: ARG002
        """Return one array on top of another."""
        return np.concatenate([frame, below])


def read_array(X: NDArray[Any]) -> tuple[ArrayFrame, list[ReadColumn]]:
    """Read a two-dimensional array; its columns are named x0, x1 and so on."""
    if X.ndim != 2:
        way_out = "reshape(-1, 1) makes one column of it" if X.ndim < 2 else "reshape(len(X), -1) makes it flat"
        raise TableError(f"X is an array of {X.ndim} dimensions, not of 2. Reshape it: {way_out}.")
    if isinstance(X, np.ma.MaskedArray):
        raise TableError("X is a masked array. Fill the masked values with NaN, as in X.filled(np.nan).")
    X = np.asarray(X)
    return ArrayFrame(X.dtype), [read_column(f"x{place}", X[:, place]) for place in range(X.shape[1])]


def read_column(name: str, array: NDArray[Any]) -> ReadColumn:
    """Read a one-dimensional array of any dtype; it is copied."""
    kind, dtype = array.dtype.kind, array.dtype
    if kind == "f":
        return read_floats(name, np.array(array, dtype=np.float64), _NumberFormat(dtype))
    if kind in "iu":
        return read_integers(name, array, None, _NumberFormat(dtype))
    if kind == "b":
        return read_booleans(name, array, None, _BooleanFormat())
    if kind == "M":
        return _read_datetimes(name, array)
    if kind in "UST":
        # Only NumPy's variable-width strings can be missing, as whatever object their dtype says.
        codes, levels = pd.factorize(array.astype(object))
        return read_levels(name, codes, levels.tolist(), _TextFormat(dtype), sort=True)
    if kind == "O":
        return _read_objects(name, array)
    raise unreadable(name, dtype)


@dataclass(frozen=True, slots=True)
class _NumberFormat(ColumnFormat):
    """Plain integers or floats of any width."""

    dtype: np.dtype[Any]

    @property
    def nullable(self) -> bool:
        return self.dtype.kind == "f"

    def exact(self, column: Column) -> bool:
        # Floats that are all whole are counted, and -0.0 becomes 0.
        return self.dtype.kind != "f" or (column.kind is Kind.CONTINUOUS and self.dtype.itemsize <= 8)

    @property
    def bounds(self) -> tuple[int, int] | None:
        return whole_bounds(self.dtype)

    @property
    def lattice(self) -> Lattice:
        return floats_of(self.dtype)

    def read_again(self, column: Column, data: ColumnData) -> ReadColumn | None:
        if self.dtype.kind != "f":
            return again_as_it_is(column, data, self, Kind.INTEGER)
        return again_as_floats(column, data, self) if self.dtype == np.float64 else None

    def restore(self, column: Column, data: ColumnData) -> NDArray[Any]:  # noqa: ARG002
        if not self.nullable:
            return whole_numbers(data).astype(self.dtype)
        numbers = data.values.astype(self.dtype)
        if data.missing is not None:
            numbers[data.missing] = np.nan
        return numbers


def whole_bounds(dtype: np.dtype[Any]) -> tuple[int, int] | None:
    """Return the range of an integer type that a table can hold, or None for another type.

    Examples
    --------
    >>> whole_bounds(np.dtype("uint8")), whole_bounds(np.dtype("float32"))
    ((0, 255), None)
    """
    if dtype.kind not in "iu":
        return None
    info = np.iinfo(dtype)
    return int(info.min), min(int(info.max), int(np.iinfo(np.int64).max))


def floats_of(dtype: np.dtype[Any]) -> Lattice:
    """Return the floats of a type, or Python's where it is of others."""
    return Floats(dtype) if dtype.kind == "f" else DOUBLES


def whole_numbers(data: ColumnData) -> NDArray[np.int64]:
    """Return numbers as integers, 0 where missing.

    An integer column that is read as continuous may hold others; they are rounded.
    """
    if data.values.dtype.kind != "f":
        return data.values
    filled = data.values if data.missing is None else np.where(data.missing, 0.0, data.values)
    whole: NDArray[np.int64] = np.rint(filled).astype(np.int64)
    return whole


@dataclass(frozen=True, slots=True)
class _BooleanFormat(ColumnFormat):
    """NumPy's truth values, which have no missing one."""

    @property
    def nullable(self) -> bool:
        return False

    def exact(self, column: Column) -> bool:  # noqa: ARG002
        return True

    def read_again(self, column: Column, data: ColumnData) -> ReadColumn | None:
        return again_as_it_is(column, data, self, Kind.BOOLEAN)

    def restore(self, column: Column, data: ColumnData) -> NDArray[np.bool_]:  # noqa: ARG002
        return data.values.astype(np.bool_)


@dataclass(frozen=True, slots=True)
class _TextFormat(ColumnFormat):
    """NumPy's texts, of a fixed width or of its StringDType."""

    dtype: np.dtype[Any]

    @property
    def nullable(self) -> bool:
        return hasattr(self.dtype, "na_object")

    def holds(self, level: Any) -> bool:
        try:
            return bool(np.array([level], dtype=object).astype(self.dtype).astype(object)[0] == level)
        except UnicodeEncodeError:
            return False

    def read_again(self, column: Column, data: ColumnData) -> ReadColumn | None:
        return again_as_texts(column, data, self)

    def restore(self, column: Column, data: ColumnData) -> NDArray[Any]:
        return _chosen(column.levels, data.values, getattr(self.dtype, "na_object", None)).astype(self.dtype)


def _chosen(levels: Sequence[Any], codes: NDArray[Any], marker: object) -> NDArray[Any]:
    """Return the levels that the codes mean, as objects, and the marker for the code -1."""
    # fromiter: unlike array(), it leaves a level that is a tuple whole.
    chosen: NDArray[Any] = np.fromiter((*levels, marker), dtype=object, count=len(levels) + 1)[codes]
    return chosen


@dataclass(frozen=True, slots=True)
class _DatetimeFormat(ColumnFormat):
    """datetime64 of any unit; months and years hold only their first days."""

    dtype: np.dtype[Any]

    def as_read_back(self, column: Column, data: ColumnData) -> NDArray[Any]:
        if np.datetime_data(self.dtype)[0] not in ("Y", "M"):
            return data.values
        return _moments(column, data).astype(self.dtype).astype("datetime64[D]").astype(np.int64)

    def read_again(self, column: Column, data: ColumnData) -> ReadColumn | None:
        whole = np.datetime_data(self.dtype)[0] not in ("Y", "M")  # of which a column holds no single days
        return again_as_it_is(column, data, self, Kind.DATETIME) if whole else None

    def restore(self, column: Column, data: ColumnData) -> NDArray[Any]:
        times = _moments(column, data).astype(self.dtype)
        if data.missing is not None:
            times[data.missing] = np.datetime64("NaT")
        return times


def _read_datetimes(name: str, array: NDArray[Any]) -> ReadColumn:
    unit, count = np.datetime_data(array.dtype)
    missing, form = np.isnat(array), _DatetimeFormat(array.dtype)
    if unit in ("Y", "M"):
        # Years and months have no fixed length; days do, and hold them exactly.
        unit, count, array = "D", 1, array.astype("datetime64[D]")
    elif unit not in _NANOSECONDS:
        raise unreadable(name, array.dtype)
    step = _NANOSECONDS[unit] * count
    return read_counts(name, array.astype(np.int64), missing, form, step=step)


def _moments(column: Column, data: ColumnData) -> NDArray[Any]:
    """Return a datetime column's counts as datetime64 of its own step."""
    unit = max((name for name, size in _NANOSECONDS.items() if column.step % size == 0), key=_NANOSECONDS.__getitem__)
    return data.values.view(f"datetime64[{column.step // _NANOSECONDS[unit]}{unit}]")


def on_the_wall(column: Column, data: ColumnData, zone: Any) -> NDArray[np.int64]:
    """Return wall times as a time zone shows them: those that it skips are moved forward."""
    counts: NDArray[np.int64] = localised(column, data, zone).tz_localize(None).asi8
    return counts


def localised(column: Column, data: ColumnData, zone: Any) -> pd.DatetimeIndex:
    """Return a datetime column's wall times in a time zone, or without one if it is None.

    Of an hour that comes twice, when the clocks go back, the first is meant; a time that the clocks leave out
    is moved forward to the first that they show.
    """
    index = pd.DatetimeIndex(_moments(column, data))
    if zone is None:
        return index
    first = np.ones(len(index), dtype=np.bool_)
    return index.tz_localize(zone, ambiguous=first, nonexistent="shift_forward")


@dataclass(frozen=True, slots=True)
class _ObjectFormat(ColumnFormat):
    """Python objects; what they are made of is in ``form``, what stands for missing in ``marker``."""

    form: str
    # Which marker a column has depends on its rows, not on its type.
    marker: Any = field(default=None, compare=False)
    zone: dt.tzinfo | None = None

    @property
    def bounds(self) -> tuple[int, int] | None:
        if self.form == "int":
            return whole_bounds(np.dtype(np.int64))
        # Python's dates begin with the year 1 and end with 9999.
        days = {"date": 1, "datetime": 86_400 * 10**6}.get(self.form)
        return None if days is None else (-719_162 * days, 2_932_897 * days - 1)

    def as_read_back(self, column: Column, data: ColumnData) -> NDArray[Any]:
        return data.values if self.zone is None else on_the_wall(column, data, self.zone)

    def read_again(self, column: Column, data: ColumnData) -> ReadColumn | None:
        return again_as_texts(column, data, self) if self.form == "level" else None

    def restore(self, column: Column, data: ColumnData) -> NDArray[Any]:
        if self.form == "level":
            return _chosen(column.levels, data.values, self.marker)
        objects = self._objects(column, data)
        if data.missing is not None:
            objects[data.missing] = self.marker
        return objects

    def _objects(self, column: Column, data: ColumnData) -> NDArray[Any]:
        if self.form == "int":
            return whole_numbers(data).astype(object)
        if self.form == "float":
            return data.values.astype(np.float64).astype(object)
        if self.form == "decimal":
            return np.array([Decimal(str(number)) for number in data.values.tolist()], dtype=object)
        if self.form == "date":
            return _moments(column, data).astype(object)
        index = localised(column, data, self.zone)
        return index.to_pydatetime() if self.form == "datetime" else index.astype(object).to_numpy(copy=True)


# What pandas.api.types.infer_dtype says of a column's objects, and what they are then written back as.
_NUMBERS = {"integer": "int", "floating": "float", "mixed-integer-float": "float", "decimal": "decimal"}
_UNREADABLE = {"timedelta", "timedelta64", "complex", "period", "interval"}


def _read_objects(name: str, array: NDArray[Any]) -> ReadColumn:
    missing = np.asarray(pd.isna(array), dtype=np.bool_)
    here = ~missing
    marker, present = (array[missing.argmax()], array[here]) if missing.any() else (None, array)
    content = pd.api.types.infer_dtype(present, skipna=True)
    if content in _UNREADABLE:
        raise unreadable(name, f"{content} objects")
    if content in _NUMBERS:
        return _read_object_numbers(name, present, missing, _ObjectFormat(_NUMBERS[content], marker))
    if content == "boolean":
        truth = np.zeros(len(array), dtype=np.bool_)
        truth[here] = present.astype(np.bool_)
        return read_booleans(name, truth, missing, _ObjectFormat("level", marker))
    if content in ("date", "datetime", "datetime64"):
        times, form, zone = _object_moments(name, present, content)
        counts = np.zeros(len(array), dtype=np.int64)
        counts[here] = times.view(np.int64)
        step = _NANOSECONDS[np.datetime_data(times.dtype)[0]]
        return read_counts(name, counts, missing, _ObjectFormat(form, marker, zone), step=step)
    try:
        codes, levels = pd.factorize(array)
    except TypeError:
        odd = next(type(value).__name__ for value in present if getattr(value, "__hash__", None) is None)
        raise unreadable(name, f"objects of type {odd}") from None
    return read_levels(name, codes, levels.tolist(), _ObjectFormat("level", marker), sort=True)


def _read_object_numbers(
    name: str, present: NDArray[Any], missing: NDArray[np.bool_], form: _ObjectFormat
) -> ReadColumn:
    try:
        if form.form == "int":
            whole = np.zeros(len(missing), dtype=np.int64)
            whole[~missing] = present.astype(np.int64)
            return read_integers(name, whole, missing, form)
        numbers = np.full(len(missing), np.nan)
        numbers[~missing] = present.astype(np.float64)
    except OverflowError:
        raise too_large(name) from None
    return read_floats(name, numbers, form)


def _object_moments(name: str, present: NDArray[Any], content: str) -> tuple[NDArray[Any], str, dt.tzinfo | None]:
    """Return dates or times as datetime64, what they are written back as, and their time zone."""
    if content == "date":
        return present.astype("datetime64[D]"), "date", None
    plain = not any(isinstance(value, pd.Timestamp | np.datetime64) for value in present)
    moments = present.tolist() if plain else [pd.Timestamp(value) for value in present]
    zones = {moment.tzinfo for moment in moments}
    if len(zones) > 1:
        raise TableError(
            f"Column {name!r} holds times of {len(zones)} time zones. "
            "Convert it to one, as pd.to_datetime(column, utc=True) does."
        )
    wall = [moment.replace(tzinfo=None) for moment in moments]
    times = np.array(wall, dtype="datetime64[us]") if plain else pd.DatetimeIndex(wall).to_numpy()
    return times, "datetime" if plain else "timestamp", zones.pop()
