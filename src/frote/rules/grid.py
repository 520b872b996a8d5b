"""Many clauses at once, as sets of cells per column."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from frote.rules.cells import Cells
from frote.rules.clause import infer_schema
from frote.rules.linear import column_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.rules.clause import Clause
    from frote.rules.condition import Condition
    from frote.rules.linear import Key
    from frote.rules.work import Work
    from frote.table import Schema

__all__ = ["Grid"]


class Grid:
    """A number of clauses over the cells that their conditions cut each column into.

    Parameters
    ----------
    clauses : sequence of Clause
        The clauses; each is asked of by its position.

    schema : Schema, default=None
        Whose values count; without it, what the clauses compare with tells the kinds of columns.

    work : Work, default=None
        What may be spent.

    Attributes
    ----------
    cells : dict of str or Linear to Cells
        The cells of each column, or sum of columns, that is named.

    masks : list of dict of str or Linear to int
        For each clause, the cells of each column that it names.

    Examples
    --------
    >>> from frote.rules import Clause, Condition
    >>> young, old = (Clause.of({"age": Condition.compare(sign, 29)}) for sign in ("<", ">"))
    >>> Grid([young, old, Clause()]).overlaps()
    array([[ True, False,  True],
           [False,  True,  True],
           [ True,  True,  True]])
    """

    def __init__(self, clauses: Sequence[Clause], schema: Schema | None = None, work: Work | None = None) -> None:
        schema = infer_schema(clauses) if schema is None else schema
        self._clauses, self._schema = clauses, schema
        named: dict[Key, dict[Condition, None]] = {}
        for clause in clauses:
            for name, condition in clause:
                named.setdefault(name, {})[condition] = None
        self.cells = {name: Cells.of(conditions, column_at(schema, name)) for name, conditions in named.items()}
        if work is not None:
            work.spend(sum(8 * len(cells.cells) + len(named[name]) for name, cells in self.cells.items()))
        masks = {
            (name, condition): self.cells[name].mask(condition)
            for name, conditions in named.items()
            for condition in conditions
        }
        self.masks = [{name: masks[name, condition] for name, condition in clause} for clause in clauses]
        self._conditions: dict[tuple[Key, int], Condition] = {}

    def condition(self, column: Key, mask: int) -> Condition:
        """Return the condition that holds in these cells of a column."""
        key = (column, mask)
        if key not in self._conditions:
            self._conditions[key] = self.cells[column].condition(mask).settled()
        return self._conditions[key]

    def overlaps(self) -> NDArray[np.bool_]:
        """Tell for each pair of clauses whether some row can satisfy both; on the diagonal, whether any can at all.

        Returns
        -------
        ndarray of bool, shape (clauses, clauses)
        """
        count = len(self.masks)
        overlap = np.ones((count, count), dtype=bool)
        for name, cells in self.cells.items():
            masks = [own.get(name, cells.possible) for own in self.masks]
            distinct = {mask: place for place, mask in enumerate(dict.fromkeys(masks))}
            bits = np.array(
                [[mask >> place & 1 for place in range(len(cells.cells))] for mask in distinct], dtype=np.float32
            )
            meets = bits @ bits.T > 0
            which = np.array([distinct[mask] for mask in masks])
            overlap &= meets[which][:, which]
        adding = [place for place, clause in enumerate(self._clauses) if clause.sums]
        for one, other in itertools.product(adding, range(count)):
            if overlap[one, other]:
                both = self._clauses[one] & self._clauses[other]
                overlap[one, other] = overlap[other, one] = not both.is_empty(self._schema)
        return overlap
