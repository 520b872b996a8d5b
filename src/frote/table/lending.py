"""Rows and labels for code that is not ours: an estimator may write into what it is given."""

from __future__ import annotations

from typing import Any

import narwhals as nw

__all__ = ["lent"]


def lent(data: Any) -> Any:
    """Return rows or labels to hand to somebody else's code, so that whatever it does to them is done to them alone.

    Copies, since estimators that work in place (``copy=False``) refuse what is read-only. pandas' copy-on-write is not
    enough: a column's ``array`` writes through it.

    Parameters
    ----------
    data : pandas or polars DataFrame or Series, NumPy array, or list
        The rows or labels; anything else is returned as it is.

    Returns
    -------
    The same kind of data, of equal values and in the same layout of memory.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.zeros((2, 2))
    >>> lent(rows)[:] = 1
    >>> rows.sum()
    np.float64(0.0)
    """
    dependencies = nw.dependencies
    if dependencies.is_numpy_array(data):
        return data.copy(order="K")
    if dependencies.is_pandas_dataframe(data) or dependencies.is_pandas_series(data):
        return data.copy()
    if dependencies.is_polars_dataframe(data) or dependencies.is_polars_series(data):
        return data.clone()  # their values are shared and never written to
    return list(data) if isinstance(data, list) else data
