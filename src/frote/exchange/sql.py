"""Policies as SQL: a CASE, or SELECT statements with a label and WHERE, read and written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from frote.exceptions import RuleSyntaxError
from frote.exchange.ruled import OTHERWISE
from frote.exchange.sql_cases import Answer, as_rules
from frote.exchange.sql_conditions import Sql, line_of
from frote.exchange.sql_text import DIALECTS, HEADER, RULE_MARK, covered, dialect_named, written
from frote.exchange.sql_values import value_of
from frote.rules.binding import as_schema, require_fit
from frote.rules.expression import And, Expression, Not, Or, Truth, make_pieces
from frote.rules.outcome import Outcome
from frote.rules.ruleset import RuleSet
from frote.rules.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["asked", "read", "rules_of", "write"]

MOST_CASES = 10_000  # of WHEN

_HEADER = re.compile(rf"\s*--\s*{HEADER}\s*:\s*([\w ]+)", re.IGNORECASE)


def read(content: bytes, place: str) -> RuleSet:
    r"""Read the rules of a file of SQL, in the dialect that its first line names, else in DuckDB's.

    Raises
    ------
    RuleSyntaxError
        With the place of what is wrong, or of what rules cannot say.

    Examples
    --------
    >>> sql = b"SELECT *, CASE WHEN age < 29 THEN 'approved' ELSE 'denied' END AS label FROM loans"
    >>> print(read(sql, "policy.sql"))
    rule 1: IF age < 29 THEN approved
    otherwise: IF age >= 29 OR age IS MISSING THEN denied
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RuleSyntaxError(f"{place}: is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None
    named = _HEADER.match(text)
    return rules_of(text, named[1].strip() if named else DIALECTS[0], place)


def write(rules: RuleSet, place: str) -> bytes:
    """Write rules as a CASE of DuckDB's dialect.

    Raises
    ------
    RuleError
        If SQL cannot say what some rule says, with the rule's name.
    """
    return f"-- {HEADER}: {DIALECTS[0]}\n{written(rules, DIALECTS[0], place=place)}\n".encode()


def asked(rules: RuleSet, dialect: str, schema: Any, *, where: bool) -> str:
    """Return rules as SQL, as somebody asks for it who may have data; see `RuleSet.to_sql`."""
    own_schema = None if schema is None else as_schema(schema)
    if own_schema is not None:
        require_fit(rules, own_schema)
    return (covered if where else written)(rules, dialect, own_schema)


def rules_of(text: str, dialect: str, place: str, then: Any = None, name: str = "rule 1") -> RuleSet:
    """Return the rules of a text of SQL.

    Parameters
    ----------
    text : str
        A CASE, or SELECT statements with one or with a label in quotes and WHERE; with a label given, a condition.

    dialect : str
        Whose SQL it is.

    place : str
        What to call the text in messages.

    then : label, mapping or Outcome, default=None
        Where the rows go for which a condition holds.

    name : str, default="rule 1"
        The name of the rule of a condition.

    Returns
    -------
    RuleSet

    Raises
    ------
    RuleSyntaxError
        With the line of what is wrong, or of what rules cannot say.
    """
    sql = _Statements(text, dialect_named(dialect), place)
    statements = sql.parsed()
    if then is not None:
        if len(statements) != 1:
            raise RuleSyntaxError(f"{place}: expected one condition, found {len(statements)} statements.")
        (one,) = statements
        condition = one.args["where"].this if isinstance(one, exp.Select) and one.args.get("where") else one
        outcome = then if isinstance(then, Outcome) else Outcome.of(then)
        try:
            return RuleSet(make_pieces(name, sql.true(condition), outcome, None, Work(len(text))))
        except RecursionError:
            raise RuleSyntaxError(f"{place}: has too much within one another.") from None
    answers = [answer for statement in statements for answer in sql.answers(statement)]
    if len(answers) > MOST_CASES:
        raise RuleSyntaxError(f"{place}: has more than {MOST_CASES:,} cases. Split it, or check that it is a policy.")
    return as_rules(answers, place, Work(len(text)))


class _Statements(Sql):
    """Statements of SQL: what they answer, and when."""

    __slots__ = ()

    def answers(self, statement: exp.Expr) -> Iterator[Answer]:
        """Read a statement: a CASE, or SELECT with one or with a label."""
        try:
            yield from self._answers(statement)
        except RecursionError:
            raise RuleSyntaxError(f"{self.place}: has too much within one another.") from None

    def _answers(self, statement: exp.Expr) -> Iterator[Answer]:
        node = statement.unalias()
        within: Expression = Truth()
        if isinstance(statement, exp.Select):
            node, where = self.selected(statement)
            within = within if where is None else self.true(where)
            if not isinstance(node, exp.Case):
                yield Answer(within, self.label(node), _named(statement, node), line_of(statement))
                return
        if not isinstance(node, exp.Case):
            self.refuse(
                node,
                "expected a CASE, or a SELECT with a label; a condition alone needs the label beside it, as in "
                "sql_rules(text, label)",
            )
        taken: list[Expression] = []
        for branch in node.args["ifs"]:
            subject, test = node.args.get("this"), branch.this
            when = self.true(test if subject is None else exp.EQ(this=subject.copy(), expression=test.copy()))
            taken.append(when)
            yield Answer(_both(within, when), self.label(branch.args["true"]), _named(branch), line_of(branch))
        default = node.args.get("default")
        if default is not None and self.label(default) is not None:
            rest: Expression = Not(Or.of(taken))
            yield Answer(_both(within, rest), self.label(default), _named(default) or OTHERWISE, line_of(default))

    def selected(self, select: exp.Select) -> tuple[exp.Expr, exp.Expr | None]:
        """Return what a SELECT gives that is a CASE or a label, and its WHERE; anything else it does is refused."""
        for key, part in select.args.items():
            if part and key not in ("expressions", "from_", "from", "where", "kind", "hint"):
                first = part[0] if isinstance(part, list) else part
                self.refuse(first if isinstance(first, exp.Expr) else select, f"{key.upper()} is no part of rules")
        origin = select.args.get("from_") or select.args.get("from")
        if origin is not None and not _is_plain(origin.this):
            self.refuse(origin.this, "rows come from one table; what is selected from elsewhere is no part of rules")
        if origin is not None:
            self.tables = {origin.this.name, origin.this.alias_or_name}
        columns = [one.unalias() for one in select.expressions]
        found = [one for one in columns if not isinstance(one, exp.Star | exp.Column)]
        if len(found) != 1:
            self.refuse(select, f"expected one CASE or label in quotes beside columns, found {len(found)}")
        where = select.args.get("where")
        return found[0], None if where is None else where.this

    def label(self, node: exp.Expr) -> str | None:
        """Read what a branch gives: a text, a number, true or false; NULL is no answer."""
        if isinstance(node, exp.Null):
            return None
        if isinstance(node, exp.Literal | exp.Boolean | exp.Neg):
            value = value_of(node)
            if value is not None:
                return node.this if isinstance(node, exp.Literal) and node.is_string else str(value)
        return self.refuse(node, "expected a label in quotes, a number, TRUE or FALSE")


def _both(one: Expression, other: Expression) -> Expression:
    return other if isinstance(one, Truth) else And.of([one, other])


def _named(*nodes: exp.Expr) -> str:
    """Return the name that a comment gives, as ``-- rule: young savers``."""
    for node in nodes:
        for part in node.walk():
            for comment in part.comments or ():
                if comment.strip().startswith(RULE_MARK):
                    return str(comment.strip().removeprefix(RULE_MARK).strip())
    return ""


def _is_plain(origin: exp.Expr) -> bool:
    """Tell whether rows come from a table by its name, as they are, and not from a function or a part of one."""
    if not (isinstance(origin, exp.Table) and isinstance(origin.this, exp.Identifier)):
        return False
    alias = origin.args.get("alias")
    others = [key for key, part in origin.args.items() if part and key not in ("this", "db", "catalog", "alias")]
    return not others and not (alias is not None and alias.args.get("columns"))
