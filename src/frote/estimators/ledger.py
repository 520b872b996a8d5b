"""The ledger: one line per row of the result and per row dropped, with why.

What is told of a row is a number, or a place in a list of the few values that there are. Rows that came in need no line
in memory: what is known of them says it all, and the frame is made column by column for whoever reads it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.estimators.prepared import Given, Modified
    from frote.loop.engine import State
    from frote.loop.rows import Batch

    Codes = dict[str, NDArray[Any]]

__all__ = ["Ledger", "lines_of", "source_rows"]

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


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """What became of every row, in few bytes each; a frame of it is made for whoever reads it.

    Parameters
    ----------
    kept : ndarray of bool
        Which rows of the data stayed.

    before, after : ndarray of int
        Their labels before and after modification, as codes.

    owner : ndarray of int
        The rule as written that each is attributed to.

    made : tuple of dict
        What is told of each batch of synthetic rows.

    rules, pieces : tuple of str
        The names of the rules as written, and of their pieces.

    labels : Series
        The labels that codes stand for.

    index : Index
        What the caller calls the rows of the data.
    """

    kept: NDArray[np.bool_]
    before: NDArray[np.signedinteger[Any]]
    after: NDArray[np.signedinteger[Any]]
    owner: NDArray[np.signedinteger[Any]]
    made: tuple[Codes, ...]
    rules: tuple[str, ...]
    pieces: tuple[str, ...]
    labels: pd.Series[Any]
    index: pd.Index[Any]

    @classmethod
    def of(cls, given: Given, modified: Modified, state: State, joined: int | None = None) -> Ledger:
        """Note what became of every row.

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
        Ledger
        """
        rows, X, target = modified.attribution, given.rows.frame, given.target
        ruling, after = rows.ruling, math.inf if joined is None else joined
        return cls(
            modified.kept,
            target.labels.codes,
            modified.changed,
            rows.owner,
            tuple(_made(step, batch, len(ruling.names), step >= after) for step, batch in state.batches),
            ruling.names,
            ruling.rules.names,
            pd.Series(target.natives(np.arange(len(ruling.classes))), dtype=object),
            X.index if nw.dependencies.is_pandas_dataframe(X) else pd.RangeIndex(len(modified.kept)),
        )

    def frame(self) -> pd.DataFrame:
        """Return it as a frame with a line for each row of the result and, below them, for each row dropped.

        Returns
        -------
        DataFrame
            Columns: row (in the result; missing if dropped), source and index (position and index in the data that came
            in; missing if synthetic), status, rule (whose outcome changed or dropped the row; the piece of a rule, such
            as ``name/1``, that a synthetic one was made for), old_label, new_label,
            and for synthetic rows base and neighbour (as rows of the result), step, and covered (strongly, weakly, or
            counterexample: made around one, and the base is the row that is most like it).
        """
        kept = self.kept
        originals = _originals(kept, self.before, self.after, self.owner)
        parts = [_at(originals, kept), *self.made, _at(originals, ~kept)]
        values = {
            "index": self.index.to_numpy(dtype=object),
            "status": STATUSES,
            "rule": [*self.rules, *self.pieces],
            "old_label": self.labels,
            "new_label": self.labels,
            "covered": COVERED,
        }
        return _table(parts, values, 0, int(np.count_nonzero(~kept)))

    def sources(self) -> NDArray[np.intp]:
        """Return for each row of the result the row of the data it is, or that it goes back to by its base rows."""
        return source_rows(self.kept, [one["base"] for one in self.made])


def lines_of(
    kept: NDArray[np.bool_],
    before: NDArray[np.intp],
    after: NDArray[np.intp],
    owner: NDArray[np.intp],
    names: Sequence[str],
    labels: pd.Series[Any],
    *,
    first_source: int,
    first_row: int,
) -> pd.DataFrame:
    """Return the lines of some of the rows that came in: of those that stay, and below them of those dropped.

    Parameters
    ----------
    kept : ndarray of bool
        Which of them stay.

    before, after : ndarray of int
        Their labels before and after modification.

    owner : ndarray of int
        The rule as written that each is attributed to; -1 outside all coverage.

    names : sequence of str
        The names of the rules as written.

    labels : Series
        The label of each code.

    first_source, first_row : int
        Where the first of them stands in the data, and the first that stays in the result.

    Returns
    -------
    DataFrame
        Columns as of `Ledger.frame`; the index of a row is its position in the data.
    """
    originals = _originals(kept, before, after, owner)
    originals["source"] = originals["source"] + first_source
    parts = [_at(originals, kept), _at(originals, ~kept)]
    values = {
        "index": np.arange(first_source, first_source + len(kept)).astype(object),
        "status": STATUSES,
        "rule": names,
        "old_label": labels.astype(object),
        "new_label": labels.astype(object),
        "covered": COVERED,
    }
    return _table(parts, values, first_row, int(np.count_nonzero(~kept)))


def _table(parts: list[Codes], values: dict[str, Any], first_row: int, dropped: int) -> pd.DataFrame:
    """Return the lines of some parts; the last ones are of rows that are not in the result."""
    columns = {name: _column(_joined(parts, name), dtype, values.get(name)) for name, dtype in COLUMNS.items()}
    row = first_row + np.arange(len(columns["status"]))
    row[len(row) - dropped :] = NOTHING
    return pd.DataFrame({"row": _numbers(row), **columns}, copy=False)


def _originals(
    kept: NDArray[np.bool_],
    before: NDArray[np.signedinteger[Any]],
    after: NDArray[np.signedinteger[Any]],
    owner: NDArray[np.signedinteger[Any]],
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


def source_rows(kept: NDArray[np.bool_], bases: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Return for each row of the result the row of the data it is, or that it goes back to by its base rows."""
    first = int(np.count_nonzero(kept))
    sources = np.empty(first + sum(map(len, bases)), dtype=np.intp)
    sources[:first] = np.flatnonzero(kept)
    for base in bases:
        # A base row may be a synthetic row of an earlier batch.
        sources[first : first + len(base)] = sources[base]
        first += len(base)
    return sources
