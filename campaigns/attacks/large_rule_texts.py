"""Large rule texts: a few shapes that cost much, at any size up to a limit, under a bound of time and memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import frote
from campaigns.attacks.rule_texts import rule_text
from campaigns.campaign import Campaign, require

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["CAMPAIGNS"]

THEN = ("print", "conflicts", "exclude", "mix", "priority")


@dataclass(frozen=True)
class Case:
    """A text and what is done with its rules; the text is not shown whole."""

    shape: str
    text: str
    then: str

    def __repr__(self) -> str:
        return f"Case({self.shape}, {len(self.text)} characters, then {self.then}):\n{self.text[:2000]}"


def _join(pieces: Callable[[int], str], between: str, size: int) -> str:
    """Return as many pieces as fit into a size."""
    found: list[str] = []
    length = number = 0
    while True:
        piece = pieces(number)
        length += len(piece) + len(between)
        if length > size and found:
            return between.join(found)
        found.append(piece)
        number += 1


def _pair(chance: Random, columns: int) -> str:
    first, second = chance.randrange(columns), chance.randrange(columns)
    word, numbers = chance.choice(("AND", "OR")), (chance.randrange(100), chance.randrange(100))
    return f"(c{first} {chance.choice('<>')} {numbers[0]} {word} c{second} {chance.choice('<>')} {numbers[1]})"


def _pairs(chance: Random, size: int) -> str:
    """Many small brackets in one rule, some of them negated: OR of ANDs, and AND of ORs."""
    columns, between = chance.choice((2, 5, 20, 500)), chance.choice((" AND ", " OR "))
    negated = chance.choice(("", "NOT "))
    return (
        f"IF {chance.choice(('', 'NOT '))}({_join(lambda _: negated + _pair(chance, columns), between, size)}) THEN yes"
    )


def _nested(chance: Random, size: int) -> str:
    """Brackets within brackets, each with a NOT."""
    opening, columns = chance.choice(("NOT (", "NOT NOT (", "(", "NOT (NOT (")), chance.choice((1, 3, 50))
    step = [f"{opening}{_pair(chance, columns)} {chance.choice(('AND', 'OR'))} " for _ in range(7)]
    depth = max(1, size // (len(step[0]) + 2))
    opened = "".join(step[number % 7] for number in range(depth))
    return f"IF {opened}x = 1{')' * opened.count('(') if columns > 1 else ')' * depth} THEN yes"


def _staircase(chance: Random, size: int) -> str:
    """Rules that are boxes one above the other: every two overlap in part."""
    columns, equal = chance.choice((1, 2, 3, 5, 8)), chance.random() < 0.3
    wide = chance.choice((1, 3, 50))

    def box(number: int) -> str:
        bounds = (f"c{one} >= {number + one} AND c{one} < {number * 2 + wide}" for one in range(columns))
        return f"IF {' AND '.join(bounds)} THEN {'yes' if equal else f'label{number % 3}'}"

    return _join(box, "\n", size)


def _crossing(chance: Random, size: int) -> str:
    """Rules on one column each: every two overlap, in all combinations."""
    columns = chance.choice((3, 10, 40, 10_000))
    return _join(lambda n: f"IF c{n % columns} < {chance.randrange(1000)} THEN label{n % 7}", "\n", size)


def _disjoint(chance: Random, size: int) -> str:
    """Rules that never overlap."""
    named = chance.choice(("", "same: ", "r{}: "))
    return _join(lambda n: f"{named.format(n)}IF c = {n} AND d = {n % 3} THEN label{n % 2}", "\n", size)


def _lists(chance: Random, size: int) -> str:
    """Long lists of values, in one rule or several that overlap."""
    word, quote, rules = chance.choice(("IN", "NOT IN")), chance.choice(("", "'")), chance.choice((1, 3, 20, 100))

    def one(place: int) -> str:
        values = _join(lambda n: f"{quote}{place * 7 + n}{quote}", ", ", size // rules - 60)
        return f"IF c {word} {{{values}}} AND d NOT IN {{a, b}} THEN label{place % 7}"

    return "\n".join(map(one, range(rules)))


def _shares(chance: Random, size: int) -> str:
    """Distributions over many labels."""
    return f"IF c < {chance.random()} THEN {{{_join(lambda n: f'l{n}: 0.001', ', ', size)}}}"


def _monotone(chance: Random, size: int) -> str:
    """One thing over and over, with or without its end."""
    piece = chance.choice(
        ("'", '"', "`", "(", "NOT ", "IF ", "x", "9", "#", "\n", " ", "IF a = 'x", "a < 1 AND ", "-", "{")
    )
    return chance.choice(("", "IF a = ", "IF a < 1 THEN ", "IF ")) + piece * (size // len(piece))


def _many(chance: Random, size: int) -> str:
    """Small rules as the grammar makes them."""
    return _join(lambda _: rule_text(chance), "\n", size)


SHAPES = (_pairs, _nested, _staircase, _crossing, _disjoint, _lists, _shares, _monotone, _many)


def _make(largest: int, chance: Random) -> Case:
    shape = chance.choice(SHAPES)
    size = int(largest ** chance.uniform(0.4, 1)) - 40  # small ones too: cost is not a matter of size alone
    return Case(shape.__name__.strip("_"), shape(chance, size)[:largest], chance.choice(THEN))


def _judge(case: Case) -> None:
    rules = frote.parse_rules(case.text)
    if case.then == "print":
        require(frote.parse_rules(str(rules)) == rules, "what is printed is read as other rules")
        repr(rules)
    elif case.then == "conflicts":
        rules.conflicts()
    else:
        classes = sorted({label for rule in rules for label, _ in rule.outcome.probabilities})
        str(rules.resolve(case.then, classes=classes))


CAMPAIGNS = (
    Campaign(
        "large rule texts",
        "No text of up to 10 kB takes more than 2 s or 500 MB to be read, and printed, checked or resolved.",
        full=5_000,
        block=10,
        seconds=2,
        megabytes=500,
        make=partial(_make, 10_000),
        judge=_judge,
    ),
    Campaign(
        "rule files",
        "No file of rules of up to 1 MB takes more than 20 s or 1 GB.",
        full=250,
        block=1,
        seconds=20,
        megabytes=1000,
        make=partial(_make, 1_000_000),
        judge=_judge,
    ),
)
