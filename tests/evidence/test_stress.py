"""Fresh rows lie in their rule, holes are found, and bounds hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.svm import LinearSVC
from tests.evidence.test_prove import RULES, data
from tests.examples import examples

import frote
from frote.evidence.draws import Draws
from frote.evidence.space import Space
from frote.evidence.stress import upper_bound
from frote.exceptions import ConflictError, TableError
from frote.table import Table


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 1_000), st.sampled_from(RULES))
def test_every_row_lies_in_its_rule(seed, text):
    X, _ = data(seed)
    table = Table.from_frame(X)
    rules = frote.parse_rules(text).bind(table.schema, ("a", "b"))
    rng = np.random.default_rng(seed)
    for piece in rules:
        draws = Draws(Space(table, observed=False), piece)
        if draws.is_empty:
            continue
        fresh = draws.fresh(200, rng)
        assert piece.mask(fresh.frame).all()
        assert piece.mask(draws.moved(fresh, rng).frame).all()


def test_values_are_drawn_that_nobody_has_seen():
    X, _ = data(0)
    table = Table.from_frame(X)
    (rule,) = frote.parse_rules("IF size < 3 THEN b").bind(table.schema, ("a", "b"))
    rows = Draws(Space(table, observed=False), rule).fresh(2_000, np.random.default_rng(0)).frame
    assert rows["size"].min() < 0
    assert rows["rate"].max() > 1
    assert not set(rows["rate"].dropna()) <= set(X["rate"])
    assert rows["rate"].isna().any()


class Sharp:
    """Keeps to the rule but for a small box."""

    def __init__(self, low):
        self.low, self.classes_ = low, np.array(["a", "b"])

    def predict(self, X):
        return np.where((X["x"] > self.low) & (X["y"] > self.low), "a", "b")


def rows(seed, count=300):
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(count, 3)), columns=["x", "y", "z"])


def test_a_hole_is_found_and_shown():
    report = frote.stress(Sharp(2.3), "IF z < 1 THEN b", rows(0), rows=20_000, worst=5)
    (one,) = report.tried
    assert one.strays > 0
    assert one.rate < one.bound < 3 * one.rate + 1e-3
    assert (one.said == "a").all()
    assert len(one.worst) == 5
    assert ((one.worst["x"] > 2.3) & (one.worst["y"] > 2.3) & (one.worst["z"] < 1)).all()
    assert str(report).startswith("rule 1  ")


def test_the_search_finds_what_drawing_does_not():
    class Sloped(Sharp):
        def predict(self, X):
            return np.where(X["x"] + X["y"] > self.low, "a", "b")

        def predict_proba(self, X):
            other = 1 / (1 + np.exp(self.low - X["x"] - X["y"]))
            return np.column_stack([other, 1 - other])

    (one,) = frote.stress(Sloped(7.2), "IF z < 1 THEN b", rows(0), rows=200).tried
    assert (one.strays, one.strays_searched > 0) == (0, True)
    assert (np.diff(one.margin) >= 0).all()


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(1, 500), st.floats(0, 1))
def test_the_bound_is_clopper_pearsons(count, share):
    """At the bound, so few strays or fewer would be seen in one case of twenty."""
    strays = int(share * count)
    bound = upper_bound(strays, count)
    assert bound == 1.0 if strays == count else abs(binom.cdf(strays, count, bound) - 0.05) < 1e-9


def test_the_bound_covers_a_known_share():
    X, low = rows(1), 1.2
    table = Table.from_frame(X)
    (rule,) = frote.parse_rules("IF z < 1 THEN b").bind(table.schema, ("a", "b"))
    draws, model = Draws(Space(table, observed=False), rule), Sharp(low)
    truth = np.mean(model.predict(draws.fresh(400_000, np.random.default_rng(99)).frame) == "a")
    counts = [(model.predict(draws.fresh(300, np.random.default_rng(s)).frame) == "a").sum() for s in range(200)]
    assert np.mean([upper_bound(int(count), 300) >= truth for count in counts]) >= 0.93


def test_the_same_seed_draws_the_same():
    one, two = (frote.stress(Sharp(2.0), "IF z < 1 THEN b", rows(0), rows=1_000, random_state=3) for _ in range(2))
    assert one.rules.equals(two.rules)
    assert one.tried[0].worst.equals(two.tried[0].worst)
    other = frote.stress(Sharp(2.0), "IF z < 1 THEN b", rows(0), rows=1_000, random_state=4)
    assert not one.tried[0].worst.equals(other.tried[0].worst)


def test_models_with_scores_only_and_rules_without_rows():
    X, y = data(0)
    model = frote.default_pipeline(LinearSVC()).fit(X, y)
    report = frote.stress(model, "many: IF size > 4 OR flag = true THEN b\nodd: IF kind = z THEN b", X, rows=300)
    many, odd = report.tried
    assert np.isfinite(many.margin).all()
    assert (odd.rows, odd.told()) == (0, "no possible row")


def test_bad_input():
    X, y = data(0)
    model = frote.default_pipeline().fit(X, y)
    with pytest.raises(ConflictError):
        frote.stress(model, "IF size < 3 THEN a\nIF size < 2 THEN b", X)
    with pytest.raises(TableError, match="numbers of rows"):
        frote.stress(model, RULES[0], X, rows=0)
