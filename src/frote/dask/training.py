"""Estimators that train on clusters, trained on all partitions; the loop has models for one machine of them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from sklearn.base import clone

from frote.dask.local import as_local
from frote.dask.results import LABELS, ROWS, as_partitions, lazy_array, lazy_frame
from frote.exceptions import TableError
from frote.loop.training import IN_TRAINING, Trainer
from frote.ways_out import way_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.labels import Labels
    from frote.dask.results import Applied
    from frote.table import Table

__all__ = ["LazyTrainer", "require_client", "require_codes"]

TRIES = 3  # of one fit, while workers die
LOOKS, PAUSE = 20, 0.1  # for workers that died, after a fit that failed, and the seconds between two


@dataclass(frozen=True, slots=True, eq=False)
class LazyTrainer(Trainer):
    """Trains on the partitions and, below them, on the synthetic rows of the loop.

    Parameters
    ----------
    modified, unmodified : Applied
        The partitions with labels that agree with the rules, and as they came.

    brought : Table
        The rows as they came that were brought to one place.

    rows : int
        How many of the loop's rows stand for partitions: those behind them are synthetic.

    empty : tuple of (DataFrame, Series)
        The types of rows and labels.

    distributed : WeakKeyDictionary
        The model as it was trained, for each model that the loop has.
    """

    modified: Applied = field(kw_only=True)
    unmodified: Applied = field(kw_only=True)
    brought: Table = field(kw_only=True)
    rows: int = field(kw_only=True)
    empty: tuple[Any, Any] = field(kw_only=True)
    distributed: WeakKeyDictionary[Any, Any] = field(kw_only=True, default_factory=WeakKeyDictionary)

    def fit(self, rows: Any, codes: NDArray[np.intp], weights: NDArray[np.float64] | None = None) -> Any:
        """Return a model for one machine, trained on all partitions and the synthetic rows among these."""
        initial = rows.table is self.brought
        applied, first = (self.unmodified, len(rows)) if initial else (self.modified, self.rows)
        made, start = np.arange(first, len(rows)), applied.rows
        frame = rows.take(made).frame.set_axis(range(start, start + len(made)))
        labels = self.natives(codes[made]).set_axis(frame.index)
        X = lazy_frame(_below(applied.parts(ROWS), frame), self.empty[0])
        y = lazy_frame(_below(applied.parts(LABELS), labels), self.empty[1])
        given = {}
        if weights is not None and len(made):
            given[self.weight_name] = _weights(applied, weights[made])
        with self.clock.counting("fit"):
            model = _fitted(self.estimator, X, y, given)
        local = as_local(model)
        self.distributed[local] = model
        return local


def _below(parts: list[tuple[Any, int]], made: Any) -> list[tuple[Any, int]]:
    """Return partitions, the last of which has these rows below its own.

    As a partition they may be all that a worker has, and LightGBM takes the classes that a worker has for all of them.
    """
    from dask.delayed import delayed

    if not len(made):
        return parts
    *others, (last, length) = parts
    whole = delayed(_stacked, pure=False)(last, delayed(made, traverse=False, pure=False))
    return [*others, (whole, length + len(made))]


def _stacked(*parts: Any) -> Any:
    return pd.concat(parts)


def _weights(applied: Applied, made: NDArray[np.float64]) -> Any:
    """Return what rows of partitions, which stand for themselves, and synthetic rows weigh."""
    *others, last = [np.ones(length) for length in applied.lengths if length]
    parts = [*others, np.concatenate([last, made])]
    return lazy_array([part for own in parts for part in as_partitions(own, 1)], np.float64)


def _fitted(estimator: Any, X: Any, y: Any, given: dict[str, Any]) -> Any:
    """Fit a clone; if workers died meanwhile, it is tried again on those that are left or have come."""
    import dask

    held: Any = dask.persist  # type: ignore[attr-defined]
    for left in reversed(range(TRIES)):
        model, before = clone(estimator), _workers()
        try:
            rows, labels = held(X, y)  # made once, not once for each thing that it looks at
            if type(model).__module__.startswith("lightgbm."):
                _require_classes(model, labels)
            return model.fit(rows, labels, **given)
        except TableError:
            raise
        except Exception as error:
            if not left or not _come_or_gone(before):
                error.add_note(IN_TRAINING)
                raise
    raise AssertionError("the last try returns or raises")


def _require_classes(model: Any, labels: Any) -> None:
    """Say so if a partition lacks a class: LightGBM may wait for its worker for ever, or mistake one class for another.

    A worker takes the classes of its own rows for all that there are, and which partitions it gets is not known before.
    """
    have = labels.map_partitions(lambda own: pd.Series([frozenset(own.unique())]), meta=(None, object)).compute()
    every = frozenset().union(*have)
    for place, own in enumerate(have):
        if own != every:
            lacking = min(every - own, key=str)
            raise TableError(
                f"{type(model).__name__} needs all classes in each partition, and partition {place} of those with rows "
                f"lacks {str(lacking)!r}. Shuffle the rows, make partitions fewer, or use DaskXGBClassifier."
            )


def _client() -> Any:
    """Return the cluster's client; an error if there is none."""
    import distributed

    find: Any = distributed.default_client
    return find()


def _workers() -> set[str]:
    return set(_client().nthreads())


def _come_or_gone(before: set[str]) -> bool:
    """Tell whether workers are others than before; one that died may fail the fit before the scheduler misses it."""
    for _ in range(LOOKS):
        if _workers() != before:
            return True
        time.sleep(PAUSE)
    return False


def require_client(estimator: Any) -> None:
    """Say so if there is no cluster to train on."""
    try:
        _client()
    except ValueError:
        way = way_out("Make one first: distributed.Client().", "Add --scheduler processes, or the address of one.")
        raise TableError(
            f"{type(estimator).__name__} trains on a cluster, and there is no client of one. {way}"
        ) from None


def require_codes(estimator: Any, labels: Labels) -> None:
    """Say so if labels are not those that xgboost takes on a cluster, which it does not look at itself."""
    if hasattr(estimator, "get_booster") and list(labels.classes) != list(range(len(labels.classes))):
        shown = ", ".join(map(repr, labels.classes[:3]))
        raise TableError(
            f"{type(estimator).__name__} takes the labels 0 to {len(labels.classes) - 1}, and y has {shown}. Write "
            "them as such numbers."
        )
