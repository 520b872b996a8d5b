"""Tables of every kind of column that frote takes, from plain values, and back to plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["DTYPES", "NEVER", "PlainColumn", "cells", "frame_of", "labels_of", "make_columns", "values"]


NEVER = "never"  # a level that is declared and that no row has


@dataclass(frozen=True, slots=True)
class PlainColumn:
    """A column as plain values, None where one is missing, and the type that it is to have."""

    name: str
    family: str
    dtype: str
    cells: tuple[Any, ...]


def _arrow(kind: pa.DataType) -> Callable[[list[Any]], Any]:
    return lambda held: pd.Series(pd.arrays.ArrowExtensionArray(pa.array(held, type=kind)))


def _numpy(dtype: str) -> Callable[[list[Any]], Any]:
    return lambda held: pd.Series(np.array(held, dtype=dtype))


def _pandas(dtype: Any) -> Callable[[list[Any]], Any]:
    return lambda held: pd.Series(held, dtype=dtype)


def _polars(dtype: Any) -> Callable[[list[Any]], Any]:
    return lambda held: pl.Series(held, dtype=dtype, strict=False)


def _levels(held: list[Any]) -> list[Any]:
    return sorted({cell for cell in held if cell is not None})


# For every kind of frame and family of values: types by name, each with what makes a column. A star: no missing values.
DTYPES: dict[str, dict[str, dict[str, Callable[[list[Any]], Any]]]] = {
    "pandas": {
        "whole": {
            "int64*": _numpy("int64"),
            "int8*": _numpy("int8"),
            "uint16*": lambda held: pd.Series(np.abs(np.array(held)).astype("uint16")),
            "Int64": _pandas("Int64"),
            "Int16": _pandas("Int16"),
            "whole floats": lambda held: pd.Series([np.nan if cell is None else float(cell) for cell in held]),
            "arrow int32": _arrow(pa.int32()),
            "object": _pandas(object),
            "category of numbers": lambda held: pd.Series(pd.Categorical(held, categories=_levels(held))),
        },
        "number": {
            "float64": _numpy("float64"),
            "float32": _numpy("float32"),
            "float16": _numpy("float16"),
            "Float64": _pandas("Float64"),
            "Float32": _pandas("Float32"),
            "arrow double": _arrow(pa.float64()),
            "arrow float": _arrow(pa.float32()),
        },
        "decimal": {
            "arrow decimal": _arrow(pa.decimal128(8, 2)),
            "arrow decimal of one digit": _arrow(pa.decimal128(6, 1)),
        },
        "text": {
            "object": _pandas(object),
            "string": _pandas("string"),
            "str": _pandas("str"),
            "category": _pandas("category"),
            "ordered": lambda held: pd.Series(pd.Categorical(held, categories=_levels(held), ordered=True)),
            "arrow string": _arrow(pa.string()),
            "arrow dictionary": _arrow(pa.dictionary(pa.int8(), pa.string())),
        },
        "truth": {"bool*": _numpy("bool"), "boolean": _pandas("boolean"), "arrow bool": _arrow(pa.bool_())},
        "moment": {
            "ns": _pandas("datetime64[ns]"),
            "us": _pandas("datetime64[us]"),
            "s": _pandas("datetime64[s]"),
            "zone": lambda held: pd.Series(pd.DatetimeIndex(held, tz="Europe/Paris")),
            "arrow": _arrow(pa.timestamp("ms")),
            "arrow zone": _arrow(pa.timestamp("us", "UTC")),
        },
    },
    "polars": {
        "whole": {name: _polars(getattr(pl, name)) for name in ("Int8", "Int16", "Int64", "UInt32")},
        "number": {"Float32": _polars(pl.Float32), "Float64": _polars(pl.Float64)},
        "decimal": {"Decimal": _polars(pl.Decimal(8, 2)), "Decimal of one digit": _polars(pl.Decimal(6, 1))},
        "text": {
            "String": _polars(pl.String),
            "Categorical": _polars(pl.Categorical),
            "Enum": lambda held: pl.Series(held, dtype=pl.Enum([*_levels(held), NEVER])),
        },
        "truth": {"Boolean": _polars(pl.Boolean)},
        "moment": {
            "Datetime": _polars(pl.Datetime("us")),
            "Datetime ms": _polars(pl.Datetime("ms")),
            "zone": _polars(pl.Datetime("us", "UTC")),
            "Date": lambda held: pl.Series([None if cell is None else cell.date() for cell in held], dtype=pl.Date),
        },
    },
    "numpy": {
        "whole": {"int64*": _numpy("int64")},
        "number": {"float64": _numpy("float64"), "float32": _numpy("float32")},
    },
}
WORDS = ("red", "green", "blue", "it's", "1", "2", "10", "1.5", "true", "a b", "#", "Zürich", "\u200cnim", "no")
START = datetime(2024, 1, 1)


def _plain(family: str, chance: Random) -> Callable[[], Any]:
    """Return what draws one value."""
    if family == "whole":
        spread = chance.choice((1, 3, 20, 100))
        return lambda: chance.randint(0, spread)
    if family == "number":
        scale = chance.choice((1.0, 100.0, 1e-3))
        return lambda: round(chance.gauss(0, 1), chance.choice((1, 6))) * scale
    if family == "decimal":
        return lambda: Decimal(chance.randint(0, 300)) / 10
    if family == "truth":
        return lambda: chance.random() < 0.4
    if family == "moment":
        return lambda: START + timedelta(days=chance.randint(0, 60), hours=chance.choice((0, 0, 13)))
    words = chance.sample(WORDS, chance.randint(2, 5))
    return lambda: chance.choice(words)


def make_columns(chance: Random, kind: str, rows: int) -> list[PlainColumn]:
    """Return columns by chance; those of a NumPy array share one type."""
    names = chance.sample(("age", "a b", "x0", "größe", "if", "price", "zip", "on"), chance.randint(1, 4))
    families = DTYPES[kind]
    shared = chance.choice([(family, dtype) for family, dtypes in families.items() for dtype in dtypes])
    columns = []
    for place, name in enumerate(names):
        family = shared[0] if kind == "numpy" else chance.choice(list(families))
        dtype = shared[1] if kind == "numpy" else chance.choice(list(families[family]))
        draw, gaps = _plain(family, chance), 0.0 if dtype.endswith("*") else chance.choice((0, 0, 0.1, 0.3))
        held = tuple(None if chance.random() < gaps else draw() for _ in range(rows))
        columns.append(PlainColumn(f"x{place}" if kind == "numpy" else name, family, dtype, held))
    return columns


def frame_of(kind: str, columns: list[PlainColumn]) -> Any:
    """Return a frame of columns."""
    made = {one.name: DTYPES[kind][one.family][one.dtype](list(one.cells)) for one in columns}
    if kind == "polars":
        return pl.DataFrame(made)
    frame = pd.DataFrame(made)
    return frame.to_numpy() if kind == "numpy" else frame


def labels_of(how: str, labels: list[str]) -> Any:
    """Return labels as a list, array or series of a type."""
    if how == "list":
        return list(labels)
    if how == "whole numbers":
        return np.array([len(label) for label in labels])
    if how == "category":
        return pd.Series(labels, dtype="category")
    if how == "polars":
        return pl.Series("label", labels)
    return pd.Series(labels, name="label") if how == "series" else np.array(labels)


def cells(frame: Any) -> Any:
    """Return types and values of a frame, series, array or list as texts that can be compared."""
    if isinstance(frame, pl.DataFrame):
        return [(name, str(dtype), [*map(repr, frame[name].to_list())]) for name, dtype in frame.schema.items()]
    if isinstance(frame, pd.DataFrame):
        return [(name, str(frame[name].dtype), [*map(repr, frame[name].tolist())]) for name in frame.columns]
    held = frame.to_list() if isinstance(frame, pl.Series) else np.asarray(frame).ravel().tolist()
    return [type(frame).__name__, str(getattr(frame, "dtype", "")), str(np.shape(frame)), [*map(repr, held)]]


def values(frame: Any, name: str) -> list[Any]:
    """Return a column as plain values: None where one is missing, moments without a zone, numbers as floats."""
    held: Any = frame[:, int(name[1:])] if isinstance(frame, np.ndarray) else frame[name]
    return [_value(cell) for cell in (held.tolist() if hasattr(held, "tolist") else held.to_list())]


def _value(cell: Any) -> Any:
    if cell is None or cell is pd.NA or cell is pd.NaT or cell != cell:
        return None
    if isinstance(cell, pd.Timestamp | datetime):
        moment = cell.to_pydatetime(warn=False) if isinstance(cell, pd.Timestamp) else cell
        return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
    if isinstance(cell, date):
        return datetime(cell.year, cell.month, cell.day)
    return float(cell) if isinstance(cell, Decimal | np.floating) else cell
