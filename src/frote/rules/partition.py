"""Disjoint pieces: unions, differences and overlap regions of clauses, as lists of disjoint clauses.

All of them come from one walk. Column after column, the values of the column are split into the parts that the
conditions still in play tell apart; for each part, the clauses that hold so far go on to the next column. What is
decided at the end (inside the union or not, say) is handed back, and parts with the same answer below them are put
together again. This is a reduced decision diagram: its shape depends on the sets alone, not on how they were written.
Its paths are boxes; those of one answer that differ in a single column are put together in the end.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from frote.exceptions import RuleError
from frote.rules.clause import Clause, infer_schema
from frote.rules.grid import Grid

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from frote.table import Schema

__all__ = ["MOST_PIECES", "UNDECIDED", "regions", "subtract", "unite"]

MOST_PIECES = 10_000
MOST_COLUMNS = 200  # the walk goes one level deeper for each

T = TypeVar("T", bound="Hashable")


class _Undecided:
    """The answer of a decision that depends on columns not looked at yet."""


UNDECIDED = _Undecided()

Box: TypeAlias = "tuple[int, ...]"  # for each column, in the order of a walk, a set of its cells
Decide: TypeAlias = "Callable[[frozenset[int], frozenset[int]], T | _Undecided | None]"


@dataclass(frozen=True, slots=True, eq=False)
class _Node(Generic[T]):
    """A split of one column into sets of cells, each with what is decided below it. Compared by identity."""

    column: str
    branches: tuple[tuple[int, _Node[T] | _Leaf[T]], ...]


@dataclass(frozen=True, slots=True)
class _Leaf(Generic[T]):
    """A decision; None where the region is not wanted."""

    value: T | None


class _Diagram(Generic[T]):
    """One walk over the columns in a given order, remembering what it has decided."""

    def __init__(self, grid: Grid, order: Sequence[str], decide: Decide[T], within: Clause) -> None:
        self.grid = grid
        self.order = order
        self.decide = decide
        self.within = {name: grid.cells[name].mask(within[name]) for name in order}
        self.seen: dict[tuple[int, frozenset[int]], _Node[T] | _Leaf[T]] = {}
        self.nodes: dict[tuple[str, tuple[tuple[int, int], ...]], _Node[T]] = {}
        place = {name: position for position, name in enumerate(order)}
        self.last = [max((place[name] for name in masks), default=-1) for masks in grid.masks[:-1]]

    def walk(self, level: int, alive: frozenset[int]) -> _Node[T] | _Leaf[T]:
        """Decide for the clauses that hold on all columns before `level`."""
        key = (level, alive)
        if key in self.seen:
            return self.seen[key]
        if len(self.seen) > 20 * MOST_PIECES:
            raise _too_many()
        certain = frozenset(i for i in alive if self.last[i] < level)
        decided = self.decide(certain, alive - certain)
        result = self.split(level, alive) if isinstance(decided, _Undecided) else _Leaf(decided)
        self.seen[key] = result
        return result

    def split(self, level: int, alive: frozenset[int]) -> _Node[T] | _Leaf[T]:
        """Split one column into the parts that the clauses in play tell apart, and decide for each."""
        name = self.order[level]
        holders: dict[int, set[int]] = {}
        free = set()
        for i in alive:
            mask = self.grid.masks[i].get(name)
            if mask is None:
                free.add(i)
            else:
                holders.setdefault(mask, set()).add(i)
        if not holders:
            return self.walk(level + 1, alive)
        parts = [(self.within[name], frozenset(free))]
        for mask, owners in holders.items():
            halves = [(part & mask, kept | owners) for part, kept in parts]
            halves += [(part & ~mask, kept) for part, kept in parts]
            parts = [(part, kept) for part, kept in halves if part]
        below: dict[_Node[T] | _Leaf[T], int] = {}
        for part, kept in parts:
            answer = self.walk(level + 1, kept)
            below[answer] = below.get(answer, 0) | part
        if len(below) == 1:
            return next(iter(below))
        # What is decided already comes first, then the lowest cell: whatever the order of the clauses was.
        branches = tuple(sorted(((part, answer) for answer, part in below.items()), key=_rank))
        same = (name, tuple((part, id(answer)) for part, answer in branches))
        return self.nodes.setdefault(same, _Node(name, branches))


def _rank(branch: tuple[int, _Node[T] | _Leaf[T]]) -> tuple[bool, int]:
    part, answer = branch
    return isinstance(answer, _Node), part & -part


def _too_many() -> RuleError:
    return RuleError(
        f"These rules fall apart into more than {MOST_PIECES:,} disjoint pieces. "
        "Use fewer alternatives (OR, NOT) across columns, or fewer overlapping rules."
    )


def _count(node: _Node[T] | _Leaf[T], counts: dict[int, int]) -> int:
    """Count the wanted pieces below a node without listing them."""
    if isinstance(node, _Leaf):
        return int(node.value is not None)
    if id(node) not in counts:
        counts[id(node)] = sum(_count(answer, counts) for _, answer in node.branches)
    return counts[id(node)]


def _paths(node: _Node[T] | _Leaf[T], so_far: Box, place: dict[str, int]) -> Iterable[tuple[Box, T]]:
    """List the wanted paths below a node, as boxes."""
    if isinstance(node, _Leaf):
        if node.value is not None:
            yield so_far, node.value
        return
    here = place[node.column]
    for part, answer in node.branches:
        yield from _paths(answer, (*so_far[:here], part, *so_far[here + 1 :]), place)


def _merged(boxes: list[tuple[Box, T]]) -> list[tuple[Box, T]]:
    """Put disjoint boxes together that have one value and differ in a single column, until no two do."""
    width = len(boxes[0][0]) if boxes else 0
    unchanged = here = 0
    while unchanged < width:
        alike: dict[tuple[Box, Box, T], int] = {}
        for box, value in boxes:
            key = (box[:here], box[here + 1 :], value)
            alike[key] = alike.get(key, 0) | box[here]
        unchanged = unchanged + 1 if len(alike) == len(boxes) else 0
        boxes = [((*before, part, *after), value) for (before, after, value), part in alike.items()]
        here = (here + 1) % width
    return boxes


def regions(
    clauses: Sequence[Clause],
    decide: Decide[T],
    schema: Schema | None = None,
    *,
    within: Clause | None = None,
) -> list[tuple[Clause, T]]:
    """Return disjoint clauses, each with the value decided for it, that make up all wanted regions.

    Parameters
    ----------
    clauses : sequence of Clause
        The clauses that shape the regions.

    decide : callable
        Given the clauses (as positions) that certainly hold and those that still may, returns a value, None for
        "not wanted", or `UNDECIDED`. When none is left that may hold, it must decide.

    schema : Schema, default=None
        Whose values count; parts that no value of a column can lie in are left out.

    within : Clause, default=None
        Look only inside this clause.

    Returns
    -------
    list of (Clause, value)
    """
    within = Clause() if within is None else within
    schema = infer_schema([*clauses, within]) if schema is None else schema
    written = list(dict.fromkeys(name for clause in clauses for name in clause.columns))
    if len(written) > MOST_COLUMNS:
        raise RuleError(f"Alternatives (OR, NOT) or overlaps across more than {MOST_COLUMNS} columns.")
    # The number of pieces depends on the order of columns: as written reads best, so another must be smaller.
    orders = [written]
    if len(written) <= 3:
        orders += [list(order) for order in itertools.permutations(written)][1:]
    grid = Grid([*clauses, within], schema)  # `within` comes last
    best: tuple[list[str], Box, list[tuple[Box, T]]] | None = None
    for order in orders:
        diagram = _Diagram(grid, order, decide, within)
        root = diagram.walk(0, frozenset(range(len(clauses))))
        if _count(root, {}) > 10 * MOST_PIECES:
            continue
        whole = tuple(diagram.within[name] for name in order)
        boxes = _merged(list(_paths(root, whole, {name: place for place, name in enumerate(order)})))
        if best is None or len(boxes) < len(best[2]):
            best = order, whole, boxes
    if best is None or len(best[2]) > MOST_PIECES:
        raise _too_many()
    order, whole, boxes = best
    pieces = []
    for box, value in boxes:
        conditions = dict(within.conditions)
        for name, part, all_of_it in zip(order, box, whole, strict=True):
            if part != all_of_it:
                conditions[name] = grid.condition(name, part)
        pieces.append((Clause.of(conditions), value))
    return pieces


def unite(clauses: Sequence[Clause], schema: Schema | None = None) -> list[Clause]:
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

    def inside(certain: frozenset[int], pending: frozenset[int]) -> bool | _Undecided | None:
        if certain:
            return True
        return UNDECIDED if pending else None

    return [piece for piece, _ in regions(clauses, inside, schema)]


def subtract(clause: Clause, others: Sequence[Clause], schema: Schema | None = None) -> list[Clause]:
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

    def outside(certain: frozenset[int], pending: frozenset[int]) -> bool | _Undecided | None:
        if certain:
            return None
        return UNDECIDED if pending else True

    schema = infer_schema([clause, *others]) if schema is None else schema
    if clause.is_empty(schema):
        return []
    clause, others = clause.settled(schema), [other.settled(schema) for other in others]
    touching = [other for other in others if not (clause & other).is_empty(schema)]
    return [piece for piece, _ in regions(touching, outside, schema, within=clause)]
