"""Labels made to agree with the rules by partitions: what becomes of a row depends on the row and its key alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from frote.keys import shares
from frote.loop.modify import contradicting, draw_labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution
    from frote.loop.modify import Contradictions

__all__ = ["ByKeys", "keyed"]


class _Keyed:
    """Chance that belongs to rows; each time it is asked it is for another purpose."""

    def __init__(self, keys: NDArray[np.int64], seed: int) -> None:
        self._numbers: Iterator[NDArray[np.float64]] = iter(
            shares(keys, seed, purpose) for purpose in ("labels", "other labels")
        )

    def random(self, size: int) -> NDArray[np.float64]:
        numbers = next(self._numbers)
        assert len(numbers) == size  # one for each row
        return numbers


def keyed(
    rows: Attribution, labels: NDArray[np.intp], keys: NDArray[np.int64], how: str, seed: int
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return which rows stay, and the labels of all of them.

    Parameters
    ----------
    rows : Attribution
        The rows.

    labels : ndarray of int
        Their labels, as codes.

    keys : ndarray of int
        Their positions in the whole.

    how : {"relabel", "drop", "none"}
        What becomes of rows that contradict their rule.

    seed : int
        Where the chance comes from.

    Returns
    -------
    kept, changed : ndarray of bool, ndarray of int
    """
    every = np.ones(len(labels), dtype=bool)
    if how == "none":
        return every, labels
    against = contradicting(rows, labels)
    if how == "drop":
        return ~against, labels
    changed, which = labels.copy(), np.flatnonzero(against)
    changed[which] = draw_labels(rows.ruling, rows.owner[which], labels[which], _Keyed(keys[which], seed))
    return every, changed


@dataclass(frozen=True, slots=True, eq=False)
class ByKeys:
    """The same as a modification of the rows that were brought to one place.

    Parameters
    ----------
    keys : ndarray of int
        Their positions in the whole.

    how : {"relabel", "drop", "none"}
        What becomes of rows that contradict their rule.

    seed : int
        Where the chance comes from.
    """

    keys: NDArray[np.int64]
    how: str
    seed: int

    def __repr__(self) -> str:
        return repr(self.how)

    def modify(
        self,
        contradictions: Contradictions,
        rng: np.random.Generator,  # noqa: ARG002
    ) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Return which rows stay, and the labels of all of them."""
        return keyed(contradictions.rows, contradictions.labels, self.keys, self.how, self.seed)
