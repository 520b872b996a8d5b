"""Rules that say nothing new: what they cover is covered already by an earlier rule of the same outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.rules.overlaps import Overlaps
from frote.rules.partition import cut_out
from frote.rules.work import Work

if TYPE_CHECKING:
    from frote.rules.ruleset import RuleSet
    from frote.table import Schema

__all__ = ["implied_by"]

MOST_PAIRS = 100_000


def implied_by(rules: RuleSet, schema: Schema) -> dict[str, str]:
    r"""Return, for each rule as written that can go, the first earlier one of its outcome that covers all of it.

    Parameters
    ----------
    rules : RuleSet
        The rules.

    schema : Schema
        The columns that they speak of.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.rules.binding import as_schema
    >>> rules = frote.parse_rules("young: IF age < 29 THEN yes\nteen: IF age < 20 THEN yes")
    >>> implied_by(rules, as_schema(pd.DataFrame({"age": [25]})))
    {'teen': 'young'}
    """
    overlaps = Overlaps([rule.clause for rule in rules], schema)
    groups: dict[object, list[int]] = {}
    for piece, rule in enumerate(rules):
        groups.setdefault(rule.outcome, []).append(piece)
    order = {origin: number for number, origin in enumerate(rules.origins)}
    # For each piece, the pieces of earlier rules that it meets, by their rules.
    met: dict[int, dict[str, list[int]]] = {}
    for members in groups.values():
        for pair in overlaps.between(([piece] for piece in members), MOST_PAIRS):
            first, second = sorted(pair, key=lambda piece: order[rules[piece].origin])
            if rules[first].origin != rules[second].origin:
                met.setdefault(second, {}).setdefault(rules[first].origin, []).append(first)
    possible: dict[str, list[int]] = {}
    for piece, rule in enumerate(rules):
        if overlaps.possible[piece]:
            possible.setdefault(rule.origin, []).append(piece)
    work = Work(len(rules))
    implied = {}
    for origin, own in possible.items():
        wider = set.intersection(*(set(met.get(piece, ())) for piece in own))
        for earlier in sorted(wider, key=order.__getitem__):
            if all(_covered(rules, piece, met[piece][earlier], overlaps, schema, work) for piece in own):
                implied[origin] = earlier
                break
    return implied


def _covered(rules: RuleSet, piece: int, others: list[int], overlaps: Overlaps, schema: Schema, work: Work) -> bool:
    """Tell whether all that a clause covers is covered by some others that it meets."""
    work.spend(5 * len(others))
    if any(overlaps.within(piece, other) for other in others):
        return True
    if len(others) == 1 and overlaps.adding.isdisjoint((piece, others[0])):
        return False  # with sums of columns, more is within than what is so column by column
    clauses = [rules[other].clause.settled(schema) for other in others]
    return not cut_out(rules[piece].clause.settled(schema), clauses, schema, work)
