"""Rule text to rules. Written by hand, for the sake of its error messages.

The text is first cut at the lines on which a rule starts, so that a fault in one rule hides none in another. A Lark
grammar in ``tests/rules/grammar.lark`` documents the same language.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from frote.exceptions import RuleError
from frote.rules.decorated import decorated_lines, decoration
from frote.rules.expression import make_pieces
from frote.rules.lexer import Fault, line_starts, report, tokenize
from frote.rules.reader import Reader
from frote.rules.rule import Rule
from frote.rules.ruleset import FreeNames, RuleSet
from frote.rules.sum_reader import as_message
from frote.rules.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping, Sequence

    Memory: TypeAlias = "MutableMapping[tuple[str, str, str, bool], Kept]"

__all__ = ["Chunk", "Kept", "parse_rules", "read_chunks", "start_before"]

_START = re.compile(
    r"""
    (?:\A|(?<=[\r\n])) [^\S\r\n]*
    (?: (?P<name> (?: '(?:[^'\r\n]++|'')++' | "(?:[^"\r\n]++|"")++" ) (?:/[0-9]+)? [^\S\r\n]*
                | [^\s:\#'"`{}][^:\#'"`{}\r\n]* )
        : \s* )?
    (?P<keyword>[Ii][Ff])(?=[\s(`]|\Z)
    """,
    re.VERBOSE,
)
# Quotes match without a way back (`*+`), here and in the lexer: one of megabytes that is never closed costs nothing.
_QUOTED = re.compile(r"""\#[^\r\n]*|'[^']*+(?:''[^']*+)*+'|"[^"]*+(?:""[^"]*+)*+"|`[^`]*+(?:``[^`]*+)*+`""")
_PIECE = re.compile(r"(?P<origin>.*\S)/[0-9]+")
MOST_KEPT = 2_000  # characters of a rule that is kept in mind


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """The text of one rule, from where it starts to where the next one does, and what was read of it.

    Parameters
    ----------
    match : re.Match
        Its start: the name, if it has one, and IF.

    stop : int
        Where it ends.

    origin : str
        The rule's name.

    rules : list of Rule
        The rule, or its pieces; none if something is wrong with it.

    reader : Reader or None, default=None
        What was read of it; None if it could not even be cut into tokens.

    fault : Fault or None, default=None
        What is wrong with it.

    moved : int, default=0
        How far behind the places of its tokens it stands: what was read of the same words elsewhere is not read again.
    """

    match: re.Match[str]
    stop: int
    origin: str
    rules: list[Rule]
    reader: Reader | None = None
    fault: Fault | None = None
    moved: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """What was read of a rule, without the text that it stood in.

    Parameters
    ----------
    start : int
        Where its IF stood.

    origin : str
        Its name.

    rules : list of Rule
        The rule, or its pieces.

    reader : Reader
        Its tokens, at the places that they had.
    """

    start: int
    origin: str
    rules: list[Rule]
    reader: Reader

    @classmethod
    def of(cls, chunk: Chunk) -> Kept:
        """Return what is worth keeping of a rule that could be read."""
        assert chunk.reader is not None, "it could be read"
        return cls(chunk.match.start("keyword"), chunk.origin, chunk.rules, replace(chunk.reader, source=""))

    def at(self, match: re.Match[str], stop: int, line: int) -> Chunk:
        """Return the same rule as it stands here."""
        rules = [rule if rule.line == line else replace(rule, line=line) for rule in self.rules]
        return Chunk(match, stop, self.origin, rules, self.reader, moved=match.start("keyword") - self.start)


def parse_rules(text: str, *, place: str = "") -> RuleSet:
    """Read rules from text.

    A rule is written ``[name:] IF <expression> THEN <outcome>`` and starts on a new line; ``#`` starts a comment.

    Parameters
    ----------
    text : str
        The rules.

    place : str, default=""
        What to call the text in error messages, such as a file's name.

    Returns
    -------
    RuleSet

    Raises
    ------
    RuleSyntaxError
        With all that is wrong, each fault with its line, column and a caret.

    Examples
    --------
    >>> import frote
    >>> rules = frote.parse_rules('''
    ...     young savers: IF age < 29 AND marital-status = 'single' AND income > 150K THEN approved
    ...     IF purpose IN {car, education} AND NOT (amount > 20_000) THEN approved WITH CONFIDENCE 0.8
    ... ''')
    >>> print(rules)
    young savers: IF age < 29 AND marital-status = 'single' AND income > 150000 THEN approved
    rule 2: IF purpose IN {'car', 'education'} AND (amount <= 20000 OR amount IS MISSING)
    THEN approved WITH CONFIDENCE 0.8
    >>> frote.parse_rules(str(rules)) == rules
    True
    """
    source = text.removeprefix("\ufeff")
    chunks, faults = read_chunks(source)
    if faults:
        raise report(source, faults, f"{place}, " if place else "")
    return RuleSet(rule for chunk in chunks for rule in chunk.rules)


def read_chunks(source: str, kept: Memory | None = None) -> tuple[list[Chunk], list[Fault]]:
    r"""Read each rule of a text by itself; return what was read of it, and all that is wrong.

    Parameters
    ----------
    source : str
        The text.

    kept : mapping to Kept, default=None
        Rules that were read before, by their words and names; what is read now is put into it.

    Returns
    -------
    tuple of list of Chunk and list of Fault

    Examples
    --------
    >>> chunks, faults = read_chunks("IF age < 29 THEN yes\nIF age THEN no")
    >>> [len(chunk.rules) for chunk in chunks], [fault.start for fault in faults]
    ([1, 0], [28])
    """
    starts = list(_START.finditer(source))
    outside = _outside_quotes(source, starts)
    chunks, faults = _parse_chunks(source, outside, kept=kept)
    if faults:
        decorated = _outside_quotes(source, decorated_lines(source))
        if decorated or len(outside) < len(starts):
            # A quote that is never closed reaches into the rules below: look at each for itself.
            walls = [line.start() for line in decorated]
            chunks, faults = _parse_chunks(source, starts, walls, kept=kept)
            faults += map(decoration, decorated)
    return chunks, faults


def start_before(source: str, place: int) -> int:
    r"""Return where the IF of the rule stands that a place is in; -1 if no rule begins before it.

    Examples
    --------
    >>> start_before("young: IF age < 29", 12), start_before("young: IF age < 29", 3)
    (7, -1)
    """
    starts = [start for start in _START.finditer(source) if start.end("keyword") < place]
    before = _outside_quotes(source, starts)
    return before[-1].start("keyword") if before else -1


def _outside_quotes(source: str, starts: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return the starts of rules without those that are lines of a text in quotes or backticks."""
    kept = []
    spans = (match.span() for match in _QUOTED.finditer(source))
    begin, end = next(spans, (len(source), len(source)))
    for start in starts:
        while end <= start.start():
            begin, end = next(spans, (len(source), len(source) + 1))
        if start.start() <= begin:
            kept.append(start)
    return kept


def _parse_chunks(
    source: str, starts: list[re.Match[str]], walls: Sequence[int] = (), kept: Memory | None = None
) -> tuple[list[Chunk], list[Fault]]:
    """Parse each stretch from one start of a rule to the next, or to a wall; return the rules and all that is wrong."""
    lines = line_starts(source)
    ends = sorted([*(start.start() for start in starts), *walls, len(source)])
    chunks: list[Chunk] = []
    taken = {name for start in starts if start["name"] for name in _reserved(*_name(start))}
    unnamed = FreeNames(taken)
    work = Work(len(source), "rule" if len(starts) == 1 else "rules")
    for number, start in enumerate(starts, 1):
        stop = ends[bisect_right(ends, start.start())]
        names = _name(start) if start["name"] else (unnamed.give(number),) * 2
        line = bisect_right(lines, start.start("name" if start["name"] else "keyword"))
        key = source[start.start("keyword") : stop], *names, start["name"] is None
        before = None if kept is None else kept.get(key)
        if before is not None:
            chunks.append(before.at(start, stop, line))
            continue
        left = work.left
        chunks.append(_parse_chunk(source, start, stop, names, line, work))
        # What took no work does not depend on how much is left of it.
        if kept is not None and work.left == left and not chunks[-1].fault:
            kept[key] = Kept.of(chunks[-1])
    faults = [*_before_the_first(source, ends[0]), *(chunk.fault for chunk in chunks if chunk.fault)]
    faults += _clashes([chunk for chunk in chunks if chunk.rules])
    return chunks, faults


def _before_the_first(source: str, stop: int) -> Iterator[Fault]:
    """Find text that stands before the first rule and is no comment."""
    match = re.compile(r"(?:\s|#[^\r\n]*)*+([^\r\n#]+)").match(source, 0, stop)
    if match:
        shown = match[1].rstrip()
        message = "expected a rule, written [name:] IF ... THEN ..., at the start of a line"
        yield Fault(message, match.start(1), len(shown))


def _name(chunk: re.Match[str]) -> tuple[str, str]:
    """Return the name and the origin that stand before a rule's IF."""
    text: str = chunk["name"].strip()
    if text[0] not in "'\"":
        text = " ".join(text.split())
        piece = _PIECE.fullmatch(text)
        return text, piece["origin"] if piece else text
    quote = text[0]
    inner, _, piece_number = text[1:].rpartition(quote)
    name = inner.replace(quote * 2, quote)
    return name + piece_number, name


def _reserved(name: str, origin: str) -> set[str]:
    """Return the names that a rule without one cannot have beside a named rule."""
    piece = _PIECE.fullmatch(name)
    return {name, origin, piece["origin"] if piece else name}


def _clashes(chunks: list[Chunk]) -> Iterator[Fault]:
    """Find rules that cannot stand in one set: of the same name, or pieces of one rule with unlike outcomes."""
    names: set[str] = set()
    outcomes: dict[str, Rule] = {}
    for chunk in chunks:
        match, rules = chunk.match, chunk.rules
        first = outcomes.setdefault(rules[0].origin, rules[0])
        group = "name" if match["name"] else "keyword"
        own = {rule.name for rule in rules}
        if match["name"]:
            own.add(_name(match)[0])
        if names & own:
            message = f"another rule is named {rules[0].origin!r} too; give each a name of its own"
            yield Fault(message, match.start(group), len(match[group].rstrip()))
        elif first.outcome != rules[0].outcome:
            message = (
                f"{first.name!r} and {rules[0].name!r} are read as pieces of one rule, {first.origin!r}, "
                "and pieces share their outcome; put the name in quotes to keep its slash"
            )
            yield Fault(message, match.start(group), len(match[group].rstrip()))
        names |= own


def _parse_chunk(source: str, match: re.Match[str], stop: int, names: tuple[str, str], line: int, work: Work) -> Chunk:
    reader = None
    try:
        reader = Reader(source, tokenize(source, match.start("keyword"), stop))
        return Chunk(match, stop, names[1], _rules_of(reader, match, names, line, work), reader)
    except Fault as fault:
        return Chunk(match, stop, names[1], [], reader, fault)


def _rules_of(reader: Reader, match: re.Match[str], names: tuple[str, str], line: int, work: Work) -> list[Rule]:
    expression, outcome = reader.rule()
    name, origin = names
    try:
        rules = make_pieces(name, expression, outcome, line, work)
        if len(rules) == 1 and origin != name:
            rules = [Rule(name, rules[0].clause, outcome, origin, line=line)]
        return [replace(rule, dotted=tuple(reader.dotted)) for rule in rules] if reader.dotted else rules
    except RuleError as error:
        at = match.start("name") if match["name"] else match.start("keyword")
        raise Fault(as_message(error), at, len((match["name"] or "IF").rstrip())) from None
