"""Sets of rows as decision diagrams: reduced and ordered, so that their shape follows from the sets alone.

A node splits the cells of one column into parts, each with what is decided below it; parts with the same answer are
one. Nodes that say the same are the same node, and what two nodes have in common is worked out once. The paths from
the top to an answer are boxes; those of one answer that differ in a single column are put together in the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from frote.rules.work import MOST_PIECES

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from frote.rules.work import Work

__all__ = ["NO", "YES", "Box", "Diagrams", "Leaf", "Node", "boxes"]

T = TypeVar("T", bound="Hashable")

Box: TypeAlias = "tuple[int, ...]"  # for each column, in the order of a diagram, a set of its cells


@dataclass(frozen=True, slots=True, eq=False)
class Node(Generic[T]):
    """A split of the column at one level into sets of cells, each with what is decided below. Compared by identity."""

    level: int
    branches: tuple[tuple[int, Node[T] | Leaf[T]], ...]


@dataclass(frozen=True, slots=True)
class Leaf(Generic[T]):
    """A decision; None where the rows are not wanted."""

    value: T | None


YES: Leaf[bool] = Leaf(True)
NO: Leaf[bool] = Leaf(None)


class Diagrams(Generic[T]):
    """The diagrams over columns in one order.

    Parameters
    ----------
    wholes : sequence of int
        The cells of each column that rows can lie in.

    work : Work
        What may be spent.

    Examples
    --------
    >>> from frote.rules.work import Work
    >>> diagrams = Diagrams([0b111, 0b11], Work())
    >>> one, other = diagrams.having(0, 0b001), diagrams.having(1, 0b01)
    >>> list(boxes(diagrams.join([one, other], every=False), [0b111, 0b11], Work()))
    [((1, 3), True), ((6, 1), True)]
    >>> diagrams.opposite(diagrams.opposite(one)) is one
    True
    """

    def __init__(self, wholes: Sequence[int], work: Work) -> None:
        self.wholes = wholes
        self.work = work
        self._nodes: dict[tuple[int, tuple[tuple[int, Node[T] | Leaf[T]], ...]], Node[T]] = {}
        self._joined: dict[tuple[bool, int, int], Node[bool] | Leaf[bool]] = {}
        self._opposites: dict[int, Node[bool] | Leaf[bool]] = {}

    def node(self, level: int, below: dict[Node[T] | Leaf[T], int]) -> Node[T] | Leaf[T]:
        """Return the node with these answers, each in a set of cells; the answer itself if there is only one."""
        if len(below) == 1:
            return next(iter(below))
        self.work.spend(len(below))
        # What is decided already comes first, then the lowest cell: whatever the order of the clauses was.
        branches = tuple(sorted(((part, answer) for answer, part in below.items()), key=_rank))
        return self._nodes.setdefault((level, branches), Node(level, branches))

    def having(self: Diagrams[bool], level: int, mask: int) -> Node[bool] | Leaf[bool]:
        """Return the rows whose value of one column lies in these cells."""
        inside, outside = self.wholes[level] & mask, self.wholes[level] & ~mask
        return self.node(level, {answer: part for answer, part in ((YES, inside), (NO, outside)) if part} or {NO: 0})

    def opposite(self: Diagrams[bool], one: Node[bool] | Leaf[bool]) -> Node[bool] | Leaf[bool]:
        """Return all other rows."""
        if isinstance(one, Leaf):
            return NO if one is YES else YES
        if id(one) not in self._opposites:
            below = {self.opposite(answer): part for part, answer in one.branches}
            self._opposites[id(one)] = self.node(one.level, below)
        return self._opposites[id(one)]

    def join(self: Diagrams[bool], parts: Sequence[Node[bool] | Leaf[bool]], *, every: bool) -> Node[bool] | Leaf[bool]:
        """Return the rows in every one of the parts, or in any: two by two, which keeps what is joined small."""
        if not parts:
            return YES if every else NO
        while len(parts) > 1:
            joined = [self._join(*parts[i : i + 2], every=every) for i in range(0, len(parts) - 1, 2)]
            parts = [*joined, *parts[len(joined) * 2 :]]
        return parts[0]

    def _join(
        self: Diagrams[bool], one: Node[bool] | Leaf[bool], other: Node[bool] | Leaf[bool], *, every: bool
    ) -> Node[bool] | Leaf[bool]:
        if one is other:
            return one
        if isinstance(other, Leaf) or (isinstance(one, Node) and one.level > other.level):
            one, other = other, one
        if isinstance(one, Leaf):
            return other if (one is YES) == every else one
        key = (every, id(one), id(other))
        if key not in self._joined:
            below: dict[Node[bool] | Leaf[bool], int] = {}
            against: tuple[tuple[int, Node[bool] | Leaf[bool]], ...] = ((-1, other),)
            if isinstance(other, Node) and other.level == one.level:
                against = other.branches
            self.work.spend(1 + len(one.branches) * len(against))
            for part, answer in one.branches:
                for theirs, their_answer in against:
                    both = part & theirs
                    if both:
                        joined = self._join(answer, their_answer, every=every)
                        below[joined] = below.get(joined, 0) | both
            self._joined[key] = self.node(one.level, below)
        return self._joined[key]


def _rank(branch: tuple[int, Node[T] | Leaf[T]]) -> tuple[bool, int]:
    part, answer = branch
    return isinstance(answer, Node), part & -part


def boxes(root: Node[T] | Leaf[T], wholes: Sequence[int], work: Work) -> list[tuple[Box, T]] | None:
    """Return the wanted rows as disjoint boxes, as few as putting two together makes them; None for far too many."""
    paths = _count(root, {})
    if paths > 4 * MOST_PIECES:
        return None
    work.spend(paths)
    disjoint_boxes: list[tuple[Box, T]] = []
    _collect(root, tuple(wholes), disjoint_boxes)
    return _merged(disjoint_boxes, work)


def _count(node: Node[T] | Leaf[T], counts: dict[int, int]) -> int:
    """Count the wanted paths below a node without listing them."""
    if isinstance(node, Leaf):
        return int(node.value is not None)
    if id(node) not in counts:
        counts[id(node)] = sum(_count(answer, counts) for _, answer in node.branches)
    return counts[id(node)]


def _collect(node: Node[T] | Leaf[T], so_far: Box, collected: list[tuple[Box, T]]) -> None:
    """List the wanted paths below a node, as boxes."""
    if isinstance(node, Leaf):
        if node.value is not None:
            collected.append((so_far, node.value))
        return
    here = node.level
    for part, answer in node.branches:
        _collect(answer, (*so_far[:here], part, *so_far[here + 1 :]), collected)


def _merged(disjoint_boxes: list[tuple[Box, T]], work: Work) -> list[tuple[Box, T]]:
    """Put disjoint boxes together that have one value and differ in a single column, until no two do."""
    width = len(disjoint_boxes[0][0]) if disjoint_boxes else 0
    unchanged = here = 0
    while unchanged < width:
        work.spend(len(disjoint_boxes) * (1 + width // 50))
        alike: dict[tuple[Box, Box, T], int] = {}
        for box, value in disjoint_boxes:
            key = (box[:here], box[here + 1 :], value)
            alike[key] = alike.get(key, 0) | box[here]
        unchanged = unchanged + 1 if len(alike) == len(disjoint_boxes) else 0
        disjoint_boxes = [((*before, part, *after), value) for (before, after, value), part in alike.items()]
        here = (here + 1) % width
    return disjoint_boxes
