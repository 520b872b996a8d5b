"""What the presets ask for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from frote_experiments.definitions import AFRESH, CHOICE, CONFIRMATION, EXPERIMENTS, LAST, all_runs, experiment
from frote_experiments.exceptions import ExperimentError
from frote_experiments.models import BATCH_SIZES, PAPER_MODELS, make_model
from frote_experiments.pools import pool_of
from frote_experiments.presets import PRESETS, preset
from frote_experiments.runs import Run


@pytest.mark.parametrize("name", PRESETS)
def test_every_run_is_made_once_and_survives_being_written_down(name):
    runs = all_runs(preset(name))
    assert len(runs) == len(set(runs))
    assert [run.draw for run in runs] == sorted(run.draw for run in runs)
    assert all(Run.of(run.settings) == run for run in runs[:500])


def test_the_paper_is_as_printed():
    scope = preset("paper")
    benefit = [run for run in experiment("benefit").runs(scope) if run.data == "car" and run.model == "LR"]
    assert {run.tcf for run in benefit} == {0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4}
    assert {run.rules for run in benefit} == {1, 3, 5}
    assert len(benefit) == 30 * 3 * 7 * 3
    assert all("max_fits" not in dict(run.options) for run in benefit)  # 200, as published
    counts = list(experiment("rule-count").runs(scope))
    assert {run.rules for run in counts} == {8, 10, 15, 20}
    assert {run.tcf for run in counts} == {0.2}
    assert 1 + max(run.draw for run in counts if run.data == "breast_cancer") == 30
    assert 1 + max(run.draw for run in counts if run.data == "car") == 20
    assert 1 + max(run.draw for run in experiment("progress").runs(scope)) == 90
    assert 1 + max(run.draw for run in experiment("overlay").runs(scope)) == 50
    unsure = list(experiment("probabilistic").runs(scope))
    assert {(run.model, run.rules, run.tcf) for run in unsure} == {("LR", 1, 0.0)}
    assert {run.confidence for run in unsure} == {0.4, 0.6, 0.8, 1.0}
    assert len(unsure) == 50 * 3 * 4


def test_quick_says_what_it_does():
    scope = preset("quick")
    runs = all_runs(scope)
    assert {run.draw for run in runs} == {0, 1, 2}
    assert {run.rows for run in runs if run.data == "adult"} == {5000}
    assert {run.rows for run in runs if run.data != "adult"} == {None}
    assert {dict(run.options)["max_fits"] for run in runs if run.method == "published"} == {40}
    for fact in ("Three draws", "tcf 0 and 0.2", "three rules", "at most 40 retrainings", "5,000 rows"):
        assert fact in scope.said


def test_standard_says_what_it_does():
    scope = preset("standard")
    runs = all_runs(scope)
    assert {run.rows for run in runs} == {None}  # no data set is cut down
    assert {run.tcf for run in experiment("benefit").runs(scope)} == {0.0, 0.2}
    assert {run.rules for run in experiment("benefit").runs(scope)} == {3}
    assert {run.rules for run in experiment("rule-count").runs(scope)} == {8, 10, 15, 20}
    assert {run.draw for run in experiment("benefit").runs(scope)} == set(range(5))
    assert {run.draw for run in experiment("parts").runs(scope)} == set(range(10))
    assert all("max_fits" not in dict(run.options) for run in runs if run.method == "published")  # 200, as published
    for fact in ("Five draws", "ten for the parts", "tcf 0 and 0.2", "three rules", "up to 200 retrainings"):
        assert fact in scope.said


def test_methods_without_retraining_do_not_depend_on_how_many_there_may_be():
    scope = preset("quick")
    longer = replace(scope, max_fits=200)
    short, long = (set(experiment("comparison").runs(one)) for one in (scope, longer))
    assert {run.method for run in short & long} == {"default", "weights", "override"}
    assert {run.method for run in short - long} == {"published"}


def test_options_as_published_are_not_named():
    assert Run("car", "LR", "published", 3, 0.2, 0, {"k": 5, "modify": "drop"}).options == (("modify", "drop"),)
    one, other = ({"modify": "drop", "k": 2}, {"k": 2, "modify": "drop"})
    assert Run("car", "LR", "published", 3, 0.2, 0, one) == Run("car", "LR", "published", 3, 0.2, 0, other)


def test_unknown_names_are_told():
    with pytest.raises(ExperimentError, match="No preset 'fast'"):
        preset("fast")
    with pytest.raises(ExperimentError, match="No experiment 'overlays'"):
        experiment("overlays")
    with pytest.raises(ExperimentError, match="No data set 'cars'"):
        pool_of("cars", 3)
    with pytest.raises(ExperimentError, match="No model 'SVM'"):
        make_model("SVM")


@pytest.mark.parametrize("data", BATCH_SIZES)
def test_large_sets_are_drawn_from_a_larger_pool(data):
    usual, large = pool_of(data, 10), pool_of(data, 15)
    assert len(usual) == 100
    assert len(large) > 350
    assert list(large)[:100] == list(usual)


def test_every_experiment_and_model_is_there():
    assert set(EXPERIMENTS) >= {"benefit", "rule-count", "overlay", "selection", "progress", "probabilistic"}
    assert [type(make_model(name)[-1]).__name__ for name in PAPER_MODELS] == [
        "LogisticRegression",
        "RandomForestClassifier",
        "LGBMClassifier",
    ]


def test_draws_that_something_was_chosen_on_confirm_nothing():
    runs = [run for run in all_runs(preset("local")) if run.data != "loans"]
    assert {run.draw for run in runs} == {*CHOICE, *CONFIRMATION, *AFRESH, *LAST}
    afresh = [run for run in runs if run.draw in (*AFRESH, *LAST)]
    assert {(run.method, run.options) for run in afresh} == {("default", ()), ("default", (("twins", 1.0),))}
    assert {run.rows for run in runs if run.data == "adult"} == {5000}
    for other in ("smoke", "quick", "standard", "paper"):
        for name in ("locality", "ways", "many-rules", "chances", "loans"):
            assert not list(experiment(name).runs(preset(other)))
