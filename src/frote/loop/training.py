"""The caller's estimator: cloned, seeded, fitted and asked, with the seconds that it takes."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from numbers import Integral
from typing import TYPE_CHECKING, Any

from joblib import parallel_config
from sklearn.base import clone
from threadpoolctl import ThreadpoolController

from frote.coverage.said import labels_of
from frote.loop.clock import Clock
from frote.table import TypedFrame, lent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from frote.coverage.labels import Labels

__all__ = ["ALL_FAILED", "IN_TRAINING", "Trainer", "seeded"]


THREADS = frozenset({"n_jobs", "nthread", "num_threads", "thread_count"})  # what estimators call their number
IN_TRAINING = "The estimator raised this while it was trained."  # a note on its errors
ALL_FAILED = "Every retraining failed; this was the first failure."  # another
GREEDY = frozenset({"catboost", "lightgbm", "xgboost"})  # libraries that take all cores when nothing is said


def seeded(estimator: Any, seed: int, threads: int) -> Any:
    """Return a clone in which what was left open is fixed, so that every fit of it gives the same.

    Every `random_state` that is None becomes the seed, and every number of threads that stands for all cores becomes
    the one given: floating-point sums, and so models, may depend on it.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> seeded(RandomForestClassifier(n_jobs=-1), 7, 1)
    RandomForestClassifier(n_jobs=1, random_state=7)
    """
    copy = clone(estimator)
    params = copy.get_params(deep=True)
    fixed = {}
    for name, value in params.items():
        owner, _, last = name.rpartition("__")
        if last == "random_state" and value is None:
            fixed[name] = seed
        elif last in THREADS:
            greedy = value is None and _is_greedy(params[owner] if owner else copy)
            if greedy or (isinstance(value, Integral) and value <= 0):
                fixed[name] = threads
    return copy.set_params(**fixed)


def _is_greedy(estimator: Any) -> bool:
    return any(base.__module__.partition(".")[0] in GREEDY for base in type(estimator).__mro__)


@lru_cache(maxsize=1)
def _thread_pools(modules: int) -> ThreadpoolController:  # noqa: ARG001
    """Return the thread pools of loaded libraries; that takes milliseconds, so once for a number of modules."""
    return ThreadpoolController()


@dataclass(frozen=True, slots=True, eq=False)
class Trainer:
    """Trains the caller's estimator and reads its predictions; both belong inside `limited`.

    Parameters
    ----------
    estimator : estimator
        The estimator, seeded; every fit is of a clone of it.

    labels : Labels
        The caller's labels: their classes give codes a meaning.

    natives : callable
        Turns codes of classes into labels of the caller's kind.

    threads : int
        How many threads a fit may use, the same for every fit.

    clock : Clock
        Where the seconds are counted.

    weight_name : str, default="sample_weight"
        The parameter of the estimator's `fit` that weights of rows go by.
    """

    estimator: Any
    labels: Labels
    natives: Callable[[NDArray[np.intp]], Any]
    threads: int = 1
    clock: Clock = field(default_factory=Clock)
    weight_name: str = "sample_weight"

    def timed_anew(self) -> Trainer:
        """Return the same trainer with a clock of its own."""
        return replace(self, clock=Clock())

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Keep what runs inside to the number of threads; an `n_jobs` of None means 1, whatever joblib is set to."""
        # By hand: threadpoolctl's own way asks every library for its version and more, each time.
        before = [(pool, pool.num_threads) for pool in _thread_pools(len(sys.modules)).lib_controllers]
        try:
            for pool, _ in before:
                pool.set_num_threads(self.threads)
            with parallel_config(n_jobs=1):
                yield
        finally:
            for pool, threads in before:
                pool.set_num_threads(threads)

    def weighed(self, weights: NDArray[np.float64] | None) -> dict[str, Any]:
        """Return what `fit` gets beside rows and labels: a copy of their weights, if they have any."""
        return {} if weights is None else {self.weight_name: weights.copy()}

    def fit(self, rows: Any, codes: NDArray[np.intp], weights: NDArray[np.float64] | None = None) -> Any:
        """Return a clone of the estimator, trained on rows, a typed frame or any other."""
        model, labels = clone(self.estimator), self.natives(codes)
        given = _lent_to(model, rows)
        with self.clock.counting("fit"):
            try:
                model.fit(given, labels, **self.weighed(weights))
            except Exception as error:
                error.add_note(IN_TRAINING)
                raise
        return model

    def predict(self, model: Any, rows: Any) -> NDArray[np.intp]:
        """Return what a model predicts for rows, a typed frame or any other, as codes of classes; -1 for none."""
        given = _lent_to(model, rows)
        with self.clock.counting("predict"):
            predicted = model.predict(given)
        del given  # before its answers become others
        return self.labels.codes_for(labels_of(predicted, len(rows), type(model).__name__))


def _lent_to(model: Any, rows: Any) -> Any:
    return rows.lent_to(model) if isinstance(rows, TypedFrame) else lent(rows)
