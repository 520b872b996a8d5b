"""Missing values that rules ask for, beside those that conflicts leave to them.

What a rule gives up is written with its complement: of ``a > 1``, those with ``a <= 1`` or a missing ``a`` stay. Nobody
wrote that rows with a missing ``a`` are wanted. On account of a sum of columns no missing value is ever made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.rules.condition import Condition

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from frote.rules.clause import Clause
    from frote.rules.rule import Rule

__all__ = ["asked_gaps", "unasked_gaps"]


def asked_gaps(pieces: Sequence[Rule]) -> set[str]:
    """Return the columns of which a rule, given by its pieces, asks for missing values.

    Alternatives across columns are pieces too, each without those before it. So a column counts where a piece wants
    nothing but missing values of it, or where all of them admit these.

    Examples
    --------
    >>> import frote
    >>> one = frote.parse_rules("IF pay > 5 OR pay IS MISSING THEN no")
    >>> other = frote.parse_rules("IF a > 1 OR b > 1 THEN no")
    >>> asked_gaps(one), [str(piece.clause) for piece in other], asked_gaps(other)
    ({'pay'}, ['a > 1', '(a <= 1 OR a IS MISSING) AND b > 1'], set())
    """
    admitted = [
        {
            name: condition
            for name, condition in piece.clause.alone
            if condition.missing and name not in piece.unasked_gaps
        }
        for piece in pieces
    ]
    alone = {name for own in admitted for name, condition in own.items() if condition == Condition.is_missing()}
    return alone | set.intersection(*map(set, admitted))


def unasked_gaps(clause: Clause, asked: Iterable[str]) -> frozenset[str]:
    """Return the columns of which a clause admits missing values that were not asked for."""
    return frozenset(name for name, condition in clause.alone if condition.missing).difference(asked)
