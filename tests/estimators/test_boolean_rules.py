"""RuleSetClassifier: what it learns is a rule set that predicts as it says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import frote


@pytest.fixture
def planted():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, 400),
            "job": rng.choice(["clerk", "farmer", "miner"], 400),
            "income": np.where(rng.random(400) < 0.1, np.nan, rng.normal(40, 10, 400)),
        }
    )
    y = np.where((X["age"] > 40) & (X["job"] == "miner"), "yes", np.where(X["income"].isna(), "maybe", "no"))
    return X, y


def test_planted_rules_are_found_in_mixed_data_with_three_classes(planted):
    X, y = planted
    model = frote.RuleSetClassifier(thresholds=19).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.97
    assert model.default_ == "no"
    assert set(model.rules_.labels) == {"yes", "maybe"}
    maybe = [rule for rule in model.rules_ if rule.outcome.labels == ("maybe",)]
    assert maybe
    assert all("income IS MISSING" in str(rule.clause) for rule in maybe)
    assert model.converged_


def test_the_first_rule_that_covers_a_row_decides(planted):
    X, y = planted
    model = frote.RuleSetClassifier(every_class=True).fit(X, y)
    first = frote.coverage.matrix.attribute(frote.coverage.matrix.cover(model.rules_, X))
    labels = [model.default_ if rule < 0 else model.rules_[int(rule)].outcome.labels[0] for rule in first]
    np.testing.assert_array_equal(model.predict(X), labels)
    assert set(model.rules_.labels) == {"yes", "no", "maybe"}


def test_summary_counts_what_rules_cover(planted):
    X, y = planted
    model = frote.RuleSetClassifier(every_class=True).fit(X, y)
    for rule, line in zip(model.rules_, model.summary_.itertuples(), strict=True):
        mask = rule.mask(X)
        right = (y[mask] == line.label).sum()
        assert (line.rows, line.conditions) == (mask.sum(), len(rule.clause))
        assert line.precision == pytest.approx(right / mask.sum())
        assert line.recall == pytest.approx(right / (y == line.label).sum())
    assert model.summary_["precision"].is_monotonic_decreasing
    assert model.summary_.index.tolist() == list(model.rules_.names)


def test_probabilities_agree_with_predictions(planted):
    X, y = planted
    model = frote.RuleSetClassifier(every_class=True).fit(X, y)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X))


def test_unseen_data(planted):
    X, y = planted
    model = frote.RuleSetClassifier().fit(X, y)
    new = pd.DataFrame({"age": [50, 20], "job": ["sailor", None], "income": [30.0, np.nan]})
    assert model.predict(new).tolist() == ["no", "maybe"]


def test_breast_cancer_on_held_out_rows():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    split = train_test_split(X, y, random_state=0, stratify=y)
    model = frote.RuleSetClassifier(lambda0=0.005, lambda1=0.002).fit(split[0], split[2])
    assert model.score(split[1], split[3]) > 0.9
    assert len(model.rules_) <= 8


def test_same_data_same_rules(planted):
    X, y = planted
    one, again = (frote.RuleSetClassifier().fit(X, y) for _ in range(2))
    assert one.rules_ == again.rules_
    assert clone(one).get_params() == one.get_params()


@pytest.fixture
def no_clock(monkeypatch):
    """Make everyone fail who asks for the time."""

    def fail():
        raise AssertionError("the answer depends on the time of day")

    monkeypatch.setattr("frote.explain.master.time.monotonic", fail)


def test_no_clock_is_looked_at_unless_asked_for(planted, no_clock):
    X, y = planted
    frote.RuleSetClassifier(every_class=True).fit(X, y)
    ages = X[["age"]]
    model, other = (DecisionTreeClassifier().fit(ages, X["age"] > bound) for bound in (30, 50))
    assert len(frote.explain_model(model, ages).rules)
    assert len(frote.compare_models(model, other, ages).regions)
    with pytest.raises(AssertionError, match="time of day"):
        frote.RuleSetClassifier(time_limit=60.0).fit(X, y)


def test_of_many_rows_a_sample_is_learned_from_and_all_are_counted(planted):
    X, y = planted
    one, again, all_rows = (frote.RuleSetClassifier(max_rows=rows).fit(X, y) for rows in (300, 300, None))
    assert one.rules_ == again.rules_ != all_rows.rules_
    pd.testing.assert_frame_equal(one.summary_, again.summary_)
    assert one.summary_["rows"].tolist() == one.rules_.coverage(X).sum(axis=0).tolist()
    assert (one.predict(X) == y).mean() > 0.9
    few = frote.RuleSetClassifier(max_rows=1).fit(X, y)  # nothing can be told apart
    assert len(few.rules_) == 0
    assert few.predict(X).tolist() == [max(set(y), key=list(y).count)] * len(X)


def test_a_bound_on_complexity_holds_per_class(planted):
    X, y = planted
    model = frote.RuleSetClassifier(max_complexity=4, every_class=True).fit(X, y)
    for label in ("yes", "no", "maybe"):
        mine = model.summary_[model.summary_["label"] == label]
        assert len(mine) + mine["conditions"].sum() <= 4


@pytest.mark.parametrize("pricing", ["beam", "exact", "auto"])
def test_each_way_to_price(planted, pricing):
    X, y = planted
    X, y = X[:60][["age", "job"]], y[:60]
    model = frote.RuleSetClassifier(pricing=pricing, thresholds=3, lambda0=0.01, lambda1=0.01).fit(X, y)
    assert (model.predict(X) == y).mean() >= (y == "no").mean()


def test_limits_cut_short_and_say_so(planted):
    model = frote.RuleSetClassifier(max_iter=1).fit(*planted)
    assert not model.converged_
    assert model.n_iter_ == 1


def test_nothing_to_tell_rows_apart():
    X, y = pd.DataFrame({"same": [1, 1, 1, 1]}), ["a", "a", "a", "b"]
    model = frote.RuleSetClassifier().fit(X, y)
    assert len(model.rules_) == 0
    assert model.predict(X).tolist() == ["a"] * 4
    assert len(model.summary_) == 0


def test_one_class_is_refused():
    with pytest.raises(frote.TableError, match="one class only"):
        frote.RuleSetClassifier().fit(pd.DataFrame({"x": [1, 2]}), ["a", "a"])


@pytest.mark.parametrize(
    "labels",
    [[0, 1], [True, False], ["no", "yes"], [1.0, 2.0], ["a\u200cb", "ab"], ["\x00", "\n"], ["a b", "a  b"]],
)
def test_labels_of_any_kind(labels):
    X = pl.DataFrame({"x": list(range(20))})
    y = np.array(labels)[(np.arange(20) > 12).astype(int)]
    model = frote.RuleSetClassifier(thresholds=20).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.predict(X).dtype == y.dtype
    assert frote.parse_rules(str(model.rules_)) == model.rules_
