"""Boolean rules learned by column generation, as a classifier."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from frote._sklearn import Interval, StrOptions, fit_context
from frote.coverage.labels import require_classes
from frote.coverage.matrix import attribute, cover
from frote.coverage.ruling import Ruling
from frote.estimators.input import Target, as_frame, columns_known, for_frames
from frote.explain.columns import generate
from frote.explain.literals import Literals
from frote.explain.master import Complexity, Instance, Limits
from frote.explain.pricing import BeamSearch, BothSearches, ExactSearch
from frote.rules import Outcome, Rule, RuleSet
from frote.rules.text import as_name
from frote.table import Table

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from frote.explain.columns import Pricing

__all__ = ["RuleSetClassifier"]

SAMPLE = 0  # where the chance of a sample comes from
SMALL = 20_000  # rows times literals up to which clauses are searched exactly too


def _sampled(rows: int, most: int | None) -> NDArray[np.intp] | None:
    """Return the rows of a sample, None for all of them; the same number of rows gives the same places."""
    if most is None or rows <= most:
        return None
    return np.sort(np.random.default_rng(SAMPLE).permutation(rows)[:most])


class RuleSetClassifier(ClassifierMixin, BaseEstimator):
    """Learn a few short rules per class: Boolean rules by column generation (Dash, Günlük and Wei, 2018).

    For each class but the most frequent one, clauses are chosen that cover many of its rows and few others, at least
    cost in errors and length. A row is given the class of the first rule that covers it, the most precise ones coming
    first; a row that none covers, the default class.

    Parameters
    ----------
    lambda0, lambda1 : float, default=0.001
        The cost of a rule and of each of its conditions, where 1 is the cost of all rows being wrong.

    max_complexity : float, default=None
        A bound on the number of rules and conditions per class, in place of their costs.

    thresholds : int, default=9
        How many quantiles of a column of numbers or dates rules may compare with.

    max_conditions : int, default=10
        How many conditions a rule has at most.

    pricing : {"auto", "beam", "exact"}, default="auto"
        How new rules are looked for: by beam search; exactly; or by beam and, in small tables, exactly at the end.

    beam_width : int, default=5
        How many beginnings of rules the beam holds.

    max_iter : int, default=100
        How many rounds of column generation there are at most, per class.

    max_rows : int or None, default=20_000
        How many rows rules are learned from at most; if there are more, from a sample of them, always the same one.
        What rules cover, their order and the default class are those of all rows. ``None`` means all.

    time_limit : float or None, default=None
        Seconds after which the best so far is taken, for all classes together; then the result depends on how busy the
        machine is. With ``None`` all work is bounded by counts, and the same rows give the same rules.

    every_class : bool, default=False
        Whether to learn rules for the most frequent class too.

    Attributes
    ----------
    rules_ : RuleSet
        The rules, the most precise first.

    summary_ : DataFrame
        For each rule its label, conditions, rows covered, precision, recall, and the rows it is the first to cover.

    default_ : label
        The class of rows that no rule covers.

    converged_ : bool
        Whether no class was cut short by a limit.

    n_iter_ : int
        The number of rounds of column generation, of the class that took most.

    classes_ : ndarray
        The classes.

    n_features_in_, feature_names_in_
        Number and names of columns.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> model = frote.RuleSetClassifier(lambda0=0.01, lambda1=0.01).fit(loans.X, loans.y)
    >>> print(model.rules_)
    denied 1: IF age <= 27 THEN denied
    denied 2: IF defaults > 0 THEN denied
    >>> model.default_
    'approved'
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "lambda0": [Interval(Real, 0, None, closed="left")],
        "lambda1": [Interval(Real, 0, None, closed="left")],
        "max_complexity": [Interval(Real, 2, None, closed="left"), None],
        "thresholds": [Interval(Integral, 1, None, closed="left")],
        "max_conditions": [Interval(Integral, 1, None, closed="left")],
        "pricing": [StrOptions({"auto", "beam", "exact"})],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_rows": [Interval(Integral, 1, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "every_class": ["boolean"],
    }

    def __init__(
        self,
        *,
        lambda0: float = 0.001,
        lambda1: float = 0.001,
        max_complexity: float | None = None,
        thresholds: int = 9,
        max_conditions: int = 10,
        pricing: str = "auto",
        beam_width: int = 5,
        max_iter: int = 100,
        max_rows: int | None = 20_000,
        time_limit: float | None = None,
        every_class: bool = False,
    ) -> None:
        self.lambda0 = lambda0
        self.lambda1 = lambda1
        self.max_complexity = max_complexity
        self.thresholds = thresholds
        self.max_conditions = max_conditions
        self.pricing = pricing
        self.beam_width = beam_width
        self.max_iter = max_iter
        self.max_rows = max_rows
        self.time_limit = time_limit
        self.every_class = every_class

    def __sklearn_tags__(self) -> Any:
        return for_frames(super().__sklearn_tags__())

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Learn rules.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array
            The rows.

        y : array-like
            Their labels.

        Returns
        -------
        RuleSetClassifier
        """
        X = as_frame(X)
        table = Table.from_frame(X)
        columns_known(self, X)
        target = Target.of(y, len(table))
        codes, texts = target.labels.codes, target.labels.texts
        require_classes(target.labels, y)
        rows = _sampled(len(table), self.max_rows)
        some = table if rows is None else table.take(rows)
        some_codes = codes if rows is None else codes[rows]
        literals = Literals.of(some, self.thresholds)
        met = literals.evaluate(some)
        frequent = int(np.bincount(codes).argmax())
        wanted = [code for code in np.unique(some_codes).tolist() if self.every_class or code != frequent]
        limits = Limits.of(self.max_iter, self.time_limit)
        learned: list[tuple[int, tuple[int, ...]]] = []
        self.converged_, self.n_iter_ = True, 0
        for done, code in enumerate(wanted):
            instance = Instance.of(met, some_codes == code)
            complexity = Complexity(self.lambda0, self.lambda1, self.max_complexity)
            own = limits.part(1 / (len(wanted) - done))  # what is left is shared among the classes to come
            columns = generate(instance, complexity, self._pricing(instance), own)
            learned += [(code, clause) for clause in columns.chosen]
            self.converged_ &= columns.finished
            self.n_iter_ = max(self.n_iter_, columns.rounds)
        self.classes_ = np.asarray(target.natives(np.arange(len(texts))))
        self._describe(table, literals, learned, codes, texts)
        return self

    def _pricing(self, instance: Instance) -> Pricing:
        beam = BeamSearch(self.beam_width, self.max_conditions)
        exact = ExactSearch(self.max_conditions)
        if self.pricing == "exact":
            return exact
        small = self.pricing == "auto" and instance.met.size <= SMALL
        return BothSearches(beam, exact) if small else beam

    def _describe(
        self,
        table: Table,
        literals: Literals,
        learned: list[tuple[int, tuple[int, ...]]],
        codes: NDArray[np.intp],
        texts: tuple[str, ...],
    ) -> None:
        """Put the rules in order and count what they cover."""
        rule_codes = np.array([code for code, _ in learned], dtype=np.intp)
        drafts = [
            Rule(f"draft {place}", literals.clause(chosen), Outcome.of(texts[code]))
            for place, (code, chosen) in enumerate(learned)
        ]
        covered = cover(RuleSet(drafts), table)
        right = (covered & (codes == rule_codes[:, np.newaxis])).sum(axis=1)
        rows = covered.sum(axis=1)
        precision = right / np.maximum(rows, 1)
        order = np.lexsort((-right, -precision))
        numbers: dict[str, int] = {}
        rules = []
        for place in order:
            code = int(rule_codes[place])
            name = as_name(texts[code])  # two labels may share it, if they differ in blanks alone
            numbers[name] = numbers.get(name, 0) + 1
            rules.append(Rule(f"{name} {numbers[name]}", drafts[place].clause, drafts[place].outcome))
        self.rules_ = RuleSet(rules)
        self._codes = rule_codes[order]
        first = attribute(covered[order])
        # How often each class occurs among the rows that no rule covers, and that each rule is the first to cover.
        counts = [np.bincount(codes[first == rule], minlength=len(texts)) for rule in range(-1, len(rules))]
        shares = np.array(counts, dtype=np.float64)
        if not shares[0].any():
            shares[0] = np.bincount(codes, minlength=len(texts))
        self._default = int(shares[0].argmax())
        self.default_ = self.classes_[self._default]
        # A row more than any other class has: what is predicted is the most likely, also where no row was seen.
        shares[np.arange(len(shares)), [self._default, *self._codes]] = shares.max(axis=1) + 1
        self._chances = shares / shares.sum(axis=1, keepdims=True)
        totals = np.bincount(codes, minlength=len(texts))
        self.summary_ = pd.DataFrame(
            {
                "label": [texts[code] for code in self._codes],
                "conditions": [len(rule.clause) for rule in rules],
                "rows": rows[order],
                "precision": precision[order],
                "recall": right[order] / np.maximum(totals[self._codes], 1),
                "first_rows": [int((first == place).sum()) for place in range(len(rules))],
            },
            index=pd.Index(self.rules_.names, name="rule"),
        )

    def _first_rule(self, X: Any) -> NDArray[np.intp]:
        check_is_fitted(self)
        X = as_frame(X)
        columns_known(self, X, reset=False)
        return Ruling.of(self.rules_).on(Table.from_frame(X)).piece

    def predict(self, X: Any) -> Any:
        """Predict the class of the first rule that covers each row, or the default class.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        ndarray
        """
        first = self._first_rule(X)
        return self.classes_[np.append(self._codes, self._default)[first]]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the shares of classes among the training rows that the same rule was the first to cover.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        ndarray, shape (rows, classes)
        """
        first = self._first_rule(X)
        return np.asarray(self._chances[first + 1])
