"""The caller's estimator: cloned, seeded, fitted and asked, with the seconds that it takes."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from numbers import Integral
from typing import TYPE_CHECKING, Any

from joblib import parallel_config
from sklearn.base import clone
from threadpoolctl import ThreadpoolController

from frote.coverage.said import labels_of
from frote.table import lent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from frote.coverage.labels import Labels

__all__ = ["ALL_FAILED", "IN_TRAINING", "Clock", "Trainer", "seeded"]


@dataclass(slots=True)
class Clock:
    """Seconds spent in the estimator's own calls."""

    fit: float = 0.0
    predict: float = 0.0


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
    """

    estimator: Any
    labels: Labels
    natives: Callable[[NDArray[np.intp]], Any]
    threads: int = 1
    clock: Clock = field(default_factory=Clock)

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

    def fit(self, frame: Any, codes: NDArray[np.intp]) -> Any:
        """Return a clone of the estimator, trained."""
        model, rows, labels = clone(self.estimator), lent(frame), self.natives(codes)
        start = time.perf_counter()
        try:
            model.fit(rows, labels)
        except Exception as error:
            error.add_note(IN_TRAINING)
            raise
        finally:
            self.clock.fit += time.perf_counter() - start
        return model

    def predict(self, model: Any, frame: Any) -> NDArray[np.intp]:
        """Return what a model predicts, as codes of classes; -1 for a class that the data do not have."""
        rows, start = lent(frame), time.perf_counter()
        try:
            predicted = model.predict(rows)
        finally:
            self.clock.predict += time.perf_counter() - start
        return self.labels.codes_for(labels_of(predicted, len(frame), type(model).__name__))
