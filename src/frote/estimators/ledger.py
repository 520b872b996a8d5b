"""The ledger: one line per row of the result and per row dropped, with why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from frote.loop.engine import State
    from frote.loop.task import Batch, Task

__all__ = ["make_ledger", "source_rows"]

# Each column with its type; what does not apply to a row is missing, or empty in a column of texts.
COLUMNS = {
    "row": "Int64",
    "source": "Int64",
    "index": "object",
    "status": "str",
    "rule": "str",
    "old_label": "object",
    "new_label": "object",
    "base": "Int64",
    "neighbour": "Int64",
    "step": "Int64",
    "covered": "str",
}


def make_ledger(
    task: Task,
    state: State,
    X: Any,
    kept: NDArray[np.bool_],
    before: NDArray[np.intp],
    after: NDArray[np.intp],
    owner: NDArray[np.intp],
    natives: Callable[[NDArray[np.intp]], Any],
) -> pd.DataFrame:
    """Return what became of every row.

    Parameters
    ----------
    task, state
        The task, and where the loop ended.

    X : frame
        The caller's data.

    kept : ndarray of bool
        Which rows of it stayed.

    before, after : ndarray of int
        Their labels before and after modification.

    owner : ndarray of int
        The rule each of them is attributed to, -1 if none.

    natives : callable
        Turns codes into the caller's labels.

    Returns
    -------
    DataFrame
        Columns: row (in the result; missing if dropped), source and index (position and index in the data that came
        in; missing if synthetic), status, rule (whose outcome changed or dropped the row; the piece of a rule, such as
        ``name/1``, that a synthetic one was made for), old_label, new_label,
        and for synthetic rows base and neighbour (as rows of the result), step, and covered (strongly or weakly).
    """
    relabelled = before != after
    index = X.index if nw.dependencies.is_pandas_dataframe(X) else pd.RangeIndex(len(kept))
    originals = _lines(
        source=np.arange(len(kept)),
        index=index,
        status=np.where(kept, np.where(relabelled, "relabelled", "kept"), "dropped"),
        rule=np.where(relabelled | ~kept, np.array(["", *task.names], dtype=object)[owner + 1], ""),
        old_label=natives(before),
        new_label=pd.Series(natives(after), dtype=object).where(kept, None),
    )
    batches = [_made(task, step, batch, natives) for step, batch in state.batches]
    ledger = pd.concat([originals[kept], *batches, originals[~kept]], ignore_index=True)
    result = len(ledger) - int((~kept).sum())
    ledger["row"] = pd.array(range(len(ledger)), dtype="Int64")
    ledger.loc[result:, "row"] = pd.NA
    return ledger


def _made(task: Task, step: int, batch: Batch, natives: Callable[[NDArray[np.intp]], Any]) -> pd.DataFrame:
    """Return the lines of a batch of synthetic rows."""
    return _lines(
        status=np.full(len(batch), "synthetic"),
        rule=np.array([rule.name for rule in task.rules], dtype=object)[batch.piece],
        new_label=natives(batch.rows.labels),
        base=batch.base,
        neighbour=[None if place < 0 else place for place in batch.neighbour.tolist()],
        step=np.full(len(batch), step),
        covered=np.where(batch.strong, "strongly", "weakly"),
    )


def _lines(**given: Any) -> pd.DataFrame:
    """Return lines with all columns of the ledger, those not given empty."""
    count = len(given["status"])
    columns = {}
    for name, dtype in COLUMNS.items():
        values = given.get(name, [""] * count if dtype == "str" else [None] * count)
        columns[name] = pd.Series(list(values), dtype=dtype)
    return pd.DataFrame(columns)


def source_rows(state: State, kept: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return for each row of the result the row of the data it is, or that it goes back to by its base rows."""
    sources = np.flatnonzero(kept)
    for _, batch in state.batches:
        # A base row may be a synthetic row of an earlier batch.
        sources = np.concatenate([sources, sources[batch.base]])
    return sources
