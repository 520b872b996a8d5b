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
from frote.rules.condition import Condition
from frote.rules.diagram import Diagrams, boxes
from frote.rules.grid import Grid
from frote.rules.level_tests import Undecided, passing
from frote.rules.linear import Linear
from frote.rules.partition import MOST_COLUMNS, as_pieces, orders, possible
from frote.rules.work import MOST_PIECES, Work
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from frote.rules.diagram import Box, Leaf, Node
    from frote.rules.level_tests import LevelTest
    from frote.rules.linear import Key

__all__ = ["Joint", "Part", "Single", "joint", "pieces"]


@dataclass(frozen=True, slots=True)
class Single:
    """What concerns one column alone, or one sum of columns."""

    column: Key
    condition: Condition

    @property
    def columns(self) -> tuple[Key, ...]:
        """The column or sum, alone."""
        return (self.column,)

    def opposite(self) -> Part:
        """Return what holds where this does not."""
        return Single(self.column, ~self.condition)

    def singles(self) -> Iterator[Single]:
        """Go through the conditions."""
        yield self

    @property
    def _settled(self) -> Condition:
        return self.condition.settled(None if isinstance(self.column, str) else Kind.CONTINUOUS)

    def diagram(self, diagrams: Diagrams[bool], level_of: dict[Key, int], cells: dict[Key, Cells]) -> Rows:
        """Return the rows as a decision diagram over columns at these places, cut into these cells."""
        return diagrams.having(level_of[self.column], cells[self.column].mask(self._settled))


@dataclass(frozen=True, slots=True)
class Joint:
    """What every one of the parts says, or any of them."""

    every: bool
    parts: tuple[Part, ...]

    @property
    def columns(self) -> tuple[Key, ...]:
        """The columns and sums, in order of appearance."""
        return tuple(dict.fromkeys(single.column for single in self.singles()))

    def opposite(self) -> Part:
        """Return what holds where this does not."""
        return Joint(not self.every, tuple(part.opposite() for part in self.parts))

    def singles(self) -> Iterator[Single]:
        """Go through the conditions."""
        for part in self.parts:
            yield from part.singles()

    def diagram(self, diagrams: Diagrams[bool], level_of: dict[Key, int], cells: dict[Key, Cells]) -> Rows:
        """Return the rows as a decision diagram over columns at these places, cut into these cells."""
        return diagrams.join([part.diagram(diagrams, level_of, cells) for part in self.parts], every=self.every)


Part: TypeAlias = "Single | Joint"
Rows: TypeAlias = "Node[bool] | Leaf[bool]"


def joint(parts: list[Part], *, every: bool) -> Part:
    """Put parts together; what concerns one column alone is put together first: it stays one condition."""
    alone: dict[Key, list[Condition]] = {}
    order: list[Key | Part] = []
    for part in parts:
        if isinstance(part, Single):
            if part.column not in alone:
                order.append(part.column)
            alone.setdefault(part.column, []).append(part.condition)
        else:
            order.append(part)
    join = and_ if every else or_
    joined = [Single(item, _fold(join, alone[item])) if isinstance(item, str | Linear) else item for item in order]
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


def _without_levels(part: Part, work: Work) -> list[Clause]:
    """Return the disjoint clauses of a part that asks for levels which nobody knows yet.

    Each test stands for a column of its own, of which a row has either value. Pieces that no level can meet are found
    when the levels are known.
    """
    if isinstance(part, Single):
        return [Clause.of({part.column: part.condition})]
    asked = dict.fromkeys(
        (one.column, test)
        for one in part.singles()
        if isinstance(one.condition, Undecided)
        for test in one.condition.tests()
    )
    # No column has a name with a line's end and as many of them.
    own = "\n" * (1 + max(str(name).count("\n") for name in part.columns))
    name_of = {key: f"{own}{number}" for number, key in enumerate(asked)}
    key_of: dict[Key, tuple[Key, LevelTest | None]] = {name: key for key, name in name_of.items()}
    found = []
    for clause in _taken_apart(_spelled_out(part, name_of), work):
        conditions: dict[Key, Condition] = {}
        for name, condition in clause:
            column, test = key_of.get(name, (name, None))
            if test is not None:
                condition = passing(test) if condition == _YES else ~passing(test)
            conditions[column] = conditions[column] & condition if column in conditions else condition
        if Condition.nothing() not in conditions.values():
            found.append(Clause.of(conditions))
    return found


_YES = Condition.among(["yes"])


def _spelled_out(part: Part, name_of: dict[tuple[Key, LevelTest], str]) -> Part:
    """Return the same with each test as a condition on a column of its own."""
    if isinstance(part, Joint):
        return Joint(part.every, tuple(_spelled_out(one, name_of) for one in part.parts))
    condition = part.condition
    if not isinstance(condition, Undecided):
        return part
    name = name_of[part.column, condition.test]
    branches = ((_YES, condition.inside), (~_YES, condition.outside))
    ways = (
        Joint(True, (Single(name, answer), _spelled_out(Single(part.column, rest), name_of)))
        for answer, rest in branches
    )
    return Joint(False, tuple(ways))


def _sharing_columns(parts: Sequence[Part]) -> list[list[Part]]:
    """Return parts in groups such that no two groups have a column in common."""
    above: dict[Key, Key] = {}  # each column points to another of its group, the last to itself

    def top(name: Key) -> Key:
        while above[name] != name:
            above[name] = name = above[above[name]]
        return name

    for part in parts:
        for name in part.columns:
            above[top(above.setdefault(name, name))] = top(above.setdefault(part.columns[0], part.columns[0]))
    groups: dict[Key | int, list[Part]] = {}
    for place, part in enumerate(parts):
        # What names no column, TRUE or NOT TRUE, shares none.
        groups.setdefault(top(part.columns[0]) if part.columns else place, []).append(part)
    return list(groups.values())


def _taken_apart(part: Part, work: Work) -> list[Clause]:
    """Return the disjoint clauses of a part by way of a decision diagram."""
    if not all(one.condition.is_decided for one in part.singles()):
        return _without_levels(part, work)
    if isinstance(part, Single):
        alone = Clause.of({part.column: part.condition})
        return [] if alone.is_empty() else [alone]
    conditions = [Clause.of({one.column: one.condition}) for one in part.singles()]
    columns = part.columns
    if len(columns) > MOST_COLUMNS:
        raise RuleError(f"Alternatives (OR, NOT) or overlaps across more than {MOST_COLUMNS} columns.")
    grid = Grid(conditions, None, work)
    best: tuple[Sequence[Key], list[int], list[tuple[Box, bool]]] | None = None
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
    return [clause for clause, _ in possible(as_pieces(disjoint_boxes, order, wholes, grid, Clause()), None, work)]
