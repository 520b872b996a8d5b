"""What callers pass and get back: frames and labels of any kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning
from tests.estimators.stubs import Counting, more_rows_are_better

import frote
from frote.estimators.input import Target, as_frame

STRINGS = ["b", "a", "b", "c"] * 3
CASES = {
    "list": STRINGS,
    "tuple": tuple(STRINGS),
    "list of int": [1, 0, 1, 2] * 3,
    "array of str": np.array(STRINGS),
    "array of object": np.array(STRINGS, dtype=object),
    "array of int": np.array([1, 0, 1, 2] * 3, dtype=np.uint8),
    "array of float": np.array([1.0, 0.0, 1.0, 2.0] * 3),
    "array of bool": np.array([True, False, True] * 4),
    "Series of str": pd.Series(STRINGS, name="y", index=range(5, 17)),
    "Series of category": pd.Series(pd.Categorical(STRINGS, categories=["c", "b", "a", "unused"], ordered=True)),
    "Series of bool": pd.Series([True, False, True] * 4),
    "Series of boolean": pd.Series([True, False, True] * 4, dtype="boolean"),
    "Series of Int8": pd.Series([1, 0, 1, 2] * 3, dtype="Int8"),
    "polars str": pl.Series("y", STRINGS),
    "polars Enum": pl.Series("y", STRINGS, dtype=pl.Enum(["c", "b", "a"])),
    "polars int": pl.Series("y", [1, 0, 1, 2] * 3, dtype=pl.Int16),
    "polars bool": pl.Series("y", [True, False, True] * 4),
}


def same_kind(one, other):
    assert type(one) is type(other)
    if not isinstance(one, list):
        assert one.dtype == other.dtype
        assert getattr(one, "name", None) == getattr(other, "name", None)


@pytest.mark.parametrize("case", CASES)
def test_labels_come_back_as_they_came(case):
    y = CASES[case]
    target = Target.of(y, 12)
    back = target.natives(target.labels.codes)
    same_kind(back, np.array(y) if isinstance(y, tuple) else y)
    assert list(back) == list(y)
    if isinstance(y, pd.Series):
        assert back.index.equals(pd.RangeIndex(12))


@pytest.mark.parametrize("case", CASES)
def test_an_edit_keeps_the_kind_of_labels(case):
    y = CASES[case]
    label = sorted(map(str, set(y)))[-1]
    X = pd.DataFrame({"a": range(12)})
    editor = frote.FROTE(
        Counting(), f"IF a < 6 THEN {label}", scoring=more_rows_are_better, agreement_weight=0.0, max_fits=1, k=2
    )
    _, y_new = editor.fit_resample(X, y)
    same_kind(y_new, np.array(y) if isinstance(y, tuple) else y)
    assert len(y_new) > 12
    assert [str(one) for one in list(y_new)[12:]] == [label] * (len(y_new) - 12)


def test_a_column_of_labels_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning):
        target = Target.of(np.array([["a"], ["b"]]), 2)
    assert target.labels.classes == ("a", "b")


def test_frames_are_taken_as_they_are():
    for frame in (pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), np.ones((1, 1))):
        assert as_frame(frame) is frame
    assert as_frame([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
