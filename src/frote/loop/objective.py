"""The training objective, which the loop raises: agreement inside the rules, F1 outside. The paper's J-bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from frote.coverage.measures import f1_outside, scored, with_guards, with_probes
from frote.exceptions import FroteError, ModelError, told
from frote.table import lent

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from frote.coverage.measures import Scores, Weight
    from frote.loop.rows import Rows

__all__ = ["Objective"]


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

    weight: Weight = 0.5
    average: Literal["weighted", "macro"] = "weighted"
    scorer: Callable[[Any, Any, Any], float] | None = None

    def score(
        self,
        rows: Rows,
        predicted: NDArray[np.intp],
        model: Any = None,
        natives: Callable[[NDArray[np.intp]], Any] | None = None,
    ) -> Scores:
        """Score predictions.

        Parameters
        ----------
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

        def outside(places: NDArray[np.intp]) -> float:
            if self.scorer is None:
                return f1_outside(rows.attribution, predicted, rows.labels, self.average)
            assert natives is not None
            frame = lent(rows.table.frame_format.take(rows.frame, places))  # pandas may have cut a view
            return self._asked(model, frame, natives(rows.labels[places]))

        return scored(rows.attribution, predicted, rows.labels, rows.own, weight=self.weight, outside=outside)

    def _asked(self, model: Any, frame: Any, labels: Any) -> float:
        """Ask the scorer; what it raises is about the model's answers, which it asks for itself."""
        assert self.scorer is not None
        try:
            return float(self.scorer(model, frame, labels))
        except FroteError:
            raise
        except Exception as error:
            raise ModelError(f"The scorer cannot judge a {type(model).__name__}: {told(error)}") from error

    def with_probes(self, scores: Scores, probes: Rows, predicted: NDArray[np.intp]) -> Scores:
        """Take probes into account, each attributed to the rule it was made for; see `measures.with_probes`."""
        return with_probes(scores, probes.attribution, predicted, probes.own, weight=self.weight)

    def with_guards(self, scores: Scores, cost: float) -> Scores:
        """Take guards into account, given what answers to them cost; see `measures.with_guards`.

        What a scorer gives has units of its own: there guards count for nothing.
        """
        if self.scorer is not None:
            return scores
        return with_guards(scores, cost, weight=self.weight)
