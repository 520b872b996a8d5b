"""Training data made to agree with the rules before the loop starts: contradicting rows relabelled or dropped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from frote.coverage.measures import agreement, rule_agreement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution, Ruling
    from frote.rules import Outcome

__all__ = [
    "Chance",
    "Contradictions",
    "Drop",
    "Leave",
    "Modification",
    "Relabel",
    "contradicting",
    "draw_labels",
    "share_labels",
]


def contradicting(rows: Attribution, labels: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which rows carry a label that the rule they are attributed to gives with probability 0."""
    against = np.zeros(len(labels), dtype=bool)
    for rule, agreed in enumerate(rule_agreement(rows, labels, labels)):
        against[rows.rows_of(rule)] = agreed == 0
    return against


class Chance(Protocol):
    """Where numbers from 0 up to 1 come from: a NumPy Generator, or chance that belongs to rows."""

    def random(self, size: int) -> NDArray[np.float64]:
        """Return so many numbers."""


def draw_labels(ruling: Ruling, owner: NDArray[np.intp], own: NDArray[np.intp], rng: Chance) -> NDArray[np.intp]:
    """Draw labels from the outcomes of rules.

    A class with a confidence p is drawn with p; else the row keeps its own label or, where that is the very class,
    gets another one, each as likely.

    Parameters
    ----------
    ruling : Ruling
        The rules and classes.

    owner : ndarray of int
        For each row, the rule as written whose outcome counts.

    own : ndarray of int
        The rows' own labels.

    rng : numpy Generator or Chance
        The source of chance, which is asked for a number for each row, twice.

    Returns
    -------
    ndarray of int
    """
    chance, other = rng.random(len(owner)), rng.random(len(owner))
    drawn = np.empty(len(owner), dtype=np.intp)
    for rule, outcome in enumerate(ruling.outcomes):
        rows = np.flatnonzero(owner == rule)
        if outcome.is_deterministic:
            drawn[rows] = ruling.classes.index(outcome.labels[0])
            continue
        codes = np.array([ruling.classes.index(label) for label in outcome.labels])
        ends = np.cumsum([share for _, share in outcome.probabilities])
        if not outcome.rest:
            ends /= ends[-1]  # as written they sum to 1 but for rounding
        places = np.searchsorted(ends, chance[rows], side="right")
        hit = places < len(codes)
        drawn[rows] = codes[np.minimum(places, len(codes) - 1)]
        missed = rows[~hit]
        if outcome.rest and len(missed):
            # One of the other classes: those from the class itself on are moved up by one.
            step = np.minimum((other[missed] * (len(ruling.classes) - 1)).astype(np.intp), len(ruling.classes) - 2)
            another = step + (step >= codes[0])
            drawn[missed] = np.where(own[missed] == codes[0], another, own[missed])
    return drawn


def share_labels(
    ruling: Ruling, owner: NDArray[np.intp], own: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Give labels by the outcomes of rules so that each class gets its share of a rule's rows, and not about that.

    Which rows get which label is left to chance, and so is whether a share that is no whole number of rows is rounded
    up or down: on the mean each class gets its share exactly. Where a confidence leaves something over, what becomes of
    it depends on the row's own label (see `draw_labels`): then rows of one own label are shared out together.

    Parameters
    ----------
    ruling, owner, own, rng
        As for `draw_labels`.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> import frote
    >>> from frote.coverage.ruling import Ruling
    >>> ruling = Ruling.of(frote.parse_rules("IF age < 29 THEN {no: 0.2, yes: 0.8}"), ("no", "yes"))
    >>> rows = np.zeros(50, dtype=np.intp)
    >>> np.bincount(share_labels(ruling, rows, rows, np.random.default_rng(0))).tolist()
    [10, 40]
    """
    labels = np.empty(len(owner), dtype=np.intp)
    for rule, outcome in enumerate(ruling.outcomes):
        rows = np.flatnonzero(owner == rule)
        groups = [rows[own[rows] == code] for code in np.unique(own[rows])] if outcome.rest else [rows]
        for group in groups:
            shares = outcome_shares(outcome, int(own[group[0]]) if len(group) else -1, ruling.classes)
            ends = np.floor(np.cumsum(shares) * len(group) + rng.random()).astype(np.intp)
            ends[-1] = len(group)  # what is left over of the sum by rounding
            counts = np.diff(np.minimum(ends, len(group)), prepend=0)
            labels[rng.permutation(group)] = np.repeat(np.arange(len(shares)), counts)
    return labels


def outcome_shares(outcome: Outcome, own: int, classes: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the probability that an outcome gives each class to a row of some own label; see `draw_labels`."""
    every = np.arange(len(classes))
    shares = agreement(outcome, every, np.full(len(every), own), classes)
    total: float = shares.sum()
    return shares / total  # as written they sum to 1 but for rounding


@dataclass(frozen=True, eq=False)
class Contradictions:
    """The training data and where it contradicts the rules.

    Parameters
    ----------
    rows : Attribution
        The rows, and what the rules say of them: ``rows.table``, ``rows.owner``, the rule as written that each row is
        attributed to (-1: none), and ``rows.ruling``.

    labels : ndarray of int
        Their labels, as codes of ``rows.ruling.classes``.

    by_quota : bool, default=True
        Whether each class gets its share of the rows that are labelled anew; else labels are drawn by lot.
    """

    rows: Attribution
    labels: NDArray[np.intp]
    by_quota: bool = True

    @cached_property
    def against(self) -> NDArray[np.bool_]:
        """Which rows carry a label that their rule gives with probability 0."""
        return contradicting(self.rows, self.labels)

    def redrawn(self, which: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.intp]:
        """Return the labels, those of some covered rows given anew by the outcome of their rule."""
        changed = self.labels.copy()
        if which.any():
            give = share_labels if self.by_quota else draw_labels
            changed[which] = give(self.rows.ruling, self.rows.owner[which], self.labels[which], rng)
        return changed


class Modification(Protocol):
    """What becomes of rows that contradict the rules, before the loop starts.

    Examples
    --------
    A modification of one's own, which relabels rows of one rule and drops those of all others:

    >>> class RelabelFirst:
    ...     def modify(self, contradictions, rng):
    ...         first = contradictions.against & (contradictions.rows.owner == 0)
    ...         return ~contradictions.against | first, contradictions.redrawn(first, rng)
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> rules = frote.parse_rules('''
    ...     young: IF age < 29 AND defaults = 0 THEN approved
    ...     clean: IF age >= 29 AND defaults = 0 THEN approved
    ... ''')
    >>> editor = frote.FROTE(rules=rules, modify=RelabelFirst(), max_fits=0, random_state=0)
    >>> editor.fit(loans.X, loans.y).ledger_.groupby("rule")["status"].value_counts().to_dict()
    {('', 'kept'): 428, ('clean', 'dropped'): 15, ('young', 'relabelled'): 57}
    """

    def modify(
        self, contradictions: Contradictions, rng: np.random.Generator
    ) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Return which rows stay, and the labels of all rows."""


@dataclass(frozen=True, slots=True)
class Relabel:
    """Contradicting rows get a label by the outcome of their rule."""

    def modify(
        self, contradictions: Contradictions, rng: np.random.Generator
    ) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Keep every row."""
        return np.ones(len(contradictions.labels), dtype=bool), contradictions.redrawn(contradictions.against, rng)


@dataclass(frozen=True, slots=True)
class Drop:
    """Contradicting rows are left out."""

    def modify(
        self,
        contradictions: Contradictions,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Keep the others."""
        return ~contradictions.against, contradictions.labels


@dataclass(frozen=True, slots=True)
class Leave:
    """Contradicting rows stay as they are."""

    def modify(
        self,
        contradictions: Contradictions,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Keep every row and label."""
        return np.ones(len(contradictions.labels), dtype=bool), contradictions.labels
