"""Parquet and Feather files, by PyArrow."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import FileError
from frote.files.cells import plain_values
from frote.files.feather import unpacked_sizes
from frote.files.format import Parsed
from frote.files.kinds import MOST, Texts, Where, categories, from_texts, numbers, truths, whole_numbers
from frote.files.names import checked_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from frote.files.form import FileForm
    from frote.files.format import Writing
    from frote.files.limits import Limit
    from frote.files.names import Asked
    from frote.files.source import Source

__all__ = [
    "arrow_array",
    "is_text",
    "pyarrow_for",
    "read_feather",
    "read_parquet",
    "typed_column",
    "write_feather",
    "write_parquet",
]

INDEX = "__index_level_"  # how pandas names row labels that have no name


def pyarrow_for(file_name: str) -> Any:
    """Return PyArrow, which is no dependency of ours, with the two parts of it that are needed."""
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.feather  # type: ignore[import-untyped]
        import pyarrow.parquet  # type: ignore[import-untyped]
    except ImportError:
        raise FileError(f"{file_name}: needs PyArrow. Run: pip install 'frote[files]'.") from None
    return pa


def read_parquet(source: Source, asked: Asked) -> Parsed:
    """Read a Parquet file.

    The columns have the types that they have there. Texts are categories, in order; dates are times; decimals are
    floats. Whole numbers and truth values with gaps are of pandas' own types.

    Raises
    ------
    FileError
        If it is damaged, or holds what is no table.
    """
    return _read(source, asked, _parquet, "Parquet")


def read_feather(source: Source, asked: Asked) -> Parsed:
    """Read a file of Arrow's IPC format, which Feather is; see `read_parquet`."""
    return _read(source, asked, _feather, "Feather")


def _read(
    source: Source, asked: Asked, unpack: Callable[[Any, bytes, Limit], tuple[Any, list[str]]], title: str
) -> Parsed:
    file_name = source.file_name
    pa = pyarrow_for(file_name)
    try:
        table, texts = unpack(pa, source.content, source.limit)
        table.validate(full=True)
    except FileError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError, struct.error) as error:
        why = str(error).partition("\n")[0].rstrip(".")
        raise FileError(f"{file_name}: is a damaged {title} file ({why}). Write or copy it again.") from None
    table = table.select([at for at, name in enumerate(table.column_names) if not name.startswith(INDEX)])
    names = checked_names(table.column_names, file_name)
    asked.check(names, file_name)
    if not len(table) or not names:
        raise FileError(f"{file_name}: has no rows. Add some.")
    columns = {
        name: _asked(
            _texts(pa, column) if name in texts else typed_column(pa, column, name, file_name),
            Where(file_name, name, _row),
            asked,
        )
        for name, column in zip(names, table.columns, strict=True)
    }
    return Parsed(pd.DataFrame(columns), _row)


def _parquet(pa: Any, content: bytes, limit: Limit) -> tuple[Any, list[str]]:
    """Read a Parquet file, and tell its columns of texts: they stay levels, which may stand once for many rows."""
    schema = pa.parquet.read_schema(pa.BufferReader(content))
    texts = [field.name for field in schema if is_text(pa, field.type)]
    file = pa.parquet.ParquetFile(pa.BufferReader(content), read_dictionary=texts)
    groups = [file.metadata.row_group(at) for at in range(file.metadata.num_row_groups)]
    limit.require_cells(sum(max(group.num_rows, 0) for group in groups), len(schema))
    limit.require_bytes(sum(max(group.total_byte_size, 0) for group in groups))
    return file.read(), texts


def _feather(pa: Any, content: bytes, limit: Limit) -> tuple[Any, list[str]]:
    """Do the same with a Feather file, whose blocks tell what they unpack to."""
    file = pa.ipc.open_file(pa.BufferReader(content))
    rows = size = 0
    for height, more in unpacked_sizes(content):
        rows, size = rows + max(height, 0), size + more
        limit.require_cells(rows, len(file.schema))
        limit.require_bytes(size)
    return file.read_all(), [field.name for field in file.schema if is_text(pa, field.type)]


def _row(number: int) -> str:
    """Return what to call a row in messages, by its number from 0."""
    return f"row {number + 1}"


def typed_column(pa: Any, column: Any, name: str, file_name: str) -> pd.Series[Any]:
    """Return a column of PyArrow's with the type that it has in files, as `read_parquet` says."""
    kind, types = column.type, pa.types
    if types.is_dictionary(kind):
        column = column.unify_dictionaries()
        levels = column.chunk(0).dictionary
        if is_text(pa, kind.value_type) and not levels.null_count and len(levels.unique()) == len(levels):
            return pd.Series(column.to_pandas().array)
        # Numbers as categories, and levels that are missing or there twice, are values like any other.
        column = column.cast(kind.value_type)
        kind = column.type
    missing = column.is_null().to_numpy()
    if types.is_null(kind):
        return numbers(np.full(len(column), np.nan))
    if types.is_boolean(kind):
        return truths(column.fill_null(False).to_numpy(), missing)
    if types.is_integer(kind):
        return whole_numbers(column.fill_null(0).to_numpy(), missing)
    if types.is_decimal(kind) or types.is_float16(kind):
        column = column.cast(pa.float64() if types.is_decimal(kind) else pa.float32())
        kind = column.type
    if types.is_floating(kind):
        return numbers(column.to_numpy())
    if types.is_timestamp(kind) or types.is_date(kind):
        return pd.Series(column.to_pandas(date_as_object=False).array)
    if is_text(pa, kind):
        return _texts(pa, column)
    raise FileError(
        f"{file_name}: column {name!r} holds {kind} values, which are neither numbers, texts, truth values nor dates. "
        "Leave it out, or write it as one of these."
    )


def _texts(pa: Any, column: Any) -> pd.Series[Any]:
    """Return a column of texts, which may be levels and codes already, as categories in order."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    encoded = encoded.unify_dictionaries().combine_chunks()
    codes = encoded.indices.fill_null(-1).to_numpy().astype(np.intp)
    used = np.unique(codes[codes >= 0])  # a level may be there for no row
    places = np.full(len(encoded.dictionary) + 1, -1)
    places[used] = np.arange(len(used))
    levels = encoded.dictionary.cast(pa.large_string()).take(pa.array(used))
    return categories(Texts(levels.to_pylist(), places[codes]))


def is_text(pa: Any, kind: Any) -> bool:
    """Tell whether a type of PyArrow's is one of texts."""
    return any(is_kind(kind) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _asked(column: pd.Series[Any], where: Where, asked: Asked) -> pd.Series[Any]:
    if asked.is_text(where.column):
        if isinstance(column.dtype, pd.CategoricalDtype):
            return column
        return categories(Texts.of(plain_values(where.column, column, most=2**64)))
    if where.column in asked.numeric and column.dtype.kind not in "iuf":
        return from_texts(Texts.of(plain_values(where.column, column)), where, numeric=True)
    if column.dtype == np.uint64 or column.dtype == pd.UInt64Dtype():
        large = (column > MOST).to_numpy(dtype=np.bool_, na_value=False)
        if large.any():
            row = int(large.argmax())
            fact = f"holds {column.iloc[row]}, which is too large for a number. Leave it out, or {where.as_texts}."
            raise where.error(row, fact)
    return column


def write_parquet(frame: pd.DataFrame, form: FileForm, writing: Writing) -> bytes:  # noqa: ARG001
    """Return a frame as a Parquet file that reads back as the same values.

    Texts are written as such, and categories that have an order of their own, or are no texts, as a dictionary.
    """
    pa = pyarrow_for(writing.file_name)
    return _written(frame, pa, writing.file_name, pa.parquet.write_table)


def write_feather(frame: pd.DataFrame, form: FileForm, writing: Writing) -> bytes:  # noqa: ARG001
    """Return a frame as a file of Arrow's IPC format; see `write_parquet`."""
    pa = pyarrow_for(writing.file_name)
    return _written(frame, pa, writing.file_name, pa.feather.write_feather)


def _written(frame: pd.DataFrame, pa: Any, file_name: str, write: Callable[[Any, Any], None]) -> bytes:
    for name in frame.columns:
        if name.startswith(INDEX):
            raise FileError(f"{file_name}: a column named {name!r} would be taken for pandas' row labels. Rename it.")
    sink = pa.BufferOutputStream()
    write(pa.table({name: arrow_array(pa, name, frame[name]) for name in frame.columns}), sink)
    return bytes(sink.getvalue())


def arrow_array(pa: Any, name: str, column: pd.Series[Any]) -> Any:
    """Return a column for PyArrow; what stands where a value is missing is always the same, so that bytes are."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype) and (dtype.ordered or not _sorted_texts(dtype)):
        levels = pa.array(plain_values(name, dtype.categories.to_series()))
        codes = column.cat.codes.to_numpy().astype(np.int32)
        indices = pa.array(codes, mask=codes < 0)
        return pa.DictionaryArray.from_arrays(indices, levels, ordered=bool(dtype.ordered))
    if dtype.kind in "biuf" and not isinstance(dtype, pd.CategoricalDtype | pd.ArrowDtype):
        if dtype.kind == "u":
            plain_values(name, column)  # says so if one is too large
        missing = column.isna().to_numpy()
        plain: Any = getattr(dtype, "numpy_dtype", dtype)
        return pa.array(column.to_numpy(dtype=plain, na_value=plain.type(0)), mask=missing if missing.any() else None)
    if dtype.kind == "M":
        return pa.array(column, from_pandas=True)
    try:
        return pa.array(plain_values(name, column))
    except pa.ArrowException:
        raise FileError(f"Column {name!r} holds values of several types. Make them numbers or texts.") from None


def _sorted_texts(dtype: pd.CategoricalDtype) -> bool:
    levels = dtype.categories
    return pd.api.types.is_string_dtype(levels) and levels.is_monotonic_increasing
