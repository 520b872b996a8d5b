"""Where two models differ in a certain way, as a few short clauses.

A small decision tree on the rows that differ so finds where to look, since it puts cuts where they tell, not at
quantiles. The sides of each of its promising leaves are then moved to where they gain most, and column generation
chooses, among the clauses made of all these sides, a few that cover what differs at least cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from frote.compare.boxes import Boxes, Slots
from frote.explain.columns import generate
from frote.explain.literals import Literals
from frote.explain.master import Complexity, Instance
from frote.explain.pricing import BeamSearch
from frote.rules.masks import clause_mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.explain.master import Limits
    from frote.rules.clause import Clause
    from frote.table import Table

__all__ = ["Differences"]

FEWEST = 5  # rows that a clause must gain, whatever the share
CONDITION = 0.25  # the cost of a condition, where that of a clause is 1
# What a row costs inside a clause if it cannot differ so, as its label was another one all along. At 1 the clauses
# found would trace where the first model predicts that label; at 0 they would be wider than what is known.
ASIDE = 0.05
LEAVES = 32  # of the tree, at most


@dataclass(frozen=True, eq=False)
class Differences:
    """The search for clauses that cover rows that differ.

    Parameters
    ----------
    table : Table
        The rows that clauses are looked for in.

    columns : tuple of Slots
        The table's columns, each sorted into slots once for all searches.

    least : float
        How many more rows that differ than rows that do not a clause must cover; a quarter more for each condition.
        It is five at least, and up to ten where many rows differ, since more of them then lie together by chance.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.explain.master import Limits
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"size": range(100), "member": [True, False] * 50}))
    >>> differs = (np.arange(100) < 50) & (np.arange(100) % 2 == 0)
    >>> search = Differences.of(table, min_share=0.01)
    >>> search.find(differs, np.ones(100, dtype=bool), Limits(50))
    [<Clause size < 50 AND member = true>]
    """

    table: Table
    columns: tuple[Slots, ...]
    least: float

    @classmethod
    def of(cls, table: Table, min_share: float) -> Differences:
        """Prepare the search in a table for clauses that are worth a share of its rows."""
        columns = tuple(Slots.of(column, table) for column in table.schema)
        return cls(table, columns, min_share * len(table))

    def find(self, differs: NDArray[np.bool_], able: NDArray[np.bool_], limits: Limits) -> list[Clause]:
        """Find clauses.

        Parameters
        ----------
        differs : ndarray of bool
            The rows that differ in the way that is looked for.

        able : ndarray of bool
            The rows that could differ so, since the first model predicts the label that changed.

        limits : Limits
            When to stop looking.

        Returns
        -------
        list of Clause
            Those that cover most of the rows first.
        """
        rows = float(differs.sum())
        least = max(self.least, FEWEST * (1 + min(1.0, 4 * rows / max(float(able.sum()), 1.0))))
        if rows <= least:
            return []
        weight = np.where(able, 1.0, ASIDE)
        boxes = Boxes(self.columns, np.where(differs, weight, -weight), CONDITION * least)
        everything = [np.ones(len(slots), dtype=bool) for slots in self.columns]
        starts = [everything, *self._leaves(differs, weight, int(least))]
        grown = list(dict.fromkeys(boxes.grown(start) for start in starts))
        # Clauses name columns in the order of the table.
        order = {name: position for position, name in enumerate(self.table.schema.names)}
        sides = dict.fromkeys(literal for clause in grown for literal in clause.alone)
        literals = Literals(tuple(sorted(sides, key=lambda literal: order[literal[0]])))
        position_of = {literal: position for position, literal in enumerate(literals.conditions)}
        starters = [tuple(sorted(position_of[literal] for literal in clause.alone)) for clause in grown]
        clause_cost = least / float(weight.sum())
        columns = generate(
            Instance.of(literals.evaluate(self.table), differs, weight),
            Complexity(clause_cost, CONDITION * clause_cost),
            BeamSearch(),
            limits,
            starters,
        )
        clauses = [literals.clause(chosen) for chosen in columns.chosen]
        hits = {clause: int((clause_mask(clause, self.table) & differs).sum()) for clause in clauses}
        return sorted(hits, key=lambda clause: (-hits[clause], str(clause)))

    def _leaves(
        self, differs: NDArray[np.bool_], weight: NDArray[np.float64], least: int
    ) -> list[list[NDArray[np.bool_]]]:
        """Return the leaves of a small tree in which most rows differ: for each column the slots inside."""
        if differs.all():
            return []
        # The tree sees ranks: levels by how many of their rows differ, missing above all other values.
        ranks = [_ranks(slots, differs, weight, least) for slots in self.columns]
        places = np.column_stack([rank[slots.places] for rank, slots in zip(ranks, self.columns, strict=True)])
        grower = DecisionTreeClassifier(max_leaf_nodes=LEAVES, min_samples_leaf=max(2, least // 2), random_state=0)
        tree = grower.fit(places.astype(np.float32), differs, sample_weight=weight).tree_
        leaves = []
        ahead = [(0, [np.ones(len(slots), dtype=bool) for slots in self.columns])]
        while ahead:
            node, sides = ahead.pop()
            if tree.children_left[node] < 0:
                if tree.value[node, 0, 1] > tree.value[node, 0, 0]:
                    leaves.append(sides)
                continue
            column = int(tree.feature[node])
            low = ranks[column] <= tree.threshold[node]
            for child, kept in ((tree.children_left[node], low), (tree.children_right[node], ~low)):
                ahead.append((int(child), [*sides[:column], sides[column] & kept, *sides[column + 1 :]]))
        return leaves


def _ranks(slots: Slots, differs: NDArray[np.bool_], weight: NDArray[np.float64], least: float) -> NDArray[np.intp]:
    """Return the rank of each slot of a column, as the tree is to see it."""
    ranks = np.arange(len(slots))
    if slots.column.kind.has_levels:
        rows = np.bincount(slots.places, weight, len(slots))
        rates = np.bincount(slots.places, weight * differs, len(slots)) / np.maximum(rows, ASIDE)
        # A level with too few rows to be named is as good as any other such.
        rates[rows <= CONDITION * least] = 0.0
        ranks[:] = np.unique(rates, return_inverse=True)[1]
    return ranks
