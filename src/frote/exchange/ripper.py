"""Lists of rules as RIPPER prints them (Weka's JRip and its like), read: the first whose conditions hold decides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from frote.exceptions import RuleError, RuleSyntaxError
from frote.exchange.decision_table import HitPolicy
from frote.exchange.hit_policies import ruled_by
from frote.rules.clause import Clause
from frote.rules.condition import Condition
from frote.rules.lexer import MOST_FAULTS, Fault, report
from frote.rules.outcome import Outcome
from frote.rules.rule import Rule
from frote.rules.ruleset import RuleSet
from frote.rules.sum_reader import as_message
from frote.rules.values import as_value

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["read"]

MOST_RULES = 10_000

# Nothing here is tried in two ways, so that a line of any length is gone through once.
_TEST = re.compile(r"\s*+\((?P<column>[^()<>=]++)(?P<sign><=|>=|<|>|=)(?P<value>[^()<>=]*+)\)\s*+(?P<more>and\b)?")
_BLANK = re.compile(r"\s*+")
_COUNTS = re.compile(r"\([-0-9./ ]*+\)")  # how many rows a rule is right and wrong about
_AROUND = re.compile(r"(?:#.*|JRIP rules:|=+|Number of Rules\s*+:.*)?")  # what Weka prints around the rules


def read(content: bytes, place: str) -> RuleSet:
    r"""Read the rules of a list.

    Raises
    ------
    RuleSyntaxError
        With the line and column of all that is wrong.

    Examples
    --------
    >>> print(read(b"(width <= 1.9) and (kind = a) => class=b (50.0/0.0)\n => class=c\n", "policy.ripper"))
    rule 1: IF width <= 1.9 AND kind = 'a' THEN b
    rule 2/1: IF width > 1.9 OR width IS MISSING THEN c
    rule 2/2: IF width <= 1.9 AND (kind != 'a' OR kind IS MISSING) THEN c
    """
    try:
        source = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RuleSyntaxError(f"{place}: is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None
    faults: list[Fault] = []
    rules: list[Rule] = []
    start = 0
    for number, line in enumerate(source.splitlines(keepends=True), 1):
        if not _AROUND.fullmatch(line.strip()):
            try:
                clause, label = _line(line.rstrip(), start)
                name = f"rule {len(rules) + 1}"
                rules.append(Rule(name, clause, Outcome.of(label), line=number))
            except Fault as fault:
                faults.append(fault)
        if len(faults) > MOST_FAULTS or len(rules) > MOST_RULES:
            break
        start += len(line)
    if faults:
        raise report(source, faults, f"{place}, ")
    if len(rules) > MOST_RULES:
        raise RuleSyntaxError(f"{place}: has more than {MOST_RULES:,} rules; no list for people is like that.")
    return ruled_by(HitPolicy.FIRST, RuleSet(rules), place)


def _line(line: str, start: int) -> tuple[Clause, str]:
    asked, _, follows = line.partition("=>")
    label = follows.partition("=")[2].strip()
    before, bracket, _ = label.rpartition("(")
    if bracket and _COUNTS.fullmatch(label[len(before) :]):
        label = before.rstrip()
    if not label or "=>" in follows:
        message = "expected conditions in brackets, => and class=label, as in (age <= 29) => class=yes"
        raise Fault(message, start, len(line))
    conditions: dict[str, Condition] = {}
    for column, condition in _tests(asked, start):
        conditions[column] = conditions[column] & condition if column in conditions else condition
    return Clause.of(conditions), label


def _tests(asked: str, start: int) -> Iterator[tuple[str, Condition]]:
    place = 0
    while not _BLANK.fullmatch(asked, place):
        match = _TEST.match(asked, place)
        rest = match is not None and not _BLANK.fullmatch(asked, match.end())
        if match is None or bool(match["more"]) != rest:
            raise Fault(
                "expected a condition such as (age <= 29), and 'and' between two", start + place, len(asked) - place
            )
        place = match.end()
        try:
            yield match["column"].strip(), Condition.compare(match["sign"], as_value(match["value"].strip()))
        except RuleError as error:
            length = match.end("value") - match.start("column")
            raise Fault(as_message(error), start + match.start("column"), length) from None
