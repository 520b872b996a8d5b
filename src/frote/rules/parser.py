"""Rule text to rules. Written by hand, for the sake of its error messages.

The text is first cut at the lines on which a rule starts, so that a fault in one rule hides none in another. A Lark
grammar in ``tests/rules/grammar.lark`` documents the same language.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from frote.exceptions import RuleError
from frote.rules.condition import Condition
from frote.rules.expression import And, Expression, Leaf, Not, Or, Truth, make_pieces
from frote.rules.lexer import Fault, Token, line_starts, report, tokenize
from frote.rules.outcome import Outcome
from frote.rules.rule import Rule
from frote.rules.ruleset import RuleSet, free_name
from frote.rules.values import LARGEST, Instant, Number, Value, as_value, canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["parse_rules"]

DEEPEST = 60  # brackets and NOTs within one another

_START = re.compile(
    r"""
    (?:\A|(?<=[\r\n])) [^\S\r\n]*
    (?: (?P<name> (?: '(?:[^'\r\n]|'')+' | "(?:[^"\r\n]|"")+" ) (?:/[0-9]+)? [^\S\r\n]*
                | [^\s:\#'"`{}][^:\#'"`{}\r\n]* )
        : \s* )?
    (?P<keyword>[Ii][Ff])(?=[\s(`]|\Z)
    """,
    re.VERBOSE,
)
_QUOTED = re.compile(r"""\#[^\r\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`""")
_PIECE = re.compile(r"(?P<origin>.*\S)/[0-9]+")
_COMPARISONS = "a comparison (=, !=, <, <=, >, >=), IN, NOT IN, BETWEEN or IS"


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
    starts = list(_START.finditer(source))
    outside = _outside_quotes(source, starts)
    rules, faults = _parse_chunks(source, outside)
    if faults:
        if len(outside) < len(starts):
            # A quote that is never closed reaches into the rules below: look at each for itself.
            faults = _parse_chunks(source, starts)[1]
        raise report(source, faults, f"{place}, " if place else "")
    return RuleSet(rules)


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


def _parse_chunks(source: str, chunks: list[re.Match[str]]) -> tuple[list[Rule], list[Fault]]:
    """Parse each stretch from one start of a rule to the next; return the rules and all that is wrong."""
    lines = line_starts(source)
    faults = list(_before_the_first(source, chunks[0].start() if chunks else len(source)))
    written: list[tuple[re.Match[str], list[Rule]]] = []
    taken = {name for chunk in chunks if chunk["name"] for name in _reserved(*_name(chunk))}
    for number, chunk in enumerate(chunks, 1):
        stop = chunks[number].start() if number < len(chunks) else len(source)
        unnamed = "" if chunk["name"] else free_name(number, taken)
        taken.add(unnamed)
        try:
            line = bisect_right(lines, chunk.start("name" if chunk["name"] else "keyword"))
            written.append((chunk, _parse_chunk(source, chunk, stop, unnamed, line)))
        except Fault as fault:
            faults.append(fault)
    faults += _clashes(written)
    return [rule for _, rules in written for rule in rules], faults


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


def _clashes(written: list[tuple[re.Match[str], list[Rule]]]) -> Iterator[Fault]:
    """Find rules that cannot stand in one set: of the same name, or pieces of one rule with unlike outcomes."""
    names: set[str] = set()
    outcomes: dict[str, Rule] = {}
    for chunk, rules in written:
        first = outcomes.setdefault(rules[0].origin, rules[0])
        group = "name" if chunk["name"] else "keyword"
        own = {rule.name for rule in rules}
        if chunk["name"]:
            own.add(_name(chunk)[0])
        if names & own:
            message = f"another rule is named {rules[0].origin!r} too; give each a name of its own"
            yield Fault(message, chunk.start(group), len(chunk[group].rstrip()))
        elif first.outcome != rules[0].outcome:
            message = (
                f"{first.name!r} and {rules[0].name!r} are read as pieces of one rule, {first.origin!r}, "
                "and pieces share their outcome; put the name in quotes to keep its slash"
            )
            yield Fault(message, chunk.start(group), len(chunk[group].rstrip()))
        names |= own


def _parse_chunk(source: str, chunk: re.Match[str], stop: int, unnamed: str, line: int) -> list[Rule]:
    start = chunk.start("keyword")
    parser = _Parser(source, tokenize(source, start, stop))
    expression, outcome = parser.rule()
    name, origin = _name(chunk) if chunk["name"] else (unnamed, unnamed)
    try:
        rules = make_pieces(name, expression, outcome, line)
        if len(rules) == 1 and origin != name:
            return [Rule(name, rules[0].clause, outcome, origin, line=line)]
        return rules
    except RuleError as error:
        place = chunk.start("name") if chunk["name"] else start
        raise Fault(_as_message(error), place, len((chunk["name"] or "IF").rstrip())) from None


def _as_message(error: RuleError) -> str:
    text = str(error).removesuffix(".")
    return text[0].lower() + text[1:]


@dataclass(slots=True)
class _Parser:
    """One rule's tokens, read from left to right."""

    source: str
    tokens: list[Token]
    position: int = 0
    depth: int = 0

    @property
    def here(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        token = self.here
        if token.kind != "end":
            self.position += 1
        return token

    def accept(self, kind: str, *values: str) -> Token | None:
        if self.here.kind == kind and (not values or self.here.value in values):
            return self.take()
        return None

    def expect(self, kind: str, value: str, what: str = "", hint: str = "") -> Token:
        return self.accept(kind, value) or self.fail(what or value, hint)

    def fail(self, what: str, hint: str = "") -> NoReturn:
        found = self.here
        advice = f" ({hint})" if hint else ""
        raise Fault(f"expected {what}, found {found.described}{advice}", found.start, max(1, len(found.text)))

    def rule(self) -> tuple[Expression, Outcome]:
        self.expect("keyword", "IF")
        expression = self.either()
        self.expect("keyword", "THEN", "AND, OR or THEN", self.hint())
        outcome = self.outcome()
        if self.here.kind == "keyword" and self.here.value == "IF":
            self.fail("the end of the rule", "a rule starts on a new line")
        if self.here.kind != "end":
            last = self.tokens[self.position - 1]
            new_line = re.search(r"[\r\n]", self.source[last.start + len(last.text) : self.here.start])
            start = "a rule starts with IF, or with its name, a colon and IF"
            self.fail("the end of the rule", start if new_line else self.hint())
        return expression, outcome

    def hint(self) -> str:
        """Say what may have been meant by what stands here behind a whole condition or label."""
        last, token = self.tokens[self.position - 1], self.here
        if token.kind == "word" and last.kind == "word":
            return "a text of several words goes in quotes"
        if token.value == "," and last.kind == "number":
            return "write 1_000 for 1,000"
        if token.kind == "operator":
            return "write 18 < age < 65 as age > 18 AND age < 65"
        return ""

    def either(self) -> Expression:
        parts = [self.both()]
        while self.accept("keyword", "OR"):
            parts.append(self.both())
        return Or.of(parts)

    def both(self) -> Expression:
        parts = [self.negated()]
        while self.accept("keyword", "AND"):
            parts.append(self.negated())
        return And.of(parts)

    def negated(self) -> Expression:
        negations = 0
        while self.accept("keyword", "NOT"):
            negations += 1
        inner = self.primary()
        return Not(inner) if negations % 2 else inner

    def primary(self) -> Expression:
        opening = self.accept("mark", "(")
        if not opening:
            return self.comparison()
        self.depth += 1
        if self.depth > DEEPEST:
            raise Fault(f"more than {DEEPEST} brackets within one another", opening.start)
        inner = self.either()
        self.expect("mark", ")", "AND, OR or ')'", self.hint())
        self.depth -= 1
        return inner

    def comparison(self) -> Expression:
        token = self.here
        if token.kind not in ("word", "column"):
            if token.kind == "number":
                self.fail("a column name", "the column comes first: age > 18, not 18 < age")
            if token.kind == "quoted":
                self.fail("a column name", "names with blanks or odd characters go in backticks")
            as_column = token.kind == "keyword" and self.tokens[self.position + 1].kind == "operator"
            hint = "a column that is named like a keyword goes in backticks" if as_column else ""
            self.fail("a condition such as age < 29", hint)
        self.take()
        if token.value.upper() == "TRUE" and token.kind == "word" and self.ends_a_condition():
            return Truth()
        return Leaf(token.value, self.condition(token))

    def ends_a_condition(self) -> bool:
        token = self.here
        if token.kind == "keyword":
            return token.value in ("THEN", "AND", "OR")
        return token.kind == "end" or (token.kind == "mark" and token.value == ")")

    def condition(self, column: Token) -> Condition:
        operator = self.accept("operator")
        if operator:
            if operator.value in ("=", "!="):
                return Condition.compare(operator.value, self.value(f"a value after {operator.text!r}"))
            return Condition.compare(operator.value, self.bound(f"a number or a date after {operator.text!r}"))
        keyword = self.accept("keyword", "IS", "IN", "NOT", "BETWEEN")
        if keyword is None:
            blank = "a column name with blanks goes in backticks" if self.here.kind in ("word", "number") else ""
            self.fail(f"{_COMPARISONS} after {column.described}", blank)
        if keyword.value == "IS":
            negated = self.accept("keyword", "NOT")
            what, instead = ("MISSING", "!=") if negated else ("MISSING or NOT MISSING", "=")
            self.expect("keyword", "MISSING", what, f"write {instead} to compare with a value")
            return ~Condition.is_missing() if negated else Condition.is_missing()
        if keyword.value == "BETWEEN":
            return self.between()
        if keyword.value == "NOT":
            self.expect("keyword", "IN", f"IN after {column.described} NOT", "write != to differ from a value")
        inside = Condition.among(self.values())
        return ~(inside | Condition.is_missing()) if keyword.value == "NOT" else inside

    def between(self) -> Condition:
        first = self.here
        low = self.bound("a number or a date after BETWEEN")
        self.expect("keyword", "AND", "AND and the upper bound")
        high = self.bound("a number or a date after AND")
        length = self.tokens[self.position - 1].start + len(self.tokens[self.position - 1].text) - first.start
        if isinstance(low, Instant) != isinstance(high, Instant):
            raise Fault("expected two numbers or two dates, found one of each", first.start, length)
        between = Condition.compare(">=", low) & Condition.compare("<=", high)
        if between == Condition.nothing():
            raise Fault("the lower bound is above the upper one", first.start, length)
        return between

    def values(self) -> list[Value]:
        self.expect("mark", "{", "'{' and a list of values")
        found: list[Value] = []
        if self.accept("mark", "}"):
            return found
        while True:
            found.append(self.value("a value"))
            if self.accept("mark", "}"):
                return found
            self.expect("mark", ",", "',' or '}'")

    def value(self, what: str) -> Value:
        """Read a value to be equal to: a number, or any word or quoted text."""
        token = self.here
        if token.kind == "number":
            if re.fullmatch(r"0[0-9]+", token.text):
                return as_value(self.take().text)  # 01234 is a code, not the number 1234
            return self.number()
        if token.kind not in ("word", "quoted"):
            self.fail(what, "a keyword that is meant as a value goes in quotes" if token.kind == "keyword" else "")
        return as_value(self.take().value)

    def bound(self, what: str) -> Number | Instant:
        """Read a value to be compared with by order: a number or a date."""
        token = self.here
        if token.kind == "number":
            return self.number()
        if token.kind in ("word", "quoted"):
            value = as_value(token.value)
            if not isinstance(value, str):
                self.take()
                return value
        return self.fail(what)

    def number(self) -> Number:
        token = self.take()
        text = token.text.replace("_", "").replace("−", "-")  # noqa: RUF001
        scale = {"k": 1_000, "m": 1_000_000}.get(text[-1].lower(), 1)
        text = text if scale == 1 else text[:-1]
        whole = re.fullmatch(r"([-+]?)0*([0-9]*)", text)
        if whole is None:
            number = _scaled(text, scale)
        elif len(whole[2]) < 310:  # Python itself refuses to read thousands of digits
            number = int(f"{whole[1]}0{whole[2]}") * scale
        else:
            number = LARGEST + 1
        if abs(number) > LARGEST:
            raise Fault("this number is too large; the largest is about 1.8e308", token.start, len(token.text))
        return number

    def outcome(self) -> Outcome:
        start = self.here
        try:
            if self.accept("mark", "{"):
                return Outcome.of(self.distribution())
            label = self.label("a label or a distribution such as {yes: 0.7, no: 0.3}")
            if not self.accept("keyword", "WITH"):
                return Outcome.of(label)
            self.expect("keyword", "CONFIDENCE")
            start = self.here
            return Outcome.of(label, confidence=self.probability("a confidence between 0 and 1"))
        except RuleError as error:
            last = self.tokens[self.position - 1]
            length = last.start + len(last.text) - start.start
            raise Fault(_as_message(error), start.start, length) from None

    def distribution(self) -> dict[str, float]:
        shares: dict[str, float] = {}
        while True:
            token = self.here
            label = self.label("a label")
            if label in shares:
                raise Fault(f"the label {label!r} stands here twice", token.start, len(token.text))
            self.expect("mark", ":", f"':' and a probability after {token.described}")
            token = self.here
            shares[label] = self.probability("a probability")
            if not 0 <= shares[label] <= 1:
                message = f"a probability must be between 0 and 1, not {shares[label]:g}"
                raise Fault(message, token.start, len(token.text))
            if self.accept("mark", "}"):
                return shares
            self.expect("mark", ",", "',' or '}'")

    def label(self, what: str) -> str:
        token = self.here
        if token.kind not in ("word", "quoted", "number"):
            self.fail(what, "a keyword that is meant as a label goes in quotes" if token.kind == "keyword" else "")
        return self.take().value

    def probability(self, what: str) -> float:
        if self.here.kind != "number":
            self.fail(what)
        return float(self.number())


def _scaled(text: str, scale: int) -> Number:
    """Scale a decimal number exactly as written: 1.1K is 1100, not 1100.0000000000002."""
    if "e" in text.lower():
        return canonical(float(text) * scale)
    return canonical(float(text + {1: "e0", 1_000: "e3", 1_000_000: "e6"}[scale]))
