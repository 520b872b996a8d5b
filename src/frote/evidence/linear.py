"""Linear classifiers: by how much one class is ahead of another is a sum with a term for each column.

So its least value over all rows of a box is the sum of the least terms, and a feature that rises with its column has
its least term at an end of a stretch: the bound is exact. What floats round away is taken off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frote._sklearn import LinearClassifierMixin
from frote.evidence.cells import cut_at, each
from frote.evidence.front import CONSTANT, dense
from frote.evidence.space import Picked
from frote.exceptions import ModelError
from frote.generation.numbers import NumberColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.evidence.opening import Answering
    from frote.evidence.space import Box, Space

__all__ = ["Linear", "as_linear"]

ROUNDING = 4 * np.finfo(np.float64).eps  # of each product and each sum


class Linear:
    """A linear classifier over a box of rows.

    Parameters
    ----------
    answering : Answering
        The classifier and what stands before it.

    space : Space
        The columns.

    box : Box
        The rows.

    rule_class : int
        The class that is wanted.

    Attributes
    ----------
    bound : float
        By how much it is ahead of any other, at least.

    corners : list of tuple of Picked
        For each other class, the row at which the wanted one is least ahead of it; the worst first.
    """

    def __init__(self, answering: Answering, space: Space, box: Box, rule_class: int) -> None:
        weights, start = _weights(answering.classifier)
        picked = tuple(
            _ends(column, span, answering.front.jumps.get(place, []))
            for place, (column, span) in enumerate(zip(space.columns, box.spans, strict=True))
        )
        rows = max(len(one.values) for one in picked)
        level = tuple(one.take(np.minimum(np.arange(rows), len(one.values) - 1)) for one in picked)
        made = answering.front.made(space.rows(level))
        features = dense(made).astype(np.float64)
        if features.shape[1] != weights.shape[1]:
            name, gets = type(answering.classifier).__name__, features.shape[1]
            raise ModelError(f"{name} has {weights.shape[1]:,} weights, and gets {gets:,} features. Fit it again.")
        owner = np.array([one.column for one in answering.front.features])
        rounding = ROUNDING * (len(owner) + 2)
        found: list[tuple[float, int, tuple[Picked, ...]]] = []
        for other in range(len(weights)):
            if other == rule_class:
                continue
            difference = weights[rule_class] - weights[other]
            sizes = np.abs(weights[rule_class]) + np.abs(weights[other])
            with np.errstate(over="ignore", invalid="ignore"):
                terms = features * difference - rounding * np.abs(features) * sizes
            bound = start[rule_class] - start[other]
            bound -= rounding * (abs(start[rule_class]) + abs(start[other]))
            bound += float(terms[0, owner == CONSTANT].sum())
            corner = []
            for place, one in enumerate(picked):
                sums = terms[: len(one.values), owner == place].sum(axis=1)
                least = int(np.where(np.isnan(sums), -np.inf, sums).argmin())
                bound += float(sums[least])
                corner.append(one.take(np.array([least])))
            found.append((float("-inf") if np.isnan(bound) else bound, len(found), tuple(corner)))
        found.sort(key=lambda one: one[:2])
        self.bound = found[0][0]
        self.corners = [corner for _, _, corner in found]


def as_linear(classifier: Any) -> bool:
    """Tell whether a classifier is linear: its scores are sums of weighted features, and the largest wins."""
    return isinstance(classifier, LinearClassifierMixin) and hasattr(classifier, "coef_")


def _weights(classifier: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return weights and start of the score of each class; of two, the first always has none."""
    weights = np.atleast_2d(dense(classifier.coef_).astype(np.float64))
    start = np.broadcast_to(np.asarray(classifier.intercept_, dtype=np.float64).ravel(), len(weights))
    if len(weights) > 1:
        return weights, start
    return np.vstack([np.zeros_like(weights), weights]), np.append(0.0, start)


def _ends(column: Any, span: Any, jumps: list[float]) -> Picked:
    """Return the values of a column at which a term can be least: the ends of stretches, each level, missing."""
    parts = cut_at(span, jumps) if isinstance(column, NumberColumn) else each(span)
    values = list(dict.fromkeys(end for part in parts for end in part))
    dtype = np.float64 if isinstance(column, NumberColumn) and not column.step else np.int64
    missing = np.array([False] * len(values) + [True] * span.missing)
    return Picked(np.array([*values, *([0] * span.missing)], dtype=dtype), missing)
