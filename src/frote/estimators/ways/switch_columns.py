"""Columns of switches beside what a model gets otherwise, whatever kind of table that is."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["below", "free_labels", "rows_in", "with_switches"]


def with_switches(table: Any, switch: NDArray[np.intp], labels: Sequence[Any], height: float) -> Any:
    """Append a column for each switch.

    Parameters
    ----------
    table : sparse matrix, ndarray, pandas or polars DataFrame
        What a model gets of some rows.

    switch : ndarray of int
        For each row the switch that is on, -1 for none.

    labels : sequence
        A label for each switch, for tables whose columns have any.

    height : float
        The value of a switch that is on; of one that is off it is 0.

    Returns
    -------
    A table of the same kind.

    Examples
    --------
    >>> with_switches(np.array([[0.5], [0.7]]), np.array([1, -1]), ["a", "b"], 10.0)
    array([[ 0.5,  0. , 10. ],
           [ 0.7,  0. ,  0. ]])
    """
    rows = np.flatnonzero(switch >= 0)
    values, shape = np.full(len(rows), height), (len(switch), len(labels))
    switches = sparse.csr_matrix((values, (rows, switch[rows])), shape=shape)
    if sparse.issparse(table):
        blocks: Any = [table, switches]
        return sparse.hstack(blocks, format="csr")
    dense = switches.toarray()
    if nw.dependencies.is_pandas_dataframe(table):
        return pd.concat([table, pd.DataFrame(dense, index=table.index, columns=list(labels))], axis=1)
    if nw.dependencies.is_polars_dataframe(table):
        return (
            nw.from_native(table)
            .with_columns(nw.new_series(label, dense[:, place], backend="polars") for place, label in enumerate(labels))
            .to_native()
        )
    array = np.asarray(table)
    return np.hstack([array, dense.astype(array.dtype if array.dtype.kind in "iufO" else object)])


def free_labels(table: Any, count: int) -> list[Any]:
    """Return labels for so many switches that no column of a table has: numbers where its columns have numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> free_labels(pd.DataFrame({"age": [31], "switch_0": [1]}), 2)
    ['switch_0_', 'switch_1_']
    >>> free_labels(pd.DataFrame({0: [31], 1: [1]}), 2)
    [2, 3]
    """
    taken = list(table.columns) if nw.dependencies.is_into_dataframe(table) else []
    if taken and all(isinstance(label, int | np.integer) for label in taken):
        return [max(taken) + 1 + place for place in range(count)]
    end = ""
    while {f"switch_{place}{end}" for place in range(count)} & {*map(str, taken)}:
        end += "_"
    return [f"switch_{place}{end}" for place in range(count)]


def below(tables: Sequence[Any]) -> Any:
    """Put tables of one kind and of the same columns one below the other."""
    first = tables[0]
    if sparse.issparse(first):
        return sparse.vstack(tables, format="csr")
    if nw.dependencies.is_into_dataframe(first):
        joined = nw.concat([nw.from_native(one) for one in tables], how="vertical").to_native()
        return joined.reset_index(drop=True) if nw.dependencies.is_pandas_dataframe(joined) else joined
    return reduce(lambda above, one: np.vstack([above, one]), tables)


def rows_in(table: Any) -> int:
    """Return how many rows a table of any kind has."""
    return int(table.shape[0])
