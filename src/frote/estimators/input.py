"""What callers pass, and what they get back: frames and labels of their own kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.utils import column_or_1d, get_tags

from frote._sklearn import validate_data
from frote.coverage.asking import knows_all
from frote.coverage.labels import Labels, narrowed
from frote.dask.frames import is_lazy
from frote.exceptions import TableError
from frote.table import Table, TypedFrame

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

__all__ = [
    "Target",
    "as_frame",
    "as_labels",
    "as_taught",
    "columns_known",
    "for_frames",
    "part_has",
    "require_rows",
    "typed",
]


AT_A_TIME = 1 << 16  # rows that are looked at for classes


def as_frame(X: Any) -> Any:
    """Return a frame as it is and anything like an array as one, or say why it can be neither.

    The messages hold the words by which scikit-learn's own checks know them.
    """
    if isinstance(X, TypedFrame):
        return X.frame
    if is_lazy(X):
        raise TableError(
            "X is a Dask frame, which only edits, checks, scores and comparisons take. Give X.compute(), or a part."
        )
    if sparse.issparse(X):
        raise TableError("Sparse input is not supported. Call X.toarray() for a dense array.")
    if nw.dependencies.is_into_dataframe(X):
        return X
    if not nw.dependencies.is_into_series(X) and not nw.dependencies.is_numpy_array(X):
        X = np.asarray(X)
    if nw.dependencies.is_into_series(X) or X.ndim == 1:
        raise TableError("Expected 2D array, got 1D array instead. Reshape your data: X.reshape(-1, 1) is one column.")
    if X.dtype.kind == "c":
        raise TableError("Complex data not supported. Give the real and the imaginary part a column each.")
    if X.ndim == 2 and not X.shape[1]:
        raise TableError(f"0 feature(s) (shape={X.shape}) while a minimum of 1 is required. Give X a column.")
    return X


def typed(X: Any, *, kinds: Mapping[str, Any] | None = None, levels: Mapping[str, Any] | None = None) -> TypedFrame:
    """Type what a caller gave as rows, once: what was typed by the same words is taken as it is."""
    if isinstance(X, TypedFrame) and not kinds and not levels:
        return X
    return TypedFrame.of(as_frame(X), kinds=kinds, levels=levels)


def columns_known(estimator: Any, X: Any, *, reset: bool = True) -> None:
    """Let an estimator remember the columns of its rows or, without `reset`, hold the rows against what it knows."""
    if isinstance(X, Table):
        if reset:
            _remember(estimator, X)
            return
        if knows_all(estimator, X) and len(X.schema) == estimator.n_features_in_:
            return
        X = X.take([]).to_frame()  # scikit-learn says what is wrong with it
    kinds = {type(label).__name__ for label in X.columns} if nw.dependencies.is_pandas_dataframe(X) else set()
    if len(kinds) > 1 and "str" in kinds:
        raise TableError(
            f"X has column names of several types ({', '.join(sorted(kinds))}). Make all of them texts: "
            "X.columns = X.columns.astype(str)."
        )
    validate_data(estimator, X, reset=reset, skip_check_array=True)


def _remember(estimator: Any, table: Table) -> None:
    """Set what scikit-learn sets for a frame of these columns, in the same order: it shows in the bytes of models."""
    labels = table.labels
    if labels and all(isinstance(label, str) for label in labels):
        estimator.feature_names_in_ = np.array(labels, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    estimator.n_features_in_ = len(table.schema)


def require_rows(rows: int) -> None:
    """Raise an error, in scikit-learn's words, if there is no row."""
    if not rows:
        raise TableError("Found array with 0 sample(s) while a minimum of 1 is required. Give X a row.")


def for_frames(tags: Any, part: Any = None) -> Any:
    """Return scikit-learn's tags of an estimator that takes frames; gaps in them if the part does that gets them."""
    tags.input_tags.allow_nan = get_tags(part).input_tags.allow_nan if hasattr(part, "__sklearn_tags__") else True
    tags.input_tags.categorical = tags.input_tags.string = True
    return tags


def as_labels(y: Any) -> Any:
    """Return labels as they came, but for those in a table of one column."""
    return column_or_1d(y, warn=True) if getattr(y, "ndim", 1) == 2 else y


def as_taught(y: Any) -> Any:
    """Return labels as estimators and scorers take them: those that are objects, and all of them numbers, as numbers.

    Examples
    --------
    >>> as_taught(np.array([0, 1], dtype=object)).dtype.kind
    'i'
    """
    if not (nw.dependencies.is_numpy_array(y) or nw.dependencies.is_pandas_series(y)) or y.dtype != object:
        return y
    numbers = np.array(y.tolist())
    if numbers.dtype.kind not in "biuf":
        return y
    return type(y)(numbers, index=y.index, name=y.name) if nw.dependencies.is_pandas_series(y) else numbers


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The caller's labels, and the way from codes of classes back to their kind.

    Parameters
    ----------
    labels : Labels
        The same as codes of sorted classes.

    examples : Series, list or array
        For each class a label as it came.
    """

    labels: Labels
    examples: Any

    @classmethod
    def of(cls, y: Any, rows: int) -> Target:
        """Read labels."""
        if y is None:
            raise TableError("requires y to be passed, but the target y is None")
        require_rows(rows)
        y = as_labels(y)
        labels = Labels.of(y, rows)
        labels = Labels(narrowed(labels.codes, len(labels.classes)), labels.classes)
        first = _first(labels)
        if nw.dependencies.is_pandas_series(y):
            return cls(labels, y.iloc[first])
        if isinstance(y, list):
            return cls(labels, [y[row] for row in first])
        return cls(labels, (y if nw.dependencies.is_polars_series(y) else np.asarray(y))[first])

    def natives(self, codes: NDArray[np.intp]) -> Any:
        """Return labels of the caller's kind and dtype for codes of classes; a pandas one has a RangeIndex."""
        return _at(self.examples, codes)

    def taught(self, codes: NDArray[np.intp]) -> Any:
        """Return the same labels as estimators take them."""
        return _at(as_taught(self.examples), codes)


def _first(labels: Labels) -> NDArray[np.intp]:
    """Return for each class the first row that has it."""
    first = np.full(len(labels.classes), -1)
    for start in range(0, len(labels.codes), AT_A_TIME):
        codes, places = np.unique(labels.codes[start : start + AT_A_TIME], return_index=True)
        fresh = first[codes] < 0
        first[codes[fresh]] = start + places[fresh]
        if (first >= 0).all():
            break
    return first


def _at(natives: Any, codes: NDArray[np.intp]) -> Any:
    if nw.dependencies.is_pandas_series(natives):
        return type(natives)(natives.array.take(codes), dtype=natives.dtype, name=natives.name, copy=False)
    return [natives[code] for code in codes] if isinstance(natives, list) else natives[codes]


def part_has(name: str, method: str) -> Callable[[Any], bool]:
    """Return what tells whether an estimator's inner model, as fitted or before that as given, has a method."""

    def check(self: Any) -> bool:
        model = getattr(self, f"{name}_", getattr(self, name))
        # Without a model the default pipeline is used, which has what is asked for.
        return model is None or hasattr(model, method)

    return check
