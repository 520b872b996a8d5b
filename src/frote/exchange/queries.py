"""Conditions as pandas' ``DataFrame.query`` takes them, read by a parser of ours: nothing of them is evaluated."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from frote.exceptions import RuleError
from frote.rules.condition import Condition
from frote.rules.expression import And, Expression, Leaf, Not, Or, make_pieces
from frote.rules.lexer import Fault, report
from frote.rules.linear import Sum, compare_sums
from frote.rules.outcome import Outcome
from frote.rules.ruleset import RuleSet
from frote.rules.sum_reader import as_message
from frote.rules.text import shortened

__all__ = ["query_rules"]

LONGEST = 1_000_000  # characters
DEEPEST = 60  # brackets and negations within one another

_TOKEN = re.compile(
    r"""
    (?P<blank>\s+)
  | (?P<text>'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")
  | (?P<quoted>`[^`\n]+`)
  | (?P<number>(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?(?!\w))
  | (?P<word>[^\W\d]\w*)
  | (?P<mark><=|>=|==|!=|\*\*|//|[<>&|~()\[\]{},.@+\-*/%=:;])
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_CONSTANTS: dict[str, Any] = {"True": True, "False": False, "None": None, "nan": None, "NaN": None, "NaT": None}
_WORDS = ("and", "or", "not", "in")
_ENDS = {"[": "]", "(": ")", "{": "}"}


def _adds_up(left: _Operand, right: _Operand) -> bool:
    """Tell whether sums of columns are compared, and not a column with a value."""
    both = isinstance(left, _Column) and isinstance(right, _Column)
    return both or isinstance(left, Sum) or isinstance(right, Sum)


def query_rules(query: str, then: Any, *, name: str = "rule 1") -> RuleSet:
    """Return the rule IF a pandas query THEN an outcome.

    Parameters
    ----------
    query : str
        What ``DataFrame.query`` would be given: comparisons of columns with values, ``in``, ``isin``, ``isna`` and
        ``between``, put together by ``and``, ``or``, ``not`` and brackets; and of columns that are added up with
        factors, as in ``bill > 0.9 * limit``.

    then : label, mapping or Outcome
        Where the label goes.

    name : str, default="rule 1"
        The rule's name; its pieces, if it has some, are numbered.

    Returns
    -------
    RuleSet
        The rule, or its pieces.

    Raises
    ------
    RuleSyntaxError
        With the place of what cannot be read, or what rules cannot say: variables, functions, other calculation.

    Notes
    -----
    A missing value is what pandas takes it for in columns of NumPy's types: it meets ``!=`` and ``not in``, and no
    other comparison. A date in quotes is that date, also behind ``==``.

    Examples
    --------
    >>> import frote
    >>> print(frote.query_rules("18 <= age < 29 and purpose in ['car', 'education']", "approved", name="young"))
    young: IF age >= 18 AND age < 29 AND purpose IN {'car', 'education'} THEN approved
    >>> print(frote.query_rules("age != 29 & not income.isna()", {"yes": 0.7, "no": 0.3}))
    rule 1: IF (age != 29 OR age IS MISSING) AND income IS NOT MISSING THEN {no: 0.3, yes: 0.7}
    """
    if len(query) > LONGEST:
        raise RuleError(f"A query of more than {LONGEST:,} characters is none that a person wrote.")
    try:
        expression = _Reader(query, _tokens(query)).whole()
    except Fault as fault:
        raise report(query, [fault], "the query, ") from None
    return RuleSet(make_pieces(name, expression, Outcome.of(then)))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class _Column:
    name: str


@dataclass(frozen=True, slots=True)
class _Values:
    values: tuple[Any, ...]


_Operand: TypeAlias = "_Column | _Values | Sum | Expression | Any"


def _tokens(query: str) -> list[_Token]:
    tokens, place = [], 0
    while place < len(query):
        match = _TOKEN.match(query, place)
        if match is None:
            raise Fault(f"{query[place]!r} means nothing here", place)
        place = match.end()
        if match.lastgroup != "blank":
            tokens.append(_Token(match.lastgroup or "", match.group(), match.start()))
    return [*tokens, _Token("end", "", len(query.rstrip()))]


@dataclass(slots=True)
class _Reader:
    """A query's tokens, read from left to right."""

    query: str
    tokens: list[_Token]
    position: int = 0
    depth: int = 0
    compares: bool = False  # whether what was read last is a comparison that stands in no bracket

    @property
    def here(self) -> _Token:
        return self.tokens[self.position]

    def take(self) -> _Token:
        token = self.here
        self.position += token.kind != "end"
        return token

    def accept(self, *texts: str) -> _Token | None:
        return self.take() if self.here.kind in ("word", "mark") and self.here.text in texts else None

    def fail(self, what: str, hint: str = "") -> NoReturn:
        token = self.here
        shown = repr(token.text[:40]) if token.kind != "end" else "the end of the query"
        if token.text in ("/", "%", "**", "//"):
            hint = "columns are added up and multiplied with numbers alone, as in 0.5 * b"
        elif token.text == "@":
            hint = "a variable is not looked up; write its value"
        elif token.text == "=":
            hint = "write == to compare"
        message = f"expected {what}, found {shown}" + (f" ({hint})" if hint else "")
        raise Fault(message, token.start, max(1, len(token.text)))

    def whole(self) -> Expression:
        start = self.here
        expression = self.as_condition(self.either(), start)
        if self.here.kind != "end":
            self.fail("and, or or the end of the query")
        return expression

    def either(self) -> _Operand:
        start = self.here
        first = self.both()
        if self.here.text not in ("or", "|"):
            return first
        parts = [self.as_condition(first, start)]
        while self.accept("or", "|"):
            start = self.here
            parts.append(self.as_condition(self.both(), start))
        return Or.of(parts)

    def both(self) -> _Operand:
        start = self.here
        first = self.negated()
        if self.here.text not in ("and", "&"):
            return first
        parts = [self.as_condition(first, start)]
        while self.accept("and", "&"):
            start = self.here
            parts.append(self.as_condition(self.negated(), start))
        return And.of(parts)

    def negated(self) -> _Operand:
        sign = self.accept("not", "~")
        if sign is None:
            return self.comparison()
        self.deeper()
        start = self.here
        expression = Not(self.as_condition(self.negated(), start))
        self.depth -= 1
        if sign.text == "~" and self.compares:
            raise Fault("~ takes what is right behind it alone; put the comparison in brackets", sign.start)
        return expression

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Fault(f"more than {DEEPEST} brackets and negations within one another", self.here.start)

    def as_condition(self, read: _Operand, start: _Token) -> Expression:
        """Return what was read as a condition; a column alone is one of true and false."""
        if isinstance(read, _Column):
            return Leaf(read.name, Condition.among([True]))
        if isinstance(read, Expression):
            return read
        raise Fault("a value alone is no condition; compare a column with it", start.start, len(start.text))

    def comparison(self) -> _Operand:
        """Read comparisons; without any, what could be added up or be a condition itself."""
        start = self.here
        left = self.operand()
        parts: list[Expression] = []
        while True:
            sign = self.accept("<", "<=", ">", ">=", "==", "!=", "in")
            if sign is None and self.here.text == "not" and self.tokens[self.position + 1].text == "in":
                self.take()
                self.take()
                sign = _Token("word", "not in", start.start)
            if sign is None:
                break
            right = self.operand()
            parts.append(self.compared(left, sign, right, start))
            left = right
        self.compares = bool(parts)
        return And.of(parts) if parts else left

    def compared(self, left: _Operand, sign: _Token, right: _Operand, start: _Token) -> Expression:
        length = max(1, self.tokens[self.position - 1].start + len(self.tokens[self.position - 1].text) - start.start)
        if isinstance(left, _Column) and left == right and sign.text in ("==", "!="):
            missing = Condition.is_missing()  # a missing value alone differs from itself
            return Leaf(left.name, missing if sign.text == "!=" else ~missing)
        operator = sign.text
        if operator in _TURNED and _adds_up(left, right):
            return self.compared_sums(left, operator, right, start, length)
        if not isinstance(left, _Column) and operator in _TURNED:
            left, right, operator = right, left, _TURNED[operator]
        if not isinstance(left, _Column) or isinstance(right, _Column | Expression):
            raise Fault("rules compare a column with a value", start.start, length)
        try:
            return Leaf(left.name, self.condition(operator, right))
        except RuleError as error:
            raise Fault(as_message(error), start.start, length) from None

    def compared_sums(self, left: _Operand, operator: str, right: _Operand, start: _Token, length: int) -> Expression:
        """Read a comparison of columns that are added up; where a value is missing, only ``!=`` holds."""
        one, other = self.sum(left, start), self.sum(right, start)
        try:
            key, condition = compare_sums(one, "=" if operator == "==" else operator, other)
        except RuleError as error:
            raise Fault(as_message(error), start.start, length) from None
        return Leaf(key, condition | Condition.is_missing() if operator == "!=" else condition)

    def sum(self, read: _Operand, start: _Token) -> Sum:
        """Return what was read as a sum."""
        if isinstance(read, Sum):
            return read
        if isinstance(read, _Column):
            return Sum.of(read.name)
        if isinstance(read, int | float) and not isinstance(read, bool) and math.isfinite(read):
            return Sum.number(read)
        raise Fault("only columns and numbers are added up, and compared with such sums", start.start, len(start.text))

    def condition(self, operator: str, right: Any) -> Condition:
        listed = isinstance(right, _Values)
        values = right.values if listed else (right,)
        if operator in ("in", "not in") and not listed:
            raise RuleError("In takes a list, as in ['car', 'education'].")
        if any(value is None for value in values):
            raise RuleError("No value is equal to a missing one. Write isna().")
        if operator in ("==", "in", "!=", "not in"):
            equal = Condition.among(values)
            return equal if operator in ("==", "in") else ~equal
        if listed:
            raise RuleError(f"{operator!r} takes one value, not a list.")
        return Condition.compare(operator, right)

    def operand(self) -> _Operand:
        """Read what is compared: a column, a value, a list, or columns that are added up."""
        start = self.here
        total = self.product()
        while sign := self.accept("+", "-"):
            one, other = self.sum(total, start), self.sum(self.product(), sign)
            total = one + other if sign.text == "+" else one - other
        return total

    def product(self) -> _Operand:
        start = self.here
        first = self.factor()
        while sign := self.accept("*"):
            one, other = self.sum(first, start), self.sum(self.factor(), sign)
            if one.weights and other.weights:
                raise Fault("a column is multiplied with a number alone", sign.start)
            first = one * other.constant if one.weights else other * one.constant
        return first

    def factor(self) -> _Operand:
        sign = self.here
        if sign.text in ("-", "+") and self.tokens[self.position + 1].kind != "number":
            self.take()
            self.deeper()
            inner = self.sum(self.factor(), sign) * (-1 if sign.text == "-" else 1)
            self.depth -= 1
            return inner
        return self.single()

    def single(self) -> _Operand:
        token = self.here
        if token.text == "(":
            return self.bracket()
        if token.text in ("[", "{"):
            return self.listed()
        if token.kind == "quoted":
            self.take()
            return self.methods(_Column(token.text[1:-1]))
        if token.kind == "word" and token.text not in _WORDS and token.text not in _CONSTANTS:
            self.take()
            if self.here.text == "(":
                raise Fault(f"{token.text[:40]}() is a function, which is not called", token.start, len(token.text))
            return self.methods(_Column(token.text))
        return self.literal("a column, a value or a bracket")

    def bracket(self) -> _Operand:
        """Read a bracket: a tuple of values if that is what stands in it, else a condition, or what is added up."""
        position = self.position
        try:
            return self.listed()
        except Fault:
            self.position = position
        self.take()
        self.deeper()
        inner = self.either()
        self.depth -= 1
        if not self.accept(")"):
            self.fail("and, or or ')'")
        return inner

    def listed(self) -> _Values:
        end = _ENDS[self.take().text]
        values: list[Any] = []
        while not self.accept(end):
            values.append(self.literal("a value"))
            if not self.accept(",") and self.here.text != end:
                self.fail(f"',' or {end!r}")
        return _Values(tuple(values))

    def literal(self, what: str) -> Any:
        sign = self.accept("-")
        token = self.here
        if token.kind == "number":
            self.take()
            digits = token.text.replace("_", "")
            if len(digits) > 310:
                raise Fault("this number is too large", token.start, len(token.text))
            number = int(digits) if digits.isdigit() else float(digits)
            return -number if sign else number
        if sign:
            self.position -= 1
            self.fail(what)
        if token.kind == "text":
            self.take()
            return self.unescaped(token)
        if token.kind == "word" and token.text in _CONSTANTS:
            self.take()
            return _CONSTANTS[token.text]
        return self.fail(what)

    def unescaped(self, token: _Token) -> str:
        def one(match: re.Match[str]) -> str:
            if match[1] not in _ESCAPED:
                raise Fault(f"{match.group()!r} is an escape that is not read", token.start + 1 + match.start(), 2)
            return _ESCAPED[match[1]]

        return _ESCAPE.sub(one, token.text[1:-1])

    def methods(self, column: _Column) -> _Column | Expression:
        """Read what is called on a column."""
        if not self.accept("."):
            return column
        token = self.take()
        if not self.accept("("):
            name = f"{shortened(column.name, 40)}.{token.text[:40]}"
            self.fail("'('", f"{name} is no column; one with a dot in its name goes in backticks")
        missing = Condition.is_missing()
        if token.text in ("isna", "isnull", "notna", "notnull"):
            condition = missing if token.text.startswith("is") else ~missing
        elif token.text == "isin":
            if self.here.text not in _ENDS:
                self.fail("a list of values")
            condition = self.asked("in", self.listed(), token)
        elif token.text == "between":
            low = self.asked(">=", self.literal("the lower bound"), token)
            if not self.accept(","):
                self.fail("',' and the upper bound")
            condition = low & self.asked("<=", self.literal("the upper bound"), token)
        else:
            message = f"{token.text[:40]}() is not read; there are isna, notna, isin and between"
            raise Fault(message, token.start, len(token.text))
        if not self.accept(")"):
            self.fail("')'")
        return Leaf(column.name, condition)

    def asked(self, operator: str, value: Any, token: _Token) -> Condition:
        try:
            return self.condition(operator, value)
        except RuleError as error:
            raise Fault(as_message(error), token.start, len(token.text)) from None
