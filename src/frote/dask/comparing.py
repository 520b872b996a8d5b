"""Models compared on Dask frames: on the rows with the smallest hashes of their keys, as in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from frote.compare.models import compare_models
from frote.dask.local import as_local
from frote.dask.sampling import SAMPLE, brought
from frote.dask.whole import LazyRows
from frote.table import TypedFrame

if TYPE_CHECKING:
    from frote.compare.comparison import Comparison

__all__ = ["compare_lazily"]

SEED, PURPOSE = 0, "compare"


def compare_lazily(
    before: Any, after: Any, X: Any, rules: Any, y: Any, *, sample: int = SAMPLE, **asked: Any
) -> Comparison:
    """Compare models on a Dask frame; see `frote.compare_models`. `sample`: on how many rows at most."""
    rows = LazyRows.of(X, y)
    rows.require_rows()
    frame, labels = brought(rows, sample, SEED, PURPOSE)
    shown = TypedFrame(rows.survey.typed(frame), frame)
    found = compare_models(as_local(before), as_local(after), shown, rules, labels, **asked)
    if len(rows) <= sample:
        return found
    told = f"Compared on a sample of {sample:,} of {len(rows):,} rows; frote.score gives scores of all of them."
    return replace(found, notes=(*found.notes, told))
