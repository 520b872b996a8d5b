"""What is written for the values of a column: plain Python values first, their text second."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import FileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from frote.rules.spelling import DateSpelling

    Unit = Literal["D", "m", "s", "ms", "us", "ns"]

__all__ = ["plain_values", "written"]

UNITS: tuple[Unit, ...] = ("D", "m", "s", "ms", "us", "ns")


def written(
    name: str, column: pd.Series[Any], write: Callable[[Any], str], spelling: DateSpelling | None = None
) -> list[str]:
    """Return what is written for each value of a column, of which every level is looked at once.

    Dates are spelled as asked, unless they have a zone, with a time where one needs more of it than the spelling has.

    Examples
    --------
    >>> import pandas as pd
    >>> written("purpose", pd.Series(["car", None, "car"], dtype="category"), repr)
    ["'car'", 'None', "'car'"]
    """
    if spelling is not None and column.dtype.kind == "M" and column.dt.tz is None:
        texts = _as_texts(column.to_numpy(), UNITS[UNITS.index(spelling.unit) :])
        missing = column.isna()
        return [write(None if gone else spelling.spelled(text)) for text, gone in zip(texts, missing, strict=True)]
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return [write(value) for value in plain_values(name, column)]
    levels = [write(level) for level in plain_values(name, column.cat.categories.to_series())]
    # The code of a missing value, -1, is the last place.
    by_code = [*levels, write(None)]
    return [by_code[code] for code in column.cat.codes]


def plain_values(name: str, column: pd.Series[Any]) -> list[Any]:
    """Return a column's values as bool, int, float or str, dates as their ISO text, None where missing.

    Examples
    --------
    >>> import pandas as pd
    >>> plain_values("day", pd.to_datetime(pd.Series(["2024-02-29", None])))
    ['2024-02-29', None]
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        by_code = [*plain_values(name, column.cat.categories.to_series()), None]
        return [by_code[code] for code in column.cat.codes]
    missing = column.isna().tolist()
    values = _dates(column) if column.dtype.kind == "M" else column.tolist()
    values = [None if gone else value for value, gone in zip(values, missing, strict=True)]
    for kind in dict.fromkeys(map(type, values)):
        if not issubclass(kind, bool | int | float | str | NoneType):
            raise FileError(
                f"Column {name!r} holds {kind.__name__} values, which no file can. Make them numbers or texts."
            )
    return values


def _dates(column: pd.Series[Any]) -> list[str]:
    """Return times as short as they can be: days alone where there is nothing but days."""
    zone = column.dt.tz
    if zone is not None:
        return [stamp.isoformat() for stamp in column]
    return _as_texts(column.to_numpy(), ("D", "s", "ms", "us", "ns"))


def _as_texts(times: np.ndarray[tuple[int], np.dtype[np.datetime64]], units: tuple[Unit, ...]) -> list[str]:
    """Return times by the first of some units, the last of which holds them all, that loses nothing."""
    unit = next((unit for unit in units[:-1] if _same(times, unit)), units[-1])
    return [str(text) for text in np.datetime_as_string(times, unit)]


def _same(times: np.ndarray[Any, Any], unit: str) -> bool:
    cut = times.astype(f"datetime64[{unit}]")
    return bool(((cut == times) | np.isnat(times)).all())
