"""What changed between two models, as rules: intended, wrong and unintended changes, and how good they are."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.compare.calibration import Calibration
from frote.compare.changes import Changes
from frote.compare.parts import parts
from frote.compare.subgroups import shifts
from frote.coverage.answers import Answers
from frote.coverage.labels import NEITHER, Beyond, Labels, unknown_labels
from frote.coverage.measures import f1_outside, row_agreement, scored
from frote.coverage.ruling import Ruling
from frote.estimators.given_rules import as_rules
from frote.estimators.input import require_rows, typed
from frote.exceptions import ModelError, TableError, nearest
from frote.generation.possible import uncovering
from frote.layout import Column, as_lines, as_list, as_sentence, as_shown, as_table, counted, decimals
from frote.plain import plain
from frote.rules import Outcome, Rule, RuleSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution
    from frote.table import Schema, Table

__all__ = ["Comparison", "compare_answers", "compare_models"]

BEFORE_AFTER = ("before", "after")
WIDTH = 116
NOWHERE = "in no region that a short rule can tell"

HEADINGS = {
    "intended": "As the rules want",
    "wrong": "Inside the rules, but not as they want",
    "unintended": "Outside the rules",
}
MEASURES = {
    "objective": "objective",
    "agreement": "agreement with the rules",
    "f1": "F1",
    "f1_macro": "macro F1",
    "brier": "Brier score",
    "log_loss": "log loss",
    "calibration_error": "calibration error",
}


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What changed between two models. It prints as a page for a person; its tables are for programs.

    A change is *intended* if a rule covers the row and the new prediction agrees better than the old one with the rule
    that the row is attributed to; *wrong* if a rule covers the row and that is not so; *unintended* if none covers it.
    Without rules every change is unintended.

    Parameters
    ----------
    rows : int
        The number of rows that both models were asked about.

    changed : DataFrame
        A line for each row that is predicted otherwise, by its position: the labels before and after, the part
        (intended, wrong, unintended), the rule that it is attributed to, and the first region of its kind that it
        lies in; empty texts for none.

    parts : DataFrame
        For each part the number of rows, their share of all rows, and the share of them that regions explain.

    changes : DataFrame
        The same for each kind of change: part, label before, label after; with the number of regions.

    regions : RuleSet
        Where predictions changed, as rules that name the new label. Each belongs to one kind of change and is named
        by its part, such as ``unintended 1``.

    summary : DataFrame
        For each region its part, the labels before and after, the rows inside and their share of all rows,
        ``before_rows`` (those to which the first model gave the label before), `changed` (those that changed so, in
        this part), precision (changed / rows), rate (changed / before_rows) and recall (changed / all such changes).

    agreement : DataFrame
        For each rule as written the rows attributed to it, and how far both models' predictions agree with it.

    scores : DataFrame
        Measures before and after: agreement; with labels also objective, f1 and f1_macro as `score` has them; and
        brier, log_loss and calibration_error if both models have probabilities. The Brier score is a sum over all
        classes, from 0 to 2.

    reliability : DataFrame
        For both models and each tenth of confidence in the predicted class: rows, mean confidence, accuracy.

    subgroups : DataFrame
        For each group of the columns asked for, and each class: rows, the share of them that `changed`, F1 before and
        after, and the share that is predicted this class before and after, with the shift.

    unknown : Beyond
        Rows whose label neither model knows, and these labels; such rows count as mistakes of both.

    notes : tuple of str
        Which rules cover nothing, or less than they name, since they ask for what these rows cannot have.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> model = frote.default_pipeline().fit(loans.X, loans.y)
    >>> print(frote.compare_models(model, model, loans.X))
    No row of 500 is predicted otherwise.
    """

    rows: int
    changed: pd.DataFrame
    parts: pd.DataFrame
    changes: pd.DataFrame
    regions: RuleSet
    summary: pd.DataFrame
    agreement: pd.DataFrame
    scores: pd.DataFrame
    reliability: pd.DataFrame
    subgroups: pd.DataFrame
    unknown: Beyond = field(default_factory=Beyond)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all but the single rows as lists and numbers that JSON can hold.

        Examples
        --------
        >>> import json
        >>> import frote
        >>> loans = frote.datasets.load_loans(500)
        >>> model = frote.default_pipeline().fit(loans.X, loans.y)
        >>> json.dumps(frote.compare_models(model, model, loans.X).to_dict()["parts"][0])
        '{"part": "intended", "rows": 0, "share": 0.0, "explained": null}'
        """
        frames = {
            "parts": self.parts.reset_index(),
            "changes": self.changes,
            "regions": self.summary.assign(rule=list(map(str, self.regions))).reset_index(),
            "agreement": self.agreement.reset_index(),
            "scores": self.scores.reset_index(),
            "reliability": self.reliability,
            "subgroups": self.subgroups,
        }
        unknown = {"rows": self.unknown.rows, "labels": list(self.unknown.texts)}
        lists = {name: plain(frame.to_dict("records")) for name, frame in frames.items()}
        return {"notes": list(self.notes), "rows": self.rows, "unknown": unknown, **lists}

    def __str__(self) -> str:
        lines = [*self.notes, self._headline()]
        for part, heading in self._headings():
            lines += ["", heading] if heading else [""]
            lines += self._changes_of(part)
        for columns in self._tables():
            lines += ["", *as_lines(columns)]
        return "\n".join([*lines, *self._strange()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        changes = [as_table(self._changes_in(part), heading) for part, heading in self._headings()]
        sentences = map(as_sentence, self._strange())
        notes, headline = as_list(self.notes), as_sentence(self._headline())
        return as_shown(notes, headline, *changes, *map(as_table, self._tables()), *sentences)

    def _strange(self) -> list[str]:
        """Say which labels neither model knows, if there are such."""
        return list(filter(None, [self.unknown.told(NEITHER)]))

    def _headings(self) -> list[tuple[str, str]]:
        """Return the parts in which something changed, and what stands above each; nothing without rules."""
        ruled = len(self.agreement) > 0
        return [
            (part, f"{HEADINGS[part]}: {counted(rows, 'row')} ({share:.1%})" if ruled else "")
            for part, rows, share in self.parts[["rows", "share"]].itertuples(name=None)
            if rows
        ]

    def _tables(self) -> list[list[Column]]:
        """Return what is told in numbers: agreement, scores, subgroups."""
        tables = []
        ruled = len(self.agreement) > 0
        if ruled:
            counts = [f"{rows:,}" for rows in self.agreement["rows"]]
            names = list(map(str, self.agreement.index))
            tables.append({"agreement with": names, "rows": counts, **_numbers(self.agreement)})
        # Without rules the objective is F1 itself.
        scores = self.scores if ruled else self.scores.drop(index="objective", errors="ignore")
        if len(scores):
            places = {"f1": " outside the rules", "f1_macro": " outside the rules"} if ruled else {}
            names = [MEASURES[measure] + places.get(measure, "") for measure in scores.index]
            tables.append({"": names, **_numbers(scores)})
        if len(self.subgroups):
            tables.append(self._shifts())
        # The first column to the left, and numbers to the right.
        return [
            [Column(title, cells, right=place > 0) for place, (title, cells) in enumerate(table.items())]
            for table in tables
        ]

    def _headline(self) -> str:
        count = len(self.changed)
        if not count:
            return f"No row of {self.rows:,} is predicted otherwise."
        verb = "is" if count == 1 else "are"
        text = f"{count:,} of {self.rows:,} rows {verb} predicted otherwise ({count / self.rows:.1%})"
        if not len(self.agreement):
            return f"{text}."
        intended, wrong, unintended = self.parts["rows"]
        return f"{text}: {intended:,} as the rules want, {wrong:,} inside them but not so, {unintended:,} outside."

    def _changes_of(self, part: str) -> list[str]:
        """Say what changed in a part, label by label, and where."""
        lines = []
        for change, regions in self._kinds_of(part):
            remark = "" if regions else f", {NOWHERE}"
            lines.append(f"  {change.before} -> {change.after}: {counted(change.rows, 'row')}{remark}")
            for rule, region in regions:
                lines += _wrapped(f"IF {rule.clause}", indent=4)
                lines.append(
                    f"      {counted(region.rows, 'row')}, {region.before_rows:,} of them {region.before} before: "
                    f"{region.changed:,} ({region.rate:.0%}) changed so, {region.recall:.0%} of this change"
                )
        return lines

    def _changes_in(self, part: str) -> list[Column]:
        """Put the same into a table: a line for each kind of change, and below it one for each of its regions."""
        lines = []
        for change, regions in self._kinds_of(part):
            kind = f"{change.before} \u2192 {change.after}"
            lines.append((kind, "everywhere" if regions else NOWHERE, "", "", f"{change.rows:,}", ""))
            for rule, region in regions:
                counts = f"{region.rows:,}", f"{region.before_rows:,}", f"{region.changed:,} ({region.rate:.0%})"
                lines.append(("", f"IF {rule.clause}", *counts, f"{region.recall:.0%}"))
        titles = ("change", "where", "rows inside", "had that label", "changed so", "of this change")
        columns = zip(titles, zip(*lines, strict=True), strict=True)
        return [Column(title, cells, right=place > 1) for place, (title, cells) in enumerate(columns)]

    def _kinds_of(self, part: str) -> list[tuple[Any, list[tuple[Rule, Any]]]]:
        """Return the kinds of change in a part, each with its regions."""
        regions = [
            (rule, region)
            for rule, region in zip(self.regions, self.summary.itertuples(), strict=True)
            if region.part == part
        ]
        return [
            (change, [one for one in regions if (one[1].before, one[1].after) == (change.before, change.after)])
            for change in self.changes[self.changes["part"] == part].itertuples()
        ]

    def _shifts(self) -> dict[str, list[str]]:
        """Return a line for each group."""
        groups = [lines for _, lines in self.subgroups.groupby(["column", "group"], sort=False)]
        firsts = [lines.iloc[0] for lines in groups]
        columns = {
            "group": [first["group"] for first in firsts],
            "rows": [f"{first['rows']:,}" for first in firsts],
            "changed": [f"{first['changed']:.1%}" for first in firsts],
        }
        if self.subgroups["f1_before"].notna().any():
            columns["F1 before"] = [f"{first['f1_before']:.3f}" for first in firsts]
            columns["after"] = [f"{first['f1_after']:.3f}" for first in firsts]
        for label in dict.fromkeys(self.subgroups["label"]):
            moved = [lines.loc[lines["label"] == label, "shift"].iloc[0] for lines in groups]
            columns[f"share of {label}"] = [f"{100 * shift:+.1f} points" if shift else "" for shift in moved]
        return columns


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
) -> Comparison:
    """Tell what changed between two models, as rules: where predictions differ, and whether that was intended.

    Parameters
    ----------
    before, after : fitted classifiers
        The models; each gets its own columns of `X`, in its own order, and all of an array's. Their classes are matched
        by value, or else by text.

    X : pandas or polars DataFrame, or array
        Rows to compare them on, best such as neither was trained on.

    rules : RuleSet, rule text, path of a rule file, or rules, default=()
        What was wanted. A row that several rules cover counts for the first.

    y : array-like, default=None
        The rows' labels; with them objective, F1 and calibration are compared too.

    subgroups : columns' names, default=()
        Columns in whose groups to look for shifts: each level, or each quarter of numbers or dates.

    min_share : float, default=0.002
        What a region must explain to be told: so many more rows that changed than rows that did not, as a share of
        all rows, and five rows at least; a quarter more for each of its conditions.

    time_limit : float or None, default=None
        Seconds after which the best regions so far are taken; then they depend on how busy the machine is. With
        ``None`` all work is bounded by counts.

    Returns
    -------
    Comparison

    Raises
    ------
    TableError
        If X has no rows or lacks a column of a model, `subgroups` names a column that X lacks, one model predicts
        texts and the other numbers that are none of them, or y is written in another way than their classes.

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
    rows = typed(X)
    table = rows.table
    require_rows(len(table))
    asked = _columns_asked(subgroups, table.schema)
    truth = None if y is None else Labels.of(y, len(table))
    named = as_rules(rules)
    models = {"the first model": before, "the second model": after}
    # Probabilities can be judged by labels alone, and compared if both models have them.
    chances = y is not None and all(hasattr(model, "predict_proba") for model in models.values())
    answers = [Answers.of(model, rows, chances=chances, whose=whose) for whose, model in models.items()]
    unknown = Beyond() if truth is None else unknown_labels(truth, [said.classes for said in answers])
    comparison = compare_answers(
        answers, table, named, truth, subgroups=asked, min_share=min_share, time_limit=time_limit
    )
    return replace(comparison, unknown=unknown, notes=tuple(uncovering(named, table)))


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
    said = [_said(one, which) for one, which in zip(answers, ("first", "second"), strict=True)]
    all_labels = _all_classes(answers, said, truth, rules)
    codes = [np.array(all_labels.match(labels.classes), dtype=np.intp)[labels.codes] for labels in said]
    own = None if truth is None else truth.codes  # its classes are the first ones known
    rows = Ruling.of(rules.bind(table.schema, all_labels.classes), all_labels.texts).on(table)
    agreed = [row_agreement(rows, predicted, own) for predicted in codes]
    changes = Changes(table, all_labels.classes, codes[0], codes[1], parts(codes[0], codes[1], agreed[0], agreed[1]))
    regions = changes.regions(min_share, time_limit)
    judged = [] if own is None else _calibrations(answers, all_labels, own, codes)
    return Comparison(
        len(table),
        changes.by_row(regions, rows.named),
        changes.by_part(regions),
        changes.by_kind(regions),
        RuleSet(Rule(one.name, one.clause, Outcome.of(all_labels.texts[one.kind.after])) for one in regions),
        changes.summary(regions),
        _per_rule(rows, agreed),
        _scores(rows, codes, own, agreed, judged),
        _reliability(judged),
        shifts(subgroups, table, all_labels.classes, codes[0], codes[1], own),
    )


def _columns_asked(subgroups: Iterable[str] | str, schema: Schema) -> list[str]:
    """Return the names of the columns to part rows by, each once."""
    names = [subgroups] if isinstance(subgroups, str) else list(dict.fromkeys(map(str, subgroups)))
    for name in names:
        if name not in schema:
            raise TableError(f"subgroups: X has no column {name!r}. {nearest(name, schema.names)}")
    return names


def _said(answers: Answers, which: str) -> Labels:
    """Return what a model predicts as labels."""
    return Labels.of(answers.predicted, what=f"The {which} model's prediction")


def _all_classes(answers: Sequence[Answers], said: Sequence[Labels], truth: Labels | None, rules: RuleSet) -> Labels:
    """Put together the classes of the labels, of both models and, where models do not tell theirs, of the rules."""
    sides = [[*(one.classes or ()), *labels.classes] for one, labels in zip(answers, said, strict=True)]
    first, second = map(Labels.known, sides)
    unlike = isinstance(first.classes[0], str) != isinstance(second.classes[0], str)
    if unlike and all(code < 0 for code in first.match(second.classes)):
        raise TableError(
            f"The first model predicts {said[0].classes[0]!r} and the second {said[1].classes[0]!r}: no class of one "
            "is a class of the other. Give both the same kind of labels."
        )
    classes_told = truth is not None or all(one.classes is not None for one in answers)
    together = Labels.known(() if truth is None else truth.classes)
    for more in (*sides, () if classes_told else rules.labels):
        together = together.joined(Labels.known(more))
    return together


def _per_rule(rows: Attribution, agreed: Sequence[NDArray[np.float64]]) -> pd.DataFrame:
    """Return for each rule its rows and the mean agreement of both predictions."""
    owned = [rows.rows_of(rule) for rule in range(len(rows.ruling.outcomes))]
    means = [[float(one[mine].mean()) if len(mine) else np.nan for mine in owned] for one in agreed]
    counts = np.array([len(mine) for mine in owned], dtype=np.intp)
    index = pd.Index(list(rows.ruling.names), name="rule", dtype="object")
    return pd.DataFrame({"rows": counts, **dict(zip(BEFORE_AFTER, means, strict=True))}, index=index)


def _calibrations(
    answers: Sequence[Answers], all_labels: Labels, own: NDArray[np.intp], codes: Sequence[NDArray[np.intp]]
) -> list[Calibration]:
    """Judge the models' probabilities; nothing if one of them has none."""
    calibrations = []
    for one, predicted in zip(answers, codes, strict=True):
        given = one.chances
        if given is None or one.classes is None:
            return []
        columns = all_labels.match(one.classes)
        if given.shape != (len(own), len(columns)):
            raise ModelError(
                f"predict_proba of {one.who} gives an array of shape {given.shape} for {len(own):,} rows "
                f"and {len(columns)} classes."
            )
        chances = np.zeros((len(own), len(all_labels.classes)))
        chances[:, columns] = given.clip(0, 1)  # beyond them by rounding alone
        sums = chances.sum(axis=1, keepdims=True)
        if given.dtype.itemsize < chances.dtype.itemsize and np.allclose(sums, 1, atol=1e-4):
            chances /= sums  # scikit-learn would say of single precision that it does not sum to 1
        calibrations.append(Calibration.of(own, predicted, chances))
    return calibrations


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


def _wrapped(text: str, indent: int) -> list[str]:
    first, others = " " * indent, " " * (indent + 3)
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )


def _numbers(frame: pd.DataFrame) -> dict[str, list[str]]:
    return {name: decimals(frame[name]) for name in BEFORE_AFTER}
