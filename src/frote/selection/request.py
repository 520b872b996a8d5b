"""What a selection is asked and what it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.coverage.population import Population
    from frote.generation.space import Points

__all__ = ["Choice", "Request", "Selection", "shares"]


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """How many base rows are wanted from where, and what is known of the data.

    Parameters
    ----------
    populations : list of list of Population
        For each rule as written, the base populations of its pieces.

    quotas : tuple of int
        For each rule as written, how many synthetic rows are wanted.

    neighbours : int
        How many neighbours a base row has; the least number of base rows per rule is one more.

    points : Points
        All rows of the training data.

    labels, owner, predicted : ndarray of int
        Their labels, the rule as written each is attributed to (-1: none), and what the current model predicts.

    targets : ndarray of float, shape (rules, classes)
        The probability that each rule as written gives to each class.
    """

    populations: list[list[Population]]
    quotas: tuple[int, ...]
    neighbours: int
    points: Points
    labels: NDArray[np.intp]
    owner: NDArray[np.intp]
    predicted: NDArray[np.intp]
    targets: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The base rows chosen.

    Parameters
    ----------
    piece : ndarray of int
        The rule that each is to make a synthetic row for.

    base : ndarray of int
        The positions of the base rows.
    """

    piece: NDArray[np.intp]
    base: NDArray[np.intp]

    @classmethod
    def of(cls, parts: Sequence[tuple[int, NDArray[np.intp]]]) -> Choice:
        """Put together the base rows chosen for each of some rules."""
        pieces = [np.full(len(rows), piece, dtype=np.intp) for piece, rows in parts]
        empty = np.empty(0, dtype=np.intp)
        return cls(np.concatenate([empty, *pieces]), np.concatenate([empty, *(rows for _, rows in parts)]))


class Selection(ABC):
    """A way to choose base rows."""

    asks_model: ClassVar[bool] = False  # whether it needs to know what the current model predicts
    chooses_made: ClassVar[bool] = False  # whether it draws more base rows than wanted, and chooses among rows made

    @abstractmethod
    def draw(self, request: Request, rng: np.random.Generator) -> Choice:
        """Choose base rows; more than are wanted if `keep` is to have a choice."""

    def keep(
        self,
        request: Request,  # noqa: ARG002
        made: Points,
        labels: NDArray[np.intp],  # noqa: ARG002
        origin: NDArray[np.intp],  # noqa: ARG002
    ) -> NDArray[np.intp]:
        """Choose among the synthetic rows made from them, of which each belongs to a rule as written: here, all."""
        return np.arange(len(made))


def shares(total: int, weights: Sequence[float]) -> tuple[int, ...]:
    """Share a number out in proportion to weights; what rounding leaves goes to the largest remainders.

    Examples
    --------
    >>> shares(20, [1, 1, 1])
    (7, 7, 6)
    >>> shares(5, [0, 0])
    (3, 2)
    """
    if not len(weights):
        return ()
    parts = np.asarray(weights, dtype=np.float64)
    parts = np.ones(len(parts)) if parts.sum() <= 0 else parts
    exact = total * parts / parts.sum()
    whole = np.floor(exact).astype(np.intp)
    # Rounded, so that equal remainders are equal and the first of them comes first.
    first = np.argsort(-(exact - whole).round(9), kind="stable")[: total - int(whole.sum())]
    whole[first] += 1
    return tuple(whole.tolist())
