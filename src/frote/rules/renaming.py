"""Rules that are called otherwise and say the same: what is equal between two policies, but for names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.exceptions import RuleError
from frote.rules.diagram import Diagrams
from frote.rules.grid import Grid
from frote.rules.partition import MOST_COLUMNS
from frote.rules.work import Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frote.rules.outcome import Outcome
    from frote.rules.rule import Rule
    from frote.rules.ruleset import RuleSet
    from frote.table import Schema

__all__ = ["find_renamed"]


def find_renamed(old: RuleSet, new: RuleSet, meant: Schema) -> list[tuple[str, str]]:
    """Find rules that cover the same rows with the same outcome under another name.

    Names that were never given, `rule 3`, are numbers: those that only moved are left out.

    Parameters
    ----------
    old, new : RuleSet
        The policies, settled.

    meant : Schema
        The kinds of their columns.

    Returns
    -------
    list of (str, str)
        The old and the new name of each.
    """
    kept = {name for name in old.origins if old.pieces(name) == new.pieces(name)}
    before, after = ([rules.pieces(name) for name in rules.origins if name not in kept] for rules in (old, new))
    alike = _alike([*before, *after], meant)
    names: dict[object, tuple[list[str], list[str]]] = {}
    for place, pieces in enumerate((*before, *after)):
        sides = names.setdefault(alike[place], ([], []))
        sides[place >= len(before)].append(pieces[0].origin)
    return [pair for sides in names.values() for pair in _paired(*sides)]


def _paired(before: list[str], after: list[str]) -> list[tuple[str, str]]:
    """Pair names of rules that say the same; those that are in both lists stay what they are."""
    gone = [name for name in before if name not in after]
    come = [name for name in after if name not in before]
    return [pair for pair in zip(gone, come, strict=False) if not all(map(_is_number, pair))]


def _is_number(name: str) -> bool:
    return name.removeprefix("rule ").isdecimal() and name.startswith("rule ")


def _alike(written: Sequence[tuple[Rule, ...]], schema: Schema) -> list[tuple[object, Outcome]]:
    """Return for each rule as written what is equal exactly for those that cover the same rows with one outcome."""
    try:
        covered = _covered(written, schema)
    except RuleError:
        # Too many to tell: then those are alike that are the same clauses.
        covered = [frozenset(rule.clause for rule in pieces) for pieces in written]
    return [(rows, pieces[0].outcome) for rows, pieces in zip(covered, written, strict=True)]


def _covered(written: Sequence[tuple[Rule, ...]], schema: Schema) -> list[object]:
    """Return the rows that each rule covers as a diagram; those that say the same are the same one."""
    clauses = [rule.clause for pieces in written for rule in pieces]
    work = Work(len(clauses))
    grid = Grid(clauses, schema, work)
    diagrams: Diagrams[bool] = Diagrams([cells.possible for cells in grid.cells.values()], work)
    level_of = {name: level for level, name in enumerate(grid.cells)}
    masks = iter(grid.masks)
    covered: list[object] = []
    for pieces in written:
        own = [next(masks) for _ in pieces]
        if len({name for held in own for name in held}) > MOST_COLUMNS:
            raise RuleError(f"A rule names more than {MOST_COLUMNS} columns.")
        boxes = [
            diagrams.join([diagrams.having(level_of[name], mask) for name, mask in held.items()], every=True)
            for held in own
        ]
        covered.append(diagrams.join(boxes, every=False))
    return covered
