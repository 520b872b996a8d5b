"""What the data are made of: kinds of columns and what occurs in them, and labels before and after."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from frote.dask.survey import Seen
from frote.report.done import value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from frote.report.contents import ColumnFacts, CompositionPart, LabelRows
    from frote.report.lines import Lines
    from frote.table import Column, Table

__all__ = ["composition", "seen_in"]

LEVELS = 12  # of a column that are told, at most; the others are counted


def composition(columns: Iterable[tuple[Column, Seen]], lines: Lines) -> CompositionPart:
    """Tell what data are made of, and what became of their labels; see `frote.report.gather`.

    Parameters
    ----------
    columns : iterable of (Column, Seen)
        The columns, and what their values are.

    lines : Lines
        The lines of the ledger.
    """
    return {"columns": [_column(column, seen) for column, seen in columns], "labels": _labels(lines)}


def seen_in(table: Table) -> Iterator[tuple[Column, Seen]]:
    """Give the columns of a table, and what their values are."""
    for column in table.schema:
        yield column, Seen.of(column, table[column.name])


def _column(column: Column, seen: Seen) -> ColumnFacts:
    levels = [str(level) for level in column.levels if seen.counts.get(level)] if column.kind.has_levels else []
    low, high = (None if end is None else value_text(column, end) for end in (seen.low, seen.high))
    kind: Any = column.kind.value  # one of the contract's
    return {
        "name": column.name,
        "kind": kind,
        "missing": seen.missing,
        "low": low,
        "high": high,
        "levels": levels[:LEVELS],
        "more": len(levels[LEVELS:]),
    }


def _labels(lines: Lines) -> list[LabelRows]:
    """Count labels before and after, the most frequent first."""
    before, after = Counter[str](), Counter[str]()
    for line, rows in lines.items():
        if line.old is not None:
            before[line.old] += rows
        if line.new is not None:
            after[line.new] += rows
    labels = sorted(before | after, key=lambda label: (-before[label], -after[label], label))
    return [{"label": label, "data": before[label], "result": after[label]} for label in labels]
