"""Places in a text as browsers count them: in units of UTF-16, of which an emoji takes two."""

from __future__ import annotations

__all__ = ["from_browser", "to_browser"]


def to_browser(text: str, place: int) -> int:
    """Return a place as browsers count it.

    Examples
    --------
    >>> to_browser("\N{ROCKET} IF", 2), to_browser("IF", 2)
    (3, 2)
    """
    before = text[:place]
    return place if before.isascii() else len(before.encode("utf-16-le", "surrogatepass")) // 2


def from_browser(text: str, place: int) -> int:
    """Return a place that a browser counted, kept within the text.

    Examples
    --------
    >>> from_browser("\N{ROCKET} IF", 3), from_browser("IF", 7)
    (2, 2)
    """
    place = max(0, place)
    if text.isascii():
        return min(place, len(text))
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * place]
    return len(units.decode("utf-16-le", "ignore"))
