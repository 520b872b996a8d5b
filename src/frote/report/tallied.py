"""What models said of the rows that they are judged on, as counts: all that scores and their intervals are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote.estimators.overlay import override
from frote.estimators.scoring import score_answers
from frote.report.bootstrap import Cells

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frote.coverage.answers import Answers
    from frote.estimators.scoring import ScoreReport
    from frote.report.judged import Judged

__all__ = ["Tallied"]


@dataclass(frozen=True, slots=True, eq=False)
class Tallied:
    """What the models before and after, and the hard override, said of the rows judged.

    Parameters
    ----------
    cells : Cells
        The rows, sorted by rule, label and predictions.

    reports : mapping of str to ScoreReport
        The scores of each.

    labels : tuple of str
        The classes of the rows' labels.

    texts : mapping of str to tuple of str
        The classes that codes of each model stand for: those, and behind them what only it knows.

    support : tuple of int
        How many rows each rule covers.
    """

    cells: Cells
    reports: Mapping[str, ScoreReport]
    labels: tuple[str, ...]
    texts: Mapping[str, tuple[str, ...]]
    support: tuple[int, ...]

    @classmethod
    def of(cls, judged: Judged, answers: Mapping[str, Answers], population: float | None) -> Tallied:
        """Count rows in memory; `population` is the share of the data that the rules cover, if these are others."""
        rows, labels = judged.attribution, judged.labels
        every = {**answers, "override": override(answers["before"], rows, labels)}
        reports = {name: score_answers(said, rows, labels, population=population) for name, said in every.items()}
        codes = {name: judged.codes(said) for name, said in every.items()}
        agreed = {name: judged.agreed(said) for name, said in every.items()}
        texts = {name: judged.known(said).texts for name, said in every.items()}
        return cls(Cells.of(rows.owner, labels.codes, codes, agreed), reports, labels.texts, texts, rows.support)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.cells.counts.sum())
