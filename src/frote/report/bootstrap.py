"""How far scores vary from one sample of such rows to another: bootstrap intervals, from predictions made once.

Rows of one cell (the same rule, label and predictions) count alike, and there are few cells. To draw rows with
replacement is to draw how many fall into each cell, so a resample costs a few numbers, however many rows there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Cells"]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Rows as cells that count alike.

    Parameters
    ----------
    counts : ndarray of int
        How many rows each cell has.

    covered : ndarray of bool
        Whether a rule covers them.

    own : ndarray of int
        Their label, as a code.

    codes : dict of str to ndarray of int
        What each model predicts for them, as codes; -1 for a class that is none of the labels'.

    agreed : dict of str to ndarray of float
        How far that agrees with their rule; NaN outside all rules.

    Examples
    --------
    >>> owner, own = np.array([0, 0, -1, -1]), np.array([1, 1, 0, 0])
    >>> cells = Cells.of(owner, own, {"model": np.array([1, 0, 0, 0])}, {"model": np.array([1, 0, np.nan, np.nan])})
    >>> cells.counts.tolist()
    [2, 1, 1]
    >>> cells.scores(cells.counts[np.newaxis], "model")
    {'agreement': array([0.5]), 'f1': array([1.]), 'f1_macro': array([1.]), 'objective': array([0.75])}
    """

    counts: NDArray[np.intp]
    covered: NDArray[np.bool_]
    own: NDArray[np.intp]
    codes: Mapping[str, NDArray[np.intp]]
    agreed: Mapping[str, Floats]

    @classmethod
    def of(
        cls,
        owner: NDArray[np.intp],
        own: NDArray[np.intp],
        codes: Mapping[str, NDArray[np.intp]],
        agreed: Mapping[str, Floats],
    ) -> Cells:
        """Sort rows into cells.

        Parameters
        ----------
        owner : ndarray of int
            The rule that each row is attributed to, -1 for none.

        own, codes, agreed
            As in the class, for each row.

        Returns
        -------
        Cells
        """
        keys = owner
        for more in (own, *codes.values()):
            # Numbered anew each time: products of many classes would not fit in a number.
            keys = np.unique(keys, return_inverse=True)[1] * (int(more.max(initial=0)) + 2) + more
        _, first, counts = np.unique(keys, return_index=True, return_counts=True)
        return cls(
            counts,
            owner[first] >= 0,
            own[first],
            {name: per_row[first] for name, per_row in codes.items()},
            {name: per_row[first] for name, per_row in agreed.items()},
        )

    def draw(self, draws: int, seed: int) -> NDArray[np.intp]:
        """Draw as many rows as there are, with replacement, and count the cells; of shape (draws, cells)."""
        total = int(self.counts.sum())
        drawn: NDArray[np.intp] = np.random.default_rng(seed).multinomial(total, self.counts / total, size=draws)
        return drawn

    def scores(self, counts: NDArray[np.intp], model: str) -> dict[str, Floats]:
        """Return a model's scores, as `frote.score` has them, for each of some counts of cells.

        Parameters
        ----------
        counts : ndarray of int, shape (draws, cells)
            How many rows of each cell there are.

        model : str
            Whose predictions count.

        Returns
        -------
        dict of str to ndarray of float
            Agreement, weighted and macro F1 outside coverage, and the objective by coverage, which has weighted F1; NaN
            where one is not defined.
        """
        inside, outside = counts[:, self.covered], counts[:, ~self.covered]
        covered, uncovered = inside.sum(axis=1), outside.sum(axis=1)
        agreement = _shares(inside @ self.agreed[model][self.covered], covered)
        f1, f1_macro = self._f1(outside, model, uncovered)
        share = covered / (covered + uncovered)
        joined = share * agreement + (1 - share) * f1
        objective = np.where(covered == 0, f1, np.where(uncovered == 0, agreement, joined))
        return {"agreement": agreement, "f1": f1, "f1_macro": f1_macro, "objective": objective}

    def _f1(self, outside: NDArray[np.intp], model: str, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Return F1 as `f1_from_codes` has it, weighted and macro."""
        own, predicted = self.own[~self.covered], self.codes[model][~self.covered]
        classes = np.union1d(own, predicted)
        is_class, guessed = own[:, np.newaxis] == classes, predicted[:, np.newaxis] == classes
        actual = outside @ is_class.astype(np.intp)
        hits = outside @ (is_class & guessed).astype(np.intp)
        seen = actual + outside @ guessed.astype(np.intp)
        # A class without rows in a draw has no weight in its mean.
        each = np.divide(2.0 * hits, seen, out=np.zeros(hits.shape), where=seen > 0)
        weighted: Floats = np.sum(actual * each, axis=1)
        return _shares(weighted, rows), _shares(np.sum(each, axis=1), np.count_nonzero(seen, axis=1))


def _shares(total: Floats, rows: NDArray[np.intp]) -> Floats:
    """Divide by the number of rows; NaN where there are none."""
    shares: Floats = np.divide(total, rows, out=np.full(len(rows), np.nan), where=rows > 0)
    return shares
