"""Numbers, dates and facts as pages write them."""

from __future__ import annotations

import datetime as dt
from typing import Any

from frote.report.words import percent, value_words
from frote.rules.values import as_value

__all__ = ["NONE", "day", "fact", "score", "share", "signed"]

NONE = "\u2013"
MINUS = "\u2212"


def score(value: float | None) -> str:
    r"""Write a score, or a dash for one that is not defined.

    Examples
    --------
    >>> score(0.93044), ascii(score(None))
    ('0.930', "'\\u2013'")
    """
    return NONE if value is None else f"{value:.3f}"


def signed(value: float | None, digits: int = 3) -> str:
    r"""Write a change with its sign; what rounds to nothing has none.

    Examples
    --------
    >>> signed(0.0123), ascii(signed(-0.5, 1)), signed(-0.0001)
    ('+0.012', "'\\u22120.5'", '0.000')
    """
    if value is None:
        return NONE
    text = f"{abs(value):.{digits}f}"
    if not float(text):
        return text
    return f"{'+' if value > 0 else MINUS}{text}"


def share(value: float | None) -> str:
    r"""Write a share, or a dash for one that is not defined.

    Examples
    --------
    >>> share(0.5), ascii(share(None))
    ('50\xa0%', "'\\u2013'")
    """
    return NONE if value is None else percent(value)


def day(date: str) -> str:
    """Write a date as people do; anything else as it is.

    Examples
    --------
    >>> day("2026-11-18"), day("soon")
    ('18 November 2026', 'soon')
    """
    try:
        return value_words(as_value(dt.date.fromisoformat(date)))
    except ValueError:
        return date


def fact(value: Any) -> str:
    """Write a fact that may be of any kind.

    Examples
    --------
    >>> fact({"name": "loans.csv", "rows": [1, 2]})
    'name: loans.csv, rows: 1, 2'
    """
    if isinstance(value, dict):
        return ", ".join(f"{name}: {fact(one)}" for name, one in value.items())
    return ", ".join(map(fact, value)) if isinstance(value, list) else str(value)
