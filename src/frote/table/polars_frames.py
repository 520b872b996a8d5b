"""polars frames. Imported only once a polars frame is met: polars is optional."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

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
    with_zeros,
)
from frote.table.lattice import DOUBLES, Decimals, Floats
from frote.table.numpy_arrays import localised, on_the_wall, whole_bounds, whole_numbers
from frote.table.schema import Column, Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from frote.table.lattice import Lattice

__all__ = ["PolarsFrame", "read_polars"]

_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6}
_DAY = 86_400 * 10**9
_KINDS: dict[Any, Kind] = {pl.Boolean(): Kind.BOOLEAN, pl.Date(): Kind.DATETIME}
WIDEST = 38  # digits of a decimal whose type does not say how many


@dataclass(frozen=True, slots=True)
class PolarsFrame(FrameFormat):
    """A polars frame."""

    def assemble(self, columns: dict[str, Any], n_rows: int) -> pl.DataFrame:  # noqa: ARG002
        """Return the columns under their names."""
        return pl.DataFrame(columns)

    def take(self, frame: pl.DataFrame, rows: NDArray[np.intp]) -> pl.DataFrame:
        """Return some rows of a polars frame."""
        return frame[rows]

    def stack(
        self,
        frame: pl.DataFrame,
        below: pl.DataFrame,
        restored: Callable[[int], Any],  # noqa: ARG002
    ) -> pl.DataFrame:
        """Return one polars frame on top of another."""
        return pl.concat([frame, below])


def read_polars(X: pl.DataFrame) -> tuple[PolarsFrame, list[ReadColumn]]:
    """Read a polars frame."""
    return PolarsFrame(), [_read_series(series.name, series) for series in X.get_columns()]


def _read_series(name: str, series: pl.Series) -> ReadColumn:
    dtype, form = series.dtype, _PolarsFormat(series.dtype)
    missing = series.is_null().to_numpy()
    if dtype.is_float() or dtype.is_decimal():
        # Nulls become NaN here: the two are one to a table.
        return read_floats(name, np.array(series.cast(pl.Float64).to_numpy()), form)
    if dtype.is_integer():
        return _read_whole(name, series, missing, form)
    if dtype == pl.Boolean:
        return read_booleans(name, series.fill_null(False).to_numpy(), missing, form)
    if isinstance(dtype, pl.Datetime):
        # A time zone is left out of the counts, so that they are of wall time.
        counts = series.dt.replace_time_zone(None).to_physical()
        return read_counts(name, _filled(counts), missing, form, step=_NANOSECONDS[dtype.time_unit])
    if dtype == pl.Date:
        return read_counts(name, _filled(series.to_physical()), missing, form, step=_DAY)
    if isinstance(dtype, pl.Enum):
        return read_levels(name, _codes(series), dtype.categories.to_list(), form, sort=False)
    if isinstance(dtype, pl.String | pl.Categorical):
        levels = series.drop_nulls().unique().cast(pl.String).sort()
        return read_levels(name, _codes(series.cast(pl.Enum(levels))), levels.to_list(), form, sort=False)
    if dtype == pl.Null:
        return read_levels(name, np.full(len(series), -1), [], form, sort=False)
    raise unreadable(name, dtype)


def _read_whole(name: str, series: pl.Series, missing: NDArray[np.bool_], form: ColumnFormat) -> ReadColumn:
    try:
        whole = series.cast(pl.Int64)
    except pl.exceptions.InvalidOperationError:
        raise too_large(name) from None
    return read_integers(name, _filled(whole), missing, form)


def _filled(series: pl.Series) -> NDArray[Any]:
    return series.fill_null(0).to_numpy()


def _codes(series: pl.Series) -> NDArray[Any]:
    """Return the codes of an Enum, -1 where missing; polars counts them without a sign."""
    return series.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()


@dataclass(frozen=True, slots=True)
class _PolarsFormat(ColumnFormat):
    """Any column of polars; its type alone says how values are written back."""

    dtype: pl.DataType

    @property
    def ordered(self) -> bool:
        return isinstance(self.dtype, pl.Enum)

    def holds(self, level: Any) -> bool:  # noqa: ARG002
        return isinstance(self.dtype, pl.String | pl.Categorical)

    @property
    def bounds(self) -> tuple[int, int] | None:
        if self.dtype == pl.Date:
            return whole_bounds(np.dtype(np.int32))
        # Types of 128 bits hold all that a table can, or all of it that has no sign.
        name = str(self.dtype).lower().replace("128", "64")
        return whole_bounds(np.dtype(name)) if self.dtype.is_integer() else None

    def as_read_back(self, column: Column, data: ColumnData) -> NDArray[Any]:
        zone = self.dtype.time_zone if isinstance(self.dtype, pl.Datetime) else None
        return data.values if zone is None else on_the_wall(column, data, zone)

    def read_again(self, column: Column, data: ColumnData) -> ReadColumn | None:
        dtype = self.dtype
        if dtype == pl.Float64:
            return again_as_floats(column, data, self)
        if isinstance(dtype, pl.String | pl.Categorical):
            return again_as_texts(column, data, self)
        if isinstance(dtype, pl.Datetime):
            return None if dtype.time_zone else again_as_it_is(column, data, self, Kind.DATETIME)
        kind = Kind.CATEGORICAL if isinstance(dtype, pl.Enum) else _KINDS.get(dtype)
        kind = Kind.INTEGER if dtype.is_integer() else kind
        return None if kind is None else again_as_it_is(column, data, self, kind)

    def of_levels(self, levels: tuple[Any, ...], own: Column) -> ColumnFormat:  # noqa: ARG002
        return _PolarsFormat(pl.Enum(levels)) if isinstance(self.dtype, pl.Enum) else self

    @property
    def lattice(self) -> Lattice:
        if isinstance(self.dtype, pl.Decimal):
            return Decimals(self.dtype.precision or WIDEST, self.dtype.scale)
        return Floats(np.dtype(str(self.dtype).lower())) if self.dtype.is_float() else DOUBLES

    def restore(self, column: Column, data: ColumnData) -> pl.Series:
        if column.kind.has_levels:
            levels = pl.Series(list(column.levels), dtype=self.dtype)
            return levels.gather(_with_nulls(pl.Series(data.values), data))
        if isinstance(self.dtype, pl.Datetime):
            moments = localised(column, data, self.dtype.time_zone).asi8
            times = pl.Series(moments).cast(pl.Datetime(self.dtype.time_unit, "UTC"))
            zone = self.dtype.time_zone
            placed = times.dt.replace_time_zone(None) if zone is None else times.dt.convert_time_zone(zone)
            return _with_nulls(placed, data)
        if isinstance(self.lattice, Decimals):
            return _with_nulls(pl.Series(self.lattice.written(with_zeros(data)), dtype=self.dtype), data)
        numbers = whole_numbers(data) if self.dtype.is_integer() or column.kind is Kind.DATETIME else data.values
        return _with_nulls(pl.Series(numbers.copy()), data).cast(self.dtype)


def _with_nulls(series: pl.Series, data: ColumnData) -> pl.Series:
    if data.missing is None:
        return series
    present = pl.Series(~data.missing)
    return pl.select(pl.when(present).then(series)).to_series()
