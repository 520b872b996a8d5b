"""Tables: examples worked by hand, through a result file; what is missing, and the order of lines."""

from __future__ import annotations

import csv
import io
import random
import re
from dataclasses import replace

import pandas as pd
import pytest

from frote_experiments.definitions import PARTS, experiment
from frote_experiments.exceptions import ExperimentError
from frote_experiments.presets import ELSEWHERE, Preset, preset
from frote_experiments.projection import projection
from frote_experiments.results import Failure, ResultFile
from frote_experiments.runs import Run
from frote_experiments.tables import FIGURE_TITLES, LOCAL_SHEETS, RECORD_SHEETS, SHEETS, write_tables
from frote_experiments.tables.sheets import Column, Grid

SCOPE = Preset(
    "tiny",
    "Said so.",
    draws=2,
    max_fits=9,
    tcfs=(0.0, 0.2),
    sizes=(3,),
    counts=(8, 20),
    rows={},
    own_draws=ELSEWHERE,
    data=("mushroom", "car"),
    models=("LR", "LGBM"),
)


SMALL = replace(SCOPE, data=("mushroom",), counts=(8,))
LOCAL = replace(SCOPE, draws=0, own_draws={"locality": 10, "loans": 2}, data=("car",), models=("LR", "RF"))


def scores(objective, agreement=None, f1=None):
    return {"objective": objective, "agreement": agreement, "f1": f1}


def found(initial, modified, final, **more):
    named = {"initial": initial, "modified": modified, "final": final}
    usual = {"fits": 4, "spared": 0, "rows_added": 10, "rows": 100, "labels": 2, "seconds": 1.5}
    return {**{stage: one if isinstance(one, dict) else scores(one) for stage, one in named.items()}, **usual, **more}


@pytest.fixture
def file(tmp_path):
    return ResultFile(tmp_path / "runs.jsonl")


def published(data, model, tcf, draw, size=3, **changed):
    more = {name: changed.pop(name) for name in ("outside", "confidence") if name in changed}
    return Run(data, model, "published", size, tcf, draw, {"max_fits": 9, **changed}, **more)


def page(name, file, scope=SCOPE):
    return SHEETS[name](file, scope).markdown()


def row(text, *starts):
    """Return the cells of the only line that starts with some cells, without these."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    (line,) = [line for line in lines if line[: len(starts)] == list(starts)]
    return line[len(starts) :]


def section(text, head):
    return text.partition(f"## {head}\n")[2].partition("\n## ")[0]


def filled(path, scope):
    """Return a file with all runs of a preset, whose numbers differ from run to run."""
    file, chance = ResultFile(path), random.Random(0)
    runs = dict.fromkeys(run for name in SHEETS if name in EXPERIMENTAL for run in experiment(name).runs(scope))
    for run in runs:
        stages = [scores(*(chance.random() for _ in range(3))) for _ in range(3)]
        file.add(run, found(*stages, fits=chance.randrange(9), rows_added=chance.randrange(99)))
    return file


EXPERIMENTAL = set(SHEETS) - {"datasets", "trends", "reproduced", "seconds"}


def test_benefit_by_hand(file):
    file.add(published("car", "LR", 0.2, 0), found(0.1, 0.4, 0.5))
    file.add(published("car", "LR", 0.2, 1), found(0.3, 0.4, 0.7))
    file.add(published("car", "LR", 0.2, 1, modify="drop"), found(0.3, 0.25, 0.2))
    text = page("benefit", file)
    assert row(section(text, "relabel"), "car", "LR", "0.2") == [
        "2", "0.200 ± 0.141", "0.400 ± 0.000", "0.600 ± 0.141", "+0.200 ± 0.141", "+0.200 ± 0.141",
    ]  # fmt: skip
    assert row(section(text, "drop"), "car", "LR", "0.2") == ["1", "0.300", "0.250", "0.200", "-0.050", "-0.050"]
    assert row(section(text, "none"), "car", "LR", "0.2") == ["0", *"-----"]
    assert "Said so. 3 of 48 runs." in text


def trend_file(file, scope):
    # For every draw d: LR gains 0.1 + d/100 at tcf 0 and nothing at 0.2; LightGBM 0.3 and 0.3.
    for draw in scope.draws_of("benefit"):
        for tcf in scope.tcfs:
            file.add(published("car", "LR", tcf, draw), found(0.2, 0.2, 0.2 if tcf else 0.3 + draw / 100))
            file.add(published("car", "LGBM", tcf, draw), found(0.2, 0.2, 0.5))
    return file


def test_trends_by_hand(file):
    scope = replace(SCOPE, draws=6)
    text = page("trends", trend_file(file, scope), scope)
    # Gains 0.10 ... 0.15: mean 0.125, standard deviation 0.0187, all six of one sign: p = 2 / 2 ** 6.
    first = section(text, "Improvement, LR at tcf 0")
    assert row(first, "car") == ["+0.1250 ± 0.0076", "6", "0.031", "0.031", "as the paper says"]
    # One of three trends, which are corrected together: 3 x 0.031.
    assert row(first, "all") == ["+0.1250 ± 0.0076", "6", "0.031", "0.094", "cannot be told"]
    assert row(first, "mushroom") == ["-", "0", "-", "-", "-"]
    # The difference of LR is its gain at tcf 0, that of LightGBM none: their mean is half of the above.
    assert row(section(text, "Improvement at tcf 0 - at tcf 0.2"), "car") == [
        "+0.0625 ± 0.0038", "6", "0.031", "0.031", "as the paper says",
    ]  # fmt: skip
    # LR gains half of 0.125 on average over tcf, LightGBM 0.3.
    assert row(section(text, "Improvement of LR - of LGBM"), "car") == [
        "-0.2375 ± 0.0038", "6", "0.031", "0.031", "not as the paper says",
    ]  # fmt: skip
    assert "Improvement of LR - of RF" not in text


def test_data_sets_are_corrected_together_in_trends(file):
    scope = replace(SCOPE, draws=6)
    trend_file(file, scope)
    for draw in range(6):
        file.add(published("mushroom", "LR", 0.0, draw), found(0.2, 0.2, 0.3))
    text = section(page("trends", file, scope), "Improvement, LR at tcf 0")
    assert row(text, "car")[2:] == ["0.031", "0.062", "cannot be told"]


def test_trends_cannot_be_told_from_few_draws_however_clear(file):
    for draw in range(5):
        file.add(published("car", "LR", 0.0, draw), found(0.2, 0.2, 0.9))
    text = section(page("trends", file, replace(SCOPE, draws=5)), "Improvement, LR at tcf 0")
    assert row(text, "car") == ["+0.7000 ± 0.0000", "5", "0.062", "0.062", "cannot be told"]


def test_only_pairs_count_in_trends(file):
    file.add(published("car", "LR", 0.0, 0), found(0.2, 0.2, 0.5))
    file.add(published("car", "LR", 0.2, 1), found(0.2, 0.2, 0.1))
    file.add(published("car", "LR", 0.2, 0, modify="none"), found(0.2, 0.2, 0.1))
    assert row(section(page("trends", file), "Improvement at tcf 0 - at tcf 0.2"), "all") == ["-", "0", *"---"]


def test_what_augmentation_adds_is_counted_by_modification_and_tcf(file):
    file.add(published("car", "LR", 0.0, 0), found(0.2, 0.2, 0.5))
    file.add(published("car", "LR", 0.0, 1), found(0.2, 0.2, 0.1))
    file.add(published("car", "LGBM", 0.0, 0), found(0.2, 0.2, 0.2004))  # alike at three decimals
    file.add(published("car", "LR", 0.2, 0), found(0.2, 0.4, 0.3))
    text = section(page("benefit", file), "Final - modified, counted")
    # pairs, draws; cells, better, worse, runs below
    assert row(text, "relabel", "0")[:2] == ["3", "2"]
    assert row(text, "relabel", "0")[6:] == ["2", "1", "0", "1"]
    assert row(text, "relabel", "0.2")[6:] == ["1", "0", "1", "1"]
    assert row(text, "relabel", "all")[6:] == ["3", "1", "1", "2"]
    assert row(text, "drop", "all") == ["0", "0", *"----", "0", "0", "0", "0"]


def test_rule_count_by_hand(file):
    for draw, labels in enumerate((1, 2)):
        file.add(published("car", "LR", 0.2, draw, 8), found(0.1, 0.2, 0.4, labels=labels))
    text = page("rule-count", file)
    assert row(text, "car", "LR", "8") == [
        "2", "0.100 ± 0.000", "0.200 ± 0.000", "0.400 ± 0.000", "+0.200 ± 0.000", "1.5", "1",
    ]  # fmt: skip
    assert row(text, "car", "LR", "20") == ["0", *"------"]
    assert row(section(text, "Final - modified, counted"), "2") == ["2", "0"]


def overlay_file(file):
    runs = {
        method: Run("mushroom", "LR", method, 3, 0.5, 0, outside=0.5) for method in ("overlay-soft", "override")
    } | {"published": published("mushroom", "LR", 0.5, 0, outside=0.5)}
    start = scores(0.5, 0.4, 0.8)
    file.add(runs["overlay-soft"], found(start, start, scores(0.49, 0.45, 0.8)))
    file.add(runs["override"], found(start, start, scores(0.9, 1.0, 0.8)))
    file.add(runs["published"], found(start, start, scores(0.52, 0.7, 0.7)))
    return file


def test_overlay_by_hand(file):
    text = page("overlay", overlay_file(file))
    objective = section(text, "Objective, final - initial")
    assert row(objective, "mushroom", "LR", "Overlay-Soft") == ["-0.010", "1", "0.001 ± 0.004", "worse, other sign"]
    assert row(objective, "mushroom", "LR", "Overlay-Hard") == [
        "0.400", "1", "-0.158 ± 0.213", "definition differs, other sign",
    ]  # fmt: skip
    assert row(objective, "mushroom", "LR", "FROTE") == [
        "0.020", "1", "0.014 ± 0.015", "within one standard deviation, same sign",
    ]  # fmt: skip
    agreement = section(text, "Agreement, final - initial")
    assert row(agreement, "mushroom", "LR", "FROTE") == ["0.300", "1", "0.049 ± 0.033", "better, same sign"]
    f1 = section(text, "F1 outside coverage, final - initial")
    assert row(f1, "mushroom", "LR", "FROTE") == ["-0.100", "1", "-0.000 ± 0.001", "worse, no sign"]
    assert row(f1, "mushroom", "LGBM", "FROTE") == ["-", "0", "0.000 ± 0.000", "-"]
    assert "Said so. 3 of 12 runs." in text
    assert "Verdict: " in text
    counted = section(text, "FROTE - Overlay-Soft, counted")
    # 0.52 - 0.49, in the only cell; the paper has both models of mushroom in favour of FROTE.
    assert row(counted, "1", "1", "+0.0300")[3:] == ["1", "1", "0", "2", "2"]
    assert "car" not in text  # not a binary data set


def test_what_the_paper_does_not_print_is_empty_and_what_is_odd_is_remarked(file):
    scope = replace(SCOPE, data=("breast_cancer", "adult"))
    text = page("overlay", file, scope)
    assert row(section(text, "Agreement, final - initial"), "adult", "LR", "FROTE") == ["-", "0", "-", "-"]
    assert "breast_cancer LGBM FROTE: printed 0.880 ± 0.238;" in text


def test_selection_by_hand(file):
    def both(data, model, draw, gains, **more):
        for select, gain in zip(("random", "ip"), gains, strict=True):
            start = scores(0.2, 0.1, 0.6)
            final = scores(0.4 + gain, 0.3, 0.59)
            file.add(published(data, model, 0.0, draw, select=select), found(start, scores(0.4), final, **more))

    both("car", "LR", 0, (0.02, 0.01))
    both("car", "LR", 1, (0.04, 0.01), rows_added=30)
    both("car", "LGBM", 0, (0.0101, 0.0104))  # alike at three decimals
    both("mushroom", "LR", 0, (0.01, 0.02))
    file.add(published("mushroom", "LR", 0.0, 1), found(0, 0, 1))  # not run with the integer program
    text = page("selection", file)
    counted = section(text, "Random - integer program, counted")
    # Gains of random 0.01 and 0.03, -0.0003, -0.01: cells +0.02, -0.0003 and -0.01; two draws of car, one of mushroom.
    assert row(counted, "0")[:3] == ["4", "3", "+0.0074 ± 0.0089"]
    assert row(counted, "0")[6:] == ["3", "1", "2", "1", "1", "1", "0", "0"]
    assert row(counted, "0.2")[6:] == ["0"] * 8
    assert row(counted, "printed")[6:] == ["24", "-", "-", "11", "8", "5", "-", "-"]
    initial, modified = (section(text, f"Objective, final - {start}") for start in ("initial", "modified"))
    assert row(initial, "car", "LR", "random") == ["0.230 ± 0.014", "2", "0.022 ± 0.034", "better, same sign"]
    assert row(modified, "car", "LR", "random") == [
        "0.030 ± 0.014", "2", "0.022 ± 0.034", "within one standard deviation, same sign",
    ]  # fmt: skip
    assert row(initial, "mushroom", "LR", "random")[:2] == ["0.210", "1"]
    added = section(text, "Rows added / rows")
    assert row(added, "car", "LR", "ip") == ["0.200 ± 0.141", "2", "0.113 ± 0.183", "within one standard deviation"]
    assert row(added, "car", "LGBM", "ip") == ["0.100", "1", "0.001 ± 0.004", "more"]
    assert row(section(text, "Agreement, final - initial"), "car", "LR", "ip") == [
        "0.200 ± 0.000", "2", "0.096 ± 0.112", "within one standard deviation, same sign",
    ]  # fmt: skip
    assert row(section(text, "F1 outside coverage, final - initial"), "car", "LR", "ip")[0] == "-0.010 ± 0.000"


def test_probabilistic_by_hand(file):
    for draw, gain in enumerate((0.1, 0.3)):
        final = scores(0.5, 0.4 + gain, 0.5)
        run = published("mushroom", "LR", 0.0, draw, 1, confidence=0.4)
        file.add(run, found(scores(0.5, 0.4, 0.5), scores(0.5), final))
    text = page("probabilistic", file)
    assert row(section(text, "Agreement, final - initial"), "mushroom", "LR", "p=0.4") == [
        "0.200 ± 0.141", "2", "0.206 ± 0.344", "within one standard deviation, same sign",
    ]  # fmt: skip
    assert row(section(text, "Objective, final - initial"), "mushroom", "LR", "p=0.4")[3].endswith(", no sign")
    assert "printed 0.206 ± 0344;" in text


def test_what_is_reproduced_is_counted(file):
    for draw in (0, 1):
        run = published("mushroom", "LR", 0.0, draw, 1, confidence=0.4)
        file.add(run, found(scores(0.5, 0.4), scores(0.5), scores(0.5, 0.6)))
    for select in ("random", "ip"):  # rows are added by the integer program alone
        made = found(scores(0.2, 0.1, 0.6), scores(0.4), scores(0.4, 0.1, 0.6), rows_added=90 * (select == "ip"))
        file.add(published("car", "LR", 0.0, 0, select=select), made)
    text = page("reproduced", overlay_file(file))
    overlay = section(text, "Comparison with Overlay (Table 2 and the appendix)")
    # values; within, above, below, another definition; same sign, other sign
    assert row(overlay, "Objective, final - initial", "Overlay-Soft") == ["1", "0", "0", "1", "0", "0", "1"]
    assert row(overlay, "Objective, final - initial", "Overlay-Hard") == ["1", "0", "0", "0", "1", "0", "1"]
    assert row(overlay, "Objective, final - initial", "FROTE") == ["1", "1", "0", "0", "0", "1", "0"]
    assert row(overlay, "Agreement, final - initial", "FROTE") == ["1", "0", "1", "0", "0", "1", "0"]
    assert row(overlay, "F1 outside coverage, final - initial", "FROTE") == ["1", "0", "0", "1", "0", "0", "0"]
    selection = section(text, "Random and integer-program selection (Tables 3 to 5)")
    assert row(selection, "Rows added / rows", "random")[:4] == ["1", "0", "0", "1"]
    assert row(selection, "Rows added / rows", "ip")[:4] == ["1", "0", "1", "0"]
    unsure = section(text, "Probabilistic rules (appendix)")
    assert row(unsure, "Agreement, final - initial", "all p") == ["1", "1", "0", "0", "0", "1", "0"]
    assert "Comparison with Overlay (Table 2 and the appendix): 3 of 12 runs." in text


def test_k_and_q_by_hand(file):
    def add(final, draw, **changed):
        file.add(published("car", "LR", 0.2, draw, **changed), found(0.1, 0.2, final, rows_added=50))

    for draw, ks in enumerate(((2, 5, 10, 20), (2, 5))):
        for k in ks:
            add(0.2 + k / 100, draw, k=k)
    add(0.9, 0, oversample=1.0)
    text = page("k-and-q", file)
    over_all, each = text.split("| data |")
    each = "| data |" + each
    assert row(over_all, "k", "2")[:3] == ["1", "0.220", "+0.020"]
    assert row(over_all, "q", "0.5") == ["0", *"----"]
    assert row(each, "car", "LR", "k", "2") == ["2", "0.220 ± 0.000", "+0.020 ± 0.000", "0.500 ± 0.000", "4.0 ± 0.0"]
    assert row(each, "car", "LR", "k", "5") == row(each, "car", "LR", "q", "0.5")
    assert row(each, "car", "LR", "q", "1")[:2] == ["1", "0.900"]


def compared(file, data, draw, objectives, tcf=0.0, **fits):
    """Add the runs of a comparison."""
    for method, final in objectives.items():
        run = published(data, "LR", tcf, draw) if method == "published" else Run(data, "LR", method, 3, tcf, draw)
        start, modified, end = scores(0.2, 0.1, 0.3), scores(0.3, 0.2, 0.4), scores(final, final, 0.5)
        file.add(run, found(start, modified, end, fits=fits.get(method, 1)))


def test_comparison_by_hand(file):
    compared(
        file, "car", 0, {"weights": 0.4, "published": 0.5, "default": 0.6, "override": 0.7}, default=6, published=9
    )
    compared(
        file, "car", 1, {"weights": 0.4, "published": 0.5, "default": 0.8, "override": 0.7}, default=8, published=7
    )
    compared(file, "car", 1, {"weights": 0.0, "default": 0.0, "override": 0.0}, tcf=0.2)  # without the published one
    compared(file, "car", 0, {"weights": 0.9, "published": 0.5, "default": 0.8, "override": 1.0}, tcf=0.2)
    compared(file, "mushroom", 0, {"weights": 0.4, "published": 0.51, "default": 0.5, "override": 0.7}, published=100)
    text = page("comparison", file)
    assert row(section(text, "Cells, tcf 0"), "car", "LR") == [
        "2", "0.200 ± 0.000", "0.300 ± 0.000", "0.400 ± 0.000", "0.500 ± 0.000", "0.700 ± 0.141", "0.700 ± 0.000",
        "+0.2000 ± 0.1000", "+0.000", "7.0", "8.0",
    ]  # fmt: skip
    assert row(section(text, "Cells, both"), "car", "LR")[0] == "3"
    assert row(section(text, "Side by side"), "weights")[:2] == ["0.400", "0.900"]
    assert row(section(text, "Cells, tcf 0.2"), "car", "LR")[:4] == ["1", "0.200", "0.300", "0.900"]
    assert row(section(text, "Cells, tcf 0"), "car", "LGBM") == ["0", *"----------"]
    none, some, both = (section(text, head) for head in ("tcf 0", "tcf 0.2", "both"))
    assert row(none, "initial") == ["3", "0.200 ± 0.000", "0.100 ± 0.000", "0.300 ± 0.000", "0.0 ± 0.0", "0", "0 ± 0"]
    assert row(none, "default")[:3] == ["3", "0.633 ± 0.153", "0.633 ± 0.153"]
    assert row(none, "published")[4:6] == ["38.7 ± 53.1", "9"]
    assert row(some, "weights")[:2] == ["1", "0.900"]
    assert row(both, "weights")[:2] == ["4", "0.525 ± 0.250"]
    # Gains 0.1 and 0.3 on two draws of car, -0.01 on one of mushroom.
    assert row(section(text, "Pairs, tcf 0"), "default", "published") == [
        "3", "3", "+0.1300 ± 0.0907", "0.5", "1", "cannot be told", "2", "1", "1",
    ]  # fmt: skip
    # Draw 0 of car is there twice, with gains 0.1 and 0.3: the sums of draws are 0.4, 0.3 and -0.01.
    assert row(section(text, "Pairs, both"), "default", "published")[:4] == ["4", "3", "+0.1725 ± 0.0702", "0.5"]
    assert row(section(text, "Pairs, tcf 0.2"), "weights", "published")[:3] == ["1", "1", "+0.4000"]
    assert "the 4 settings " in text


def test_pairs_are_told_and_corrected_together(file):
    for draw in range(7):
        compared(file, "car", draw, {"weights": 0.3, "published": 0.5, "default": 0.8, "override": 0.9})
    text = section(page("comparison", file, replace(SCOPE, draws=7)), "Pairs, tcf 0")
    # 2 / 2 ** 7 = 0.016 for the five pairs that differ, of six: corrected, six times as much.
    assert row(text, "default", "published")[3:6] == ["0.016", "0.094", "cannot be told"]
    for draw in range(7, 9):
        compared(file, "car", draw, {"weights": 0.3, "published": 0.5, "default": 0.8, "override": 0.9})
    text = section(page("comparison", file, replace(SCOPE, draws=9)), "Pairs, tcf 0")
    assert row(text, "default", "published")[3:6] == ["0.0039", "0.023", "first"]
    assert row(text, "weights", "published")[5] == "second"
    assert row(text, "weights", "relabel")[5] == "cannot be told"


def test_a_method_that_was_never_run_hides_no_other(file):
    compared(file, "car", 0, {"default": 0.6, "override": 0.7})
    text = page("comparison", file)
    assert row(section(text, "Cells, tcf 0"), "car", "LR")[:6] == ["1", "0.200", "0.300", "-", "-", "0.600"]


def test_parts_by_hand(file):
    def add(data, draw, final, options=(), fits=5):
        file.add(Run(data, "LR", "default", 3, 0.0, draw, options), found(0, 0, final, fits=fits))

    scope = replace(SCOPE, draws=10)
    add("car", 0, 0.6)
    add("car", 1, 0.6)
    add("mushroom", 0, 0.6)
    add("car", 0, 0.5, PARTS["no probes"], fits=7)
    add("car", 1, 0.4, PARTS["no probes"], fits=9)
    add("mushroom", 0, 0.9, PARTS["no probes"], fits=8)
    add("mushroom", 0, 0.6, PARTS["held out"])
    add("mushroom", 1, 0.1, PARTS["held out"])  # without its pair
    text = page("parts", file, scope)
    assert "confirmed on" not in text
    # Gains 0.1, 0.2 and -0.3: mean 0, standard deviation 0.2646; cells +0.15 and -0.3.
    assert row(text, "no probes") == [
        *("3", "3", "+0.0000 ± 0.1528", "1", "1", "cannot be told", "2", "1", "1"),
        *("-0.3000", "mushroom LR", "8.0", "5.0"),
    ]
    assert row(text, "held out")[6:11] == ["1", "0", "0", "+0.0000", "mushroom LR"]
    assert row(text, "one candidate") == ["0", "0", *"----", "0", "0", "0", *"----"]
    add("car", 5, 0.7)
    add("car", 5, 0.6, PARTS["no probes"])
    text = page("parts", file, scope)
    assert row(section(text, "chosen on"), "no probes")[0] == "3"
    confirmed = row(section(text, "confirmed on"), "no probes")
    assert (confirmed[2], *confirmed[9:11]) == ("+0.1000", "+0.1000", "car LR")


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_told_from_the_others(file, part):
    file.add(Run("car", "LR", "default", 3, 0.0, 0), found(0, 0, 0.5))
    file.add(Run("car", "LR", "default", 3, 0.0, 0, PARTS[part]), found(0, 0, 0.25))
    text = page("parts", file)
    for name in PARTS:
        assert row(text, name)[0] == ("1" if name == part else "0")


def test_seconds_are_medians(file):
    for draw, seconds in enumerate((1.0, 4.0)):
        file.add(Run("car", "LR", "default", 3, 0.0, draw), found(0, 0, 0, seconds=seconds))
    file.add(Run("car", "LGBM", "default", 3, 0.2, 0), found(0, 0, 0, seconds=2.0))
    file.add(published("car", "LR", 0.0, 0), found(0, 0, 0, fits=8, spared=6))
    assert row(page("seconds", file), "default", "car") == ["3", "2.00", "0%"]
    assert row(page("seconds", file), "published", "car") == ["1", "1.50", "75%"]
    assert row(page("seconds", file), "overlay-soft", "mushroom") == ["0", "-", "-"]


def test_data_sets_differ_from_the_printed_ones_where_they_do(file):
    text = page("datasets", file)
    assert row(text, "breast_cancer")[-1] == "30 features, printed 32; 30 numeric, printed 32"
    assert row(text, "adult") == ["45222", "45222", "12", "12", "4", "4", "8", "8", "2", "2", "none"]
    assert text.count("none |") == 7


@pytest.mark.parametrize("name", SHEETS)
def test_without_any_run_everything_is_empty(file, name):
    text = page(name, file)
    assert "Said so." in text
    assert name == "datasets" or " 0 of " in text
    assert "nan" not in text.lower()


@pytest.mark.parametrize("name", ["overlay", "probabilistic", "seconds", "trends"])
def test_a_preset_may_have_none_of_the_data_sets_or_models_of_a_page(file, name):
    assert "Said so." in page(name, file, replace(SCOPE, data=("car",), models=("LGBM",)))


def test_failures_are_counted(file):
    run = next(iter(experiment("overlay").runs(SCOPE)))
    file.add(run, Failure("ValueError: no"))
    assert "0 of 12 runs, 1 failed." in page("overlay", file)


def value(cell):
    """Read a cell of a CSV file, number or text."""
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def test_what_is_in_the_csv_is_what_is_printed(tmp_path):
    file = filled(tmp_path / "runs.jsonl", SMALL)
    for make in SHEETS.values():
        sheet = make(file, SMALL)
        texts = list(sheet.files().values())[1:]
        for grid, text in zip(sheet.grids, texts, strict=True):
            back = pd.DataFrame(
                [{name: value(cell) for name, cell in line.items()} for line in csv.DictReader(io.StringIO(text))]
            )
            assert replace(grid, frame=back).markdown() == grid.markdown()


def test_neither_order_nor_repetition_of_lines_nor_their_seconds_change_a_table(tmp_path):
    first = filled(tmp_path / "first.jsonl", SMALL)
    second = ResultFile(tmp_path / "second.jsonl")
    runs = list(first.outcomes.items())
    random.Random(1).shuffle(runs)
    for run, result in [*runs[:20], *runs]:
        second.add(run, {**result, "seconds": 9.0, "spared": 1})
    for file, name in ((first, "one"), (ResultFile(second.path), "two")):
        write_tables(file, SMALL, tmp_path / name)
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*") if path.is_file()}
        for name in ("one", "two")
    )
    assert {name for name in one if one[name] != two[name]} == {"seconds.md", "seconds.csv"}
    assert one.keys() == two.keys()


def test_some_pages_are_written_and_listed_alone(file, tmp_path):
    paths = write_tables(file, SCOPE, tmp_path, ["probabilistic", "reproduced"])
    assert {path.name for path in paths if path.suffix == ".md"} == {"README.md", "probabilistic.md", "reproduced.md"}
    index = (tmp_path / "README.md").read_text("utf-8")
    assert "figures/probabilistic.png" in index
    assert "overlay" not in index
    with pytest.raises(ExperimentError, match=r"^No table or figure 'probable'\. Did you mean 'probabilistic'"):
        write_tables(file, SCOPE, tmp_path, ["probable"])


def test_all_that_is_listed_is_written(file, tmp_path):
    paths = write_tables(file, SCOPE, tmp_path / "deep" / "out")
    assert all(path.is_file() for path in paths)
    index = (tmp_path / "deep" / "out" / "README.md").read_text("utf-8")
    links = [part.partition(")")[0] for part in index.split("](")[1:]]
    tables = [link for link in links if link.startswith("tables/")]
    assert sorted(tables) == sorted(f"tables/{path.name}" for path in paths if path.name != "README.md")
    assert set(links) - set(tables) == {f"figures/{name}.png" for name in FIGURE_TITLES}
    assert "Said so. 0 of" in index


def edited(model, method, tcf, draw, f1, agreement, flips, **options):
    run = Run("car", model, method, 3, tcf, draw, options)
    beside = {"flips_outside": flips, "flips_near": 2 * flips, "brier_outside": 0.3, "brier_outside_initial": 0.25}
    return run, found(scores(0.5, 0.1, 0.9), 0.5, scores(0.5, agreement, f1), **beside)


def test_what_is_lost_outside_by_hand(file):
    for draw, f1, agreement, flips in ((0, 0.8, 1.0, 0.25), (2, 0.7, 0.9, 0.15), (5, 0.6, 0.9, 0.5)):
        file.add(*edited("RF", "default", 0.0, draw, f1, agreement, flips))
        file.add(*edited("RF", "default", 0.0, draw, f1 + 0.1, agreement - 0.1, flips / 2, twins=1.0))
    text = LOCAL_SHEETS["locality"](file, LOCAL).markdown()
    first, second = (section(text, head) for head in ("chosen on", "confirmed on"))
    assert row(first, "RF", "default") == [
        *("2", "0.950 ± 0.071", "0.150 ± 0.071", "0.200 ± 0.071", "0.400 ± 0.141", "+0.050 ± 0.000"),
        *("4.0 ± 0.0", "10 ± 0"),
    ]  # fmt: skip
    assert row(second, "RF", "twins")[:4] == ["1", "0.800", "0.200", "0.250"]
    assert row(second, "RF", "max loss 0.02")[0] == "0"
    assert row(section(text, "RF and LGBM, means over cells"), "chosen on") == [
        *("1", "0.1500", "0.0500", "0.9500", "0.8500", "1"),
    ]


def test_loans_by_hand(file):
    beside = {"flips_outside": 0.1, "flips_near": 0.2, "brier_outside": 0.3, "brier_outside_initial": 0.25}
    for draw, f1 in enumerate((0.8, 0.6)):
        run = Run("loans", "forest", "default", 7, 0.75, draw, {"twins": 1.0}, outside=0.75)
        file.add(run, found(scores(0.5, 0.1, 0.9), 0.5, scores(0.5, 0.75, f1), **beside))
    text = LOCAL_SHEETS["loans"](file, LOCAL).markdown()
    assert row(text, "twins")[:4] == ["2", "0.7500 ± 0.0000", "0.7000 ± 0.1000", "0.2000 ± 0.1000"]
    assert row(text, "override")[:2] == ["0", "-"]
    assert "2 of 8 runs." in text


def test_ways_by_hand(file):
    for draw in (5, 6):
        file.add(*edited("LR", "auto", 0.2, draw, 0.898, 0.995, 0.0))
        file.add(*edited("LR", "switches", 0.2, draw, 0.8, 1.0, 0.1))
    text = LOCAL_SHEETS["ways"](file, LOCAL).markdown()
    reached = section(text, "Agreement at least 0.99 and loss at most 0.003")
    assert row(reached, "confirmed on", "auto") == ["1", "1", "0.0020", "0.0000", "-"]
    assert row(reached, "confirmed on", "switches") == ["1", "0", "0.1000", "0.1000", "car LR (1.000, +0.1000)"]


def test_ways_to_edit_beside_the_default_by_hand(file):
    for draw, gain in ((5, 0.1), (6, 0.3)):
        for method, final in (("default", 0.5), ("auto", 0.5 + gain)):
            run = Run("car", "LR", method, 3, 0.2, draw)
            file.add(run, found(scores(0.5, 0.1, 0.9), 0.5, scores(final, 0.8, 0.85), flips_outside=0.1))
    file.add(Run("car", "LR", "auto", 3, 0.2, 7), found(scores(0.5, 0.1, 0.9), 0.5, scores(0.9, 0.8, 0.85)))
    text = LOCAL_SHEETS["methods"](file, LOCAL).markdown()
    line = row(section(text, "confirmed on, tcf 0.2"), "auto")
    assert line[:2] == ["3", "0.767 ± 0.153"]
    assert line[-4:] == ["+0.2000 ± 0.1000", "0.5", "cannot be told", "1"]  # over the two draws of both
    assert row(section(text, "confirmed on, tcf 0"), "auto")[0] == "0"


def test_probabilities_inside_by_hand(file):
    for draw, error in ((5, 0.1), (6, 0.2)):
        run = Run("mushroom", "LR", "switches", 3, 0.2, draw, confidence=0.7)
        file.add(run, found(0.5, 0.5, 0.5, chance_error=error, chance_error_initial=0.6))
    text = LOCAL_SHEETS["chances"](file, replace(LOCAL, data=("mushroom",))).markdown()
    assert row(text, "LR", "switches")[:3] == ["2", "0.150 ± 0.071", "0.600 ± 0.000"]
    assert row(text, "RF", "auto")[0] == "0"


def test_ten_rules_by_hand(file):
    run = Run("car", "LR", "auto", 10, 0.0, 5)
    file.add(run, found(scores(0.5, 0.1, 0.9), 0.5, scores(0.5, 0.8, 0.85), flips_outside=0.1))
    text = LOCAL_SHEETS["many-rules"](file, LOCAL).markdown()
    assert row(text, "car", "LR", "auto")[:4] == ["1", "0.800", "0.050", "0.100"]


def test_probes_against_unseen_rows_by_hand(file):
    for draw, measured, unseen in ((0, 0.9, 0.8), (1, 0.8, 0.9), (2, 1.0, 0.7)):
        run, result = edited("LR", "default", 0.0, draw, 0.9, unseen, 0.0)
        file.add(run, {**result, "measured": {"agreement": measured, "loss": None}})
    text = LOCAL_SHEETS["probes"](file, LOCAL).markdown()
    assert row(text, "car", "LR") == ["3", "0.900", "0.800", "0.167", "-1.000"]
    assert row(text, "car", "RF") == ["0", *"----"]


def test_a_preset_of_its_own_has_tables_and_figures_of_its_own(file, tmp_path):
    paths = write_tables(file, LOCAL, tmp_path)
    assert {path.name for path in paths if path.suffix == ".md"} == {
        "README.md",
        *(f"{name}.md" for name in LOCAL_SHEETS),
    }
    assert set(re.findall(r"figures/(.*?)\.png", (tmp_path / "README.md").read_text("utf-8"))) == {"trade"}


RECORD = replace(preset("record"), max_fits=9, data=("car",))


def test_the_objective_as_printed_by_hand(file):
    for draw, final, added in ((0, 0.5, 0), (1, 0.7, 20)):
        file.add(published("car", "LR", 0.0, draw), found(0.5, 0.5, 0.8, rows_added=40))
        file.add(published("car", "LR", 0.0, draw, evaluate="printed"), found(0.5, 0.5, final, rows_added=added))
    file.add(published("car", "LR", 0.0, 2), found(0.5, 0.5, 0.9))  # without its pair
    text = RECORD_SHEETS["printed"](file, RECORD).markdown()
    cells = ["2", "2", "1", "40", "10", "0.500", "0.800", "0.600", "+0.100 ± 0.100", "+0.200 ± 0.100"]
    assert row(text, "car", "LR") == cells == row(text, "all", "all")
    assert row(text, "car", "LGBM")[:3] == ["0", "0", "0"]
    assert "5 of 20 runs." in text


def test_online_selection_by_hand(file):
    for draw, finals in ((0, (0.5, 0.6, 0.7)), (1, (0.5, 0.6, 0.9))):
        for select, final in zip(("random", "ip", "online"), finals, strict=True):
            file.add(published("car", "RF", 0.2, draw, select=select), found(0.5, 0.5, final))
    file.add(published("car", "RF", 0.2, 2), found(0.5, 0.5, 0.0))  # without the others
    text = RECORD_SHEETS["online"](file, RECORD).markdown()
    assert row(section(text, "tcf 0.2"), "car", "RF") == [
        "2", "0.500", "0.600", "0.800", "+0.300 ± 0.100", "+0.200 ± 0.100", "10", "10", "10",
    ]  # fmt: skip
    assert row(section(text, "tcf 0"), "car", "RF")[:2] == ["0", "-"]


def test_two_ways_to_draw_rules_by_hand(file):
    for conflicts, gain, labels in (("possible", 0.1, 1), ("rows", 0.2, 3)):
        for draw in (0, 1):
            run = Run("car", "LR", "published", 3, 0.0, draw, {"max_fits": 9}, conflicts=conflicts)
            file.add(run, found(0.2, 0.2, 0.2 + gain, labels=labels))
            run = Run("car", "LR", "default", 3, 0.0, draw, conflicts=conflicts)
            file.add(run, found(0.2, 0.2, 0.2 + 2 * gain + draw * gain, labels=labels))
    text = section(RECORD_SHEETS["row-conflicts"](file, RECORD).markdown(), "tcf 0")
    assert row(text, "car", "LR", "possible") == [
        "2", "1.0", "+0.100 ± 0.000", "+0.250 ± 0.050", "+0.150 ± 0.050",
    ]  # fmt: skip
    assert row(text, "all", "all", "rows") == ["2", "3.0", "+0.200 ± 0.000", "+0.500 ± 0.100", "+0.300 ± 0.100"]


def test_the_record_has_tables_of_its_own(file, tmp_path):
    paths = write_tables(file, RECORD, tmp_path)
    assert {path.stem for path in paths if path.suffix == ".md"} == {"README", *RECORD_SHEETS}


def test_a_projection_by_hand(file):
    scope = replace(SCOPE, draws=0, own_draws={"comparison": 1}, data=("car",), models=("LR", "LGBM"), max_fits=200)
    # Published: 9 retrainings take 9 and 27 seconds of LR; the cut-down run does not count; LGBM takes LR's.
    file.add(published("car", "LR", 0.2, 0), found(0.1, 0.1, 0.1, seconds=9.0))
    file.add(published("car", "LR", 0.2, 1), found(0.1, 0.1, 0.1, seconds=27.0))
    file.add(Run("car", "LR", "published", 3, 0.2, 2, {"max_fits": 9}, rows=50), found(0.1, 0.1, 0.1, seconds=900.0))
    for method in ("default", "weights", "override"):
        file.add(Run("car", "LGBM", method, 3, 0.2, 0), found(0.1, 0.1, 0.1, seconds=100.0))
    sheet = projection(scope, [file])
    # Two models and two shares: 4 x 200 x 2 s, and 12 x 100 s: 2,800 s. Measured: LR published, LGBM the other three.
    assert row(sheet.markdown(), "comparison") == ["16", "8", "0.8", "0.8"] == row(sheet.markdown(), "all")
    assert sheet.grids[0].frame["hours_mean"].tolist() == pytest.approx([2800 / 3600] * 2)


def test_what_nobody_has_measured_is_not_projected(file):
    assert row(projection(replace(SCOPE, draws=1), [file]).markdown(), "all")[-2:] == ["-", "-"]


def test_every_figure_that_is_drawn_is_listed():
    pytest.importorskip("matplotlib")
    from frote_experiments.figures import FIGURES

    assert list(FIGURES) == list(FIGURE_TITLES)


def test_a_table_prints_what_it_is_told_to():
    frame = pd.DataFrame({"kind": ["b", "b", "a"], "x_mean": [0.12345, None, -0.0001], "x_std": [0.5, 0.5, None]})
    grid = Grid(frame, (Column("x", "x_mean", "x_std"),), said=("Done.",), by="kind")
    assert grid.markdown().split("\n\n") == [
        "## b",
        "| x |\n|---|\n| 0.123 ± 0.500 |\n| - |",
        "## a",
        "| x |\n|---|\n| 0.000 |",
        "Done.",
    ]
