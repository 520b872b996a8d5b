"""The check of a rule set: what the rules cover, whom they contradict, and what is wrong with them."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.coverage.answers import Answers
from frote.coverage.labels import Labels, unknown_labels
from frote.coverage.measures import agreement
from frote.coverage.reach import beyond_reach
from frote.coverage.said import classes_of
from frote.coverage.tally import Counting, agreed_on_mean
from frote.exceptions import RuleError
from frote.generation.possible import able, impossible
from frote.layout import Column, as_lines, as_list, as_sentence, as_shown, as_table
from frote.rules.binding import level_hint, require_fit, require_no_target, unseen_levels
from frote.rules.implication import implied_by
from frote.rules.masks import Masks
from frote.rules.text import column_text
from frote.rules.thousands import advice_on
from frote.rules.values import value_text
from frote.table import Kind, Table
from frote.table.columns import labels_of
from frote.table.disguise import disguise
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import NDArray

    from frote.coverage.reach import Ends
    from frote.coverage.tally import Tally
    from frote.rules import Outcome, RuleSet
    from frote.rules.conflicts import Conflict
    from frote.table import Schema

__all__ = ["Known", "RuleCheck", "check_rows", "check_rules", "labels_to_go_by", "meant_as_categories", "told_by"]

DISGUISED = 3  # columns in disguise that are named


@dataclass(frozen=True, slots=True, eq=False)
class RuleCheck:
    """What a check of rules against data found. It prints as a table with advice.

    Parameters
    ----------
    frame : DataFrame
        One line per rule as written: outcome, rows, share, overlap (rows that another rule covers too), conflicts
        (rules it conflicts with), conflict_rows, implied_by (an earlier rule of the same outcome that covers all it
        can cover), possible, missing_in (rows covered with a value missing that a condition asks for), missing_out
        (rows left out only because values are missing), labels (in the covered rows), contradicted (covered rows
        whose label the outcome rules out), agreement (of the data's labels with the rule) and model_agreement.

    conflicts : list of Conflict
        Every pair of rules that conflict.

    advice : list of str
        What to look at, in words.

    rows : int
        The number of rows checked.

    covered : int
        The number of rows that any rule covers.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> rules = frote.parse_rules("young: IF age < 29 THEN approved")
    >>> print(rules.check(pd.DataFrame({"age": [25, 28, 40]}), ["denied", "approved", "approved"]))
    1 rule covers 2 of 3 rows (66.7%).
    <BLANKLINE>
    rule   outcome   rows  share  overlap  data agrees  labels in coverage
    young  approved     2  66.7%        0        50.0%  approved 1, denied 1
    <BLANKLINE>
    - Labels that a rule rules out, to be relabelled or dropped, are in young (1).
    """

    frame: pd.DataFrame
    conflicts: list[Conflict]
    advice: list[str]
    rows: int
    covered: int

    @property
    def ok(self) -> bool:
        """Whether the rules can be used as they are, none in conflict and none impossible."""
        return not self.conflicts and bool(self.frame["possible"].all())

    def __str__(self) -> str:
        lines = [self._headline(), "", *(as_lines(_columns(self.frame)) if len(self.frame) else ["(no rules)"])]
        if self.advice:
            lines += [
                "",
                *(textwrap.fill(line, 116, initial_indent="- ", subsequent_indent="  ") for line in self.advice),
            ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        table = as_table(_columns(self.frame)) if len(self.frame) else ""
        return as_shown(as_sentence(self._headline()), table, as_list(self.advice))

    def _headline(self) -> str:
        count = len(self.frame)
        share = _percent(self.covered / self.rows) if self.rows else "none"
        noun = "rule covers" if count == 1 else "rules cover"
        return f"{count} {noun} {self.covered:,} of {self.rows:,} rows ({share})."


def check_rules(
    rules: RuleSet, X: Any, y: Any = None, model: Any = None, levels: Mapping[str, Iterable[Any]] | None = None
) -> RuleCheck:
    """Check rules against data; see `RuleSet.check`."""
    table = Table.from_frame(X, levels=levels)
    labels = None if y is None else Labels.of(y, len(table))
    require_no_target(rules, table.schema, getattr(y, "name", None))
    require_fit(rules, table.schema, None if labels is None else labels.classes)
    if labels is not None and model is not None:
        unknown_labels(labels, [classes_of(model)])
    answers = None if model is None else Answers.of(model, X)
    return check_rows(rules, Masks(table), labels, answers, meant_as_categories(X))


def check_rows(
    rules: RuleSet,
    masks: Masks,
    labels: Labels | None = None,
    answers: Answers | None = None,
    meant: Collection[str] = (),
) -> RuleCheck:
    """Check rules against rows.

    Whoever checks rules that change again and again, on the same rows, keeps the masks: then one changed rule costs
    its own conditions.

    Parameters
    ----------
    rules : RuleSet
        The rules; they fit the rows and the labels.

    masks : Masks
        The rows, with what is known of them.

    labels : Labels or None, default=None
        Their labels.

    answers : Answers or None, default=None
        What a model says of them.

    meant : collection of str, default=()
        Columns that the caller made categories of, whatever their texts look like.

    Returns
    -------
    RuleCheck
    """
    table, all_labels = masks.table, labels
    if all_labels is None:
        all_labels = labels_to_go_by(rules, None if answers is None else answers.classes)
    counting = Counting.of(rules, table.schema, all_labels.texts)
    own = None if labels is None else labels.codes
    guess = None if answers is None else all_labels.codes_for(answers.predicted)
    known = Known(own is not None, guess is not None)
    return told_by(rules, table, counting, counting.tally(masks, own, guess), known, partial(_ends, table), meant)


@dataclass(frozen=True, slots=True)
class Known:
    """Whether the labels of rows are known, and what a model answers."""

    labels: bool
    answers: bool


def labels_to_go_by(rules: RuleSet, classes: Iterable[Any] | None) -> Labels:
    """Return the labels that there are to go by where rows have none: a model's own classes, and those of the rules."""
    return Labels.known(tuple(dict.fromkeys((*map(str, classes or ()), *rules.labels))))


def _ends(table: Table, name: str) -> tuple[Any, Any] | None:
    present = table[name].present
    return (present.min().item(), present.max().item()) if len(present) else None


def told_by(
    rules: RuleSet,
    table: Table,
    counting: Counting,
    tally: Tally,
    known: Known,
    ends: Ends,
    meant: Collection[str] = (),
) -> RuleCheck:
    """Tell what rows say of rules that were counted.

    Parameters
    ----------
    rules : RuleSet
        The rules as they were written.

    table : Table
        Rows with the types of those that were counted, all of them or a few.

    counting, tally : Counting, Tally
        What was to be counted, and the counts.

    known : Known
        What is known of the rows.

    ends : callable
        Returns the least and the greatest value of a column by its name; None if it has none.

    meant : collection of str, default=()
        As for `check_rows`.

    Returns
    -------
    RuleCheck
    """
    ruling, texts, rows = counting.ruling, counting.ruling.classes, int(tally.rows)
    conflicts = [replace(one, rows=int(n)) for one, n in zip(counting.conflicts, tally.pairs, strict=True)]
    fits = able(rules, table)
    possible = {rule.origin for rule, alive in zip(rules, fits, strict=True) if alive}
    dead = {rule.origin for rule, alive in zip(rules, fits, strict=True) if not alive} & possible
    lost = {one.rule: one.why for one in impossible(rules, table)} if len(possible) < len(ruling.names) else {}
    implied, untold = _implied_by(rules, table.schema)
    rivals_of = counting.rivals
    records = []
    for place, (origin, outcome) in enumerate(zip(ruling.names, ruling.outcomes, strict=True)):
        covered, overlap, in_conflict, missing_in, missing_out = tally.per_rule[place].tolist()
        counts = tally.answers[place]
        labels = counts.sum(axis=1)[:-1] if known.labels else None
        records.append(
            {
                "rule": origin,
                "outcome": str(outcome),
                "rows": covered,
                "share": covered / rows if rows else math.nan,
                "overlap": overlap,
                "conflicts": rivals_of.get(origin, ()),
                "conflict_rows": in_conflict,
                "implied_by": implied.get(origin, ""),
                "possible": origin in possible,
                "missing_in": missing_in,
                "missing_out": missing_out,
                "labels": {} if labels is None else _ranked(labels, texts),
                "contradicted": 0 if labels is None else _contradicted(outcome, labels, texts),
                "agreement": math.nan if labels is None else agreed_on_mean(outcome, _alike(labels), texts),
                "model_agreement": (
                    agreed_on_mean(outcome, counts, texts, own_known=known.labels) if known.answers else math.nan
                ),
            }
        )
    frame = pd.DataFrame.from_records(records, index="rule") if records else _empty_frame()
    uncovering = frame.index[frame["rows"] == 0]
    unmet = {one for one, rows_met in zip(ruling.conditions.distinct, tally.met, strict=True) if not rows_met}
    reach = {origin: beyond_reach(ruling.rules.pieces(origin), table.schema, unmet, ends) for origin in uncovering}
    thousands = advice_on(zip(counting.dotted, tally.sizes.tolist(), strict=True))
    advice = [
        *_conflict_advice(conflicts),
        *_rule_advice(frame, dead, lost, reach),
        *untold,
        *_unseen_advice(rules, table.schema, lost),
        *(f"{name}: {' '.join(said)}" for name, said in thousands.items()),
        *_disguise_advice(table.schema, meant),
        *_data_advice(frame),
    ]
    return RuleCheck(frame, conflicts, advice, rows, int(tally.covered))


def _alike(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return counts of labels as those of rows that were answered with their own."""
    return np.diag(np.append(labels, 0))


def _contradicted(outcome: Outcome, labels: NDArray[np.int64], texts: tuple[str, ...]) -> int:
    """Count the labels that an outcome rules out."""
    codes = np.arange(len(texts))
    return int(labels[agreement(outcome, codes, codes, texts) == 0].sum())


def _empty_frame() -> pd.DataFrame:
    columns = (
        "outcome rows share overlap conflicts conflict_rows implied_by possible missing_in missing_out labels "
        "contradicted agreement model_agreement"
    )
    return pd.DataFrame(columns=pd.Index(columns.split()), index=pd.Index([], name="rule"))


def _implied_by(rules: RuleSet, schema: Schema) -> tuple[dict[str, str], list[str]]:
    """Return which rules can go since an earlier one says the same, and, where that takes too long to tell, a word."""
    try:
        return implied_by(rules, schema), []
    except RuleError:
        return {}, ["So many rules overlap that it was not looked into whether some say what others say already."]


def _ranked(labels: NDArray[np.int64], texts: tuple[str, ...]) -> dict[str, int]:
    """Return counts of labels, the most frequent first."""
    ranked = sorted((-int(count), text) for text, count in zip(texts, labels, strict=True) if count)
    return {text: -count for count, text in ranked}


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f}%"


def _columns(frame: pd.DataFrame) -> list[Column]:
    """Write the table in texts; what no rule has anything to say on is left out."""
    columns = [
        Column("rule", [str(name) for name in frame.index]),
        Column("outcome", frame["outcome"].tolist()),
        Column("rows", [f"{count:,}" for count in frame["rows"]], right=True),
        Column("share", [_percent(share) for share in frame["share"]], right=True),
        Column("overlap", [f"{count:,}" for count in frame["overlap"]], right=True),
    ]
    for column, title in (("agreement", "data agrees"), ("model_agreement", "model agrees")):
        if frame[column].notna().any():
            columns.append(Column(title, [_percent(share) for share in frame[column]], right=True))
    if frame["labels"].any():
        counted = [", ".join(f"{label} {count:,}" for label, count in counts.items()) for counts in frame["labels"]]
        columns.append(Column("labels in coverage", counted))
    notes = [_note(row) for _, row in frame.iterrows()]
    return [*columns, Column("notes", notes)] if any(notes) else columns


def _note(row: pd.Series[Any]) -> str:
    notes = []
    if not row["possible"]:
        notes.append("impossible")
    if row["conflicts"]:
        notes.append("conflicts with " + ", ".join(row["conflicts"]))
    if row["implied_by"]:
        notes.append(f"implied by {row['implied_by']}")
    return "; ".join(notes)


def _conflict_advice(conflicts: list[Conflict]) -> list[str]:
    if not conflicts:
        return []
    shown = [str(conflict) for conflict in conflicts[:5]]
    if len(conflicts) > 5:
        shown.append(f"{len(conflicts) - 5} more pairs conflict; see `conflicts`")
    how = way_out('rules.resolve("exclude"), "mix" or "priority"', "--resolve exclude, mix or priority")
    return [*(f"{text}." for text in shown), f"Resolve conflicts with {how}."]


def _rule_advice(frame: pd.DataFrame, dead: set[str], lost: Mapping[str, str], reach: Mapping[str, str]) -> list[str]:
    advice = []
    for name, row in frame.iterrows():
        if not row["possible"]:
            advice.append(f"{name}: no row can satisfy it: {lost[str(name)]}")
            continue
        if name in dead:
            advice.append(f"{name}: one of its alternatives can never hold in these columns.")
        if row["implied_by"]:
            advice.append(f"{name}: {row['implied_by']} says the same of all that it covers; it can go.")
        if row["rows"] == 0:
            alone = f"{name}: covers no row, so what it wants must be learned from synthetic rows alone."
            advice.append(" ".join(filter(None, (alone, reach[str(name)]))))
        elif row["share"] == 1:
            advice.append(f"{name}: covers every row.")
    return advice


def _data_advice(frame: pd.DataFrame) -> list[str]:
    """Say which rows the rules stand against, and where missing values decide."""
    advice = []
    against = frame[frame["contradicted"] > 0]
    if len(against):
        advice.append(
            f"Labels that a rule rules out, to be relabelled or dropped, are in {_listed(against['contradicted'])}."
        )
    inside, outside = frame[frame["missing_in"] > 0], frame[frame["missing_out"] > 0]
    if len(inside):
        advice.append(
            f"A value that a condition asks for is missing in rows covered by {_listed(inside['missing_in'])}."
        )
    if len(outside):
        advice.append(
            f"Only a missing value keeps rows out of {_listed(outside['missing_out'])}; "
            "OR ... IS MISSING would cover them."
        )
    return advice


def _listed(counts: pd.Series[int]) -> str:
    return ", ".join(f"{name} ({count:,})" for name, count in counts.items())


def meant_as_categories(X: Any) -> set[str]:
    """Return the columns of a frame that its maker made categories of."""
    labels = labels_of(X) or {}
    return {name for name, label in labels.items() if str(X[label].dtype).lower().startswith(("categor", "enum"))}


def _disguise_advice(schema: Schema, meant: Collection[str]) -> list[str]:
    """Name the columns whose texts seem to be numbers or dates, unless the caller made categories of them."""
    disguised = []
    for column in schema:
        texts = [level for level in column.levels if isinstance(level, str)]
        kind = disguise(texts) if column.kind is Kind.CATEGORICAL and column.name not in meant else ""
        if kind:
            disguised.append((column.name, kind, texts[0]))
    advice = [
        f"Column {name!r} is taken for categories, and seems to hold {kind}, such as {text!r}. If so, convert it first."
        for name, kind, text in disguised[:DISGUISED]
    ]
    return [*advice, *([f"So are {len(disguised) - DISGUISED} columns more."] if len(disguised) > DISGUISED else [])]


def _unseen_advice(rules: RuleSet, schema: Schema, lost: Mapping[str, str]) -> list[str]:
    """Name the values that rules ask for and their columns never hold, but for rules that are lost for it."""
    advice: dict[str, None] = {}
    for rule in rules:
        for name, condition in rule.clause.alone if rule.origin not in lost else ():
            column = schema[name]
            for value in unseen_levels(condition, column):
                said = f"{column_text(name)} never holds {value_text(value)}. {level_hint(value, column)}"
                advice[f"{rule.origin}: {said}"] = None
    return list(advice)
