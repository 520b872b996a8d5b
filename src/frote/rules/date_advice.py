"""How rules write dates, said to whoever wrote one as people do, such as 31/01/2024."""

from __future__ import annotations

import re

from frote.rules.values import parse_instant, value_text
from frote.table.spelling import spellings

__all__ = ["date_advice"]

_YEAR_FIRST = re.compile(r"([0-9]{4})[/.-]([0-9]{1,2})[/.-]([0-9]{1,2})", re.ASCII)


def date_advice(text: str) -> str:
    """Say how rules write dates, by the one that stands there if it is one.

    Examples
    --------
    >>> print(date_advice("31.01.2023"))
    write dates as 2023-01-31
    >>> print(date_advice("01/06/2023"))
    write dates as 2023-06-01, or as 2023-01-06 if the month comes first
    """
    year_first = _YEAR_FIRST.fullmatch(text)
    if year_first:
        year, month, day = year_first.groups()
        dates = [f"{year}-{month:0>2}-{day:0>2}"]
    else:
        dates = [way.iso(text) for way in spellings([text])]
    instants = dict.fromkeys(filter(None, map(parse_instant, dates)))
    written = [value_text(instant) for instant in instants] or ["2024-01-31"]
    other = f", or as {written[1]} if the month comes first" if len(written) > 1 else ""
    return f"write dates as {written[0]}{other}"
