"""What came of an edit as Dask frames: partitions with labels that agree with the rules, and synthetic rows below."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.dask.relabelling import keyed
from frote.estimators.ledger import lines_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.coverage.ruling import Ruling
    from frote.dask.whole import LazyRows, PartTypes
    from frote.estimators.input import Target

__all__ = ["Applied", "Applying", "as_partitions", "lazy_array", "lazy_frame"]

AT_ONCE = 100_000  # rows of a partition that we make
# What is made of a partition, by which method of `Applying`, and the place that it has in what that returns.
ROWS, LABELS, LINES, DROPPED, SOURCES = (
    ("rows_at", 0),
    ("rows_at", 1),
    ("lines_at", 0),
    ("lines_at", 1),
    ("lines_at", 2),
)


@dataclass(frozen=True, slots=True, eq=False)
class Applying:
    """Makes the labels of a partition agree with the rules: sent to workers.

    Parameters
    ----------
    types : PartTypes
        The types of partitions.

    ruling : Ruling
        The rules.

    target : Target
        Labels of the caller's kind.

    how : {"relabel", "drop", "none"}
        What becomes of rows that contradict their rule.

    seed : int
        Where the chance comes from.

    starts, first_rows, first_dropped : tuple of int
        Where the first row of each partition stands in the data, the first that stays in the result, and the line of
        the first that does not in the ledger.
    """

    types: PartTypes
    ruling: Ruling
    target: Target
    how: str
    seed: int
    starts: tuple[int, ...]
    first_rows: tuple[int, ...]
    first_dropped: tuple[int, ...]

    def rows_at(self, place: int, frame: pd.DataFrame, y: Any) -> tuple[pd.DataFrame, Any]:
        """Return the rows of a partition that stay, and their labels."""
        _, _, kept, changed = self._modified(place, frame, y)
        first = self.first_rows[place]
        index = pd.RangeIndex(first, first + int(kept.sum()))
        return frame[kept].set_axis(index), self.target.natives(changed[kept]).set_axis(index)

    def lines_at(self, place: int, frame: pd.DataFrame, y: Any) -> tuple[pd.DataFrame, pd.DataFrame, NDArray[np.intp]]:
        """Return the lines of the ledger for the rows that stay, those for the others, and where the former stand."""
        owner, own, kept, changed = self._modified(place, frame, y)
        start, first, below = self.starts[place], self.first_rows[place], self.first_dropped[place]
        every, stay = self.target.natives(np.arange(len(self.ruling.classes))), int(kept.sum())
        lines = lines_of(kept, own, changed, owner, self.ruling.names, every, first_source=start, first_row=first)
        return (
            lines[:stay].set_axis(pd.RangeIndex(first, first + stay)),
            lines[stay:].set_axis(pd.RangeIndex(below, below + len(kept) - stay)),
            start + np.flatnonzero(kept),
        )

    def _modified(
        self, place: int, frame: pd.DataFrame, y: Any
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_], NDArray[np.intp]]:
        """Return which rule each row is attributed to, its label, whether it stays, and its label then."""
        own = self.types.codes(y)
        assert own is not None  # an edit has labels
        rows = self.ruling.on(self.types.table(frame))
        keys = np.arange(self.starts[place], self.starts[place] + len(frame))
        return rows.owner, own, *keyed(rows, own, keys, self.how, self.seed)


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """The partitions of an edit before any synthetic row, as tasks to be.

    Parameters
    ----------
    tasks : dict of str to list of Delayed
        What the methods of `Applying` make of each partition.

    lengths, dropped : tuple of int
        How many rows of each stay, and how many do not.
    """

    tasks: dict[str, list[Any]]
    lengths: tuple[int, ...]
    dropped: tuple[int, ...]

    @classmethod
    def of(
        cls,
        rows: LazyRows,
        ruling: Ruling,
        target: Target,
        how: str,
        seed: int,
        kept: Sequence[int],
        made: int = 0,
    ) -> Applied:
        """Apply a modification that keeps so many rows of each partition, of an edit that made so many rows."""
        dropped = tuple(length - stay for length, stay in zip(rows.survey.lengths, kept, strict=True))
        first_rows, first_dropped = (np.cumsum([0, *counts])[:-1] for counts in (kept, dropped))
        first_dropped = first_dropped + sum(kept) + made
        firsts = tuple(first_rows.tolist()), tuple(first_dropped.tolist())
        applying = Applying(rows.types(), ruling, target, how, seed, rows.survey.starts, *firsts)
        tasks = {method: rows.each(applying, method) for method in ("rows_at", "lines_at")}
        return cls(tasks, tuple(kept), dropped)

    @property
    def rows(self) -> int:
        """How many rows stay."""
        return sum(self.lengths)

    def parts(self, which: tuple[str, int]) -> list[tuple[Any, int]]:
        """Return one of the things that are made, of each partition that has such rows, with its length."""
        method, place = which
        lengths = self.dropped if which == DROPPED else self.lengths
        return [(task[place], length) for task, length in zip(self.tasks[method], lengths, strict=True) if length]


def as_partitions(rows: Any, count: int = 0) -> list[tuple[Any, int]]:
    """Cut rows in memory into partitions to be, of equal lengths: so many, or so that none has too many rows."""
    from dask.delayed import delayed

    count = count or -(-len(rows) // AT_ONCE)
    ends = np.linspace(0, len(rows), count + 1).astype(int)
    whole = rows if isinstance(rows, np.ndarray) else rows.iloc
    cuts = [(start, end) for start, end in itertools.pairwise(ends) if end > start]
    return [(delayed(whole[start:end], traverse=False, pure=False), int(end - start)) for start, end in cuts]


def lazy_frame(parts: Sequence[tuple[Any, int]], empty: Any) -> Any:
    """Return partitions as a Dask frame or series with a running index, the divisions of which are known.

    Parameters
    ----------
    parts : sequence of (Delayed, int)
        The partitions, none of which is empty, and their lengths.

    empty : DataFrame or Series
        The types.

    Returns
    -------
    Dask DataFrame or Series
    """
    import dask.dataframe

    import dask

    dd: Any = dask.dataframe
    with dask.config.set({"dataframe.convert-string": False}):  # columns are what they are
        if not parts:
            return dd.from_pandas(empty, npartitions=1)
        ends = np.cumsum([0, *(length for _, length in parts)]).tolist()
        divisions = (*ends[:-1], ends[-1] - 1)
        return dd.from_delayed([part for part, _ in parts], meta=empty, divisions=divisions, verify_meta=False)


def lazy_array(parts: Sequence[tuple[Any, int]], dtype: Any) -> Any:
    """Return partitions as a Dask array."""
    import dask.array

    da: Any = dask.array
    blocks = [da.from_delayed(part, shape=(length,), dtype=dtype) for part, length in parts]
    return da.concatenate(blocks) if blocks else da.empty(0, dtype=dtype)
