"""Models asked about Dask frames, partition by partition, when somebody asks for the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.asking import ask
from frote.coverage.said import classes_of
from frote.dask.frames import each, parts_of
from frote.dask.local import as_local
from frote.exceptions import TableError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["answers_lazily"]


@dataclass(frozen=True, slots=True, eq=False)
class _Asking:
    model: Any
    method: str
    empty: NDArray[Any]

    def at(self, place: int, frame: pd.DataFrame) -> NDArray[Any]:  # noqa: ARG002
        """Ask about a partition; models cannot be asked about no row."""
        return ask(self.model, frame, self.method) if len(frame) else self.empty


def answers_lazily(model: Any, method: str, X: Any) -> Any:
    """Return what a model says of a Dask frame as a lazy array.

    Parameters
    ----------
    model : classifier
        The model, of one machine or of a cluster.

    method : {"predict", "predict_proba"}
        What to ask.

    X : Dask DataFrame
        The rows.

    Returns
    -------
    Dask array
        The number of rows of which is not known before it is computed.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd
    >>> from sklearn.dummy import DummyClassifier
    >>> X = pd.DataFrame({"age": [20, 40, 60]})
    >>> model = DummyClassifier().fit(X, ["no", "yes", "yes"])
    >>> answers_lazily(model, "predict", dd.from_pandas(X, npartitions=2)).compute().tolist()
    ['yes', 'yes', 'yes']
    """
    import dask.array

    da: Any = dask.array
    local = as_local(model)
    classes = np.asarray(classes_of(local))
    if method not in ("predict", "predict_proba"):
        raise TableError(f"{method} needs all rows in one place. Give X.compute(), or ask for predict_proba.")
    more, dtype = ((), classes.dtype) if method == "predict" else ((len(classes),), np.dtype(np.float64))
    asking = _Asking(local, method, np.empty((0, *more), dtype=dtype))
    return da.concatenate(
        [da.from_delayed(task, shape=(np.nan, *more), dtype=dtype) for task in each(asking, "at", parts_of(X))],
        allow_unknown_chunksizes=True,
    )
