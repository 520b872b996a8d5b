"""What the data are made of: kinds of columns and what occurs in them, and labels before and after."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.report.done import cell_text

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from frote.report.contents import ColumnFacts, CompositionPart, LabelRows
    from frote.table import Column, Table
    from frote.table.frames import ColumnData

__all__ = ["composition"]

LEVELS = 12  # of a column that are told, at most; the others are counted


def composition(table: Table, ledger: pd.DataFrame) -> CompositionPart:
    """Tell what data are made of, and by their ledger what became of their labels; see `frote.report.gather`."""
    return {
        "columns": [_column(column, table[column.name]) for column in table.schema],
        "labels": _labels(ledger),
    }


def _column(column: Column, data: ColumnData) -> ColumnFacts:
    known = np.flatnonzero(~data.gaps())
    low, high = (None, None) if column.kind.has_levels else _ends(column, data, known)
    levels = _levels(column, data, known) if column.kind.has_levels else []
    kind: Any = column.kind.value  # one of the contract's
    return {
        "name": column.name,
        "kind": kind,
        "missing": len(data) - len(known),
        "low": low,
        "high": high,
        "levels": levels[:LEVELS],
        "more": len(levels[LEVELS:]),
    }


def _ends(column: Column, data: ColumnData, known: NDArray[np.intp]) -> tuple[str | None, str | None]:
    """Return the lowest and the highest value as texts; none if all are missing."""
    if not len(known):
        return None, None
    values = data.values[known]
    low, high = (cell_text(column, data, int(known[place])) for place in (values.argmin(), values.argmax()))
    return low, high


def _levels(column: Column, data: ColumnData, known: NDArray[np.intp]) -> list[str]:
    """Return the levels that occur, in their order."""
    counts = np.bincount(data.values[known], minlength=len(column.levels))
    return [str(level) for level, rows in zip(column.levels, counts.tolist(), strict=True) if rows]


def _labels(ledger: pd.DataFrame) -> list[LabelRows]:
    """Count labels before and after, the most frequent first."""
    before = Counter(ledger["old_label"][ledger["source"].notna()].astype(str))
    after = Counter(ledger["new_label"][ledger["row"].notna()].astype(str))
    labels = sorted(before | after, key=lambda label: (-before[label], -after[label], label))
    return [{"label": label, "data": before[label], "result": after[label]} for label in labels]
