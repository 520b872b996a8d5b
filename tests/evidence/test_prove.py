"""Proofs against brute force: every cell of a small space asked of the model itself."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lightgbm import LGBMClassifier
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.examples import examples
from xgboost import XGBClassifier

import frote
from frote.edits.models import CodedLabels
from frote.exceptions import ConflictError, ModelError, TableError

CLASSIFIERS = {
    "logistic": LogisticRegression(C=10.0),
    "svm": LinearSVC(),
    "ridge": RidgeClassifier(),
    "sgd": SGDClassifier(random_state=0),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "forest": RandomForestClassifier(3, max_depth=3, random_state=0),
    "extra": ExtraTreesClassifier(4, max_depth=2, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2, max_leaf_nodes=4),
    "lightgbm": LGBMClassifier(n_estimators=3, num_leaves=4, min_child_samples=2, verbose=-1, n_jobs=1),
    "xgboost": CodedLabels(XGBClassifier(n_estimators=3, max_leaves=4, min_child_weight=0.1, n_jobs=1)),
}
KINDS = np.array(["u", "v", "w", np.nan], dtype=object)
RULES = [
    "IF size < 3 THEN b",
    "IF size >= 2 AND kind = u THEN b",
    "IF kind IN {u, v} AND rate <= 0.5 THEN a",
    "IF rate > 0.25 OR flag = true THEN b",
    "IF kind IS MISSING THEN a",
    "IF NOT (kind = u) AND size < 5 THEN b",
]


def columns(numbers: list[str], levels: list[str]) -> ColumnTransformer:
    return ColumnTransformer(
        [
            ("n", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
            ("k", make_pipeline(SimpleImputer(strategy="constant", fill_value="?"), OneHotEncoder()), levels),
            ("f", "passthrough", ["flag"]),
        ]
    )


def data(seed: int, rows: int = 40, labels: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.integers(0, 7, rows),
            "rate": np.where(rng.random(rows) < 0.1, np.nan, rng.integers(0, 5, rows) / 4),
            "kind": pd.Series(KINDS[rng.integers(0, 4, rows)], dtype=object),
            "flag": rng.random(rows) < 0.5,
        }
    )
    score = X["size"] - 3 + 2 * X["flag"] - 3 * (X["kind"] == "u") + 2 * X["rate"].fillna(0) + rng.normal(0, 1, rows)
    cuts = np.quantile(score, np.linspace(0, 1, labels + 1)[1:-1])
    return X, np.array(list("abc"))[np.searchsorted(cuts, score)]


def everything(X: pd.DataFrame) -> pd.DataFrame:
    """All rows within the ranges of the data: features change only at quarters of the rate that occur, or between."""
    rates = np.unique(X["rate"].dropna())
    fine = np.unique(
        np.concatenate([rates, *((rates[:-1] * (1 - t) + rates[1:] * t) for t in (0.01, 0.3, 0.5, 0.7, 0.99))])
    )
    sizes = range(X["size"].min(), X["size"].max() + 1)
    rows = itertools.product(sizes, [*fine, np.nan], KINDS, [False, True])
    grid = pd.DataFrame(rows, columns=X.columns).astype({"kind": object})
    gaps = X.isna().any()
    return grid[(gaps["rate"] | grid["rate"].notna()) & (gaps["kind"] | grid["kind"].notna())].reset_index(drop=True)


def fitted(name: str, front: str, X: pd.DataFrame, y: np.ndarray):
    model = CLASSIFIERS[name]
    if front == "ours":
        return frote.default_pipeline(model).fit(X, y)
    return make_pipeline(columns(["size", "rate"], ["kind"]), model).fit(X, y)


@settings(max_examples=examples(200), deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(sorted(CLASSIFIERS)),
    st.sampled_from(["ours", "theirs"]),
    st.integers(2, 3),
    st.booleans(),
)
def test_answers_are_those_of_brute_force(seed, name, front, labels, taught):
    X, y = data(seed, labels=labels)
    rules = frote.parse_rules(RULES[seed % len(RULES)])
    if taught:  # else a row of the data refutes most models
        y = np.where(rules.coverage(X).any(axis=1), rules[0].outcome.probabilities[0][0], y)
        assume(len(set(y)) > 1)
    model = fitted(name, front, X, y)
    (proof,) = frote.prove(model, rules, X, values="observed").proofs
    grid = everything(X)
    inside = rules.coverage(grid).any(axis=1)
    if not inside.any():
        assert proof.answer == "no row"
        return
    strays = model.predict(grid[inside]) != proof.label
    if strays.any():  # linear ones may be worst between the points of the grid, where they have one at the ends too
        assert proof.answer == "counterexample"
    else:
        assert proof.answer == "proven"
    if proof.answer == "counterexample":
        assert rules.coverage(proof.counterexample).any(axis=1).all()
        assert model.predict(proof.counterexample)[0] == proof.said != proof.label


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["tree", "forest", "boosting", "histograms", "lightgbm", "xgboost"]))
def test_what_is_proven_holds_far_beyond_the_data(seed, name):
    X, y = data(seed)
    model = frote.default_pipeline(CLASSIFIERS[name]).fit(X, y)
    rules = frote.parse_rules(RULES[seed % len(RULES)])
    (proof,) = frote.prove(model, rules, X).proofs
    rng = np.random.default_rng(seed)
    far = X.take(rng.integers(0, len(X), 400)).reset_index(drop=True)
    far["size"] = rng.integers(-(10**6), 10**6, 400)
    far["rate"] = rng.normal(0, 10.0 ** rng.integers(-9, 9, 400))
    inside = far[rules.coverage(far).any(axis=1)]
    if proof.answer == "proven" and len(inside):
        assert (model.predict(inside) == proof.label).all()
    assert proof.answer in ("proven", "counterexample", "no row")


@pytest.mark.parametrize("name", ["tree", "forest", "lightgbm", "histograms", "xgboost"])
def test_a_split_is_found_to_the_last_bit(name):
    """Between the last float that goes left and the next one lies nothing, whatever the trees round to."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(0, 1, 300) * 1e-3 + 0.1})
    y = np.where(X["x"] > 0.1, "b", "a")
    model = frote.default_pipeline(CLASSIFIERS[name]).fit(X, y)
    low, high = 0.09, 0.11
    while np.nextafter(low, 1.0) < high:
        middle = low / 2 + high / 2
        low, high = (middle, high) if model.predict(pd.DataFrame({"x": [middle]}))[0] == "a" else (low, middle)
    (above,) = frote.prove(model, f"IF x >= {high!r} THEN b", X).proofs
    (below,) = frote.prove(model, f"IF x >= {low!r} THEN b", X).proofs
    assert (above.answer, below.answer) == ("proven", "counterexample")
    assert below.counterexample["x"].item() == low or below.counterexample["x"].item() in X["x"].to_list()


def test_what_a_sparse_matrix_does_not_hold_is_missing_to_xgboost():
    """The mean of a column becomes 0 in our encoder's sparse matrix, and 0 goes where missing values go."""
    X = pd.DataFrame({"x": np.tile([0.0, 0.5, 1.0], 40), "kind": np.tile(["u", "v"], 60)})
    y = np.where(X["x"] > 0.25, "b", "a")
    classifier = CodedLabels(XGBClassifier(n_estimators=2, min_child_weight=0.1, n_jobs=1))
    model = frote.default_pipeline(classifier).fit(X, y)
    assert model.predict(pd.DataFrame({"x": [0.4, 0.5, 0.6, 1.0], "kind": "u"})).tolist() == ["a", "b", "a", "b"]
    answers = [frote.prove(model, f"IF x {which} THEN b", X).proofs[0].answer for which in ("= 0.5", "> 0.3", "= 1")]
    assert answers == ["proven", "counterexample", "proven"]


def test_a_limit_leaves_rules_open_with_a_bound_that_holds():
    X, y = data(5, rows=300)
    model = frote.default_pipeline(RandomForestClassifier(20, random_state=0)).fit(X, y)
    rules = "IF size >= 4 AND rate > 0.5 AND flag = true THEN b"
    first, whole = (frote.prove(model, rules, X, values="observed", boxes=boxes).proofs[0] for boxes in (1, 50_000))
    assert whole.answer in ("proven", "counterexample")
    if first.answer == "open":
        assert first.bound <= whole.bound
        assert first.boxes == 1


def test_overlays_and_rules_in_the_model():
    X, y = data(1, rows=200)
    rules = "few: IF size < 2 THEN b\nmany: IF size > 4 AND kind = u THEN a"
    model = frote.default_pipeline(DecisionTreeClassifier(max_depth=4, random_state=0)).fit(X, y)
    assert not frote.prove(model, rules, X).is_proven
    assert frote.prove(frote.OverlayClassifier(model, rules).fit(X), rules, X).is_proven
    part = frote.OverlayClassifier(model, "few: IF size < 1 THEN b").fit(X)
    answer = frote.prove(part, "few: IF size < 2 THEN b", X).proofs[0]
    assert answer.answer == "counterexample"
    assert answer.counterexample["size"].item() == 1
    other = frote.OverlayClassifier(model, "few: IF size < 1 THEN a").fit(X)
    assert frote.prove(other, "few: IF size < 2 THEN b", X).proofs[0].answer == "counterexample"


@pytest.mark.parametrize("how", ["anchored", "switches"])
def test_models_with_switches(how):
    X, y = data(2, rows=200)
    rules = "few: IF size < 2 THEN b\nmany: IF size > 4 AND kind = u THEN a"
    model = frote.FROTEClassifier(frote.default_pipeline(), rules, how=how, random_state=0).fit(X, y)
    report = frote.prove(model, rules, X, values="observed")
    inside = everything(X)
    for proof in report.proofs:
        mine = inside[frote.parse_rules(rules).pieces(proof.rule)[0].mask(inside)]
        strays = model.predict(mine) != proof.label
        assert proof.answer == ("counterexample" if strays.any() else "proven")


def test_numbers_that_are_encoded_as_categories():
    X = pd.DataFrame({"doors": [2, 3, 4, 5] * 10, "rate": np.arange(40) / 40})
    y = np.where(X["doors"] == 4, "b", "a")
    for encoder in (OneHotEncoder(handle_unknown="ignore"), OrdinalEncoder()):
        values = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
        encoder = encoder.set_params(**values) if isinstance(encoder, OrdinalEncoder) else encoder
        front = ColumnTransformer([("d", encoder, ["doors"]), ("r", MinMaxScaler(), ["rate"])])
        model = make_pipeline(front, DecisionTreeClassifier(random_state=0)).fit(X, y)
        report = frote.prove(model, "four: IF doors = 4 THEN b\nfew: IF doors < 4 THEN a\nmore: IF doors > 3 THEN b", X)
        assert [one.answer for one in report.proofs] == ["proven", "proven", "counterexample"]


def test_columns_in_another_order_and_more_of_them():
    X, y = data(3)
    model = frote.default_pipeline(DecisionTreeClassifier(max_depth=3, random_state=0)).fit(X, y)
    turned = X[["flag", "kind", "size", "rate"]].assign(id=range(len(X)))
    for rule in RULES[:4]:
        straight, other = frote.prove(model, rule, X).proofs[0], frote.prove(model, rule, turned).proofs[0]
        assert straight.answer == other.answer


def test_dates():
    X = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=60), "n": range(60)})
    y = np.where(X["day"] >= "2024-02-01", "b", "a")
    model = frote.default_pipeline(DecisionTreeClassifier(random_state=0, max_features=1)).fit(X[["day"]], y)
    report = frote.prove(model, "late: IF day >= 2024-02-01 THEN b\nsoon: IF day >= 2024-01-31 THEN b", X[["day"]])
    assert [one.answer for one in report.proofs] == ["proven", "counterexample"]
    assert report.counterexamples["day"].tolist() == [pd.Timestamp("2024-01-31")]


def test_what_cannot_be_proven_is_told():
    X, y = data(4)
    numbers = X[["size", "flag"]]
    with pytest.raises(ModelError, match=r"GaussianNB, which is neither linear nor trees .*\. frote.stress"):
        frote.prove(GaussianNB().fit(numbers, y), "IF size > 100 THEN b", numbers)
    with pytest.raises(ConflictError):
        frote.prove(fitted("tree", "ours", X, y), "IF size < 3 THEN a\nIF size < 2 THEN b", X)
    with pytest.raises(TableError, match="values is 'all'"):
        frote.prove(fitted("tree", "ours", X, y), RULES[0], X, values="all")
    with pytest.raises(TableError, match="limits"):
        frote.prove(fitted("tree", "ours", X, y), RULES[0], X, boxes=0)


def test_a_rule_without_a_possible_row():
    X, y = data(4)
    report = frote.prove(fitted("tree", "ours", X, y), "odd: IF kind = z THEN a", X)
    assert report.proofs[0].answer == "no row"
    assert "covers nothing" in str(report)


def test_a_rule_that_covers_every_row_and_no_rule_at_all():
    X = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "x"]})
    model = DecisionTreeClassifier(random_state=0).fit(X[["a"]], ["no", "no", "yes"])
    report = frote.prove(model, "IF a < 2 OR a >= 2 OR a IS MISSING THEN yes", X)
    assert report.proofs[0].text == "a = 1, b = 'x'"  # a row of the data, and nothing tells it from others of the rule
    assert str(frote.prove(model, "", X)) == "There is no rule."
