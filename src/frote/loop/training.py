"""The caller's estimator: cloned, seeded, fitted and asked, with the seconds that it takes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from frote.coverage.labels import Labels

__all__ = ["Clock", "Trainer", "seeded"]


@dataclass(slots=True)
class Clock:
    """Seconds spent in the estimator's own calls."""

    fit: float = 0.0
    predict: float = 0.0


def seeded(estimator: Any, seed: int) -> Any:
    """Return a clone in which every `random_state` that was left open is the given seed.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> seeded(LogisticRegression(), 7).random_state
    7
    """
    copy = clone(estimator)
    params = copy.get_params(deep=True)
    unset = {name: seed for name, value in params.items() if name.split("__")[-1] == "random_state" and value is None}
    return copy.set_params(**unset)


@dataclass(frozen=True, slots=True, eq=False)
class Trainer:
    """Trains the caller's estimator and reads its predictions.

    Parameters
    ----------
    estimator : estimator
        The estimator, seeded; every fit is of a clone of it.

    labels : Labels
        The caller's labels: their classes give codes a meaning.

    natives : callable
        Turns codes of classes into labels of the caller's kind.

    clock : Clock
        Where the seconds are counted.
    """

    estimator: Any
    labels: Labels
    natives: Callable[[NDArray[np.intp]], Any]
    clock: Clock = field(default_factory=Clock)

    def fit(self, frame: Any, codes: NDArray[np.intp]) -> Any:
        """Return a clone of the estimator, trained."""
        model, labels = clone(self.estimator), self.natives(codes)
        start = time.perf_counter()
        try:
            model.fit(frame, labels)
        finally:
            self.clock.fit += time.perf_counter() - start
        return model

    def predict(self, model: Any, frame: Any) -> NDArray[np.intp]:
        """Return what a model predicts, as codes of classes; -1 for a class that the data do not have."""
        start = time.perf_counter()
        try:
            predicted = model.predict(frame)
        finally:
            self.clock.predict += time.perf_counter() - start
        return self.labels.codes_for(predicted)
