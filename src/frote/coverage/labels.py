"""Class labels as codes, with the texts by which rules name them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import TableError
from frote.table import lent

if TYPE_CHECKING:
    from collections.abc import Iterable

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

    def match(self, others: Iterable[Any]) -> list[int]:
        """Return the code of each of some labels, by value or else by text; -1 for one that is no class.

        Examples
        --------
        >>> Labels.of([True, False]).match([1, "False", "maybe"])
        [1, 0, -1]
        """
        by_value = {label: code for code, label in enumerate(self.classes)}
        by_text = {text: code for code, text in enumerate(self.texts)}
        return [by_value.get(label, by_text.get(str(label), -1)) for label in others]

    def codes_of(self, model: Any, X: Any, rows: int) -> NDArray[np.intp]:
        """Return what a model predicts for some rows, as codes of these classes; -1 for any other class.

        Raises
        ------
        TableError
            If it predicts none of the classes, or is nothing that predicts.
        """
        if not hasattr(model, "predict"):
            hint = " Its model is in estimator_." if hasattr(model, "estimator_") else ""
            raise TableError(f"{type(model).__name__} has no predict.{hint}")
        codes = self.codes_for(model.predict(lent(X)))
        if len(codes) != rows:
            raise TableError(f"The model's prediction has {len(codes):,} labels for {rows:,} rows.")
        return codes

    def codes_for(self, predicted: Any) -> NDArray[np.intp]:
        """Return predictions as codes of these classes; see `codes_of`."""
        array = np.asarray(predicted)
        array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
        places, found = pd.factorize(array)
        natives = found.tolist()
        known = np.array([*self.match(natives), -1], dtype=np.intp)
        if natives and (known[:-1] < 0).all():
            raise TableError(f"The model predicts {natives[0]!r}, which is none of the classes {list(self.texts)}.")
        codes: NDArray[np.intp] = known[places]
        return codes

    @property
    def texts(self) -> tuple[str, ...]:
        """The classes' texts, in order."""
        return tuple(map(str, self.classes))

    def recoded(self, texts: tuple[str, ...]) -> NDArray[np.intp]:
        """Return the labels as positions in another list of classes' texts, which must hold them all."""
        place = {text: position for position, text in enumerate(texts)}
        return np.array([place[text] for text in self.texts], dtype=np.intp)[self.codes]
