"""Tables of what edited models hold to: counterexamples that join, and probabilities."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frote_experiments import counterexamples, linear, recalibration
from frote_experiments.lines import all_lines

EVIDENCE = Path(__file__).parents[2] / "experiments" / "evidence"


def test_runs_are_put_together_by_hand():
    run = {"dataset": "car", "model": "RF", "draw": 0, "proven": 2, "counterexample": 1, "open": 0, "no row": 0}
    scores = {"strays": 0.25, "agreement": 0.9, "f1": 0.5}
    runs = [{**run, **scores, "arm": arm} for arm in ("none", "proof")]
    runs.append({**runs[1], "draw": 1, "proven": 3, "counterexample": 0, "strays": 0.75, "f1": 0.7})
    lines = counterexamples.sheet(runs).grids[0].markdown().splitlines()[2:]
    assert lines == [
        "| RF | none | 1 | 2 | 1 | 0 | 25.00% | 0.900 | 0.500 |",
        "| RF | proof | 2 | 5 | 1 | 0 | 50.00% | 0.900 | 0.600 |",
    ]


@pytest.mark.parametrize("module", [counterexamples, linear, recalibration])
def test_tables_are_those_of_the_runs(module):
    name = module.__name__.rpartition(".")[2]
    runs = [json.loads(line) for line in (EVIDENCE / f"{name}.jsonl").read_text("utf-8").splitlines()]
    for file, text in module.sheet(runs).files().items():
        assert (EVIDENCE / "tables" / file).read_text("utf-8") == text


def test_only_runs_that_a_file_lacks_are_made(tmp_path):
    asked, wanted = [], [("car", "RF", 0), ("car", "RF", 1)]

    def run(name, model, number):
        asked.append(number)
        return [{"dataset": name, "model": model, "draw": number, "arm": arm} for arm in "ab"]

    assert len(all_lines(tmp_path / "runs.jsonl", wanted[:1], run)) == 2
    assert len(all_lines(tmp_path / "runs.jsonl", wanted, run)) == 4
    assert asked == [0, 1]
