"""The score to raise: agreement with the rules inside their coverage, F1 outside it. The paper's J-bar."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from frote.coverage.agreement import agreement
from frote.coverage.f1 import f1_from_codes
from frote.exceptions import FroteError, ModelError, told
from frote.table import lent

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from frote.loop.task import Rows, Task

__all__ = ["Objective", "Scores"]

NOWHERE = np.empty(0, dtype=np.intp)  # no rows


@dataclass(frozen=True, slots=True)
class Scores:
    """How good a model's predictions are for some rows.

    Parameters
    ----------
    objective : float
        The weighted mean of agreement and F1; the other one where one of them is undefined.

    agreement : float
        The mean over covered rows of the probability that their rule gives the prediction; NaN if none is covered.

    per_rule : tuple of float
        The same for each rule as written.

    outside : float
        The score outside coverage; NaN if every row is covered.

    covered : tuple of int
        How many rows are attributed to each rule.

    uncovered : int
        How many rows lie outside coverage.
    """

    objective: float
    agreement: float
    per_rule: tuple[float, ...]
    outside: float
    covered: tuple[int, ...]
    uncovered: int


@dataclass(frozen=True, slots=True)
class Objective:
    """How scores are put together.

    Parameters
    ----------
    weight : float or "coverage"
        How much agreement counts; ``"coverage"`` takes the share of rows that are covered, as the paper's tests do, or
        one half if none is.

    average : {"weighted", "macro"}
        How F1 is averaged over classes.

    scorer : callable, default=None
        A scikit-learn scorer to use outside coverage in place of F1.
    """

    weight: float | Literal["coverage"] = 0.5
    average: Literal["weighted", "macro"] = "weighted"
    scorer: Callable[[Any, Any, Any], float] | None = None

    def score(
        self,
        task: Task,
        rows: Rows,
        predicted: NDArray[np.intp],
        model: Any = None,
        natives: Callable[[NDArray[np.intp]], Any] | None = None,
    ) -> Scores:
        """Score predictions.

        Parameters
        ----------
        task : Task
            The rules and classes.

        rows : Rows
            The rows.

        predicted : ndarray of int
            What the model predicts for them, as codes of classes; -1 for a class that the data do not have.

        model, natives : default=None
            The model, and what turns codes into the caller's labels; for a scorer.

        Returns
        -------
        Scores
        """
        per_rule, counts, total = [], [], 0.0
        for rule, outcome in enumerate(task.outcomes):
            mine = rows.owned.get(rule, NOWHERE)
            agreed = agreement(outcome, predicted[mine], rows.own[mine], task.classes)
            total += float(agreed.sum())
            per_rule.append(float(agreed.mean()) if len(mine) else math.nan)
            counts.append(len(mine))
        outside = rows.outside
        covered = sum(counts)
        inside = total / covered if covered else math.nan
        if not len(outside):
            beyond = math.nan
        elif self.scorer is None:
            beyond = f1_from_codes(rows.labels[outside], predicted[outside], len(task.classes), self.average)
        else:
            assert natives is not None
            frame = lent(rows.table.frame_format.take(rows.frame, outside))  # pandas may have cut a view
            beyond = self._scored(model, frame, natives(rows.labels[outside]))
        value = self._joined(inside, beyond, covered, len(outside))
        return Scores(value, inside, tuple(per_rule), beyond, tuple(counts), len(outside))

    def _scored(self, model: Any, frame: Any, labels: Any) -> float:
        """Ask the scorer; what it raises is about the model's answers, which it asks for itself."""
        assert self.scorer is not None
        try:
            return float(self.scorer(model, frame, labels))
        except FroteError:
            raise
        except Exception as error:
            raise ModelError(f"The scorer cannot judge a {type(model).__name__}: {told(error)}") from error

    def with_probes(self, task: Task, scores: Scores, probes: Rows, predicted: NDArray[np.intp]) -> Scores:
        """Take probes into account: each rule's agreement is the mean of that on rows and that on probes.

        Every rule counts alike, however many rows of the data it covers: at the rows to come it may be otherwise.

        Parameters
        ----------
        task : Task
            The rules and classes.

        scores : Scores
            On the rows of the data.

        probes : Rows
            Rows inside coverage, each attributed to the rule it was made for.

        predicted : ndarray of int
            What the model predicts for them.

        Returns
        -------
        Scores
        """
        per_rule = []
        for rule, (outcome, on_rows) in enumerate(zip(task.outcomes, scores.per_rule, strict=True)):
            mine = probes.owned.get(rule, NOWHERE)
            agreed = agreement(outcome, predicted[mine], probes.own[mine], task.classes)
            parts = [on_rows, float(agreed.mean()) if len(mine) else math.nan]
            known = [part for part in parts if not math.isnan(part)]
            per_rule.append(sum(known) / len(known) if known else math.nan)
        known = [part for part in per_rule if not math.isnan(part)]
        inside = sum(known) / len(known) if known else math.nan
        value = self._joined(inside, scores.outside, sum(scores.covered), scores.uncovered)
        return replace(scores, objective=value, agreement=inside, per_rule=tuple(per_rule))

    def _joined(self, inside: float, beyond: float, covered: int, uncovered: int) -> float:
        """Return the weighted mean of agreement and the score outside, or the one of them that is defined."""
        if math.isnan(inside):
            return beyond
        if math.isnan(beyond):
            return inside
        if self.weight != "coverage":
            return self.weight * inside + (1 - self.weight) * beyond
        weight = covered / (covered + uncovered) if covered else 0.5
        return weight * inside + (1 - weight) * beyond
