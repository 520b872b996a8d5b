"""Models in the numbers that people of a trade lead with: outside the rules, inside them, and on all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import precision_recall_fscore_support

from frote.coverage.f1 import f1_from_codes
from frote.judging.calibration import Calibration
from frote.judging.discrimination import area, average_precision, kolmogorov_smirnov, stability_index
from frote.layout import Column, as_lines, as_sentence, as_shown, as_table, decimals
from frote.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from frote.judging.decision import Decision

__all__ = ["MEASURES", "PARTS", "Asked", "Numbers", "numbers_of", "parts_of"]

PARTS = ("outside", "inside", "all")
MEASURES = {
    "auc": "AUC",
    "gini": "Gini",
    "ks": "KS",
    "log_loss": "log loss",
    "brier": "Brier score",
    "calibration_error": "calibration error",
    "f1": "weighted F1",
    "f1_macro": "macro F1",
    "cost": "cost per row",
    "precision": "precision",
    "recall": "recall",
    "average_precision": "average precision",
}


class Asked(NamedTuple):
    """What a model said of some rows: predictions as codes of classes, and the probability of each, if it has any."""

    predicted: NDArray[np.intp]
    chances: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """How good models are, in the numbers that their users lead with. It prints as a table.

    Inside the rules, and so among all rows, these numbers hold a model against the labels of the past, which the rules
    may want otherwise.

    Parameters
    ----------
    lines : DataFrame
        A line for each part of the rows (``where``: outside the rules, inside, all) and measure: auc, gini, ks,
        log_loss, brier, calibration_error (these need probabilities), f1 and f1_macro, cost (if costs are given, per
        row); and for each class, its ``label``, precision, recall and average_precision. Models have a column each:
        ``value``, or ``before`` and ``after``. NaN where a number is not defined.

    stability : DataFrame
        For each part, the population stability index (``psi``) of the probability of a ``label`` from before to after:
        of two classes of one, of more of each. Empty for one model.

    classes : int
        How many classes there are: of more than two, AUC, Gini and KS are of each against the rest, weighted by rows.

    decided : str, default=""
        How rows were decided on by a threshold or by cost, in a sentence: F1, precision, recall and cost are of that.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(300)
    >>> model = frote.default_pipeline().fit(loans.X, loans.y)
    >>> found = frote.score(model, loans.X, loans.y, "young: IF age < 29 AND defaults = 0 THEN approved")
    >>> print(found.numbers)
                                   outside  inside    all
    AUC                              0.955   0.792  0.969
    Gini                             0.909   0.584  0.938
    KS                               0.861   0.559  0.874
    log loss                         0.190   0.295  0.209
    Brier score                      0.047   0.080  0.053
    calibration error                0.040   0.092  0.045
    weighted F1                      0.942   0.889  0.936
    macro F1                         0.923   0.618  0.932
    precision of approved            0.947   0.500  0.942
    recall of approved               0.978   0.200  0.957
    average precision of approved    0.976   0.525  0.974
    precision of denied              0.930   0.923  0.927
    recall of denied                 0.841   0.980  0.902
    average precision of denied      0.943   0.969  0.966
    """

    lines: pd.DataFrame
    stability: pd.DataFrame
    classes: int
    decided: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the same as lists and numbers that JSON can hold."""
        lines, stability = (plain(frame.to_dict("records")) for frame in (self.lines, self.stability))
        return {"classes": self.classes, "decided": self.decided, "lines": lines, "stability": stability}

    def __str__(self) -> str:
        return "\n".join([*self._remarks(), *as_lines(self._table())])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return as_shown(*map(as_sentence, self._remarks()), as_table(self._table()))

    def _remarks(self) -> list[str]:
        weighted = "AUC, Gini and KS are of each class against the rest, weighted by its rows."
        return [*filter(None, [self.decided]), *([weighted] if self.classes > 2 else [])]

    def _table(self) -> list[Column]:
        """Return a line for each measure, and columns for parts and models."""
        models = [str(name) for name in self.lines.columns[3:]]
        by_part = {str(where): lines for where, lines in self.lines.groupby("where", sort=False)}
        names = [
            MEASURES[measure] + (f" of {label}" if label else "")
            for measure, label in next(iter(by_part.values()))[["measure", "label"]].itertuples(index=False)
        ]
        shifts = {str(where): lines for where, lines in self.stability.groupby("where", sort=False)}
        moved = [f"stability index of {label}" for label in next(iter(shifts.values()))["label"]] if shifts else []
        columns = [Column("", [*names, *moved])]
        for where, lines in by_part.items():
            for model in models:
                title = where if len(models) == 1 else f"{where}: {model}" if model == models[0] else model
                below = decimals(shifts[where]["psi"]) if model == models[-1] and moved else [""] * len(moved)
                columns.append(Column(title, [*decimals(lines[model]), *below], right=True))
        return columns


def numbers_of(
    models: Mapping[str, Asked], own: NDArray[np.intp], covered: NDArray[np.bool_], decision: Decision
) -> Numbers:
    """Judge models by labels.

    Parameters
    ----------
    models : mapping of str to Asked
        What each model said; two of them are before and after.

    own : ndarray of int
        The rows' own classes.

    covered : ndarray of bool
        Which rows a rule covers.

    decision : Decision
        How rows are decided on, and all classes.

    Returns
    -------
    Numbers
    """
    parts = parts_of(covered)
    lines = []
    for where, rows in parts.items():
        columns = [
            dict(_measured(own[rows], said.predicted[rows], _of(said.chances, rows), decision))
            for said in models.values()
        ]
        for measure, label in dict.fromkeys(key for column in columns for key in column):
            lines.append((where, measure, label, *(column.get((measure, label), np.nan) for column in columns)))
    return Numbers(
        pd.DataFrame(lines, columns=["where", "measure", "label", *models]),
        _stability(list(models.values()), parts, decision),
        len(decision.classes),
        decision.told,
    )


def parts_of(covered: NDArray[np.bool_]) -> dict[str, NDArray[np.intp]]:
    """Return the rows of each part; without rows inside or outside the rules there is one.

    Examples
    --------
    >>> {where: rows.tolist() for where, rows in parts_of(np.array([True, False])).items()}
    {'outside': [1], 'inside': [0], 'all': [0, 1]}
    >>> list(parts_of(np.array([False, False])))
    ['all']
    """
    parts = zip(PARTS, (~covered, covered, np.ones(len(covered), dtype=bool)), strict=True)
    apart = covered.any() and not covered.all()
    return {where: np.flatnonzero(mask) for where, mask in parts if apart or where == "all"}


def _of(chances: NDArray[np.float64] | None, rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
    return None if chances is None else chances[rows]


def _measured(
    own: NDArray[np.intp], predicted: NDArray[np.intp], chances: NDArray[np.float64] | None, decision: Decision
) -> Iterator[tuple[tuple[str, str], float]]:
    """Measure one model on the rows of one part; the label is empty where a number is of all classes."""
    classes = len(decision.classes)
    if chances is not None:
        auc = area(own, chances)
        yield ("auc", ""), auc
        yield ("gini", ""), 2 * auc - 1
        yield ("ks", ""), kolmogorov_smirnov(own, chances)
        sure = Calibration.of(own, predicted, chances)
        for measure in ("log_loss", "brier", "calibration_error"):
            yield (measure, ""), getattr(sure, measure)
    decided = decision.decided(predicted, chances)
    yield ("f1", ""), f1_from_codes(own, decided, classes)
    yield ("f1_macro", ""), f1_from_codes(own, decided, classes, "macro")
    if decision.cost is not None:
        known = decided >= 0  # a class that no cost can be said of
        yield ("cost", ""), float(decision.cost[own[known], decided[known]].mean()) if known.any() else np.nan
    precision, recall, *_ = precision_recall_fscore_support(
        own, decided, labels=np.arange(classes), average=None, zero_division=np.nan
    )
    for code, label in enumerate(decision.classes):
        yield ("precision", label), float(precision[code])
        yield ("recall", label), float(recall[code])
        if chances is not None:
            yield ("average_precision", label), average_precision(own, chances, code)


def _stability(models: list[Asked], parts: Mapping[str, NDArray[np.intp]], decision: Decision) -> pd.DataFrame:
    """Return how far the probabilities of two models lie apart."""
    lines = []
    chances = [said.chances for said in models]
    if len(chances) == 2 and chances[0] is not None and chances[1] is not None:
        classes = range(len(decision.classes))
        # Of two classes the one moves as the other does.
        shown = classes if len(classes) != 2 else [1 if decision.favourable is None else decision.favourable]
        for where, rows in parts.items():
            for code in shown:
                psi = stability_index(chances[0][rows, code], chances[1][rows, code])
                lines.append((where, decision.classes[code], psi))
    return pd.DataFrame(lines, columns=["where", "label", "psi"])
