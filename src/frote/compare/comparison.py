"""What changed between two models: a value that prints as a page for a person, and whose tables are for programs."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from frote.coverage.labels import NEITHER, Beyond
from frote.layout import Column, as_lines, as_list, as_sentence, as_shown, as_table, counted, decimals
from frote.plain import plain

if TYPE_CHECKING:
    import pandas as pd

    from frote.compare.rates import Fairness
    from frote.judging.trade import Numbers
    from frote.rules import Rule, RuleSet

__all__ = ["BEFORE_AFTER", "Comparison"]

BEFORE_AFTER = ("before", "after")
WIDTH = 116
NOWHERE = "in no region that a short rule can tell"

HEADINGS = {
    "intended": "As the rules want",
    "wrong": "Inside the rules, but not as they want",
    "unintended": "Outside the rules",
}
MEASURES = {
    "objective": "objective by coverage",
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
        Measures before and after: agreement; with labels also objective (that by coverage), f1 and f1_macro as `score`
        has them; and brier, log_loss and calibration_error if both models have probabilities, as scikit-learn defines
        them.

    reliability : DataFrame
        For both models and each tenth of confidence in the predicted class: rows, mean confidence, accuracy.

    subgroups : DataFrame
        For each group of the columns asked for, and each class: rows, the share of them that `changed`, F1 before and
        after, and the share that is predicted this class before and after, with the shift.

    unknown : Beyond
        Rows whose label neither model knows, and these labels; such rows count as mistakes of both.

    notes : tuple of str
        Which rules cover nothing, or less than they name, since they ask for what these rows cannot have.

    numbers : Numbers or None
        With labels, the numbers that users of such models lead with, such as AUC, KS, precision and recall: outside the
        rules, inside, and on all rows.

    fairness : Fairness or None
        If something is protected, how often its groups get the favourable label.

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
    numbers: Numbers | None = None
    fairness: Fairness | None = None

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
        judged = {
            name: None if found is None else found.to_dict()
            for name, found in (("numbers", self.numbers), ("fairness", self.fairness))
        }
        return {"notes": list(self.notes), "rows": self.rows, "unknown": unknown, **lists, **judged}

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
        # Without rules the objective by coverage is F1 itself.
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


def _wrapped(text: str, indent: int) -> list[str]:
    first, others = " " * indent, " " * (indent + 3)
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )


def _numbers(frame: pd.DataFrame) -> dict[str, list[str]]:
    return {name: decimals(frame[name]) for name in BEFORE_AFTER}
