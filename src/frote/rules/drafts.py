"""Rules while they are written: each by itself, where it stands in the text, what is wrong with it, and what it says.

What is right lives on while something else is wrong: whoever looks at a draft sees the other rules as they are.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from frote.exceptions import FroteError
from frote.rules.binding import misfit, require_fit, unknown_label
from frote.rules.lexer import Fault, report
from frote.rules.parser import read_chunks
from frote.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from frote.rules.lexer import Token
    from frote.rules.parser import Chunk, Kept
    from frote.rules.reader import Asked
    from frote.rules.rule import Rule
    from frote.table import Schema

__all__ = ["Draft", "DraftRule", "Drafts", "read_draft"]

KEPT = 6_000  # rules that were read and are kept in mind, about


@dataclass(frozen=True, eq=False)
class DraftRule:
    """One rule of a draft.

    Parameters
    ----------
    name : str
        What it is called, or by its number.

    start, stop : int
        Where it stands in the text, without what follows its last word.

    named : tuple of int or None
        Where its name stands, if it has one.

    rules : tuple of Rule
        The rule, or its pieces; none while something is wrong with it.

    read : tuple of Token
        Its words, from IF on, at the places where they were read.

    moved : int
        How far behind these places they stand.

    asked : tuple of Asked
        Its comparisons, as far as they could be read.

    outcome_at : int
        The token that its outcome starts with, -1 if none could be read.

    faults : tuple of Fault
        What is wrong with it.
    """

    name: str
    start: int
    stop: int
    named: tuple[int, int] | None
    rules: tuple[Rule, ...]
    read: tuple[Token, ...]
    moved: int
    asked: tuple[Asked, ...]
    outcome_at: int
    faults: tuple[Fault, ...]

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Its words, from IF on."""
        if not self.moved:
            return self.read
        return tuple(replace(token, start=token.start + self.moved) for token in self.read)

    def place_of(self, asked: Asked) -> tuple[int, int]:
        """Return where a comparison stands in the text."""
        last = self.tokens[asked.stop - 1]
        return self.tokens[asked.first].start, last.start + len(last.text)


@dataclass(frozen=True, eq=False)
class Draft:
    r"""A text of rules that may be unfinished.

    Parameters
    ----------
    text : str
        The text.

    written : tuple of DraftRule
        Its rules, in order.

    loose : tuple of Fault
        What is wrong between the rules.

    Examples
    --------
    >>> draft = read_draft("young: IF age < 29 THEN yes\nold: IF age THEN no")
    >>> [one.name for one in draft.written], draft.rules.names, len(draft.faults)
    (['young', 'old'], ('young',), 1)
    """

    text: str
    written: tuple[DraftRule, ...]
    loose: tuple[Fault, ...]

    @cached_property
    def rules(self) -> RuleSet:
        """The rules that nothing is wrong with."""
        return RuleSet(rule for one in self.written for rule in one.rules)

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """All that is wrong, in the order of the text."""
        every = [*self.loose, *(fault for one in self.written for fault in one.faults)]
        return tuple(sorted(every, key=lambda fault: fault.start))

    def told(self, fault: Fault) -> str:
        """Return what is wrong in the words of the command line: line, column, and the text with carets below it."""
        return str(report(self.text, [fault]))

    def at(self, place: int) -> int:
        """Return the number of the rule that a place is in, or that stands last before it; -1 if there is none."""
        before = [number for number, one in enumerate(self.written) if one.start <= place]
        return before[-1] if before else -1 if not self.written else 0


def read_draft(text: str, schema: Schema | None = None, classes: Sequence[str] | None = None) -> Draft:
    """Read a text of rules, whatever is wrong with it.

    Parameters
    ----------
    text : str
        The rules.

    schema : Schema, default=None
        The columns that they speak of; None if nothing is known of them.

    classes : sequence of str, default=None
        The labels that they may name.

    Returns
    -------
    Draft

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.table import Table
    >>> schema = Table.from_frame(pd.DataFrame({"age": [25, 40]})).schema
    >>> draft = read_draft("IF agee < 29 THEN yes", schema)
    >>> print(draft.told(draft.faults[0]))
    line 1, column 4: the data have no column 'agee'. Did you mean 'age'?
      IF agee < 29 THEN yes
         ^^^^
    """
    return Drafts(schema, classes).read(text)


class Drafts:
    r"""Reads one text after another of the same columns; rules that stood in an earlier one are not read again.

    Parameters
    ----------
    schema : Schema, default=None
        The columns that they speak of; None if nothing is known of them.

    classes : sequence of str, default=None
        The labels that they may name.

    Examples
    --------
    >>> drafts = Drafts()
    >>> drafts.read("a: IF age < 29 THEN yes").rules == drafts.read("# Monday\na: IF age < 29 THEN yes").rules
    True
    """

    def __init__(self, schema: Schema | None = None, classes: Sequence[str] | None = None) -> None:
        self.schema = schema
        self.classes = classes
        self._kept: dict[tuple[str, str, str, bool], Kept] = {}
        self._fitting: set[tuple[str, str]] = set()

    def read(self, text: str) -> Draft:
        """Read a text of rules, whatever is wrong with it; see `read_draft`."""
        if len(self._kept) + len(self._fitting) > KEPT:
            self._kept.clear()
            self._fitting.clear()
        chunks, faults = read_chunks(text, self._kept)
        own_faults = {id(chunk): [chunk.fault] if chunk.fault else [] for chunk in chunks}
        loose: list[Fault] = []
        for fault in faults:
            if not any(fault is chunk.fault for chunk in chunks):
                # Names that clash stand within their rule; what stands between the rules is nobody's.
                chunk = next((one for one in chunks if one.match.start() <= fault.start < one.match.end()), None)
                (loose if chunk is None else own_faults[id(chunk)]).append(fault)
        return Draft(text, tuple(self._rule(text, one, own_faults[id(one)]) for one in chunks), tuple(loose))

    def _rule(self, text: str, chunk: Chunk, faults: list[Fault]) -> DraftRule:
        reader = chunk.reader
        read, asked = ((), ()) if reader is None else (tuple(reader.tokens), tuple(reader.asked))
        named = _trimmed(text, *chunk.match.span("name")) if chunk.match["name"] else None
        start = chunk.match.start("keyword") if named is None else named[0]
        end = _trimmed(text, start, chunk.stop)[1] if reader is None else read[-1].start + chunk.moved
        stop = end if reader is None else max(start + 2, end)
        outcome_at = -1 if reader is None else reader.outcome_at
        key = text[start:stop], chunk.origin
        rule = DraftRule(
            chunk.origin, start, stop, named, tuple(chunk.rules), read, chunk.moved, asked, outcome_at, tuple(faults)
        )
        if not faults and reader is not None and self.schema is not None and key not in self._fitting:
            faults = [*_misfits(chunk, rule, self.schema, self.classes)]
            if not faults:
                self._fitting.add(key)
        return replace(rule, rules=(), faults=tuple(faults)) if faults else rule


def _trimmed(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return a part of a text without the blanks around it."""
    part = text[start:stop]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _misfits(chunk: Chunk, rule: DraftRule, schema: Schema, classes: Sequence[str] | None) -> Iterator[Fault]:
    """Find what does not fit the columns or the labels, each where it stands; what stands nowhere at IF."""
    found, tokens = False, rule.tokens
    for one in rule.asked:
        message = misfit(one.column, one.condition, schema)
        if message:
            found = True
            yield Fault(message, tokens[one.first].start, len(tokens[one.first].text))
    if classes is not None:
        for token in _labels(tokens, rule.outcome_at):
            if token.value not in classes:
                found = True
                yield Fault(unknown_label(token.value, classes), token.start, len(token.text))
    if not found:
        try:
            require_fit(RuleSet(chunk.rules), schema, classes)
        except FroteError as error:
            said = str(error).splitlines()[0].partition(": ")[2] or str(error)
            yield Fault(said, chunk.match.start("keyword"), 2)


def _labels(tokens: Sequence[Token], outcome_at: int) -> Iterator[Token]:
    """Return the tokens of an outcome that are labels: the first, or in braces those before a colon."""
    outcome = tokens[outcome_at:]
    if outcome[0].value != "{" or outcome[0].kind != "mark":
        yield outcome[0]
        return
    for token, after in itertools.pairwise(outcome):
        if after.kind == "mark" and after.value == ":":
            yield token
