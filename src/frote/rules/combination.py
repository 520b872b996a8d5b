"""What expressions say, with all that concerns one column as one condition; and the clauses it takes to say it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from operator import and_, or_
from typing import TYPE_CHECKING, TypeAlias

from frote.exceptions import RuleError
from frote.rules.cells import Cells
from frote.rules.clause import Clause
from frote.rules.diagram import Diagrams, boxes
from frote.rules.grid import Grid
from frote.rules.partition import MOST_COLUMNS, as_pieces, orders
from frote.rules.work import MOST_PIECES, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from frote.rules.condition import Condition
    from frote.rules.diagram import Box, Leaf, Node

__all__ = ["Joint", "Part", "Single", "joint", "pieces"]


@dataclass(frozen=True, slots=True)
class Single:
    """What concerns one column alone."""

    column: str
    condition: Condition

    @property
    def columns(self) -> tuple[str, ...]:
        """The column, alone."""
        return (self.column,)

    def opposite(self) -> Part:
        """Return what holds where this does not."""
        return Single(self.column, ~self.condition)

    def singles(self) -> Iterator[Single]:
        """Go through the conditions."""
        yield self

    def diagram(self, diagrams: Diagrams[bool], level_of: dict[str, int], cells: dict[str, Cells]) -> Rows:
        """Return the rows as a decision diagram over columns at these places, cut into these cells."""
        return diagrams.having(level_of[self.column], cells[self.column].mask(self.condition.settled()))


@dataclass(frozen=True, slots=True)
class Joint:
    """What every one of the parts says, or any of them."""

    every: bool
    parts: tuple[Part, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in order of appearance."""
        return tuple(dict.fromkeys(single.column for single in self.singles()))

    def opposite(self) -> Part:
        """Return what holds where this does not."""
        return Joint(not self.every, tuple(part.opposite() for part in self.parts))

    def singles(self) -> Iterator[Single]:
        """Go through the conditions."""
        for part in self.parts:
            yield from part.singles()

    def diagram(self, diagrams: Diagrams[bool], level_of: dict[str, int], cells: dict[str, Cells]) -> Rows:
        """Return the rows as a decision diagram over columns at these places, cut into these cells."""
        return diagrams.join([part.diagram(diagrams, level_of, cells) for part in self.parts], every=self.every)


Part: TypeAlias = "Single | Joint"
Rows: TypeAlias = "Node[bool] | Leaf[bool]"


def joint(parts: list[Part], *, every: bool) -> Part:
    """Put parts together; what concerns one column alone is put together first: it stays one condition."""
    alone: dict[str, list[Condition]] = {}
    order: list[str | Part] = []
    for part in parts:
        if isinstance(part, Single):
            if part.column not in alone:
                order.append(part.column)
            alone.setdefault(part.column, []).append(part.condition)
        else:
            order.append(part)
    join = and_ if every else or_
    joined = [Single(item, _fold(join, alone[item])) if isinstance(item, str) else item for item in order]
    return joined[0] if len(joined) == 1 else Joint(every, tuple(joined))


def _fold(join: Callable[[Condition, Condition], Condition], conditions: list[Condition]) -> Condition:
    """Join conditions two by two, which is faster for long lists than one after the other."""
    while len(conditions) > 1:
        pairs = [join(*conditions[i : i + 2]) for i in range(0, len(conditions) - 1, 2)]
        conditions = pairs + conditions[len(pairs) * 2 :]
    return conditions[0]


def pieces(part: Part, work: Work) -> list[Clause]:
    """Return the disjoint clauses that a part stands for."""
    if isinstance(part, Single):
        return [Clause.of({part.column: part.condition})]
    if not part.every:
        return _taken_apart(part, work)
    if all(isinstance(one, Single) for one in part.parts):
        return [Clause.of((one.column, one.condition) for one in part.singles())]
    # Parts that share no column are independent of one another: their pieces multiply.
    lists = [_taken_apart(joint(group, every=True), work) for group in _sharing_columns(part.parts)]
    count = math.prod(map(len, lists))
    work.require_few(count, count * sum(sum(map(len, clauses)) / max(1, len(clauses)) for clauses in lists))
    work.spend(count)
    position_of = {name: position for position, name in enumerate(part.columns)}
    return [
        Clause(tuple(sorted(itertools.chain(*chosen), key=lambda pair: position_of[pair[0]])))
        for chosen in itertools.product(*lists)
    ]


def _sharing_columns(parts: Sequence[Part]) -> list[list[Part]]:
    """Return parts in groups such that no two groups have a column in common."""
    above: dict[str, str] = {}  # each column points to another of its group, the last to itself

    def top(name: str) -> str:
        while above[name] != name:
            above[name] = name = above[above[name]]
        return name

    for part in parts:
        for name in part.columns:
            above[top(above.setdefault(name, name))] = top(above.setdefault(part.columns[0], part.columns[0]))
    groups: dict[str | int, list[Part]] = {}
    for place, part in enumerate(parts):
        # What names no column, TRUE or NOT TRUE, shares none.
        groups.setdefault(top(part.columns[0]) if part.columns else place, []).append(part)
    return list(groups.values())


def _taken_apart(part: Part, work: Work) -> list[Clause]:
    """Return the disjoint clauses of a part by way of a decision diagram."""
    if isinstance(part, Single):
        alone = Clause.of({part.column: part.condition})
        return [] if alone.is_empty() else [alone]
    conditions = [Clause.of({one.column: one.condition}) for one in part.singles()]
    columns = part.columns
    if len(columns) > MOST_COLUMNS:
        raise RuleError(f"Alternatives (OR, NOT) or overlaps across more than {MOST_COLUMNS} columns.")
    grid = Grid(conditions, None, work)
    best: tuple[Sequence[str], list[int], list[tuple[Box, bool]]] | None = None
    for order in orders(columns, work):
        # A condition that every value meets tells no cells apart.
        cells = {name: grid.cells.get(name) or Cells.of([], None) for name in order}
        wholes = [cells[name].possible for name in order]
        diagrams: Diagrams[bool] = Diagrams(wholes, work)
        root = part.diagram(diagrams, {name: place for place, name in enumerate(order)}, cells)
        disjoint_boxes = boxes(root, wholes, work)
        if disjoint_boxes is not None and (best is None or len(disjoint_boxes) < len(best[2])):
            best = order, wholes, disjoint_boxes
    work.require_few(MOST_PIECES + 1 if best is None else len(best[2]))
    assert best is not None, "otherwise refused"
    order, wholes, disjoint_boxes = best
    return [clause for clause, _ in as_pieces(disjoint_boxes, order, wholes, grid, Clause())]
