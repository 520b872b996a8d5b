"""The rules against data and ledger: what was made satisfies its rule, and what was changed is covered by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.edits.editors import used_rules
from frote.edits.verifying.checks import checked, untold
from frote.edits.verifying.rows import some
from frote.edits.verifying.tables import NOTHING, quietly
from frote.estimators.given_rules import bound_rules, possible_rules
from frote.exceptions import FroteError
from frote.rules.values import as_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from frote.edits.order import Order
    from frote.edits.tables import LabelledTable
    from frote.edits.verifying.checks import Check
    from frote.edits.verifying.tables import Ledger
    from frote.rules import RuleSet
    from frote.table import Table

    Places = NDArray[np.intp]

__all__ = ["STARTED", "Here", "rule_checks", "ruled_checks"]

STARTED = "Rows told strongly covered were made of rows inside their rule, others not."
AT_ONCE = 2**24  # rules times rows that are looked at together


@dataclass(frozen=True, slots=True, eq=False)
class Covered:
    """What rules say of rows.

    Parameters
    ----------
    owner : ndarray of int
        The rule as written that each row is attributed to, -1 for none.

    satisfied : ndarray of bool
        Whether each row lies in the piece that is named for it.

    against : ndarray of bool
        Whether it lies in a rule of another outcome than that piece's.
    """

    owner: Places
    satisfied: NDArray[np.bool_]
    against: NDArray[np.bool_]


def covered_by(ruling: Ruling, table: Table, piece: Places) -> Covered:
    """Put rules on rows, for each of which a piece is named, -1 for none; a stretch of rows after the other."""
    kinds = {rule.outcome: place for place, rule in enumerate(ruling.rules)}
    kind = np.array([kinds[rule.outcome] for rule in ruling.rules], dtype=np.intp)
    stretch = max(1, AT_ONCE // max(len(kind), 1))
    parts = []
    for start in range(0, max(len(table), 1), stretch):  # once, also if there is no row
        rows = np.arange(start, min(start + stretch, len(table)))
        on, named = ruling.on(table.take(rows)), piece[rows]
        own, known = on.covered, named >= 0
        other = kind[:, None] != np.append(kind, -1)[named]
        inside = own[named, np.arange(len(rows))] & known if len(own) else known  # without rules nothing is named
        parts.append((on.owner, inside, (own & other).any(axis=0) & known))
    owner, satisfied, against = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Covered(owner, satisfied, against)


def rule_checks(order: Order, rules: RuleSet, table: LabelledTable, ledger: Ledger) -> Iterator[Check]:
    """Hold the rules that were used against those that were asked for."""
    what = "They are what the rules asked for come to on these columns."
    known = Labels.of(table.y).joined(Labels.of([label for label in ledger.old_label if label is not None]))
    data = table.rows.table
    try:
        with quietly():
            used = used_rules(order, data, known.classes)
            used = possible_rules(bound_rules(used, data, known, table.y), data, "skip")[0]
    except FroteError as error:
        yield checked("rules.rules", what, [f"those asked for cannot be used: {error}"])
        return
    if str(used) == str(rules):
        yield checked("rules.rules", what, [])
    elif len(ledger.lines_of("dropped")):
        why = "it goes by the values of all rows, some of which were dropped and are not here"
        yield untold("rules.rules", what, why)
    else:
        yield checked("rules.rules", what, _unlike(used, rules))


def _unlike(used: RuleSet, rules: RuleSet) -> Iterator[str]:
    """Say which rules are others."""
    wanted, there = ({rule.name: str(rule) for rule in some_rules} for some_rules in (used, rules))
    for name in dict.fromkeys([*wanted, *there]):
        if wanted.get(name) != there.get(name):
            here = there.get(name, f"rule {name!r} is not there")
            yield f"{here}, and asked for was: {wanted.get(name, 'no such rule')}"
    if list(wanted) != list(there):
        yield "they stand in another order"


def ruled_checks(rules: RuleSet, table: LabelledTable, ledger: Ledger, *, strict: bool) -> Iterator[Check]:
    """Hold the rows of data against the rules; `strict`: no row that was kept may have a label against its rule."""
    part = table.path.name
    if len(table.y) != (ledger.row != NOTHING).sum():
        yield untold(part, "Rows satisfy the rules that they were made for.", f"{ledger.name} is of other rows")
        return
    try:
        here = Here(rules, table, ledger)
    except FroteError as error:
        yield checked(part, "The rules can be put on it.", [str(error)])
        return
    for what, faults in here.checks(strict=strict):
        yield checked(part, what, faults)


class Here:
    """The rows that are there, with what is told of each and what the rules say of it."""

    def __init__(self, rules: RuleSet, table: LabelledTable, ledger: Ledger) -> None:
        lines = np.flatnonzero(ledger.row != NOTHING)  # in order of rows
        self.rules, self.ledger, self.lines = rules, ledger, lines
        self.ruling = Ruling.of(rules)
        self.status, self.rule, self.label = (part[lines] for part in (ledger.status, ledger.rule, ledger.new_label))
        pieces = {name: place for place, name in enumerate(rules.names)}
        self.piece = np.array([pieces.get(name, -1) for name in self.rule], dtype=np.intp)
        self.covered = covered_by(self.ruling, table.rows.table, np.where(self.status == "relabelled", -1, self.piece))
        self.table, self.where = table.rows.table, table.source.row

    def checks(self, *, strict: bool) -> Iterator[tuple[str, Iterator[str | None]]]:
        """Say what is to hold of the rows, and where it does not; see `ruled_checks`."""
        yield "Every synthetic row satisfies its rule, unrelaxed.", self.unsatisfied()
        yield "No synthetic row satisfies a rule of another outcome.", self.against()
        yield "Every synthetic row has a label that its rule can give.", self.mislabelled()
        yield "Every relabelled row is covered by its rule, which gives the new label.", self.relabelled()
        yield "Every row made just outside the rules lies outside all of them.", self.guards()
        yield STARTED, self.started()
        if strict:
            yield "No row that was kept has a label against its rule.", self.contradicting()

    def _told(self, rows: Places, text: str) -> str | None:
        return some(rows, lambda row: f"{self.where(row)}, {self.status[row]} for {self.rule[row]!r}, {text}")

    def _are(self, status: str) -> NDArray[np.bool_]:
        are: NDArray[np.bool_] = self.status == status
        return are

    def unsatisfied(self) -> Iterator[str | None]:
        """Find synthetic rows outside their rule."""
        made = self._are("synthetic")
        yield self._told(np.flatnonzero(made & (self.piece < 0)), "names no rule of rules.rules")
        yield self._told(np.flatnonzero(made & (self.piece >= 0) & ~self.covered.satisfied), "does not satisfy it")

    def against(self) -> Iterator[str | None]:
        """Find synthetic rows inside a rule of another outcome."""
        yield self._told(
            np.flatnonzero(self._are("synthetic") & self.covered.against), "satisfies one of another outcome too"
        )

    def mislabelled(self) -> Iterator[str | None]:
        """Find synthetic rows with a label that their rule never gives."""
        possible = [_labels_of(rule.outcome) for rule in self.rules]
        for place, labels in enumerate(possible):
            if labels is not None:
                mine = self._are("synthetic") & (self.piece == place)
                yield self._told(np.flatnonzero(mine & ~_among(self.label, labels)), "has a label that it never gives")

    def relabelled(self) -> Iterator[str | None]:
        """Find relabelled rows that are not their rule's to relabel."""
        changed = self._are("relabelled")
        names = np.array([*self.ruling.names, ""], dtype=object)[self.covered.owner]
        yield self._told(np.flatnonzero(changed & (names != self.rule)), "does not belong to it")
        old = self.ledger.old_label[self.lines]
        for name, outcome in zip(self.ruling.names, self.ruling.outcomes, strict=True):
            labels, mine = _labels_of(outcome), changed & (self.rule == name)
            if labels is None:
                yield self._told(np.flatnonzero(mine), "had no label against it")
                continue
            yield self._told(np.flatnonzero(mine & ~_among(self.label, labels)), "has a label that it never gives")
            yield self._told(np.flatnonzero(mine & _among(old, labels)), "had a label that it gives")

    def contradicting(self) -> Iterator[str | None]:
        """Find rows that were kept with a label against their rule."""
        for place, outcome in enumerate(self.ruling.outcomes):
            labels = _labels_of(outcome)
            if labels is not None:
                mine = self._are("kept") & (self.covered.owner == place)
                yield some(np.flatnonzero(mine & ~_among(self.label, labels)), self._against_its_rule)

    def _against_its_rule(self, row: int) -> str:
        name = self.ruling.names[self.covered.owner[row]]
        return f"{self.where(row)} belongs to {name!r}, which never gives {self.label[row]!r}"

    def guards(self) -> Iterator[str | None]:
        """Find rows that were to lie outside all rules, and do not."""
        guards = self._are("guard")
        yield self._told(np.flatnonzero(guards & (self.piece < 0)), "names no rule of rules.rules")
        yield self._told(np.flatnonzero(guards & (self.covered.owner >= 0)), "lies inside a rule")

    def started(self) -> Iterator[str | None]:
        """Find rows that are told to be made of others than they were."""
        made = np.flatnonzero(self._are("synthetic") & (self.piece >= 0))
        base, covered = self.ledger.base[self.lines[made]], self.ledger.covered[self.lines[made]]
        # A row around a counterexample is told with the one that is most like it, wherever that lies.
        known = np.flatnonzero((base >= 0) & (base < len(self.lines)) & (covered != "counterexample"))
        made, base, strongly = made[known], base[known], covered[known] == "strongly"
        inside = covered_by(self.ruling, self.table.take(base), self.piece[made]).satisfied
        yield self._told(made[strongly & ~inside], "is told strongly covered, and was made of a row outside")
        yield self._told(made[~strongly & inside], "is not told strongly covered, and was made of a row inside")


def _labels_of(outcome: Any) -> set[Any] | None:
    """Return the labels that an outcome can give; None if it can give any."""
    return None if outcome.rest else {as_value(label) for label in outcome.labels}


def _among(values: NDArray[np.object_], labels: set[Any]) -> NDArray[np.bool_]:
    codes, distinct = pd.factorize(values)
    found: NDArray[np.bool_] = np.array([*(value in labels for value in distinct), None in labels], dtype=bool)[codes]
    return found
