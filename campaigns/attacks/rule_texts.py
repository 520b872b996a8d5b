"""Rule texts: made by the grammar, made and then damaged, or random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import frote
from campaigns.campaign import Campaign, require
from campaigns.damage import damaged_text
from frote.rules.files import from_json, to_json
from frote.table.schema import Column, Kind

if TYPE_CHECKING:
    from random import Random

__all__ = ["CAMPAIGN", "rule_text"]

COLUMNS = (
    "age",
    "income",
    "marital-status",
    "x0",
    "a.b",
    "`two words`",
    "`if`",
    "größe",
    "applied_on",
    "flag",
    "`a``b`",
)
WORDS = ("single", "car", "'with space'", '"double"', "'it''s'", "true", "no", "'IF'", "élan", "'# no comment'", "''")
NUMBERS = ("0", "1", "29", "-2", "150K", "1_000", "1.5e3", "0.1", "2.5M", "1e-7", "9007199254740993", "1e308", "-0")
DATES = ("2024-05-01", "2024-12-31T23:59:59", "1700-01-01", "9999-12-31")
ORDERS = ("<", "<=", ">", ">=", "≤", "≥")
COMPARISONS = ("=", "==", "!=", "<>", "≠", *ORDERS)
LABELS = ("approved", "denied", "'maybe not'", "1", "0.5", "yes")
TOKENS = (
    *(*COLUMNS, *WORDS, *NUMBERS, *DATES, *COMPARISONS, *LABELS),
    *("IF", "THEN", "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "MISSING", "WITH", "CONFIDENCE", "and", "Or"),
    *("(", ")", "{", "}", ",", ":", "#", "\n", " ", "\t", "'", '"', "`", "name:", "\\", "%"),
    *("\u2013", "\u200b", "\x00"),
)
HOWS = ("exclude", "mix", "priority")
CLASSES = ("approved", "denied", "maybe not", "1", "0.5", "yes")


@dataclass(frozen=True, slots=True)
class Case:
    """A text, and what is done with its rules: nothing but to print and read them, or a step more."""

    text: str
    then: str


def _value(chance: Random) -> str:
    kinds = (WORDS, NUMBERS, NUMBERS, DATES)
    return chance.choice(chance.choice(kinds))


def _condition(chance: Random) -> str:
    column, kind = chance.choice(COLUMNS), chance.randrange(10)
    if kind < 3:
        return f"{column} {chance.choice(ORDERS)} {chance.choice(NUMBERS)}"
    if kind < 6:
        return f"{column} {chance.choice(COMPARISONS)} {_value(chance)}"
    if kind == 6:
        return f"{column} BETWEEN {chance.choice(NUMBERS)} AND {chance.choice(NUMBERS)}"
    if kind == 7:
        values = ", ".join(_value(chance) for _ in range(chance.randint(1, 4)))
        return f"{column} {chance.choice(('IN', 'NOT IN'))} {{{values}}}"
    return f"{column} IS {chance.choice(('', 'NOT '))}MISSING"


def _expression(chance: Random, depth: int) -> str:
    kind = chance.randrange(8) if depth else 0
    if kind < 4:
        return _condition(chance)
    if kind == 4:
        return f"NOT ({_expression(chance, depth - 1)})"
    if kind == 5:
        return f"({_expression(chance, depth - 1)} OR {_expression(chance, depth - 1)})"
    return f"{_expression(chance, depth - 1)} AND {_expression(chance, depth - 1)}"


def _outcome(chance: Random) -> str:
    kind = chance.randrange(6)
    if kind < 4:
        return chance.choice(LABELS)
    share = chance.choice((0.1, 0.25, 0.5, 0.9, 1))
    if kind == 4:
        return f"{chance.choice(LABELS)} WITH CONFIDENCE {share}"
    first, second = chance.sample(LABELS, 2)
    return f"{{{first}: {share}, {second}: {1 - share:g}}}"


def rule_text(chance: Random) -> str:
    """Return one to three rules as the grammar has them; their sense is left to chance."""
    lines = []
    for number in range(chance.choice((1,) * 14 + (2, 3))):
        name = chance.choice(("", "", "", f"rule {number}: ", "name: ", "a/1: "))
        comment = "  # why" if chance.random() < 0.1 else ""
        depth = chance.choice((0, 0, 0, 0, 1, 1, 2, 3))
        lines.append(f"{name}IF {_expression(chance, depth)} THEN {_outcome(chance)}{comment}")
    return "\n".join(lines)


def _make(chance: Random) -> Case:
    kind = chance.random()
    if kind < 0.5:
        text = rule_text(chance)
    elif kind < 0.85:
        text = damaged_text(rule_text(chance), chance, TOKENS)
    else:
        text = chance.choice(("", "IF ", "IF age < 1 AND ", "IF age = 1 THEN "))
        text += chance.choice(("", " ")).join(chance.choices(TOKENS, k=chance.randint(1, 8)))
    then = chance.choice(("conflicts", "bind", "json", *HOWS)) if chance.random() < 0.02 else "print"
    return Case(text, then)


@cache
def _schema() -> frote.Schema:
    return frote.Schema(
        (
            Column("age", Kind.INTEGER),
            Column("income", Kind.CONTINUOUS),
            Column("x0", Kind.CONTINUOUS),
            Column("a.b", Kind.INTEGER),
            Column("größe", Kind.CONTINUOUS),
            Column("marital-status", Kind.CATEGORICAL, ("single", "car", "with space", "1", "29")),
            Column("two words", Kind.CATEGORICAL, ("double", "it's", "élan", "")),
            Column("if", Kind.CATEGORICAL, ("0", "1", "150K", "2024-05-01")),
            Column("applied_on", Kind.DATETIME, step=1000),
            Column("flag", Kind.BOOLEAN, (False, True)),
        )
    )


def _judge(case: Case) -> None:
    rules = frote.parse_rules(case.text)
    require(frote.parse_rules(str(rules)) == rules, "what is printed is read as other rules")
    if case.then == "conflicts":
        rules.conflicts(_schema())
    elif case.then == "bind":
        bound = rules.bind(_schema(), CLASSES)
        require(
            frote.parse_rules(str(bound)).bind(_schema(), CLASSES) == bound, "bound rules are not what they print as"
        )
    elif case.then == "json":
        require(from_json(to_json(rules)) == rules, "what is written as JSON is read as other rules")
    elif case.then in HOWS:
        _resolved(rules, case.then)


def _resolved(rules: Any, how: str) -> None:
    found = rules.resolve(how, _schema(), classes=CLASSES)
    require(not found.conflicts(_schema()), "resolved rules conflict")
    again = frote.parse_rules(str(found))
    require([rule.clause for rule in again] == [rule.clause for rule in found], "resolved rules are read as others")
    again.bind(_schema(), CLASSES)


CAMPAIGN = Campaign(
    "rule texts",
    "A text is parsed or refused; what is parsed is printed as a text of the same rules; resolved rules can be used.",
    full=10_000_000,
    block=50_000,
    seconds=2,
    megabytes=500,
    make=_make,
    judge=_judge,
)
