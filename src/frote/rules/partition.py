"""Disjoint pieces: unions, differences and overlap regions of clauses, as lists of disjoint clauses.

All of them come from one walk. Column after column, the values of the column are split into the parts that the
conditions still in play tell apart; for each part, the clauses that hold so far go on to the next column. What is
decided at the end (inside the union or not, say) is handed back, and makes a decision diagram: see `diagram`.
"""

from __future__ import annotations

import functools
import itertools
import operator
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from frote.exceptions import RuleError
from frote.rules.clause import Clause, infer_schema
from frote.rules.diagram import Box, Diagrams, Leaf, Node, boxes
from frote.rules.grid import Grid
from frote.rules.work import MOST_PIECES, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from frote.rules.linear import Key
    from frote.table import Schema

__all__ = ["MOST_COLUMNS", "UNDECIDED", "as_pieces", "cut_out", "orders", "possible", "regions", "subtract", "unite"]

ADDED = 500  # steps to tell whether columns and sums of them can be met together
MOST_COLUMNS = 200  # the walk goes one level deeper for each

T = TypeVar("T", bound="Hashable")


class _Undecided:
    """The answer of a decision that depends on columns not looked at yet."""


UNDECIDED = _Undecided()

# Given the clauses that certainly hold and those that still may, as bits.
Decide: TypeAlias = "Callable[[int, int], T | _Undecided | None]"


class _Walk(Generic[T]):
    """One walk over the columns in a given order, remembering what it has decided."""

    def __init__(self, grid: Grid, order: Sequence[Key], decide: Decide[T], work: Work) -> None:
        *masks, within = grid.masks
        self.decide = decide
        self.work = work
        self.wholes = [within.get(name, grid.cells[name].possible) for name in order]
        self.diagrams: Diagrams[T] = Diagrams(self.wholes, work)
        self.seen: dict[tuple[int, int], Node[T] | Leaf[T]] = {}
        everyone = (1 << len(masks)) - 1
        asked = _masks_by_column(masks)
        self.settled = _settled(order, asked, everyone)
        self.parts = [
            self._told_apart(asked.get(name, {}), whole, everyone)
            for name, whole in zip(order, self.wholes, strict=True)
        ]
        self.root = self.decided(0, everyone)

    def _told_apart(self, asked: dict[int, int], whole: int, everyone: int) -> list[tuple[int, int]]:
        """Return the sets of cells of a column that clauses tell apart, each with the clauses that hold there."""
        parts = [(whole, everyone & ~_union(asked.values()))]  # those that ask for nothing hold everywhere
        for mask, those in asked.items():
            self.work.spend(1 + len(parts) // 3)
            halves = [(part & mask, kept | those) for part, kept in parts]
            halves += [(part & ~mask, kept) for part, kept in parts]
            parts = [(part, kept) for part, kept in halves if part]
        return parts

    def decided(self, level: int, alive: int) -> Node[T] | Leaf[T]:
        """Decide for the clauses that hold on all columns before `level`."""
        key = (level, alive)
        if key not in self.seen:
            certain = alive & self.settled[level]
            decided = self.decide(certain, alive & ~certain)
            self.seen[key] = self.split(level, alive) if isinstance(decided, _Undecided) else Leaf(decided)
        return self.seen[key]

    def split(self, level: int, alive: int) -> Node[T] | Leaf[T]:
        """Split one column into the parts that the clauses in play tell apart, and decide for each."""
        kept: dict[int, int] = {}
        for part, holders in self.parts[level]:
            kept[alive & holders] = kept.get(alive & holders, 0) | part
        self.work.spend(2 + len(self.parts[level]) // 4 + len(kept))
        below: dict[Node[T] | Leaf[T], int] = {}
        for those, part in kept.items():
            answer = self.decided(level + 1, those)
            below[answer] = below.get(answer, 0) | part
        return self.diagrams.node(level, below) if below else Leaf(None)


def _masks_by_column(masks: Sequence[Mapping[Key, int]]) -> dict[Key, dict[int, int]]:
    """Return the sets of cells that are asked for of each column, each with the clauses that ask for it."""
    asked: dict[Key, dict[int, int]] = {}
    for place, held in enumerate(masks):
        for name, mask in held.items():
            those = asked.setdefault(name, {})
            those[mask] = those.get(mask, 0) | 1 << place
    return asked


def _settled(order: Sequence[Key], asked: Mapping[Key, Mapping[int, int]], everyone: int) -> list[int]:
    """Return, for each level, the clauses that have no condition from it on."""
    settled = [everyone]
    for name in reversed(order):
        settled.append(settled[-1] & ~_union(asked.get(name, {}).values()))
    return settled[::-1]


def _union(sets: Iterable[int]) -> int:
    return functools.reduce(operator.or_, sets, 0)


def orders(columns: Sequence[Key], work: Work) -> Iterator[Sequence[Key]]:
    """Go through orders of columns worth a try; the number of pieces depends on them, and as written reads best."""
    before = work.left
    yield columns
    # Others are tried if that costs little.
    if len(columns) <= 3 and before - work.left < work.left // 20:
        yield from itertools.islice(itertools.permutations(columns), 1, None)


def as_pieces(
    found: Iterable[tuple[Box, T]], order: Sequence[Key], wholes: Sequence[int], grid: Grid, within: Clause
) -> list[tuple[Clause, T]]:
    """Return boxes as clauses, within one, in which only what they ask for more stands otherwise."""
    pieces = []
    for box, value in found:
        conditions = dict(within.conditions)
        for name, part, whole in zip(order, box, wholes, strict=True):
            if part != whole:
                conditions[name] = grid.condition(name, part)
        pieces.append((Clause(tuple(conditions.items())), value))
    return pieces


def possible(pieces: list[tuple[Clause, T]], schema: Schema | None, work: Work) -> list[tuple[Clause, T]]:
    """Return the pieces without those that sums over columns leave no row."""
    kept = []
    for clause, value in pieces:
        if clause.sums:
            work.spend(ADDED)
            if clause.is_empty(schema):
                continue
        kept.append((clause, value))
    return kept


def regions(
    clauses: Sequence[Clause],
    decide: Decide[T],
    schema: Schema | None = None,
    *,
    within: Clause | None = None,
    work: Work | None = None,
) -> list[tuple[Clause, T]]:
    """Return disjoint clauses, each with the value decided for it, that make up all wanted regions.

    Parameters
    ----------
    clauses : sequence of Clause
        The clauses that shape the regions.

    decide : callable
        Given the clauses (as bits of an int) that certainly hold and those that still may, returns a value, None for
        "not wanted", or `UNDECIDED`. When none is left that may hold, it must decide.

    schema : Schema, default=None
        Whose values count; parts that no value of a column can lie in are left out.

    within : Clause, default=None
        Look only inside this clause.

    work : Work, default=None
        What may be spent.

    Returns
    -------
    list of (Clause, value)
    """
    within = Clause() if within is None else within
    work = Work() if work is None else work
    schema = infer_schema([*clauses, within]) if schema is None else schema
    written = list(dict.fromkeys(name for clause in clauses for name, _ in clause))
    if len(written) > MOST_COLUMNS:
        raise RuleError(f"Alternatives (OR, NOT) or overlaps across more than {MOST_COLUMNS} columns.")
    grid = Grid([*clauses, within], schema, work)  # `within` comes last
    best: tuple[Sequence[Key], list[int], list[tuple[Box, T]]] | None = None
    for order in orders(written, work):
        walk = _Walk(grid, order, decide, work)
        found = boxes(walk.root, walk.wholes, work)
        if found is not None and (best is None or len(found) < len(best[2])):
            best = order, walk.wholes, found
    work.require_few(MOST_PIECES + 1 if best is None else len(best[2]))
    assert best is not None, "otherwise refused"
    order, wholes, found = best
    return possible(as_pieces(found, order, wholes, grid, within), schema, work)


def unite(clauses: Sequence[Clause], schema: Schema | None = None, work: Work | None = None) -> list[Clause]:
    """Return disjoint clauses that together cover what any of the clauses covers.

    Examples
    --------
    >>> from frote.rules import Clause, Condition
    >>> a, b = (Clause.of({name: Condition.compare("=", 1)}) for name in "ab")
    >>> for piece in unite([a, b]):
    ...     print(piece)
    a = 1
    (a != 1 OR a IS MISSING) AND b = 1
    """

    def inside(certain: int, pending: int) -> bool | _Undecided | None:
        if certain:
            return True
        return UNDECIDED if pending else None

    return [piece for piece, _ in regions(clauses, inside, schema, work=work)]


def subtract(
    clause: Clause, others: Sequence[Clause], schema: Schema | None = None, work: Work | None = None
) -> list[Clause]:
    """Return disjoint clauses that cover what `clause` covers and none of `others` does.

    Examples
    --------
    >>> from frote.rules import Clause, Condition
    >>> young = Clause.of({"age": Condition.compare("<", 29)})
    >>> rich = Clause.of({"income": Condition.compare(">", 150_000)})
    >>> for piece in subtract(young, [rich]):
    ...     print(piece)
    age < 29 AND (income <= 150000 OR income IS MISSING)
    """
    schema = infer_schema([clause, *others]) if schema is None else schema
    if clause.is_empty(schema):
        return []
    clause, others = clause.settled(schema), [other.settled(schema) for other in others]
    touching = [other for other in others if not (clause & other).is_empty(schema)]
    return cut_out(clause, touching, schema, work)


def cut_out(clause: Clause, touching: Sequence[Clause], schema: Schema, work: Work | None = None) -> list[Clause]:
    """Return what `subtract` does, of clauses that are settled on the schema and all overlap the first."""

    def outside(certain: int, pending: int) -> bool | _Undecided | None:
        if certain:
            return None
        return UNDECIDED if pending else True

    return [piece for piece, _ in regions(touching, outside, schema, within=clause, work=work)]
