"""A model tried on many fresh rows inside its rules, and where it is least sure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import beta

from frote.coverage.asking import ask, require_predict
from frote.coverage.labels import Labels
from frote.coverage.said import classes_of
from frote.estimators.given_rules import as_rules, bound_rules
from frote.estimators.input import require_rows, typed
from frote.estimators.overlay import likeliest
from frote.evidence.asking import Asked
from frote.evidence.by_rule import html_by_rule, text_by_rule
from frote.evidence.draws import Draws
from frote.evidence.space import Space
from frote.exceptions import TableError
from frote.generation.possible import uncovering
from frote.layout import counted
from frote.table import TypedFrame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.rules import Rule

__all__ = ["RuleStress", "StressReport", "stress", "upper_bound"]

CONFIDENCE = 0.95
STRETCH = 20_000  # rows that a model is asked about at once
STARTS, MOVES, ROUNDS = 50, 20, 20  # least sure rows that are moved, moves of each, and how often
ABOUT = (
    "The bound speaks of rows drawn as these were: half of them rows of the data with values exchanged, two tenths at "
    "ends of the rule, three tenths with values drawn evenly up to a standard deviation beyond the data."
)


@dataclass(frozen=True, slots=True, eq=False)
class RuleStress:
    """What came of trying one rule.

    Parameters
    ----------
    rule : str
        The rule as written.

    label : str
        The class that it wants; of a distribution, its most probable one.

    rows : int
        How many rows were drawn.

    strays : int
        How many of them the model answers otherwise.

    bound : float
        The share of such rows is at most this, with 95 % confidence; see `StressReport`.

    searched : int
        How many more rows were tried where the model was least sure.

    strays_searched : int
        How many of these it answers otherwise.

    worst : frame of the caller's kind, or None
        Rows that it answers otherwise, the surest wrong answers first; if there are none, those it was least sure of.

    said : ndarray
        What it answers to these.

    margin : ndarray of float
        By how much the rule's class is ahead there; NaN if the model tells neither probabilities nor scores.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(300)
    >>> model = frote.default_pipeline().fit(loans.X, loans.y)
    >>> (late,) = frote.stress(model, "late: IF defaults > 2 THEN denied", loans.X, rows=500, worst=3).tried
    >>> late.label, len(late.worst), late.said.tolist()
    ('denied', 3, ['approved', 'approved', 'approved'])
    """

    rule: str
    label: str
    rows: int
    strays: int
    bound: float
    searched: int
    strays_searched: int
    worst: Any
    said: NDArray[Any]
    margin: NDArray[np.float64]

    @property
    def rate(self) -> float:
        """The share of rows drawn that the model answers otherwise; NaN if none could be drawn."""
        return self.strays / self.rows if self.rows else float("nan")

    def told(self) -> str:
        """Say what came of it in a few words."""
        if not self.rows:
            return "no possible row"
        found = f"{self.strays:,} of {counted(self.rows, 'row')} answered otherwise, at most {self.bound:.2g} of all"
        more = f"; {self.strays_searched:,} of {self.searched:,} more where it is least sure" if self.searched else ""
        return found + more


@dataclass(frozen=True, slots=True, eq=False)
class StressReport:
    """What came of trying a model on fresh rows inside its rules.

    Parameters
    ----------
    tried : tuple of RuleStress
        One for each rule as written.

    about : str
        What distribution of rows the bounds speak of, in a sentence.

    notes : tuple of str
        Which rules cover nothing, or less than they name.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(300)
    >>> rules = "young: IF age < 29 AND defaults = 0 THEN approved"
    >>> model = frote.OverlayClassifier(frote.default_pipeline().fit(loans.X, loans.y), rules).fit(loans.X)
    >>> print(frote.stress(model, rules, loans.X, rows=1000))
    young  0 of 1,000 rows answered otherwise, at most 0.003 of all; 0 of 20,000 more where it is least sure
    """

    tried: tuple[RuleStress, ...]
    about: str = ABOUT
    notes: tuple[str, ...] = ()

    @property
    def rules(self) -> pd.DataFrame:
        """The counts as a frame, a line for each rule."""
        names = ["label", "rows", "strays", "rate", "bound", "searched", "strays_searched"]
        return pd.DataFrame(
            [[getattr(one, name) for name in names] for one in self.tried],
            columns=names,
            index=pd.Index([one.rule for one in self.tried], name="rule"),
        )

    def __str__(self) -> str:
        return text_by_rule(self._told(), self.notes)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_by_rule(self._told(), "what came of it", self.notes, self.about)

    def _told(self) -> dict[str, str]:
        return {one.rule: one.told() for one in self.tried}


def upper_bound(strays: int, rows: int) -> float:
    """Return the exact upper bound (Clopper and Pearson's) of a share, with 95 % confidence.

    Examples
    --------
    >>> round(upper_bound(0, 100), 4)
    0.0295
    """
    return 1.0 if strays >= rows else float(beta.ppf(CONFIDENCE, strays + 1, rows - strays))


def stress(
    model: Any, rules: Any, X: Any, *, rows: int = 100_000, worst: int = 10, random_state: int | None = 0
) -> StressReport:
    """Try a model on many fresh rows inside its rules, then where it is least sure.

    Parameters
    ----------
    model : fitted classifier
        The model, of any kind.

    rules : RuleSet, rule text, path of a rule file, or rules
        The rules, which must not conflict. A rule with a distribution is kept to by its most probable class.

    X : pandas or polars DataFrame, or array
        Rows to start from, which show the columns, their types, levels and ranges.

    rows : int, default=100000
        How many rows to draw for each rule.

    worst : int, default=10
        How many of the worst rows to keep for each rule.

    random_state : int or None, default=0
        Where chance comes from.

    Returns
    -------
    StressReport

    Raises
    ------
    ConflictError
        If rules conflict.

    Notes
    -----
    Each row is drawn by itself: with half of the chance, a row of X that the rule covers with some values exchanged for
    those of other rows; with two tenths, one with all columns of the rule at ends of what it allows; with three tenths,
    one with values drawn evenly from the range of X and a standard deviation around it, inside the rule. The bound on
    the share of rows that are answered otherwise is the exact binomial one for rows drawn like this, given X. The
    search that follows changes values of the rows that the model was least sure of; what it finds is no part of the
    bound.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(300)
    >>> model = frote.default_pipeline().fit(loans.X, loans.y)
    >>> report = frote.stress(model, "late: IF defaults > 2 THEN denied", loans.X, rows=2000)
    >>> bool(0 < report.tried[0].rate < report.tried[0].bound < 0.1)
    True
    """
    if rows < 1 or worst < 0:
        raise TableError("rows and worst are numbers of rows. Give at least 1 to draw, and 0 or more to keep.")
    require_predict(model)
    base = typed(X)
    require_rows(len(base))
    classes = classes_of(model)
    labels = Labels.of(ask(model, base)) if classes is None else Labels.known(classes)
    given = as_rules(rules)
    bound = bound_rules(given, base.table, labels, None)
    space = Space(base.table, observed=False)
    rng = np.random.default_rng(random_state)
    tried = []
    for name in given.origins:
        pieces = bound.pieces(name) if name in bound.origins else ()
        wanted = likeliest(given.pieces(name)[0].outcome, labels.texts)
        trial = _Trial(model, labels, pieces, wanted, space, worst)
        tried.append(trial.run(name, rows, np.random.default_rng(rng.integers(2**63))))
    return StressReport(tuple(tried), notes=tuple(uncovering(given, base.table)))


class _Trial:
    """The trial of one rule."""

    def __init__(
        self, model: Any, labels: Labels, pieces: tuple[Rule, ...], wanted: int, space: Space, worst: int
    ) -> None:
        self.asked = Asked.about(model, labels, pieces, wanted)
        self.labels, self.wanted, self.space, self.kept = labels, wanted, space, worst
        self.draws = [one for one in (Draws(space, piece) for piece in pieces) if not one.is_empty]

    def run(self, name: str, count: int, rng: np.random.Generator) -> RuleStress:
        """Draw rows, then search."""
        label = self.labels.texts[self.wanted]
        if not self.draws:
            return RuleStress(name, label, 0, 0, float("nan"), 0, 0, None, np.empty(0), np.empty(0))
        weights = np.array([len(one.bases) + 1.0 for one in self.draws])
        strays = 0
        least: list[_Rows] = []
        left = count
        while left:
            size = min(left, STRETCH)
            left -= size
            shares = rng.multinomial(size, weights / weights.sum())
            for place, (draws, number) in enumerate(zip(self.draws, shares.tolist(), strict=True)):
                if number:
                    made = self._judged(draws.fresh(number, rng), place)
                    strays += int(made.strays.sum())
                    least.append(made.least(STARTS + self.kept))
        searched, more, found = self._search(_Rows.stacked(least).least(STARTS), rng)
        rows = _Rows.stacked([*least, *found]).least(self.kept)
        worst = rows.rows.frame if self.kept else None
        return RuleStress(
            name, label, count, strays, upper_bound(strays, count), searched, more, worst, rows.said, rows.margin
        )

    def _search(self, start: _Rows, rng: np.random.Generator) -> tuple[int, int, list[_Rows]]:
        """Move the least sure rows to where the model is less sure yet."""
        searched, strays, found, current = 0, 0, [], start
        for _ in range(ROUNDS):
            batches = []
            for place, draws in enumerate(self.draws):
                mine = np.flatnonzero(current.piece == place)
                if len(mine):
                    starts = current.take(np.repeat(mine, MOVES)).rows
                    batches.append(self._judged(draws.moved(starts, rng), place))
            moved = _Rows.stacked(batches)
            searched += len(moved.strays)
            strays += int(moved.strays.sum())
            found.append(moved.least(self.kept + 1))
            current = _Rows.stacked([current, moved]).least(STARTS)
        return searched, strays, found

    def _judged(self, rows: TypedFrame, piece: int) -> _Rows:
        strays, said = self.asked.strays(rows)
        return _Rows(rows, strays, said, self._margin(rows, strays), np.full(len(rows), piece))

    def _margin(self, rows: TypedFrame, strays: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return by how much the rule's class is ahead of any other; NaN where the model does not tell."""
        model = self.asked.model
        if hasattr(model, "predict_proba"):
            scores = ask(model, rows, "predict_proba").astype(np.float64)
        elif hasattr(model, "decision_function"):
            scores = np.asarray(model.decision_function(rows.frame), dtype=np.float64)
            scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        else:
            return np.full(len(strays), np.nan)
        if scores.shape[1] != len(self.labels.classes):
            return np.full(len(strays), np.nan)
        margin: NDArray[np.float64] = scores[:, self.wanted] - np.delete(scores, self.wanted, axis=1).max(axis=1)
        return margin


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows that a model was asked about."""

    rows: TypedFrame
    strays: NDArray[np.bool_]
    said: NDArray[Any]
    margin: NDArray[np.float64]
    piece: NDArray[np.intp]

    @classmethod
    def stacked(cls, parts: list[_Rows]) -> _Rows:
        table = parts[0].rows.table
        for part in parts[1:]:
            table = table.concat(part.rows.table)
        names = ("strays", "said", "margin", "piece")
        return cls(TypedFrame(table), *(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def take(self, places: NDArray[np.intp]) -> _Rows:
        return _Rows(
            self.rows.take(places), self.strays[places], self.said[places], self.margin[places], self.piece[places]
        )

    def least(self, count: int) -> _Rows:
        """Return the worst rows, each once: those answered otherwise first, then those with the smallest margin."""
        order = np.lexsort((np.nan_to_num(self.margin), ~self.strays))
        names = self.rows.table.schema.names
        kept: list[int] = []
        seen = set()
        for place in order.tolist():
            if len(kept) == count:
                break
            key = tuple(self.rows.table[name].values[place] for name in names)
            if key not in seen:
                seen.add(key)
                kept.append(place)
        return self.take(np.array(kept, dtype=np.intp))
