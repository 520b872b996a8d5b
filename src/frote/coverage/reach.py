"""Numbers that rules ask for beyond all that a column has, such as a percentage in a column of ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from frote.rules import Clause
from frote.rules.values import as_value, value_text
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from frote.rules import Condition, Rule
    from frote.rules.linear import Key
    from frote.table import Schema

__all__ = ["Ends", "beyond_reach"]

Ends: TypeAlias = "Callable[[str], tuple[Any, Any] | None]"


def beyond_reach(pieces: tuple[Rule, ...], schema: Schema, unmet: Collection[tuple[Key, Condition]], ends: Ends) -> str:
    """Say of a rule that covers no row which of its conditions on a number alone no row meets; empty if none is so.

    Parameters
    ----------
    pieces : tuple of Rule
        The pieces of the rule.

    schema : Schema
        The columns.

    unmet : collection of (str or Linear, Condition)
        The conditions that no row meets.

    ends : callable
        Returns the least and the greatest value of a column by its name; None if it has none.

    Returns
    -------
    str

    Examples
    --------
    >>> import frote, pandas as pd
    >>> (rule,) = frote.parse_rules("IF age > 25 AND ratio > 45 THEN no")
    >>> schema = frote.Table.from_frame(pd.DataFrame({"ratio": [0.2, 0.9], "age": [20, 30]})).schema
    >>> beyond_reach((rule,), schema, [("ratio", rule.clause["ratio"])], lambda name: (0.2, 0.9))
    "No row has ratio > 45: the values of 'ratio' go from 0.2 to 0.9."
    """
    numbers = (Kind.INTEGER, Kind.CONTINUOUS)
    failing = [
        [one for one in piece.clause.alone if one in unmet and schema[one[0]].kind in numbers] for piece in pieces
    ]
    known = [[(one, between) for one in alone if (between := ends(one[0])) is not None] for alone in failing]
    if not all(known):
        return ""
    (name, condition), between = known[0][0]
    low, high = (value_text(as_value(end)) for end in between)
    return f"No row has {Clause.of({name: condition})}: the values of {name!r} go from {low} to {high}."
