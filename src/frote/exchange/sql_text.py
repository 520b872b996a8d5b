"""Rules written as SQL, so that a policy can be run where the data are: CASE for answers, a condition for coverage.

What is written is true for exactly the rows that a rule covers, and false or NULL for the others: no condition is
negated, since NOT of NULL is NULL.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from frote.exceptions import RuleError, nearest
from frote.exchange.sql_sums import SumWriter
from frote.exchange.sql_values import literal
from frote.rules.condition import Condition
from frote.rules.level_tests import Undecided
from frote.rules.patterns import LIKE
from frote.rules.text import condition_text, name_text, shortened
from frote.rules.values import Instant, Value
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from frote.rules.clause import Clause
    from frote.rules.intervals import Intervals
    from frote.rules.linear import Linear
    from frote.rules.rule import Rule
    from frote.rules.ruleset import RuleSet
    from frote.table import Schema

__all__ = ["DIALECTS", "HEADER", "RULE_MARK", "backslash_escapes", "covered", "dialect_named", "written"]

DIALECTS = ("duckdb", "postgres", "snowflake", "spark", "bigquery")
HEADER = "dialect"
RULE_MARK = "rule:"

_SIMPLE = re.compile(r"[a-z_][a-z0-9_]*", re.ASCII)
_UPPER = re.compile(r"[A-Z_][A-Z0-9_]*", re.ASCII)


def dialect_named(name: str) -> str:
    """Return the dialect that a name stands for.

    Examples
    --------
    >>> dialect_named("PostgreSQL"), dialect_named("DuckDB")
    ('postgres', 'duckdb')
    """
    plain = name.strip().casefold()
    known = {**{one: one for one in DIALECTS}, "postgresql": "postgres", "databricks": "spark"}
    if plain not in known:
        raise RuleError(f"{name!r} is no dialect of SQL that is known here. {nearest(plain, DIALECTS)}")
    return known[plain]


def backslash_escapes(dialect: str) -> bool:
    """Whether a backslash escapes in LIKE though no ESCAPE says so.

    Examples
    --------
    >>> backslash_escapes("postgres"), backslash_escapes("duckdb")
    (True, False)
    """
    return dialect in ("postgres", "spark", "bigquery")


def written(rules: RuleSet, dialect: str, schema: Schema | None = None, place: str = "SQL") -> str:
    r"""Return rules as a CASE, which gives the label of the first that covers a row, and NULL where none does.

    Examples
    --------
    >>> import frote
    >>> print(written(frote.parse_rules("young: IF age < 29 AND NOT (income > 9) THEN yes"), "duckdb"))
    CASE
      WHEN age < 29 AND (income <= 9 OR income IS NULL) THEN 'yes' -- rule: young
    END
    """
    if not rules:
        raise RuleError(f"{place}: there is no rule to write. Give one at least.")
    writer = _Writer(dialect_named(dialect), schema, place)
    writer.require_told_apart(rules.columns)
    cases = (
        f"  WHEN {writer.rule(rule)} THEN {writer.label(rule)} -- {RULE_MARK} {name_text(rule.name, rule.origin)}"
        for rule in rules
    )
    return "\n".join(["CASE", *cases, "END"])


def covered(rules: RuleSet, dialect: str, schema: Schema | None = None, place: str = "SQL") -> str:
    """Return the condition that a row is covered by some rule.

    Examples
    --------
    >>> import frote
    >>> print(covered(frote.parse_rules("IF age < 29 OR `capital gain` > 5 THEN yes"), "bigquery"))
    age < 29 OR ((age >= 29 OR age IS NULL) AND `capital gain` > 5)
    """
    writer = _Writer(dialect_named(dialect), schema, place)
    writer.require_told_apart(rules.columns)
    conditions = [writer.rule(rule) for rule in rules]
    if len(conditions) < 2:
        return conditions[0] if conditions else "FALSE"
    return " OR ".join(f"({text})" if " AND " in text or " OR " in text else text for text in conditions)


@dataclass(frozen=True, slots=True)
class _Writer:
    """What SQL is written for: a dialect, and, where they are given, the kinds of columns."""

    dialect: str
    schema: Schema | None
    place: str

    def label(self, rule: Rule) -> str:
        outcome = rule.outcome
        if outcome.rest or len(outcome.labels) != 1:
            raise RuleError(
                f"{self.place}: rule {rule.origin!r} has the outcome {shortened(str(outcome))}, and SQL gives each row "
                "one label. Leave out what the rule is not sure of, or save the policy as .rules or .json."
            )
        return self.text(literal(outcome.labels[0], as_text=True))

    def rule(self, rule: Rule) -> str:
        try:
            return self.clause(rule.clause)
        except RuleError as error:
            raise RuleError(f"{self.place}: rule {rule.origin!r}: {error}") from None

    def clause(self, clause: Clause) -> str:
        texts = [
            self.condition(key, condition) if isinstance(key, str) else self.sum(key, condition)
            for key, condition in clause
        ]
        if len(texts) < 2:
            return texts[0] if texts else "TRUE"
        return " AND ".join(f"({text})" if _is_compound(text) else text for text in texts)

    def condition(self, name: str, condition: Condition) -> str:
        column = None if self.schema is None else self.schema.get(name)
        if column is not None:
            if not condition.is_decided_on(column) and not _is_pattern(condition):
                condition = condition.on(column)
            elif condition.is_decided:
                condition = condition.settled(column.kind)
        return self.text(_any(self.terms(name, condition, None if column is None else column.kind)))

    def sum(self, key: Linear, condition: Condition) -> str:
        return self.text(_any(SumWriter(self.dialect, self.schema, self.column).terms(key, condition)))

    def terms(self, name: str, condition: Condition, kind: Kind | None) -> list[exp.Expr]:
        """Return what a value may be, each alternative for itself."""
        column = self.column(name)
        if isinstance(condition, Undecided):
            return self.tested(name, condition, kind)
        gaps: list[exp.Expr] = [_is_null(column)] if condition.missing else []
        if condition.all_but:
            outside = ~condition
            if not (outside.numbers.is_finite() and outside.times.is_finite()):
                raise RuleError(
                    f"{shortened(condition_text(name, condition)[0])} speaks of numbers and of others at once, which a "
                    "column of SQL does not hold. Give the data, as in rules.to_sql(schema=X)."
                )
            return [*self.but_for(column, outside.named_values(), kind), *gaps]
        as_text, as_truth = _sorts(condition, kind)
        points: list[Value] = []
        ranges: list[exp.Expr] = []
        for line, times in ((condition.numbers, False), (condition.times, True)):
            for low, high in _stretches(line):
                if low[0] == high[0]:
                    points.append(_value(low[0], times))
                elif as_text or as_truth:
                    raise RuleError(
                        f"{shortened(condition_text(name, condition)[0])} compares by order, and SQL orders texts by "
                        "their letters. List the values with IN, or give the data, as in rules.to_sql(schema=X)."
                    )
                else:
                    ranges.append(_all(self.between(column, low, high, times)))
        points += sorted(condition.texts)
        listed = [literal(value, as_text=as_text, as_truth=as_truth) for value in points]
        if listed:
            ranges.insert(0, exp.EQ(this=column, expression=listed[0]) if len(listed) == 1 else _in(column, listed))
        return [*ranges, *gaps] or [_never(column)]

    def but_for(self, column: exp.Expr, values: Sequence[Value], kind: Kind | None) -> list[exp.Expr]:
        """Return what all values but a few are, missing not among them."""
        if not values:
            return [exp.Not(this=_is_null(column))]
        as_text, as_truth = _sorts_of(values, kind)
        listed = [literal(value, as_text=as_text, as_truth=as_truth) for value in values]
        if len(listed) == 1:
            return [exp.NEQ(this=column, expression=listed[0])]
        return [exp.Not(this=_in(column, listed))]

    def between(
        self, column: exp.Expr, low: tuple[float, int], high: tuple[float, int], times: bool
    ) -> Iterable[exp.Expr]:
        (least, low_open), (most, high_closed) = low, high
        if math.isfinite(least) and math.isfinite(most) and high_closed and not low_open:
            ends = literal(_value(least, times)), literal(_value(most, times))
            yield exp.Between(this=column, low=ends[0], high=ends[1])
            return
        if math.isinf(least) and math.isinf(most):
            middle = literal(_value(0, times))  # any number, or any date, as rules themselves write it
            parts = [sign(this=column.copy(), expression=middle.copy()) for sign in (exp.LT, exp.GTE)]
            yield exp.Paren(this=exp.Or(this=parts[0], expression=parts[1]))
        if math.isfinite(least):
            above: type[exp.Binary] = exp.GT if low_open else exp.GTE
            yield above(this=column, expression=literal(_value(least, times)))
        if math.isfinite(most):
            below: type[exp.Binary] = exp.LTE if high_closed else exp.LT
            yield below(this=column, expression=literal(_value(most, times)))

    def tested(self, name: str, condition: Undecided, kind: Kind | None) -> list[exp.Expr]:
        """Return what a condition on patterns allows: where a text is like its pattern, and where it is not."""
        if condition.test.sign != LIKE:
            raise RuleError(
                f"{shortened(condition_text(name, condition)[0])} asks for an order of levels that SQL does not know. "
                "Give the data, as in rules.to_sql(schema=X)."
            )
        column, pattern = self.column(name), condition.test.text
        test: exp.Expr = exp.Like(this=column, expression=exp.Literal.string(pattern))
        if "\\" in pattern and self.dialect != "bigquery":  # which has no ESCAPE, and needs none
            test = exp.Escape(this=test, expression=exp.Literal.string("\\"))
        found: list[exp.Expr] = []
        for answer, rest in ((test, condition.inside), (exp.Not(this=test.copy()), condition.outside)):
            known = rest & ~Condition.is_missing()
            if known == ~Condition.is_missing():
                found.append(answer)
            elif known != Condition.nothing():
                found.append(_all([answer, _any(self.terms(name, known, kind))]))
        return [*found, *([_is_null(column)] if condition.missing else [])] or [_never(column)]

    def column(self, name: str) -> exp.Expr:
        """Return a column by its name, in quotes where it would be read as something else without them."""
        if not name or "\0" in name:
            raise RuleError(f"no column of SQL is named {name!r}.")
        simple = _SIMPLE.fullmatch(name) or (self.dialect == "snowflake" and _UPPER.fullmatch(name))
        return exp.column(name, quoted=not simple or name.upper() in _words(self.dialect))

    def require_told_apart(self, names: Iterable[str]) -> None:
        """Refuse columns whose names differ only by case: most warehouses take them for one."""
        seen: dict[str, str] = {}
        for name in names:
            other = seen.setdefault(name.casefold(), name)
            if other != name:
                raise RuleError(
                    f"{self.place}: the columns {other!r} and {name!r} differ by case alone, which warehouses do not "
                    "tell apart. Rename one."
                )

    def text(self, node: exp.Expr) -> str:
        if any("\0" in one.this for one in node.find_all(exp.Literal)):
            raise RuleError("a value holds the character \\0, which no text of SQL can.")
        return str(node.sql(self.dialect, comments=False))


# What is read as a word of SQL somewhere, though a parser may take it for a name.
_RESERVED = """
ALL ANALYSE ANALYZE AND ANY ARRAY AS ASC ASYMMETRIC AT AUTHORIZATION BINARY BOTH BY CASE CAST CHECK COLLATE
COLLATION COLUMN CONCURRENTLY CONSTRAINT CREATE CROSS CUBE CURRENT CURRENT_CATALOG CURRENT_DATE CURRENT_ROLE
CURRENT_SCHEMA CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DEFAULT DEFERRABLE DEFINE DESC DESCRIBE DISTINCT DO ELSE
END ENUM ESCAPE EXCEPT EXCLUDE EXISTS EXTRACT FALSE FETCH FOLLOWING FOR FOREIGN FREEZE FROM FULL GLOB GRANT GROUP
GROUPING GROUPS HASH HAVING IF IGNORE ILIKE IN INITIALLY INNER INTERSECT INTERVAL INTO IS ISNULL JOIN LAMBDA LATERAL
LEADING LEFT LIKE LIMIT LOCALTIME LOCALTIMESTAMP LOOKUP MERGE MINUS NATURAL NEW NO NOT NOTNULL NULL NULLS OF OFFSET
ON ONLY OR ORDER OUTER OVER OVERLAPS PARTITION PIVOT PIVOT_LONGER PIVOT_WIDER PLACING POSITIONAL PRECEDING PRIMARY
PROTO QUALIFY RANGE RECURSIVE REFERENCES RESPECT RETURNING RIGHT ROLLUP ROWS SAMPLE SELECT SEMI SESSION_USER SET
SHOW SIMILAR SOME STRUCT SUMMARIZE SYMMETRIC TABLE TABLESAMPLE THEN TO TRAILING TREAT TRUE UNBOUNDED UNION UNIQUE
UNNEST UNPIVOT USER USING VARIADIC VERBOSE WHEN WHERE WINDOW WITH WITHIN ANTI ASOF MAP TRY_CAST REGEXP RLIKE ROW
START CONNECT INCREMENT ISSUE SYSDATE VALUES UPDATE DELETE INSERT ALTER DROP ROWNUM TRIGGER VIEW GENERATED AT
"""


@lru_cache
def _words(dialect: str) -> frozenset[str]:
    """Return the words that a dialect reads as something else than a name."""
    keywords = sqlglot.Dialect.get_or_raise(dialect).tokenizer_class.KEYWORDS
    return frozenset(_RESERVED.split()) | frozenset(keywords)


def _is_compound(text: str) -> bool:
    return " OR " in text or " AND " in text


def _is_pattern(condition: Condition) -> bool:
    return isinstance(condition, Undecided) and all(test.sign == LIKE for test in condition.tests())


def _sorts(condition: Condition, kind: Kind | None) -> tuple[bool, bool]:
    values = condition.named_values() if condition.is_discrete else sorted(condition.texts)
    return _sorts_of(values, kind)


def _sorts_of(values: Sequence[Value], kind: Kind | None) -> tuple[bool, bool]:
    """Tell whether values are of a column of texts, and whether of one of true and false."""
    if kind is not None:
        return kind is Kind.CATEGORICAL, kind is Kind.BOOLEAN
    truths = bool(values) and all(value in ("true", "false") for value in values)
    return not truths and any(isinstance(value, str) for value in values), truths


def _stretches(line: Intervals) -> list[tuple[tuple[float, int], tuple[float, int]]]:
    return list(line)


def _value(number: float, times: bool) -> Value:
    return Instant(int(number)) if times else number


def _is_null(column: exp.Expr) -> exp.Expr:
    return exp.Is(this=column.copy(), expression=exp.null())


def _never(column: exp.Expr) -> exp.Expr:
    """Return what no row meets; it names the column, as the rule does."""
    return _all([_is_null(column), exp.Not(this=_is_null(column))])


def _in(column: exp.Expr, values: list[exp.Expr]) -> exp.Expr:
    return exp.In(this=column.copy(), expressions=values)


def _all(parts: Iterable[exp.Expr]) -> exp.Expr:
    return exp.and_(*parts, copy=False)


def _any(parts: Sequence[exp.Expr]) -> exp.Expr:
    return exp.or_(*parts, copy=False)
