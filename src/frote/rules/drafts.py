"""Rules while they are written: each by itself, where it stands in the text, what is wrong with it, and what it says.

What is right lives on while something else is wrong: whoever looks at a draft sees the other rules as they are.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from frote.exceptions import FroteError
from frote.rules.binding import misfit, require_fit, unknown_label
from frote.rules.lexer import Fault, report
from frote.rules.parser import read_chunks
from frote.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from frote.rules.lexer import Token
    from frote.rules.parser import Chunk
    from frote.rules.reader import Asked
    from frote.rules.rule import Rule
    from frote.table import Schema

__all__ = ["Draft", "DraftRule", "read_draft"]


@dataclass(frozen=True, slots=True, eq=False)
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

    tokens : tuple of Token
        Its words, from IF on.

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
    tokens: tuple[Token, ...]
    asked: tuple[Asked, ...]
    outcome_at: int
    faults: tuple[Fault, ...]

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
    chunks, faults = read_chunks(text)
    own_faults = {id(chunk): [chunk.fault] if chunk.fault else [] for chunk in chunks}
    loose: list[Fault] = []
    for fault in faults:
        if not any(fault is chunk.fault for chunk in chunks):
            # Names that clash stand within their rule; what stands between the rules is nobody's.
            chunk = next((one for one in chunks if one.match.start() <= fault.start < one.match.end()), None)
            (loose if chunk is None else own_faults[id(chunk)]).append(fault)
    return Draft(text, tuple(_rule(text, one, own_faults[id(one)], schema, classes) for one in chunks), tuple(loose))


def _rule(
    text: str, chunk: Chunk, faults: list[Fault], schema: Schema | None, classes: Sequence[str] | None
) -> DraftRule:
    reader = chunk.reader
    tokens, asked = ((), ()) if reader is None else (tuple(reader.tokens), tuple(reader.asked))
    if not faults and reader is not None and schema is not None:
        faults = [*_misfits(chunk, tokens, asked, schema, classes)]
    named = _trimmed(text, *chunk.match.span("name")) if chunk.match["name"] else None
    start = chunk.match.start("keyword") if named is None else named[0]
    stop = _trimmed(text, start, chunk.stop)[1] if reader is None else max(start + 2, tokens[-1].start)
    rules = () if faults else tuple(chunk.rules)
    outcome_at = -1 if reader is None else reader.outcome_at
    return DraftRule(chunk.origin, start, stop, named, rules, tokens, asked, outcome_at, tuple(faults))


def _trimmed(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return a part of a text without the blanks around it."""
    part = text[start:stop]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _misfits(
    chunk: Chunk, tokens: Sequence[Token], asked: Iterable[Asked], schema: Schema, classes: Sequence[str] | None
) -> Iterator[Fault]:
    """Find what does not fit the columns or the labels, each where it stands; what stands nowhere at IF."""
    found = False
    for one in asked:
        message = misfit(one.column, one.condition, schema)
        if message:
            found = True
            yield Fault(message, tokens[one.first].start, len(tokens[one.first].text))
    if classes is not None and chunk.reader is not None:
        for token in _labels(tokens, chunk.reader.outcome_at):
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
