"""Which rows a new model is compared on with the current one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.measures import Scores
    from frote.loop.objective import Objective
    from frote.loop.rows import Batch, Rows
    from frote.loop.training import Trainer

__all__ = ["UNASKED", "ActiveRows", "Evaluation", "HeldOut", "Incumbent", "Probed", "Verdict"]


@dataclass(frozen=True, slots=True, eq=False)
class Incumbent:
    """The current model with what is known of it.

    Parameters
    ----------
    model : estimator
        The model.

    rows : Rows
        The training data it was fitted to.

    predicted : ndarray of int
        What it predicts for them; empty if nobody asked.

    support : tuple of int
        How many of them each rule as written covers.

    scores : Scores
        The scores it was accepted with.
    """

    model: Any
    rows: Rows
    predicted: NDArray[np.intp]
    support: tuple[int, ...]
    scores: Scores


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """How a new model compares with the current one.

    Parameters
    ----------
    old, new : Scores
        Of both, on the same rows if not said otherwise.

    predicted : ndarray of int
        What the new model predicts for the rows it was fitted to; empty if it was not asked.
    """

    old: Scores
    new: Scores
    predicted: NDArray[np.intp]

    @property
    def better(self) -> bool:
        """Whether the new model is to take the place of the current one."""
        return self.new.objective > self.old.objective


UNASKED = np.empty(0, dtype=np.intp)


class Evaluation(Protocol):
    """A way to compare models."""

    asks_current: ClassVar[bool]  # whether it needs what the current model predicts for the rows it was fitted to

    def first(self, trainer: Trainer, rows: Rows, model: Any) -> Verdict:
        """Score the first model, fitted to the data without any synthetic row."""

    def compare(self, trainer: Trainer, incumbent: Incumbent, batch: Batch, rows: Rows, model: Any) -> Verdict:
        """Score the current model and one fitted to `rows`, the data with a batch."""


@dataclass(frozen=True, slots=True)
class ActiveRows:
    """Compare on the training data before the batch.

    While some rule covers fewer rows than it needs there, what models do with it cannot show; then both are scored on
    the data with the batch.

    Parameters
    ----------
    objective : Objective
        How models are scored.

    least : int
        How many rows each rule must cover for the batch to be left out.

    remember : bool
        Whether the current model keeps the score that it was accepted with, on the fewer rows of that time, as in the
        paper's Algorithm 1; else it is scored on the same rows as the new one.
    """

    asks_current: ClassVar[bool] = True

    objective: Objective
    least: int
    remember: bool = False

    def first(self, trainer: Trainer, rows: Rows, model: Any) -> Verdict:
        """Score on the rows that the model was fitted to."""
        predicted = trainer.predict(model, rows.frame)
        scores = self._score(trainer, rows, predicted, model)
        return Verdict(scores, scores, predicted)

    def compare(self, trainer: Trainer, incumbent: Incumbent, batch: Batch, rows: Rows, model: Any) -> Verdict:
        """Score on the data before the batch, or with it while rules lack support."""
        predicted = trainer.predict(model, rows.frame)
        if min(incumbent.support) < self.least:
            before = np.concatenate([incumbent.predicted, trainer.predict(incumbent.model, batch.rows.frame)])
            old = self._score(trainer, rows, before, incumbent.model)
            return Verdict(old, self._score(trainer, rows, predicted, model), predicted)
        new = self._score(trainer, incumbent.rows, predicted[: len(incumbent.rows)], model)
        if self.remember:
            return Verdict(incumbent.scores, new, predicted)
        old = self._score(trainer, incumbent.rows, incumbent.predicted, incumbent.model)
        return Verdict(old, new, predicted)

    def _score(self, trainer: Trainer, rows: Rows, predicted: NDArray[np.intp], model: Any) -> Scores:
        return self.objective.score(rows, predicted, model, trainer.natives)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Compare on rows that are never trained on.

    Parameters
    ----------
    objective : Objective
        How models are scored.

    held : Rows
        The validation data.
    """

    asks_current: ClassVar[bool] = False

    objective: Objective
    held: Rows

    def first(self, trainer: Trainer, rows: Rows, model: Any) -> Verdict:  # noqa: ARG002
        """Score on the held-out rows."""
        held = trainer.predict(model, self.held.frame)
        scores = self.objective.score(self.held, held, model, trainer.natives)
        return Verdict(scores, scores, UNASKED)

    def compare(self, trainer: Trainer, incumbent: Incumbent, batch: Batch, rows: Rows, model: Any) -> Verdict:  # noqa: ARG002
        """Score on the held-out rows; the current model's score on them does not change."""
        return replace(self.first(trainer, rows, model), old=incumbent.scores)


@dataclass(frozen=True, slots=True)
class Probed:
    """Compare on the data without synthetic rows, and on probes: rows inside coverage that are never trained on.

    A model that fits its training rows perfectly agrees with the rules on them whatever it does elsewhere. So a rule's
    agreement is the mean of that on the rows it covers and of that on its probes; on probes alone if it covers none.
    The rows stay the same for the whole run, so that objectives of all steps can be compared.

    Parameters
    ----------
    objective : Objective
        How models are scored.

    rows : Rows
        The training data before any synthetic row.

    probes : Rows
        The probes; each is attributed to the rule it was made for.

    frame : frame
        All of them, as the caller's estimator gets them.
    """

    asks_current: ClassVar[bool] = False

    objective: Objective
    rows: Rows
    probes: Rows
    frame: Any

    @classmethod
    def of(cls, objective: Objective, rows: Rows, probes: Rows) -> Probed:
        """Put rows and probes together, once for the whole run."""
        return cls(objective, rows, probes, rows.stacked(probes).frame)

    def first(self, trainer: Trainer, rows: Rows, model: Any) -> Verdict:  # noqa: ARG002
        """Score on data and probes."""
        predicted = trainer.predict(model, self.frame)
        on_rows, on_probes = predicted[: len(self.rows)], predicted[len(self.rows) :]
        scores = self.objective.score(self.rows, on_rows, model, trainer.natives)
        scores = self.objective.with_probes(scores, self.probes, on_probes)
        return Verdict(scores, scores, UNASKED)

    def compare(self, trainer: Trainer, incumbent: Incumbent, batch: Batch, rows: Rows, model: Any) -> Verdict:  # noqa: ARG002
        """Score on data and probes; the current model's score on them does not change."""
        return replace(self.first(trainer, rows, model), old=incumbent.scores)
