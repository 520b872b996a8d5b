"""How a prediction is made from probabilities where a threshold or costs are given, and which label is the good one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.exceptions import ModelError, TableError
from frote.ways_out import way_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.labels import Labels

__all__ = ["Decision", "unsaid"]


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """How rows are decided on, for classes that are known.

    Parameters
    ----------
    classes : tuple of str
        The texts of the classes.

    favourable : int or None, default=None
        The label that people hope for, as a position in `classes`.

    threshold : float or None, default=None
        The probability from which on a row gets that label; there are two classes then.

    cost : ndarray of float or None, default=None
        What it costs to give a row of one class (lines) another one (columns).

    Examples
    --------
    >>> from frote.coverage.labels import Labels
    >>> lender = Decision.of(Labels.known(["approved", "denied"]), favourable="approved", threshold=0.7)
    >>> lender.decided(np.array([0, 0]), np.array([[0.7, 0.3], [0.6, 0.4]]))
    array([0, 1])
    >>> lender.told
    'Decided at a threshold: approved where its probability is at least 0.7, else denied.'
    """

    classes: tuple[str, ...]
    favourable: int | None = None
    threshold: float | None = None
    cost: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        labels: Labels,
        *,
        favourable: Any = None,
        threshold: float | None = None,
        cost: Mapping[Any, Mapping[Any, float]] | None = None,
    ) -> Decision:
        """Read how rows are decided on, or say what cannot be.

        Parameters
        ----------
        labels : Labels
            All classes.

        favourable : label or None, default=None
            The label that people hope for.

        threshold : float or None, default=None
            The probability of it from which on it is given.

        cost : mapping of label to mapping of prediction to float, or None, default=None
            What a prediction costs, by the label that is right; nothing if it is not said.

        Returns
        -------
        Decision

        Raises
        ------
        TableError
            If a label is none of the classes, or a threshold or a cost is none.
        """
        code = None if favourable is None else _code(labels, favourable, "favourable")
        if threshold is not None:
            code = _require_threshold(labels, code, threshold)
        return cls(labels.texts, code, threshold, _matrix(labels, cost) if cost else None)

    @property
    def by_chances(self) -> bool:
        """Whether rows are decided on by probabilities, and not by what the model predicts."""
        return self.threshold is not None or self.cost is not None

    @property
    def told(self) -> str:
        """How rows are decided on, in a sentence; nothing if it is as the model predicts."""
        if self.threshold is not None and self.favourable is not None:
            return (
                f"Decided at a threshold: {self.classes[self.favourable]} where its probability is at least "
                f"{self.threshold:g}, else {self.classes[1 - self.favourable]}."
            )
        if self.cost is not None:
            return (
                "Decided by cost: each row gets the label whose expected cost is least, by the model's probabilities."
            )
        return ""

    def require_chances(self, chances: NDArray[np.float64] | None, who: str) -> None:
        """Refuse a model without probabilities where a threshold needs them.

        Raises
        ------
        ModelError
            If so.
        """
        if self.threshold is not None and chances is None:
            given = way_out("threshold", "--threshold")
            raise ModelError(f"{given} is on probabilities, and {who} has no predict_proba. Leave it out.")

    def decided(self, predicted: NDArray[np.intp], chances: NDArray[np.float64] | None) -> NDArray[np.intp]:
        """Return what rows get.

        Parameters
        ----------
        predicted : ndarray of int
            What the model predicts.

        chances : ndarray of float, shape (rows, classes), or None
            Its probabilities, if it has any.

        Returns
        -------
        ndarray of int
        """
        if chances is None or not self.by_chances:
            return predicted
        if self.threshold is not None and self.favourable is not None:
            given = chances[:, self.favourable] >= self.threshold
            return np.where(given, self.favourable, 1 - self.favourable)
        assert self.cost is not None
        least: NDArray[np.intp] = (chances @ self.cost).argmin(axis=1)
        return least


def unsaid(labels: Labels, why: str) -> TableError:
    """Return the error of a favourable label that is needed and was not said; it names the labels."""
    label = labels.classes[0]
    way = way_out(f"favourable={label!r}", f"--favourable {label}", f"{label!r}, in the data room")
    return TableError(f"{why} The labels are {_listed(labels)}: say which, such as {way}.")


def _require_threshold(labels: Labels, favourable: int | None, threshold: Any) -> int:
    """Return the label that a threshold is on, or say why it cannot be."""
    name = way_out("threshold", "--threshold")
    if isinstance(threshold, bool) or not isinstance(threshold, Real) or not 0 <= float(threshold) <= 1:
        raise TableError(f"{name} is a probability, from 0 to 1, not {threshold!r}.")
    if len(labels.classes) != 2:
        raise TableError(
            f"{name} parts two classes, and here are {len(labels.classes)} ({_listed(labels)}). Leave it out, or say "
            f"{way_out('cost', '--cost')}."
        )
    if favourable is None:
        raise unsaid(labels, f"{name} is on the probability of one label, and none was said.")
    return favourable


def _matrix(labels: Labels, cost: Any) -> NDArray[np.float64]:
    """Return costs as a matrix; whatever a caller or a record gives."""
    matrix = np.zeros((len(labels.classes), len(labels.classes)))
    for label, by_prediction in cost.items() if isinstance(cost, Mapping) else [(None, None)]:
        if not isinstance(by_prediction, Mapping):
            example = {labels.classes[0]: {labels.classes[-1]: 5}}
            raise TableError(f"{way_out('cost', '--cost')} is given by label and prediction, such as {example}.")
        for predicted, value in by_prediction.items():
            if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
                raise TableError(f"The cost of {label!r} predicted as {predicted!r} is a number, not {value!r}.")
            matrix[_code(labels, label, "cost"), _code(labels, predicted, "cost")] = value
    return matrix


def _code(labels: Labels, label: Any, what: str) -> int:
    code = labels.match([label])[0]
    if code < 0:
        raise TableError(f"{way_out(what, f'--{what}')}: {label!r} is no label; these are {_listed(labels)}.")
    return code


def _listed(labels: Labels) -> str:
    return ", ".join(map(repr, labels.classes))
