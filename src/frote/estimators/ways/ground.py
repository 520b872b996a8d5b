"""What models with switches are measured on: data, probes and guards, and what the initial model says of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.loop.evaluation import Probes, Run
from frote.loop.initial import Initial

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.generation.making import Making
    from frote.loop.evaluation import Probed
    from frote.loop.objective import Objective
    from frote.loop.rows import Rows
    from frote.loop.training import Trainer

__all__ = ["Ground"]


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The rows that models are measured on, and what the initial model says of them.

    Parameters
    ----------
    judge : Probed
        Scores models on the data, on probes and on guards.

    owner : ndarray of int
        The rule that each probe belongs to: an earlier one of the same outcome may cover it too.

    initial : classifier
        The initial model.

    on_rows, on_probes, on_guards : ndarray of int
        What it predicts, as codes of classes.
    """

    judge: Probed
    owner: NDArray[np.intp]
    initial: Any
    on_rows: NDArray[np.intp]
    on_probes: NDArray[np.intp]
    on_guards: NDArray[np.intp]

    @classmethod
    def of(cls, making: Making, rows: Rows, trainer: Trainer, objective: Objective, seed: int) -> Ground:
        """Train the initial model, make probes and guards, and ask it about them."""
        initial = Initial(trainer, rows.shown, rows.labels)
        judge = Probes().begin(Run(making, objective, rows, rows, seed, initial, _no_others))
        owner = making.ruling.on(judge.probes.table).owner
        answers = initial.answers(judge.shown)
        return cls(judge, owner, initial.model, *np.split(answers, np.cumsum([len(rows), len(judge.probes)])))

    @property
    def rows(self) -> Rows:
        """The data."""
        return self.judge.rows

    @property
    def live(self) -> NDArray[np.bool_]:
        """Which rules as written have rows of their own, in the data or among the probes."""
        rules = len(self.rows.attribution.ruling.outcomes)
        owner = np.concatenate([self.rows.attribution.owner, self.owner])
        return np.bincount(owner[owner >= 0], minlength=rules) > 0


def _no_others(X: Any, y: Any) -> Rows:
    raise AssertionError(f"there are no rows to judge on but the data, not {len(X)} and {len(y)} others")
