"""What an edit would do, at the price of one fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.estimators.given_rules import left_out
from frote.layout import Column, as_list, as_sentence, as_shown, as_table, decimals
from frote.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.coverage.measures import Scores
    from frote.coverage.ruling import Attribution
    from frote.estimators.prepared import Prepared
    from frote.loop.engine import EditLoop

__all__ = ["Changes", "Preview", "make_preview"]

RULES = ["covered", "attributed", "relabelled", "dropped", "relaxed", "agreement", "first_batch", "first_twins"]
CHANGES = ["rule", "what", "old_label", "new_label", "rows"]
POINTS = ["agreement", "loss"]


@dataclass(frozen=True, slots=True, eq=False)
class Preview:
    """What an edit would do. It prints as a page.

    Parameters
    ----------
    rules : DataFrame
        One line per rule as written: covered (rows that it covers), attributed (of them, those that no earlier rule
        covers), relabelled, dropped, relaxed (the conditions left out to find base rows, as text), agreement (of the
        first model), first_batch (synthetic rows that would be tried first), first_twins (how many twins of these).

    changes : DataFrame
        How many rows would be relabelled or dropped: rule, what, old_label, new_label (None if dropped), rows.

    rows : int
        The rows of the data.

    objective : float
        The training objective of the first model, trained on the modified data.

    seconds : float
        What one batch takes, by one timed fit.

    most_batches : int
        How many batches may be tried at most.

    likely_batches : int
        How many would be tried if every batch were accepted until no more rows may be added, and then as many as
        patience allows.

    skipped : dict of str to str
        The rules that would be left out as impossible, with the reason.

    frontier : DataFrame
        Between which points the run would look, in agreement with the rules and loss outside them: the model as it
        was, the first model, and a hard override. Empty where the loss is not measured: without twins and limit.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> editor = frote.FROTE(rules="young: IF age < 29 AND defaults = 0 THEN approved", random_state=0)
    >>> editor.preview(loans.X, loans.y).changes
        rule        what old_label new_label  rows
    0  young  relabelled    denied  approved    57
    """

    rules: pd.DataFrame
    changes: pd.DataFrame
    rows: int
    objective: float
    seconds: float
    most_batches: int
    likely_batches: int
    skipped: dict[str, str] = field(default_factory=dict)
    frontier: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=POINTS, dtype=float))

    def __str__(self) -> str:
        lines = [*left_out(self.skipped), self._headline(), ""]
        for name, line in self.rules.iterrows():
            twins = f" and {line['first_twins']:,} just outside" if line["first_twins"] else ""
            first = f"the first batch has {line['first_batch']:,} for it{twins}"
            lines.append(f"{visible(str(name), lines=False)}: covers {line['covered']:,} rows; {first}")
            lines += [f"  {change}" for change in self._changes_by(name)]
            if line["relaxed"]:
                lines.append(f"  too few rows to start from: conditions left out for base rows are {line['relaxed']}")
        return "\n".join([*lines, "", *self._points(), self._price()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rules = self.rules
        changes = ["; ".join(self._changes_by(name)) for name in rules.index]
        columns = [
            Column("rule", list(map(str, rules.index))),
            Column("covers", [f"{count:,}" for count in rules["covered"]], right=True),
            Column("agreement", decimals(rules["agreement"]), right=True),
            Column("first batch", [f"{count:,}" for count in rules["first_batch"]], right=True),
            Column("rows changed", changes),
        ]
        if rules["relaxed"].any():
            columns.append(Column("left out for base rows", rules["relaxed"].tolist()))
        table = as_table(columns) if len(rules) else ""
        said = map(as_sentence, [*self._points(), self._price()])
        return as_shown(as_list(left_out(self.skipped)), as_sentence(self._headline()), table, *said)

    def _headline(self) -> str:
        return f"{self.rows:,} rows. Before any synthetic row the training objective is {self.objective:.3f}."

    def _changes_by(self, rule: Any) -> list[str]:
        """Say which labels a rule would change or drop."""
        mine = self.changes[self.changes["rule"] == rule].itertuples()
        return [
            f"{change.rows:,} {change.what}: {change.old_label}"
            + ("" if change.what == "dropped" else f" to {change.new_label}")
            for change in mine
        ]

    def _points(self) -> list[str]:
        """Say between which points of the frontier the run would look, if the loss is measured."""
        if self.frontier.empty:
            return []
        points = [f"{name} {point.agreement:.3f} and {point.loss:.3f}" for name, point in self.frontier.iterrows()]
        return [f"Agreement with the rules and loss outside them: {', '.join(points)}."]

    def _price(self) -> str:
        return (
            f"A batch takes about {_duration(self.seconds)}; about {self.likely_batches:,} would be tried "
            f"({_duration(self.seconds * self.likely_batches)}), {self.most_batches:,} at most "
            f"({_duration(self.seconds * self.most_batches)})."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What modification would do to rows, in counts that add up over parts of them.

    Parameters
    ----------
    rows : int
        How many rows there are.

    covered, attributed : ndarray of int
        For each rule, how many it covers, and how many of these no earlier rule does.

    relabelled, dropped : ndarray of int
        For each rule, how many of its rows have which label before (second axis) and after (third).
    """

    rows: int
    covered: NDArray[np.int64]
    attributed: NDArray[np.int64]
    relabelled: NDArray[np.int64]
    dropped: NDArray[np.int64]

    @classmethod
    def of(
        cls, rows: Attribution, before: NDArray[np.intp], after: NDArray[np.intp], kept: NDArray[np.bool_]
    ) -> Changes:
        """Count rows with these labels before and after, of which these stay."""
        rules, classes = len(rows.ruling.names), len(rows.ruling.classes)

        def pairs(which: NDArray[np.bool_]) -> NDArray[np.int64]:
            counts = np.zeros((rules, classes, classes), dtype=np.int64)
            np.add.at(counts, (rows.owner[which], before[which], after[which]), 1)
            return counts

        owned = rows.owner >= 0
        attributed = np.bincount(rows.owner[owned], minlength=rules)
        relabelled, dropped = pairs(owned & kept & (before != after)), pairs(owned & ~kept)
        return cls(len(before), np.array(rows.support, dtype=np.int64), attributed, relabelled, dropped)

    def __add__(self, other: Changes) -> Changes:
        return Changes(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    def frame(self, names: Sequence[str], natives: Any) -> pd.DataFrame:
        """Return a line for each kind of change, those of a rule the most frequent first."""
        lines = []
        for rule, name in enumerate(names):
            for what, counts in (("relabelled", self.relabelled[rule]), ("dropped", self.dropped[rule])):
                old, new = np.nonzero(counts)
                for pair in np.argsort(-counts[old, new], kind="stable"):
                    labels = natives(np.array([old[pair], new[pair]]))
                    after = None if what == "dropped" else labels[1]
                    lines.append((name, what, labels[0], after, int(counts[old[pair], new[pair]])))
        return pd.DataFrame(lines, columns=CHANGES)


def make_preview(start: Prepared, changes: Changes | None = None) -> Preview:
    """Fit the first model of a run that is ready, and say what the run would do.

    Parameters
    ----------
    start : Prepared
        The run; its loop is used up.

    changes : Changes, default=None
        What becomes of the rows that the run is for; if None, they are those that it was given.

    Returns
    -------
    Preview
    """
    loop, modified, natives = start.loop, start.modified, start.given.target.natives
    if changes is None:
        before = start.given.target.labels.codes
        changes = Changes.of(modified.attribution, before, modified.changed, modified.kept)
    first = next(loop.run())
    assert first.scores is not None  # the first fit raises if it fails
    batch, twins = (first.proposed, first.proposed) if loop.ended else _first_batch(loop)
    names = loop.ruling.names
    relaxed = [
        ", ".join({c: None for one in populations for c in one.dropped}) for populations in loop.state.populations
    ]
    lines = {
        "covered": changes.covered,
        "attributed": changes.attributed,
        "relabelled": changes.relabelled.sum(axis=(1, 2)),
        "dropped": changes.dropped.sum(axis=(1, 2)),
        "relaxed": relaxed,
        "agreement": first.scores.per_rule,
        "first_batch": batch,
        "first_twins": twins,
    }
    return Preview(
        pd.DataFrame(lines, index=pd.Index(names, name="rule"), columns=RULES),
        changes.frame(names, natives),
        changes.rows,
        first.scores.objective,
        first.fit_seconds + first.predict_seconds + first.other_seconds,
        loop.bench.planner.most_steps,
        loop.likely_steps,
        start.given.skipped,
        _frontier(loop, first.scores),
    )


def _first_batch(loop: EditLoop) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return how many rows the first batch would have for each rule as written, and how many twins of them."""
    batch = loop.propose(loop.plan)
    return loop.ruling.per_rule(batch.piece[~batch.guard]), loop.ruling.per_rule(batch.piece[batch.guard])


def _frontier(loop: EditLoop, first: Scores) -> pd.DataFrame:
    """Return what is known of the frontier before any batch."""
    initial = getattr(loop.bench.judge, "initial", None)
    if initial is None or first.loss is None:
        return pd.DataFrame(columns=POINTS, dtype=float)
    # Models are measured with every rule counting alike, and so is an override; outside it changes nothing.
    override = float(np.mean(loop.ruling.most_agreement)) if loop.ruling.names else 1.0
    points = {
        "model as it was": (initial.agreement, 0.0),
        "first model": (first.agreement, first.loss),
        "hard override": (override, 0.0),
    }
    return pd.DataFrame(points.values(), index=list(points), columns=POINTS, dtype=float)


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
