"""Base rows chosen by what their synthetic rows would do to a logistic stand-in for the model. The paper's appendix A.

The stand-in is fitted to what the model predicts. Each synthetic row would move it by one step of online learning, and
the rows are wanted that would raise the training objective most. The paper evaluates it anew for each of them, which
it found too slow; one gradient of a smooth objective gives the same to first order for all of them at once.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from frote.selection.request import Choice, Made, Request
from frote.selection.uniform import draw_from

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.generation.space import Points

__all__ = ["OnlineLearning", "StandIn"]


@dataclass(frozen=True, slots=True)
class OnlineLearning:
    """The paper's online selection.

    Parameters
    ----------
    exact : bool, default=False
        Evaluate the objective for each synthetic row, as in the paper, in place of one gradient for all.

    choices : int, default=10
        How many synthetic rows to choose from for each one wanted.

    rate : float, default=0.1
        The length of a step of online learning.
    """

    exact: bool = False
    choices: int = 10
    rate: float = 0.1

    def select(self, request: Request, rng: np.random.Generator) -> Made:
        """Make rows from base rows chosen at random; keep for each rule those that raise the objective most."""
        made = request.make(self._choice(request, rng), rng)
        best = np.lexsort((np.arange(len(made)), -self._gains(request, made)))
        kept = [best[made.rule[best] == rule][:quota] for rule, quota in enumerate(request.quotas)]
        return made.take(np.sort(np.concatenate([np.empty(0, dtype=np.intp), *kept])))

    def _choice(self, request: Request, rng: np.random.Generator) -> Choice:
        """Choose several base rows for each row wanted, but none twice beyond that."""
        parts = []
        for pieces, quota in zip(request.populations, request.quotas, strict=True):
            there = sum(len(population.rows) for population in pieces)
            parts += draw_from(pieces, max(quota, min(self.choices * quota, there)), rng)
        return Choice.of(parts)

    def _gains(self, request: Request, made: Made) -> NDArray[np.float64]:
        """Return by how much each row raises the stand-in's objective."""
        if len(np.unique(request.predicted[request.predicted >= 0])) < 2:
            # A model that predicts one class for all has no boundary to move: the first drawn are as good as any.
            return np.zeros(len(made))
        return StandIn.of(request).gains(request, made.points, made.labels, self.rate, exact=self.exact)


@dataclass(frozen=True, slots=True, eq=False)
class StandIn:
    """A logistic model of what a model predicts.

    Parameters
    ----------
    weights : ndarray of float, shape (classes, features)
        Its weights; the last feature is constant.

    sizes : tuple of int
        How many codes each categorical column has.
    """

    weights: NDArray[np.float64]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, request: Request) -> StandIn:
        """Fit a stand-in to the predictions of the current model."""
        rows = request.looked_at
        points, predicted = request.points_at(rows), request.predicted[rows]
        sizes = tuple(int(codes.max(initial=-1)) + 2 for codes in points.codes)
        features = _features(points, sizes)
        in_data = predicted >= 0  # others are predicted a class that the data do not have
        with warnings.catch_warnings():
            # A rough stand-in will do: it need not be fitted to the end.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LogisticRegression(max_iter=100, tol=1e-3).fit(features[in_data, :-1], predicted[in_data])
        weights = np.zeros((request.targets.shape[1], features.shape[1]))
        learned = np.column_stack([model.coef_, model.intercept_])
        if len(model.classes_) == 2:
            learned = np.vstack([-learned, learned]) / 2
        weights[model.classes_] = learned
        absent = np.setdiff1d(np.arange(len(weights)), model.classes_)
        weights[absent, -1] = -20.0  # a class that is never predicted
        return cls(weights, sizes)

    def gains(
        self, request: Request, made: Points, labels: NDArray[np.intp], rate: float, *, exact: bool
    ) -> NDArray[np.float64]:
        """Return by how much a step of online learning on each synthetic row raises the smooth objective."""
        features = _features(request.points_at(request.looked_at), self.sizes)
        wanted = _wanted(request)
        new = _features(made, self.sizes)
        steps = np.eye(len(self.weights))[labels] - softmax(new @ self.weights.T, axis=1)
        if exact:
            before = _smooth(self.weights, features, wanted)
            return np.array(
                [
                    _smooth(self.weights + rate * np.outer(step, row), features, wanted) - before
                    for step, row in zip(steps, new, strict=True)
                ]
            )
        # d/dW of the sum over rows of wanted . softmax(W x)
        chances = softmax(features @ self.weights.T, axis=1)
        slopes = chances * (wanted - (wanted * chances).sum(axis=1, keepdims=True))
        gradient = slopes.T @ features
        gains: NDArray[np.float64] = rate * (steps * (new @ gradient.T)).sum(axis=1)
        return gains


def _wanted(request: Request) -> NDArray[np.float64]:
    """Return for each row and class what predicting it adds to the smooth objective: half agreement, half accuracy."""
    owner, labels = request.owner[request.looked_at], request.labels[request.looked_at]
    inside = owner >= 0
    wanted = np.eye(request.targets.shape[1])[labels]
    wanted[inside] = request.targets[owner[inside]]
    share = np.where(inside, 1 / max(inside.sum(), 1), 1 / max((~inside).sum(), 1)) / 2
    return np.asarray(wanted * share[:, np.newaxis])


def _smooth(weights: NDArray[np.float64], features: NDArray[np.float64], wanted: NDArray[np.float64]) -> float:
    return float((softmax(features @ weights.T, axis=1) * wanted).sum())


def _features(points: Points, sizes: tuple[int, ...]) -> NDArray[np.float64]:
    """Return points as numbers alone: categories one-hot, all zero for one not seen, and a constant at the end."""
    hot = [codes[:, np.newaxis] == np.arange(-1, size - 1) for codes, size in zip(points.codes, sizes, strict=True)]
    return np.column_stack([points.numbers, *hot, np.ones(len(points))])
