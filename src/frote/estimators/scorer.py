"""Scores by rules in the form that scikit-learn's searches and cross-validation take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frote.estimators.given_rules import as_rules
from frote.estimators.scoring import score
from frote.exceptions import TableError, nearest

if TYPE_CHECKING:
    from frote.rules import RuleSet

__all__ = ["RuleScorer", "make_scorer"]

MEASURES = ("objective", "agreement", "f1", "f1_macro")


@dataclass(frozen=True, slots=True)
class RuleScorer:
    """A scorer by rules; `make_scorer` makes one. It is a value, so that it goes to workers and into clones.

    Parameters
    ----------
    rules : RuleSet
        The rules.

    measure : str or tuple of str
        What it gives: one number, or several by name.
    """

    rules: RuleSet
    measure: str | tuple[str, ...]

    def __call__(self, estimator: Any, X: Any, y: Any) -> float | dict[str, float]:
        """Score a fitted classifier on rows and their labels."""
        report = score(estimator, X, y, self.rules)
        if isinstance(self.measure, str):
            return float(getattr(report, self.measure))
        return {name: float(getattr(report, name)) for name in self.measure}


def make_scorer(rules: Any, measure: Any = "objective") -> RuleScorer:
    """Return a scorer by rules, for the ``scoring`` of ``GridSearchCV``, ``cross_validate`` and the like.

    The labels of data follow what was done before the rules, so that accuracy on them punishes a model that keeps to
    the rules. This scorer judges covered rows by the rules and all others by their labels, as `score` does.

    Parameters
    ----------
    rules : RuleSet, rule text, path of a rule file, or rules
        The rules. A row that several cover counts for the first.

    measure : {"objective", "agreement", "f1", "f1_macro"} or list of these, default="objective"
        What counts: the objective by coverage; agreement with the rules on the rows that they cover; F1, weighted or
        macro-averaged, on all others. Several give several scores from one prediction: ``cross_validate`` shows them
        as ``test_agreement`` and so on, and ``GridSearchCV`` takes one of them as ``refit``.

    Returns
    -------
    callable
        Called with a fitted classifier, rows and labels; more is better. Agreement is NaN on rows that no rule covers,
        and F1 where rules cover all.

    Raises
    ------
    RuleError
        If the rules cannot be read.

    TableError
        If there is no such measure.

    Examples
    --------
    >>> import frote
    >>> from sklearn.model_selection import cross_validate
    >>> loans = frote.datasets.load_loans(300)
    >>> scorer = frote.make_scorer("young: IF age < 29 AND defaults = 0 THEN approved", ["agreement", "f1"])
    >>> scores = cross_validate(frote.default_pipeline(), loans.X, loans.y, scoring=scorer, cv=2)
    >>> scores["test_agreement"].round(2).tolist(), scores["test_f1"].round(2).tolist()
    ([0.0, 0.2], [0.91, 0.94])
    """
    names = tuple(measure) if isinstance(measure, (list, tuple)) else (measure,)
    for name in names:
        if name not in MEASURES:
            raise TableError(f"There is no measure {name!r} of a scorer. {nearest(str(name), MEASURES)}")
    if not names:
        raise TableError(f"A scorer needs a measure, one or several of {', '.join(MEASURES)}.")
    return RuleScorer(as_rules(rules), measure if isinstance(measure, str) else names)
