"""Mixed tables for estimators that need numbers, or that know categories by their dtype."""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from frote._sklearn import StrOptions, fit_context
from frote.estimators.input import as_frame, columns_known, for_frames, require_rows
from frote.exceptions import TableError
from frote.loop.clock import counted_as_ours
from frote.table import Kind, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.table import Column, ColumnData

__all__ = ["TabularEncoder", "default_pipeline"]


class TabularEncoder(TransformerMixin, BaseEstimator):
    """Encode a mixed table: numbers and dates scaled, categories one-hot, or both as dtypes that tree models know.

    Missing numbers become the mean, with a column that says so; a missing category is a category of its own. Levels
    that were not there when it was fitted count as missing in a frame, and as none of the levels in a matrix.

    Parameters
    ----------
    output : {"matrix", "frame"}, default="matrix"
        ``"matrix"`` is sparse or dense numbers for linear models and the like; ``"frame"`` a DataFrame with category
        columns for LightGBM and histogram gradient boosting.

    Attributes
    ----------
    columns_ : tuple of Column
        The columns as they were read in `fit`.

    n_features_in_ : int
        Their number.

    feature_names_in_ : ndarray of str
        Their names, if all were strings.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote import TabularEncoder
    >>> X = pd.DataFrame({"age": [20, 40], "purpose": ["car", "home"]})
    >>> TabularEncoder().fit_transform(X).toarray()
    array([[-1.,  1.,  0.],
           [ 1.,  0.,  1.]])
    """

    _parameter_constraints = {"output": [StrOptions({"matrix", "frame"})]}  # noqa: RUF012
    reads_tables = True  # in place of frames, where nobody else gets to see them

    def __init__(self, output: str = "matrix") -> None:
        self.output = output

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> TabularEncoder:  # noqa: ARG002
        """Look at a table.

        Parameters
        ----------
        X : pandas or polars DataFrame, array, or Table
            The table.

        y : None
            Not used.

        Returns
        -------
        TabularEncoder
        """
        with counted_as_ours():
            return self._fit(self._read(X, reset=True))

    def _read(self, X: Any, *, reset: bool) -> Table:
        rows = X if isinstance(X, Table) else as_frame(X)
        columns_known(self, rows, reset=reset)
        return Table.from_frame(rows)

    def _fit(self, table: Table) -> TabularEncoder:
        require_rows(len(table))
        self.columns_ = table.schema.with_gaps().columns  # rows to come may have other types
        numbers = [column for column in self.columns_ if not column.kind.has_levels]
        self._gaps = tuple(column.name for column in numbers if table[column.name].missing is not None)
        self._scaler = None
        if numbers and self.output == "matrix":
            with np.errstate(invalid="ignore"):  # the mean of a column without a value
                self._scaler = StandardScaler().fit(_numbers(table, numbers))
        coded = [column for column in self.columns_ if column.kind.has_levels]
        runs = [(-1 if table[column.name].missing is not None else 0, len(column.levels)) for column in coded]
        self._one_hot = deepcopy(_fitted_one_hot(tuple(runs))) if coded else None
        return self

    def transform(self, X: Any) -> Any:
        """Encode a table.

        Parameters
        ----------
        X : pandas or polars DataFrame, array, or Table
            A table of the same columns.

        Returns
        -------
        sparse matrix, ndarray or DataFrame
        """
        check_is_fitted(self)
        with counted_as_ours():
            return self._transformed(self._read(X, reset=False))

    def _transformed(self, table: Table) -> Any:
        if self.output == "frame":
            return self._frame(table)
        numbers = [column for column in self.columns_ if not column.kind.has_levels]
        blocks: list[Any] = []
        if self._scaler is not None:
            blocks.append(np.nan_to_num(_scaled(self._scaler, _numbers(table, numbers)), nan=0.0))
        blocks += [_gap(table, name)[:, np.newaxis] for name in self._gaps]
        dense = np.hstack(blocks) if blocks else np.empty((len(table), 0))
        if self._one_hot is None:
            return dense
        coded = [column for column in self.columns_ if column.kind.has_levels]
        return _beside_one_hot(dense, self._one_hot, _codes(table, coded))

    def _frame(self, table: Table) -> pd.DataFrame:
        columns: dict[str, Any] = {}
        for column in self.columns_:
            if column.kind is Kind.CATEGORICAL:
                codes = _codes(table, [column])[:, 0]
                columns[column.name] = pd.Categorical.from_codes(
                    codes, dtype=_places(len(column.levels)), validate=False
                )
            elif column.kind is Kind.BOOLEAN:
                codes = _codes(table, [column])[:, 0].astype(np.float64)
                columns[column.name] = np.where(codes < 0, np.nan, codes)
            else:
                columns[column.name] = _numbers(table, [column])[:, 0]
        # Plain names: some libraries refuse brackets and the like in a column's name.
        return pd.DataFrame(columns).set_axis([f"x{place}" for place in range(len(columns))], axis=1)

    def __sklearn_tags__(self) -> Any:
        return for_frames(super().__sklearn_tags__())


def _numbers(table: Table, columns: list[Column]) -> NDArray[np.float64]:
    """Return columns of numbers and dates as floats in the units they were fitted with, NaN where missing."""
    numbers = np.empty((len(table), len(columns)))
    for place, column in enumerate(columns):
        here, data = table.schema[column.name], table[column.name]
        alike = here.kind.is_number if column.kind.is_number else here.kind is Kind.DATETIME
        if not alike:
            _require_nothing(data, here, column)
        numbers[:, place] = data.values if here.step == column.step else data.values * (here.step / column.step)
        if data.missing is not None:
            numbers[data.missing, place] = np.nan
    return numbers


@lru_cache(maxsize=64)
def _places(count: int) -> pd.CategoricalDtype:
    """Return the type of so many categories, which are called by their places."""
    return pd.CategoricalDtype(pd.Index([str(place) for place in range(count)]))


@lru_cache(maxsize=64)
def _fitted_one_hot(runs: tuple[tuple[int, int], ...]) -> OneHotEncoder:
    """Return an encoder of columns whose codes run from the first to before the last; every step of an edit has it."""
    categories = [np.arange(first, end) for first, end in runs]
    encoder = OneHotEncoder(categories=categories, handle_unknown="ignore", dtype=np.float64)
    return encoder.fit(np.array([[first for first, _ in runs]], dtype=np.intp))  # the categories say all


def _scaled(scaler: Any, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale numbers as a fitted scaler does, without its checks, unless there is something to check."""
    if np.isinf(numbers).any():
        return np.asarray(scaler.transform(numbers))  # it says so
    scaled: NDArray[np.float64] = (numbers - scaler.mean_) / scaler.scale_
    return scaled


def _beside_one_hot(dense: NDArray[np.float64], encoder: Any, codes: NDArray[np.int32]) -> Any:
    """Return numbers and, beside them, what a fitted one-hot encoder of runs of codes makes of codes, as one matrix.

    A code that is none of its own is all zeros. The matrix is put together as scipy would stack the two.
    """
    firsts = np.array([own[0] if len(own) else 0 for own in encoder.categories_], dtype=np.int32)
    ends = dense.shape[1] + np.cumsum([len(own) for own in encoder.categories_], dtype=np.int32)
    starts = np.concatenate([[dense.shape[1]], ends[:-1]]).astype(np.int32)
    columns = np.hstack(
        [np.broadcast_to(np.arange(dense.shape[1], dtype=np.int32), dense.shape), codes + starts - firsts]
    )
    values = np.hstack([dense, np.ones(codes.shape)])
    there = np.hstack([dense != 0, codes >= firsts])
    if there.all():  # as it mostly is where nothing is missing
        rows = np.arange(0, there.size + 1, there.shape[1], dtype=np.int32)
        columns, values = columns.ravel(), values.ravel()
    else:
        rows = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32)
        columns, values = columns[there], values[there]
    return sparse.csr_matrix((values, columns, rows), shape=(len(codes), int(ends[-1])))


def _gap(table: Table, name: str) -> NDArray[np.float64]:
    missing = table[name].missing
    return np.zeros(len(table)) if missing is None else missing.astype(np.float64)


def _codes(table: Table, columns: list[Column]) -> NDArray[np.int32]:
    """Return codes by the levels of the columns as they were fitted, -1 for missing and for levels unknown then."""
    all_codes = np.empty((len(table), len(columns)), dtype=np.int32)
    for place, column in enumerate(columns):
        here = table.schema[column.name]
        data = table[column.name]
        if here.levels == column.levels:
            all_codes[:, place] = data.values
            continue
        code_of = {level: code for code, level in enumerate(column.levels)}
        if here.kind.has_levels:
            if here.kind is not column.kind and not code_of.keys() & set(here.levels):
                _require_nothing(data, here, column)
            levels, codes = here.levels, data.values
        else:
            # Some rows of a column of mixed objects may hold nothing but numbers.
            if all(isinstance(level, str) for level in code_of):
                _require_nothing(data, here, column)
            distinct, codes = np.unique(data.values, return_inverse=True)
            levels = tuple(distinct.tolist())
        translated = np.array([*(code_of.get(level, -1) for level in levels), -1], dtype=np.intp)
        all_codes[:, place] = translated[codes]
        if data.missing is not None:
            all_codes[data.missing, place] = -1
    return all_codes


def _require_nothing(data: ColumnData, here: Column, column: Column) -> None:
    """Refuse values of another kind than in `fit`; a column without any value has none."""
    if data.missing is None or not data.missing.all():
        raise TableError(
            f"Column {column.name!r} holds {here.kind} values, and held {column.kind} ones in fit. Convert it (in "
            "commands, --categorical and --numeric say what a column is)."
        )


def default_pipeline(estimator: Any = None) -> Pipeline:
    """Put an encoder of mixed tables before an estimator, as suits it.

    Parameters
    ----------
    estimator : classifier, default=None
        The estimator; None means logistic regression. LightGBM and histogram gradient boosting get category columns,
        any other gets scaled numbers and one-hot categories.

    Returns
    -------
    Pipeline
        With steps ``"encode"`` and ``"model"``.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(200)
    >>> frote.default_pipeline().fit(loans.X, loans.y).predict(loans.X)[:2].tolist()
    ['denied', 'denied']
    """
    model = LogisticRegression(max_iter=500) if estimator is None else estimator
    by_dtype = any(
        base.__name__ in ("LGBMClassifier", "HistGradientBoostingClassifier") for base in type(model).__mro__
    )
    return Pipeline([("encode", TabularEncoder("frame" if by_dtype else "matrix")), ("model", model)])
