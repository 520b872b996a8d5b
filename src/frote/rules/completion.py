"""What can stand where somebody writes: the parser is run up to there, and what it would have taken is offered."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from frote.rules.lexer import Fault, tokenize
from frote.rules.parser import start_before
from frote.rules.reader import Reader
from frote.rules.text import column_text, is_keyword, label_text
from frote.rules.values import as_value, quoted, value_text
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from frote.rules.lexer import Token
    from frote.table import Schema

__all__ = ["Completion", "Completions", "Known", "complete"]

MOST = 200  # that are offered at once
MOST_WORDS = 8  # of the name of a column that is begun without its backticks
ORDERS = ("<", "<=", ">", ">=")
EQUALS = ("=", "!=")
ASIDE = ("NOT", "{", "}")
CONFIDENCES = ("0.9", "0.8", "0.7")
# What a keyword behind a column begins.
BEHIND_A_COLUMN = {
    "IS": ("IS MISSING", "IS NOT MISSING"),
    "IN": ("IN {",),
    "NOT": ("NOT IN {",),
    "BETWEEN": ("BETWEEN",),
}
PATTERNS = ("STARTS WITH", "ENDS WITH", "CONTAINS", "LIKE")
_BARE = re.compile(r"[^\W\d][\w.\-]*")
_WORD_BEFORE = re.compile(r"[\w.\-]*\Z")
_WORD_AFTER = re.compile(r"[\w.\-]*")
_COMMENT = re.compile(r"#[^\r\n]*\Z")
QUOTES = "'\"`"


@dataclass(frozen=True, slots=True)
class Completion:
    """One thing that can stand there.

    Parameters
    ----------
    text : str
        As it is written.

    kind : {"column", "operator", "keyword", "value", "label", "mark"}
        What it is.

    detail : str, default=""
        What is told beside it, such as how many rows hold a value.
    """

    text: str
    kind: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Completions:
    """What is offered, and for which part of the text.

    Parameters
    ----------
    start, stop : int
        The part that is replaced: the word that was begun, or nothing.

    offered : tuple of Completion
        The likeliest first.
    """

    start: int
    stop: int
    offered: tuple[Completion, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the rows that rules speak of.

    Parameters
    ----------
    schema : Schema
        Their columns.

    values : mapping of str to sequence of (value, detail), default={}
        Values worth offering for a column, and what to tell beside each.

    labels : sequence of (label, detail), default=()
        The labels.
    """

    schema: Schema
    values: Mapping[str, Sequence[tuple[Any, str]]] = field(default_factory=dict)
    labels: Sequence[tuple[str, str]] = ()


def complete(text: str, cursor: int, known: Known) -> Completions:
    """Say what can stand at a place in rule text.

    What is offered is what the parser looks for there, so whatever is taken parses on. Where something is wrong before
    that place nothing is offered: the mistake is told first.

    Parameters
    ----------
    text : str
        The rules.

    cursor : int
        The place, from 0.

    known : Known
        Columns, values and labels.

    Returns
    -------
    Completions

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.table import Table
    >>> schema = Table.from_frame(pd.DataFrame({"age": [25, 40], "amount": [1.5, 2.5]})).schema
    >>> found = complete("IF a", 4, Known(schema))
    >>> found.start, [one.text for one in found.offered]
    (3, ['age', 'amount'])
    >>> [one.text for one in complete("IF age < 29 ", 12, Known(schema)).offered]
    ['AND', 'OR', 'THEN']
    """
    start = start_before(text, cursor)
    if start < 0:
        return _first_word(text, cursor)
    try:
        tokens = tokenize(text, start, cursor)
        begun, quote = _begun(text, cursor, tokens), ""
        if begun is None:
            return Completions(cursor, cursor)
    except Fault as fault:
        begun, quote = fault.start, text[fault.start : fault.start + 1]
        if quote not in QUOTES or cursor < fault.start:
            return Completions(cursor, cursor)
    reader = _read(text, start, begun)
    if reader is None:
        return Completions(cursor, cursor)
    offered = [*_offered(reader, known), *_new_rule(text, begun, reader)]
    written = text[begun:cursor]
    found = Completions(begun, _end(text, cursor, quote, begun), _fitting(offered, written, quote))
    if quote or (found.offered and reader.column in known.schema):
        return found
    return _of_several_words(text, start, cursor, tokens, known) or found


def _of_several_words(text: str, start: int, cursor: int, tokens: list[Token], known: Known) -> Completions | None:
    """Offer columns whose names hold blanks and the like, and were begun without the backticks that these need."""
    for token in reversed(tokens[-MOST_WORDS - 1 : -1]):
        begun = text[token.start : cursor].casefold()
        if token.kind not in ("word", "number") or "\n" in begun:
            continue
        names = [one for one in known.schema if column_text(one.name) != one.name]
        meant = [one for one in names if one.name.casefold().startswith(begun)]
        reader = _read(text, start, token.start) if meant else None
        if reader is not None and any(kind == "column" for kind, _ in reader.wanted):
            offered = tuple(Completion(column_text(one.name), "column", str(one.kind)) for one in meant[:MOST])
            return Completions(token.start, _end(text, cursor, "", token.start), offered)
    return None


def _begun(text: str, cursor: int, tokens: list[Token]) -> int | None:
    """Return where the word begins that stands before a place; None within a comment, or right behind a quote."""
    last = tokens[-2] if len(tokens) > 1 else None
    end = 0 if last is None else last.start + len(last.text)
    if _COMMENT.search(text, end, cursor):
        return None
    if last is not None and end == cursor and last.kind in ("word", "keyword", "number"):
        return last.start
    if last is not None and end == cursor and last.kind in ("quoted", "column"):
        return None
    return cursor


def _read(text: str, start: int, stop: int) -> Reader | None:
    """Run the parser up to a place; None if it stops before."""
    try:
        reader = Reader(text, tokenize(text, start, stop))
        reader.rule()
    except Fault:
        pass
    return reader if reader.here.kind == "end" else None


def _first_word(text: str, cursor: int) -> Completions:
    """Offer IF where no rule has begun, at the start of a line or behind a name."""
    line = max(text.rfind("\n", 0, cursor), text.rfind("\r", 0, cursor)) + 1
    begun = cursor - len(_WORD_BEFORE.search(text, line, cursor)[0])  # type: ignore[index]  # it matches nothing at least
    before = text[line:begun].strip()
    offers = (not before or before.endswith(":")) and "#" not in before
    offered = [Completion("IF", "keyword", "a rule")] if offers else []
    return Completions(begun, cursor, _fitting(offered, text[begun:cursor], ""))


def _new_rule(text: str, begun: int, reader: Reader) -> Iterator[Completion]:
    """Offer another rule on a new line behind a whole one."""
    line = max(text.rfind("\n", 0, begun), text.rfind("\r", 0, begun)) + 1
    if reader.outcome_at >= 0 and reader.whole and not text[line:begun].strip():
        yield Completion("IF", "keyword", "another rule")


def _end(text: str, cursor: int, quote: str, begun: int) -> int:
    """Return where the word ends, or the text in quotes, that reaches over a place."""
    if quote:
        closing = re.compile(rf"[^{quote}\r\n]*{quote}").match(text, cursor)
        return closing.end() if closing else cursor
    return _WORD_AFTER.match(text, cursor).end() if begun < cursor else cursor  # type: ignore[union-attr]


def _offered(reader: Reader, known: Known) -> Iterator[Completion]:
    """List what the parser looked for where the text ends."""
    behind_a_column = any(kind == "operator" for kind, _ in reader.wanted)
    column = reader.column
    for kind, values in sorted(reader.wanted, key=lambda want: want[0] == "pattern"):
        if kind == "column":
            yield from (Completion(column_text(one.name), "column", str(one.kind)) for one in known.schema)
        elif kind == "added":
            yield from _comparable(column, known.schema)
        elif kind == "operator":
            yield from (Completion(sign, "operator") for sign in _operators(column, known.schema))
        elif kind == "keyword":
            for word in values:
                texts = _behind(word, column, known.schema) if behind_a_column else (word,)
                yield from (Completion(text, "keyword") for text in texts)
        elif kind == "pattern":
            negated = ("", "NOT ") if behind_a_column else ("",)
            patterns = _patterns(column, known.schema)
            yield from (Completion(f"{before}{words}", "keyword") for before in negated for words in patterns)
        elif kind in ("value", "bound", "text"):
            yield from _values(reader, known, ordered=kind == "bound")
        elif kind == "label":
            yield from (Completion(label_text(label), "label", detail) for label, detail in known.labels)
        elif kind == "probability":
            yield from (Completion(share, "value") for share in CONFIDENCES)
        elif kind == "mark" and values != ("(",):
            yield from (Completion(sign, "mark") for sign in values)


def _operators(column: str, schema: Schema) -> tuple[str, ...]:
    own = schema.get(column)
    if own is None or not own.kind.has_levels:
        return (*ORDERS, *EQUALS)
    return (*EQUALS, *ORDERS) if own.ordered else EQUALS


def _patterns(column: str, schema: Schema) -> tuple[str, ...]:
    own = schema.get(column)
    return PATTERNS if own is None or own.kind is Kind.CATEGORICAL else ()


def _comparable(column: str, schema: Schema) -> Iterator[Completion]:
    """Offer other columns that one can be compared with by order: numbers with numbers, dates with dates."""
    own = schema.get(column)
    for one in schema if own is not None and not own.kind.has_levels else ():
        if one.name != column and not one.kind.has_levels and one.kind.is_number == own.kind.is_number:  # type: ignore[union-attr]
            yield Completion(column_text(one.name), "column", str(one.kind))


def _behind(word: str, column: str, schema: Schema) -> tuple[str, ...]:
    own = schema.get(column)
    without_order = own is not None and own.kind.has_levels and not own.ordered
    return () if word == "BETWEEN" and without_order else BEHIND_A_COLUMN[word]


def _values(reader: Reader, known: Known, *, ordered: bool) -> Iterator[Completion]:
    """Offer values of the column that is being asked about, but for those that its list has already."""
    own = known.schema.get(reader.column)
    if own is None or (ordered and own.kind.has_levels and not own.ordered):
        return
    listed = _listed(reader)
    for value, detail in known.values.get(own.name, ()):
        meant = as_value(value)
        if meant not in listed:
            as_level = own.kind is Kind.CATEGORICAL and not ordered  # behind an order, a level stands in quotes
            yield Completion(_written(value) if as_level else value_text(meant), "value", detail)


def _listed(reader: Reader) -> set[Any]:
    """Return the values in the braces that the text ends in."""
    listed = set()
    for token in reversed(reader.tokens[: reader.position]):
        if token.value == "{" or token.kind == "operator":
            break
        if token.kind in ("word", "quoted", "number"):
            listed.add(as_value(token.value))
    return listed


def _written(value: Any) -> str:
    """Write a level as people do: bare where it is a word."""
    text = str(value)
    return text if _BARE.fullmatch(text) and not is_keyword(text) else value_text(as_value(value))


def _fitting(offered: Iterable[Completion], written: str, quote: str) -> tuple[Completion, ...]:
    """Return what begins with, or else has a word like, what is written already; the first of each text."""
    kinds = {"`": ("column",), "'": ("value", "label"), '"': ("value", "label")}.get(quote)
    begun = written.strip(QUOTES).casefold()
    ranked: dict[str, tuple[int, Completion]] = {}
    for one in offered:
        if kinds is not None and one.kind not in kinds:
            continue
        plain = _plain(one.text)
        rank = 0 if plain.casefold().startswith(begun) else 1 if begun in plain.casefold() else 2
        text = quoted(plain, quote) if quote else one.text
        if rank < 2 and text != written and text not in ranked:
            ranked[text] = rank, Completion(text, one.kind, one.detail)
    # What somebody most likely came for stands first, a bracket or a NOT behind it.
    order = sorted(ranked.values(), key=lambda pair: (pair[0], pair[1].text in ASIDE))
    return tuple(one for _, one in order)[:MOST]


def _plain(text: str) -> str:
    """Return a text without its quotes."""
    quote = text[:1]
    return text[1:-1].replace(quote * 2, quote) if quote in QUOTES and quote else text
