"""Campaigns run, hold what they held, find what is planted, go on where they stopped; the page quotes their summary."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from campaigns.attacks import CAMPAIGNS
from campaigns.damage import damaged_bytes, damaged_document
from campaigns.results import FOLDER, PAGE, summarise

ROOT = Path(__file__).parents[2]
LIMIT = 900  # seconds for what takes one minute: machines are busy


def python(*arguments, cwd=ROOT):
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={
            **os.environ,
            "PYTHONPATH": path,
            "OMP_NUM_THREADS": "1",
            "POLARS_MAX_THREADS": "1",
        },  # no threads: it forks
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


TWICE = """
import sys
from campaigns.__main__ import main
given = sys.argv[1:]
first = main()
before = open(f"{given[-1]}/summary.json", encoding="utf-8").read()
sys.argv[1:] = ["rule texts", *given]
print("again", file=sys.stderr)
main()
assert open(f"{given[-1]}/summary.json", encoding="utf-8").read() == before
sys.exit(first)
"""


def test_a_few_cases_of_each_break_no_promise_and_a_second_run_has_nothing_left_to_do(tmp_path):
    done = python("-c", TWICE, "--cases", 1, "--out", tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text("utf-8"))
    assert list(summary["campaigns"]) == [campaign.name for campaign in CAMPAIGNS]
    for name, found in summary["campaigns"].items():
        assert (found["cases"], found["held"] + found["refused"], found["failures"]) == (1, 1, []), name
    assert done.returncode == 0
    first, again = done.stderr.split("again\n")
    assert "rule texts: 1 cases" in first
    assert "rule texts: 0 cases" in again


def test_a_case_that_is_repeated_leaves_nothing_behind(tmp_path):
    done = python("-m", "campaigns", "model files", "--case", 0, cwd=tmp_path)
    assert "refused: " in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_every_judge_finds_a_planted_bug():
    done = python("-m", "tests.campaigns.planted")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [name for name, _, _ in found] == [campaign.name for campaign in CAMPAIGNS]
    assert [name for name, broken, reasons in found if not broken] == []


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=lambda campaign: campaign.name)
def test_a_case_is_a_function_of_seed_and_number(campaign):
    assert repr(campaign.case(3, 1)) == repr(campaign.case(3, 1))
    assert len({repr(campaign.case(3, number)) for number in range(20)}) > 1


def test_damage_changes_and_leaves_what_it_was_given():
    document = {"a": [1, {"b": "text"}], "c": None}
    held = json.dumps(document)
    changed = [repr(damaged_document(document, Random(number))) for number in range(50)]
    assert json.dumps(document) == held
    assert len(set(changed)) > 20
    assert len({damaged_bytes(held.encode(), Random(number)) for number in range(50)}) > 20


def table_of(path):
    return [line for line in path.read_text("utf-8").splitlines() if line.startswith("|")]


def test_the_page_has_the_table_of_the_summary():
    summary = table_of(FOLDER / "summary.md")
    assert len(summary) == len(CAMPAIGNS) + 2
    assert [line for line in table_of(PAGE) if line in summary] == summary


def test_the_summary_is_of_the_results_that_are_there():
    written = json.loads((FOLDER / "summary.json").read_text("utf-8"))
    assert written["campaigns"] == summarise(FOLDER, CAMPAIGNS, written["seed"])["campaigns"]
