"""Figures: drawn from few, all and no results, the same bytes for the same results, and true to them."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frote_experiments import tables
from frote_experiments.definitions import all_runs, experiment
from frote_experiments.figures import FIGURES, LOCAL_FIGURES, write_figures
from frote_experiments.figures.curves import Proposal, accepted_curves, proposals
from frote_experiments.figures.illustration import STORIES
from frote_experiments.figures.style import FORMATS, save
from frote_experiments.presets import preset
from frote_experiments.results import Failure, ResultFile
from frote_experiments.tables import LOCAL_FIGURE_TITLES

SCOPE = replace(preset("smoke"), draws=2, counts=(8, 20), data=("breast_cancer", "adult"), models=("LR",))
STAGES = ("initial", "modified", "final")
# One of each kind that is drawn by the same lines; the first, the illustration, needs no results.
KINDS = [
    name for name in FIGURES if name not in ("benefit-none", "benefit-drop", "differences-none", "differences-relabel")
]


def made_up(run):
    """What a run might give: numbers that depend on its settings alone."""
    rng = random.Random(json.dumps(run.settings, sort_keys=True))
    scores = sorted(round(rng.uniform(0.4, 1), 3) for _ in STAGES)
    named = {
        stage: {"objective": score, "agreement": score, "f1": score}
        for stage, score in zip(STAGES, scores, strict=True)
    }
    steps = {"steps": [[120, 0.7], [140, 0.6], [140, None]]} if run.progress else {}
    counts = {"fits": 3, "spared": 0, "rows_added": 20, "rows": 100, "labels": 2, "seconds": rng.random()}
    return {**named, **counts, **steps}


def written(path, runs, result=made_up):
    file = ResultFile(path)
    for run in runs:
        file.add(run, result(run))
    return file


def texts(figure):
    return [text.get_text().replace("\n", " ") for text in figure.texts]


def of_panel(panel):
    return [text.get_text() for text in panel.texts]


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    return written(tmp_path_factory.mktemp("every") / "runs.jsonl", all_runs(SCOPE))


@pytest.fixture(scope="module")
def shuffled(tmp_path_factory):
    """The same runs in another order, some of them twice, made at another speed."""
    runs = all_runs(SCOPE)
    random.Random(0).shuffle(runs)
    result = lambda run: {**made_up(run), "seconds": 99.0}  # noqa: E731
    return written(tmp_path_factory.mktemp("shuffled") / "runs.jsonl", [*runs[:50], *runs], result)


@pytest.mark.parametrize("name", KINDS)
def test_the_same_bytes_for_the_same_results_whatever_their_order(name, every, shuffled, tmp_path, monkeypatch):
    monkeypatch.delitem(FORMATS, ".png")  # a picture of the same lines, which takes as long again; see below
    (once,) = save(FIGURES[name](every, SCOPE), tmp_path / "once" / name)
    (again,) = save(FIGURES[name](ResultFile(shuffled.path), SCOPE), tmp_path / "again" / name)
    assert once.name == f"{name}.svg"
    assert once.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("name", KINDS[1:])
def test_without_results_every_panel_says_so(name, tmp_path):
    figure = FIGURES[name](ResultFile(tmp_path / "none.jsonl"), SCOPE)
    figure.draw_without_rendering()
    assert all("no runs yet" in of_panel(panel) for panel in figure.axes)
    assert any(" 0 of " in text for text in texts(figure))


@pytest.mark.parametrize("name", KINDS[1:])
def test_with_a_few_results_every_figure_says_how_many(name, tmp_path):
    runs = all_runs(SCOPE)
    file = written(tmp_path / "runs.jsonl", random.Random(1).sample(runs, len(runs) // 3))
    for run in file.missing(runs)[::3]:
        file.add(run, Failure("ValueError: no"))
    figure = FIGURES[name](file, SCOPE)
    figure.draw_without_rendering()
    kind = "benefit" if name.startswith(("benefit", "differences")) else name
    wanted = set(experiment(kind).runs(SCOPE))
    done, failed = len(wanted & set(file.results)), len(wanted & set(file.failures))
    said = f"{SCOPE.said} {done:,} of {len(wanted):,} runs, {failed:,} failed."
    assert any(text.startswith(said) for text in texts(figure))


def test_a_preset_without_the_data_sets_of_an_experiment_is_drawn_too(tmp_path):
    file, scope = ResultFile(tmp_path / "none.jsonl"), replace(SCOPE, data=("car",))
    for name in ("overlay", "probabilistic"):
        figure = FIGURES[name](file, scope)
        figure.draw_without_rendering()
        assert all("no runs yet" in of_panel(panel) for panel in figure.axes)


def test_figures_are_written_and_no_setting_of_matplotlib_is_left_changed(tmp_path, monkeypatch):
    before = dict(matplotlib.rcParams)
    monkeypatch.setattr("frote_experiments.figures.FIGURES", {"parts": FIGURES["parts"]})
    paths = write_figures(ResultFile(tmp_path / "none.jsonl"), SCOPE, tmp_path)
    assert paths == [tmp_path / "figures" / "parts.svg", tmp_path / "figures" / "parts.png"]
    assert all(path.stat().st_size > 1000 for path in paths)
    assert dict(matplotlib.rcParams) == before


def test_the_users_own_settings_do_not_matter(tmp_path, every):
    figure = FIGURES["parts"](every, SCOPE)
    with matplotlib.rc_context({"font.size": 20, "svg.hashsalt": "mine", "axes.facecolor": "red"}):
        other = FIGURES["parts"](every, SCOPE)
        second = save(other, tmp_path / "second")
    for one, two in zip(save(figure, tmp_path / "first"), second, strict=True):
        assert one.read_bytes() == two.read_bytes()


def test_a_box_for_each_stage_and_tcf_and_a_dash_where_there_is_none(every):
    found = {run: result for run, result in every.results.items() if not (run.data == "adult" and run.tcf == 0.2)}
    file = ResultFile(every.path.parent / "no.jsonl")
    file.outcomes = dict(found)
    cancer, adult = FIGURES["benefit-relabel"](file, SCOPE).axes
    assert len(cancer.patches) == 6
    assert of_panel(cancer) == []
    assert len(adult.patches) == 3
    assert of_panel(adult) == ["-"]
    assert [len(panel.patches) for panel in FIGURES["differences-drop"](file, SCOPE).axes] == [4, 2]
    assert [len(panel.patches) for panel in FIGURES["rule-count"](file, SCOPE).axes] == [6, 0]


@pytest.mark.parametrize("modify", ["relabel", "none"])
def test_a_box_is_of_the_runs_with_its_settings(modify, every):
    cancer, _ = FIGURES[f"benefit-{modify}"](every, SCOPE).axes
    runs = [run for run in experiment("benefit").runs(SCOPE) if run.data == "breast_cancer"]
    for stage, line in zip(STAGES, cancer.lines[1::3], strict=True):
        medians = [
            np.median([made_up(run)[stage]["objective"] for run in runs if run.tcf == tcf and _modify(run) == modify])
            for tcf in SCOPE.tcfs
        ]
        assert line.get_ydata()[::3].tolist() == medians


def _modify(run):
    return dict(run.options).get("modify", "relabel")


def test_quartiles_whiskers_and_single_runs(tmp_path):
    scope = replace(SCOPE, draws=12, tcfs=(0.0,), data=("car",))
    finals = [0.45] * 3 + [0.6] * 6 + [0.7] * 2 + [1.0]

    def result(run):
        same = dict.fromkeys(("objective", "agreement", "f1"), 0.25)
        return {**made_up(run), "initial": same, "modified": same, "final": {**same, "objective": finals[run.draw]}}

    runs = [run for run in experiment("benefit").runs(scope) if _modify(run) == "relabel"]
    (panel,) = FIGURES["benefit-relabel"](written(tmp_path / "runs.jsonl", runs, result), scope).axes
    initial, modified, final = panel.patches
    assert initial.get_y() == modified.get_y() == 0.25
    assert (initial.get_height(), modified.get_height()) == (0, 0)
    # In order, the quartiles of twelve values lie at places 2.75 and 8.25, counted from 0: 0.75 of the way from 0.45 to
    # 0.6, and 0.25 of that from 0.6 to 0.7. So nothing further than 1.5 x 0.0625 from the box is within the whiskers.
    assert final.get_y() == pytest.approx(0.5625)
    assert final.get_y() + final.get_height() == pytest.approx(0.625)
    whiskers, median, dots = panel.lines[-3:]
    assert np.nanmax(whiskers.get_ydata()) == 0.7
    assert dots.get_ydata().tolist() == [0.45, 0.45, 0.45, 1.0]
    assert median.get_ydata()[:2].tolist() == [0.6, 0.6]


@given(st.lists(st.booleans(), max_size=12), st.integers(1, 50), st.integers(1, 500))
def test_what_was_accepted_is_found_again(taken, batch, rows):
    steps, size = [], rows
    for number, accepted in enumerate(taken):
        steps.append([size + batch, number / 100])
        size += batch * accepted
    found = proposals(steps, rows, size - rows)
    assert [one.accepted for one in found] == taken
    places, ((*curve,),) = accepted_curves([(0.5, found)])
    last = max((number for number, accepted in enumerate(taken) if accepted), default=None)
    assert curve[0] == 0.5
    assert places[0] == 0
    assert curve[-1] == (0.5 if last is None else last / 100)


def test_proposals_by_hand():
    steps = [[120, 0.7], [140, 0.6], [140, None], [140, 0.8], [160, 0.9]]
    found = proposals(steps, rows=100, rows_added=40)
    assert [one.added for one in found] == [20, 40, 40, 40, 60]
    assert [one.accepted for one in found] == [True, False, False, True, False]
    assert np.isnan(found[2].objective)
    assert proposals([], rows=100, rows_added=0) == []
    (only,) = proposals([[120, 0.7]], rows=100, rows_added=0)
    assert only == Proposal(20, 0.7, accepted=False)


def test_progress_is_the_median_of_what_was_accepted(tmp_path):
    def result(run):
        # Draws end at 0.6 and 0.8 after 20 rows; the batches of 40 rows in all are rejected.
        steps = {"steps": [[120, 0.6 + 0.2 * run.draw], [140, 0.1], [140, 0.2]]}
        return {**made_up(run), **steps, "modified": {"objective": 0.5, "agreement": 0.5, "f1": 0.5}}

    runs = [run for run in experiment("progress").runs(SCOPE) if run.tcf == 0]
    (panel,) = FIGURES["progress"](written(tmp_path / "runs.jsonl", runs, result), SCOPE).axes
    (line,) = panel.lines
    assert line.get_xdata().tolist() == pytest.approx([0, 20, 40, 41.2])
    assert line.get_ydata().tolist() == pytest.approx([0.5, 0.7, 0.7, 0.7])
    dots, band = panel.collections
    assert len(dots.get_offsets()) == 6
    low, high = band.get_paths()[0].get_extents().intervaly
    assert (low, high) == pytest.approx((0.5, 0.79))


def test_dots_are_the_numbers_of_the_tables_and_hollow_ones_those_of_the_paper(every):
    sheet = tables.SHEETS["overlay"](every, SCOPE).grids[0].frame
    for panel, method in zip(
        FIGURES["overlay"](every, SCOPE).axes, ("Overlay-Soft", "Overlay-Hard", "FROTE"), strict=True
    ):
        here = sheet[(sheet["method"] == method) & (sheet["quantity"] == "Objective, final - initial")]
        ours, paper = (line for line in panel.lines if len(line.get_xdata()) == 2 and line.get_marker() == "o")
        assert ours.get_xdata().tolist() == here["ours_mean"].tolist()
        assert paper.get_xdata().tolist() == here["paper_mean"].tolist()
        assert paper.get_markerfacecolor() == "white"
    cells = tables.SHEETS["comparison"](every, SCOPE).grids[-1].frame
    cells = cells[cells["share"] == "Cells, both"]
    gain, distance, fits = FIGURES["comparison"](every, SCOPE).axes
    assert gain.lines[0].get_xdata().tolist() == cells["gain_mean"].tolist()
    assert distance.lines[0].get_xdata().tolist() == cells["to_override"].tolist()
    assert fits.get_xscale() == "symlog"
    assert [label.get_text() for label in gain.get_yticklabels()] == ["LR", "LR"]
    assert of_panel(gain) == ["Breast Cancer", "Adult"]
    parts = tables.SHEETS["parts"](every, SCOPE).grids[0].frame
    assert FIGURES["parts"](every, SCOPE).axes[0].lines[0].get_xdata().tolist() == parts["gain"].tolist()


def test_parts_on_the_draws_that_they_were_chosen_on_and_on_others(tmp_path):
    scope = replace(SCOPE, draws=6)
    file = written(tmp_path / "runs.jsonl", experiment("parts").runs(scope))
    figure = FIGURES["parts"](file, scope)
    sheet = tables.SHEETS["parts"](file, scope).grids[0].frame
    drawn = [line.get_xdata().tolist() for line in figure.axes[0].lines if line.get_marker() in ("o", "s")]
    assert drawn == [sheet.loc[sheet["which"] == draws, "gain"].tolist() for draws in ("chosen on", "confirmed on")]
    assert [text.get_text() for text in figure.legends[0].texts] == [
        "draws that parts were chosen on (at most 20 pairs)",
        "draws that parts were confirmed on (at most 4 pairs)",
    ]


def test_lines_over_k_and_q_are_means_over_draws(every):
    over_k, over_q = FIGURES["k-and-q"](every, SCOPE).axes
    runs = [run for run in experiment("k-and-q").runs(SCOPE) if run.data == "adult" and not dict(run.options).get("k")]
    of_q = [made_up(run)["final"]["objective"] for run in runs if dict(run.options).get("oversample") == 0.25]
    assert len(of_q) == SCOPE.draws
    assert [len(panel.lines) for panel in (over_k, over_q)] == [2, 2]
    assert over_q.lines[1].get_ydata()[1] == pytest.approx(np.mean(of_q))
    # k 5 and q 0.5 are one and the same set of runs.
    assert over_k.lines[1].get_ydata()[1] == over_q.lines[1].get_ydata()[2]


def test_the_illustration_shows_a_real_edit():
    figure = FIGURES["illustration"](None, None)
    before, *edited = figure.axes
    assert len(edited) == len(STORIES)
    stars = []
    for panel, story in zip(edited, STORIES, strict=True):
        # The last two are synthetic rows, denied and approved.
        denied, approved = (one.get_offsets() for one in panel.collections[-2:])
        stars.append(len(approved))
        assert len(denied) == 0
        assert np.all((approved >= (story.ages[0], story.incomes[0])) & (approved <= (story.ages[1], story.incomes[1])))
    assert min(stars) > 10
    assert len(before.collections) < len(edited[0].collections)


def test_the_trade_is_drawn_of_the_preset_that_studies_it(tmp_path):
    scope = replace(preset("local"), data=("car",), own_draws={"locality": 6})
    runs = [run for run in all_runs(scope) if run.draw == 5]
    figure = LOCAL_FIGURES["trade"](written(tmp_path / "runs.jsonl", runs), scope)
    assert [panel.get_title() for panel in figure.axes] == list(scope.models)
    assert all(len(panel.lines) == 7 for panel in figure.axes)  # six ways and the line of no loss
    assert list(LOCAL_FIGURES) == list(LOCAL_FIGURE_TITLES)


def test_without_results_the_trade_says_so(tmp_path):
    figure = LOCAL_FIGURES["trade"](ResultFile(tmp_path / "none.jsonl"), preset("local"))
    assert all("no runs yet" in of_panel(panel) for panel in figure.axes)
