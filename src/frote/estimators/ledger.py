"""The ledger: one line per row of the result and per row dropped, with why.

It is made column by column: what is told of a row is a number, or a place in a list of the few values that there are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.estimators.prepared import Given, Modified
    from frote.loop.engine import State
    from frote.loop.rows import Batch

    Codes = dict[str, NDArray[np.intp]]

__all__ = ["make_ledger", "source_rows"]

NOTHING = -1  # what is told of a row where a column does not apply to it
# Each column but the first with its type; what does not apply to a row is missing, or empty in a column of texts.
COLUMNS = {
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
STATUSES = ("kept", "relabelled", "dropped", "synthetic", "guard")
KEPT, RELABELLED, DROPPED, SYNTHETIC, GUARD = range(len(STATUSES))
COVERED = ("weakly", "strongly", "counterexample")
COUNTEREXAMPLE = 2


def make_ledger(given: Given, modified: Modified, state: State, joined: int | None = None) -> pd.DataFrame:
    """Return what became of every row.

    Parameters
    ----------
    given : Given
        The caller's data.

    modified : Modified
        The same after modification.

    state : State
        Where the loop ended.

    joined : int or None, default=None
        The first step of those whose rows were made around counterexamples.

    Returns
    -------
    DataFrame
        Columns: row (in the result; missing if dropped), source and index (position and index in the data that came
        in; missing if synthetic), status, rule (whose outcome changed or dropped the row; the piece of a rule, such as
        ``name/1``, that a synthetic one was made for), old_label, new_label,
        and for synthetic rows base and neighbour (as rows of the result), step, and covered (strongly, weakly, or
        counterexample: made around one, and the base is the row that is most like it).
    """
    rows, kept, X = modified.attribution, modified.kept, given.rows.frame
    originals = _originals(kept, given.target.labels.codes, modified.changed, rows.owner)
    after = math.inf if joined is None else joined
    made = [_made(step, batch, len(rows.ruling.names), step >= after) for step, batch in state.batches]
    parts = [_at(originals, kept), *made, _at(originals, ~kept)]
    index = X.index if nw.dependencies.is_pandas_dataframe(X) else pd.RangeIndex(len(kept))
    labels = pd.Series(given.target.natives(np.arange(len(rows.ruling.classes))), dtype=object)
    values = {
        "index": index.to_numpy(dtype=object),
        "status": STATUSES,
        "rule": [*rows.ruling.names, *rows.ruling.rules.names],
        "old_label": labels,
        "new_label": labels,
        "covered": COVERED,
    }
    columns = {name: _column(_joined(parts, name), dtype, values.get(name)) for name, dtype in COLUMNS.items()}
    row = np.arange(len(columns["status"]))
    row[len(row) - np.count_nonzero(~kept) :] = NOTHING
    return pd.DataFrame({"row": _numbers(row), **columns}, copy=False)


def _originals(
    kept: NDArray[np.bool_], before: NDArray[np.intp], after: NDArray[np.intp], owner: NDArray[np.intp]
) -> Codes:
    """Return what is told of the rows that came in."""
    status = np.where(kept, np.where(before != after, RELABELLED, KEPT), DROPPED)
    places = np.arange(len(kept))
    return {
        "source": places,
        "index": places,
        "status": status,
        "rule": np.where(status == KEPT, NOTHING, owner),
        "old_label": before,
        "new_label": np.where(kept, after, NOTHING),
    }


def _made(step: int, batch: Batch, rules: int, joined: bool) -> Codes:
    """Return what is told of a batch of synthetic rows; the names of pieces stand behind those of so many rules."""
    return {
        "status": np.where(batch.guard, GUARD, SYNTHETIC),
        "rule": rules + batch.piece,
        "new_label": batch.rows.labels,
        "base": batch.base,
        "neighbour": batch.neighbour,
        "step": np.full(len(batch), step),
        "covered": np.where(batch.guard, NOTHING, COUNTEREXAMPLE if joined else batch.strong),
    }


def _at(codes: Codes, rows: NDArray[np.bool_]) -> Codes:
    return {name: column[rows] for name, column in codes.items()}


def _joined(parts: list[Codes], name: str) -> NDArray[np.intp]:
    """Return a column of parts that stand one below the other; in some it may not apply to any row."""
    return np.concatenate([part.get(name, np.full(len(part["status"]), NOTHING)) for part in parts])


def _column(codes: NDArray[np.intp], dtype: str, values: Any = None) -> pd.Series[Any]:
    """Return a column of numbers, or of the values at these places."""
    if values is None:
        return _numbers(codes)
    # Nothing is the last place.
    objects = np.append(np.asarray(values, dtype=object), ["" if dtype == "str" else None])
    return pd.Series(pd.Series(objects, dtype=dtype).array.take(codes), dtype=dtype, copy=False)


def _numbers(codes: NDArray[np.intp]) -> pd.Series[Any]:
    return pd.Series(pd.arrays.IntegerArray(codes.astype(np.int64), codes == NOTHING), copy=False)


def source_rows(state: State, kept: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return for each row of the result the row of the data it is, or that it goes back to by its base rows."""
    sources = np.flatnonzero(kept)
    for _, batch in state.batches:
        # A base row may be a synthetic row of an earlier batch.
        sources = np.concatenate([sources, sources[batch.base]])
    return sources
