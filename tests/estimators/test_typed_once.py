"""Frames are typed once, where they come in, and rules read once; our own encoder gets tables, and gives the same."""

from __future__ import annotations

import time
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

import frote
from frote.estimators import encoding
from frote.loop.clock import Clock, counted_as_ours
from frote.table import Table, TypedFrame
from frote.table import table as table_module

RULES = """
    young: IF age < 29 AND defaults = 0 THEN approved
    old: IF age > 60 OR (age > 50 AND defaults > 1) THEN denied
"""


@pytest.fixture(scope="module")
def loans():
    return frote.datasets.load_loans(400)


def test_an_edit_types_its_frame_once_and_reads_its_rules_once(monkeypatch, loans):
    typed, parsed = [], []
    read, parse = table_module._read, frote.rules.parser.parse_rules
    monkeypatch.setattr(table_module, "_read", lambda X: typed.append(X) or read(X))
    for module in ("frote.rules.parser", "frote.rules", "frote.estimators.given_rules", "frote"):
        monkeypatch.setattr(f"{module}.parse_rules", lambda *given: parsed.append(given) or parse(*given))
    editor = frote.FROTE(rules=RULES, max_fits=3, random_state=0)
    editor.fit_resample(loans.X, loans.y)
    assert len(typed) == 1
    assert typed[0] is loans.X
    assert len(parsed) == 1
    assert editor.n_fits_ == 4


class Noted(encoding.TabularEncoder):
    """An encoder of the caller's own, which may do anything with its frames."""

    seen: ClassVar = []

    def fit(self, X, y=None):
        self.seen.append(type(X))
        return super().fit(X, y)


class InPlace(LogisticRegression):
    """A first step that writes into its frame before our encoder sees it."""

    def fit(self, *_):
        return self

    def transform(self, X):
        X["age"] = 0
        return X


def test_only_our_own_encoder_gets_tables(loans):
    rows = TypedFrame.of(loans.X)
    assert rows.lent_to(frote.default_pipeline()) is rows.table
    model = LogisticRegression()
    others = [
        model,
        make_pipeline(Noted(), model),
        make_pipeline(InPlace(), frote.TabularEncoder(), model),
        Pipeline([("encode", frote.TabularEncoder()), ("model", model)], memory="somewhere"),
        frote.FROTEClassifier(),
    ]
    for other in others:
        given = rows.lent_to(other)
        assert isinstance(given, pd.DataFrame)
        assert given is not loans.X
    editor = frote.FROTE(make_pipeline(Noted(), model), RULES, max_fits=1, random_state=0).fit(loans.X, loans.y)
    assert set(Noted.seen) == {pd.DataFrame}
    assert editor.n_fits_ == 2


def as_polars(frame):
    return pl.from_pandas(frame)


@pytest.mark.parametrize("output", ["matrix", "frame"])
@pytest.mark.parametrize("convert", [lambda frame: frame, as_polars, lambda frame: frame[["age", "income"]].to_numpy()])
def test_a_table_is_encoded_as_its_frame_is(loans, output, convert):
    frame = convert(loans.X)
    table = Table.from_frame(frame)
    some = table.take(np.arange(0, 400, 7))
    of_frame = frote.TabularEncoder(output).fit(some.to_frame())
    of_table = frote.TabularEncoder(output).fit(some.as_read())
    assert list(vars(of_frame)) == list(vars(of_table))  # also their order shows in the bytes of a model
    assert of_frame.columns_ == of_table.columns_
    assert of_frame.n_features_in_ == of_table.n_features_in_
    assert hasattr(of_frame, "feature_names_in_") == hasattr(of_table, "feature_names_in_")
    if hasattr(of_frame, "feature_names_in_"):
        assert of_frame.feature_names_in_.tolist() == of_table.feature_names_in_.tolist()
        assert of_frame.feature_names_in_.dtype == of_table.feature_names_in_.dtype
    one, other = of_frame.transform(frame), of_table.transform(table)
    if output == "frame":
        pd.testing.assert_frame_equal(one, other)
    else:
        np.testing.assert_array_equal(*(part.toarray() if hasattr(part, "toarray") else part for part in (one, other)))


def test_a_table_of_other_columns_is_refused_as_a_frame_is(loans):
    encoder = frote.TabularEncoder().fit(loans.X)
    table = Table.from_frame(loans.X.drop(columns="age"))
    with pytest.raises(ValueError, match="feature names should match"):
        encoder.transform(table)


@pytest.mark.parametrize("kinds", [None, {"age": "categorical"}, {"age": "continuous"}])
def test_kinds_of_the_editor_are_not_those_of_the_model(loans, kinds):
    """What the model is trained on does not depend on how the edit reads the columns."""
    editor = frote.FROTE(rules="IF defaults > 2 THEN denied", kinds=kinds, max_fits=0, random_state=0)
    model = editor.fit(loans.X, loans.y).estimator_
    alone = frote.default_pipeline().fit(loans.X, loans.y)
    assert model["encode"].columns_ == alone["encode"].columns_


def test_our_encoder_is_counted_as_ours():
    clock = Clock()
    with clock.counting("fit"):
        before = clock.ours
        with counted_as_ours():
            pass
        assert clock.ours > before
    assert clock.fit >= 0
    ours = clock.ours
    with counted_as_ours():
        pass  # within nobody's call
    assert clock.ours == ours


def test_seconds_of_the_encoder_are_no_seconds_of_the_model(loans, monkeypatch):
    wait = encoding.TabularEncoder._read
    slow = lambda *args, **given: time.sleep(0.05) or wait(*args, **given)  # noqa: E731
    monkeypatch.setattr(encoding.TabularEncoder, "_read", slow)
    editor = frote.FROTE(rules=RULES, max_fits=1, random_state=0).fit(loans.X, loans.y)
    last = editor.history_.iloc[1]
    assert last["other_seconds"] >= 0.05 * 3  # fit_transform reads twice, and every prediction once
    assert last["predict_seconds"] < 0.05


@pytest.mark.parametrize("gaps", [False, True])
def test_numbers_are_scaled_and_codes_one_hot_as_scikit_learn_does_it(loans, gaps):
    frame = loans.X.copy()
    if gaps:
        frame.loc[::9, ["income", "purpose"]] = None
    encoder = frote.TabularEncoder().fit(frame[:200])
    table = Table.from_frame(
        frame.assign(purpose=frame["purpose"].astype(object).where(frame["age"] > 25, "spaceship"))
    )
    numbers, coded = ([one for one in encoder.columns_ if one.kind.has_levels == hot] for hot in (False, True))
    values, codes = encoding._numbers(table, numbers), encoding._codes(table, coded)
    scaled = encoding._scaled(encoder._scaler, values)
    np.testing.assert_array_equal(scaled, encoder._scaler.transform(values))
    hot = encoder._one_hot.transform(codes)
    dense = np.where(scaled > 1, 0.0, np.nan_to_num(scaled))  # some are zeros, which a sparse matrix has not
    for beside, theirs in (
        (dense[:, :0], hot),
        (dense, sparse.hstack([sparse.csr_matrix(dense), hot], format="csr")),
    ):
        mine = encoding._beside_one_hot(beside, encoder._one_hot, codes)
        for part in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(mine, part), getattr(theirs, part))
            assert getattr(mine, part).dtype == getattr(theirs, part).dtype
        assert mine.shape == theirs.shape
        assert mine.has_sorted_indices
    again = OneHotEncoder(categories=encoder._one_hot.categories, handle_unknown="ignore", dtype=np.float64)
    fitted = vars(again.fit(codes))
    assert list(fitted) == list(vars(encoder._one_hot))
    for name, value in vars(encoder._one_hot).items():
        np.testing.assert_equal(value, fitted[name])
