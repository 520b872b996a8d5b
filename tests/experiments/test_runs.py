"""A run gives what its parts give when they are called by hand."""

from __future__ import annotations

import json
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import frote
from frote_experiments.draws import draw
from frote_experiments.models import make_model
from frote_experiments.runs import METHODS, Run, Unbeatable, perform

pytestmark = pytest.mark.usefixtures("data_folder")


def by_hand(run, *, own_labels=False):
    """The draw of a run, and its initial model's scores."""
    chosen = draw(run.data, run.draw, rules=run.rules, tcf=run.tcf, outside=run.outside, rows=run.rows)
    X, y = chosen.data.X, chosen.data.y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_model(run.model).fit(X.iloc[chosen.train], y.iloc[chosen.train])
    return chosen, model


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_scores_that_can_be_written_down(method):
    options = {"max_fits": 2} if method in ("published", "default") else {}
    found = perform(Run("breast_cancer", "LR", method, 3, 0.2, 0, options, rows=200))
    assert json.loads(json.dumps(found)) == found
    assert set(found["final"]) == set(found["initial"]) == {"objective", "agreement", "f1"}
    if method in ("published", "default"):
        assert found["fits"] <= 2
    if method in ("override", "anchored"):
        assert found["final"]["agreement"] == 1.0
        assert found["final"]["f1"] == found["initial"]["f1"]


def test_scores_of_the_initial_and_the_modified_model():
    run = Run("car", "LR", "published", 3, 0.2, 1, {"max_fits": 0}, rows=600)
    chosen, model = by_hand(run)
    X, y = chosen.data.X, chosen.data.y
    found = perform(run)
    score = frote.score(model, X.iloc[chosen.test], y.iloc[chosen.test], chosen.rules)
    assert found["initial"] == {"objective": score.objective, "agreement": score.agreement, "f1": score.f1}
    assert found["modified"] == found["final"] != found["initial"]
    assert found["rows"] == len(chosen.train)
    assert (
        perform(Run("car", "LR", "published", 3, 0.2, 1, {"max_fits": 0, "modify": "none"}, rows=600))["modified"]
        == (found["initial"])
    )


def test_unsure_rules_are_scored_against_own_labels():
    run = Run("breast_cancer", "LR", "published", 1, 0.0, 0, {"max_fits": 0}, confidence=0.6)
    chosen, model = by_hand(run)
    X, y = chosen.data.X.iloc[chosen.test], chosen.data.y.iloc[chosen.test]
    covered = chosen.rules.coverage(X).any(axis=1)
    right = (np.asarray(model.predict(X)) == np.asarray(y))[covered].mean()
    f1 = frote.score(model, X, y, chosen.rules).f1
    found = perform(run)["initial"]
    assert found["agreement"] == pytest.approx(right)
    assert found["objective"] == pytest.approx(covered.mean() * right + (1 - covered.mean()) * f1)


def test_progress_has_a_line_for_every_proposed_set():
    found = perform(Run("car", "LR", "published", 3, 0.0, 0, {"max_fits": 4}, rows=400, progress=True))
    assert len(found["steps"]) == found["fits"]
    sizes = [rows for rows, _ in found["steps"]]
    assert sizes[0] == found["rows"] + 20
    assert sizes == sorted(sizes)
    assert found["steps"][-1][0] in (found["rows"] + found["rows_added"], found["rows"] + found["rows_added"] + 20)
    again = perform(Run("car", "LR", "published", 3, 0.0, 0, {"max_fits": 4}, rows=400))
    assert again["final"] == found["final"]  # watching changes nothing


def test_the_same_draw_for_all_methods_and_shares_of_covered_rows():
    one, other = (draw("car", 3, rules=3, tcf=tcf) for tcf in (0.0, 0.2))
    assert one.rules == other.rules
    covered = one.rules.coverage(one.data.X).any(axis=1)
    assert not covered[one.train].any()
    assert covered[other.train].sum() == round(0.2 * covered.sum())
    assert sorted([*one.train, *one.test]) == list(range(len(one.data.X)))
    halves = draw("car", 3, rules=3, tcf=0.5, outside=0.5)
    assert len(halves.train) == pytest.approx(len(halves.test), abs=2)


def test_a_data_set_that_is_cut_down_is_the_same_for_every_draw():
    one, other = (draw("car", number, rules=3, tcf=0.2, rows=300) for number in (0, 1))
    assert one.data is other.data
    assert len(one.data.X) == len(one.train) + len(one.test) == 300


def test_rules_that_meet_on_no_row_are_drawn_and_edited_with():
    # Of these three, two meet where no row is: they come in pieces, and each counts once.
    chosen = draw("breast_cancer", 3, rules=3, tcf=0.2, conflicts="rows")
    assert len(chosen.rules) > len(chosen.rules.origins) == 3
    assert chosen.rules != draw("breast_cancer", 3, rules=3, tcf=0.2).rules
    found = perform(Run("breast_cancer", "LR", "published", 3, 0.2, 3, {"max_fits": 1}, conflicts="rows"))
    assert found["labels"] == len(chosen.rules.labels) == 2


def step_of(*, accepted=True, objective=1.0, proposed=(0, 0)):
    scores = None if objective is None else SimpleNamespace(objective=objective)
    return SimpleNamespace(accepted=accepted, scores=scores, proposed=np.array(proposed))


def test_a_run_is_unbeatable_once_its_score_is_1_and_every_rule_has_its_rows():
    unbeatable = Unbeatable(np.array([6, 3]), 6)
    assert not unbeatable(step_of(proposed=(0, 2)))  # 5 rows of the second rule: batches are judged with themselves
    assert not unbeatable(step_of(accepted=False, proposed=(0, 9)))  # rejected: its rows are gone
    assert not unbeatable(step_of(objective=None, proposed=(0, 9)))  # it has failed
    assert not unbeatable(step_of(objective=0.999, proposed=(0, 1)))
    assert not unbeatable.seen
    assert unbeatable(step_of())
    assert unbeatable.seen
    assert Unbeatable(np.array([6, 6]), 6)(step_of())
    assert not Unbeatable(np.array([6, 5]), 6)(step_of())


@pytest.mark.parametrize(("modify", "trained"), [("relabel", 0), ("drop", 1)])
def test_what_is_spared_counts_as_trained_and_changes_nothing(monkeypatch, modify, trained):
    # The tree learns the rule at once, or with the first batch where the rows against it are dropped.
    X = pd.DataFrame({"a": np.arange(60)})
    y = pd.Series(np.where(X["a"] < 30, "no", "yes"))
    rules = frote.parse_rules("IF a < 12 THEN yes")
    run = Run("car", "LR", "published", 1, 0.2, 0, {"max_fits": 9, "modify": modify})
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    short = METHODS["published"](run, tree, rules, X, y)
    assert (short.fits, short.spared) == (9, 9 - trained)
    monkeypatch.setattr(Unbeatable, "__call__", lambda *_: False)
    whole = METHODS["published"](run, tree, rules, X, y)
    assert (whole.fits, whole.spared, whole.rows_added) == (9, 0, short.rows_added)
    assert (whole.model.predict(X) == short.model.predict(X)).all()
