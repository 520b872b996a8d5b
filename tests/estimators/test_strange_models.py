"""Models that answer strangely, and tables with strange names and labels: a step that failed, or one sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import frote
from frote import ModelError, TableError

X = pd.DataFrame({"a": np.arange(40) + 0.5, "b": [1.0, 2.5] * 20})
Y = np.array(["no", "yes"] * 20)
RULES = "low: IF a < 10 THEN yes"
ANSWERS = {
    "too few": lambda labels: labels[:-1],
    "too many": lambda labels: np.append(labels, "no"),
    "none": lambda labels: None,  # noqa: ARG005
    "no rows": lambda labels: [],  # noqa: ARG005
    "two columns": lambda labels: np.column_stack([labels, labels]),
    "three dimensions": lambda labels: labels.reshape(-1, 1, 1),
    "a generator": lambda labels: (label for label in labels),
    "a text": lambda labels: "no",  # noqa: ARG005
    "a dict": lambda labels: dict(enumerate(labels)),
    "a set": set,
    "one label": lambda labels: np.array("no"),  # noqa: ARG005
    "lists of unlike lengths": lambda labels: [[label] * (1 + place % 2) for place, label in enumerate(labels)],
    "NaN beside texts": lambda labels: [*labels[:-1].tolist(), float("nan")],
    "nothing for a row": lambda labels: np.array([*labels[:-1], None], dtype=object),
    "NA": lambda labels: pd.Series([*labels[:-1], pd.NA], dtype="string"),
    "masked": lambda labels: np.ma.masked_array(labels, mask=[True] + [False] * (len(labels) - 1)),
    "dicts": lambda labels: np.array([{}] * len(labels)),
    "structured": lambda labels: np.zeros(len(labels), dtype=[("label", "U3")]),
}
GOOD = {
    "a list": list,
    "one column": lambda labels: labels.reshape(-1, 1),
    "a frame": pd.DataFrame,
    "a series": pl.Series,
    "categories": lambda labels: pd.Series(labels, dtype="category"),
    "a reused buffer": lambda labels: _buffer(labels),
}
BUFFER = np.empty(1000, dtype="U3")


def _buffer(labels):
    BUFFER[: len(labels)] = labels
    return BUFFER[: len(labels)]


class Strange(ClassifierMixin, BaseEstimator):
    """A model that gives what `answer` makes of its predictions, if it was fitted to more rows than `from_rows`."""

    def __init__(self, answer, from_rows=0):
        self.answer = answer
        self.from_rows = from_rows

    def fit(self, X, y):
        self.model_ = DecisionTreeClassifier(random_state=0).fit(np.asarray(X), np.asarray(y))
        self.classes_ = self.model_.classes_
        self.rows_ = len(y)
        return self

    def predict(self, X):
        found = self.model_.predict(np.asarray(X))
        return self.answer(found) if self.rows_ > self.from_rows else found


def asked(model):
    """Return every call that asks a model, by name."""
    good = LogisticRegression().fit(X, Y)
    return {
        "score": lambda: frote.score(model, X, Y, RULES),
        "check": lambda: frote.parse_rules(RULES).check(X, Y, model),
        "compare before": lambda: frote.compare_models(model, good, X, RULES),
        "compare after": lambda: frote.compare_models(good, model, X, RULES),
        "explain": lambda: frote.explain_model(model, X),
        "overlay": lambda: frote.OverlayClassifier(model, RULES).fit(X, Y).predict(X),
        "classifier": lambda: frote.FROTEClassifier(model, (), random_state=0).fit(X, Y).predict(X),
        "first fit": lambda: frote.FROTE(model, RULES, random_state=0).fit(X, Y),
        "preview": lambda: frote.FROTE(model, RULES, random_state=0).preview(X, Y),
    }


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_is_none_is_told_in_one_sentence(name):
    for ask in asked(Strange(ANSWERS[name]).fit(X, Y)).values():
        with pytest.raises(ModelError, match=r"^predict of Strange(, the (first|second) model,)? gave ") as caught:
            ask()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("evaluate", ["probes", "active", "published", "printed"])
def test_in_the_loop_it_costs_the_step(name, evaluate):
    editor = frote.FROTE(
        Strange(ANSWERS[name], from_rows=44), RULES, max_fits=4, batch_size=3, schedule="fixed", evaluate=evaluate,
        agreement_weight=0.0, scoring=lambda model, *_: model.rows_, random_state=0,
    )  # fmt: skip
    X_new, _ = editor.fit_resample(X, Y)
    history = editor.history_
    assert history["error"][history["accepted"]].eq("").all()
    assert history["error"].str.startswith("ModelError: predict of Strange gave ").sum() == 3
    assert len(X_new) == 43
    frote.score(editor.estimator_, X, Y, RULES)


@pytest.mark.parametrize("name", ANSWERS)
def test_if_all_steps_fail_so_the_first_is_raised(name):
    with pytest.raises(ModelError, match=r"^predict of Strange gave ") as caught:
        frote.FROTE(Strange(ANSWERS[name], from_rows=40), RULES, max_fits=2, random_state=0).fit(X, Y)
    assert "Every retraining failed" in caught.value.__notes__[-1]


@pytest.mark.parametrize("name", GOOD)
def test_labels_may_come_in_any_form(name):
    found = [ask() for ask in asked(Strange(GOOD[name]).fit(X, Y)).values()]
    assert isinstance(found[5], np.ndarray)
    assert found[5].shape == found[6].shape == (40,)


CHANCES = {
    "too few": lambda n: np.full((n - 1, 2), 0.5),
    "too many": lambda n: np.full((n + 1, 2), 0.5),
    "one dimension": lambda n: np.full(n, 0.5),
    "one for each label": lambda n: [np.full((n, 2), 0.5)] * 2,
    "none": lambda n: None,  # noqa: ARG005
    "a generator": lambda n: ([0.5, 0.5] for _ in range(n)),
    "NaN": lambda n: np.full((n, 2), np.nan),
    "infinite": lambda n: np.full((n, 2), np.inf),
    "negative": lambda n: np.tile([-0.5, 1.5], (n, 1)),
    "texts": lambda n: np.full((n, 2), "much"),
    "three classes": lambda n: np.full((n, 3), 1 / 3),
}


class Chances(Strange):
    def predict_proba(self, X):
        return self.answer(len(X))

    def predict(self, X):
        return self.model_.predict(np.asarray(X))


@pytest.mark.parametrize("name", CHANCES)
def test_chances_that_are_none_are_told_in_one_sentence(name):
    model, good = Chances(CHANCES[name]).fit(X, Y), LogisticRegression().fit(X, Y)
    calls = [
        lambda: frote.compare_models(good, model, X, RULES, y=Y),
        lambda: frote.OverlayClassifier(model, RULES).fit(X).predict_proba(X),
    ]
    if name != "three classes":
        calls.append(lambda: frote.FROTEClassifier(model, ()).fit(X, Y).predict_proba(X))
    for ask in calls:
        with pytest.raises(ModelError, match=r"predict_proba of Chances gave |of shape \(40, 3\)") as caught:
            ask()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["too few", "too many", "one dimension", "none", "a generator", "NaN", "texts"])
def test_a_scorer_that_cannot_make_sense_of_them_says_so_in_one_sentence(name):
    with pytest.raises(ModelError, match=r"^The scorer cannot judge a Chances: \w+Error: ") as caught:
        frote.FROTE(Chances(CHANCES[name]), RULES, scoring="neg_log_loss", max_fits=2, random_state=0).fit(X, Y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "classes", [[["no", "yes"]], [["no"], ["yes"]], 2, "no", {}, np.array("no"), [["a"], "b"], iter("ab")]
)
def test_classes_that_are_no_labels_in_a_row(classes):
    model = Strange(lambda labels: labels).fit(X, Y)
    model.classes_ = classes
    for name in ("score", "check", "compare before", "compare after", "overlay"):
        with pytest.raises(ModelError, match=r"^classes_ of Strange are no labels in a row"):
            asked(model)[name]()


def test_classes_that_are_named_twice():
    model = Strange(lambda labels: labels).fit(X, Y)
    model.classes_ = ["no", "yes", "no"]
    for name in ("score", "check", "compare before", "compare after", "overlay"):
        with pytest.raises(ModelError, match=r"^classes_ of Strange name 'no' twice"):
            asked(model)[name]()


def test_chances_beyond_by_rounding():
    model = Chances(lambda n: np.tile([-1e-9, 1 + 1e-9], (n, 1))).fit(X, Y)
    assert len(frote.compare_models(model, model, X, RULES, y=Y).scores)


@pytest.mark.parametrize("names", [[1, "a"], [None, "a"], ["a", 2.5]])
def test_names_of_several_types(names):
    strange = X.set_axis(names, axis=1)
    for model in (frote.FROTE(), frote.FROTEClassifier(), frote.OverlayClassifier(), frote.RuleSetClassifier()):
        with pytest.raises(TableError, match=r"^X has column names of several types \((float, str|int, str)\)\. "):
            model.fit(strange, Y)
    with pytest.raises(TableError, match=r"^X has column names of several types"):
        frote.default_pipeline().fit(strange, Y)


@pytest.mark.parametrize("names", [[0, 1], [("a", 1), ("a", 2)], [1.5, 2]])
def test_names_that_are_no_texts(names):
    X_new, _ = frote.FROTE(random_state=0, max_fits=1).fit_resample(X.set_axis(names, axis=1), Y)
    assert X_new.columns.tolist() == names


@pytest.mark.parametrize("labels", [[0, 1], [0.0, 1.0], [False, True], [0, 1.0]])
@pytest.mark.parametrize("make", [np.array, pd.Series])
@pytest.mark.parametrize("scoring", ["accuracy", "f1_weighted", "roc_auc"])
def test_objects_that_are_numbers_are_taught_as_numbers(labels, make, scoring, tmp_path):
    y = make(labels * 20, dtype=object)
    rules = f"IF a < 10 THEN {labels[1]}"
    editor = frote.FROTE(LogisticRegression(), rules, scoring=scoring, max_fits=2, random_state=0)
    _, y_new = editor.fit_resample(X, y)
    assert y_new.dtype == object
    assert type(y_new[0]) is type(labels[1])
    assert editor.estimator_.classes_.dtype.kind in "bif"
    editor.report(tmp_path / "report.html")
    assert len(frote.OverlayClassifier(LogisticRegression(), rules).fit(X, y).predict(X)) == 40


@pytest.mark.parametrize("y", [[0, "a"] * 20, np.array([True, "a"] * 20, dtype=object), pd.Series([1.5, "a"] * 20)])
def test_labels_of_several_types(y):
    for model in (frote.FROTE(), frote.FROTEClassifier(), frote.OverlayClassifier(), frote.RuleSetClassifier()):
        with pytest.raises(TableError, match=r"^y has labels of several types, such as 'a' and "):
            model.fit(X, y)


def test_a_limit_on_time_waits_for_the_fit_that_runs():
    assert "one that hangs is never stopped" in frote.FROTE.__doc__
    fits = []

    class Slow(Strange):
        def fit(self, X, y):
            super().fit(X, y)
            fits.append(len(y))
            return self

    editor = frote.FROTE(Slow(np.asarray), RULES, time_limit=0.0, random_state=0).fit(X, Y)
    assert fits == [40]
    assert editor.n_fits_ == 1
