"""The rows that the models are judged on, and what the models said of them, asked once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.asking import ask
from frote.coverage.labels import Labels
from frote.coverage.measures import row_agreement
from frote.coverage.ruling import Ruling
from frote.estimators.input import as_frame, require_rows
from frote.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution
    from frote.rules import RuleSet

__all__ = ["Answers", "Judged"]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What a model said of some rows, once.

    Parameters
    ----------
    predicted : ndarray
        Its predictions.

    chances : ndarray or None
        Its probabilities, if it has any.

    classes : ndarray or None
        Its classes, if it tells them.
    """

    predicted: NDArray[Any]
    chances: NDArray[Any] | None
    classes: NDArray[Any] | None

    @classmethod
    def of(cls, model: Any, frame: Any) -> Answers:
        """Ask a model."""
        chances = ask(model, frame, "predict_proba") if hasattr(model, "predict_proba") else None
        classes = np.asarray(model.classes_) if hasattr(model, "classes_") else None
        return cls(ask(model, frame), chances, classes)

    def at(self, rows: Any = slice(None)) -> Any:
        """Return a model that gives these answers for some of the rows, and has no method that the first has not."""
        found = SimpleNamespace(predict=lambda _: self.predicted[rows])
        if self.chances is not None:
            chances = self.chances[rows]
            found.predict_proba = lambda _: chances
        if self.classes is not None:
            found.classes_ = self.classes
        return found


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows that models are judged on.

    Parameters
    ----------
    frame : frame
        The rows, as the models get them.

    table : Table
        The same, typed.

    labels : Labels
        Their labels.

    rules : RuleSet
        The rules, as they were used.
    """

    frame: Any
    table: Table
    labels: Labels
    rules: RuleSet

    @classmethod
    def of(cls, X: Any, y: Any, rules: RuleSet) -> Judged:
        """Read rows and labels."""
        frame = as_frame(X)
        table = Table.from_frame(frame)
        require_rows(len(table))
        return cls(frame, table, Labels.of(y, len(table)), rules)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def y(self) -> NDArray[np.object_]:
        """The labels, as an array whatever they came as."""
        natives = np.empty(len(self.labels.classes), dtype=object)
        natives[:] = self.labels.classes
        return natives[self.labels.codes]

    def known(self, model: Any) -> Labels:
        """Return the labels with the classes that only a model knows behind them."""
        return self.labels.and_of(model)

    def codes(self, model: Any) -> NDArray[np.intp]:
        """Return a model's predictions as codes of the classes that it and the labels have."""
        return self.known(model).codes_of(model, self.frame)

    @cached_property
    def attribution(self) -> Attribution:
        """What the rules say of the rows."""
        return Ruling.of(self.rules).on(self.table)

    def agreed(self, model: Any, codes: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return how far a model's predictions agree with the rule of each row, NaN outside all rules."""
        return row_agreement(self.attribution.among(self.known(model).texts), codes, self.labels.codes)
