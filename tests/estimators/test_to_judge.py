"""Rows to judge on, parted from those that were trained on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from frote.coverage.labels import Labels
from frote.estimators.to_judge import ToJudge
from frote.exceptions import TableError
from frote.table import Table

RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": np.arange(200), "b": RNG.normal(size=200), "c": list("xyzw") * 50})
NEW = pd.DataFrame({"a": np.arange(200, 260), "b": RNG.normal(size=60), "c": list("xyzw") * 15})
Y = np.array(["no", "yes"] * 100)


def texts(found):
    return [found.labels.classes[code] for code in found.labels.codes]


def judged(test, y=None, X=X, **given):
    labels = Labels.of(Y[: len(X)])
    y = ["no"] * len(test) if y is None else y
    return ToJudge.of((test, y), Table.from_frame(X), labels, **given)


@pytest.mark.parametrize("make", [lambda X: X, pl.from_pandas], ids=["pandas", "polars"])
def test_rows_that_were_trained_on_are_left_out_and_counted(make):
    test = pd.concat([X[:20], NEW, X[50:60]], ignore_index=True)
    y = [f"{'no' if row % 3 else 'yes'}" for row in range(len(test))]  # whatever their label
    found = judged(make(test[["c", "b", "a"]]), y, make(X))
    assert (found.given, found.seen, found.kept, found.recur) == (90, 30, False, 0)
    assert found.rows.frame["a"].to_list() == NEW["a"].tolist()
    assert texts(found) == y[20:80]


def test_no_row_that_was_trained_on_is_left_by_default():
    for share in range(1, 30):
        found = judged(pd.concat([NEW[: 60 - share], X[:share]], ignore_index=True))
        assert (found.seen, len(found.rows)) == (share, 60 - share)
        assert not set(found.rows.frame["a"]) & set(X["a"])


def test_more_than_half_is_refused_unless_the_caller_says_what_to_do():
    test = pd.concat([NEW[:5], X[:55]], ignore_index=True)
    told = (
        "55 of 60 rows of X_test also stand in the training data, so that scores would not be those of new rows. Give "
        "other rows, or judge on the 5 others with seen='drop', on all with seen='keep'."
    )
    with pytest.raises(TableError) as caught:
        judged(test)
    assert str(caught.value) == told
    assert len(judged(test, seen="drop").rows) == 5
    assert (len(judged(test, seen="keep").rows), judged(test, seen="keep").seen) == (60, 55)
    for seen in (None, "drop"):
        with pytest.raises(TableError, match=r"^60 of 60 rows of X_test also .* none is left to judge on\."):
            judged(X[:60], seen=seen)


def test_rows_of_data_that_recur_by_themselves_are_judged_on():
    """Where rows have few values, new rows are equal to old ones by chance."""
    few = pd.DataFrame({"a": RNG.integers(0, 4, 400), "b": RNG.choice(list("xyz"), 400)})
    found = ToJudge.of((few[200:], Y), Table.from_frame(few[:200]), Labels.of(Y))
    assert (found.kept, len(found.rows)) == (True, 200)
    assert found.seen > 190
    assert found.recur > 0.95
    # Some rows of the data come twice, but far more of those to judge on stand there.
    twice = pd.concat([X[:180], X[:10]], ignore_index=True)
    found = ToJudge.of((pd.concat([NEW, X[:25]]), ["no"] * 85), Table.from_frame(twice), Labels.of(Y[:190]))
    assert (found.recur, found.seen, found.kept) == (20 / 190, 25, False)


def test_labels_are_those_of_the_training_data_and_few_may_be_others():
    found = ToJudge.of((NEW, ["1"] * 57 + ["0", "0", "9"]), Table.from_frame(X), Labels.of([0, 1] * 100))
    assert texts(found) == [1] * 57 + [0, 0, "9"]
    assert (found.unknown.rows, list(found.unknown.texts)) == (1, ["9"])


def test_an_array_has_its_columns_where_they_stand():
    numbers = X[["a", "b"]].to_numpy()
    found = ToJudge.of((numbers[:80] + 0.25, Y[:80]), Table.from_frame(numbers), Labels.of(Y))
    assert found.seen == 0
    with pytest.raises(TableError, match=r"^X_test has 1 columns, and 2 are needed\."):
        ToJudge.of((numbers[:, :1], Y), Table.from_frame(numbers), Labels.of(Y))
