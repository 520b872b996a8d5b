"""Benchmarks write result files; their tables are made of these, and the numbers of their README of the tables."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
HEADS = (("how", "how", "", ""), ("seconds", "seconds", "spread", ".2f"), ("ratio", "ratio", "", ".1f"))
LINES = [
    {"how": "slow", "seconds": 1.23456, "spread": 0.1, "ratio": None},
    {"how": "fast", "seconds": 0.1, "spread": 0.0, "ratio": 12.3456},
]


@pytest.fixture
def module(monkeypatch):
    """Return a module of the benchmarks, which are scripts and no package."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module


def test_the_tables_here_are_those_of_the_result_files(module):
    made = {name: text for sheet in module("report").sheets() for name, text in sheet.files().items()}
    assert made == {path.name: path.read_text("utf-8") for path in (BENCHMARKS / "tables").iterdir()}


def test_a_result_file_says_what_was_measured_where_and_when_and_a_table_is_made_of_it(module, tmp_path, capsys):
    module("results").keep("speed", "Speed", HEADS, LINES, repeats=3, folder=tmp_path, rows=10)
    content = json.loads((tmp_path / "speed.json").read_text("utf-8"))
    assert content["lines"] == LINES
    assert content["settings"] == {"rows": 10}
    assert {"date", "commit", "cores", "memory", "processor", "load", "python", "repeats"} == set(content["measured"])
    assert {"frote", "numpy"} <= set(content["versions"])
    assert capsys.readouterr().out == (
        "Speed (rows 10)\n  how slow, seconds 1.23, ratio -\n  how fast, seconds 0.10, ratio 12.3\n"
    )
    speed, measured = module("report").sheets(tmp_path)
    assert speed.markdown() == (
        "# Speed\n\n| how | seconds | ratio |\n|---|---|---|\n"
        "| slow | 1.23 ± 0.10 | - |\n| fast | 0.10 ± 0.00 | 12.3 |\n"
    )
    assert "| speed | 20" in measured.markdown()


def test_every_result_file_has_its_table_on_the_page():
    page = (BENCHMARKS / "README.md").read_text("utf-8")
    names = {path.stem for path in (BENCHMARKS / "results").iterdir()}
    assert [name for name in names if f"benchmarks/{name} -->" not in page and f"benchmarks/{name}[" not in page] == []
