"""Rates of protected groups by hand, against fairlearn's, and what is told of rules."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import frote
from frote.compare.notices import notices
from frote.compare.protected import protected_by, split
from frote.compare.rates import Rows, fairness_of, small_groups
from frote.table import Table


def by_hand(favourable, column, values):
    """Return a model that favours rows by one column."""
    frame = pd.DataFrame({column: values})
    return DecisionTreeClassifier(random_state=0).fit(frame, favourable)


def rate(found, group, measure, where="all"):
    lines = found.rates
    (line,) = lines[(lines["group"] == group) & (lines["measure"] == measure) & (lines["where"] == where)].itertuples()
    return line


def test_rates_by_hand():
    table = Table.from_frame(pd.DataFrame({"sex": ["f"] * 4 + ["m"] * 4}))
    own = np.array([1, 1, 0, 0, 1, 1, 1, 0], dtype=bool)
    before = np.array([1, 0, 0, 0, 1, 1, 1, 1], dtype=bool)
    after = np.array([1, 1, 1, 0, 1, 1, 1, 1], dtype=bool)
    covered = np.array([0, 1, 1, 0, 0, 0, 0, 0], dtype=bool)
    found = fairness_of(protected_by(["sex"], table), Rows(own, before, after, covered), "yes")
    women = "sex = 'f'"
    assert (rate(found, women, "selection_rate").before, rate(found, women, "selection_rate").after) == (1 / 4, 3 / 4)
    assert rate(found, women, "selection_rate").change == 1 / 2
    assert (rate(found, women, "true_positive_rate").before, rate(found, women, "true_positive_rate").after) == (0.5, 1)
    assert rate(found, women, "false_positive_rate").after == 1 / 2
    assert rate(found, women, "adverse_impact_ratio").before == 1 / 4
    assert rate(found, women, "selection_rate", "inside").rows == 2
    assert rate(found, women, "selection_rate", "outside").change == 0
    assert np.isnan(rate(found, "sex = 'm'", "selection_rate", "inside").before)
    line = rate(found, women, "selection_rate")
    assert line.change_low <= line.change <= line.change_high
    assert line.before_low <= line.before <= line.before_high


@given(st.lists(st.tuples(st.integers(0, 2), *[st.booleans()] * 4), min_size=1, max_size=30))
def test_rates_are_shares_of_rows(rows):
    group, own, before, after, covered = (np.array(column) for column in zip(*rows, strict=True))
    table = Table.from_frame(pd.DataFrame({"g": [f"g{one}" for one in group]}))
    found = fairness_of(protected_by(["g"], table), Rows(own, before, after, covered), "yes", draws=20)
    for one in np.unique(group):
        mine = group == one
        text = f"g = 'g{one}'"
        assert rate(found, text, "selection_rate").after == after[mine].mean()
        if (mine & own).any():
            assert rate(found, text, "true_positive_rate").before == before[mine & own].mean()
        if (mine & ~own).any():
            assert rate(found, text, "false_positive_rate").before == before[mine & ~own].mean()


def three_data_sets():
    loans = frote.datasets.load_loans(800)
    fitted = [frote.default_pipeline().fit(loans.X[part], loans.y[part]) for part in (slice(400), slice(400, 800))]
    yield loans.X, loans.y, *fitted, "purpose", loans.X["purpose"], "approved"
    for load, column, favourable in ((load_breast_cancer, "mean radius", 1), (load_wine, "alcohol", 0)):
        X, y = load(return_X_y=True, as_frame=True)
        X = X.assign(size=np.where(X[column] < X[column].median(), "low", "high"))
        kept = X[[column, X.columns[3]]]
        yield (
            X,
            y,
            GaussianNB().fit(kept[::3], y[::3]),
            GaussianNB().fit(kept[1::3], y[1::3]),
            "size",
            X["size"],
            favourable,
        )


@pytest.mark.parametrize("place", range(3))
def test_rates_are_those_of_fairlearn(place):
    fairlearn = pytest.importorskip("fairlearn.metrics", reason="fairlearn is not installed")
    X, y, before, after, column, groups, favourable = list(three_data_sets())[place]
    found = frote.compare_models(before, after, X, (), y, protected=[column], favourable=favourable).fairness
    names = {
        "selection_rate": fairlearn.selection_rate,
        "true_positive_rate": fairlearn.true_positive_rate,
        "false_positive_rate": fairlearn.false_positive_rate,
    }
    for which, model in (("before", before), ("after", after)):
        kept = getattr(model, "feature_names_in_", X.columns)
        said = (model.predict(X[list(kept)]) == favourable).astype(int)
        frame = fairlearn.MetricFrame(
            metrics=names, y_true=(y == favourable).astype(int), y_pred=said, sensitive_features=groups
        )
        ours = found.rates[found.rates["where"] == "all"].pivot_table(index="group", columns="measure", values=which)
        for group, line in frame.by_group.iterrows():
            mine = ours.loc[f"{column} = {group!r}"]
            assert mine[list(names)].to_dict() == pytest.approx(line.to_dict(), nan_ok=True)
        worst = fairlearn.demographic_parity_ratio(y, said, sensitive_features=groups)
        assert ours["adverse_impact_ratio"].min() == pytest.approx(worst)


def test_small_groups_are_no_measure_for_others():
    table = Table.from_frame(pd.DataFrame({"g": ["a"] * 60 + ["b"] * 39 + ["c"]}))
    got = np.array([True] * 30 + [False] * 30 + [True] * 13 + [False] * 26 + [True])
    none = np.zeros(100, dtype=bool)
    found = fairness_of(protected_by(["g"], table), Rows(None, got, got, none), "yes", draws=10)
    assert rate(found, "g = 'b'", "adverse_impact_ratio").after == pytest.approx((1 / 3) / (1 / 2))
    assert rate(found, "g = 'c'", "adverse_impact_ratio").after == 2
    assert set(found.rates["measure"]) == {"selection_rate", "adverse_impact_ratio"}  # without labels
    assert small_groups(np.array([1, 1])).tolist() == [False, False]


def test_what_is_protected_is_parted_at_commas_outside_brackets_and_quotes():
    assert split("sex, age<25") == ("sex", "age<25")
    assert split("`a, b`, r IN {x, y}, (p = 1 OR q = 'u,v')") == ("`a, b`", "r IN {x, y}", "(p = 1 OR q = 'u,v')")
    assert split("") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sexx", "protected: X has no column 'sexx'. Did you mean 'sex'"),
        ("age <", "'age <' is neither a column nor a condition"),
        ("height < 3", "'height < 3' does not fit the table"),
        ("name", "'name' parts the rows into 50 groups, more than the 40"),
        ("age < 3 THEN x\nb: IF age > 9", "is more than one condition"),
    ],
)
def test_what_cannot_be_protected_is_told(text, message):
    frame = pd.DataFrame({"sex": ["f", "m"] * 25, "age": range(50), "name": [f"n{one}" for one in range(50)]})
    with pytest.raises(frote.TableError, match=message):
        protected_by([text], Table.from_frame(frame))


@pytest.fixture(scope="module")
def proxy():
    """Part-timers are nearly all women; a rule on hours denies them, one on income does not look at either."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], size=600)
    hours = np.where((sex == "f") & (rng.random(600) < 0.6), 20, 40)
    X = pd.DataFrame({"sex": sex, "hours": hours, "income": rng.integers(10, 90, 600)})
    y = pd.Series(np.where(X["income"] > 30, "yes", "no"))
    return X, y


def test_rules_that_name_or_stand_for_what_is_protected_are_told(proxy):
    X, y = proxy
    rules = "part time: IF hours < 30 THEN no\nrich: IF income > 85 THEN no\nmen: IF sex = m AND income < 12 THEN yes"
    before = by_hand(y, "income", X["income"])
    after = DecisionTreeClassifier(random_state=0).fit(X[["hours", "income"]], y.mask(X["hours"] < 30, "no"))
    found = frote.compare_models(before, after, X, rules, y, protected="sex", favourable="yes").fairness
    named, stands = found.notices
    assert named == "Rule 'men' names 'sex', which is protected."
    assert stands.startswith("Rule 'part time' names nothing of 'sex', but moves the selection rate of sex = 'f' by -")
    assert "of all others by +0.0: it may stand for it." in stands
    assert json.dumps(found.to_dict())
    assert "Protected: sex" in str(found)
    assert frote.compare_models(before, after, X, rules, y).fairness is None


def test_groups_that_chance_made_are_rarely_taken_for_what_a_rule_stands_for():
    """Of eight groups some have no row that a rule moves: that alone says nothing of them."""
    rng = np.random.default_rng(0)
    told = 0
    for _ in range(60):
        groups = protected_by(["g"], Table.from_frame(pd.DataFrame({"g": rng.choice(list("abcdefgh"), 200)})))
        owner = np.where(rng.random(200) < 0.08, 0, -1)
        before = rng.random(200) < 0.5
        after = np.where(owner == 0, rng.random(200) < 0.5, before)
        told += bool(notices({"a rule": ["x"]}, groups, owner, ["a rule"], Rows(None, before, after, owner >= 0)))
    assert told <= 8  # of 60, 3 are to be expected


def test_a_favourable_label_is_asked_for_by_name(proxy):
    X, y = proxy
    model = by_hand(y, "income", X["income"])
    with pytest.raises(frote.TableError, match="The labels are 'no', 'yes': say which, such as favourable='no'"):
        frote.compare_models(model, model, X, (), y, protected="sex")
