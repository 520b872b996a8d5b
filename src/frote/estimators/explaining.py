"""The rules that a model follows now, ready to be corrected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.asking import ask
from frote.coverage.labels import Labels
from frote.estimators.boolean_rules import RuleSetClassifier
from frote.estimators.input import as_frame
from frote.exceptions import TableError
from frote.visible import visible

if TYPE_CHECKING:
    import pandas as pd

    from frote.rules import RuleSet

__all__ = ["Explanation", "explain_model"]


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Rules that imitate a model. It prints as rule text that can be saved, edited and read back.

    Parameters
    ----------
    rules : RuleSet
        The rules, the most precise first.

    summary : DataFrame
        For each rule its label, conditions, rows covered, precision and recall with respect to the model.

    default : label
        The class that the rules leave to all other rows.

    fidelity : float
        The share of rows that the rules, in order and with the default, predict as the model does.

    fidelity_inside : float
        The same among the rows that some rule covers; NaN if none does.

    covered : float
        The share of rows that some rule covers.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> model = frote.default_pipeline().fit(loans.X, loans.y)
    >>> explanation = frote.explain_model(model, loans.X, lambda0=0.01, lambda1=0.01)
    >>> frote.parse_rules(str(explanation)) == explanation.rules
    True
    """

    rules: RuleSet
    summary: pd.DataFrame
    default: Any
    fidelity: float
    fidelity_inside: float
    covered: float

    def __str__(self) -> str:
        default = visible(str(self.default), lines=False)  # it stands in a comment, which is one line
        lines = [
            f"# {len(self.rules)} rules that predict as the model does for {self.fidelity:.1%} of the rows, "
            f"and for {self.fidelity_inside:.1%} of the {self.covered:.1%} that they cover; else {default}."
        ]
        for rule, counts in zip(self.rules, self.summary.itertuples(), strict=True):
            shares = f"{counts.precision:.0%} of them as the model says, {counts.recall:.0%} of the class"
            lines.append(f"# {counts.rows:,} rows, {shares}")
            lines.append(str(rule))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def explain_model(model: Any, X: Any, **parameters: Any) -> Explanation:
    """Explain a model by rules, for every class: Boolean rules fitted to what it predicts.

    Parameters
    ----------
    model : fitted classifier
        The model; it gets its own columns of `X`, in its own order, and all of an array's.

    X : pandas or polars DataFrame, or array
        Rows to explain it on.

    **parameters
        Parameters of `RuleSetClassifier`.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> model = frote.default_pipeline().fit(loans.X, loans.y)
    >>> explanation = frote.explain_model(model, loans.X, lambda0=0.01, lambda1=0.01)
    >>> print(explanation.rules)
    approved 1: IF age > 27 AND defaults <= 0 THEN approved
    denied 1: IF age <= 27 THEN denied
    denied 2: IF defaults > 0 THEN denied
    """
    frame = as_frame(X)
    labels = Labels.of(ask(model, frame), len(frame), what="the model's prediction")
    if len(labels.classes) < 2:
        raise TableError(f"The model predicts {labels.classes[0]!r} for every row: there is nothing to tell apart.")
    predicted = np.asarray(labels.classes, dtype=object)[labels.codes]
    predicted = predicted.astype(np.asarray(labels.classes).dtype)
    learner = RuleSetClassifier(**{"every_class": True, **parameters}).fit(frame, predicted)
    alike = learner.predict(frame) == predicted
    inside = learner.rules_.coverage(frame).any(axis=1)
    return Explanation(
        learner.rules_,
        learner.summary_,
        learner.default_,
        float(alike.mean()),
        float(alike[inside].mean()) if inside.any() else float("nan"),
        float(inside.mean()),
    )
