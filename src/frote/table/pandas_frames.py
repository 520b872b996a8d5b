"""pandas frames, with columns of NumPy's, pandas' own and PyArrow's types."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import pandas as pd

from frote.table.frames import (
    ColumnData,
    ColumnFormat,
    FrameFormat,
    ReadColumn,
    again_as_floats,
    again_as_it_is,
    again_as_texts,
    are_many,
    read_booleans,
    read_floats,
    read_integers,
    read_levels,
    unreadable,
    with_zeros,
)
from frote.table.lattice import Decimals
from frote.table.numpy_arrays import floats_of, localised, on_the_wall, read_column, whole_bounds, whole_numbers
from frote.table.schema import Column, Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from frote.table.lattice import Lattice

__all__ = ["PandasFrame", "read_pandas"]


MANY = 4  # categorical columns from which on they are stacked one by one


@dataclass(frozen=True, slots=True, eq=False)
class PandasFrame(FrameFormat):
    """A pandas frame, with its column labels and their types."""

    by_column: ClassVar[bool] = True

    labels: pd.Index[Any]
    dtypes: tuple[Any, ...]
    _as_list: list[Any] = field(init=False, repr=False)  # asked for at every step, and pandas takes its time

    def __post_init__(self) -> None:
        object.__setattr__(self, "_as_list", self.labels.tolist())

    def __repr__(self) -> str:
        # pandas would print labels and categories by its display options, and shorten them.
        return f"{type(self).__name__}({self.labels.tolist()}, {self.labels.names}, {self.labels.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PandasFrame) and self.labels.identical(other.labels) and self.dtypes == other.dtypes

    def labels_of(self, names: tuple[str, ...]) -> list[Any]:  # noqa: ARG002
        """Return the labels, which need not be texts."""
        return self._as_list.copy()

    def assemble(self, columns: dict[str, Any], n_rows: int) -> pd.DataFrame:
        """Return the columns under their labels, with a RangeIndex."""
        index = pd.RangeIndex(n_rows)
        if all(map(_is_number, columns.values(), self.dtypes)) and len(set(self.dtypes)) == 1:
            # Numbers of one type are one array to pandas too.
            return pd.DataFrame(np.stack(list(columns.values())).T, index=index, columns=self.labels, copy=False)
        # A series is given its type: else pandas would look into objects and make strings of them. Categories and
        # numbers are what they are, and wide tables of them are put together at every step of an edit.
        series = {
            place: column if _plain(column, dtype) else pd.Series(column, index=index, dtype=dtype, copy=False)
            for place, (column, dtype) in enumerate(zip(columns.values(), self.dtypes, strict=True))
        }
        frame = pd.DataFrame(series, index=index, copy=False)
        frame.columns = self.labels
        return frame

    def assemble_from(self, names: tuple[str, ...], restored: Callable[[int], Any], n_rows: int) -> pd.DataFrame:
        """Return a frame of columns that are made one after the other, numbers of one type in one array from the start.

        As pandas would lay them out in a copy, which is in memory twice for as long as it is made.
        """
        if not are_many(n_rows):
            return self.assemble({name: restored(place) for place, name in enumerate(names)}, n_rows)
        alike: dict[Any, list[int]] = {}
        for place, dtype in enumerate(self.dtypes):
            plain = isinstance(dtype, np.dtype) and dtype.kind in "biuf"
            alike.setdefault(dtype if plain else place, []).append(place)
        index, parts = pd.RangeIndex(n_rows), []
        for dtype, places in alike.items():
            if not isinstance(dtype, np.dtype):
                column = pd.Series(restored(places[0]), index=index, dtype=self.dtypes[places[0]], copy=False)
                parts.append(column.to_frame())
                continue
            numbers = np.empty((len(places), n_rows), dtype=dtype)
            for line, place in zip(numbers, places, strict=True):
                line[:] = restored(place)
            parts.append(pd.DataFrame(numbers.T, index=index, copy=False))
        order = np.argsort([place for places in alike.values() for place in places])
        frame: pd.DataFrame = pd.concat(parts, axis=1).iloc[:, order].copy(deep=False)  # a frame, and no part of one
        frame.columns = self.labels
        return frame

    def counted_anew(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows with a RangeIndex; pandas copies what somebody writes to."""
        return frame.reset_index(drop=True)

    def take(self, frame: pd.DataFrame, rows: NDArray[np.intp]) -> pd.DataFrame:
        """Return some rows of a pandas frame, with a RangeIndex."""
        return frame.iloc[rows].reset_index(drop=True)

    def stack(self, frame: pd.DataFrame, below: pd.DataFrame, restored: Callable[[int], Any]) -> pd.DataFrame:
        """Return one pandas frame on top of another, with a RangeIndex."""
        if are_many(len(frame)):
            return pd.concat([frame, below.copy()], ignore_index=True)  # a copy has numbers of one type in one array
        coded = [place for place, dtype in enumerate(self.dtypes) if isinstance(dtype, pd.CategoricalDtype)]
        if len(coded) < MANY:
            return pd.concat([frame, below], ignore_index=True)
        # The categories are the same: pandas would compare them column by column, which takes longer than the rest.
        columns: dict[int, Any] = {place: restored(place) for place in coded}
        other = [place for place in range(len(self.dtypes)) if place not in columns]
        if other:
            rest = pd.concat([frame.iloc[:, other], below.iloc[:, other]], ignore_index=True)
            columns.update({place: rest.iloc[:, spot] for spot, place in enumerate(other)})
        index = pd.RangeIndex(len(frame) + len(below))
        stacked = pd.DataFrame({place: columns[place] for place in range(len(self.dtypes))}, index=index, copy=False)
        stacked.columns = self.labels
        return stacked


def _plain(column: Any, dtype: Any) -> bool:
    """Tell whether pandas takes a column for what it is."""
    return isinstance(dtype, pd.CategoricalDtype) or _is_number(column, dtype)


def _is_number(column: Any, dtype: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype == dtype and column.dtype.kind in "biuf"


def read_pandas(X: pd.DataFrame) -> tuple[PandasFrame, list[ReadColumn]]:
    """Read a pandas frame; labels that are not strings are named by their text."""
    columns = [_read_series(str(label), X.iloc[:, place]) for place, label in enumerate(X.columns)]
    return PandasFrame(X.columns, tuple(X.dtypes)), columns


_MASKED = (
    *(pd.Int8Dtype, pd.Int16Dtype, pd.Int32Dtype, pd.Int64Dtype),
    *(pd.UInt8Dtype, pd.UInt16Dtype, pd.UInt32Dtype, pd.UInt64Dtype),
    *(pd.Float32Dtype, pd.Float64Dtype, pd.BooleanDtype),
)


def _read_series(name: str, series: pd.Series[Any]) -> ReadColumn:
    dtype: Any = series.dtype
    if isinstance(dtype, np.dtype):
        return read_column(name, series.to_numpy())
    if isinstance(dtype, pd.CategoricalDtype):
        codes, levels = series.cat.codes.to_numpy(), dtype.categories.tolist()
        return read_levels(name, codes, levels, _CategoryFormat(dtype), sort=False)
    if isinstance(dtype, pd.StringDtype):
        codes, uniques = pd.factorize(series.array)
        return read_levels(name, codes, uniques.tolist(), _StringFormat(dtype), sort=True)
    if isinstance(dtype, pd.DatetimeTZDtype):
        wall = read_column(name, series.dt.tz_localize(None).to_numpy())
        return ReadColumn(wall.column, wall.data, _ZonedFormat(dtype))
    if isinstance(dtype, pd.SparseDtype):
        dense = read_column(name, np.asarray(series.array))
        return ReadColumn(dense.column, dense.data, _SparseFormat(dtype, dense.format))
    if isinstance(dtype, _MASKED):
        return _read_masked(name, series, dtype)
    if isinstance(dtype, pd.ArrowDtype):
        return _read_arrow(name, series, dtype)
    raise unreadable(name, dtype)


def _read_masked(name: str, series: pd.Series[Any], dtype: Any) -> ReadColumn:
    form = _MaskedFormat(dtype)
    if dtype.kind == "f":
        return read_floats(name, np.array(series.to_numpy(np.float64, na_value=np.nan)), form)
    values = series.to_numpy(dtype.numpy_dtype, na_value=dtype.type(0))
    read = read_booleans if dtype.kind == "b" else read_integers
    return read(name, values, series.isna().to_numpy(), form)


@dataclass(frozen=True, slots=True)
class _MaskedFormat(ColumnFormat):
    """pandas' own nullable integers, floats and booleans."""

    dtype: Any

    @property
    def bounds(self) -> tuple[int, int] | None:
        return whole_bounds(self.dtype.numpy_dtype)

    @property
    def lattice(self) -> Lattice:
        return floats_of(self.dtype.numpy_dtype)

    def read_again(self, column: Column, data: ColumnData) -> ReadColumn | None:
        if self.dtype.kind == "f":
            return again_as_floats(column, data, self) if self.dtype.numpy_dtype == np.float64 else None
        return again_as_it_is(column, data, self, Kind.BOOLEAN if self.dtype.kind == "b" else Kind.INTEGER)

    def restore(self, column: Column, data: ColumnData) -> Any:  # noqa: ARG002
        if self.dtype.kind == "b":
            return pd.arrays.BooleanArray(data.values == 1, data.gaps().copy())
        if self.dtype.kind == "f":
            return pd.arrays.FloatingArray(data.values.astype(self.dtype.numpy_dtype), data.gaps().copy())
        return pd.arrays.IntegerArray(whole_numbers(data).astype(self.dtype.numpy_dtype), data.gaps().copy())


@dataclass(frozen=True, slots=True)
class _CategoryFormat(ColumnFormat):
    """pandas' categories, beyond which there is no level."""

    dtype: pd.CategoricalDtype

    def __repr__(self) -> str:
        return f"{type(self).__name__}(ordered={self.dtype.ordered}, {self.dtype.categories.dtype})"

    @property
    def ordered(self) -> bool:
        return bool(self.dtype.ordered)

    def holds(self, level: Any) -> bool:
        return level in self.dtype.categories

    def exact(self, column: Column) -> bool:  # noqa: ARG002
        return True

    def read_again(self, column: Column, data: ColumnData) -> ReadColumn | None:
        return again_as_it_is(column, data, self, Kind.CATEGORICAL)

    def of_levels(self, levels: tuple[Any, ...], own: Column) -> ColumnFormat:  # noqa: ARG002
        return _CategoryFormat(pd.CategoricalDtype(list(levels), self.dtype.ordered))

    def restore(self, column: Column, data: ColumnData) -> Any:  # noqa: ARG002
        return pd.Categorical.from_codes(data.values.copy(), dtype=self.dtype, validate=False)


@dataclass(frozen=True, slots=True)
class _StringFormat(ColumnFormat):
    """pandas' own texts, whatever stores them."""

    dtype: pd.StringDtype

    def read_again(self, column: Column, data: ColumnData) -> ReadColumn | None:
        return again_as_texts(column, data, self)

    def restore(self, column: Column, data: ColumnData) -> Any:
        levels = pd.array(list(column.levels), dtype=self.dtype)
        return levels.take(data.values, allow_fill=True)


@dataclass(frozen=True, slots=True)
class _ZonedFormat(ColumnFormat):
    """Times of a time zone, whose clocks skip an hour here and there."""

    dtype: pd.DatetimeTZDtype

    def as_read_back(self, column: Column, data: ColumnData) -> NDArray[Any]:
        return on_the_wall(column, data, self.dtype.tz)

    def restore(self, column: Column, data: ColumnData) -> Any:
        times = localised(column, data, self.dtype.tz)
        return times if data.missing is None else times.where(~data.missing)


@dataclass(frozen=True, slots=True)
class _SparseFormat(ColumnFormat):
    """A sparse column, which is read and made as a dense one."""

    dtype: pd.SparseDtype
    dense: ColumnFormat

    @property
    def nullable(self) -> bool:
        return self.dense.nullable

    @property
    def bounds(self) -> tuple[int, int] | None:
        return self.dense.bounds

    @property
    def lattice(self) -> Lattice:
        return self.dense.lattice

    def restore(self, column: Column, data: ColumnData) -> Any:
        return pd.arrays.SparseArray(self.dense.restore(column, data), dtype=self.dtype)


def _read_arrow(name: str, series: pd.Series[Any], dtype: pd.ArrowDtype) -> ReadColumn:
    # PyArrow is no dependency of ours; whoever has such a column has it.
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    array, kind, form = cast("Any", series.array).__arrow_array__(), dtype.pyarrow_dtype, _ArrowFormat(dtype)
    missing = series.isna().to_numpy()
    if pa.types.is_integer(kind):
        return read_integers(name, pc.fill_null(array, 0).to_numpy(), missing, form)
    if pa.types.is_decimal(kind):
        # By their texts: PyArrow's own floats are not all the nearest, and 0.35 would be none of 0.35's.
        texts = pc.fill_null(array.cast(pa.string()), "nan").to_numpy()
        return read_floats(name, np.array(texts, dtype=np.float64), form)
    if pa.types.is_floating(kind):
        return read_floats(name, np.array(pc.fill_null(array.cast(pa.float64()), np.nan).to_numpy()), form)
    if pa.types.is_boolean(kind):
        return read_booleans(name, pc.fill_null(array, False).to_numpy(), missing, form)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        # date64 counts milliseconds, but of whole days.
        wall = array.cast(pa.date32()) if pa.types.is_date(kind) else pc.local_timestamp(array)
        plain = read_column(name, wall.to_numpy())
        return ReadColumn(plain.column, plain.data, form)
    if pa.types.is_dictionary(kind):
        encoded = array.unify_dictionaries().combine_chunks()
        if encoded.dictionary.null_count:
            # A null among the values is no level; encoded anew, it is missing like any other.
            encoded = encoded.cast(kind.value_type).dictionary_encode()
        codes = pc.fill_null(encoded.indices.cast(pa.int64()), -1).to_numpy()
        return read_levels(name, codes, encoded.dictionary.to_pylist(), form, sort=False)
    if pa.types.is_null(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        codes, uniques = pd.factorize(series.array)
        return read_levels(name, codes, uniques.tolist(), form, sort=True)
    raise unreadable(name, dtype)


@dataclass(frozen=True, slots=True)
class _ArrowFormat(ColumnFormat):
    """pandas' columns of an Arrow type."""

    dtype: pd.ArrowDtype

    @property
    def ordered(self) -> bool:
        return bool(getattr(self.dtype.pyarrow_dtype, "ordered", False))

    def holds(self, level: Any) -> bool:  # noqa: ARG002
        return str(self.dtype.pyarrow_dtype) != "null"

    def as_read_back(self, column: Column, data: ColumnData) -> NDArray[Any]:
        zone = getattr(self.dtype.pyarrow_dtype, "tz", None)
        return data.values if zone is None else on_the_wall(column, data, zone)

    @property
    def bounds(self) -> tuple[int, int] | None:
        import pyarrow as pa

        if pa.types.is_date(self.dtype.pyarrow_dtype):
            return whole_bounds(np.dtype(np.int32))  # of days; date64 counts them otherwise, and no more of them here
        return whole_bounds(cast("Any", self.dtype).numpy_dtype)

    @property
    def lattice(self) -> Lattice:
        import pyarrow as pa

        kind = self.dtype.pyarrow_dtype
        if pa.types.is_decimal(kind):
            return Decimals(kind.precision, kind.scale)
        return floats_of(cast("Any", self.dtype).numpy_dtype)

    def restore(self, column: Column, data: ColumnData) -> Any:
        import pyarrow as pa

        kind = self.dtype.pyarrow_dtype
        if column.kind.has_levels:
            codes = pa.array(data.values, mask=data.missing)
            if pa.types.is_dictionary(kind):
                levels = pa.array(column.levels, type=kind.value_type)
                indices = codes.cast(kind.index_type)
                array = pa.DictionaryArray.from_arrays(indices, levels, ordered=kind.ordered)
            else:
                array = pa.array(column.levels, type=kind).take(codes)
        elif pa.types.is_date(kind):
            array = pa.array(data.values.astype(np.int32), type=pa.date32(), mask=data.missing).cast(kind)
        elif column.kind is Kind.DATETIME:
            moments = localised(column, data, kind.tz).asi8
            array = pa.array(moments, mask=data.missing).cast(kind)
        elif pa.types.is_integer(kind):
            array = pa.array(whole_numbers(data), mask=data.missing).cast(kind)
        elif isinstance(self.lattice, Decimals):
            array = pa.array(self.lattice.written(with_zeros(data)), type=kind, mask=data.missing)
        else:
            array = pa.array(data.values.astype(np.float64), mask=data.missing).cast(kind)
        # PyArrow may share memory with the data, but nobody ever writes to it.
        return pd.arrays.ArrowExtensionArray(array)
