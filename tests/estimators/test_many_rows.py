"""Very many rows: they are kept, put together and asked about in other ways, and what comes of it is the same."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

import frote
from frote.table import TypedFrame, frames

RNG = np.random.default_rng(0)
ROWS = 300
X = pd.DataFrame(
    {
        "a": RNG.integers(0, 50, ROWS).astype(float),
        "b": RNG.normal(size=ROWS),
        "c": RNG.choice(["u", "v", "w"], ROWS),
        "d": pd.to_datetime("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, ROWS), "D"),
        "e": pd.array(RNG.integers(0, 9, ROWS), dtype="Int64"),
        "f": pd.Categorical(RNG.choice(["x", "y"], ROWS), categories=["y", "x", "q"]),
        "g": RNG.random(ROWS) < 0.5,
    },
    index=[f"r{place}" for place in range(ROWS)],
)
X.loc[X.index[::7], "a"] = np.nan
X.loc[X.index[::11], "e"] = pd.NA
Y = np.where(X["b"] > 0, "p", np.where(X["a"] > 25, "q", "r"))
RULES = """
    one: IF a < 10 AND c IN {u, v} THEN p
    two: IF b > 1 AND a >= 10 OR b > 1.5 AND g = True AND a IS MISSING THEN {q: 0.5, r: 0.5}
    three: IF b < -0.5 AND a >= 10 THEN r WITH CONFIDENCE 0.6
"""
PLAIN = X[["b", "f", "g"]].assign(n=np.arange(ROWS) % 17, m=X["b"] ** 2)  # all of it comes back from a table as it was
ARRAY = np.column_stack([X["a"], X["b"], np.arange(ROWS) % 5])


class Growing(ClassifierMixin, BaseEstimator):
    """Says of each row what its first column says, and the more so the more rows it learned; writes into its rows."""

    def fit(self, X, y):
        self.classes_, self.rows_ = np.unique(np.asarray(y)), len(X)
        self._spoil(X)
        return self

    def predict(self, X):
        first = X[:, 0] if isinstance(X, np.ndarray | pl.DataFrame) else X.iloc[:, 0]
        numbers = np.nan_to_num(np.asarray(first, dtype=np.float64))
        said = self.classes_[np.where(np.abs(numbers * 7919).astype(np.int64) % 997 < 5 * (self.rows_ - 280), 0, -1)]
        self._spoil(X)
        return said

    def _spoil(self, X):
        if isinstance(X, np.ndarray):
            X[:] = 0
        elif isinstance(X, pd.DataFrame):
            X.iloc[:, 0] = X.iloc[0, 0]


def told(X, y, rules, many, monkeypatch, *, published=False, estimator=None, **parameters):
    """All that an edit tells, with every table for a large one or none."""
    monkeypatch.setattr(frames, "MANY_ROWS", 1 if many else 10**9)
    given = {"random_state": 0, "max_fits": 5, **parameters}
    make = frote.FROTE.as_published if published else frote.FROTE
    editor = make(Growing() if estimator is None else estimator, rules, **given)
    X_new, y_new = editor.fit_resample(X, y)
    history = editor.history_.drop(columns=[name for name in editor.history_ if name.endswith("seconds")])
    digests = [step.digest for step in editor._last.steps]
    sources = editor.sample_indices_.tolist()
    return X_new, list(y_new), editor.ledger_, history, digests, sources, editor.resampled()[0]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"modify": "drop"},
        {"modify": "none", "evaluate": 0.2},
        {"modify": "none", "select": "ip"},
        {"twins": 1.0, "modify": "none"},
        {"evaluate": "active", "n_jobs": 2},
        {"published": True, "batch_size": 30},
        {"estimator": frote.default_pipeline(DecisionTreeClassifier(max_depth=3)), "modify": "none"},
        {"scoring": "accuracy"},
    ],
    ids=lambda parameters: "-".join(map(str, parameters)) or "default",
)
def test_many_rows_give_what_few_do(parameters, monkeypatch):
    few, many = (told(X, Y, RULES, large, monkeypatch, **parameters) for large in (False, True))
    for one, other in zip(few, many, strict=True):
        if isinstance(one, pd.DataFrame):
            assert_frame_equal(one, other)
        else:
            assert one == other
    assert len(few[0]) > ROWS - 80


@pytest.mark.parametrize("frame", [PLAIN, pl.from_pandas(PLAIN), ARRAY, np.asfortranarray(ARRAY)], ids=type)
def test_many_rows_of_any_kind(frame, monkeypatch):
    rules = f"one: IF {'x1' if isinstance(frame, np.ndarray) else 'm'} > 0.5 THEN p"
    few, many = (told(frame, Y, rules, large, monkeypatch, modify="none") for large in (False, True))
    assert len(few[0]) == len(many[0]) > ROWS
    for one, other in zip((few[0], few[-1]), (many[0], many[-1]), strict=True):
        assert type(one) is type(other) is type(frame)
        if isinstance(frame, np.ndarray):
            np.testing.assert_array_equal(one, other)
            assert one.flags.c_contiguous == other.flags.c_contiguous
        else:
            assert one.equals(other)
    assert_frame_equal(few[2], many[2])
    assert few[4] == many[4]


def test_what_comes_back_is_the_callers_alone(monkeypatch):
    monkeypatch.setattr(frames, "MANY_ROWS", 1)
    mine = PLAIN.copy()
    editor = frote.FROTE(Growing(), "one: IF m > 0.5 THEN p", modify="none", max_fits=3, random_state=0)
    X_new, _ = editor.fit_resample(mine, Y)
    kept = X_new.copy()
    X_new.iloc[:, 0] = 9.0
    X_new["n"].array[0] = 99
    mine.iloc[:, 0] = 7.0
    assert_frame_equal(editor.resampled()[0], kept)


def test_the_ledger_is_made_for_whoever_reads_it():
    editor = frote.FROTE(Growing(), "one: IF m > 0.5 THEN p", modify="none", max_fits=3, random_state=0)
    assert not hasattr(editor, "ledger_")
    assert not hasattr(editor, "sample_indices_")
    editor.fit(PLAIN, Y)
    assert "ledger_" not in vars(editor)
    again = pickle.loads(pickle.dumps(editor))
    ledger, sources = editor.ledger_, editor.sample_indices_
    assert editor.ledger_ is ledger
    assert_frame_equal(again.ledger_, ledger)
    assert again.sample_indices_.tolist() == sources.tolist()
    editor.set_params(max_fits=0).fit(PLAIN, Y)
    assert len(editor.ledger_) == len(editor.sample_indices_) == ROWS < len(ledger)


def test_rows_below_others_are_had_without_putting_them_together():
    rows = TypedFrame.of(X)
    below = rows.table.take([5, 3]), rows.table.take([8])
    stacked = rows.stacked(below[0]).stacked(TypedFrame(below[1]))
    whole = rows.table.concat(below[0]).concat(below[1])
    places = RNG.permutation(len(stacked))
    assert stacked.at(places).digest() == whole.take(places).digest()
    assert "table" not in vars(stacked)
    assert stacked.table.digest() == whole.digest()
    assert stacked.gappy == {"a", "e"}
    assert stacked.take(places).table.digest() == whole.take(places).digest()
    assert [len(part) for part in stacked.parts] == [len(stacked)]
    with pytest.raises(frote.TableError, match="columns"):
        rows.stacked(frote.Table.from_frame(PLAIN))


def test_an_edit_holds_a_large_table_twice_at_most(monkeypatch):
    """Once typed, and once as the frame of the fit that runs; all else takes few bytes for each row."""
    monkeypatch.setattr(frames, "MANY_ROWS", 1)
    rows = 40_000
    frame = pd.DataFrame({f"x{place}": RNG.normal(size=rows) for place in range(8)})
    labels = (frame["x0"] > 0).to_numpy()
    rules = "one: IF x1 < -1 AND x2 > 0.5 THEN True"
    given = {"modify": "none", "max_fits": 3, "batch_size": 200, "random_state": 0}
    frote.FROTE(Growing(), rules, **given).fit(frame[:1000], labels[:1000])  # what is imported late
    tracemalloc.start()
    try:
        frote.FROTE(Growing(), rules, **given).fit_resample(frame, labels)
        peak = tracemalloc.get_traced_memory()[1] / (rows * 8 * 8)
    finally:
        tracemalloc.stop()
    assert peak < 3, peak
