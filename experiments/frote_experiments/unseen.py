"""Rows that no model was trained on: how good a model is there, and what an edit changed where no rule asked for it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.ruling import Ruling
from frote.estimators.scoring import score
from frote.table import Table

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from frote.rules import RuleSet
    from frote_experiments.draws import Draw

__all__ = ["Unseen"]


class Unseen:
    """The rows held out, on which models are scored.

    Parameters
    ----------
    chosen : Draw
        The draw whose test rows they are.

    own_labels : bool
        Whether rows inside coverage are scored against their own labels, in place of the rules.
    """

    def __init__(self, chosen: Draw, *, own_labels: bool) -> None:
        self.X: pd.DataFrame = chosen.data.X.iloc[chosen.test]
        self.y: pd.Series[str] = chosen.data.y.iloc[chosen.test]
        self.rules = chosen.rules
        self.own_labels = own_labels

    def scores(self, model: Any) -> dict[str, float | None]:
        """Return objective, agreement and F1 of a model; None where there are no rows for one."""
        report = score(model, self.X, self.y, self.rules)
        objective, agreement = report.objective, report.agreement
        if self.own_labels and report.covered:
            covered = self.rules.coverage(self.X).any(axis=1)
            agreement = float(np.mean(np.asarray(model.predict(self.X))[covered] == np.asarray(self.y)[covered]))
            parts = [(report.covered, agreement), (report.uncovered, report.f1)]
            objective = sum(count * part for count, part in parts if count) / len(self.X)
        named = {"objective": objective, "agreement": agreement, "f1": report.f1}
        return {name: _plain(value) for name, value in named.items()}

    def beside(self, before: Any, after: Any, rules: RuleSet) -> dict[str, float | None]:
        """Compare a model with what it was, outside the rules and in its probabilities inside.

        Parameters
        ----------
        before, after : classifier
            The model as it was, and as it is.

        rules : RuleSet
            The rules that it was edited with.

        Returns
        -------
        dict
            *flips_outside* and *flips_near*: the share of rows outside all rules, and of those among them that miss a
            rule by one condition, that are answered otherwise; *brier_outside* and *brier_outside_initial*: the Brier
            score of the probabilities there, over all classes; *chance_error* and *chance_error_initial*: how far the
            mean probabilities inside a rule are from its outcome's, at most over the classes and on the mean over the
            rules. None where there are no such rows or probabilities.
        """
        table = Table.from_frame(self.X)
        classes = tuple(str(one) for one in before.classes_)
        rows = Ruling.of(rules.bind(table.schema), classes).on(table)
        failed = [(~rows.met[list(needs)]).sum(axis=0) for needs in rows.ruling.conditions.needs]
        outside = rows.owner < 0
        flips = np.asarray(before.predict(self.X)) != np.asarray(after.predict(self.X))
        now, then = (_chances(model, self.X, classes) for model in (after, before))
        right = np.asarray(self.y, dtype=str)[:, np.newaxis] == np.array(classes)
        return {
            "flips_outside": _mean(flips[outside]),
            "flips_near": _mean(flips[outside & (np.min(failed, axis=0) == 1)]),
            **{
                f"brier_outside{which}": None if said is None else _mean(((said - right) ** 2).sum(axis=1)[outside])
                for which, said in (("", now), ("_initial", then))
            },
            **{
                f"chance_error{which}": None if said is None else _chance_error(rows.ruling, rows.owner, said)
                for which, said in (("", now), ("_initial", then))
            },
        }


def _chances(model: Any, X: Any, classes: tuple[str, ...]) -> NDArray[np.float64] | None:
    """Return the probabilities of classes in an order; None from a model without any."""
    if not hasattr(model, "predict_proba"):
        return None
    order = [[str(one) for one in model.classes_].index(name) for name in classes]
    return np.asarray(model.predict_proba(X))[:, order]


def _chance_error(ruling: Ruling, owner: NDArray[np.intp], chances: NDArray[np.float64]) -> float | None:
    errors = []
    for rule, outcome in enumerate(ruling.outcomes):
        mine = owner == rule
        if mine.any():
            wanted = np.array(list(outcome.spread(ruling.classes).values()))
            errors.append(float(np.abs(chances[mine].mean(axis=0) - wanted).max()))
    return _mean(np.array(errors))


def _mean(values: NDArray[Any]) -> float | None:
    return float(np.mean(values)) if len(values) else None


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
