"""What a modification would do to all rows of a Dask frame, counted by partitions: for a preview."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.dask.frames import added, computed
from frote.dask.relabelling import keyed
from frote.estimators.preview import Changes

if TYPE_CHECKING:
    import pandas as pd

    from frote.coverage.ruling import Ruling
    from frote.dask.begun import Begun
    from frote.dask.whole import PartTypes

__all__ = ["changes_lazily"]


@dataclass(frozen=True, slots=True, eq=False)
class _Counting:
    types: PartTypes
    ruling: Ruling
    how: str
    seed: int
    starts: tuple[int, ...]

    def at(self, place: int, frame: pd.DataFrame, y: Any) -> Changes:
        """Count the rows of a partition."""
        own, rows = self.types.codes(y), self.ruling.on(self.types.table(frame))
        assert own is not None  # an edit has labels
        keys = np.arange(self.starts[place], self.starts[place] + len(frame))
        kept, changed = keyed(rows, own, keys, self.how, self.seed)
        return Changes.of(rows, own, changed, kept)


def changes_lazily(begun: Begun, how: str, seed: int) -> Changes:
    """Count what would become of all rows, in one pass over the columns of the rules.

    Parameters
    ----------
    begun : Begun
        The edit.

    how : {"relabel", "drop", "none"}
        What becomes of rows that contradict their rule.

    seed : int
        Where the chance comes from.

    Returns
    -------
    Changes
    """
    frame, types = begun.rows.some(begun.rules.columns)
    counting = _Counting(types, begun.strata.taking.ruling, how, seed, begun.rows.survey.starts)
    changes: Changes = computed(added(begun.rows.each(counting, X=frame)))
    return changes
