"""Class labels as codes, with the texts by which rules name them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import TableError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Labels"]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The labels of some rows.

    Parameters
    ----------
    codes : ndarray of int
        For each row, the position of its label in `classes`.

    classes : tuple
        The distinct labels, sorted, as the caller's own values.

    Examples
    --------
    >>> labels = Labels.of(["no", "yes", "no"])
    >>> labels.codes.tolist(), labels.texts
    ([0, 1, 0], ('no', 'yes'))
    """

    codes: NDArray[np.intp]
    classes: tuple[Any, ...]

    @classmethod
    def of(cls, y: Any, rows: int | None = None, *, what: str = "y") -> Labels:
        """Read labels of any kind: list, array, pandas or polars Series, or a frame of one column.

        Parameters
        ----------
        y : array-like
            The labels.

        rows : int, default=None
            How many there must be.

        what : str, default="y"
            What to call them in error messages.

        Returns
        -------
        Labels
        """
        # A list is read as objects: NumPy would make the NaN beside texts a text.
        known = y.to_numpy() if hasattr(y, "to_numpy") else y
        array = known if isinstance(known, np.ndarray) else np.array(known, dtype=object)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            raise TableError(f"{what} must be one column of labels, not an array of shape {array.shape}.")
        if rows is not None and len(array) != rows:
            raise TableError(f"{what} has {len(array):,} labels for {rows:,} rows.")
        codes, found = pd.factorize(array)
        if (codes < 0).any():
            place = int(np.flatnonzero(codes < 0)[0])
            raise TableError(f"{what} has a missing label at position {place}. Drop the rows without a label.")
        natives = found.tolist()
        try:
            order = sorted(range(len(natives)), key=natives.__getitem__)
        except TypeError:
            order = sorted(range(len(natives)), key=lambda place: str(natives[place]))
        ranks = np.empty(len(order), dtype=np.intp)
        ranks[order] = np.arange(len(order))
        return cls(ranks[codes], tuple(natives[place] for place in order))

    @property
    def texts(self) -> tuple[str, ...]:
        """The classes' texts, in order."""
        return tuple(map(str, self.classes))

    def recoded(self, texts: tuple[str, ...]) -> NDArray[np.intp]:
        """Return the labels as positions in another list of classes' texts, which must hold them all."""
        place = {text: position for position, text in enumerate(texts)}
        return np.array([place[text] for text in self.texts], dtype=np.intp)[self.codes]
