"""Numbers that rules ask for beyond all that a column has, such as a percentage in a column of ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.rules import Clause
from frote.rules.masks import count
from frote.rules.values import as_value, value_text
from frote.table import Kind

if TYPE_CHECKING:
    from frote.rules import Rule
    from frote.rules.masks import Masks

__all__ = ["beyond_reach"]


def beyond_reach(pieces: tuple[Rule, ...], masks: Masks) -> str:
    """Say of a rule that covers no row which of its conditions on a number alone no row meets; empty if none is so.

    Parameters
    ----------
    pieces : tuple of Rule
        The pieces of the rule.

    masks : Masks
        The rows.

    Returns
    -------
    str

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.rules.masks import Masks
    >>> from frote.table import Table
    >>> masks = Masks(Table.from_frame(pd.DataFrame({"ratio": [0.2, 0.9], "age": [20, 30]})))
    >>> beyond_reach(tuple(frote.parse_rules("IF age > 25 AND ratio > 45 THEN no")), masks)
    "No row has ratio > 45: the values of 'ratio' go from 0.2 to 0.9."
    """
    unmet = [_unmet(piece, masks) for piece in pieces]
    if not all(unmet):
        return ""
    name, clause = unmet[0][0]
    present = masks.table[name].present
    low, high = (value_text(as_value(end.item())) for end in (present.min(), present.max()))
    return f"No row has {clause}: the values of {name!r} go from {low} to {high}."


def _unmet(piece: Rule, masks: Masks) -> list[tuple[str, Clause]]:
    """Return the conditions on numbers that no row meets, though their column has values."""
    alone = [(name, Clause.of({name: condition})) for name, condition in piece.clause if _is_number(name, masks)]
    return [(name, clause) for name, clause in alone if not count(masks.packed(clause))]


def _is_number(name: str, masks: Masks) -> bool:
    is_number = masks.table.schema[name].kind in (Kind.INTEGER, Kind.CONTINUOUS)
    return is_number and len(masks.table[name].present) > 0
