"""Whether a model keeps to rules on every possible row: proven, refuted by a row, or left open."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.asking import require_predict
from frote.coverage.labels import Labels
from frote.coverage.said import classes_of
from frote.estimators.given_rules import as_rules, bound_rules
from frote.estimators.input import require_rows, typed
from frote.estimators.overlay import likeliest
from frote.evidence.asking import Asked, row_text, rule_columns
from frote.evidence.cells import cells_of
from frote.evidence.front import cannot_open
from frote.evidence.linear import Linear, as_linear
from frote.evidence.opening import Always, parts_of
from frote.evidence.proof import COUNTEREXAMPLE, NO_ROW, OPEN, PROVEN, ProofReport, RuleProof
from frote.evidence.search import Budget, Found, least_margin
from frote.evidence.space import Picked, Space
from frote.evidence.trees import as_ensemble
from frote.exceptions import TableError
from frote.generation.numbers import NumberColumn
from frote.generation.possible import uncovering

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.evidence.opening import Answering
    from frote.evidence.space import Box
    from frote.rules import Rule
    from frote.table import TypedFrame

__all__ = ["prove"]

POSSIBLE = (
    "The rows are all that the columns' types hold inside the rule, whether seen or not: any number (up to 1e30 where "
    "it is no whole one), any date of the years 1 to 9999 in the step of the data, any level; missing where the data "
    "have such or the rule asks for it."
)
OBSERVED = (
    "The rows are all combinations inside the rule of numbers and dates within the range of the data, or just beyond "
    "it where the rule leaves none of it, and of levels that occur; missing where the data have such or the rule asks "
    "for it."
)
DOUBLINGS = 110  # from one standard deviation beyond the data to 1e30 and farther


def prove(
    model: Any,
    rules: Any,
    X: Any,
    *,
    values: str = "possible",
    boxes: int = 2000,
    seconds: float | None = None,
) -> ProofReport:
    """Prove that a model answers by its rules on every possible row, or find a row on which it does not.

    Linear classifiers are decided exactly. Trees and ensembles of trees (scikit-learn's decision trees, forests, extra
    trees and gradient boosting, LightGBM, XGBoost) are searched by branch and bound, and rules that are left when the
    limit is reached stay open. They may stand behind `TabularEncoder` or scikit-learn's scalers, one-hot and ordinal
    encoders, imputers and ColumnTransformer, in a `FROTEClassifier` or a hard `OverlayClassifier`.

    Parameters
    ----------
    model : fitted classifier
        The model.

    rules : RuleSet, rule text, path of a rule file, or rules
        The rules, which must not conflict. A rule with a distribution is kept to by its most probable class.

    X : pandas or polars DataFrame, or array
        Rows that show the columns, their types, levels and ranges.

    values : {"possible", "observed"}, default="possible"
        Which rows count: all that the columns' types hold, or those within the ranges and levels of X.

    boxes : int, default=2000
        How many boxes of rows to look at for each rule, at most.

    seconds : float, default=None
        How long to search for each rule, at most. What is left open then depends on the machine.

    Returns
    -------
    ProofReport

    Raises
    ------
    ModelError
        If the model cannot be looked into.

    ConflictError
        If rules conflict.

    Notes
    -----
    A counterexample is a row that the model itself was asked about. It is a row of X where one will do, and differs
    from such a row in few columns otherwise.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> rules = "young: IF age < 29 AND defaults = 0 THEN approved"
    >>> model = frote.FROTEClassifier(rules=rules, how="anchored", random_state=0).fit(loans.X, loans.y)
    >>> print(frote.prove(model, rules, loans.X, values="observed"))
    young  proven for every row within the data's ranges
    """
    if values not in ("possible", "observed"):
        raise TableError(f"values is {values!r}. Give 'possible' or 'observed'.")
    if boxes < 1 or (seconds is not None and not seconds > 0):
        raise TableError("boxes and seconds are limits of the search. Give numbers above 0.")
    require_predict(model)
    rows = typed(X)
    require_rows(len(rows))
    classes = classes_of(model)
    if classes is None:
        raise cannot_open(f"{type(model).__name__}, which does not tell its classes")
    labels = Labels.known(classes)
    given = as_rules(rules)
    bound = bound_rules(given, rows.table, labels, None)
    space = Space(rows.table, observed=values == "observed")
    proofs, refuted = [], None
    for name in given.origins:
        pieces = bound.pieces(name) if name in bound.origins else ()
        wanted = likeliest(given.pieces(name)[0].outcome, labels.texts)
        budget = Budget(boxes, math.inf if seconds is None else time.monotonic() + seconds)
        search = _Search(model, labels, pieces, wanted, rows, space, budget)
        found, row = search.run() if pieces else (Found(math.nan), None)
        proof = _told(name, labels.texts[wanted], found, row, search, budget)
        if row is not None:
            refuted = row.table if refuted is None else refuted.concat(row.table)
        proofs.append(proof)
    spoken_of = OBSERVED if space.observed else POSSIBLE
    return ProofReport(tuple(proofs), spoken_of, tuple(uncovering(given, rows.table)), refuted)


def _told(name: str, label: str, found: Found, row: TypedFrame | None, search: _Search, budget: Budget) -> RuleProof:
    if row is not None:
        said = search.asked.said(row).tolist()[0]
        text = row_text(row.table, search.changed(row))
        return RuleProof(
            name, label, COUNTEREXAMPLE, found.bound, budget.spent, row.frame, said, text, search.space.values
        )
    answer = NO_ROW if math.isnan(found.bound) else PROVEN if found.done else OPEN
    return RuleProof(name, label, answer, found.bound, budget.spent, values=search.space.values)


class _Search:
    """The search for one rule."""

    def __init__(
        self,
        model: Any,
        labels: Labels,
        pieces: tuple[Rule, ...],
        wanted: int,
        rows: TypedFrame,
        space: Space,
        budget: Budget,
    ) -> None:
        self.model, self.labels, self.pieces, self.wanted = model, labels, pieces, wanted
        self.rows, self.space, self.budget = rows, space, budget
        self.asked = Asked.about(model, labels, pieces, wanted)
        self.base: TypedFrame | None = None  # a row of the data from which a counterexample is told

    def run(self) -> tuple[Found, TypedFrame | None]:
        """Return what was found, and a counterexample."""
        lowest, done, anything = math.inf, True, False
        row = self._own_row()
        if row is not None:
            return Found(-math.inf, row), row
        for piece in self.pieces:
            for part in parts_of(self.model, piece.clause, self.space.table):
                box = self.space.box(piece, part.clause)
                if box.is_empty:
                    continue
                anything = True
                found = self._decided(part.by, box)
                if found.row is not None:
                    return found, self._plainer(found.row, box)
                lowest, done = min(lowest, found.bound), done and found.done
        return Found(lowest if anything else math.nan, done=done), None

    def _own_row(self) -> TypedFrame | None:
        """Return a row of the data that the rule covers and the model answers otherwise."""
        inside = np.zeros(len(self.rows), dtype=bool)
        for piece in self.pieces:
            inside |= self.space.box(piece, piece.clause).holds(self.rows.table)
        covered = np.flatnonzero(inside)
        if not len(covered):
            return None
        mine = self.rows.take(covered)
        strays, _ = self.asked.strays(mine)
        if strays.any():
            self.base = mine.take(np.flatnonzero(strays)[:1])
            return self.base
        return None

    def _decided(self, by: Always | Answering, box: Box) -> Found:
        if isinstance(by, Always):
            self.budget.spend()
            if by.label == self.labels.texts[self.wanted]:
                return Found(math.inf)
            return Found(-math.inf, self._disagrees(_firsts(self.space, box)), done=False)
        wanted = by.classes.index(self.labels.texts[self.wanted]) if self._knows(by) else -1
        if wanted < 0:
            self.budget.spend()
            return Found(-math.inf, self._disagrees(_firsts(self.space, box)), done=False)
        if as_linear(by.classifier):
            return self._linear(by, box, wanted)
        sample = by.front.made(self.space.rows(_firsts(self.space, box)))
        ensemble = as_ensemble(by.classifier, by.front.features, sample)
        if ensemble is None:
            raise cannot_open(f"{type(by.classifier).__name__}, which is neither linear nor trees that can be read")
        cells = cells_of(ensemble, by.front, self.space, box)

        def disagrees(point: NDArray[np.intp]) -> TypedFrame | None:
            return self._disagrees([one.take(point[[place]]) for place, one in enumerate(cells.picked)])

        return least_margin(ensemble, cells, wanted, disagrees, self.budget)

    def _knows(self, by: Answering) -> bool:
        return self.labels.texts[self.wanted] in by.classes

    def _linear(self, by: Answering, box: Box, wanted: int) -> Found:
        self.budget.spend()
        whole = Linear(by, self.space, box, wanted)
        if whole.bound > 0:
            return Found(whole.bound)
        near_space = Space(self.space.table, observed=True)
        near = Linear(by, near_space, near_space.box(self._piece_of(box), box.clause), wanted)
        for inner, outer in zip(near.corners, whole.corners, strict=True):
            row = self._disagrees(_outwards(self.space, inner, outer)) or self._disagrees(list(outer))
            if row is not None:
                return Found(whole.bound, row)
        return Found(whole.bound, done=False)

    def _piece_of(self, box: Box) -> Rule:
        return next(piece for piece in self.pieces if box.clause.implies(piece.clause, self.space.table.schema))

    def _disagrees(self, picked: Sequence[Picked]) -> TypedFrame | None:
        """Return the first of some rows that the rule covers and the model answers otherwise."""
        rows = self.space.rows(picked)
        try:
            strays, _ = self.asked.strays(rows)
        except (ValueError, OverflowError):  # a row that the model refuses is no answer
            return None
        return rows.take(np.flatnonzero(strays)[:1]) if strays.any() else None

    def _plainer(self, row: Any, box: Box) -> TypedFrame:
        """Put values of a row of the data into a counterexample, column by column, as long as it stays one."""
        table, schema = self.rows.table, self.space.table.schema
        inside = np.flatnonzero(box.holds(table))
        alike = np.zeros(len(table), dtype=np.intp)
        for name in schema.names:
            alike += (table[name].values == row.table[name].values[0]) & ~table[name].gaps()
        base = int(inside[alike[inside].argmax()]) if len(inside) else int(alike.argmax())
        self.base = self.rows.take(np.array([base]))
        picked = [Picked.of(row.table[name]) for name in schema.names]
        spans = box.spans
        for place, name in enumerate(schema.names):
            own = Picked.of(self.base.table[name])
            if not spans[place].holds(self.base.table[name])[0]:
                continue
            fewer = self._disagrees([own if at == place else one for at, one in enumerate(picked)])
            if fewer is not None:
                picked[place] = own
        return self._disagrees(picked) or row

    def changed(self, row: TypedFrame) -> list[str]:
        """Return the columns that tell a counterexample: those of the rule, and those that the data have otherwise.

        Of a rule that covers every row these may be none: then all of them.
        """
        names = self.space.table.schema.names
        told = set(rule_columns(self.pieces))
        if self.base is not None and self.base is not row:
            for name in names:
                mine, theirs = row.table[name], self.base.table[name]
                same = mine.gaps()[0] == theirs.gaps()[0] and (mine.gaps()[0] or mine.values[0] == theirs.values[0])
                told |= set() if same else {name}
        return [name for name in names if name in told] or list(names)


def _firsts(space: Space, box: Box) -> list[Picked]:
    """Return some row of a box."""
    picked = []
    for column, span in zip(space.columns, box.spans, strict=True):
        floats = isinstance(column, NumberColumn) and not column.step
        value = span.lows[:1] if len(span.lows) else np.zeros(1, dtype=np.float64 if floats else np.int64)
        picked.append(Picked(value, np.array([not len(span.lows)])))
    return picked


def _outwards(space: Space, inner: Sequence[Picked], outer: Sequence[Picked]) -> list[Picked]:
    """Return rows from one within the data on, each twice as far beyond them as the one before, towards another."""
    picked = []
    for column, near, far in zip(space.columns, inner, outer, strict=True):
        count = DOUBLINGS + 1
        if not isinstance(column, NumberColumn) or near.missing[0] or far.missing[0]:
            picked.append(Picked(np.repeat(far.values, count), np.repeat(far.missing, count)))
            continue
        steps = np.append(0.0, column.spread * 2.0 ** np.arange(DOUBLINGS))
        start, end = float(near.values[0]), float(far.values[0])
        way = np.clip(start + np.sign(end - start) * steps, min(start, end), max(start, end))
        if column.step:
            whole = [int(near.values[0]) + round((one - start) / column.step) * column.step for one in way.tolist()]
            low, high = sorted((int(near.values[0]), int(far.values[0])))
            values = np.array([min(max(one, low), high) for one in whole], dtype=np.int64)
        else:
            values = np.clip(column.storage.lattice.nearest(way), min(start, end), max(start, end))
        values[0] = near.values[0]
        picked.append(Picked(values, np.zeros(count, dtype=bool)))
    return picked
