"""What is written for the values of a column: plain Python values first, their text second."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import FileError
from frote.files.kinds import LEAST, MOST

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from frote.table.spelling import DateSpelling

    Unit = Literal["D", "m", "s", "ms", "us", "ns"]

__all__ = ["encodable", "plain_values", "written", "written_alike"]

# Kinds of values that one column of a file cannot mix; a bool is an int to Python.
APART = (bool, int | float, str)
FIRST, BEYOND = np.datetime64("0001-01-01"), np.datetime64("10000-01-01")
UNITS: tuple[Unit, ...] = ("D", "m", "s", "ms", "us", "ns")
PLAIN_UNITS: tuple[Unit, ...] = ("D", "s", "ms", "us", "ns")


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
    return written_alike(name, column, write, spelling)(column)


def written_alike(
    name: str, column: pd.Series[Any], write: Callable[[Any], str], spelling: DateSpelling | None = None
) -> Callable[[pd.Series[Any]], list[str]]:
    """Return what makes texts of parts of a column: the same ones as of the whole, the dates of which are alike.

    Examples
    --------
    >>> import pandas as pd
    >>> times = pd.to_datetime(pd.Series(["2024-02-29T00:00", "2024-02-29T12:00"]))
    >>> written_alike("at", times, repr)(times[:1]), written("at", times[:1], repr)
    (["'2024-02-29T00:00:00'"], ["'2024-02-29'"])
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = [write(level) for level in plain_values(name, column.cat.categories.to_series())]
        # The code of a missing value, -1, is the last place.
        by_code = [*levels, write(None)]
        return lambda part: [by_code[code] for code in part.cat.codes]
    if column.dtype.kind == "M" and column.dt.tz is None:
        units = PLAIN_UNITS if spelling is None else UNITS[UNITS.index(spelling.unit) :]
        unit = _unit(name, column.to_numpy(), units)

        def dates(part: pd.Series[Any]) -> list[str]:
            texts = map(str, np.datetime_as_string(part.to_numpy(), unit))
            spelled = zip(texts, part.isna(), strict=True)
            return [write(None if gone else spelling.spelled(text) if spelling else text) for text, gone in spelled]

        return dates
    if column.dtype == object:  # which may hold values of one type here and of another there
        plain_values(name, column)
    return lambda part: [write(value) for value in plain_values(name, part)]


def plain_values(name: str, column: pd.Series[Any], *, most: int = MOST) -> list[Any]:
    """Return a column's values as bool, int, float or str, dates as their ISO text, None where missing.

    Parameters
    ----------
    name : str
        The column's name, for messages.

    column : Series
        The column.

    most : int, default=MOST
        The greatest whole number that there may be.

    Raises
    ------
    FileError
        If a value is none that a file could give back.

    Examples
    --------
    >>> import pandas as pd
    >>> plain_values("day", pd.to_datetime(pd.Series(["2024-02-29", None])))
    ['2024-02-29', None]
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        by_code = [*plain_values(name, column.cat.categories.to_series(), most=most), None]
        return [by_code[code] for code in column.cat.codes]
    missing = column.isna().tolist()
    values = _dates(name, column) if column.dtype.kind == "M" else column.tolist()
    values = [None if gone else value for value, gone in zip(values, missing, strict=True)]
    _require_plain(name, values, most)
    return values


def _require_plain(name: str, values: list[Any], most: int) -> None:
    """Refuse values that no file could give back: of another type or of several, too large, or half a character."""
    kinds = set(map(type, values)) - {NoneType}
    for kind in kinds:
        if not issubclass(kind, bool | int | float | str):
            raise FileError(
                f"Column {name!r} holds {kind.__name__} values, which no file can. Make them numbers or texts."
            )
    if len({next(place for place, one in enumerate(APART) if issubclass(kind, one)) for kind in kinds}) > 1:
        raise FileError(f"Column {name!r} holds values of several types. Make them numbers or texts.")
    if any(issubclass(kind, int) for kind in kinds):
        large = next((value for value in values if isinstance(value, int) and not LEAST <= value <= most), None)
        if large is not None:
            raise FileError(f"Column {name!r} holds {large}, which is too large for a number. Make them texts.")
    if any(issubclass(kind, str) for kind in kinds):
        half = next((text for text in set(values) if text is not None and not encodable(text)), None)
        if half is not None:
            raise FileError(f"Column {name!r} holds half a character ({half[:60]!r}), which no file can. Mend it.")


def encodable(text: str) -> bool:
    r"""Tell whether a text has whole characters only.

    Examples
    --------
    >>> encodable("Zürich"), encodable("\ud800")
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _dates(name: str, column: pd.Series[Any]) -> list[str]:
    """Return times as short as they can be: days alone where there is nothing but days."""
    zone = column.dt.tz
    if zone is not None:
        return [stamp.isoformat() for stamp in column]
    times = column.to_numpy()
    return [str(text) for text in np.datetime_as_string(times, _unit(name, times, PLAIN_UNITS))]


def _unit(name: str, times: np.ndarray[tuple[int], np.dtype[np.datetime64]], units: tuple[Unit, ...]) -> Unit:
    """Return the first of some units, the last of which holds all times, that loses nothing."""
    days = times.astype("datetime64[D]")  # nanoseconds do not reach as far as what they are compared with
    strange = times[(days < FIRST) | (days >= BEYOND)]
    if len(strange):
        raise FileError(f"Column {name!r} holds {strange[0]}, and dates in a text have the years 1 to 9999. Mend it.")
    return next((unit for unit in units[:-1] if _same(times, unit)), units[-1])


def _same(times: np.ndarray[Any, Any], unit: str) -> bool:
    cut = times.astype(f"datetime64[{unit}]")
    return bool(((cut == times) | np.isnat(times)).all())
