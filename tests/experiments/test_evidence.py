"""Tables of what edited models hold to: counterexamples that join, and probabilities."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frote_experiments import counterexamples, recalibration

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


@pytest.mark.parametrize("module", [counterexamples, recalibration])
def test_tables_are_those_of_the_runs(module):
    name = module.__name__.rpartition(".")[2]
    runs = [json.loads(line) for line in (EVIDENCE / f"{name}.jsonl").read_text("utf-8").splitlines()]
    for file, text in module.sheet(runs).files().items():
        assert (EVIDENCE / "tables" / file).read_text("utf-8") == text
