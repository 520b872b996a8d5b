"""Rules laid over a model of a file, without retraining: the table with predictions, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.edits.resolving import resolve
from frote.edits.saved_models import concerned
from frote.estimators.overlay import OverlayClassifier

if TYPE_CHECKING:
    import pandas as pd

    from frote.rules import RuleSet

__all__ = ["PREDICTED", "patched_table"]

PREDICTED = ("prediction", "rule")  # the columns that are added


def patched_table(
    frame: pd.DataFrame, X: pd.DataFrame, rules: RuleSet, model: Any, *, mode: str = "hard", how: str | None = None
) -> pd.DataFrame:
    """Predict with rules laid over a model.

    Parameters
    ----------
    frame : DataFrame
        The table.

    X : DataFrame
        The same without labels.

    rules : RuleSet
        The rules.

    model : classifier
        The model.

    mode : {"hard", "soft"}, default="hard"
        Who answers; see `OverlayClassifier`.

    how : str or None, default=None
        How conflicts are resolved.

    Returns
    -------
    DataFrame
        The table with two columns more: the prediction, and the rule that it is by.
    """
    if how is not None:
        rules = resolve(rules, how, X, getattr(model, "classes_", None))
    X = concerned(X, [model], rules.columns)
    patched = OverlayClassifier(model, rules, mode=mode).fit(X)
    return frame.assign(**dict(zip(PREDICTED, (patched.predict(X), patched.apply(X)), strict=True)))
