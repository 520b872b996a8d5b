"""Lines that would be rules but for what stands around them: bullets, numbers, the quotes and tabs of a spreadsheet.

They are looked for only in a text that cannot be read, so that they take nothing from the language.
"""

from __future__ import annotations

import re

from frote.rules.lexer import Fault

__all__ = ["decorated_lines", "decoration"]

_IF = r"[^\S\r\n]*+ [Ii][Ff](?=[\s(`])"
_DECORATED = re.compile(
    rf"""
    (?:\A|(?<=[\r\n])) [^\S\r\n]*+
    (?: (?P<quote>["']) (?=(?:[^:\r\n"']*+:)?+ {_IF} [^\r\n]*["'][^\S\r\n]*(?:[\r\n]|\Z))
      | (?P<bullet>[-*+>•‣◦▪·‐‑‒–—]) (?={_IF})
      | (?P<number>\(?[0-9]{{1,4}}[.)]{{1,2}}|\(?[a-zA-Z][.)]) (?={_IF})
      | (?P<name>[^\s:\#"'`{{}}][^:\#"'`{{}}\r\n\t]*+) \t (?={_IF})
    )
    """,  # noqa: RUF001
    re.VERBOSE,
)


def decorated_lines(source: str) -> list[re.Match[str]]:
    r"""Return where lines start that would be rules if less stood before them.

    Examples
    --------
    >>> [found.lastgroup for found in decorated_lines('- IF a < 1 THEN x\n"IF a > 2 THEN y"\n2) IF a = 1 THEN z')]
    ['bullet', 'quote', 'number']
    """
    return list(_DECORATED.finditer(source))


def decoration(match: re.Match[str]) -> Fault:
    """Say what is to be taken away, or put in."""
    kind = match.lastgroup or ""
    text = match[kind].rstrip()
    if kind == "quote":
        message = "the whole rule stands in quotes, as a spreadsheet writes it; take them away, and halve those inside"
    elif kind == "name":
        message = f"expected ':' between the name and IF, found a tab (write {text}: IF)"
    elif kind == "number":
        message = f"{text!r} is no part of a rule; take it away, or name the rule by it: {text.strip('().')}: IF"
    else:
        message = f"{text!r} is no part of a rule; take it away: a rule starts with IF, or with its name and a colon"
    return Fault(message, match.start(kind), len(text))
