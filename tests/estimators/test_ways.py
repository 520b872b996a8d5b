"""Rules put into a model by switches, or beside it."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone, is_classifier
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tests.examples import examples

import frote
from frote import FROTEClassifier, default_pipeline
from frote.edits.saved_models import load_model, save_model
from frote.estimators.ways.tilt import LEAST, tilt_towards, tilted
from frote.exceptions import ModelError, RuleError, RuleWarning, TableError
from frote.loop.training import seeded

LOANS = frote.datasets.load_loans(400)
LATER = frote.datasets.load_loans(600).X[400:]
YOUNG = "young: IF age < 29 AND defaults = 0 THEN approved"
RULES = frote.parse_rules(f"{YOUNG}\nbroker: IF channel = 'broker' AND age >= 29 THEN denied")
NUMBERS = LOANS.X[["age", "income", "defaults"]].fillna(0)
TEXTS = ["purpose", "channel"]
WAYS = ("switches", "anchored", "auto")


def classifier(how, estimator=None, rules=RULES, **parameters):
    return FROTEClassifier(estimator, rules, how=how, random_state=0, **parameters)


def as_it_was(estimator=None, X=LOANS.X, y=LOANS.y):
    """Return the initial model."""
    return seeded(default_pipeline() if estimator is None else estimator, 0, 1).fit(X, y)


def columns(*, sparse=False):
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=sparse), TEXTS), (StandardScaler(), ["age", "defaults"])
    )


PIPELINES = {
    "encoder and logistic regression": None,
    "column transformer": make_pipeline(columns(sparse=True), LogisticRegression()),
    "dense": make_pipeline(columns(), LogisticRegression()),
    "frames": make_pipeline(columns().set_output(transform="pandas"), LogisticRegression()),
    "polars frames": make_pipeline(columns().set_output(transform="polars"), LogisticRegression()),
    "by labels": make_pipeline(
        make_column_transformer((TargetEncoder(cv=StratifiedKFold(3)), TEXTS), ("passthrough", ["age", "defaults"])),
        StandardScaler(),
        "passthrough",
        LogisticRegression(),
    ),
    "category columns": default_pipeline(HistGradientBoostingClassifier(max_iter=20)),
    "forest": default_pipeline(RandomForestClassifier(10, min_samples_leaf=3)),
    "no probabilities": default_pipeline(RidgeClassifier()),
    "kernel": default_pipeline(SVC()),
    "a search": GridSearchCV(default_pipeline(), {"model__C": [0.1, 1.0]}, cv=2),
}


@cache
def scores_before(name):
    return frote.score(as_it_was(PIPELINES[name]), LOANS.X, LOANS.y, RULES)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("name", PIPELINES)
def test_pipelines_of_any_kind_keep_to_the_rules(name, how):
    model = classifier(how, PIPELINES[name]).fit(LOANS.X, LOANS.y)
    scores = frote.score(model, LOANS.X, LOANS.y, RULES)
    assert scores.agreement >= 0.98
    before = scores_before(name)
    assert before.agreement < 0.8
    if how != "switches":
        assert scores.f1 >= before.f1 - 0.003
    assert model.how_ == how or (how == "auto" and model.how_ in ("switches", "anchored"))


def test_lightgbm():
    lightgbm = pytest.importorskip("lightgbm")
    model = default_pipeline(lightgbm.LGBMClassifier(n_estimators=20, verbose=-1))
    for how in WAYS:
        assert frote.score(classifier(how, model).fit(LOANS.X, LOANS.y), LOANS.X, LOANS.y, RULES).agreement >= 0.98


@st.composite
def small_tables(draw):
    """Return rows of two numbers and a level, their labels, and rules that do not conflict."""
    rows = draw(st.integers(30, 60))
    seed = draw(st.integers(0, 2**16))
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.integers(0, 10, rows), "b": rng.normal(size=rows), "c": rng.choice(["u", "v", "w"], rows)}
    )
    y = np.where(X["a"] + X["b"] > 5, "yes", "no")
    y[:2] = ["yes", "no"]
    cut, level = draw(st.integers(1, 8)), draw(st.sampled_from("uvw"))
    first, second = draw(st.sampled_from([("yes", "no"), ("no", "yes"), ("no", "no")]))
    sure = draw(st.sampled_from(["", " WITH CONFIDENCE 0.8"]))
    rules = f"one: IF a < {cut} AND c = '{level}' THEN {first}{sure}\ntwo: IF a >= {cut} AND b > 0.5 THEN {second}"
    return X, y, frote.parse_rules(rules)


MODELS = [LogisticRegression(), DecisionTreeClassifier(max_depth=2)]


@given(small_tables(), st.sampled_from(MODELS))
@settings(max_examples=examples(100))
def test_anchored_never_changes_an_answer_outside(made, estimator):
    X, y, rules = made
    model = classifier("anchored", default_pipeline(estimator), rules).fit(X, y)
    before = as_it_was(default_pipeline(estimator), X, y)
    rng = np.random.default_rng(1)
    unseen = pd.DataFrame(
        {"a": rng.integers(-5, 15, 200), "b": rng.normal(size=200), "c": rng.choice(["u", "w", "z"], 200)}
    )
    for rows in (X, unseen):
        outside = ~rules.coverage(rows).any(axis=1)
        assert (model.predict(rows)[outside] == before.predict(rows)[outside]).all()
        assert (model.predict_proba(rows)[outside] == before.predict_proba(rows)[outside]).all()
    sure = [rule for rule in rules if rule.outcome.is_deterministic]
    for rule in sure if isinstance(estimator, LogisticRegression) else ():
        inside = rule.mask(X)
        assert (model.predict(X)[inside] == rule.outcome.labels[0]).sum() >= 0.95 * inside.sum()
    taken_back = model.estimator_.without("one").without("two")
    assert (taken_back.predict(unseen) == before.predict(unseen)).all()


@pytest.mark.parametrize("name", ["car", "breast_cancer", "contraceptive"])
def test_a_rule_taken_back_from_a_logistic_regression_leaves_the_initial_model(name):
    draws = pytest.importorskip("frote_experiments.draws")
    drawn = draws.draw(name, 0, rules=3, tcf=0.2)
    X, y = drawn.data.X.iloc[drawn.train], drawn.data.y.iloc[drawn.train]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it stops at 500 iterations
        model = classifier("switches", rules=drawn.rules).fit(X, y)
        before = as_it_was(X=X, y=y)
    taken_back = model.estimator_
    for rule in drawn.rules.origins:
        taken_back = taken_back.without(rule)
    assert (taken_back.predict(drawn.data.X) == before.predict(drawn.data.X)).mean() >= 0.99
    assert not taken_back.rules_


def test_a_rule_taken_back_leaves_its_rows_to_the_next():
    rules = "one: IF age < 29 THEN approved\ntwo: IF age < 35 THEN approved\nthree: IF age < 20 THEN approved"
    model = classifier("anchored", rules=rules).fit(LOANS.X, LOANS.y).estimator_
    assert model.switched_.switches_ == ["one", "two"]
    left = model.without("one")  # the third lies in the second too
    young = LOANS.X["age"] < 29
    assert (left.predict(LOANS.X[young]) == "approved").mean() > 0.95  # by a switch that was learned on other rows
    with pytest.warns(RuleWarning, match="'three' has no switch of its own"):
        alone = left.without("two")
    assert alone.rules_.origins == ("three",)
    assert (alone.predict(LOANS.X) == as_it_was().predict(LOANS.X)).all()
    with pytest.raises(RuleError, match="no rule 'ten'"):
        model.without("ten")


@pytest.mark.parametrize("how", ["switches", "anchored"])
def test_what_is_fitted_can_be_kept(how, tmp_path):
    rules = f"{YOUNG}\nchance: IF defaults = 1 THEN {{approved: 0.7, denied: 0.3}}"
    model = classifier(how, rules=rules).fit(LOANS.X, LOANS.y)
    save_model(model.estimator_, tmp_path / "model.skops")
    content = (tmp_path / "model.skops").read_bytes()
    again = [load_model(tmp_path / "model.skops"), pickle.loads(pickle.dumps(model.estimator_))]
    for one in again:
        assert (one.predict(LATER) == model.predict(LATER)).all()
        assert (one.predict_proba(LATER) == model.predict_proba(LATER)).all()
        assert one.without("young").rules_.origins == ("chance",)
        save_model(one, tmp_path / "again.skops")
        assert (tmp_path / "again.skops").read_bytes() == content
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(model.estimator_))
    alone = f"import pickle; print(pickle.load(open({str(tmp_path / 'model.pickle')!r}, 'rb')).rules_.origins)"
    done = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "('young', 'chance')\n"
    other = pickle.loads(pickle.dumps(model))
    assert (other.predict(LATER) == model.predict(LATER)).all()
    pd.testing.assert_frame_equal(other.ledger_, model.ledger_)


@pytest.mark.parametrize("how", WAYS)
def test_the_same_seed_gives_the_same_bytes_whatever_the_number_of_workers(how, tmp_path):
    found = []
    for n_jobs in (None, 2):
        model = classifier(how, rules=RULES, n_jobs=n_jobs).fit(LOANS.X, LOANS.y)
        save_model(model.estimator_, tmp_path / "model.skops")
        found.append((tmp_path / "model.skops").read_bytes())
        pd.testing.assert_frame_equal(model.ledger_, classifier(how, rules=RULES).fit(LOANS.X, LOANS.y).ledger_)
    assert found[0] == found[1]


@pytest.mark.parametrize("how", WAYS)
def test_it_is_a_classifier_like_any_other(how):
    model = classifier(how, make_pipeline(StandardScaler(), LogisticRegression()), YOUNG)
    assert is_classifier(model)
    assert not hasattr(model, "decision_function")
    model.set_params(estimator__logisticregression__C=3.0)
    assert clone(model).how == how
    assert (cross_val_score(model, NUMBERS, LOANS.y, cv=2, error_score="raise") > 0.5).all()
    model.fit(NUMBERS, LOANS.y)
    assert not hasattr(model, "decision_function")
    inner = model.estimator_
    assert is_classifier(inner)
    assert inner.get_params()["estimator__logisticregression__C"] == 3.0
    assert inner.classes_.tolist() == ["approved", "denied"]
    assert inner.feature_names_in_.tolist() == ["age", "income", "defaults"]
    assert inner.n_features_in_ == 3
    assert inner.rules_.origins == ("young",)
    with pytest.raises(ValueError, match="feature names"):
        inner.predict(NUMBERS.rename(columns={"age": "years"}))


@pytest.mark.parametrize("how", WAYS)
def test_frames_of_any_kind(how):
    rules = "IF x0 < 29 AND x2 = 0 THEN approved"
    array = NUMBERS.to_numpy()
    model = classifier(how, LogisticRegression(max_iter=5000), rules).fit(array, LOANS.y)
    assert set(model.predict(array)) == {"approved", "denied"}
    whole = array.astype(np.int64)
    assert classifier(how, DecisionTreeClassifier(max_depth=3), rules).fit(whole, LOANS.y).predict(whole).shape == (
        400,
    )
    numbered = pd.DataFrame(array)
    assert classifier(how, DecisionTreeClassifier(), "IF 0 < 29 THEN approved".replace("IF 0", "IF `0`")).fit(
        numbered, LOANS.y
    ).predict(numbered[:5]).shape == (5,)
    X, y = pl.from_pandas(LOANS.X), pl.Series(LOANS.y.to_list())
    of_polars = classifier(how).fit(X, y)
    of_pandas = classifier(how).fit(LOANS.X, LOANS.y)
    assert (of_polars.predict(X) == of_pandas.predict(LOANS.X)).all()


@pytest.mark.parametrize("how", WAYS)
def test_missing_values_and_levels_that_nobody_saw(how):
    X = LOANS.X.copy()
    X.loc[::7, "income"] = np.nan
    X.loc[::11, "channel"] = None
    rules = "gap: IF income IS MISSING THEN denied\nnew: IF channel = 'branch' AND income >= 0 THEN approved"
    model = classifier(how, rules=rules).fit(X, LOANS.y)
    strange = X.assign(channel="carrier pigeon", income=X["income"].where(X.index % 2 == 0))
    before = as_it_was(X=X)
    predicted = model.predict(strange)
    assert (predicted[strange["income"].isna()] == "denied").all()
    if how == "anchored":
        outside = strange["income"].notna()
        assert (predicted[outside] == before.predict(strange)[outside]).all()


@pytest.mark.parametrize("how", WAYS)
def test_without_rules_it_is_the_initial_model(how):
    model = classifier(how, rules=()).fit(LOANS.X, LOANS.y)
    assert model.how_ == "initial"
    assert model.n_fits_ == len(model.history_) == 1
    assert (model.predict_proba(LOANS.X) == as_it_was().predict_proba(LOANS.X)).all()
    assert model.ledger_["status"].unique().tolist() == ["kept"]


@pytest.mark.parametrize("how", WAYS)
def test_what_is_told_of_a_fit(how):
    model = classifier(how).fit(LOANS.X, LOANS.y)
    assert model.n_fits_ == len(model.history_)
    assert model.history_["accepted"].iloc[0]
    best = model.history_[model.history_["accepted"]].iloc[-1]
    assert model.objective_ == best["objective"]
    counts = model.ledger_["status"].value_counts()
    assert counts["kept"] == 400
    assert counts["synthetic"] == best["added"]
    assert len(model.sample_indices_) == len(model.ledger_)
    copies = model.ledger_[(model.ledger_["status"] == "synthetic") & model.ledger_["neighbour"].isna()]
    covered = RULES.coverage(LOANS.X).any(axis=1)
    assert set(np.flatnonzero(covered)) <= set(copies.loc[copies["covered"] == "strongly", "base"])
    assert (model.ledger_.loc[model.ledger_["rule"].str.startswith("young"), "new_label"] == "approved").all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("select", "ip"),
        ("schedule", "fixed"),
        ("weak_share", 0.5),
        ("max_fits", 3),
        ("modify", "drop"),
        ("evaluate", 0.2),
    ],
)
def test_what_a_way_cannot_do_is_an_error(name, value):
    with pytest.raises(TableError, match=f"{name}=.* is for edits by data.*use how='data'"):
        classifier("auto", **{name: value}).fit(LOANS.X, LOANS.y)


def test_there_is_no_preview_of_it():
    with pytest.raises(TableError, match="A preview is of an edit by data"):
        classifier("switches").preview(LOANS.X, LOANS.y)
    assert classifier("data").preview(LOANS.X, LOANS.y).rules.shape[0] == 2


@pytest.mark.parametrize("how", ["switches", "anchored"])
def test_switches_that_are_dropped_are_told(how):
    inner = make_pipeline(columns(), LogisticRegression())
    search = GridSearchCV(inner, {"logisticregression__C": [1.0]}, cv=2)
    with pytest.raises(
        ModelError, match=r"answers alike whether a rule's switch is on or off.*remainder='passthrough'"
    ):
        classifier(how, search).fit(LOANS.X, LOANS.y)
    inner[0].set_params(remainder="passthrough")
    kept = LOANS.X[[*TEXTS, "age", "defaults"]]
    model = classifier(how, search).fit(kept, LOANS.y)
    assert frote.score(model, kept, LOANS.y, RULES).agreement >= 0.98


def test_a_column_of_the_callers_may_be_called_like_a_switch():
    X = NUMBERS.assign(switch_0=1.0)
    model = classifier("switches", DecisionTreeClassifier(max_depth=4), YOUNG).fit(X, LOANS.y)
    assert model.estimator_.labels_ == ["switch_0_"]
    assert frote.score(model, X, LOANS.y, YOUNG).agreement == 1.0


class Twice(LogisticRegression):
    """Fails from its third fit on."""

    fits = 0

    def fit(self, X, y):
        Twice.fits += 1
        if Twice.fits > 2:
            raise RuntimeError("no more")
        return super().fit(X, y)


def test_a_fit_that_fails_later_costs_that_fit_alone():
    Twice.fits = 0
    slow = default_pipeline(Twice(C=1e-4))  # it needs more rows for its rules than there are at first
    model = classifier("anchored", slow).fit(LOANS.X, LOANS.y)
    assert model.history_["error"].tolist() == ["", "", "RuntimeError: no more"]
    assert model.history_["added"].iloc[-1] == (model.ledger_["status"] == "synthetic").sum()
    assert model.how_ == "anchored"
    Twice.fits = 1
    with pytest.raises(RuntimeError, match="no more"):
        classifier("anchored", slow).fit(LOANS.X, LOANS.y)


@pytest.mark.parametrize(
    ("how", "estimator", "fits"), [("switches", SVC(), 3), ("anchored", SVC(), 2), ("auto", None, 3)]
)
def test_lower_switches_are_tried_where_rows_outside_move(how, estimator, fits, monkeypatch):
    few = classifier(how, default_pipeline(estimator), YOUNG).fit(LOANS.X, LOANS.y)
    assert few.n_fits_ == 2
    monkeypatch.setattr("frote.estimators.ways.fitting.MOST_FLIPS", -1)
    assert classifier(how, default_pipeline(estimator), YOUNG).fit(LOANS.X, LOANS.y).n_fits_ == fits
    trees = default_pipeline(DecisionTreeClassifier(max_depth=4))  # to which all heights are the same
    assert classifier(how, trees, YOUNG).fit(LOANS.X, LOANS.y).n_fits_ == 2


@pytest.mark.parametrize(
    "outcome", ["{approved: 0.7, denied: 0.3}", "approved WITH CONFIDENCE 0.8", "{approved: 0.35, denied: 0.65}"]
)
@pytest.mark.parametrize("estimator", [None, default_pipeline(RandomForestClassifier(20, min_samples_leaf=5))])
def test_the_mean_probability_inside_meets_the_outcome(outcome, estimator):
    rules = frote.parse_rules(f"chance: IF age < 40 AND defaults = 0 THEN {outcome}")
    covered = rules[0].mask(LATER)
    wanted = rules[0].outcome["approved"]
    for how in WAYS:
        model = classifier(how, estimator, rules).fit(LOANS.X, LOANS.y)
        chances = model.predict_proba(LATER)
        assert (model.predict(LATER) == model.classes_[chances.argmax(axis=1)]).mean() > 0.99
        inside = chances[covered, 0]
        assert abs(inside.mean() - wanted) <= 0.02
        assert np.abs(inside - wanted).max() <= 0.25  # each row, too, and not the mean alone
        assert len(np.unique(inside)) > 50  # in the order that the model gives them


@given(
    arrays(float, (6, 3), elements=st.floats(0, 1)).map(
        lambda rows: (rows + 1e-9) / (rows + 1e-9).sum(axis=1)[:, None]
    ),
    st.sampled_from([(0.7, 0.3, 0.0), (0.2, 0.2, 0.6), (1.0, 0.0, 0.0)]),
)
def test_tilted_probabilities_are_the_outcome_on_the_mean_and_keep_their_order(chances, outcome):
    tilt = tilt_towards(np.tile(outcome, (6, 1)), chances)
    after = tilted(chances, tilt)
    assert np.allclose(after.mean(axis=0), outcome, atol=1e-3)
    if outcome[1]:  # where one class is likelier than another, beside other rows, it stays so
        order = np.argsort(np.divide(*np.maximum(chances[:, :2], LEAST).T), kind="stable")
        odds = np.divide(*after[order, :2].T)
        assert (np.diff(odds) >= -1e-9 * odds[:-1]).all()


def test_the_loss_outside_is_bounded():
    forest = default_pipeline(RandomForestClassifier(20, max_depth=3))
    free = classifier("switches", forest).fit(LOANS.X, LOANS.y)
    assert free.frontier_["loss"].iloc[-1] > 0.005
    with pytest.warns(UserWarning, match="Nothing was edited: the model with switches loses 0.0.*how='auto'"):
        bound = classifier("switches", forest, max_loss_outside=0.005).fit(LOANS.X, LOANS.y)
    assert bound.how_ == "initial"
    assert bound.unedited_.startswith("Nothing was edited")
    assert (bound.predict(LOANS.X) == as_it_was(forest).predict(LOANS.X)).all()
    assert bound.ledger_["status"].unique().tolist() == ["kept"]
    for how in ("auto", "anchored"):
        model = classifier(how, forest, max_loss_outside=0.0).fit(LOANS.X, LOANS.y)
        assert model.how_ == "anchored"
        assert model.history_["loss"].iloc[-1] == 0
        assert model.unedited_ == ""


def test_no_step_can_be_had_again():
    with pytest.raises(TableError, match="Only an edit by data"):
        classifier("anchored").fit(LOANS.X, LOANS.y).at(0)
