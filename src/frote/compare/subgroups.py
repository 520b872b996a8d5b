"""How predictions move in subgroups: each level of a column, or each quarter of its numbers or dates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.compare.bounds import below
from frote.compare.boxes import Slots
from frote.coverage.f1 import f1_from_codes
from frote.explain.literals import Literals
from frote.rules.clause import Clause
from frote.rules.condition import Condition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.table import Column, Table

__all__ = ["groups", "shifts"]


def groups(column: Column, table: Table) -> list[Condition]:
    """Return conditions that part the rows of a table by one of its columns, with one for missing if it occurs.

    Parameters
    ----------
    column : Column
        The column.

    table : Table
        The rows.

    Returns
    -------
    list of Condition
        Each met by some row.

    Examples
    --------
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": range(21, 61)}))
    >>> for condition in groups(table.schema["age"], table):
    ...     print(Clause.of({"age": condition}))
    age <= 30
    age > 30 AND age <= 40
    age > 40 AND age <= 50
    age > 50
    """
    slots = Slots.of(column, table)
    present = slots.places[slots.places < len(slots.values)]
    conditions: list[Condition] = []
    if column.kind.has_levels:
        conditions = [Condition.among([column.levels[code]]) for code in slots.values]
    elif len(present):
        cuts = np.unique(np.quantile(present, (0.25, 0.5, 0.75), method="inverted_cdf"))
        rest = ~Condition.is_missing()
        for cut in cuts[cuts < present.max()]:
            lower = below(column, slots.values[cut], slots.values[cut + 1])
            conditions.append(rest & lower)
            rest &= ~lower
        conditions.append(rest)
    return [*conditions, Condition.is_missing()] if len(present) < len(table) else conditions


def shifts(
    names: Sequence[str],
    table: Table,
    classes: Sequence[Any],
    before: NDArray[np.intp],
    after: NDArray[np.intp],
    labels: NDArray[np.intp] | None,
) -> pd.DataFrame:
    """Return how predictions shift in each group of each of some columns.

    Parameters
    ----------
    names : sequence of str
        The columns.

    table : Table
        The rows.

    classes : sequence
        The classes.

    before, after : ndarray of int
        The predictions, as positions in `classes`.

    labels : ndarray of int or None
        The rows' own labels, likewise, where they are known.

    Returns
    -------
    DataFrame
        A line for each column, group and class: rows, the share of them that is predicted otherwise, weighted F1
        before and after (NaN without labels), the class, the shares of it before and after, and their difference.
    """
    lines = []
    for name in names:
        literals = Literals(tuple((name, condition) for condition in groups(table.schema[name], table)))
        for literal, mask in zip(literals.conditions, literals.evaluate(table).T, strict=True):
            old, new = before[mask], after[mask]
            group = name, str(Clause.of([literal])), len(old), float((old != new).mean())
            scores = [
                np.nan if labels is None else f1_from_codes(labels[mask], predicted, len(classes))
                for predicted in (old, new)
            ]
            for code, label in enumerate(classes):
                shares = float((old == code).mean()), float((new == code).mean())
                lines.append((*group, *scores, label, *shares, shares[1] - shares[0]))
    columns = ["column", "group", "rows", "changed", "f1_before", "f1_after", "label", "before", "after", "shift"]
    return pd.DataFrame(lines, columns=columns)
