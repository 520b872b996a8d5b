"""The objective: agreement inside coverage, F1 or another score outside, and how the two are weighed."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, get_scorer, roc_auc_score

import frote
from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.generation.making import Making
from frote.loop.objective import Objective
from frote.loop.rows import Rows


def rows_of(text, values, labels, own=None, neighbours=1):
    """Return rows of one column `a`, with labels of any type."""
    X = pd.DataFrame({"a": values})
    read = Labels.of(labels)
    table = frote.Table.from_frame(X)
    ruling = Ruling.of(frote.parse_rules(text).bind(table.schema, read.classes), read.texts)
    codes = read.codes if own is None else np.array(own)
    return Rows.of(Making.of(ruling, table, neighbours), frote.table.TypedFrame(table, X), read.codes, codes)


# Rows 0 to 3 are covered, by `one` and `two`; rows 4 to 7 are not. The classes are no = 0 and yes = 1.
TEXT = "one: IF a < 3 THEN yes\ntwo: IF a = 3 THEN {yes: 0.25, no: 0.75}"
LABELS = ["no", "no", "yes", "no", "no", "yes", "yes", "yes"]
PREDICTED = np.array([1, 0, 1, 1, 0, 1, 0, 1])
INSIDE = (1 + 0 + 1 + 0.25) / 4
# Outside: no has 1 hit, 1 row, 2 guesses; yes has 2 hits, 3 rows, 2 guesses.
OUTSIDE = (1 * (2 / 3) + 3 * (4 / 5)) / 4


def test_by_hand():
    rows = rows_of(TEXT, range(8), LABELS)
    scores = Objective().score(rows, PREDICTED)
    assert scores.agreement == pytest.approx(INSIDE)
    assert scores.per_rule == pytest.approx((2 / 3, 0.25))
    assert scores.outside == pytest.approx(OUTSIDE)
    assert scores.objective == pytest.approx((INSIDE + OUTSIDE) / 2)
    assert scores.covered == (3, 1)
    assert scores.uncovered == 4


@pytest.mark.parametrize(("weight", "share"), [(0.0, 0.0), (0.5, 0.5), (0.9, 0.9), (1.0, 1.0), ("coverage", 4 / 7)])
def test_weights(weight, share):
    rows = rows_of(TEXT, range(7), LABELS[:7])
    scores = Objective(weight).score(rows, PREDICTED[:7])
    assert scores.objective == pytest.approx(share * scores.agreement + (1 - share) * scores.outside)


def test_probes_do_not_count_as_coverage():
    rows = rows_of(TEXT, range(8), LABELS)
    objective = Objective("coverage")
    scores = objective.with_probes(objective.score(rows, PREDICTED), rows, PREDICTED)
    assert scores.objective == pytest.approx((scores.agreement + scores.outside) / 2)  # 4 of 8 rows are covered


def test_where_no_row_is_covered_probes_count_one_half():
    rows = rows_of(TEXT, range(8), LABELS)
    uncovered = rows_of(TEXT, range(4, 12), LABELS)
    objective = Objective("coverage")
    scores = objective.with_probes(objective.score(uncovered, PREDICTED), rows, PREDICTED)
    assert scores.covered == (0, 0)
    assert scores.objective == pytest.approx((scores.agreement + scores.outside) / 2)


def test_a_score_outside_that_is_not_defined_leaves_agreement():
    rows = rows_of(TEXT, range(8), LABELS)
    objective = Objective(scorer=lambda *_: math.nan)
    scores = objective.score(rows, PREDICTED, None, lambda codes: codes)
    assert scores.objective == scores.agreement == pytest.approx(INSIDE)


def test_what_agreement_lacks():
    text = TEXT + "\nthree: IF a = 4 THEN yes WITH CONFIDENCE 0.9"
    ruling = rows_of(text, range(8), LABELS).attribution.ruling
    assert ruling.lacking([0.25, 0.5, 0.9]) == [0.75, 0.25, 0.0]
    assert ruling.lacking([math.nan, 0.8, math.nan]) == [1.0, 0.0, 0.9]


def test_macro():
    rows = rows_of(TEXT, range(8), LABELS)
    assert Objective(average="macro").score(rows, PREDICTED).outside == pytest.approx((2 / 3 + 4 / 5) / 2)


@pytest.mark.parametrize("weight", [0.5, "coverage", 1.0])
def test_nothing_covered(weight):
    rows = rows_of("IF a > 100 THEN yes", range(8), LABELS)
    scores = Objective(weight).score(rows, PREDICTED)
    assert math.isnan(scores.agreement)
    assert math.isnan(scores.per_rule[0])
    assert scores.objective == scores.outside == pytest.approx(f1_score(LABELS, names(PREDICTED), average="weighted"))
    assert scores.uncovered == 8


@pytest.mark.parametrize("weight", [0.5, "coverage", 0.0])
def test_everything_covered(weight):
    rows = rows_of("IF a >= 0 THEN yes", range(8), LABELS)
    scores = Objective(weight).score(rows, PREDICTED)
    assert math.isnan(scores.outside)
    assert scores.objective == scores.agreement == 5 / 8


def names(codes):
    return np.array(["no", "yes"])[codes]


def test_confidence_counts_the_rows_own_label():
    rows = rows_of("IF a >= 0 THEN yes WITH CONFIDENCE 0.8", range(4), ["no", "no", "yes", "yes"])
    # yes: 0.8; no where the own label is no: 0.2; no where it is yes: 0.2 / (2 - 1).
    assert Objective().score(rows, np.array([1, 0, 1, 0])).agreement == pytest.approx((0.8 + 0.2 + 0.8 + 0.2) / 4)
    rows = rows_of("IF a >= 0 THEN yes WITH CONFIDENCE 0.8", range(3), ["no", "so", "yes"])
    # Predicted: another class than the own one; the own one; one of two others.
    assert Objective().score(rows, np.array([1, 1, 1])).agreement == pytest.approx((0 + 0.2 + 0.1) / 3)


def test_a_class_that_the_data_do_not_have():
    rows = rows_of(TEXT, range(8), LABELS)
    scores = Objective().score(rows, np.full(8, -1))
    assert scores.agreement == 0
    assert scores.outside == 0


@pytest.mark.parametrize(
    ("name", "measure"),
    [("accuracy", accuracy_score), ("balanced_accuracy", balanced_accuracy_score), ("roc_auc", roc_auc_score)],
)
@pytest.mark.parametrize("kind", [str, int, bool])
def test_other_scorers_on_labels_of_any_type(name, measure, kind):
    words = {str: {0: "no", 1: "yes"}, int: {0: 3, 1: 7}, bool: {0: False, 1: True}}[kind]
    labels = np.array([words[place % 3 > 0] for place in range(30)])
    rows = rows_of(f"IF a < 10 THEN {words[1]}", np.arange(30), labels)
    model = LogisticRegression().fit(rows.frame, labels)
    predicted = np.searchsorted(model.classes_, model.predict(rows.frame))
    scores = Objective(scorer=get_scorer(name)).score(rows, predicted, model, lambda codes: model.classes_[codes])
    outside = rows.frame[10:]
    found = model.predict_proba(outside)[:, 1] if name == "roc_auc" else model.predict(outside)
    assert scores.outside == pytest.approx(measure(labels[10:], found))
    assert scores.objective == pytest.approx((scores.agreement + scores.outside) / 2)


@pytest.mark.parametrize("kind", ["str", "int", "bool", "category"])
@pytest.mark.parametrize("scoring", ["f1_weighted", "f1_macro", "accuracy", "roc_auc"])
def test_an_editor_with_any_scorer_and_labels_of_any_type(kind, scoring):
    X = pd.DataFrame({"a": np.arange(40) % 13, "b": np.arange(40) % 7})
    true = (X["a"] + X["b"] > 9).to_numpy()
    words = {"str": ["no", "yes"], "int": [0, 1], "bool": [False, True], "category": ["no", "yes"]}[kind]
    y = pd.Series(np.array(words)[true.astype(int)], dtype=kind)
    editor = frote.FROTE(LogisticRegression(), f"IF a < 3 THEN {words[1]}", scoring=scoring, max_fits=2, random_state=0)
    _, y_new = editor.fit_resample(X, y)
    assert y_new.dtype == y.dtype
    assert np.isfinite(editor.history_["objective"]).all()
    assert editor.history_["error"].tolist() == ["", "", ""]
    assert editor.classes_.tolist() == words
