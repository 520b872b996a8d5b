"""Asking two models about the same rows, and telling as rules what changed: intended, wrong and unintended changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.compare.changes import Changes
from frote.compare.comparison import BEFORE_AFTER, Comparison
from frote.compare.notices import notices
from frote.compare.pair import Pair
from frote.compare.parts import parts
from frote.compare.protected import protected_by, split
from frote.compare.rates import DRAWS, Rows, fairness_of
from frote.compare.subgroups import shifts
from frote.coverage.answers import Answers
from frote.coverage.labels import Beyond, Labels, unknown_labels
from frote.coverage.measures import f1_outside, row_agreement, scored
from frote.dask.frames import is_lazy
from frote.estimators.given_rules import as_rules
from frote.estimators.input import require_rows, typed
from frote.exceptions import TableError, nearest
from frote.generation.possible import uncovering
from frote.judging.calibration import Calibration
from frote.judging.decision import Decision, unsaid
from frote.judging.trade import Asked, numbers_of
from frote.rules import Outcome, Rule, RuleSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from frote.compare.rates import Fairness
    from frote.coverage.ruling import Attribution
    from frote.judging.trade import Numbers
    from frote.table import Schema, Table

__all__ = ["compare_answers", "compare_models", "judged_for_users", "require_judgeable"]

NO_FAVOURABLE = "Rates of groups are of the label that people hope for, and none was said."


def compare_models(
    before: Any,
    after: Any,
    X: Any,
    rules: Any = (),
    y: Any = None,
    *,
    subgroups: Iterable[str] | str = (),
    min_share: float = 0.002,
    time_limit: float | None = None,
    protected: Iterable[str] | str = (),
    favourable: Any = None,
    threshold: float | None = None,
    cost: Mapping[Any, Mapping[Any, float]] | None = None,
) -> Comparison:
    """Tell what changed between two models, as rules: where predictions differ, and whether that was intended.

    Parameters
    ----------
    before, after : fitted classifiers
        The models; each gets its own columns of `X`, in its own order, and all of an array's. Their classes are matched
        by value, or else by text.

    X : pandas, polars or Dask DataFrame, or array
        Rows to compare them on, best such as neither was trained on; of a Dask frame a sample of 100,000, which is
        told.

    rules : RuleSet, rule text, path of a rule file, or rules, default=()
        What was wanted. A row that several rules cover counts for the first.

    y : array-like, default=None
        The rows' labels; with them the objective by coverage, F1 and calibration are compared too.

    subgroups : columns' names, default=()
        Columns in whose groups to look for shifts: each level, or each quarter of numbers or dates.

    min_share : float, default=0.002
        What a region must explain to be told: so many more rows that changed than rows that did not, as a share of
        all rows, and five rows at least; a quarter more for each of its conditions.

    time_limit : float or None, default=None
        Seconds after which the best regions so far are taken; then they depend on how busy the machine is. With
        ``None`` all work is bounded by counts.

    protected : columns' names and conditions, default=()
        What is protected, such as ``["sex", "age < 25"]`` or ``"sex, age < 25"``: groups by each level or quarter of a
        column, or by whether a condition in the rule language holds. With it the result has ``fairness``, which needs
        `favourable`.

    favourable : label, default=None
        The label that people hope for, such as ``"approved"``.

    threshold : float, default=None
        The probability of that label from which on ``numbers`` and ``fairness`` take a row to get it; there must be two
        classes. All else is as the models predict.

    cost : mapping of label to mapping of prediction to float, default=None
        What predictions cost, such as ``{"denied": {"approved": 5}}`` where denied is right and approved is predicted;
        what is not said costs nothing. ``numbers`` have the mean, and without a threshold they and ``fairness``
        take each row to get the label whose expected cost is least.

    Returns
    -------
    Comparison

    Raises
    ------
    TableError
        If X has no rows or lacks a column of a model, `subgroups` or `protected` names a column that X lacks, one model
        predicts texts and the other numbers that are none of them, y is written in another way than their classes, or
        a favourable label, threshold or cost does not fit them.

    ModelError
        If a threshold is given, and a model has no probabilities.

    BindingError
        If the rules do not fit X or the classes.

    Notes
    -----
    A region is fitted to one kind of change: its part, the label before and the label after. Rows that had another
    label before cannot change so, and count a twentieth. So a region says: of the rows inside that had the one label,
    most have the other one now. The ``rate`` of the summary is the share of those that do.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(1000)
    >>> before = frote.default_pipeline().fit(loans.X, loans.y)
    >>> rules = "young earners: IF age < 29 AND income >= 24K AND defaults = 0 THEN approved"
    >>> wanted = loans.y.mask(frote.parse_rules(rules)[0].mask(loans.X), "approved")
    >>> after = frote.default_pipeline().fit(loans.X, wanted)
    >>> comparison = frote.compare_models(before, after, loans.X, rules)
    >>> comparison.parts["rows"].to_dict()
    {'intended': 86, 'wrong': 0, 'unintended': 76}
    >>> print(comparison.regions["intended 1"])
    intended 1: IF age <= 28 AND income > 24000 AND defaults <= 0 THEN approved
    """
    if not 0 <= min_share <= 1:
        raise TableError(f"min_share is a share of the rows, from 0 to 1, not {min_share:g}.")
    if is_lazy(X):
        from frote.dask.comparing import compare_lazily

        return compare_lazily(
            before,
            after,
            X,
            rules,
            y,
            subgroups=subgroups,
            min_share=min_share,
            time_limit=time_limit,
            protected=protected,
            favourable=favourable,
            threshold=threshold,
            cost=cost,
        )
    rows = typed(X)
    table = rows.table
    require_rows(len(table))
    asked = _columns_asked(subgroups, table.schema)
    truth = None if y is None else Labels.of(y, len(table))
    named = as_rules(rules)
    models = {"the first model": before, "the second model": after}
    # Probabilities are judged by labels, or decide on rows; they are compared if both models have them.
    wanted = y is not None or threshold is not None or cost is not None
    chances = wanted and all(hasattr(model, "predict_proba") for model in models.values())
    answers = [Answers.of(model, rows, chances=chances, whose=whose) for whose, model in models.items()]
    unknown = Beyond() if truth is None else unknown_labels(truth, [said.classes for said in answers])
    numbers, fairness = judged_for_users(
        answers, table, named, truth, protected=protected, favourable=favourable, threshold=threshold, cost=cost
    )
    comparison = compare_answers(
        answers, table, named, truth, subgroups=asked, min_share=min_share, time_limit=time_limit
    )
    return replace(
        comparison, unknown=unknown, notes=tuple(uncovering(named, table)), numbers=numbers, fairness=fairness
    )


def require_judgeable(
    table: Table,
    labels: Labels,
    chances: bool,
    *,
    protected: Iterable[str] | str = (),
    favourable: Any = None,
    threshold: float | None = None,
    cost: Mapping[Any, Mapping[Any, float]] | None = None,
) -> None:
    """Refuse what models could not be judged by when they are trained.

    Parameters
    ----------
    table : Table
        Rows of the kind that they are judged on.

    labels : Labels
        All classes.

    chances : bool
        Whether the models have probabilities.

    protected, favourable, threshold, cost
        As for `compare_models`.

    Raises
    ------
    TableError, ModelError
        As there.
    """
    decision = Decision.of(labels, favourable=favourable, threshold=threshold, cost=cost)
    if not chances:
        decision.require_chances(None, "the model")
    texts = split(protected)
    protected_by(texts, table)
    if texts and decision.favourable is None:
        raise unsaid(labels, NO_FAVOURABLE)


def judged_for_users(
    answers: Sequence[Answers],
    table: Table,
    rules: RuleSet,
    truth: Labels | None,
    *,
    written: RuleSet | None = None,
    protected: Iterable[str] | str = (),
    favourable: Any = None,
    threshold: float | None = None,
    cost: Mapping[Any, Mapping[Any, float]] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[Numbers | None, Fairness | None]:
    """Judge what two models said of some rows in the numbers of their users, and by protected groups.

    Parameters
    ----------
    answers : two Answers
        What they said, before and after.

    table : Table
        The rows.

    rules : RuleSet
        What was wanted.

    truth : Labels or None
        The rows' labels, if they are known.

    written : RuleSet or None, default=None
        The rules before conflicts were resolved, if they were: a rule names no more columns than it was written with.

    protected, favourable, threshold, cost
        As for `compare_models`.

    draws, seed : int
        How many resamples intervals are made from, and where their chance comes from.

    Returns
    -------
    numbers, fairness : Numbers or None, Fairness or None
        None without labels, and where nothing is protected.
    """
    pair = Pair.of(answers, rules, truth)
    decision = Decision.of(pair.labels, favourable=favourable, threshold=threshold, cost=cost)
    for one, who in zip(pair.chances, answers, strict=True):
        decision.require_chances(one, who.who)
    asked = dict(zip(BEFORE_AFTER, map(Asked, pair.codes, pair.chances), strict=True))
    rows = pair.attributed(table, rules)
    covered = rows.owner >= 0
    numbers = None if truth is None else numbers_of(asked, truth.codes, covered, decision)
    texts = split(protected)
    if not texts:
        return numbers, None
    groups = protected_by(texts, table)
    if decision.favourable is None:
        raise unsaid(pair.labels, NO_FAVOURABLE)
    before, after = (decision.decided(*one) == decision.favourable for one in asked.values())
    own = None if truth is None else truth.codes == decision.favourable
    found = Rows(own, before, after, covered)
    fairness = fairness_of(groups, found, decision.classes[decision.favourable], draws=draws, seed=seed)
    columns = _columns_named(rules) | _columns_named(rules if written is None else written)
    told = notices(columns, groups, rows.owner, rows.ruling.names, found, seed=seed)
    return numbers, replace(fairness, notices=told, decided=decision.told)


def _columns_named(rules: RuleSet) -> dict[str, set[str]]:
    """Return the columns that each rule as written names."""
    return {origin: {name for rule in rules.pieces(origin) for name in rule.clause.columns} for origin in rules.origins}


def compare_answers(
    answers: Sequence[Answers],
    table: Table,
    rules: RuleSet,
    truth: Labels | None,
    *,
    subgroups: Sequence[str] = (),
    min_share: float = 0.002,
    time_limit: float | None = None,
) -> Comparison:
    """Compare what two models said of some rows.

    Parameters
    ----------
    answers : two Answers
        What they said, before and after.

    table : Table
        The rows.

    rules : RuleSet
        What was wanted.

    truth : Labels or None
        The rows' labels, if they are known.

    subgroups, min_share, time_limit
        As for `compare_models`.

    Returns
    -------
    Comparison
        Without notes, and without a word on labels that neither model knows.
    """
    pair = Pair.of(answers, rules, truth)
    classes, codes = pair.labels.classes, pair.codes
    own = None if truth is None else truth.codes  # its classes are the first ones known
    rows = pair.attributed(table, rules)
    agreed = [row_agreement(rows, predicted, own) for predicted in codes]
    changes = Changes(table, classes, codes[0], codes[1], parts(codes[0], codes[1], agreed[0], agreed[1]))
    regions = changes.regions(min_share, time_limit)
    judged = [] if own is None else _calibrations(pair.chances, own, codes)
    return Comparison(
        len(table),
        changes.by_row(regions, rows.named),
        changes.by_part(regions),
        changes.by_kind(regions),
        RuleSet(Rule(one.name, one.clause, Outcome.of(pair.labels.texts[one.kind.after])) for one in regions),
        changes.summary(regions),
        _per_rule(rows, agreed),
        _scores(rows, codes, own, agreed, judged),
        _reliability(judged),
        shifts(subgroups, table, classes, codes[0], codes[1], own),
    )


def _columns_asked(subgroups: Iterable[str] | str, schema: Schema) -> list[str]:
    """Return the names of the columns to part rows by, each once."""
    names = [subgroups] if isinstance(subgroups, str) else list(dict.fromkeys(map(str, subgroups)))
    for name in names:
        if name not in schema:
            raise TableError(f"subgroups: X has no column {name!r}. {nearest(name, schema.names)}")
    return names


def _per_rule(rows: Attribution, agreed: Sequence[NDArray[np.float64]]) -> pd.DataFrame:
    """Return for each rule its rows and the mean agreement of both predictions."""
    owned = [rows.rows_of(rule) for rule in range(len(rows.ruling.outcomes))]
    means = [[float(one[mine].mean()) if len(mine) else np.nan for mine in owned] for one in agreed]
    counts = np.array([len(mine) for mine in owned], dtype=np.intp)
    index = pd.Index(list(rows.ruling.names), name="rule", dtype="object")
    return pd.DataFrame({"rows": counts, **dict(zip(BEFORE_AFTER, means, strict=True))}, index=index)


def _calibrations(
    chances: Sequence[NDArray[np.float64] | None], own: NDArray[np.intp], codes: Sequence[NDArray[np.intp]]
) -> list[Calibration]:
    """Judge the models' probabilities; nothing if one of them has none."""
    given = [(predicted, one) for predicted, one in zip(codes, chances, strict=True) if one is not None]
    return [Calibration.of(own, *pair) for pair in given] if len(given) == len(chances) else []


def _scores(
    rows: Attribution,
    codes: Sequence[NDArray[np.intp]],
    own: NDArray[np.intp] | None,
    agreed: Sequence[NDArray[np.float64]],
    judged: Sequence[Calibration],
) -> pd.DataFrame:
    """Return all measures before and after, without those that say nothing."""
    lines: dict[str, list[float]] = {}
    if own is not None:
        scores = [scored(rows, predicted, own, own) for predicted in codes]
        lines["objective"] = [one.objective for one in scores]
        lines["agreement"] = [one.agreement for one in scores]
        lines["f1"] = [one.outside for one in scores]
        lines["f1_macro"] = [f1_outside(rows, predicted, own, "macro") for predicted in codes]
    elif not all(np.isnan(one).all() for one in agreed):
        lines["agreement"] = [float(np.nanmean(one)) for one in agreed]
    for measure in ("brier", "log_loss", "calibration_error") if judged else ():
        lines[measure] = [getattr(one, measure) for one in judged]
    table = pd.DataFrame.from_dict(lines, orient="index", columns=list(BEFORE_AFTER), dtype=float)
    return table.dropna(how="all").rename_axis("measure")


def _reliability(judged: Sequence[Calibration]) -> pd.DataFrame:
    if not judged:
        return pd.DataFrame(columns=["model", "low", "high", "rows", "confidence", "accuracy"])
    named = [one.bins.assign(model=name) for name, one in zip(BEFORE_AFTER, judged, strict=True)]
    together = pd.concat(named, ignore_index=True)
    return together[["model", *(name for name in together if name != "model")]]
