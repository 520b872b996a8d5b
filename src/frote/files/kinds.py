"""What the columns of a file are: from cells of text to whole numbers, numbers, truth values, dates and categories."""

from __future__ import annotations

import math
import re
import shlex
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import FileError
from frote.table.disguise import disguised_numbers
from frote.table.spelling import LIKE_A_DATE, spellings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from frote.table.spelling import DateSpelling

__all__ = [
    "Texts",
    "TextsSoFar",
    "Where",
    "by_lines",
    "categories",
    "from_texts",
    "numbers",
    "spelled_dates",
    "texts_or_dates",
    "truths",
    "whole_numbers",
]

# Where at most one value in so many is no number, it is taken for a slip and not for a level.
SLIP = 10

WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
# Nothing is given back once it is taken, so that a long text that is none is seen in one pass.
NUMBER = re.compile(
    r"\s*+[+-]?(?:(?:\d++(?:\.\d*+)?|\.\d++)(?:e[+-]?\d++)?|inf(?:inity)?)\s*+", re.ASCII | re.IGNORECASE
)
LEADING_ZERO = re.compile(r"\s*[+-]?0\d", re.ASCII)
TRUE = frozenset({"True", "TRUE", "true"})
FALSE = frozenset({"False", "FALSE", "false"})
DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?P<zone>Z|[+-]\d\d:\d\d)?)?",
    re.ASCII,
)
LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
DIGITS = 19  # of the greatest whole number


@dataclass(frozen=True, slots=True, eq=False)
class Where:
    """Where the cells of a column stand in their file, for messages."""

    file_name: str
    column: str
    row: Callable[[int], str]

    @property
    def as_texts(self) -> str:
        """The way out for columns whose numbers are none."""
        return f"take the column for texts: --categorical {shlex.quote(self.column)}"

    def error(self, row: int, fact: str) -> FileError:
        """Return an error that names the file, the row and the column."""
        return FileError(f"{self.file_name}: {self.row(row)}: column {self.column!r} {fact}")


def by_lines(lines: Sequence[int] | NDArray[np.intp]) -> Callable[[int], str]:
    """Return what to call rows in messages, by the line of each.

    Examples
    --------
    >>> by_lines([2, 5])(1)
    'line 5'
    """
    return lambda row: f"line {lines[row]}"


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column of texts: its distinct ones, and for every row the place of its own among them, -1 where missing."""

    levels: list[str]
    codes: NDArray[np.signedinteger[Any]]

    @classmethod
    def of(cls, values: Iterable[Any]) -> Texts:
        """Read values, whose texts count, and None where they are missing."""
        column = TextsSoFar()
        for value in values:
            column.add(None if value is None else str(value))
        return column.texts

    def count(self, chosen: list[bool]) -> int:
        """Return how many rows have one of the chosen levels."""
        return int(np.count_nonzero(self._have(chosen)))

    def first(self, chosen: list[bool]) -> int:
        """Return the first row that has one of the chosen levels."""
        return int(self._have(chosen).argmax())

    def _have(self, chosen: list[bool]) -> NDArray[np.bool_]:
        # The code of a missing value, -1, is the last place.
        have: NDArray[np.bool_] = np.array([*chosen, False])[self.codes]
        return have


class TextsSoFar:
    """A column of texts while it is read: a number for each cell, not an object.

    Examples
    --------
    >>> column = TextsSoFar()
    >>> for cell in ("car", None, "car"):
    ...     column.add(cell)
    >>> column.texts.levels, column.texts.codes.tolist()
    (['car'], [0, -1, 0])
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._codes = array("q")

    def add(self, text: str | None) -> None:
        """Add the text of the next row, None where it is missing."""
        places = self._places
        self._codes.append(-1 if text is None else places.setdefault(text, len(places)))

    @property
    def texts(self) -> Texts:
        """What was added, as a column."""
        return Texts(list(self._places), np.array(self._codes, dtype=np.intp))


def from_texts(texts: Texts, where: Where, *, numeric: bool = False, decimal: str = ".") -> pd.Series[Any]:
    """Find out what the cells of a column are.

    Parameters
    ----------
    texts : Texts
        The cells.

    where : Where
        Where they stand.

    numeric : bool, default=False
        Whether the column must be one of numbers; they may be dressed up then, as $50,000 or 5%.

    decimal : str, default="."
        What stands between a number's whole part and the rest.

    Returns
    -------
    Series
        Whole numbers as int64, other numbers as float64, true and false as bool, ISO dates as datetime64, all else as
        categories. Where values are missing, whole numbers and truth values are of pandas' own types.

    Raises
    ------
    FileError
        If nearly all are numbers and one is not, or if all must be.

    Examples
    --------
    >>> where = Where("loans.csv", "age", lambda row: f"line {row + 2}")
    >>> from_texts(Texts.of(["31", None, "25"]), where).tolist()
    [31, <NA>, 25]
    >>> from_texts(Texts.of(["01234", "9"]), where).tolist()
    ['01234', '9']
    """
    levels = texts.levels
    if not numeric:
        if levels and TRUE.union(FALSE).issuperset(levels):
            return truths(np.array([level in TRUE for level in levels])[texts.codes], texts.codes < 0)
        if any(map(LEADING_ZERO.match, levels)):
            return texts_or_dates(texts)
    parsed = [_number(level, decimal) for level in levels]
    strange = [number is None for number in parsed]
    if any(strange) and numeric and (dressed := disguised_numbers(levels, decimal)) is not None:
        return numbers(np.array([*dressed, math.nan])[texts.codes])
    if any(strange):
        if not numeric and (all(strange) or texts.count(strange) * SLIP > texts.count([True] * len(levels))):
            return texts_or_dates(texts)
        row = texts.first(strange)
        value = _shown(levels[texts.codes[row]])
        if numeric and LIKE_A_DATE.fullmatch(levels[texts.codes[row]]):
            raise where.error(row, f"is to hold numbers, but holds {value}, a date. Leave the column out of --numeric.")
        if numeric:
            raise where.error(row, f"is to hold numbers, but holds {value}. Mend it, or leave it empty if unknown.")
        raise where.error(row, f"holds {value} among numbers. Mend it, leave it empty if unknown, or {where.as_texts}.")
    values: list[Any] = parsed
    if all(map(WHOLE.fullmatch, levels)) and levels:
        if all(LEAST <= value <= MOST for value in values):
            return whole_numbers(np.array(values, dtype=np.int64)[texts.codes], texts.codes < 0)
        # More digits than a number can hold name something, such as an account.
        if not numeric:
            return categories(texts)
    return numbers(np.array([*values, math.nan], dtype=np.float64)[texts.codes])


def _number(level: str, decimal: str) -> float | None:
    """Return the number that a cell says, an int where it is whole, or None where it says none or one too large."""
    if decimal != ".":
        # A point groups thousands where a comma is the decimal sign: too ambiguous to be read.
        level = "" if "." in level else level.replace(decimal, ".")
    if WHOLE.fullmatch(level) and len(level) <= 2 * DIGITS:
        return int(level) or float(level)  # -0 is a number of its own among those with a point
    if not NUMBER.fullmatch(level):
        return None
    number = float(level)
    return None if math.isinf(number) and "n" not in level.lower() else number


def _shown(value: str) -> str:
    return repr(value) if len(value) <= 60 else f"{value[:60]!r}..."


def whole_numbers(values: NDArray[Any], missing: NDArray[np.bool_]) -> pd.Series[Any]:
    """Return a column of whole numbers; what stands where they are missing does not count."""
    if not missing.any():
        return numbers(values)
    return pd.Series(pd.arrays.IntegerArray(np.where(missing, values.dtype.type(0), values), missing), copy=False)


def truths(values: NDArray[np.bool_], missing: NDArray[np.bool_]) -> pd.Series[Any]:
    """Return a column of truth values; what stands where they are missing does not count."""
    if not missing.any():
        return pd.Series(values)
    return pd.Series(pd.arrays.BooleanArray(values & ~missing, missing))


def numbers(values: NDArray[Any]) -> pd.Series[Any]:
    """Return a column of numbers, NaN where they are missing; it is the array itself if that can be written to."""
    return pd.Series(values, copy=not values.flags.writeable)


def categories(texts: Texts) -> pd.Series[Any]:
    """Return a column of texts as categories, in order."""
    if not texts.levels:
        return numbers(np.full(len(texts.codes), math.nan))
    order = sorted(range(len(texts.levels)), key=texts.levels.__getitem__)
    places = np.full(len(order) + 1, -1, dtype=np.min_scalar_type(-len(order) - 1))
    places[order] = np.arange(len(order))
    dtype = pd.CategoricalDtype([texts.levels[place] for place in order])
    return pd.Series(pd.Categorical.from_codes(places[texts.codes], dtype=dtype), copy=False)


def texts_or_dates(texts: Texts) -> pd.Series[Any]:
    """Return a column of texts as dates if all of them are such, else as categories."""
    if not texts.levels:
        return categories(texts)
    zones = set()
    for level in texts.levels:
        date = DATE.fullmatch(level)
        if date is None:
            return categories(texts)
        zones.add(date["zone"])
    if None in zones and len(zones) > 1:
        return categories(texts)
    try:
        # Times of several zones have no wall clock in common but that of Greenwich.
        times = pd.to_datetime(pd.Index(texts.levels, dtype=object), format="ISO8601", utc=len(zones) > 1)
    except ValueError:  # a 30th of February, or a year beyond what the type can hold
        return categories(texts)
    return _by_codes(times, texts)


def spelled_dates(texts: Texts, like: DateSpelling | None = None) -> tuple[pd.Series[Any], DateSpelling] | None:
    """Return a column of texts such as 31/01/2024 as dates, with their spelling.

    Parameters
    ----------
    texts : Texts
        The cells.

    like : DateSpelling, default=None
        What tells days from months where the cells do not: how such dates are spelled elsewhere.

    Returns
    -------
    tuple of Series and DateSpelling, or None
        None if one is no date, or is written otherwise than the rest, or if nothing tells days from months: no part of
        any is above 12, and it is not known from elsewhere.

    Examples
    --------
    >>> dates, spelling = spelled_dates(Texts.of(["02/08/2022", "31/12/2022", None]))
    >>> str(spelling), dates.tolist()[0]
    ('dd/mm/yyyy', Timestamp('2022-08-02 00:00:00'))
    >>> spelled_dates(Texts.of(["02/08/2022", "12/12/2022"])) is None
    True
    >>> spelled_dates(Texts.of(["02/08/2022", "12/12/2022"]), like=spelling)[0].tolist()[0]
    Timestamp('2022-08-02 00:00:00')
    """
    ways = spellings(texts.levels)
    if len(ways) > 1 and like is not None:
        ways = [way for way in ways if way.day_first == like.day_first]
    if len(ways) != 1:
        return None
    try:
        times = pd.to_datetime(pd.Index(list(map(ways[0].iso, texts.levels)), dtype=object), format="ISO8601")
    except ValueError:  # a year beyond what the type can hold
        return None
    return _by_codes(times, texts), ways[0]


def _by_codes(times: pd.DatetimeIndex, texts: Texts) -> pd.Series[Any]:
    return pd.Series(times.take(texts.codes, allow_fill=True, fill_value=None))
