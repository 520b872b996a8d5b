"""How good predictions are: agreement with the rules inside their coverage, F1 outside it, and both together.

Both together is the paper's J-bar, the weighted mean of the two. By its weight and its rows it is the training
objective, the objective by coverage or the objective by population: see the words in ``docs/how_it_works.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from frote.coverage.f1 import f1_from_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution
    from frote.rules import Outcome

__all__ = [
    "Scores",
    "Weight",
    "agreement",
    "at_share",
    "f1_outside",
    "row_agreement",
    "rule_agreement",
    "scored",
    "scored_by_counts",
    "with_guards",
    "with_loss",
    "with_probes",
]

Weight: TypeAlias = 'float | Literal["coverage"]'  # of agreement; "coverage" is the share of rows that are covered


def agreement(
    outcome: Outcome,
    predicted: NDArray[np.intp],
    own: NDArray[np.intp] | None,
    classes: Sequence[str],
) -> NDArray[np.float64]:
    """Return for each row the probability that the outcome gives the predicted label.

    A class with confidence p gives itself with p and, with 1 - p, the row's own label; where the own label is that
    very class, 1 - p is spread evenly over the others. Where own labels are unknown, it is spread so for every row.

    Parameters
    ----------
    outcome : Outcome
        The rule's outcome.

    predicted : ndarray of int
        Predicted labels, as positions in `classes`; -1 for a label that is none of them.

    own : ndarray of int or None
        The rows' own labels, likewise.

    classes : sequence of str
        The texts of the classes.

    Returns
    -------
    ndarray of float

    Examples
    --------
    >>> from frote.rules import Outcome
    >>> sure = Outcome.of("approved", confidence=0.8)
    >>> print(agreement(sure, np.array([0, 1]), np.array([1, 1]), ["approved", "denied"]).round(3))
    [0.8 0.2]
    """
    named = np.array([*(outcome[label] for label in classes), 0.0])  # the last one for -1
    chances: NDArray[np.float64] = named[predicted]
    if not outcome.rest:
        return chances
    target = classes.index(outcome.labels[0])
    others = max(len(classes) - 1, 1)
    spread = (predicted != target) & (predicted >= 0)
    if own is None:
        return np.where(spread, outcome.rest / others, chances)
    kept = spread & (own != target) & (predicted == own)
    drawn = spread & (own == target)
    return np.where(kept, outcome.rest, np.where(drawn, outcome.rest / others, chances))


def rule_agreement(
    rows: Attribution, predicted: NDArray[np.intp], own: NDArray[np.intp] | None
) -> list[NDArray[np.float64]]:
    """Return for each rule as written how far predictions agree with it, on the rows that are attributed to it.

    Parameters
    ----------
    rows : Attribution
        The rows.

    predicted : ndarray of int
        The predictions, as positions in the ruling's classes; -1 for a label that is none of them.

    own : ndarray of int or None
        The rows' own labels, likewise, where they are known.

    Returns
    -------
    list of ndarray of float
    """
    per_rule = []
    for rule, outcome in enumerate(rows.ruling.outcomes):
        mine = rows.rows_of(rule)
        per_rule.append(agreement(outcome, predicted[mine], None if own is None else own[mine], rows.ruling.classes))
    return per_rule


def row_agreement(rows: Attribution, predicted: NDArray[np.intp], own: NDArray[np.intp] | None) -> NDArray[np.float64]:
    """Return how far each prediction agrees with the rule that its row is attributed to; NaN outside all rules.

    The parameters are those of `rule_agreement`.
    """
    per_row = np.full(len(rows.owner), np.nan)
    for rule, agreed in enumerate(rule_agreement(rows, predicted, own)):
        per_row[rows.rows_of(rule)] = agreed
    return per_row


def f1_outside(
    rows: Attribution, predicted: NDArray[np.intp], labels: NDArray[np.intp], average: str = "weighted"
) -> float:
    """Return F1 outside coverage; NaN if every row is covered."""
    beyond = rows.outside
    if not len(beyond):
        return math.nan
    return f1_from_codes(labels[beyond], predicted[beyond], len(rows.ruling.classes), average)


@dataclass(frozen=True, slots=True)
class Scores:
    """How good a model's predictions are for some rows.

    Parameters
    ----------
    objective : float
        The weighted mean of agreement and F1; the other one where one of them is undefined. Which objective it is, the
        weight and the rows say.

    agreement : float
        The mean over covered rows of the probability that their rule gives the prediction; NaN if none is covered.

    per_rule : tuple of float
        The same for each rule as written.

    outside : float
        The score outside coverage; NaN if every row is covered.

    covered : tuple of int
        How many rows are attributed to each rule.

    uncovered : int
        How many rows lie outside coverage.

    loss : float or None, default=None
        The loss outside: by how much it is worse there than the initial model, on rows and guards; None where that
        one is not known.
    """

    objective: float
    agreement: float
    per_rule: tuple[float, ...]
    outside: float
    covered: tuple[int, ...]
    uncovered: int
    loss: float | None = None


def scored(
    rows: Attribution,
    predicted: NDArray[np.intp],
    labels: NDArray[np.intp],
    own: NDArray[np.intp],
    *,
    weight: Weight = "coverage",
    outside: Callable[[NDArray[np.intp]], float] | None = None,
) -> Scores:
    """Score predictions.

    Parameters
    ----------
    rows : Attribution
        The rows.

    predicted : ndarray of int
        What a model predicts for them, as positions in the ruling's classes; -1 for a class that is none of them.

    labels, own : ndarray of int
        The rows' labels, by which those outside coverage are judged, and their own labels before any modification.

    weight : float or "coverage", default="coverage"
        How much agreement counts; ``"coverage"`` takes the share of rows that are covered, as the paper's tests do.

    outside : callable, default=None
        Gives the score of the rows outside coverage, by their positions; None means weighted F1.

    Returns
    -------
    Scores
    """
    agreed = rule_agreement(rows, predicted, own)
    counts = tuple(map(len, agreed))
    covered, beyond = sum(counts), rows.outside
    score = f1_outside(rows, predicted, labels) if outside is None else outside(beyond) if len(beyond) else math.nan
    total = 0.0
    for one in agreed:
        total += float(one.sum())  # not by sum(), which rounds otherwise from one Python to another
    inside = total / covered if covered else math.nan
    value = _weighed(inside, score, covered, len(beyond), weight)
    return Scores(value, inside, tuple(map(_mean, agreed)), score, counts, len(beyond))


def scored_by_counts(
    agreed: Sequence[float], covered: Sequence[int], uncovered: int, outside: float, *, weight: Weight = "coverage"
) -> Scores:
    """Put scores together where rows were counted: the mean agreement with each rule, its rows, and F1 outside.

    Examples
    --------
    >>> scored_by_counts([0.5, math.nan], [2, 0], 2, 1.0).objective
    0.75
    """
    inside = sum(mean * rows for mean, rows in zip(agreed, covered, strict=True) if rows)
    inside = inside / sum(covered) if sum(covered) else math.nan
    value = _weighed(inside, outside, sum(covered), uncovered, weight)
    return Scores(value, inside, tuple(agreed), outside, tuple(covered), uncovered)


def with_probes(
    scores: Scores, probes: Attribution, predicted: NDArray[np.intp], own: NDArray[np.intp], *, weight: Weight
) -> Scores:
    """Take probes into account: each rule's agreement is the mean of that on rows and that on probes.

    Every rule counts alike, however many rows of the data it covers: at the rows to come it may be otherwise.

    Parameters
    ----------
    scores : Scores
        On the rows of the data.

    probes : Attribution
        Rows inside coverage, each attributed to the rule it was made for.

    predicted, own : ndarray of int
        What the model predicts for them, and their own labels.

    weight : float or "coverage"
        As for `scored`.

    Returns
    -------
    Scores
    """
    on_probes = map(_mean, rule_agreement(probes, predicted, own))
    per_rule = [_known_mean(pair) for pair in zip(scores.per_rule, on_probes, strict=True)]
    inside = _known_mean(per_rule)
    value = _weighed(inside, scores.outside, sum(scores.covered), scores.uncovered, weight)
    return replace(scores, objective=value, agreement=inside, per_rule=tuple(per_rule))


def with_loss(scores: Scores, initial: float) -> Scores:
    """Say by how much a model is worse outside coverage than the initial one, given that one's score there."""
    return replace(scores, loss=max(initial - scores.outside, 0.0) if scores.uncovered else 0.0)


def with_guards(scores: Scores, cost: float, *, weight: Weight) -> Scores:
    """Take guards into account: what answers to them cost is taken from the score outside coverage.

    The loss outside is the larger one of what is lost on rows and on guards, so that neither hides the other.

    Parameters
    ----------
    scores : Scores
        On the rows of the data, with probes or not.

    cost : float
        What its answers to guards cost on the mean; NaN if there is no guard.

    weight : float or "coverage"
        As for `scored`.

    Returns
    -------
    Scores
    """
    if math.isnan(cost):
        return scores
    beyond = (1.0 if math.isnan(scores.outside) else scores.outside) - cost
    value = _weighed(scores.agreement, beyond, sum(scores.covered), scores.uncovered, weight)
    return replace(scores, objective=value, loss=max(scores.loss or 0.0, cost))


def at_share(inside: float, beyond: float, share: float) -> float:
    """Return the objective on rows of which a given share is covered, whatever share of the rows judged is.

    Parameters
    ----------
    inside, beyond : float
        Agreement inside coverage and the score outside it, on the rows judged; NaN where it is not known.

    share : float
        The share that is covered, such as that of the data as they came.

    Returns
    -------
    float
        NaN if something that counts is not known.

    Examples
    --------
    Half of the rows judged are covered, and a tenth of the population:

    >>> round(at_share(0.5, 1.0, 0.5), 3), round(at_share(0.5, 1.0, 0.1), 3)
    (0.75, 0.95)
    >>> at_share(0.5, math.nan, 1.0), at_share(0.5, math.nan, 0.9)
    (0.5, nan)
    """
    # What has no weight need not be known.
    return (share * inside if share else 0.0) + ((1 - share) * beyond if share < 1 else 0.0)


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else math.nan


def _known_mean(values: Sequence[float]) -> float:
    """Return the mean of those that are defined."""
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan


def _weighed(inside: float, beyond: float, covered: int, uncovered: int, weight: Weight) -> float:
    """Return the weighted mean of agreement and the score outside, or the one of them that is defined."""
    if math.isnan(inside):
        return beyond
    if math.isnan(beyond):
        return inside
    if weight == "coverage":
        weight = covered / (covered + uncovered) if covered else 0.5
    return at_share(inside, beyond, weight)
