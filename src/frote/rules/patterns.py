"""Patterns of texts, as LIKE has them: how they are read, in one form for each, and what is like them."""

from __future__ import annotations

import re
from functools import lru_cache

from frote.exceptions import RuleError

__all__ = ["LIKE", "escaped", "is_like", "plainly", "signs_of"]

LIKE = "LIKE"
LONGEST = 1_000  # characters of a pattern

_SIGNS = re.compile(r"\\(.)|([%_]+)|([^\\])", re.DOTALL)


def plainly(pattern: str) -> tuple[str, str]:
    r"""Return how a pattern is asked for in the fewest words, and the text that is asked for.

    Examples
    --------
    >>> plainly("pre%"), plainly("%\\_x%"), plainly("a%b")
    (('STARTS WITH', 'pre'), ('CONTAINS', '_x'), ('LIKE', 'a%b'))
    """
    parts = signs_of(pattern)
    words = {(False, True): "STARTS WITH", (True, False): "ENDS WITH", (True, True): "CONTAINS"}
    ends = parts[0] == "%", parts[-1] == "%"
    inner = parts[ends[0] : len(parts) - ends[1]]
    if ends not in words or any(part[0] in "%_" for part in inner):
        return LIKE, pattern
    return words[ends], "".join(part.removeprefix("\\") for part in inner)


def escaped(text: str) -> str:
    r"""Return a text as a pattern writes it.

    Examples
    --------
    >>> print(escaped("50%"))
    50\%
    """
    return re.sub(r"([\\%_])", r"\\\1", text)


def signs_of(pattern: str) -> list[str]:
    """Return the signs of a pattern: wildcards in one form, characters with a backslash where they need one."""
    if len(pattern) > LONGEST:
        raise RuleError(f"A pattern has at most {LONGEST:,} characters, and this one {len(pattern):,}. Shorten it.")
    parts, end = [], 0
    for match in _SIGNS.finditer(pattern):
        end = match.end()
        kept, wild, plain = match.groups()
        if wild:
            parts.append("_" * wild.count("_") + "%" * ("%" in wild))
        else:
            parts.append(escaped(kept or plain))
    if end < len(pattern):
        raise RuleError("The pattern ends in a backslash, with nothing behind it. Double it for a backslash.")
    return parts


@lru_cache(maxsize=1 << 10)
def _parts(pattern: str) -> tuple[re.Pattern[str], ...]:
    """Return what stands between the wildcards ``%`` of a pattern, each as an expression without a way back."""
    stretches = [""]
    for part in signs_of(pattern):
        for sign in part if part[0] in "%_" else [part]:
            if sign == "%":
                stretches.append("")
            else:
                stretches[-1] += "." if sign == "_" else re.escape(sign[-1])
    return tuple(re.compile(stretch, re.DOTALL) for stretch in stretches)


def is_like(pattern: str, text: str) -> bool:
    """Tell whether a text is like a pattern: each stretch is taken where it first fits, which no later one regrets.

    Examples
    --------
    >>> is_like("pre%_", "prepaid"), is_like("pre%_", "pre")
    (True, False)
    """
    parts = _parts(pattern)
    if len(parts) == 1:
        return parts[0].fullmatch(text) is not None
    first, *middle, last = parts
    found = first.match(text)
    for part in middle:
        found = part.search(text, found.end()) if found else None
    if found is None:
        return False
    # The last stretch is of a fixed length, so that it can stand in one place only.
    width = _width(last)
    return len(text) - width >= found.end() and last.fullmatch(text, len(text) - width) is not None


@lru_cache(maxsize=1 << 10)
def _width(stretch: re.Pattern[str]) -> int:
    """Return how many characters a stretch takes."""
    return len(re.sub(r"\\(.)", r"\1", stretch.pattern, flags=re.DOTALL))
