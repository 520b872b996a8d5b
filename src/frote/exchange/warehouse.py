"""Rules as SQL, for programs: what needs sqlglot is imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.exchange.forms import form_of

if TYPE_CHECKING:
    from frote.rules.ruleset import RuleSet

__all__ = ["sql_of", "sql_rules"]


def sql_rules(text: str, then: Any = None, *, dialect: str = "duckdb", name: str = "rule 1") -> RuleSet:
    """Return the rules of SQL: a CASE, SELECT statements with one or with a label, or a condition. Nothing is executed.

    Parameters
    ----------
    text : str
        The SQL. A comment such as ``-- rule: young savers`` behind a branch names its rule.

    then : label, mapping or Outcome, default=None
        Where the label goes of rows for which a condition holds, as WHERE has it; without it, the SQL says so.

    dialect : {"duckdb", "postgres", "snowflake", "spark", "bigquery"}, default="duckdb"
        Whose SQL it is.

    name : str, default="rule 1"
        The name of the rule of a condition.

    Returns
    -------
    RuleSet
        For each row the answer of the SQL: the first branch that holds. A comparison with NULL is neither true nor
        false, so that ``NOT (x > 1)`` leaves a missing ``x`` out, where our own ``NOT`` does not.

    Raises
    ------
    RuleSyntaxError
        With the line of what is wrong, or of what rules cannot say: functions, division, joins, subqueries.

    Examples
    --------
    >>> import frote
    >>> print(frote.sql_rules("WHERE age < 29 AND NOT (income > 9)", "approved"))
    rule 1: IF age < 29 AND income <= 9 THEN approved
    >>> print(frote.sql_rules("CASE WHEN age < 29 THEN 'yes' WHEN income > 9 THEN 'no' END -- rule: rich"))
    rule 1: IF age < 29 THEN yes
    rule 2: IF income > 9 AND (age >= 29 OR age IS MISSING) THEN no
    """
    rules: RuleSet = form_of_sql().rules_of(text, dialect, "SQL", then, name)
    return rules


def sql_of(rules: RuleSet, dialect: str, schema: Any, *, where: bool) -> str:
    """Return rules as SQL; see `RuleSet.to_sql`."""
    text: str = form_of_sql().asked(rules, dialect, schema, where=where)
    return text


def form_of_sql() -> Any:
    """Return the module that reads and writes SQL."""
    form = form_of("policy.sql")
    assert form is not None, "it stands among the forms"
    return form.imported("SQL")
