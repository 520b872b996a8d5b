"""Training data made to agree with the rules before the loop starts: contradicting rows relabelled or dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frote.coverage.measures import rule_agreement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution, Ruling

__all__ = ["contradicting", "draw_labels", "modify"]


def contradicting(rows: Attribution, labels: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which rows carry a label that the rule they are attributed to gives with probability 0."""
    found = np.zeros(len(labels), dtype=bool)
    for rule, agreed in enumerate(rule_agreement(rows, labels, labels)):
        found[rows.rows_of(rule)] = agreed == 0
    return found


def draw_labels(
    ruling: Ruling, owner: NDArray[np.intp], own: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
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

    rng : numpy Generator
        The source of chance.

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


def modify(
    rows: Attribution, how: str, labels: NDArray[np.intp], rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Make labels agree with the rules.

    Parameters
    ----------
    rows : Attribution
        The rows.

    how : {"relabel", "drop", "none"}
        What to do with rows whose label their rule rules out.

    labels : ndarray of int
        Their labels.

    rng : numpy Generator
        For outcomes that leave a choice.

    Returns
    -------
    kept : ndarray of bool
        The rows that stay.

    labels : ndarray of int
        The labels of all rows, those of contradicting ones new if they are relabelled.
    """
    against = contradicting(rows, labels)
    if how == "drop":
        return ~against, labels
    changed = labels.copy()
    if how == "relabel" and against.any():
        changed[against] = draw_labels(rows.ruling, rows.owner[against], labels[against], rng)
    return np.ones(len(labels), dtype=bool), changed
