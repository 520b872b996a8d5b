"""Conditions of SQL read as conditions of rules, by the syntax of sqlglot. Nothing is ever executed.

SQL knows three answers, true, false and NULL, where a comparison with NULL is neither true nor false. A rule covers the
rows for which its condition is true. So each condition is read for when it is true, or for when it is false:
``NOT (x > 1)`` is true where ``x > 1`` is false, which leaves NULL out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import sqlglot
from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, SqlglotError

from frote.exceptions import RuleError, RuleSyntaxError
from frote.exchange.sql_sums import SumReader, adds_up, put_together
from frote.exchange.sql_text import backslash_escapes
from frote.exchange.sql_values import value_of
from frote.rules.condition import Condition
from frote.rules.expression import And, Expression, Leaf, Not, Or, Truth
from frote.rules.level_tests import containing, ending, like, starting
from frote.rules.patterns import escaped
from frote.rules.values import Instant, parse_instant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from frote.rules.linear import Key

__all__ = ["SHOWN", "Sql", "line_of"]

LARGEST = 1_000_000  # characters
DEEPEST = 60  # brackets within one another
MOST_CALLS = 4  # within one another: SQLGlot takes twice as long for each, and no policy has any
SHOWN = 60  # characters of what cannot be read

_WHERE = re.compile(r"\s*WHERE\b", re.IGNORECASE)
_NAME = re.compile(r"\w+")
_BEFORE_BRACKETS = frozenset(
    ("AND", "OR", "NOT", "IN", "WHEN", "THEN", "ELSE", "WHERE", "CASE", "SELECT", "BETWEEN", "IS", "LIKE", "FROM")
)
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_SIGNS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_PATTERNS: dict[type[exp.Expr], Callable[[str], Condition]] = {
    exp.Like: like,
    exp.StartsWith: starting,
    exp.EndsWith: ending,
    exp.Contains: containing,
}
_OF_NULL = "is neither true nor false for any row; write IS NULL, or IS NOT NULL"


@dataclass(slots=True)
class Sql:
    """A text of SQL, of which conditions are read."""

    text: str
    dialect: str
    place: str
    tables: set[str] = field(default_factory=set)

    def parsed(self) -> list[exp.Expr]:
        """Return the statements; what is too large or too deep, or no SQL, is told before anything is made of it."""
        if len(self.text) > LARGEST:
            raise RuleSyntaxError(f"{self.place}: has more than {LARGEST:,} characters. Split it.")
        where = _WHERE.match(self.text)
        text = self.text[where.end() :] if where else self.text
        try:
            self._require_shallow(sqlglot.tokenize(text, read=self.dialect))
            found = [one for one in sqlglot.parse(text, read=self.dialect) if one is not None]
        except ParseError as error:
            first = error.errors[0] if error.errors else {}
            near = str(first.get("highlight") or "")
            column = first["col"] - len(near) + 1 if near else first.get("col")  # it is given by where it ends
            where_to_look = f", line {first['line']}, column {column}" if first.get("line") else ""
            near = f" near {near[:SHOWN]!r}" if near else ""
            raise RuleSyntaxError(f"{self.place}{where_to_look}: is no SQL of {self.dialect}{near}.") from None
        except SqlglotError:
            raise RuleSyntaxError(f"{self.place}: is no SQL of {self.dialect}: a quote may never be closed.") from None
        except RecursionError:
            raise RuleSyntaxError(f"{self.place}: has too much within one another.") from None
        if not found:
            raise RuleSyntaxError(f"{self.place}: holds no SQL. Give a CASE, or SELECT ... WHERE.")
        return found

    def _require_shallow(self, tokens: list[Token]) -> None:
        """Refuse brackets, and calls of functions, that are too deep within one another to be read."""
        open_calls: list[bool] = []
        before = ""
        for token in tokens:
            if token.token_type is TokenType.L_PAREN:
                open_calls.append(bool(_NAME.fullmatch(before)) and before.upper() not in _BEFORE_BRACKETS)
            elif token.token_type is TokenType.R_PAREN and open_calls:
                open_calls.pop()
            before = token.text
            if len(open_calls) > DEEPEST:
                raise RuleSyntaxError(f"{self.place}: has more than {DEEPEST} brackets within one another.")
            if sum(open_calls) > MOST_CALLS:
                raise RuleSyntaxError(f"{self.place}: has more than {MOST_CALLS} functions within one another.")

    def true(self, node: exp.Expr) -> Expression:
        """Return the rows for which a condition is true."""
        return self.rows(node, holds=True)

    def rows(self, node: exp.Expr, *, holds: bool) -> Expression:
        """Return the rows for which a condition is true, or those for which it is false."""
        if isinstance(node, exp.Paren):
            return self.rows(node.this, holds=holds)
        if isinstance(node, exp.Not):
            return self.rows(node.this, holds=not holds)
        # NOT LIKE is a Not of a Like to some versions of sqlglot, and to others a Like that is negated.
        inner = node.this if isinstance(node, exp.Escape) else node
        if inner.args.get("negate"):
            plain = node.copy()
            (plain.this if isinstance(node, exp.Escape) else plain).set("negate", None)
            return self.rows(plain, holds=not holds)
        if isinstance(node, exp.And | exp.Or):
            every = isinstance(node, exp.And) == holds
            parts = put_together((self.rows(part, holds=holds) for part in _chain(node)), every=every)
            return And.of(parts) if every else Or.of(parts)
        if isinstance(node, exp.Boolean):
            return Truth() if bool(node.this) == holds else Not(Truth())
        if isinstance(node, exp.Is):
            return self.identity(node, holds=holds)
        if isinstance(node, exp.Between):
            return self.rows(self.two_comparisons(node), holds=holds)
        column, condition = self.condition(node)
        return Leaf(column, condition if holds else ~(condition | Condition.is_missing()))

    def identity(self, node: exp.Is, *, holds: bool) -> Expression:
        """Read IS NULL, IS TRUE and IS FALSE, which are never NULL themselves."""
        if isinstance(node.expression, exp.Null):
            gap = Leaf(self.column(node.this), Condition.is_missing())
            return gap if holds else Not(gap)
        if isinstance(node.expression, exp.Boolean):
            inner = self.rows(node.this, holds=bool(node.expression.this))
            return inner if holds else Not(inner)
        return self.refuse(node, "only IS NULL, IS TRUE and IS FALSE are read")

    def condition(self, node: exp.Expr) -> tuple[Key, Condition]:
        """Read a comparison: when it is true; it is false for all other values, and NULL for NULL."""
        sign = _SIGNS.get(type(node))
        if sign is not None:
            left, right = node.this, node.expression
            for side in (left, right):
                if isinstance(side, exp.Null):
                    self.value(side)
            if adds_up(left, right):
                return SumReader(self.dialect, self.column, self.refuse).compared(node, left, sign, right)
            if self.is_constant(left) and not self.is_constant(right):
                left, right, sign = right, left, _TURNED[sign]
            return self.column(left), self.compared(sign, right)
        if isinstance(node, exp.In):
            if node.args.get("query") or node.args.get("unnest") or node.args.get("field"):
                self.refuse(node, "only lists of values are read behind IN")
            return self.column(node.this), Condition.among([self.value(one) for one in node.expressions])
        if isinstance(node, exp.Like | exp.Escape | exp.StartsWith | exp.EndsWith | exp.Contains):
            return self.pattern(node)
        if isinstance(node, exp.Column):
            return self.column(node), Condition.among([True])
        return self.refuse(node, "rules compare columns with values and with one another: no functions, no subqueries")

    def two_comparisons(self, node: exp.Between) -> exp.Expr:
        """Return what BETWEEN says, its ends included."""
        if node.args.get("symmetric"):
            self.refuse(node, "BETWEEN SYMMETRIC is not read; write the lower bound first")
        low, high = (
            sign(this=node.this.copy(), expression=node.args[end].copy())
            for sign, end in ((exp.GTE, "low"), (exp.LTE, "high"))
        )
        return exp.And(this=low, expression=high)

    def pattern(self, node: exp.Expr) -> tuple[str, Condition]:
        """Read LIKE, and the functions that ask for a part of a text."""
        if isinstance(node, exp.Escape):
            inner, escape = node.this, self.text_of(node.expression)
        else:
            inner, escape = node, "\\" if backslash_escapes(self.dialect) else ""
        make = _PATTERNS.get(type(inner))
        if make is None or (make is not like and inner is not node):
            self.refuse(node, "only LIKE, and the functions starts_with, ends_with and contains, are read")
        text = self.text_of(inner.expression)
        if make is like:
            try:
                text = _escaped_by(text, escape)
            except ValueError:
                self.refuse(node, "the pattern ends in its escape, with nothing behind it")
        try:
            return self.column(inner.this), make(text)
        except RuleError as error:
            self.refuse(node, str(error).removesuffix("."))

    def text_of(self, node: exp.Expr) -> str:
        """Read a text in quotes."""
        if isinstance(node, exp.Literal) and node.is_string:
            return str(node.this)
        return self.refuse(node, "expected a text in quotes")

    def compared(self, sign: str, node: exp.Expr) -> Condition:
        """Read what a column is compared with; texts stand in no order that rules and SQL agree on."""
        value = self.value(node)
        if sign not in ("=", "!=") and isinstance(value, str):
            value = parse_instant(value) or value
        if sign not in ("=", "!=") and not isinstance(value, int | float | Instant):
            self.refuse(node, "SQL orders texts by their letters, which rules do not; compare with a number or a date")
        try:
            return Condition.compare(sign, value)
        except RuleError as error:
            self.refuse(node, str(error).removesuffix("."))

    def value(self, node: exp.Expr) -> Any:
        """Read a value."""
        if isinstance(node, exp.Null):
            self.refuse(node, f"a comparison with NULL {_OF_NULL}")
        value = value_of(node)
        if value is None:
            what = "another column" if isinstance(node, exp.Column) else "what has to be worked out"
            self.refuse(node, f"expected a value, found {what}: a number, a text or a date is read here")
        return value

    def is_constant(self, node: exp.Expr) -> bool:
        """Tell whether this is a value, or NULL."""
        return isinstance(node, exp.Null) or value_of(node) is not None

    def column(self, node: exp.Expr) -> str:
        """Read the name of a column, be it in brackets or behind its table's name."""
        while isinstance(node, exp.Paren):
            node = node.this
        if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier):
            self.refuse(node, "expected a column, by its name alone; what functions work out belongs into the data")
        if node.args.get("db") or (node.table and self.tables and node.table not in self.tables):
            self.refuse(node, "rules speak of the columns of one table")
        return str(node.this.this)

    def refuse(self, node: exp.Expr, why: str) -> NoReturn:
        """Say what cannot be a rule, where it stands, and why."""
        line = line_of(node)
        shown = " ".join(_shown(node, self.dialect).split())
        raise RuleSyntaxError(f"{self.place}{f', line {line}' if line else ''}: {shown!r} cannot be a rule: {why}.")


def _chain(node: exp.Expr) -> list[exp.Expr]:
    """Return the parts of a chain of ANDs, or of ORs, in order; a long one is a deep tree to the parser."""
    parts, waiting = [], [node]
    while waiting:
        part = waiting.pop()
        if type(part) is type(node):
            waiting += [part.expression, part.this]
        else:
            parts.append(part)
    return parts


def _escaped_by(text: str, escape: str) -> str:
    """Return a pattern as rules write it: a backslash before what stands for itself."""
    if len(escape) > 1:
        raise ValueError
    parts, signs = [], iter(text)
    for sign in signs:
        if escape and sign == escape:
            parts.append(escaped(_next(signs)))
        else:
            parts.append(sign if sign in "%_" else escaped(sign))
    return "".join(parts)


def _next(signs: Iterator[str]) -> str:
    found = next(signs, None)
    if found is None:
        raise ValueError
    return found


def line_of(node: exp.Expr) -> int | None:
    """Return the first line of a part of SQL, from the names and values in it."""
    lines = [part.meta["line"] for part in node.walk() if "line" in part.meta]
    return min(lines, default=None)


def _shown(node: exp.Expr, dialect: str) -> str:
    try:
        text = str(node.sql(dialect, comments=False))
    except (SqlglotError, RecursionError, ValueError):
        text = node.key.upper()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
