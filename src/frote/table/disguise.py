"""Numbers and dates in disguise: texts such as $50,000, 5% and 31-Jan-2021."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["disguise", "disguised_numbers"]

SLIP = 10  # one text in so many may be something else
LONGEST = 40  # characters of what may be a number or a date
CURRENCIES = "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|SGD|HKD|KRW|TRY"
BETWEEN = " \u00a0\u202f'\u2019"  # what may stand between thousands
# A sign or a bracket, a currency, figures with points, commas, blanks and apostrophes between them, a unit, a bracket.
DRESSED = re.compile(
    rf"(?P<open>[(+\-\u2212]?)\s*(?P<before>[$€£¥₹]|{CURRENCIES})?\s*(?P<sign>[+\-\u2212]?)"
    rf"(?P<body>[0-9](?:[0-9.,{BETWEEN}]*[0-9])?)\s*(?P<after>[$€£¥₹%‰]|{CURRENCIES})?(?P<close>\)?)"
)
GROUPED = {
    point: re.compile(
        rf"(?:[0-9]{{1,3}}(?P<group>[{other}{BETWEEN}])[0-9]{{3}}(?:(?P=group)[0-9]{{3}})*|[0-9]+)(?:[{point}][0-9]+)?"
    )
    for point, other in ((".", ","), (",", "."))
}
PLAIN = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
DATED = re.compile(
    rf"(?:[0-9]{{1,2}}[ \-/.]{{1,2}}{MONTH}|{MONTH}[ \-/.]{{1,2}}[0-9]{{1,2}}),?"
    r"[ \-/.]{1,2}(?:[0-9]{2}|[0-9]{4})",
    re.IGNORECASE,
)


def disguised_numbers(texts: Iterable[str], decimal: str = ".") -> list[float] | None:
    """Return the numbers that the texts of a column say, in figures that are dressed up.

    Parameters
    ----------
    texts : iterable of str
        The texts.

    decimal : str, default="."
        What stands between a number's whole part and the rest; where that cannot be, the other sign is taken.

    Returns
    -------
    list of float, or None
        Percents as they are written, 5 for 5%. None if one text says no number, or all of them may say two.

    Examples
    --------
    >>> disguised_numbers(["$50,000", "5%", "(1 200.5)"])
    [50000.0, 5.0, -1200.5]
    >>> disguised_numbers(["1.234,56 €", "5.000 €"])
    [1234.56, 5000.0]
    >>> disguised_numbers(["1.234 €"]) is disguised_numbers(["18-25"]) is None
    True
    """
    dressed = [_dressed(text) for text in texts]
    if not dressed or None in dressed:
        return None
    bodies = [(negative, body) for negative, body in filter(None, dressed)]
    ways = [
        point
        for point in (decimal, "," if decimal == "." else ".")
        if all(GROUPED[point].fullmatch(body) for _, body in bodies)
    ]
    # Three figures behind the only point may be thousands as well.
    either = re.compile(rf"[0-9]{{1,3}}[{decimal}][0-9]{{3}}")
    if not ways or (len(ways) == 2 and any(either.fullmatch(body) for _, body in bodies)):
        return None
    return [(-1 if negative else 1) * _figures(body, ways[0]) for negative, body in bodies]


def _dressed(text: str) -> tuple[bool, str] | None:
    """Return whether a number is negative, and its figures; None if a text is no number."""
    match = DRESSED.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if match is None or (match["open"] == "(") != bool(match["close"]) or (match["before"] and match["after"]):
        return None
    return match["open"] in ("(", "-", "\u2212") or match["sign"] in ("-", "\u2212"), match["body"]


def _figures(body: str, point: str) -> float:
    whole, _, rest = body.partition(point)
    return float(f"{re.sub('[^0-9]', '', whole)}.{rest or 0}")


def disguise(texts: Sequence[str]) -> str:
    """Say what the texts of a column are in disguise: "numbers", "dates", or nothing.

    Parameters
    ----------
    texts : sequence of str
        The distinct texts. Figures alone, as in codes of places, are no disguise.

    Examples
    --------
    >>> disguise(["$50,000", "$62,500"]), disguise(["31-Jan-2021", "Feb 1, 2021"]), disguise(["18-25", "26-40"])
    ('numbers', 'dates', '')
    """
    for kind, is_such in (("numbers", _is_number), ("dates", _is_date)):
        # Most columns are told by their first and last text.
        if len(texts) > 1 and (is_such(texts[0]) or is_such(texts[-1])):
            strange = sum(not is_such(text) for text in texts)
            if strange * SLIP <= len(texts) and not all(map(PLAIN.fullmatch, texts)):
                return kind
    return ""


def _is_number(text: str) -> bool:
    dressed = _dressed(text)
    return dressed is not None and any(way.fullmatch(dressed[1]) for way in GROUPED.values())


def _is_date(text: str) -> bool:
    return len(text) <= LONGEST and DATED.fullmatch(text.strip()) is not None
