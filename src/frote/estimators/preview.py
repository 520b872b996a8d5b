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
    from frote.coverage.measures import Scores
    from frote.estimators.prepared import Prepared
    from frote.loop.engine import EditLoop

__all__ = ["Preview", "make_preview"]

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


def make_preview(start: Prepared) -> Preview:
    """Fit the first model of a run that is ready, and say what the run would do.

    Parameters
    ----------
    start : Prepared
        The run; its loop is used up.

    Returns
    -------
    Preview
    """
    loop, modified, natives = start.loop, start.modified, start.given.target.natives
    ruling, before, after = loop.ruling, start.given.target.labels.codes, modified.changed
    first = next(loop.run())
    assert first.scores is not None  # the first fit raises if it fails
    changed = before != after
    batch, twins = (first.proposed, first.proposed) if loop.ended else _first_batch(loop)
    lines, changes = [], []
    for rule, (name, covered) in enumerate(zip(ruling.names, modified.attribution.support, strict=True)):
        mine = modified.attribution.owner == rule
        relaxed = {column: None for population in loop.state.populations[rule] for column in population.dropped}
        lines.append(
            {
                "covered": covered,
                "attributed": int(mine.sum()),
                "relabelled": int((mine & changed & modified.kept).sum()),
                "dropped": int((mine & ~modified.kept).sum()),
                "relaxed": ", ".join(relaxed),
                "agreement": first.scores.per_rule[rule],
                "first_batch": batch[rule],
                "first_twins": twins[rule],
            }
        )
        changes += _changes(name, before, after, mine & changed & modified.kept, "relabelled", natives)
        changes += _changes(name, before, after, mine & ~modified.kept, "dropped", natives)
    return Preview(
        pd.DataFrame(lines, index=pd.Index(ruling.names, name="rule"), columns=RULES),
        pd.DataFrame(changes, columns=CHANGES),
        len(before),
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


def _changes(name: str, before: Any, after: Any, rows: Any, what: str, natives: Any) -> list[tuple[Any, ...]]:
    """Count changes of labels, the most frequent first."""
    pairs, counts = np.unique(np.column_stack([before, after])[rows], axis=0, return_counts=True)
    changes = []
    for pair in np.argsort(-counts, kind="stable"):
        old, new = natives(pairs[pair])
        changes.append((name, what, old, None if what == "dropped" else new, int(counts[pair])))
    return changes


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
