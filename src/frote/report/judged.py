"""The rows that the models are judged on, with their labels and what the rules say of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from frote.coverage.measures import row_agreement
from frote.coverage.ruling import Ruling
from frote.estimators.input import require_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from frote.coverage.answers import Answers
    from frote.coverage.labels import Labels
    from frote.coverage.ruling import Attribution
    from frote.rules import RuleSet
    from frote.table import Table

__all__ = ["Judged"]


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows that models are judged on.

    Parameters
    ----------
    table : Table
        The rows, typed as the training data are; one at least.

    labels : Labels
        Their labels, some of which no model may know.

    rules : RuleSet
        The rules, as they were used.
    """

    table: Table
    labels: Labels
    rules: RuleSet

    def __post_init__(self) -> None:
        require_rows(len(self.table))

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def attribution(self) -> Attribution:
        """What the rules say of the rows."""
        return Ruling.of(self.rules).on(self.table)

    def known(self, answers: Answers) -> Labels:
        """Return the labels with the classes that only a model knows behind them."""
        return self.labels.and_of(answers.classes)

    def codes(self, answers: Answers) -> NDArray[np.intp]:
        """Return a model's predictions as codes of the classes that it and the labels have."""
        return self.known(answers).codes_for(answers.predicted)

    def agreed(self, answers: Answers) -> NDArray[np.float64]:
        """Return how far a model's predictions agree with the rule of each row, NaN outside all rules."""
        rows = self.attribution.among(self.known(answers).texts)
        return row_agreement(rows, self.codes(answers), self.labels.codes)
