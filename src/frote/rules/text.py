"""Columns, conditions and labels written as canonical rule text, which the parser reads back to equal values."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING

from frote.rules.condition import Condition
from frote.rules.level_tests import Undecided
from frote.rules.patterns import LIKE, plainly
from frote.rules.values import Instant, Number, Value, quoted, value_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from frote.rules.intervals import Intervals
    from frote.rules.linear import Key

__all__ = [
    "KEYWORDS",
    "as_name",
    "column_text",
    "condition_text",
    "is_keyword",
    "is_name",
    "label_text",
    "name_text",
    "shortened",
]

KEYWORDS = frozenset({"IF", "THEN", "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "MISSING", "WITH", "CONFIDENCE"})

WORD = re.compile(r"\w[\w.\-]*")
# A word must not look like a number to be a column's bare name, nor end so that a number could follow.
_BARE_COLUMN = re.compile(r"[^\W\d][\w.\-]*")
# The mark U+FEFF at the start of a text is no part of it, so a name that begins with it goes in quotes.
_BARE_NAME = re.compile(r"[^\s:#'\"`{}/\ufeff](?:[^:#'\"`{}\n\r]*[^\s:#'\"`{}])?")
_PIECE = re.compile(r"/[0-9]+\Z")
_NEVER_IN_A_NAME = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, ends of lines and paragraphs


def is_keyword(word: str) -> bool:
    """Tell whether a bare word is a keyword, in capitals or not.

    Examples
    --------
    >>> is_keyword("then"), is_keyword("other")
    (True, False)
    """
    # Letters outside ASCII are none of ours, even where their capitals are, as of the Turkish dotless i.
    return word.isascii() and word.upper() in KEYWORDS


def column_text(name: str) -> str:
    """Write a column's name: bare if it is a word, else in backticks.

    Examples
    --------
    >>> print(column_text("marital-status"), column_text("capital gain"))
    marital-status `capital gain`
    """
    if _BARE_COLUMN.fullmatch(name) and not is_keyword(name):
        return name
    return quoted(name, "`")


def label_text(label: str) -> str:
    """Write a label: bare if it is a word, else in quotes.

    Examples
    --------
    >>> print(label_text("approved"), label_text(">50K"))
    approved '>50K'
    """
    if WORD.fullmatch(label) and not is_keyword(label):
        return label
    return quoted(label)


def is_name(text: str) -> bool:
    r"""Tell whether a text can be a rule's name: one line, without blanks around it, with something to be seen.

    Invisible characters that writing needs may be in it (the joiners of Persian and of emoji, marks of direction, and
    whatever a newer Unicode than ours may hold), but no control characters and no halves of characters.

    Examples
    --------
    >>> is_name("a\u200cb"), is_name("two\nlines"), is_name("\x1b[31m"), is_name("\u200c")
    (True, False, False, False)
    """
    if not text or text != text.strip() or not any(map(str.isprintable, text)):
        return False
    return text.isprintable() or all(unicodedata.category(sign) not in _NEVER_IN_A_NAME for sign in text)


def as_name(text: str) -> str:
    r"""Return a text such as a label as the name of a rule can hold it.

    Examples
    --------
    >>> as_name(" two\n lines\x00"), as_name("\x00")
    ('two lines', '?')
    """
    words = " ".join(text.split())
    name = "".join(sign for sign in words if unicodedata.category(sign) not in _NEVER_IN_A_NAME).strip()
    return name if is_name(name) else "?"


def shortened(text: str, most: int = 400) -> str:
    """Return a text for people to look at, of so many characters, and how many more there are.

    Examples
    --------
    >>> shortened("abcdef", most=3), shortened("abc", most=3)
    ('abc... and 3 more characters', 'abc')
    """
    return text if len(text) <= most else f"{text[:most]}... and {len(text) - most:,} more characters"


def name_text(name: str, origin: str) -> str:
    """Write a rule's name: bare where that reads back as the same name and origin, else in quotes.

    Examples
    --------
    >>> print(name_text("young savers/2", "young savers"), name_text("support 24/7", "support 24/7"))
    young savers/2 'support 24/7'
    """
    piece = _PIECE.search(name)
    plain = name[: piece.start()] if piece else name
    words = plain.split()
    bare = _BARE_NAME.fullmatch(plain) and plain == " ".join(words) and words[0].upper() != "IF"
    if plain == origin and bare:
        return name
    if plain == origin and piece:
        return quoted(plain) + piece.group()
    return quoted(name)


def condition_text(column: Key, condition: Condition) -> tuple[str, bool]:
    """Write a condition on a column, or on a sum of some; also tell whether it needs brackets beside an AND.

    Examples
    --------
    >>> from frote.rules.condition import Condition
    >>> condition_text("age", ~Condition.compare("=", 29))
    ('age != 29 OR age IS MISSING', True)
    """
    if not isinstance(column, str):
        return column.written(condition)
    name = column_text(column)
    if isinstance(condition, Undecided):
        return _undecided(column, condition)
    if condition.all_but:
        outside = ~condition
        if outside.numbers.is_finite() and outside.times.is_finite():
            return _but_for(name, outside)
        text, compound = condition_text(column, outside)
        return f"NOT ({text})" if compound or " AND " in text else f"NOT {text}", False
    terms = _alternatives(name, condition)
    return " OR ".join(terms), len(terms) > 1


def _undecided(column: str, condition: Undecided) -> tuple[str, bool]:
    """Write a condition that asks for levels: what holds where they pass the test, and where they do not."""
    name, test = column_text(column), condition.test
    if test.sign == LIKE:
        words, text = plainly(test.text)
        passes, fails = f"{name} {words} {quoted(text)}", f"{name} NOT {words} {quoted(text)}"
    else:
        passes = f"{name} {test.sign} {quoted(test.text)}"
        fails = f"NOT {passes} AND {name} IS NOT MISSING"
    every, nothing = ~Condition.is_missing(), Condition.nothing()
    inside, outside = condition.inside, condition.outside
    if test.sign == "<=" and outside == nothing and isinstance(inside, Undecided) and inside.test.sign == ">=":
        low = inside.test.text
        if (inside.inside, inside.outside) == (every, nothing):
            return f"{name} BETWEEN {quoted(low)} AND {quoted(test.text)}", False
    terms = []
    if inside == every:
        terms.append(passes)
    elif inside != nothing:
        terms.append(f"{passes} AND {_bracketed(column, inside)}")
    if outside == Condition.anything():
        terms.append(f"NOT {passes}")
    elif outside == every:
        terms.append(fails)
    elif outside != nothing and inside == every:
        terms.append(condition_text(column, outside)[0])  # whether or not the test is passed
    elif outside != nothing:
        fails = fails if test.sign == LIKE and not outside.missing else f"NOT {passes}"
        terms.append(f"{fails} AND {_bracketed(column, outside)}")
    return " OR ".join(terms), len(terms) > 1


def _bracketed(column: str, condition: Condition) -> str:
    text, compound = condition_text(column, condition)
    return f"({text})" if compound else text


def _but_for(name: str, outside: Condition) -> tuple[str, bool]:
    """Write the condition to be anything but a few values."""
    values = outside.named_values()
    if not values:
        text = f"{name} IS NOT MISSING"
        return (text, False) if outside.missing else (f"{text} OR {name} IS MISSING", True)
    text = f"{name} != {value_text(values[0])}" if len(values) == 1 else f"{name} NOT IN {_listed(values)}"
    return (text, False) if outside.missing else (f"{text} OR {name} IS MISSING", True)


def _alternatives(name: str, condition: Condition) -> list[str]:
    points: list[Value] = []
    ranges: list[str] = []
    _split(name, condition.numbers, lambda number: number, points, ranges)
    _split(name, condition.times, lambda nanoseconds: Instant(int(nanoseconds)), points, ranges)
    points += sorted(condition.texts)
    terms = ranges
    if len(points) == 1:
        terms = [f"{name} = {value_text(points[0])}", *ranges]
    elif points:
        terms = [f"{name} IN {_listed(points)}", *ranges]
    if condition.missing:
        terms.append(f"{name} IS MISSING")
    return terms or [f"{name} IN {{}}"]


def _listed(values: list[Value]) -> str:
    return "{" + ", ".join(value_text(value) for value in values) + "}"


def _split(
    name: str, line: Intervals, to_value: Callable[[Number], Value], points: list[Value], ranges: list[str]
) -> None:
    """Sort the intervals of a line into single points and written ranges; a hole of one point joins its sides."""
    pairs = list(line)
    place = 0
    while place < len(pairs):
        enter, leave = pairs[place]
        place += 1
        holes: list[Value] = []
        while place < len(pairs) and leave[0] == pairs[place][0][0]:
            holes.append(to_value(leave[0]))
            leave = pairs[place][1]
            place += 1
        if enter[0] == leave[0]:
            points.append(to_value(enter[0]))
        else:
            ranges.append(_range(name, enter, leave, holes, to_value))


def _range(
    name: str,
    enter: tuple[Number, int],
    leave: tuple[Number, int],
    holes: list[Value],
    to_value: Callable[[Number], Value],
) -> str:
    (low, low_open), (high, high_closed) = enter, leave
    parts = []
    if low == -math.inf and high == math.inf:
        # The whole line has no comparison of its own: cut it at its first hole, or at zero.
        middle = value_text(holes[0] if holes else to_value(0))
        parts.append(f"({name} < {middle} OR {name} {'>' if holes else '>='} {middle})")
        holes = holes[1:]
    elif math.isfinite(low) and math.isfinite(high) and high_closed and not low_open:
        parts.append(f"{name} BETWEEN {value_text(to_value(low))} AND {value_text(to_value(high))}")
    else:
        if low > -math.inf:
            parts.append(f"{name} {'>' if low_open else '>='} {value_text(to_value(low))}")
        if high < math.inf:
            parts.append(f"{name} {'<=' if high_closed else '<'} {value_text(to_value(high))}")
    if len(holes) == 1:
        parts.append(f"{name} != {value_text(holes[0])}")
    elif holes:
        parts.append(f"{name} NOT IN {_listed(holes)}")
    return " AND ".join(parts)
