"""What each way of resolving conflicts makes of a policy, as the difference that it makes in rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote.exceptions import FroteError
from frote.rules.conflicts import WAYS, nothing_left
from frote.rules.masks import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from frote.rules import Outcome, RuleSet
    from frote.studio.desk import Desk

__all__ = ["Resolution", "resolutions"]


@dataclass(frozen=True, slots=True)
class Resolution:
    """What one way of resolving makes of a policy.

    Parameters
    ----------
    way : str
        The way.

    changed : tuple of (rule, rows before, rows after)
        The rules that cover other rows than before.

    made : tuple of (rule, Outcome, rows)
        The rules that were made for where others met.

    gone : tuple of str
        The rules of which nothing is left.

    error : str, default=""
        Why it cannot be told.
    """

    way: str
    changed: tuple[tuple[str, int, int], ...] = ()
    made: tuple[tuple[str, Outcome, int], ...] = ()
    gone: tuple[str, ...] = ()
    error: str = ""


def resolutions(desk: Desk, rules: RuleSet, go_on: Callable[[], None] = lambda: None) -> list[Resolution]:
    """Say what each way makes of some rules.

    Parameters
    ----------
    desk : Desk
        The table.

    rules : RuleSet
        The rules.

    go_on : callable
        Called between the parts; it raises if nobody waits any more.
    """
    found = []
    before = _rows(desk, rules)
    for way in sorted(WAYS, key=("priority", "exclude", "mix").index):
        go_on()
        try:
            resolved = rules.resolve(way, desk.table.rows.table.schema, classes=desk.labels.texts)
        except FroteError as error:
            found.append(Resolution(way, error=str(error)))
            continue
        after = _rows(desk, resolved)
        made = [name for name in after if name not in before]
        found.append(
            Resolution(
                way,
                tuple((name, rows, after.get(name, 0)) for name, rows in before.items() if rows != after.get(name, 0)),
                tuple((name, resolved.pieces(name)[0].outcome, after[name]) for name in made),
                tuple(nothing_left(rules, resolved)),
            )
        )
    return found


def _rows(desk: Desk, rules: RuleSet) -> dict[str, int]:
    """Count the rows of each rule as written."""
    masks = desk.pulses.masks
    rows = {}
    for origin in rules.origins:
        pieces = rules.pieces(origin)
        bits = masks.packed(pieces[0].clause)
        for piece in pieces[1:]:
            bits |= masks.packed(piece.clause)
        rows[origin] = count(bits)
    return rows
