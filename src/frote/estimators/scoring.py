"""How well a model keeps to rules, on any data: the paper's test scores."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from frote.coverage.answers import Answers
from frote.coverage.labels import Beyond, Labels, unknown_labels
from frote.coverage.measures import at_share, f1_outside, scored
from frote.coverage.ruling import Attribution, Ruling
from frote.coverage.said import classes_of
from frote.dask.frames import is_lazy
from frote.estimators.given_rules import as_rules
from frote.estimators.input import require_rows, typed
from frote.generation.possible import uncovering
from frote.judging.chances import chances_for
from frote.judging.decision import Decision
from frote.judging.trade import Asked, Numbers, numbers_of
from frote.layout import Column, as_list, as_sentence, as_shown, as_table, counted, decimals
from frote.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from frote.rules import RuleSet

__all__ = ["ScoreReport", "numbers_from", "score", "score_answers", "share_covered"]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreReport:
    """How well a model keeps to rules.

    Parameters
    ----------
    objective : float
        The objective by coverage: agreement inside coverage and weighted F1 outside it, weighted by the shares of rows.

    agreement : float
        The mean over covered rows of the probability that their rule gives the prediction; NaN if none is covered.

    f1 : float
        Weighted F1 outside coverage; NaN if every row is covered.

    f1_macro : float
        Macro-averaged F1 outside coverage.

    rules : DataFrame
        For each rule as written: agreement and the number of rows attributed to it.

    covered, uncovered : int
        The number of rows inside and outside coverage.

    unknown : Beyond
        Rows whose label the model does not know, and these labels; such rows count as mistakes.

    notes : tuple of str
        Which rules cover nothing, or less than they name, since they ask for what these rows cannot have.

    population : float or None
        The share of the population that is covered, if one was given.

    objective_by_population : float
        The same as `objective`, but weighted by that share; NaN if none was given, or if what it weighs is not known.

    numbers : Numbers or None
        The numbers that users of such models lead with, such as AUC, KS, precision and recall: outside the rules,
        inside, and on all rows.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(300)
    >>> model = frote.default_pipeline().fit(loans.X, loans.y)
    >>> print(frote.score(model, loans.X, loans.y, "young: IF age < 29 AND defaults = 0 THEN approved"))
    objective by coverage 0.779: agreement 0.037 on 54 covered rows, F1 0.942 (macro 0.923) on 246 others
      young  0.037 on 54 rows
    """

    objective: float
    agreement: float
    f1: float
    f1_macro: float
    rules: pd.DataFrame
    covered: int
    uncovered: int
    unknown: Beyond = field(default_factory=Beyond)
    notes: tuple[str, ...] = ()
    population: float | None = None
    objective_by_population: float = math.nan
    numbers: Numbers | None = None

    def __str__(self) -> str:
        lines = [*self.notes, self._headline()]
        names = [visible(str(name), lines=False) for name in self.rules.index]
        width = max(map(len, names), default=0)
        for name, (_, line) in zip(names, self.rules.iterrows(), strict=True):
            agreed = f"{line['agreement']:.3f}" if line["rows"] else "    -"
            lines.append(f"  {name:<{width}}  {agreed} on {line['rows']:,.0f} rows")
        lines += filter(None, [self.unknown.told()])
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        agreed = decimals(self.rules["agreement"])
        columns = [
            Column("rule", list(map(str, self.rules.index))),
            Column("agreement", agreed, right=True),
            Column("rows", [f"{rows:,}" for rows in self.rules["rows"]], right=True),
        ]
        unknown = self.unknown.told()
        return as_shown(
            as_list(self.notes),
            as_sentence(f"{self._headline()}."),
            as_table(columns) if agreed else "",
            as_sentence(unknown) if unknown else "",
        )

    def _headline(self) -> str:
        inside, outside = "no row covered", "none outside"
        if self.covered:
            inside = f"agreement {self.agreement:.3f} on {counted(self.covered, 'covered row')}"
        if self.uncovered:
            outside = f"F1 {self.f1:.3f} (macro {self.f1_macro:.3f}) on {counted(self.uncovered, 'other')}"
        besides = ""
        if self.population is not None:
            besides = f" (by population {decimals([self.objective_by_population])[0]}, {self.population:.1%} covered)"
        return f"objective by coverage {self.objective:.3f}{besides}: {inside}, {outside}"


def score(
    model: Any,
    X: Any,
    y: Any,
    rules: Any,
    *,
    population: Any = None,
    favourable: Any = None,
    threshold: float | None = None,
    cost: Mapping[Any, Mapping[Any, float]] | None = None,
) -> ScoreReport:
    """Score a model against rules and labels, as the paper does on test data.

    Parameters
    ----------
    model : fitted classifier
        The model; it gets its own columns of `X`, in its own order, and all of an array's.

    X : pandas, polars or Dask DataFrame, or array
        The rows. Of a Dask frame all scores are of all rows, and ``numbers`` of a sample of 100,000, which is told.

    y : array-like
        Their labels, by which rows outside coverage are judged, and confidences inside.

    rules : RuleSet, rule text, path of a rule file, or rules
        The rules. A row that several cover counts for the first.

    population : pandas or polars DataFrame, or array, default=None
        Rows that stand for all there are, such as the training data as they came: where X has more covered rows than
        these, or fewer, the objective is told for their share too.

    favourable : label, default=None
        The label that people hope for, such as ``"approved"``; a threshold is on its probability.

    threshold : float, default=None
        The probability of that label from which on ``numbers`` take a row to get it; there must be two classes.

    cost : mapping of label to mapping of prediction to float, default=None
        What predictions cost, such as ``{"denied": {"approved": 5}}`` where denied is right and approved is predicted;
        what is not said costs nothing. ``numbers`` have the mean, and without a threshold they take each row to
        get the label whose expected cost is least.

    Returns
    -------
    ScoreReport

    Raises
    ------
    TableError
        If X lacks a column of the model, the labels are written in another way than the model's classes, or a
        threshold or costs do not fit them.

    ModelError
        If a threshold is given, and the model has no probabilities.

    BindingError
        If the rules do not fit X or the classes.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = pd.DataFrame({"age": [20, 30, 40]}), ["no", "yes", "yes"]
    >>> model = DummyClassifier(strategy="constant", constant="yes").fit(X, y)
    >>> frote.score(model, X, y, "young: IF age < 25 THEN yes").objective
    1.0

    Half of these rows are covered, and a tenth of all there are:

    >>> everyone = pd.DataFrame({"age": range(20, 70, 5)})
    >>> model = DummyClassifier(strategy="constant", constant="no").fit(X, y)
    >>> found = frote.score(model, X[:2], ["no", "no"], "young: IF age < 25 THEN yes", population=everyone)
    >>> found.objective, found.objective_by_population
    (0.5, 0.9)
    """
    if is_lazy(X):
        from frote.dask.scoring import score_lazily

        judge_by = {"favourable": favourable, "threshold": threshold, "cost": cost}
        return score_lazily(model, X, y, rules, population=population, **judge_by)
    rows = typed(X)
    table = rows.table
    labels = Labels.of(y, len(table))
    named = as_rules(rules)
    classes = classes_of(model)
    unknown = unknown_labels(labels, [classes])
    # A rule may name a class that these rows happen not to have.
    known = labels.and_of(classes).classes
    bound = named.bind(table.schema, known)
    share = None if population is None else share_covered(named, population, known)
    decision = Decision.of(labels.and_of(classes), favourable=favourable, threshold=threshold, cost=cost)
    answers = Answers.of(model, rows, chances=True)
    attribution = Ruling.of(bound).on(table)
    report = score_answers(answers, attribution, labels, population=share)
    numbers = numbers_from(answers, labels.codes, attribution.owner >= 0, labels, decision)
    return replace(report, unknown=unknown, notes=tuple(uncovering(named, table)), numbers=numbers)


def share_covered(rules: RuleSet, population: Any, classes: Sequence[Any]) -> float:
    """Return the share of a population that rules cover."""
    everyone = typed(population).table
    require_rows(len(everyone))
    return Ruling.of(rules.bind(everyone.schema, classes)).on(everyone).share


def numbers_from(
    answers: Answers, own: NDArray[np.intp], covered: NDArray[np.bool_], labels: Labels, decision: Decision
) -> Numbers:
    """Judge what a model said, in the numbers of its users, given the rows' own labels as codes of all labels."""
    all_labels = labels.and_of(answers.classes)
    chances = chances_for(answers, all_labels)
    decision.require_chances(chances, answers.who)
    said = Asked(all_labels.codes_for(answers.predicted), chances)
    return numbers_of({"value": said}, own, covered, decision)


def score_answers(
    answers: Answers, rows: Attribution, labels: Labels, *, population: float | None = None
) -> ScoreReport:
    """Score what a model said of some rows.

    Parameters
    ----------
    answers : Answers
        What it said.

    rows : Attribution
        The rows, and what the rules say of them, whatever the classes are.

    labels : Labels
        Their labels.

    population : float, default=None
        The share of the population that the rules cover.

    Returns
    -------
    ScoreReport
        Without notes and numbers, and without a word on labels that the model does not know.
    """
    all_labels = labels.and_of(answers.classes)
    rows, predicted, own = rows.among(all_labels.texts), all_labels.codes_for(answers.predicted), labels.codes
    scores = scored(rows, predicted, own, own)
    return ScoreReport(
        scores.objective,
        scores.agreement,
        scores.outside,
        f1_outside(rows, predicted, own, "macro"),
        pd.DataFrame(
            {"agreement": scores.per_rule, "rows": scores.covered}, index=pd.Index(rows.ruling.names, name="rule")
        ),
        sum(scores.covered),
        scores.uncovered,
        population=population,
        objective_by_population=(
            math.nan if population is None else at_share(scores.agreement, scores.outside, population)
        ),
    )
