"""Mixed tables as numbers or as category columns, and the pipeline that is built on them."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import frote
from frote import TabularEncoder, default_pipeline

MIXED = pd.DataFrame(
    {
        "n": [1.0, 3.0, np.nan, 2.0],
        "c": ["x", "y", None, "x"],
        "b": pd.array([True, False, True, None], dtype="boolean"),
        "d": pd.to_datetime(["2024-01-01", "2024-01-03", "2024-01-02", "2024-01-02"]),
    }
)


def test_matrix():
    found = TabularEncoder().fit_transform(MIXED).toarray()
    numbers, gap, categories = found[:, :2], found[:, 2], found[:, 3:]
    root = np.sqrt(1.5)
    assert numbers[:, 0].tolist() == pytest.approx([-root, root, 0, 0])
    assert numbers[:, 1].tolist() == pytest.approx([-np.sqrt(2), np.sqrt(2), 0, 0])
    assert gap.tolist() == [0, 0, 1, 0]
    # Columns: c missing, x, y; b missing, false, true.
    assert categories.tolist() == [[0, 1, 0, 0, 0, 1], [0, 0, 1, 0, 1, 0], [1, 0, 0, 0, 0, 1], [0, 1, 0, 1, 0, 0]]


def test_of_rows_to_come_any_value_may_be_missing():
    """Whatever type it was fitted on: and so files of models hold columns as they always did."""
    whole = pd.DataFrame({"n": [1, 2, 3], "b": [True, False, True]})
    encoder = TabularEncoder().fit(whole)
    assert [column.__getstate__() for column in encoder.columns_] == [
        ("n", "integer", (), 1),
        ("b", "boolean", (False, True), 1),
    ]
    assert encoder.transform(whole.convert_dtypes().where(whole["n"] < 3)).toarray()[2].tolist() == [0, 0, 0]


def test_frame():
    found = TabularEncoder("frame").fit_transform(MIXED)
    assert found.columns.tolist() == ["x0", "x1", "x2", "x3"]
    assert found["x1"].cat.codes.tolist() == [0, 1, -1, 0]
    assert found["x2"].tolist()[:3] == [1, 0, 1]
    assert found["x2"].isna().tolist() == [False, False, False, True]
    assert found["x0"].isna().tolist() == [False, False, True, False]
    assert found["x3"].dtype == np.float64


def test_only_numbers_are_dense():
    assert isinstance(TabularEncoder().fit_transform(np.arange(6.0).reshape(3, 2)), np.ndarray)


@pytest.mark.parametrize("output", ["matrix", "frame"])
def test_levels_that_were_not_there(output):
    encoder = TabularEncoder(output).fit(pd.DataFrame({"c": ["x", "y"]}))
    found = encoder.transform(pd.DataFrame({"c": ["y", "z", "x", "a"]}))
    if output == "matrix":
        assert found.toarray().tolist() == [[0, 1], [0, 0], [1, 0], [0, 0]]
    else:
        assert found["x0"].cat.codes.tolist() == [1, -1, 0, -1]


@pytest.mark.parametrize("output", ["matrix", "frame"])
def test_the_same_rows_are_encoded_alike_in_any_company(output):
    encoder = TabularEncoder(output).fit(MIXED)
    whole = encoder.transform(MIXED)
    for place in range(4):
        one = encoder.transform(MIXED[place : place + 1])
        if output == "matrix":
            assert (one.toarray() == whole.toarray()[place]).all()
        else:
            pd.testing.assert_frame_equal(one, whole[place : place + 1].reset_index(drop=True))


def test_dates_of_another_unit_are_the_same_dates():
    encoder = TabularEncoder().fit(MIXED[["d"]])
    other = MIXED[["d"]].astype("datetime64[ns]")
    expected = pytest.approx(encoder.transform(MIXED[["d"]]))
    assert encoder.transform(other) == expected
    assert encoder.transform(pl.from_pandas(other)) == expected


@pytest.mark.parametrize("output", ["matrix", "frame"])
@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("n", ["p", "q"]),
        ("d", [1, 2]),
        ("n", MIXED["d"]),
        ("c", [1, 2]),
        ("c", MIXED["d"]),
        ("c", [True, False]),
        ("b", ["x", "y"]),
    ],
)
def test_a_column_of_another_kind_is_an_error(output, column, values):
    encoder = TabularEncoder(output).fit(MIXED[[column]])
    with pytest.raises(frote.TableError, match=rf"^Column '{column}' holds \w+ values, and held \w+ ones in fit\. "):
        encoder.transform(pd.DataFrame({column: values}))


def test_some_rows_of_mixed_objects_may_hold_numbers_alone():
    X = pd.DataFrame({"m": [1, "a", 2.5, None], "b": [True, False, True, None]}, dtype=object)
    encoder = TabularEncoder("frame").fit(X)
    whole = encoder.transform(X)
    for place in range(4):
        pd.testing.assert_frame_equal(encoder.transform(X[place:][:1]), whole[place:][:1].reset_index(drop=True))
    other = encoder.transform(pd.DataFrame({"m": [1, 3], "b": [1, 0]}))
    assert other["x0"].cat.codes.tolist() == [whole["x0"].cat.codes[0], -1]
    assert other["x1"].tolist() == [1, 0]


def test_a_column_without_any_value_may_be_of_any_type():
    encoder = TabularEncoder().fit(MIXED[["n"]])
    assert encoder.transform(pd.DataFrame({"n": [None, None]}, dtype=object)).tolist() == [[0, 1], [0, 1]]


def test_a_column_that_was_empty_and_one_that_is_constant():
    X = pd.DataFrame({"e": [np.nan] * 3, "k": [7.0] * 3})
    assert np.isfinite(TabularEncoder().fit_transform(X)).all()


def test_infinite_values_are_for_models_that_take_them():
    X = pd.DataFrame({"a": [1.0, np.inf, 0.5]})
    assert TabularEncoder("frame").fit_transform(X)["x0"].tolist() == [1.0, np.inf, 0.5]
    with pytest.raises(ValueError, match="infinity"):
        TabularEncoder().fit(X)


def test_polars_and_numpy_alike():
    expected = TabularEncoder().fit_transform(MIXED).toarray()
    assert TabularEncoder().fit_transform(pl.from_pandas(MIXED)).toarray().tolist() == expected.tolist()


def test_clone_and_pickle():
    encoder = TabularEncoder("frame").fit(MIXED)
    assert clone(encoder).output == "frame"
    again = pickle.loads(pickle.dumps(encoder))
    pd.testing.assert_frame_equal(again.transform(MIXED), encoder.transform(MIXED))


@pytest.mark.parametrize(
    ("estimator", "output"),
    [
        (None, "matrix"),
        (LogisticRegression(), "matrix"),
        (RandomForestClassifier(3), "matrix"),
        (HistGradientBoostingClassifier(max_iter=2, categorical_features="from_dtype"), "frame"),
        (LGBMClassifier(n_estimators=2, verbose=-1, n_jobs=1), "frame"),
    ],
)
@pytest.mark.parametrize("polars", [False, True])
def test_the_default_pipeline_suits_its_estimator(estimator, output, polars):
    loans = frote.datasets.load_loans(80)
    X = pl.from_pandas(loans.X) if polars else loans.X
    pipeline = default_pipeline(estimator)
    assert pipeline["encode"].output == output
    assert set(pipeline.fit(X, loans.y).predict(X)) <= {"approved", "denied"}
