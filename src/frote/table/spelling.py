"""Dates as people write them, such as 31/01/2024: how the texts of a column spell them, and the ISO form of each."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["LIKE_A_DATE", "DateSpelling", "spellings"]

# What someone may have meant as a date, days that do not exist and years of two digits among it.
LIKE_A_DATE = re.compile(r"[0-9]{1,4}([/.-])[0-9]{1,2}\1[0-9]{1,4}(?: [0-9]{1,2}:[0-9:.]+)?(?![\w/])", re.ASCII)

_WRITTEN = re.compile(
    r"(?P<first>[0-9]{1,2})(?P<separator>[/.-])(?P<second>[0-9]{1,2})(?P=separator)(?P<year>[0-9]{4})"
    r"(?: (?P<hour>[0-9]{1,2})(?P<rest>:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?))?",
    re.ASCII,
)
_CLOCKS = {"D": "", "m": ":mm", "s": ":mm:ss", "ms": ":mm:ss.fff", "us": ":mm:ss.ffffff", "ns": ":mm:ss.fffffffff"}
_UNITS = {len(clock): unit for unit, clock in _CLOCKS.items()}


@dataclass(frozen=True, slots=True)
class DateSpelling:
    """One way to write dates with the year last.

    Parameters
    ----------
    day_first : bool
        Whether the day stands before the month.

    separator : {"/", ".", "-"}, default="/"
        What stands between them.

    padded : bool, default=True
        Whether days and months below ten have a zero before them.

    padded_hour : bool, default=True
        Whether hours have.

    unit : {"D", "m", "s", "ms", "us", "ns"}, default="D"
        The smallest unit that is written, by NumPy's name: "D" for days without a time.

    Examples
    --------
    >>> spelling = DateSpelling(day_first=True)
    >>> str(spelling), spelling.iso("02/08/2022"), spelling.spelled("2022-08-02")
    ('dd/mm/yyyy', '2022-08-02', '02/08/2022')
    """

    day_first: bool
    separator: str = "/"
    padded: bool = True
    padded_hour: bool = True
    unit: str = "D"

    def __str__(self) -> str:
        hour = "" if self.unit == "D" else " hh" if self.padded_hour else " h"
        return self._joined(*(("dd", "mm") if self.padded else ("d", "m")), "yyyy") + hour + _CLOCKS[self.unit]

    def iso(self, text: str) -> str:
        """Return a date of this spelling in ISO form.

        Examples
        --------
        >>> DateSpelling(day_first=False, padded=False, padded_hour=False, unit="m").iso("8/2/2022 9:30")
        '2022-08-02T09:30'
        """
        date, _, time = text.partition(" ")
        first, second, year = date.split(self.separator)
        day, month = (first, second) if self.day_first else (second, first)
        if time and time[1] == ":":
            time = f"0{time}"
        return f"{year}-{month:0>2}-{day:0>2}" + (f"T{time}" if time else "")

    def spelled(self, iso: str) -> str:
        """Return a date in ISO form as this spelling has it, with the time that it has there.

        Examples
        --------
        >>> DateSpelling(day_first=True, separator=".", padded=False).spelled("2022-08-02")
        '2.8.2022'
        """
        date, _, time = iso.partition("T")
        year, month, day = date.split("-")
        if not self.padded:
            month, day = month.lstrip("0"), day.lstrip("0")
        if time and not self.padded_hour and time[0] == "0":
            time = time[1:]
        return self._joined(day, month, year) + (f" {time}" if time else "")

    def _joined(self, day: str, month: str, year: str) -> str:
        return self.separator.join((day, month, year) if self.day_first else (month, day, year))


def spellings(texts: Iterable[str]) -> list[DateSpelling]:
    """Return the ways to spell dates by which all of some texts are such.

    Parameters
    ----------
    texts : iterable of str
        The texts.

    Returns
    -------
    list of DateSpelling
        None, if one is no date or is written otherwise than the rest; one; or two, if no text has a part above 12, and
        so nothing tells days from months.

    Examples
    --------
    >>> [str(way) for way in spellings(["02/08/2022", "31/12/2022"])]
    ['dd/mm/yyyy']
    >>> [str(way) for way in spellings(["2.8.2022"])]
    ['d.m.yyyy', 'm.d.yyyy']
    >>> spellings(["02/08/2022", "2022-12-31"])
    []
    """
    written = []
    for text in texts:
        match = _WRITTEN.fullmatch(text)
        if match is None:
            return []
        written.append(match.groups(""))
    if not written:
        return []
    firsts, separators, seconds, years, hours, rests = zip(*written, strict=True)
    # Of dates there are many, but of what they are made of there is little.
    units = {_UNITS.get(length) for length in set(map(len, rests))}
    padded, padded_hour = _padded({*firsts, *seconds}), _padded(set(hours) - {""})
    times = all(int(hour or 0) < 24 for hour in set(hours)) and all(
        max(rest[1:3], rest[4:6]) < "60" for rest in set(rests)
    )
    (separator, *others), (unit, *other_units) = set(separators), units
    if others or other_units or unit is None or padded is None or padded_hour is None or not times:
        return []
    dates = [separator.join(date) for date in set(zip(firsts, seconds, years, strict=True))]
    ways = (DateSpelling(day_first, separator, padded, padded_hour, unit) for day_first in (True, False))
    return [way for way in ways if all(_is_day(way.iso(date)) for date in dates)]


def _padded(numbers: set[str]) -> bool | None:
    """Tell whether numbers of at most two digits all have their zeros, or none has; None if they are not alike."""
    if all(len(number) == 2 for number in numbers):
        return True
    return None if any(len(number) == 2 and number[0] == "0" for number in numbers) else False


def _is_day(iso: str) -> bool:
    try:
        dt.date.fromisoformat(iso)
    except ValueError:
        return False
    return True
