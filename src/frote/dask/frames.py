"""Dask frames as they come in: recognised without importing Dask, held against each other, and computed."""

from __future__ import annotations

import operator
from functools import reduce
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from frote.dask.failing import in_a_sentence
from frote.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["added", "computed", "each", "folded", "is_lazy", "parts_of", "require_whole_types"]

AT_ONCE = 16  # results of partitions that one task puts together


def is_lazy(X: Any) -> bool:
    """Tell whether something is a Dask frame.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd
    >>> X = pd.DataFrame({"age": [31, 25]})
    >>> is_lazy(X), is_lazy(dd.from_pandas(X, npartitions=2))
    (False, True)
    """
    return nw.dependencies.is_dask_dataframe(X)


def parts_of(X: Any, y: Any = None) -> list[tuple[Any, ...]]:
    """Return the partitions of a Dask frame, and of its labels beside it, as tasks to be.

    Raises
    ------
    TableError
        If the labels are no Dask series, or of other partitions, or the frame's own are not made of pandas frames.
    """
    if not isinstance(X._meta, pd.DataFrame):
        raise TableError(f"X is made of partitions of type {type(X._meta).__name__}. Make them pandas DataFrames.")
    if y is None:
        return [(part,) for part in _tasks(X)]
    if not (hasattr(y, "to_delayed") and isinstance(getattr(y, "_meta", None), pd.Series)):
        raise TableError(
            "X is a Dask frame and y is no Dask series. Take both from one frame, as X = data.drop(columns='target') "
            "and y = data['target']."
        )
    if y.npartitions != X.npartitions:
        raise TableError(
            f"X has {X.npartitions:,} partitions and y {y.npartitions:,}. Take both from one frame, as "
            "X = data.drop(columns='target') and y = data['target']."
        )
    return list(zip(_tasks(X), _tasks(y), strict=True))


def _tasks(collection: Any) -> list[Any]:
    """Return the partitions of a collection as tasks: those that it says it has.

    Left alone, Dask reads files together of which only a few columns are asked for.
    """
    import dask

    with dask.config.set({"optimization.tune.active": False}):
        tasks: list[Any] = collection.to_delayed()
    return tasks


def require_whole_types(X: Any) -> None:
    """Refuse a frame the types of which do not tell what they hold: with categories that nobody knows yet."""
    unknown = [str(name) for name in X.columns if isinstance(X._meta[name].dtype, pd.CategoricalDtype)]
    unknown = [name for name in unknown if not X[name].cat.known]
    if unknown:
        raise TableError(
            f"Column {unknown[0]!r} of X has categories that are not known. Look for them with "
            f"X.categorize(columns={unknown!r}), or make it a column of texts."
        )


def each(looking: Any, method: str, parts: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Return for each partition a task that hands its place and what there is of it to a method of an object.

    The object is sent to a worker once, however many partitions the worker has.
    """
    from dask.delayed import delayed

    shared, call = delayed(looking, traverse=False, pure=False), delayed(_told_by, pure=False)
    return [call(shared, method, place, *part) for place, part in enumerate(parts)]


def _told_by(looking: Any, method: str, *given: Any) -> Any:
    return getattr(looking, method)(*given)


def added(tasks: Iterable[Any]) -> Any:
    """Return the sum of what tasks give, of tuples by their places, worked out a few at a time."""
    return folded(tasks, _sum)


def _sum(parts: list[Any]) -> Any:
    if isinstance(parts[0], tuple):
        return tuple(_sum(list(own)) for own in zip(*parts, strict=True))
    return reduce(operator.add, parts)


def folded(tasks: Iterable[Any], joined: Callable[[list[Any]], Any]) -> Any:
    """Return a task that puts the results of many together, a few at a time, so that none of them gets them all."""
    from dask.delayed import delayed

    level = list(tasks)
    join = delayed(joined, pure=True)
    while len(level) > 1:
        level = [join(level[start : start + AT_ONCE]) for start in range(0, len(level), AT_ONCE)]
    return join(level) if level else join([])


def computed(task: Any, what: str = "X") -> Any:
    """Return what a task gives, on whatever scheduler Dask is set to.

    Raises
    ------
    TableError
        If the partitions cannot be had, with the reason.
    """
    try:
        return task.compute()
    except Exception as error:
        said = in_a_sentence(error, what)
        if said is None:
            raise
        raise said from (None if said is getattr(error, "exception", error) else error)
