"""Scorers by rules, in the searches and cross-validations that take them."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate

import frote

LOANS = frote.datasets.load_loans(200)
RULES = "young: IF age < 29 AND defaults = 0 THEN approved"
MODEL = frote.default_pipeline(LogisticRegression())
MEASURES = ["objective", "agreement", "f1", "f1_macro"]


def by_hand(measure, cv):
    """Return what `frote.score` says of each fold."""
    found = []
    for train, test in cv.split(LOANS.X):
        model = clone(MODEL).fit(LOANS.X.iloc[train], LOANS.y.iloc[train])
        found.append(getattr(frote.score(model, LOANS.X.iloc[test], LOANS.y.iloc[test], RULES), measure))
    return found


def test_cross_validation_gives_what_score_says_of_each_fold():
    cv = KFold(3)
    scores = cross_validate(MODEL, LOANS.X, LOANS.y, scoring=frote.make_scorer(RULES, MEASURES), cv=cv)
    for measure in MEASURES:
        one = cross_val_score(MODEL, LOANS.X, LOANS.y, scoring=frote.make_scorer(RULES, measure), cv=cv)
        assert one.tolist() == scores[f"test_{measure}"].tolist() == by_hand(measure, cv)
    assert frote.make_scorer(RULES) == frote.make_scorer(frote.parse_rules(RULES), "objective")


@pytest.mark.parametrize("routing", [False, True])
def test_a_search_takes_the_best_by_the_rules(routing):
    models = [clone(MODEL), frote.FROTEClassifier(clone(MODEL), RULES, max_fits=2, random_state=0)]
    with sklearn.config_context(enable_metadata_routing=routing):
        pipeline = frote.FROTEClassifier(clone(MODEL), random_state=0, max_fits=2)
        search = GridSearchCV(
            pipeline, {"rules": [(), RULES]}, scoring=frote.make_scorer(RULES, MEASURES), refit="agreement", cv=2
        ).fit(LOANS.X, LOANS.y)
    assert search.best_params_ == {"rules": RULES}
    agreed = [frote.score(model.fit(LOANS.X, LOANS.y), LOANS.X, LOANS.y, RULES).agreement for model in models]
    assert agreed[0] < agreed[1]
    plain = GridSearchCV(pipeline, {"rules": [(), RULES]}, scoring=frote.make_scorer(RULES, "agreement"), cv=2)
    assert plain.fit(LOANS.X, LOANS.y).best_score_ == search.best_score_


def test_it_goes_to_workers_and_files():
    scorer = frote.make_scorer(RULES, ("f1",))
    model = clone(MODEL).fit(LOANS.X, LOANS.y)
    assert pickle.loads(pickle.dumps(scorer))(model, LOANS.X, LOANS.y) == scorer(model, LOANS.X, LOANS.y)


def test_rows_that_no_rule_covers_have_no_agreement():
    model = clone(MODEL).fit(LOANS.X, LOANS.y)
    nobody = frote.make_scorer("IF age < 0 THEN approved", ["agreement", "objective", "f1"])(model, LOANS.X, LOANS.y)
    assert math.isnan(nobody["agreement"])
    assert nobody["objective"] == nobody["f1"]


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        (
            (RULES, "agrement"),
            frote.TableError,
            "There is no measure 'agrement' of a scorer. Did you mean 'agreement'?",
        ),
        ((RULES, ["f1", 3]), frote.TableError, "There is no measure 3 of a scorer. Known: 'objective', "),
        ((RULES, []), frote.TableError, "A scorer needs a measure, one or several of objective, agreement, f1, "),
        (("IF age < THEN approved",), frote.RuleSyntaxError, "line 1"),
    ],
)
def test_bad_input_is_told_when_it_is_made(given, error, told):
    with pytest.raises(error) as raised:
        frote.make_scorer(*given)
    assert str(raised.value).startswith(told)


def test_rules_that_do_not_fit_the_rows_are_told_and_not_a_score():
    with pytest.raises(frote.BindingError, match="no column 'agee'"):
        cross_val_score(
            MODEL,
            LOANS.X,
            LOANS.y,
            scoring=frote.make_scorer("IF agee < 29 THEN approved"),
            cv=2,
            error_score="raise",
        )
    assert np.isfinite(cross_val_score(MODEL, LOANS.X, LOANS.y, scoring=frote.make_scorer(RULES), cv=2)).all()
