"""Frames brought to given columns: in their order, without others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw

from frote.exceptions import TableError, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["brought", "labels_of", "taken"]


def labels_of(X: Any) -> dict[str, Any] | None:
    """Return the labels of a frame's columns by their texts; None for an array, whose columns have no names.

    Examples
    --------
    >>> import pandas as pd
    >>> labels_of(pd.DataFrame({"age": [31], 7: [1]}))
    {'age': 'age', '7': 7}
    """
    if not nw.dependencies.is_into_dataframe(X):
        return None
    return {str(label): label for label in X.columns}


def taken(X: Any, labels: Sequence[Any]) -> Any:
    """Return a frame's columns of some labels, in that order; the frame itself if these are all it has, in order."""
    labels = list(labels)
    return X if labels == list(X.columns) else X[labels]


def brought(X: Any, names: Sequence[str], what: str = "X") -> Any:
    """Bring a frame to columns: in their order, without others.

    Parameters
    ----------
    X : pandas or polars DataFrame, or array
        The rows. The columns of an array have no names and are taken as they stand.

    names : sequence of str
        The columns wanted.

    what : str, default="X"
        What to call the frame in messages.

    Returns
    -------
    DataFrame or array
        Of the same kind; `X` itself if nothing is to be done.

    Raises
    ------
    TableError
        If a column is lacking.

    Examples
    --------
    >>> import pandas as pd
    >>> brought(pd.DataFrame({"id": [1], "income": [9], "age": [31]}), ["age", "income"])
       age  income
    0   31       9
    """
    label_of = labels_of(X)
    if label_of is None:
        if X.shape[1] != len(names):
            raise TableError(f"{what} has {X.shape[1]:,} columns, and {len(names):,} are needed.")
        return X
    lacking = [name for name in names if name not in label_of]
    if lacking:
        raise TableError(f"{what} has no column {lacking[0]!r}. {nearest(lacking[0], label_of)}")
    return taken(X, [label_of[name] for name in names])
