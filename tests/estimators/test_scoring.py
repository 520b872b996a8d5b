"""frote.score: the paper's test scores, by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import frote

X = pd.DataFrame({"a": range(8)})
Y = ["no", "no", "yes", "no", "no", "yes", "yes", "yes"]
RULES = "one: IF a < 3 THEN yes\ntwo: IF a = 3 THEN {yes: 0.25, no: 0.75}"


class Says:
    """A model that says what it is told, without classes unless they are given."""

    def __init__(self, *answers, classes=None):
        self.answers = np.array(answers)
        if classes is not None:
            self.classes_ = np.array(classes)

    def predict(self, X):
        return self.answers[: len(X)]


MODEL = Says("yes", "no", "yes", "yes", "no", "yes", "no", "yes")


def test_by_hand():
    found = frote.score(MODEL, X, Y, RULES)
    inside, f1 = (1 + 0 + 1 + 0.25) / 4, (1 * (2 / 3) + 3 * (4 / 5)) / 4
    assert found.agreement == pytest.approx(inside)
    assert found.f1 == pytest.approx(f1)
    assert found.f1_macro == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert found.objective == pytest.approx(0.5 * inside + 0.5 * f1)
    assert (found.covered, found.uncovered) == (4, 4)
    assert found.rules.index.tolist() == ["one", "two"]
    assert found.rules["agreement"].tolist() == pytest.approx([2 / 3, 0.25])
    assert found.rules["rows"].tolist() == [3, 1]


def test_the_weights_are_the_shares_of_rows():
    found = frote.score(MODEL, X[:6], Y[:6], RULES)
    assert found.objective == pytest.approx((4 * found.agreement + 2 * found.f1) / 6)


def test_the_weights_of_a_population_are_its_own_shares():
    """Half of the rows judged are covered, a fifth of the population: agreement 0.5625, F1 outside 0.7666..."""
    everyone = pd.DataFrame({"a": [0, 3, *range(10, 18)]})
    found = frote.score(MODEL, X, Y, RULES, population=everyone)
    assert found.population == pytest.approx(0.2)
    assert found.objective_by_population == pytest.approx(0.2 * 0.5625 + 0.8 * 23 / 30)
    assert found.objective == frote.score(MODEL, X, Y, RULES).objective == pytest.approx((0.5625 + 23 / 30) / 2)
    assert f"(by population {found.objective_by_population:.3f}, 20.0% covered)" in str(found)
    assert frote.score(MODEL, X, Y, RULES, population=X).objective_by_population == found.objective


def test_what_a_population_has_and_the_rows_judged_lack_is_not_made_up():
    uncovered, covered = pd.DataFrame({"a": [20, 30]}), X[:3]
    assert math.isnan(frote.score(MODEL, uncovered, ["no", "yes"], RULES, population=X).objective_by_population)
    assert math.isnan(frote.score(MODEL, covered, ["no", "no", "yes"], RULES, population=X).objective_by_population)
    # What has no weight need not be known.
    found = frote.score(MODEL, uncovered, ["no", "yes"], RULES, population=uncovered)
    assert found.objective_by_population == found.f1
    found = frote.score(MODEL, covered, ["no", "no", "yes"], RULES, population=covered)
    assert found.objective_by_population == found.agreement
    with pytest.raises(frote.TableError, match="Give X a row"):
        frote.score(MODEL, X, Y, RULES, population=X[:0])


def test_nothing_covered():
    found = frote.score(MODEL, X, Y, "IF a > 50 THEN yes")
    assert math.isnan(found.agreement)
    assert math.isnan(found.rules["agreement"].iloc[0])
    assert found.objective == found.f1
    assert found.covered == 0


def test_everything_covered():
    found = frote.score(MODEL, X, Y, "IF a >= 0 THEN yes")
    assert found.objective == found.agreement == 5 / 8
    assert math.isnan(found.f1)
    assert math.isnan(found.f1_macro)
    assert "5 covered" not in str(found)
    assert "8 covered rows" in str(found)


def test_no_rules():
    found = frote.score(MODEL, X, Y, ())
    assert found.objective == found.f1
    assert found.rules.empty


def test_a_model_that_predicts_an_unknown_class():
    found = frote.score(Says("maybe", "no", "yes", "no", "maybe", "yes", "yes", "yes"), X, Y, RULES)
    assert found.rules["agreement"].tolist() == pytest.approx([1 / 3, 0.75])
    # Outside: no is never predicted, yes always right; maybe counts in the macro mean, with 0.
    assert found.f1 == pytest.approx(3 / 4)
    assert found.f1_macro == pytest.approx(1 / 3)


def test_a_rule_for_a_class_that_these_rows_do_not_have():
    rules = "IF a < 2 THEN maybe"
    found = frote.score(Says(*["maybe"] * 4, *["yes"] * 4, classes=["maybe", "no", "yes"]), X, Y, rules)
    assert found.agreement == 1
    assert found.rules["rows"].tolist() == [2]
    with pytest.raises(frote.BindingError, match=r"^line 1, rule 'rule 1': 'maybe' is no class of the data"):
        frote.score(Says(*["no"] * 8), X, Y, rules)


def test_a_rule_for_a_level_that_these_rows_do_not_have():
    frame = pd.DataFrame({"job": ["clerk", "cook"] * 4, "n": np.arange(8, dtype=np.uint8)})
    found = frote.score(MODEL, frame, Y, "IF job = pilot THEN yes\nbig: IF n > 300 THEN no")
    assert found.rules["rows"].tolist() == [0, 0]
    assert found.objective == found.f1


def test_the_first_rule_that_covers_a_row_counts():
    found = frote.score(MODEL, X, Y, "IF a < 3 THEN yes\nIF a < 5 THEN no")
    assert found.rules["rows"].tolist() == [3, 2]


@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda y: pd.Series(y, dtype="category"), pl.Series])
def test_labels_of_any_kind(make):
    assert frote.score(MODEL, X, make(Y), RULES).objective == frote.score(MODEL, X, Y, RULES).objective


@pytest.mark.parametrize("words", [(0, 1), (False, True), (2.0, 5.0)])
def test_labels_of_any_type(words):
    turned = dict(zip(("no", "yes"), words, strict=True))
    model = Says(*[turned[answer] for answer in MODEL.answers])
    rules = RULES.replace("yes", str(words[1])).replace("no", str(words[0]))
    found = frote.score(model, X, [turned[label] for label in Y], rules)
    assert found.objective == frote.score(MODEL, X, Y, RULES).objective


def test_polars_and_numpy():
    expected = frote.score(MODEL, X, Y, RULES).objective
    assert frote.score(MODEL, pl.from_pandas(X), Y, RULES).objective == expected
    assert frote.score(MODEL, X.to_numpy(), Y, RULES.replace("a ", "x0 ")).objective == expected


def test_confidence():
    found = frote.score(MODEL, X[:4], Y[:4], "IF a < 4 THEN yes WITH CONFIDENCE 0.8")
    assert found.agreement == pytest.approx((0.8 + 0.2 + 0.8 + 0.8) / 4)


def test_an_edit_scores_better():
    loans = frote.datasets.load_loans(300)
    rules = "young: IF age < 29 AND defaults = 0 THEN approved"
    before = frote.default_pipeline().fit(loans.X, loans.y)
    after = frote.FROTE(rules=rules, max_fits=2, random_state=0).fit(loans.X, loans.y)
    assert (
        frote.score(after.estimator_, loans.X, loans.y, rules).objective
        > frote.score(before, loans.X, loans.y, rules).objective
    )
