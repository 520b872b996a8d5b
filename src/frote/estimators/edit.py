"""What a run gave: the data in the end, its steps as a table, and what a report needs to know of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from sklearn.base import clone

from frote.estimators.input import as_taught
from frote.table import lent

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from frote.estimators.prepared import Prepared
    from frote.loop.engine import Step
    from frote.loop.training import Trainer
    from frote.table import TypedFrame

__all__ = ["Edit", "Last", "history_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """What a run gave: the training data in the end, and what gives codes of labels the caller's kind."""

    rows: TypedFrame
    codes: NDArray[np.signedinteger[Any]]
    natives: Callable[[NDArray[Any]], Any]

    @property
    def frame(self) -> Any:
        """The rows as the caller's kind of frame."""
        return self.rows.frame

    @property
    def labels(self) -> Any:
        """Their labels, in the caller's kind."""
        return self.natives(self.codes)

    def lent(self) -> tuple[Any, Any]:
        """Return both for the caller, who may write into them."""
        return self.rows.lent(), self.labels


@dataclass(frozen=True, slots=True, eq=False)
class Last:
    """What the last run was given, and what it was trained with, for a report."""

    rows: TypedFrame
    y: Any
    edit: Edit
    trainer: Trainer
    start: Prepared | None  # of the loop; None if there was none
    steps: list[Step]
    weights: NDArray[np.float64] | None = None
    seed: int = 0
    stopped: str = ""  # why the run was ended before its own end

    def initial(self) -> Any:
        """Return the model without any edit, trained as every other one."""
        before = clone(self.trainer.estimator)
        with self.trainer.limited():
            before.fit(self.rows.lent_to(before), lent(as_taught(self.y)), **self.trainer.weighed(self.weights))
        return before


def history_of(steps: list[Step], names: tuple[str, ...]) -> pd.DataFrame:
    """Return the steps as a table; what is known per rule as written has a column for each."""
    lines = []
    for step in steps:
        scores = step.scores
        line: dict[str, Any] = {
            "step": step.step,
            "accepted": step.accepted,
            "objective": math.nan if scores is None else scores.objective,
            "previous": step.previous,
            "agreement": math.nan if scores is None else scores.agreement,
            "outside": math.nan if scores is None else scores.outside,
            "proposed": sum(step.proposed),
            "added": step.added,
            "guards": step.guards,
            "loss": math.nan if scores is None or scores.loss is None else scores.loss,
            "fit_seconds": step.fit_seconds,
            "predict_seconds": step.predict_seconds,
            "other_seconds": step.other_seconds,
            "error": step.error,
        }
        for rule, name in enumerate(names):
            line[f"proposed: {name}"] = step.proposed[rule]
            line[f"agreement: {name}"] = math.nan if scores is None else scores.per_rule[rule]
        lines.append(line)
    return pd.DataFrame(lines)
