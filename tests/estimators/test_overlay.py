"""OverlayClassifier: rules over a model that is left as it is."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.examples import examples
from tests.rules.brute_force import FRAME, SCHEMA, boxes, clause, rows

import frote
from frote import BindingError, ConflictError, ModelError, OverlayClassifier, RuleError, TableError
from frote.rules import Outcome, Rule, RuleSet

LOANS = frote.datasets.load_loans(400)
MODEL = frote.default_pipeline().fit(LOANS.X, LOANS.y)
YOUNG = "young: IF age < 29 AND defaults = 0 THEN approved"
CLASSES = ("high", "low", "mid")


class Stub(ClassifierMixin, BaseEstimator):
    """Predicts by the position of a row's number in its classes; counts how often it is fitted."""

    fits = 0

    def __init__(self, column="real"):
        self.column = column

    def fit(self, X, y):  # noqa: ARG002
        type(self).fits += 1
        self.classes_ = np.unique(np.asarray(y))
        return self

    def _codes(self, X):
        numbers = np.nan_to_num(np.asarray(X[self.column], dtype=float), posinf=0, neginf=1)
        return (np.abs(numbers) * 2 % len(self.classes_)).astype(int)

    def predict(self, X):
        return self.classes_[self._codes(X)]

    def predict_proba(self, X):
        return np.eye(len(self.classes_))[self._codes(X)] * 0.9 + 0.1 / len(self.classes_)


STUB = Stub().fit(None, CLASSES)
WORLD = FRAME.iloc[np.random.default_rng(0).permutation(len(FRAME))[:300]]

outcomes = st.one_of(
    st.sampled_from(CLASSES).map(Outcome.of),
    st.builds(lambda label, share: Outcome.of(label, confidence=share), st.sampled_from(CLASSES), st.floats(0.4, 1)),
    st.permutations(CLASSES).map(lambda order: Outcome.of(dict(zip(order, (0.5, 0.3, 0.2), strict=True)))),
)
rule_parts = st.lists(st.tuples(boxes(), outcomes), max_size=4)


def rule_set(parts):
    """Return rules without conflicts, and for each the rows that it covers, in plain Python."""
    drafts = RuleSet(Rule(f"r{place}", clause(box), outcome) for place, (box, outcome) in enumerate(parts))
    taken = np.zeros(len(FRAME), dtype=bool)
    masks = []
    for box, _ in parts:
        masks.append(rows(box) & ~taken)
        taken |= masks[-1]
    return drafts.resolve("priority", SCHEMA), [mask[FRAME.index.get_indexer(WORLD.index)] for mask in masks]


@pytest.mark.filterwarnings("ignore::frote.exceptions.RuleWarning")
@given(rule_parts)
@settings(max_examples=examples(100))
def test_hard_is_the_rules_inside_and_the_model_outside(parts):
    rules, masks = rule_set(parts)
    overlay = OverlayClassifier(STUB, rules).fit(WORLD)
    predicted, chances = overlay.predict(WORLD), overlay.predict_proba(WORLD)
    assert np.allclose(chances.sum(axis=1), 1)
    left = np.ones(len(WORLD), dtype=bool)
    for (_, outcome), mask in zip(parts, masks, strict=True):
        left &= ~mask
        shares = outcome.spread(CLASSES)
        assert (chances[mask] == [shares[label] for label in CLASSES]).all()
        assert all(shares[label] == max(shares.values()) for label in predicted[mask])
    assert (predicted[left] == STUB.predict(WORLD)[left]).all()
    assert (chances[left] == STUB.predict_proba(WORLD)[left]).all()
    assert overlay.transform_rows(WORLD) is WORLD
    assert ((overlay.apply(WORLD) == "") == left).all()


@pytest.mark.filterwarnings("ignore::frote.exceptions.RuleWarning")
@given(boxes(), boxes(), st.booleans(), st.sampled_from(["observed", "possible"]))
@settings(max_examples=examples(125))
def test_soft_moves_covered_rows_into_or_out_of_the_original(box, original, kept, values):
    rules = RuleSet([Rule("new", clause(box), Outcome.of("high"))])
    held = clause(original)
    old = RuleSet([Rule("old", held, Outcome.of("high" if kept else "low"))])
    overlay = OverlayClassifier(STUB, rules, mode="soft", originals=old, values=values).fit(WORLD)
    found = overlay.transform_rows(WORLD)
    assert found.dtypes.equals(WORLD.dtypes)
    assert found.index.equals(WORLD.index)
    here = FRAME.index.get_indexer(WORLD.index)
    covered, was, now = rows(box)[here], rows(original)[here], old[0].mask(found)
    changed = pd.DataFrame({name: _differ(WORLD[name], found[name]) for name in WORLD})
    moved = changed.any(axis=1).to_numpy()
    wanted = covered & (was != kept)
    assert not moved[~wanted].any()
    assert (now[moved] == kept).all()
    if kept:
        possible = not held.is_empty(SCHEMA)
        for name in WORLD:
            fails = ~rows({name: original[name]})[here] if name in original else np.zeros(len(WORLD), dtype=bool)
            assert (changed[name] == (moved & fails)).all()
    else:
        possible = any((~condition).pick(SCHEMA[name]) is not None for name, condition in held)
        assert (changed[moved].sum(axis=1) == 1).all()
    if possible:
        assert moved[wanted].all()
    assert (overlay.predict(WORLD) == STUB.predict(found)).all()
    assert (overlay.predict_proba(WORLD) == STUB.predict_proba(found)).all()


def _differ(one, other):
    return [
        False if pd.isna(a) and pd.isna(b) else pd.isna(a) or pd.isna(b) or a != b
        for a, b in zip(one, other, strict=True)
    ]


X = pd.DataFrame(
    {
        "age": [25, 28, 35, 45, 60, 33],
        "income": [20.5, 30.5, 55.5, 60.5, 80.5, np.nan],
        "education": pd.Categorical(["school", "masters", "masters", "school", "school", "phd"]),
        "since": pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01", "2023-01-01", "2024-01-01", None]),
    }
)
Y = ["no", "no", "yes", "yes", "yes", "no"]
RICH = {"income": {4: 60.5}}
ADULTS = "IF age > 30 AND income > 50 AND education = masters THEN yes"


def transformed(rules, originals, rows=X, **parameters):
    model = DummyClassifier(strategy="prior").fit(X, Y)
    overlay = OverlayClassifier(model, rules, mode="soft", originals=originals, **parameters).fit(X)
    return overlay.transform_rows(rows)


def test_the_papers_example_an_age_limit_is_lowered():
    """R: age > 30 AND income > 50K AND education = Masters, changed to age > 26."""
    found = transformed("IF age > 26 AND income > 50 AND education = masters THEN yes", ADULTS)
    pd.testing.assert_frame_equal(found, X)  # nobody between 26 and 30 earns that much
    rows = X.assign(income=90.5)
    found = transformed("IF age > 26 AND income > 50 AND education = masters THEN yes", ADULTS, rows)
    pd.testing.assert_frame_equal(found, rows.assign(age=[25, 33, 35, 45, 60, 33]))


@pytest.mark.parametrize(
    ("rules", "originals", "changed"),
    [
        # Label kept: covered rows that the original lacks are moved into it.
        ("IF age > 40 THEN yes", "IF age > 50 THEN yes", {"age": {3: 60}}),
        ("IF age > 40 THEN yes", "IF education = masters THEN yes", {"education": {3: "masters", 4: "masters"}}),
        ("IF age < 30 THEN yes", "IF education != school THEN yes", {"education": {0: "masters"}}),
        ("IF age < 30 THEN yes", "IF since > 2021-06-01 THEN yes", {"since": {0: X.since[2], 1: X.since[2]}}),
        ("IF income IS MISSING THEN yes", "IF income > 60 THEN yes", {"income": {5: 60.5}}),
        ("IF age = 25 THEN no", "IF income IS MISSING THEN no", {"income": {0: np.nan}}),
        # Label changed: covered rows that the original covers too are moved out of it.
        ("IF age > 40 THEN no", "IF age > 50 THEN yes", {"age": {4: 45}}),
        ("IF age > 40 THEN no", "IF education = school THEN yes", {"education": {3: "masters", 4: "masters"}}),
        ("IF age > 40 THEN no", "IF education != masters THEN yes", {"education": {3: "masters", 4: "masters"}}),
        ("IF age > 40 THEN no", "IF since >= 2023-01-01 THEN yes", {"since": {3: X.since[2], 4: X.since[2]}}),
        ("IF age >= 25 THEN yes", "IF income IS MISSING THEN no", {"income": {5: 55.5}}),
        # Pieces: a rule of alternatives, for one of alternatives.
        ("IF age < 26 OR income > 80 THEN yes", "IF age = 28 OR income = 60.5 THEN yes", RICH | {"age": {0: 28}}),
        ("IF age < 26 OR income > 80 THEN no", "IF age > 50 OR income > 70 THEN yes", RICH | {"age": {4: 45}}),
        # Nothing to do, or nothing that could be done.
        ("IF age > 40 THEN yes", "IF age > 30 THEN yes", {}),
        ("IF age > 40 THEN no", "IF age < 30 THEN yes", {}),
        ("IF age > 40 THEN no", "IF TRUE THEN yes", {}),
        ("IF age > 40 THEN yes", "IF age > 50 AND age < 51 THEN yes", {}),
        ("IF age > 40 THEN yes", "IF education = college THEN yes", {}),
        ("IF age > 90 THEN yes", "IF age > 50 THEN yes", {}),
    ],
)  # fmt: skip
def test_by_hand(rules, originals, changed):
    expected = X.copy()
    for name, values in changed.items():
        for row, value in values.items():
            expected.loc[row, name] = value
    before = X.copy(deep=True)
    pd.testing.assert_frame_equal(transformed(rules, originals), expected)
    pd.testing.assert_frame_equal(X, before)


def test_the_nearest_possible_value_on_demand():
    found = transformed("IF age > 40 THEN yes", "IF age > 50 THEN yes", values="possible")
    assert found["age"].tolist() == [25, 28, 35, 51, 60, 33]


def test_a_row_belongs_to_the_first_rule_that_covers_it():
    rules = "a: IF age > 40 THEN yes\nb: IF age > 30 THEN yes"
    found = transformed(rules, {"a": "IF income > 80 THEN yes", "b": "IF education = masters THEN yes"})
    assert found["income"].tolist()[3:5] == [80.5, 80.5]
    assert found["education"].tolist() == ["school", "masters", "masters", "school", "school", "masters"]


def test_a_row_may_be_moved_alone_or_with_others():
    overlay = OverlayClassifier(MODEL, YOUNG, mode="soft").fit(LOANS.X)
    together = overlay.transform_rows(LOANS.X)
    assert not together.equals(LOANS.X)
    for place in range(0, 400, 23):
        pd.testing.assert_frame_equal(overlay.transform_rows(LOANS.X.iloc[[place]]), together.iloc[[place]])


def test_originals_are_found_by_what_they_cover():
    model = DecisionTreeClassifier(max_depth=1).fit(X[["age"]], Y)
    overlay = OverlayClassifier(model, "young: IF age BETWEEN 26 AND 30 THEN yes", mode="soft").fit(X[["age"]])
    assert str(overlay.originals_["young"][0].clause) == "age <= 33"
    assert overlay.transform_rows(X[["age"]])["age"].tolist() == [25, 35, 35, 45, 60, 33]
    assert overlay.predict(X[["age"]]).tolist() == ["no", "yes", "yes", "yes", "yes", "no"]


F = "f: IF age < 29 AND income < 40 THEN yes"
TWO = "IF age < 26 OR since > 2023-06-01"


def explanation(text):
    """Return an explanation that consists of these rules."""
    return frote.Explanation(frote.parse_rules(text), pd.DataFrame(), "no", 1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("rules", "explained", "best"),
    [
        ("f: IF age < 29 THEN yes", "a: IF age < 40 THEN no\nb: IF age < 30 THEN no", ("b",)),
        ("f: IF age < 29 THEN yes", "a: IF age > 40 THEN no\nb: IF age < 26 THEN yes", ("b",)),
        # Equal overlap: the columns in common count, then the order.
        ("f: IF age < 29 THEN yes", "a: IF since < 2021-06-01 THEN no\nb: IF age < 30 THEN no", ("b",)),
        ("f: IF age < 29 THEN yes", "a: IF age < 30 THEN no\nb: IF age < 31 THEN no", ("a",)),
        (F, "a: IF since < 2021-06-01 THEN no\nb: IF age < 50 AND income < 70 THEN no", ("a",)),
        # All pieces of a rule count together.
        ("f: IF age < 26 OR since > 2023-06-01 THEN yes", f"a: IF age < 26 THEN no\nb: {TWO} THEN no", ("b/1", "b/2")),
        # No row in common: those that could have one, by columns in common, then by order.
        ("f: IF age > 90 THEN yes", "a: IF income > 5 THEN no\nb: IF age < 50 THEN no\nc: IF age > 4 THEN no", ("c",)),
        ("f: IF age > 90 AND income > 0 THEN yes",
         "a: IF age > 4 THEN no\nb: IF age > 4 AND income > 0 THEN no", ("b",)),
        ("f: IF age > 90 THEN yes", "a: IF age > 40 THEN no\nb: IF age > 45 THEN no", ("a",)),
    ],
)  # fmt: skip
def test_which_original_is_taken(rules, explained, best):
    model = DummyClassifier(strategy="prior").fit(X, Y)
    overlay = OverlayClassifier(model, rules, mode="soft", originals=explanation(explained)).fit(X)
    assert overlay.originals_["f"].names == best


@pytest.mark.parametrize("explained", ["a: IF age < 50 THEN no", "a: IF income > 50 THEN no"])
def test_a_rule_without_an_original_moves_nothing_and_says_so(explained):
    model = DummyClassifier(strategy="prior").fit(X, Y)
    overlay = OverlayClassifier(model, "f: IF age > 90 THEN yes", mode="soft", originals=explanation(explained))
    with pytest.warns(UserWarning, match="^The model follows no rule that 'f' could correct: no row is moved for it"):
        overlay.fit(X)
    assert overlay.originals_ == {}
    rows = X.assign(age=99)
    assert overlay.transform_rows(rows) is rows


def test_originals_as_a_dict_may_leave_rules_out():
    rules = "a: IF age > 40 THEN yes\nb: IF age < 30 THEN yes"
    found = transformed(rules, {"b": frote.parse_rules("IF age > 30 THEN yes")[0]})
    assert found["age"].tolist() == [33, 33, 35, 45, 60, 33]


def test_the_model_is_the_callers_own_and_never_fitted_again():
    before, Stub.fits = pickle.dumps(STUB), 0
    for mode, originals in (("hard", None), ("soft", "IF whole > 1 THEN low")):
        overlay = OverlayClassifier(STUB, "IF whole > 2 THEN high", mode=mode, originals=originals).fit(FRAME)
        overlay.fit(FRAME, ["nonsense"] * len(FRAME)).predict(WORLD)
        assert overlay.model_ is STUB
        assert overlay.classes_.tolist() == list(CLASSES)
    assert Stub.fits == 0
    assert pickle.dumps(STUB) == before


def test_a_model_that_is_not_fitted_is_cloned_and_fitted():
    given = make_pipeline(StandardScaler(), LogisticRegression())
    numbers = LOANS.X[["age", "defaults"]]
    overlay = OverlayClassifier(given, YOUNG).fit(numbers, LOANS.y)
    assert overlay.model_ is not given
    with pytest.raises(NotFittedError):
        given.predict(numbers)
    expected = clone(given).fit(numbers, LOANS.y).predict(numbers)
    outside = overlay.apply(numbers) == ""
    assert (overlay.predict(numbers)[outside] == expected[outside]).all()
    assert (overlay.predict(numbers)[~outside] == "approved").all()
    assert is_classifier(overlay)


def test_a_frozen_model_survives_a_clone():
    overlay = clone(OverlayClassifier(FrozenEstimator(MODEL), YOUNG)).fit(LOANS.X)
    assert (overlay.predict(LOANS.X) == OverlayClassifier(MODEL, YOUNG).fit(LOANS.X).predict(LOANS.X)).all()


class Oracle:
    """Nothing but a way to predict."""

    def predict(self, X):
        return ["old" if age > 40 else "young" for age in X["age"]]


class InColumns(Oracle):
    """Has a way to be fitted, but not scikit-learn's, and predicts a column."""

    def fit(self, X, y):  # noqa: ARG002
        raise AssertionError

    def predict(self, X):
        return np.array([super().predict(X)]).T


def test_a_model_that_only_predicts():
    overlay = OverlayClassifier(Oracle(), "IF age > 50 THEN young").fit(X)
    assert overlay.predict(X).tolist() == ["young", "young", "young", "old", "young", "young"]
    assert overlay.classes_.tolist() == ["old", "young"]
    assert not hasattr(overlay, "predict_proba")
    assert (OverlayClassifier(InColumns(), "IF age > 50 THEN young").fit(X).predict(X) == overlay.predict(X)).all()
    named = OverlayClassifier(Oracle(), "IF age > 50 THEN ancient").fit(X, ["old", "young", "ancient"] * 2)
    assert named.predict(X).tolist() == ["young", "young", "young", "old", "ancient", "young"]


def test_probabilities_are_there_where_the_model_has_them():
    numbers = LOANS.X[["age", "defaults"]]
    assert hasattr(OverlayClassifier(), "predict_proba")
    overlay = OverlayClassifier(LinearSVC(), YOUNG)
    assert not hasattr(overlay, "predict_proba")
    assert not hasattr(overlay.fit(numbers, LOANS.y), "predict_proba")


@pytest.mark.parametrize(
    ("outcome", "answer", "shares"),
    [
        ("mid", "mid", [0, 0, 1]),
        ("{high: 0.2, mid: 0.8}", "mid", [0.2, 0, 0.8]),
        ("{low: 0.5, mid: 0.5}", "low", [0, 0.5, 0.5]),  # equals: the first class
        ("mid WITH CONFIDENCE 0.5", "mid", [0.25, 0.25, 0.5]),
        ("mid WITH CONFIDENCE 0.2", "high", [0.4, 0.4, 0.2]),
        ("{high: 0.25, low: 0.25, mid: 0.5}", "mid", [0.25, 0.25, 0.5]),
    ],
)
def test_the_most_probable_class(outcome, answer, shares):
    overlay = OverlayClassifier(STUB, f"IF TRUE THEN {outcome}").fit(WORLD)
    assert set(overlay.predict(WORLD)) == {answer}
    assert np.allclose(overlay.predict_proba(WORLD), shares)


def test_of_equals_one_that_the_rule_names():
    stub = Stub().fit(None, ["a", "b"])
    overlay = OverlayClassifier(stub, "IF TRUE THEN b WITH CONFIDENCE 0.5").fit(WORLD)
    assert set(overlay.predict(WORLD)) == {"b"}


@pytest.mark.parametrize("labels", [[False, True], [0, 1], [1.0, 2.0], ["no", "yes, indeed"]])
def test_labels_keep_their_type(labels):
    y = np.array(labels)[[0, 0, 1, 1, 1, 0]]
    model = DecisionTreeClassifier(max_depth=1).fit(X[["age"]], y)
    overlay = OverlayClassifier(model, f"IF age < 26 THEN '{labels[1]}'").fit(X[["age"]])
    predicted = overlay.predict(X[["age"]])
    assert predicted.dtype == y.dtype
    assert predicted.tolist() == [labels[1], labels[0], labels[1], labels[1], labels[1], labels[0]]


@pytest.mark.parametrize("mode", ["hard", "soft"])
def test_kinds_of_frames_agree(mode):
    numbers = LOANS.X[["age", "defaults"]]
    originals = "IF age <= 27 THEN denied"
    expected = None
    for frame, rules, old in (
        (numbers, YOUNG, originals),
        (pl.from_pandas(numbers), YOUNG, originals),
        (numbers.to_numpy(), YOUNG.replace("age", "x0").replace("defaults", "x1"), originals.replace("age", "x0")),
        (
            numbers.to_numpy().tolist(),
            YOUNG.replace("age", "x0").replace("defaults", "x1"),
            originals.replace("age", "x0"),
        ),
    ):
        overlay = OverlayClassifier(LogisticRegression(), rules, mode=mode, originals=old).fit(frame, LOANS.y)
        predicted = overlay.predict(frame).tolist()
        expected = expected or predicted
        assert predicted == expected
        seen = overlay.transform_rows(frame)
        assert isinstance(seen, type(frame)) or isinstance(frame, list)
        assert (np.asarray(seen) == np.asarray(numbers)).all() == (mode == "hard")
    assert "approved" in expected


def test_soft_wins_back_some_rows_that_the_model_denies():
    """Of the rows that the rule covers, the model approves few, a soft overlay some more, a hard one all."""
    agreement = [frote.score(MODEL, LOANS.X, LOANS.y, YOUNG).agreement]
    for mode in ("soft", "hard"):
        overlay = OverlayClassifier(MODEL, YOUNG, mode=mode).fit(LOANS.X)
        agreement.append(frote.score(overlay, LOANS.X, LOANS.y, YOUNG).agreement)
        outside = overlay.apply(LOANS.X) == ""
        assert (overlay.predict(LOANS.X)[outside] == MODEL.predict(LOANS.X)[outside]).all()
    assert agreement[0] < agreement[1] < agreement[2] == 1


@pytest.mark.parametrize("mode", ["hard", "soft"])
def test_among_scikit_learns_tools(mode):
    overlay = OverlayClassifier(LogisticRegression(), YOUNG, mode=mode, originals="IF age <= 27 THEN denied")
    numbers, y = LOANS.X[["age", "defaults"]][:100], LOANS.y[:100]
    folds = KFold(2)
    by_hand = []
    for train, test in folds.split(numbers):
        fitted = clone(overlay).fit(numbers.iloc[train], y.iloc[train])
        by_hand.append(np.mean(fitted.predict(numbers.iloc[test]) == y.iloc[test]))
    assert cross_val_score(overlay, numbers, y, cv=folds, error_score="raise").tolist() == by_hand
    # With C so small the model denies or approves all it is asked about; the search finds the one that does not.
    search = GridSearchCV(overlay, {"model__C": [1e-9, 1.0]}, cv=folds, error_score="raise").fit(numbers, y)
    assert search.best_params_ == {"model__C": 1.0}
    assert search.best_estimator_.model_.C == 1.0
    assert search.cv_results_["mean_test_score"][0] < search.cv_results_["mean_test_score"][1]
    fitted = overlay.fit(numbers, y)
    assert (fitted.predict(numbers) != fitted.model_.predict(numbers)).any()
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict(numbers) == fitted.predict(numbers)).all()
    assert (again.predict_proba(numbers) == fitted.predict_proba(numbers)).all()
    assert again.rules_ == fitted.rules_


def test_without_rules_nothing_needs_to_be_explained():
    model = DummyClassifier(strategy="constant", constant="yes").fit(X, Y)
    assert OverlayClassifier(model, mode="soft").fit(X).originals_ == {}


def test_no_rules_and_no_covered_row():
    for mode in ("hard", "soft"):
        for rules, originals in (((), None), ("IF age > 500 THEN approved", "IF age > 30 THEN approved")):
            overlay = OverlayClassifier(MODEL, rules, mode=mode, originals=originals).fit(LOANS.X)
            assert (overlay.predict(LOANS.X) == MODEL.predict(LOANS.X)).all()
            assert (overlay.predict_proba(LOANS.X) == MODEL.predict_proba(LOANS.X)).all()
            assert overlay.transform_rows(LOANS.X) is LOANS.X
            assert set(overlay.apply(LOANS.X)) == {""}


def test_pieces_go_by_the_name_of_their_rule():
    overlay = OverlayClassifier(MODEL, "mine: IF age < 25 OR defaults > 1 THEN denied").fit(LOANS.X)
    assert len(overlay.rules_) == 2
    assert set(overlay.apply(LOANS.X)) == {"mine", ""}


def fails(error, text, rules="IF age > 40 THEN yes", y=None, data=X, model=None, **parameters):
    model = DecisionTreeClassifier(max_depth=1).fit(X[["age"]], Y) if model is None else model
    overlay = OverlayClassifier(model, rules, **parameters)
    with pytest.raises(error) as caught:
        overlay.fit(data, y)
    assert str(caught.value) == text, str(caught.value)
    assert not hasattr(overlay, "model_")


def test_bad_input_to_fit():
    fails(
        BindingError,
        "line 1, rule 'rule 1': 'yess' is no class of the data. Did you mean 'yes'?\n  THEN yess\n       ^^^^",
        "IF age > 40 THEN yess",
    )
    fails(
        BindingError,
        "line 1, rule 'rule 1': the data have no column 'agee'. Did you mean 'age'?\n  agee > 40\n  ^^^^",
        "IF agee > 40 THEN yes",
    )
    fails(
        ConflictError,
        "Rules conflict; resolve them with rules.resolve('exclude'), 'mix' or 'priority':\n"
        "- rule 1 (yes) and rule 2 (no) conflict where age > 50, for example age=51 (1 row)",
        "IF age > 40 THEN yes\nIF age > 50 THEN no",
    )
    fails(TableError, "requires y to be passed, but the target y is None", model=LogisticRegression())
    fails(
        TableError,
        "y has one class only, 'a'; a classifier needs two at least.",
        y=["a"] * 6,
        model=LogisticRegression(),
    )
    fails(TableError, "Found array with 0 sample(s) while a minimum of 1 is required. Give X a row.", data=X[:0])


def test_bad_originals():
    soft = {"mode": "soft", "rules": "a: IF age > 40 THEN yes\nb: IF age < 20 THEN no"}
    fails(
        RuleError,
        "originals has 1 rules, and rules has 2. "
        "Give one for each, in the same order, or a dict from the names of rules.",
        originals="IF age > 30 THEN yes",
        **soft,
    )
    fails(
        RuleError,
        "originals has a rule for 'aa', which is none. Did you mean 'a'?",
        originals={"aa": "IF age > 30 THEN yes"},
        **soft,
    )
    fails(
        RuleError,
        "originals has 2 rules for 'b'. Give one.",
        originals={"b": "IF age > 30 THEN yes\nIF age > 3 THEN yes"},
        **soft,
    )
    fails(
        BindingError,
        "line 1, rule 'rule 1': the data have no column 'agee'. Did you mean 'age'?\n  agee > 30\n  ^^^^",
        originals={"b": "IF agee > 30 THEN yes"},
        **soft,
    )
    fails(
        TableError,
        "The model predicts 'yes' for every row: there is nothing to tell apart. "
        "Give the rules to correct as originals, or use mode='hard'.",
        model=DummyClassifier(strategy="constant", constant="yes").fit(X, Y),
        **soft,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mode", "medium"),
        ("rules", 3),
        ("originals", 3),
        ("values", "nice"),
        ("model", "logistic"),
        ("model", object()),
    ],
)
def test_parameters(name, value):
    with pytest.raises(ValueError, match=f"^The '{name}' parameter of OverlayClassifier must be"):
        OverlayClassifier(**{"model": MODEL, name: value}).fit(X, Y)


def test_bad_input_to_predict():
    overlay = OverlayClassifier(MODEL, YOUNG)
    with pytest.raises(NotFittedError):
        overlay.predict(LOANS.X)
    overlay = OverlayClassifier(MODEL, YOUNG, mode="soft", originals="IF income > 10 THEN denied").fit(LOANS.X)
    for ask in (overlay.predict, overlay.predict_proba, overlay.transform_rows, overlay.apply):
        with pytest.raises(ValueError, match="feature names"):
            ask(LOANS.X.drop(columns="age"))
    with pytest.raises(BindingError, match="column 'age' holds categories, which have no order"):
        overlay.predict(LOANS.X.assign(age="old"))
    with pytest.raises(BindingError, match="column 'income' holds categories, which have no order"):
        overlay.predict(LOANS.X.assign(income="high"))


def test_a_model_without_classes_that_gives_other_probabilities():
    class Silent(Oracle):
        def predict_proba(self, X):
            return np.full((len(X), 3), 1 / 3)

    overlay = OverlayClassifier(Silent(), "IF age > 50 THEN young").fit(X)
    with pytest.raises(ModelError, match=r"^The model gives probabilities of shape \(6, 3\) for 2 classes"):
        overlay.predict_proba(X)


class Aligned(DummyClassifier):
    """A model that minds the index of its rows."""

    def fit(self, X, y):
        assert X.index.equals(y.index)
        return super().fit(X, y)


def test_the_model_is_given_rows_and_labels_as_they_came():
    X = pd.DataFrame({"age": [20, 30, 40, 50]}, index=[7, 5, 3, 1])
    y = pd.Series(["no", "yes", "no", "yes"], index=X.index)
    found = frote.OverlayClassifier(Aligned(strategy="constant", constant="no"), "IF age > 45 THEN yes").fit(X, y)
    assert found.predict(X).tolist() == ["no", "no", "no", "yes"]
