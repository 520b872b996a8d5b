"""Single values as rules know them: numbers, instants and texts, and how each is written.

One text may stand for a number (`2`), an instant (`2024-03-01`) or itself (`car`). The literals of a rule, quoted
or not, and the levels of a categorical column all pass through `as_value`. So `doors = 2`, `doors = '2'`, and the
level `2`, be it text or number, are one and the same value, and no rule needs to know a column's kind beforehand.
The words true and false are taken in any case.
"""

from __future__ import annotations

import datetime as dt
import re
import sys
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from frote.exceptions import RuleError

__all__ = [
    "LARGEST",
    "Instant",
    "Number",
    "Value",
    "as_value",
    "canonical",
    "means_missing",
    "parse_instant",
    "quoted",
    "value_text",
]

Number: TypeAlias = int | float

LARGEST = int(sys.float_info.max)  # a whole number beyond it could not be compared with a column of floats

EPOCH = dt.datetime(1970, 1, 1)
DAY = 86_400_000_000_000  # nanoseconds

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?", re.ASCII)
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?)?", re.ASCII
)


@dataclass(frozen=True, slots=True, order=True)
class Instant:
    """A point in time, without a time zone.

    Parameters
    ----------
    nanoseconds : int
        Nanoseconds since the start of 1970, by the wall clock.

    Examples
    --------
    >>> print(Instant(86_400_000_000_000))
    1970-01-02
    """

    nanoseconds: int

    def __str__(self) -> str:
        seconds, fraction = divmod(self.nanoseconds, 1_000_000_000)
        moment = EPOCH + dt.timedelta(seconds=seconds)
        if self.nanoseconds % DAY == 0:
            return moment.date().isoformat()
        decimals = f".{fraction:09d}".rstrip("0") if fraction else ""
        return moment.isoformat(sep=" ") + decimals

    def native(self) -> dt.datetime | np.datetime64 | str:
        """Return the instant as Python's own datetime, NumPy's where it is finer, its text where neither holds it."""
        if self.nanoseconds % 1_000:
            return np.datetime64(self.nanoseconds, "ns") if abs(self.nanoseconds) < 2**63 else str(self)
        return EPOCH + dt.timedelta(microseconds=self.nanoseconds // 1_000)


Value: TypeAlias = Number | Instant | str


def canonical(number: Number) -> Number:
    """Return a whole float as an int, so that equal numbers are written alike.

    Examples
    --------
    >>> canonical(1500.0), canonical(-0.0), canonical(0.5)
    (1500, 0, 0.5)
    """
    if isinstance(number, float) and abs(number) < 2**53 and number.is_integer():
        return int(number)
    return number


def parse_instant(text: str) -> Instant | None:
    """Read a date, or a date and time, in ISO form; None for any other text.

    Examples
    --------
    >>> parse_instant("2024-03-01") == parse_instant("2024-03-01T00:00")
    True
    >>> parse_instant("2024-02-30") is None
    True
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        return None
    date, minutes, seconds, fraction = match.groups()
    try:
        moment = dt.datetime.fromisoformat(f"{date} {minutes or '00:00'}:{seconds or '00'}")
    except ValueError:
        return None
    since = moment - EPOCH
    nanoseconds = (since.days * 86_400 + since.seconds) * 1_000_000_000 + int((fraction or "0").ljust(9, "0"))
    return Instant(nanoseconds)


def _parse_canonical_number(text: str) -> Number | None:
    """Read a number that is written as we would write it: '2' and '2.5', but not '02', '2.0' or '2e0'."""
    if len(text) > 310 or not _NUMBER.fullmatch(text) or text == "-0":
        return None
    if "." not in text:
        whole = int(text)
        return whole if abs(whole) <= LARGEST else None
    number = float(text)
    return number if repr(number) == text else None


@lru_cache(maxsize=1 << 16)
def _text_value(text: str) -> Value:
    """Return what a text stands for; the levels of a column are asked about for every condition on it."""
    number = _parse_canonical_number(text)
    if number is not None:
        return number
    if text.lower() in ("true", "false"):
        return text.lower()
    instant = parse_instant(text)
    return text if instant is None else instant


def as_value(native: Any) -> Value:
    """Return what a literal or a level stands for: a number, an instant, or a text.

    Parameters
    ----------
    native : str, bool, number, datetime, date or any object with a text
        The literal or level.

    Returns
    -------
    int, float, Instant or str

    Examples
    --------
    >>> as_value("2"), as_value(2.0), as_value("02"), as_value("single"), as_value(True)
    (2, 2, '02', 'single', 'true')
    """
    if isinstance(native, np.generic) and not isinstance(native, np.datetime64):
        native = native.item()
    if isinstance(native, str):
        return _text_value(native)
    if isinstance(native, bool):
        return "true" if native else "false"
    if isinstance(native, Decimal | Fraction):
        native = float(native)
    if isinstance(native, int | float):
        if native != native:
            raise RuleError("NaN is no value to compare with. Use IS MISSING.")
        if isinstance(native, int) and abs(native) > LARGEST:
            raise RuleError("A number beyond 1.8e308 is no value to compare with. Leave the comparison out.")
        return canonical(native)
    if native is None or native is pd.NA:
        raise RuleError(f"{native!r} is no value to compare with. Use IS MISSING.")
    if isinstance(native, np.datetime64):
        # Nanoseconds hold only the years from 1678 to 2261, so coarser units go through microseconds.
        unit = np.datetime_data(native.dtype)[0]
        return _from_text(
            str(native.astype("datetime64[ns]" if unit in ("ns", "ps", "fs", "as") else "datetime64[us]"))
        )
    if isinstance(native, dt.datetime | dt.date):
        # A pandas Timestamp is a datetime too, and may hold nanoseconds: its text has them all.
        naive = native.replace(tzinfo=None) if isinstance(native, dt.datetime) else native
        return _from_text(str(naive))
    return as_value(str(native))


def _from_text(text: str) -> Value:
    instant = parse_instant(text)
    if instant is None:
        raise RuleError(f"{text!r} is no value to compare with. Use IS MISSING for a missing date.")
    return instant


def quoted(text: str, quote: str = "'") -> str:
    """Return the text in quotes, with quotes inside it doubled.

    Examples
    --------
    >>> print(quoted("driver's licence"))
    'driver''s licence'
    """
    return f"{quote}{text.replace(quote, quote * 2)}{quote}"


def means_missing(text: str) -> bool:
    """Tell whether a text is a word that other languages and programs have for a missing value.

    Examples
    --------
    >>> means_missing("NULL"), means_missing(""), means_missing("nil")
    (True, True, False)
    """
    return text.casefold() in ("", "null", "none", "nan", "na", "n/a", "empty")


def value_text(value: Value) -> str:
    """Return a value as rule text writes it.

    Examples
    --------
    >>> print(value_text(150000), value_text("single"), value_text(Instant(0)))
    150000 'single' 1970-01-01
    """
    if isinstance(value, Instant):
        text = str(value)
        return quoted(text) if " " in text else text
    if isinstance(value, str):
        return value if value in ("true", "false") else quoted(value)
    return repr(value)
