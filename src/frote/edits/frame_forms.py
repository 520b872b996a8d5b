"""Frames of any kind as tables that a file can hold, and back: what kind of frame it was is told as plain data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

from frote.exceptions import RecordError
from frote.table import Kind, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from frote.edits.order import ColumnForm, FrameForm
    from frote.table import Column, ColumnData

__all__ = ["as_formed", "form_of", "in_file", "texts_in", "unlike"]

NUMBERS = r"u?int(8|16|32|64)|float(16|32|64)|bool"
# What a record may name: types whose text says all of them, and none of which takes memory of its own.
PANDAS = re.compile(rf"{NUMBERS}|U?Int(8|16|32|64)|Float(32|64)|boolean|object|str|string\[(python|pyarrow)\]")
DATES = re.compile(r"datetime64\[(s|ms|us|ns)\]")
NUMPY = re.compile(rf"{NUMBERS}|object|<U\d{{1,4}}")
POLARS = re.compile(r"U?Int(8|16|32|64)|Float(32|64)|Boolean|String|Categorical|Date|Datetime\((ms|us|ns)\)")
FILE = "as in the file"  # of a column whose own type cannot be told
UNITS = {10**9: "s", 10**6: "ms", 10**3: "us", 1: "ns"}


def in_file(X: Any, y: Any = None, target: str = "", place: int | None = None) -> pd.DataFrame:
    """Return a frame of any kind, and labels, as a table of numbers, texts, truth values and dates.

    Examples
    --------
    >>> import numpy as np
    >>> in_file(np.array([[1.0, 2.5]]), ["yes"], "answer")
       x0   x1 answer
    0   1  2.5    yes
    """
    table = _table_of(X)
    frame = pd.DataFrame({column.name: _in_file(column, table[column.name]) for column in table.schema})
    if y is not None:
        labels = _table_of(_column_of(y))
        column = next(iter(labels.schema))
        at = len(frame.columns) if place is None else place
        frame.insert(at, target, _in_file(column, labels[column.name]))
    return frame


def texts_in(X: Any, y: Any, target: str) -> tuple[str, ...]:
    """Return the names of the columns that a file must be read to have texts in, whatever they look like."""
    names = [column.name for column in _table_of(X).schema if column.kind is Kind.CATEGORICAL]
    of_labels = next(iter(_table_of(_column_of(y)).schema))
    return (*names, target) if of_labels.kind is Kind.CATEGORICAL else tuple(names)


def form_of(X: Any) -> FrameForm | None:
    """Return how a frame, or labels, were made; None if that cannot be told so that it can be made again.

    Examples
    --------
    >>> import numpy as np
    >>> form_of(np.zeros((2, 1)))
    {'kind': 'numpy', 'columns': [{'name': 'x0', 'type': 'float64'}]}
    """
    frame = _column_of(X)
    if isinstance(X, list):
        return {"kind": "list", "columns": [{"name": "x0", "type": "object"}]}
    if nw.dependencies.is_pandas_dataframe(frame):
        columns = [_of_pandas(name, frame.iloc[:, place]) for place, name in enumerate(frame.columns)]
        return _form("pandas", columns if frame.columns.name is None else [None])
    if nw.dependencies.is_polars_dataframe(frame):
        return _form("polars", [_of_polars(frame[name]) for name in frame.columns])
    if nw.dependencies.is_numpy_array(frame):
        return _form("numpy", [_of_numpy(f"x{place}", frame[:, place]) for place in range(frame.shape[1])])
    return None


def as_formed(frame: pd.DataFrame, form: FrameForm, *, labels: bool = False) -> Any:
    """Return the table of a file as a frame of the form, or as labels.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table, its columns in the order of the form's.

    form : FrameForm
        What it is to be.

    labels : bool, default=False
        Whether its one column is to be labels.

    Returns
    -------
    pandas or polars DataFrame, NumPy array; or labels

    Raises
    ------
    RecordError
        If the table cannot be of this form.
    """
    try:
        columns = form["columns"]
        if len(columns) != frame.shape[1]:
            raise ValueError(f"{len(columns)} columns, and the table has {frame.shape[1]}")
        made = KINDS[form["kind"]]([frame.iloc[:, place] for place in range(frame.shape[1])], columns)
    except Exception as error:  # pandas, NumPy and polars have errors of their own
        raise RecordError(f"The table is not of the form that its record tells ({str(error)[:120]}).") from None
    if not labels or form["kind"] == "list":
        return made
    return made.iloc[:, 0].rename(columns[0]["name"] or None) if form["kind"] == "pandas" else made[:, 0]


def unlike(X: Any, other: Any) -> list[str]:
    """Return the names of the columns in which two frames, which have the same names, hold other types or values.

    Examples
    --------
    >>> import numpy as np
    >>> unlike(np.zeros((2, 2)), np.array([[0, 0], [0, 1.0]]))
    ['x1']
    """
    one, two = _table_of(X), _table_of(other)

    def held(table: Table, name: str) -> Any:
        data = table[name]
        values = np.where(data.gaps(), np.zeros(1, data.values.dtype), data.values)
        return repr((table.schema[name], table.storage(name))), values.tolist(), data.gaps().tolist()

    return [name for name in one.schema.names if name not in two.schema or held(one, name) != held(two, name)]


def _table_of(X: Any) -> Table:
    return X if isinstance(X, Table) else Table.from_frame(X)


def _column_of(X: Any) -> Any:
    """Return labels as a frame of one column; a frame as it is."""
    if isinstance(X, list):
        X = np.array([*X, None], dtype=object)[:-1]  # as they are: NumPy would make one type of several
    if nw.dependencies.is_pandas_series(X):
        return X.to_frame("" if X.name is None else X.name)
    if nw.dependencies.is_polars_series(X):
        return X.to_frame()
    return X.reshape(-1, 1) if nw.dependencies.is_numpy_array(X) and X.ndim == 1 else X


def _in_file(column: Column, data: ColumnData) -> Any:
    """Return a column as a file can hold it."""
    values, missing = data.values, data.missing
    if column.kind is Kind.CATEGORICAL:
        return pd.Categorical.from_codes(values.copy(), categories=pd.Index(list(column.levels)))
    if column.kind is Kind.DATETIME:
        step = next(one for one in UNITS if column.step % one == 0)
        times = (values * (column.step // step)).astype(f"datetime64[{UNITS[step]}]")
        times[data.gaps()] = np.datetime64("NaT")
        return times
    if column.kind is Kind.BOOLEAN:
        truth = values == 1
        return truth if missing is None else pd.arrays.BooleanArray(truth, missing.copy())
    if column.kind is Kind.INTEGER and missing is not None:
        return pd.arrays.IntegerArray(values.copy(), missing.copy())
    return values.copy()


def _form(kind: Any, columns: list[ColumnForm | None]) -> FrameForm | None:
    told = [column for column in columns if column is not None]
    return {"kind": kind, "columns": told} if len(told) == len(columns) else None


def _of_pandas(name: Any, column: pd.Series[Any]) -> ColumnForm | None:
    dtype: Any = column.dtype
    if not isinstance(name, str | int):
        return None
    if isinstance(dtype, pd.CategoricalDtype):
        levels, kind = dtype.categories.tolist(), str(dtype.categories.dtype)
        return _levelled(name, "category", levels, kind, bool(dtype.ordered)) or {"name": name, "type": FILE}
    text = f"string[{dtype.storage}]" if isinstance(dtype, pd.StringDtype) and dtype.na_value is pd.NA else str(dtype)
    if not (PANDAS.fullmatch(text) or DATES.fullmatch(text)):
        return {"name": name, "type": FILE}
    form: ColumnForm = {"name": name, "type": text}
    return _with_none(form, column.to_numpy()) if text == "object" else form


def _of_polars(column: Any) -> ColumnForm | None:
    dtype = str(column.dtype)
    if dtype.startswith("Enum("):
        return _levelled(column.name, "Enum", column.dtype.categories.to_list(), "str", True)
    name = dtype.partition("(")[0]
    if name.startswith("Float") and column.is_nan().any():
        # Nothing and no number are two things here, and a file has one word for them.
        return None if column.null_count() else {"name": column.name, "type": name, "none": False}
    if name == "Datetime" and column.dtype.time_zone is None:
        name = f"Datetime({column.dtype.time_unit})"
    return {"name": column.name, "type": name} if POLARS.fullmatch(name) else None


def _of_numpy(name: str, column: NDArray[Any]) -> ColumnForm | None:
    text = column.dtype.str if column.dtype.kind == "U" else str(column.dtype)
    if not NUMPY.fullmatch(text):
        return None
    form: ColumnForm = {"name": name, "type": text}
    return _with_none(form, column) if text == "object" else form


def _levelled(name: str | int, kind: str, levels: list[Any], levels_type: str, ordered: bool) -> ColumnForm | None:
    if not all(isinstance(level, str | int | float) for level in levels) or not PANDAS.fullmatch(levels_type):
        return None
    return {"name": name, "type": kind, "levels": levels, "levels_type": levels_type, "ordered": ordered}


def _with_none(form: ColumnForm, values: NDArray[Any]) -> ColumnForm:
    missing = np.asarray(pd.isna(values), dtype=np.bool_)
    if missing.any() and values[missing.argmax()] is None:
        form["none"] = True
    return form


def _as_pandas(columns: list[pd.Series[Any]], forms: list[ColumnForm]) -> pd.DataFrame:
    made = {place: _pandas_column(*pair) for place, pair in enumerate(zip(columns, forms, strict=True))}
    frame = pd.DataFrame(made)
    frame.columns = pd.Index([form["name"] for form in forms])
    return frame


def _pandas_column(column: pd.Series[Any], form: ColumnForm) -> pd.Series[Any]:
    if form["type"] == "category":
        levels = pd.Index(form["levels"], dtype=_allowed(PANDAS, form["levels_type"]))
        made = pd.Categorical.from_codes(_codes(column, form["levels"]), categories=levels, ordered=form["ordered"])
        return pd.Series(made)
    if form["type"] == FILE:
        return column
    kind: Any = form["type"] if DATES.fullmatch(form["type"]) else _allowed(PANDAS, form["type"])
    if kind == "object":
        return pd.Series(_objects(column, form), dtype=object)
    plain: pd.Series[Any] = column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
    return plain.astype(kind)


def _as_polars(columns: list[pd.Series[Any]], forms: list[ColumnForm]) -> Any:
    import polars as pl  # whoever gave a polars frame has it

    made = {}
    for column, form in zip(columns, forms, strict=True):
        values = [None if gone else value for value, gone in zip(column.tolist(), column.isna(), strict=True)]
        if form["type"] == "Date":
            values = [value if value is None else value.date() for value in values]
        made[str(form["name"])] = pl.Series(values, dtype=_polars_type(pl, form))
        if form.get("none") is False:
            made[str(form["name"])] = made[str(form["name"])].fill_null(float("nan"))
    return pl.DataFrame(made)


def _polars_type(pl: Any, form: ColumnForm) -> Any:
    if form["type"] == "Enum":
        return pl.Enum(form["levels"])
    name, _, unit = _allowed(POLARS, form["type"]).partition("(")
    return pl.Datetime(unit.rstrip(")")) if unit else getattr(pl, name)


def _as_array(columns: list[pd.Series[Any]], forms: list[ColumnForm]) -> NDArray[Any]:
    kind = np.dtype(_allowed(NUMPY, forms[0]["type"]))
    array = np.empty((len(columns[0]), len(columns)), dtype=kind)
    for place, (column, form) in enumerate(zip(columns, forms, strict=True)):
        if kind.kind in "OU":
            array[:, place] = _objects(column, form)
        else:
            array[:, place] = column.to_numpy(dtype=kind, na_value=np.nan) if kind.kind == "f" else column.to_numpy()
    return array


def _as_list(columns: list[pd.Series[Any]], forms: list[ColumnForm]) -> list[Any]:  # noqa: ARG001
    return columns[0].tolist()


KINDS: Mapping[str, Callable[[list[pd.Series[Any]], list[ColumnForm]], Any]] = {
    "pandas": _as_pandas,
    "polars": _as_polars,
    "numpy": _as_array,
    "list": _as_list,
}


def _allowed(types: re.Pattern[str], name: str) -> str:
    if not types.fullmatch(name):
        raise ValueError(f"no type {name!r}")
    return name


def _codes(column: pd.Series[Any], levels: list[Any]) -> NDArray[np.intp]:
    """Return the codes of values that a file has as texts."""
    places = {str(level): place for place, level in enumerate(levels)}
    texts = column.astype(object)
    return np.array([-1 if gone else places[str(one)] for one, gone in zip(texts, texts.isna(), strict=True)], np.intp)


def _objects(column: pd.Series[Any], form: ColumnForm) -> NDArray[Any]:
    objects = np.array([*column.astype(object), None], dtype=object)[:-1]
    objects[column.isna().to_numpy()] = None if form.get("none") else np.nan
    return objects
