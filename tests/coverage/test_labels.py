"""Labels of any kind, as codes and texts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frote.coverage.labels import Beyond, Labels, unknown_labels
from frote.exceptions import TableError


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["no", "yes", "no"], ("no", "yes")),
        (("no", "yes", "no"), ("no", "yes")),
        (np.array(["no", "yes", "no"]), ("no", "yes")),
        (np.array(["no", "yes", "no"], dtype=object), ("no", "yes")),
        (pd.Series(["no", "yes", "no"], index=[7, 8, 9]), ("no", "yes")),
        (pd.Series(["no", "yes", "no"], dtype="string"), ("no", "yes")),
        (pd.Series(["no", "yes", "no"], dtype="category"), ("no", "yes")),
        (pd.Categorical(["no", "yes", "no"], categories=["yes", "no", "never"]), ("no", "yes")),
        (pd.DataFrame({"y": ["no", "yes", "no"]}), ("no", "yes")),
        (pl.Series(["no", "yes", "no"]), ("no", "yes")),
        (pl.Series(["no", "yes", "no"], dtype=pl.Categorical), ("no", "yes")),
        (pl.Series(["no", "yes", "no"], dtype=pl.Enum(["yes", "no"])), ("no", "yes")),
        (pl.DataFrame({"y": ["no", "yes", "no"]}), ("no", "yes")),
        ([0, 1, 0], (0, 1)),
        (np.array([0, 1, 0], dtype=np.uint8), (0, 1)),
        (np.array([[0], [1], [0]]), (0, 1)),
        (pd.Series([0, 1, 0], dtype="Int64"), (0, 1)),
        (pl.Series([0, 1, 0]), (0, 1)),
        ([-1, 10, -1], (-1, 10)),
        ([False, True, False], (False, True)),
        (pd.Series([False, True, False], dtype="boolean"), (False, True)),
        (np.array([0.0, 1.5, 0.0]), (0.0, 1.5)),
        ([1, "a", 1], (1, "a")),
        (["10", 9, "10"], ("10", 9)),
    ],
)
def test_kinds(y, classes):
    labels = Labels.of(y, 3)
    assert labels.classes == classes
    assert [type(label) for label in labels.classes] == [type(label) for label in classes]
    assert labels.texts == tuple(map(str, classes))
    assert labels.codes.tolist() == [0, 1, 0]
    assert labels.codes.dtype == np.intp


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b"],
        ["a", float("nan"), "b"],
        [1, None, 2],
        [1.0, float("nan"), 2.0],
        np.array([1.0, np.nan, 2.0]),
        np.array(["a", None, "b"], dtype=object),
        pd.Series(["a", None, "b"]),
        pd.Series(["a", None, "b"], dtype="category"),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series([True, None, False], dtype="boolean"),
        pl.Series(["a", None, "b"]),
        pl.Series([1, None, 2]),
        pl.Series([True, None, False]),
    ],
)
def test_missing(y):
    with pytest.raises(TableError, match=r"y has a missing label at position 1\. Drop the rows without a label\."):
        Labels.of(y)


def test_length_and_shape():
    with pytest.raises(TableError, match="y has 2 labels for 1,000 rows"):
        Labels.of(["a", "b"], 1000)
    with pytest.raises(TableError, match=r"must be one column of labels, not an array of shape \(2, 2\)"):
        Labels.of([["a", "b"], ["a", "b"]])
    with pytest.raises(TableError, match=r"the prediction must be one column of labels, not an array of shape \(\)"):
        Labels.of("a", what="the prediction")


def test_none_at_all():
    labels = Labels.of([], 0)
    assert (labels.classes, labels.codes.tolist()) == ((), [])
    assert labels.recoded(("a",)).tolist() == []


def test_recoded():
    labels = Labels.of([3, 1, 3, 2])
    assert labels.recoded(("2", "3", "7", "1")).tolist() == [1, 3, 1, 0]


def test_unused_categories_are_no_classes():
    assert Labels.of(pd.Categorical(["b", "b"], categories=["a", "b"])).classes == ("b",)


LABELS = st.one_of(
    st.integers(0, 3), st.integers(0, 3).map(float), st.sampled_from(["0", "1", "no", "yes", "No ", "1.0"])
)


@given(own=st.lists(LABELS, min_size=1, max_size=30), known=st.lists(LABELS, min_size=1, max_size=4))
def test_labels_that_are_no_classes_are_counted_or_refused(own, known):
    """Rows are counted as strange if nothing matches their label; never in silence, and never more than a few."""
    labels, classes = Labels.of(own), Labels.of(known)
    matched = [classes.match([label])[0] >= 0 for label in own]
    try:
        found = labels.beyond(classes)
    except TableError:
        assert not all(matched)
    else:
        assert found.rows == matched.count(False) <= len(own) / 10
        assert bool(found.told()) == bool(found.rows)


@pytest.mark.parametrize(
    ("own", "known", "codes"),
    [
        ([1, 0], [0.0, 1.0], [0, 1]),
        (["1", "0"], [0.0, 1.0], [0, 1]),
        ([1.0, 0.0], ["0", "1"], [0, 1]),
        (["true"], [False, True], [1]),
        (["01"], ["1"], [-1]),
        (["1.5"], [1.5, 2.5], [0]),
        (["yes"], [0, 1], [-1]),
    ],
)
def test_labels_match_by_value_by_text_or_by_what_rules_take_them_for(own, known, codes):
    assert Labels.of(known).match(Labels.of(own).classes) == codes


@pytest.mark.parametrize(
    ("own", "known"),
    [
        (["no", "yes"], [0, 1]),
        ([0, 0, 1], [1, 2]),
        (["yes"] * 50 + ["No"], ["no", "yes"]),
        (["yes"] * 50 + ["no "], ["no", "yes"]),
    ],
)
def test_labels_that_are_written_otherwise_are_refused(own, known):
    with pytest.raises(TableError, match=r"^y has labels that the model does not know \(.*the classes are .*alike"):
        Labels.of(own).beyond(Labels.of(known))


def test_labels_that_no_model_knows():
    labels = Labels.of(["no"] * 18 + ["yes", "maybe"])
    known, unknown = ["no", "yes", "maybe"], ["no", "yes"]
    assert unknown_labels(labels, [unknown]) == Beyond(1, ("maybe",))
    assert unknown_labels(labels, [unknown, unknown]) == Beyond(1, ("maybe",))
    assert unknown_labels(labels, [unknown, known]) == unknown_labels(labels, [unknown, None]) == Beyond()
    assert unknown_labels(labels, [None]) == Beyond()


def test_six_labels_are_named_and_of_more_it_is_said_how_many():
    six = tuple("abcdef")
    assert "'a', 'b', 'c', 'd', 'e', 'f', and" in Beyond(6, six).told()
    assert "'a', 'b', 'c', 'd', 'e', 'f', ... (7 in all), and" in Beyond(7, (*six, "g")).told()
