"""The check of a rule set: what the rules cover, whom they contradict, and what is wrong with them."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.coverage.answers import Answers
from frote.coverage.labels import Labels, unknown_labels
from frote.coverage.measures import agreement
from frote.coverage.reach import beyond_reach
from frote.coverage.ruling import Ruling
from frote.coverage.said import classes_of
from frote.exceptions import RuleError
from frote.generation.possible import able, impossible
from frote.layout import Column, as_lines, as_list, as_sentence, as_shown, as_table
from frote.rules.binding import bind, level_hint, require_fit, require_no_target, unseen_levels
from frote.rules.conflicts import Conflict, find_conflicts
from frote.rules.implication import implied_by
from frote.rules.masks import Masks, count
from frote.rules.text import column_text
from frote.rules.thousands import thousands
from frote.rules.values import value_text
from frote.table import Kind, Table
from frote.table.columns import labels_of
from frote.table.disguise import disguise
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import NDArray

    from frote.rules import Rule, RuleSet
    from frote.table import Schema

__all__ = ["RuleCheck", "check_rows", "check_rules"]

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
    return check_rows(rules, Masks(table), labels, answers, _meant(X))


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
        # Without labels, the model's own classes and the rules' labels are all there is to go by.
        model_classes = () if answers is None or answers.classes is None else answers.classes
        all_labels = Labels.known(tuple(dict.fromkeys((*map(str, model_classes), *rules.labels))))
    texts = all_labels.texts
    own = None if labels is None else labels.codes
    guess = None if answers is None else all_labels.codes_for(answers.predicted)

    ruling = Ruling.of(bind(rules, table.schema), texts)
    covered = ruling.on(masks).packed
    position_of = {name: position for position, name in enumerate(ruling.names)}
    once, twice = _depths(covered)
    conflicts = find_conflicts(rules, masks)
    fits = able(rules, table)
    possible = {rule.origin for rule, alive in zip(rules, fits, strict=True) if alive}
    dead = {rule.origin for rule, alive in zip(rules, fits, strict=True) if not alive} & possible
    lost = {one.rule: one.why for one in impossible(rules, table)} if len(possible) < len(ruling.names) else {}
    implied, untold = _implied_by(rules, table.schema)
    rivals_of = _rivals(conflicts)
    gaps = _gaps(ruling.rules, table)
    records = []
    for origin, outcome, bits in zip(ruling.names, ruling.outcomes, covered, strict=True):
        rivals = rivals_of.get(origin, ())
        spared = _spared(ruling.rules.pieces(origin), masks, gaps)
        mask = np.unpackbits(bits, count=len(table)).view(np.bool_)
        data_agreement = None if own is None else agreement(outcome, own[mask], own[mask], texts)
        records.append(
            {
                "rule": origin,
                "outcome": str(outcome),
                "rows": count(bits),
                "share": count(bits) / len(table) if len(table) else math.nan,
                "overlap": count(bits & twice),
                "conflicts": rivals,
                "conflict_rows": count(bits & _any(covered[position_of[rival]] for rival in rivals)) if rivals else 0,
                "implied_by": implied.get(origin, ""),
                "possible": origin in possible,
                "missing_in": count(spared & bits),
                "missing_out": count(spared & ~bits),
                "labels": {} if own is None else _counts(own[mask], texts),
                "contradicted": 0 if data_agreement is None else int((data_agreement == 0).sum()),
                "agreement": _mean(data_agreement),
                "model_agreement": _mean(
                    None
                    if guess is None
                    else agreement(outcome, guess[mask], None if own is None else own[mask], texts)
                ),
            }
        )
    frame = pd.DataFrame.from_records(records, index="rule") if records else _empty_frame()
    uncovering = frame.index[frame["rows"] == 0]
    reach = {origin: beyond_reach(ruling.rules.pieces(origin), masks) for origin in uncovering}
    advice = [
        *_conflict_advice(conflicts),
        *_rule_advice(frame, dead, lost, reach),
        *untold,
        *_unseen_advice(rules, table.schema, lost),
        *(f"{name}: {' '.join(said)}" for name, said in thousands(rules, table).items()),
        *_disguise_advice(table.schema, meant),
        *_data_advice(frame),
    ]
    return RuleCheck(frame, conflicts, advice, len(table), count(once))


def _empty_frame() -> pd.DataFrame:
    columns = (
        "outcome rows share overlap conflicts conflict_rows implied_by possible missing_in missing_out labels "
        "contradicted agreement model_agreement"
    )
    return pd.DataFrame(columns=pd.Index(columns.split()), index=pd.Index([], name="rule"))


def _rivals(conflicts: list[Conflict]) -> dict[str, tuple[str, ...]]:
    """Return the rules, as written, that each conflicts with."""
    rivals_of: dict[str, dict[str, None]] = {}
    for conflict in conflicts:
        one, other = conflict.first.origin, conflict.second.origin
        rivals_of.setdefault(one, {})[other] = None
        rivals_of.setdefault(other, {})[one] = None
    return {origin: tuple(rivals) for origin, rivals in rivals_of.items()}


def _implied_by(rules: RuleSet, schema: Schema) -> tuple[dict[str, str], list[str]]:
    """Return which rules can go since an earlier one says the same, and, where that takes too long to tell, a word."""
    try:
        return implied_by(rules, schema), []
    except RuleError:
        return {}, ["So many rules overlap that it was not looked into whether some say what others say already."]


def _depths(covered: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the rows that some rule covers, and those that more than one does."""
    once, twice = np.zeros((2, covered.shape[1]), dtype=np.uint8)
    for bits in covered:
        twice |= once & bits
        once |= bits
    return once, twice


def _any(several: Iterable[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return the rows that are in one of some masks."""
    return reduce(np.bitwise_or, several)


def _gaps(rules: RuleSet, table: Table) -> dict[str, NDArray[np.uint8]]:
    """Return the rows that have no value in a column, of those that rules name and that have such rows."""
    gaps = {name: table[name].missing for name in rules.columns}
    return {name: np.packbits(missing) for name, missing in gaps.items() if missing is not None}


def _spared(pieces: Iterable[Rule], masks: Masks, gaps: Mapping[str, NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return the rows that are covered, or left out, on account of missing values."""
    spared = np.zeros_like(masks.packed(()))
    for rule in pieces:
        named = [gaps[name] for name in rule.clause.columns if name in gaps]
        # Where nothing is missing nothing is spared; and if no row can satisfy it, no value in place of one would help.
        if not named or rule.clause.is_empty(masks.table.schema):
            continue
        rows = _any(named)
        for condition in rule.clause:
            met = masks.packed([condition])
            rows = rows & (met | gaps[condition[0]] if condition[0] in gaps else met)
        spared |= rows
    return spared


def _counts(codes: NDArray[np.intp], texts: tuple[str, ...]) -> dict[str, int]:
    """Count labels, the most frequent first."""
    counts = np.bincount(codes, minlength=len(texts))
    ranked = sorted((-int(count), text) for text, count in zip(texts, counts, strict=True) if count)
    return {text: -count for count, text in ranked}


def _mean(values: NDArray[np.float64] | None) -> float:
    return float(values.mean()) if values is not None and len(values) else math.nan


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


def _meant(X: Any) -> set[str]:
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
        for name, condition in rule.clause if rule.origin not in lost else ():
            column = schema[name]
            for value in unseen_levels(condition, column):
                said = f"{column_text(name)} never holds {value_text(value)}. {level_hint(value, column)}"
                advice[f"{rule.origin}: {said}"] = None
    return list(advice)
