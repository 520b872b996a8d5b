"""Edits of Dask frames: a sample decides, and partitions apply what was decided.

One pass tells the types; a second one, over the columns of the rules, which rows are brought to one place; a third one
brings them. The loop that edits in memory runs on these. Where they are all there are, the edit is the one in memory.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.dask.begun import Begun
from frote.dask.decided import Decided, LazyEdit, lines_made
from frote.dask.results import as_partitions, lazy_array, lazy_frame
from frote.dask.sampled import Sampled
from frote.dask.sampling import brought

if TYPE_CHECKING:
    import pandas as pd

    from frote.dask.whole import LazyRows
    from frote.estimators.editing import Editing
    from frote.estimators.preview import Preview

__all__ = ["edit_lazily", "preview_lazily"]


def edit_lazily(editor: Editing, X: Any, y: Any, sample_weight: Any = None) -> LazyEdit:
    """Edit a Dask frame, and set the fitted attributes; see `FROTE.fit_resample`.

    Parameters
    ----------
    editor : FROTE or FROTEClassifier
        The editor.

    X : Dask DataFrame
        The rows.

    y : Dask Series
        Their labels.

    sample_weight : object, default=None
        Not to be given.

    Returns
    -------
    LazyEdit
    """
    begun = Begun.of(editor, X, y, sample_weight)
    edit = _in_memory(editor, begun) if begun.in_memory else Sampled.of(editor, begun).edited()
    editor.strata_ = begun.strata.frame
    return edit


def preview_lazily(editor: Editing, X: Any, y: Any, sample_weight: Any = None) -> Preview:
    """Preview an edit of a Dask frame; see `FROTE.preview`. One more pass counts what would become of all rows."""
    editor = copy(editor)  # what is read of the columns would make it look fitted
    editor.checkpoint = None
    begun = Begun.of(editor, X, y, sample_weight)
    if begun.in_memory:
        preview: Preview = editor.preview(*_whole(begun.rows))
        return preview
    return Sampled.of(editor, begun).previewed()


def _whole(rows: LazyRows) -> tuple[pd.DataFrame, Any]:
    """Bring all rows to one place, with their labels."""
    frame, labels = brought(rows, len(rows), 0, "whole")
    return frame.reset_index(drop=True), labels.reset_index(drop=True)


def _in_memory(editor: Editing, begun: Begun) -> LazyEdit:
    """Edit as in memory, and cut what came of it into partitions."""
    edit = editor._edit(*_whole(begun.rows))
    count = max(1, begun.rows.X.npartitions)
    decided = Decided(begun.rows, begun.target, begun.strata, editor._last, lines_made(editor.ledger_))
    editor.ledger_ = _cut(editor.ledger_, count)
    editor.sample_indices_ = lazy_array(as_partitions(editor.sample_indices_, count), np.intp)
    del editor._last
    return LazyEdit(_cut(edit.frame, count), _cut(edit.labels, count), decided)


def _cut(rows: Any, count: int) -> Any:
    return lazy_frame(as_partitions(rows, count), rows.iloc[:0])
