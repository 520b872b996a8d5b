"""Where a rule lets the values of a column lie, whatever its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from frote.generation.levels import LevelColumn
from frote.generation.numbers import NumberColumn

if TYPE_CHECKING:
    from frote.rules import Condition, Rule
    from frote.table import Table

__all__ = ["Limits", "MadeColumn", "column_of", "limits_of"]

MadeColumn: TypeAlias = NumberColumn | LevelColumn
Limits: TypeAlias = Any  # Stretches or AllowedLevels, as suits the column


def column_of(table: Table, name: str) -> MadeColumn:
    """Look at a column of a table."""
    return (LevelColumn if table.schema[name].kind.has_levels else NumberColumn).of(table, name)


def limits_of(rule: Rule, condition: Condition, column: MadeColumn) -> Limits | None:
    r"""Return where a condition of a rule lets new values of a column lie.

    Parameters
    ----------
    rule : Rule
        The rule.

    condition : Condition
        Its condition on the column.

    column : NumberColumn or LevelColumn
        What is known of the column.

    Returns
    -------
    Stretches, AllowedLevels or None
        None if the column's type holds no value that meets the condition; or if only a missing one would, the column
        has none, and the rule as written does not ask for them.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.table import Table
    >>> frame = pd.DataFrame({"age": [20, 30], "pay": [1.5, 2.0]})
    >>> rules = frote.parse_rules("rich: IF pay > 0 OR pay <= 0 THEN yes\nold: IF age > 25 THEN no")
    >>> old = rules.resolve("priority", frame)[-1]
    >>> print(old)
    old: IF age > 25 AND pay IS MISSING THEN no
    >>> limits_of(old, old.clause["pay"], column_of(Table.from_frame(frame), "pay")) is None
    True
    """
    limits = column.allowed(condition) if isinstance(column, LevelColumn) else column.stretches(condition)
    if limits is not None and limits.only_missing and not column.has_gaps and column.column.name in rule.unasked_gaps:
        return None
    return limits
