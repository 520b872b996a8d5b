"""What models answer, looked at once: a label, or probabilities, for each row that they were asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CHECKS", "chances_of", "classes_of", "labels_of"]

SLACK = 1e-6  # how far beyond 0 and 1 a probability may be for its rounding


def labels_of(said: Any, rows: int, who: str) -> NDArray[Any]:
    """Return what a model's `predict` gave as an array of one label for each row.

    Parameters
    ----------
    said : object
        What it gave.

    rows : int
        How many rows it was asked about.

    who : str
        What to call the model in messages.

    Returns
    -------
    ndarray
        A new one: some models use theirs again.

    Raises
    ------
    ModelError
        If that is anything but a label for each row.

    Examples
    --------
    >>> labels_of([["no"], ["yes"]], 2, "Mine").tolist()
    ['no', 'yes']
    >>> labels_of(["no"], 2, "Mine")
    Traceback (most recent call last):
    frote.exceptions.ModelError: predict of Mine gave 1 label for 2 rows. A classifier gives one for each row.
    """
    array = _as_array(said)
    if array is not None and array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array is None or array.ndim != 1:
        raise _strange(said, array, rows, who, "predict", "one label for each row")
    if len(array) != rows:
        labels = f"{len(array):,} label{'' if len(array) == 1 else 's'}"
        raise ModelError(f"predict of {who} gave {labels} for {rows:,} rows. A classifier gives one for each row.")
    gone = _missing(said, array)
    if gone.any():
        row = int(gone.argmax())
        raise ModelError(f"predict of {who} gave no label for row {row}, but {array[row]!r}.")
    if array.dtype.kind == "O":
        odd = next((kind for kind in set(map(type, array)) if getattr(kind, "__hash__", None) is None), None)
        if odd is not None:
            raise ModelError(f"predict of {who} gave objects of type {odd.__name__}, which are no labels.")
    return array


def chances_of(said: Any, rows: int, who: str) -> NDArray[Any]:
    """Return what a model's `predict_proba` gave as an array with a line for each row.

    Parameters
    ----------
    said, rows, who
        As for `labels_of`.

    Returns
    -------
    ndarray, shape (rows, classes)
        A new one.

    Raises
    ------
    ModelError
        If that is anything but probabilities for each row.

    Examples
    --------
    >>> chances_of([[0.5, 0.5], [float("nan"), 1.0]], 2, "Mine")
    Traceback (most recent call last):
    frote.exceptions.ModelError: predict_proba of Mine gave nan for row 1, which is no probability.
    """
    array = _as_array(said)
    if array is not None and array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            array = None
    if array is None or array.ndim != 2 or len(array) != rows or array.dtype.kind not in "biuf":
        raise _strange(said, array, rows, who, "predict_proba", "a line of probabilities for each row")
    odd = ~((array >= -SLACK) & (array <= 1 + SLACK))
    if odd.any():
        row, column = (int(place[0]) for place in np.nonzero(odd))
        worst = array[row, column]
        raise ModelError(f"predict_proba of {who} gave {worst:g} for row {row}, which is no probability.")
    return array


def classes_of(model: Any) -> list[Any] | None:
    """Return the classes that a model tells of, None if it tells none.

    Raises
    ------
    ModelError
        If its `classes_` are anything but labels in a row, each once.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> classes_of(SimpleNamespace(classes_=["no", "yes"])), classes_of(SimpleNamespace())
    (['no', 'yes'], None)
    """
    said = getattr(model, "classes_", None)
    if said is None:
        return None
    array = _as_array(said)
    labels = array.tolist() if array is not None and array.ndim == 1 else [[]]
    if any(getattr(label, "__hash__", None) is None for label in labels):
        raise ModelError(f"classes_ of {type(model).__name__} are no labels in a row, as those of a classifier are.")
    if len({*labels}) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise ModelError(f"classes_ of {type(model).__name__} name {twice!r} twice. Those of a classifier differ.")
    return labels


CHECKS = {"predict": labels_of, "predict_proba": chances_of}


def _as_array(said: Any) -> NDArray[Any] | None:
    """Return an answer as a new array; None if it is none."""
    if said is None or isinstance(said, str | bytes | dict | set | frozenset) or not hasattr(said, "__len__"):
        return None
    try:
        array = np.array(said)
    except Exception:  # lists of unlike lengths, and whatever a strange object raises
        return None
    return None if array.dtype.kind == "V" else array


def _missing(said: Any, array: NDArray[Any]) -> NDArray[np.bool_]:
    if np.ma.isMaskedArray(said):
        return np.ma.getmaskarray(said).reshape(len(array))
    # In a list NumPy makes a NaN beside texts a text.
    return np.asarray(pd.isna(np.array(said, dtype=object).reshape(-1) if isinstance(said, list) else array))


def _strange(said: Any, array: NDArray[Any] | None, rows: int, who: str, method: str, wanted: str) -> ModelError:
    kind = type(said).__name__
    what = f"an array of shape {array.shape}" if array is not None and array.ndim else f"an object of type {kind}"
    given = "None" if said is None else what
    return ModelError(f"{method} of {who} gave {given} for {rows:,} rows. A classifier gives {wanted}.")
