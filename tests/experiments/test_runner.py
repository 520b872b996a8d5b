"""What is missing is run, once; failures and interruptions cost their run alone."""

from __future__ import annotations

import pytest

import frote_experiments.runner as runner
from frote.exceptions import DatasetError
from frote_experiments.exceptions import ExperimentError
from frote_experiments.results import ResultFile
from frote_experiments.runner import run_missing
from frote_experiments.runs import Run

RUNS = [Run("car", "LR", "published", 3, 0.2, draw) for draw in range(5)]


@pytest.fixture
def made(monkeypatch):
    """The draws that were run; draw 3 fails, and draw 4 is interrupted, the first time."""
    seen: list[int] = []

    def perform(run):
        seen.append(run.draw)
        if run.draw == 3 and seen.count(3) == 1:
            raise ValueError("not this time")
        if run.draw == 4 and seen.count(4) == 1:
            raise KeyboardInterrupt
        return {"draw": run.draw}

    monkeypatch.setattr(runner, "perform", perform)
    monkeypatch.setattr(runner, "require_data", lambda _: None)
    return seen


def test_what_is_missing_is_run_and_nothing_twice(tmp_path, made):
    path = tmp_path / "runs.jsonl"
    run_missing(path, RUNS[:2], progress=False)
    file = run_missing(path, RUNS[:3], progress=False)
    assert made == [0, 1, 2]
    assert file.results == {run: {"draw": run.draw} for run in RUNS[:3]} == ResultFile(path).results


def test_a_failure_is_recorded_and_tried_again(tmp_path, made):
    path = tmp_path / "runs.jsonl"
    file = run_missing(path, RUNS[2:4], progress=False)
    assert [failure.error_text for failure in file.failures.values()] == ["ValueError: not this time"]
    assert run_missing(path, RUNS[2:4], progress=False).failures == {}
    assert made == [2, 3, 3]


def test_an_interruption_loses_nothing_that_has_ended(tmp_path, made):
    path = tmp_path / "runs.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run_missing(path, [RUNS[0], RUNS[1], RUNS[4], RUNS[2]], progress=False)
    assert set(ResultFile(path).results) == {RUNS[0], RUNS[1]}
    run_missing(path, [RUNS[0], RUNS[1], RUNS[4], RUNS[2]], progress=False)
    assert made == [0, 1, 4, 4, 2]


@pytest.mark.usefixtures("made")
def test_runs_beside_those_of_another_version_are_told_of(tmp_path, monkeypatch, caplog):
    path, version = tmp_path / "runs.jsonl", {"frote": "0.1"}
    for module in ("results", "runner"):
        monkeypatch.setattr(f"frote_experiments.{module}.version", version.__getitem__)
    run_missing(path, RUNS[:1], progress=False)
    version["frote"] = "0.2"
    run_missing(path, RUNS[:1], progress=False)
    assert caplog.messages == []
    run_missing(path, RUNS[:2], progress=False)
    assert caplog.messages == [
        f"{path} has runs of frote 0.1; those that are missing are made with 0.2. "
        "Name another folder to keep them apart."
    ]


def test_without_data_nothing_is_run(tmp_path, monkeypatch):
    monkeypatch.setenv("FROTE_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr("frote.datasets.paper._from_openml", _offline)
    with pytest.raises(DatasetError, match="Cannot load 'car'"):
        run_missing(tmp_path / "runs.jsonl", RUNS, progress=False)
    assert not (tmp_path / "runs.jsonl").exists()


def _offline(record):
    raise DatasetError("it cannot be fetched")


def test_a_cluster_without_the_library_is_told_before_anything_is_run(tmp_path, made, monkeypatch):
    monkeypatch.setattr(runner, "find_spec", lambda _: None)
    path = tmp_path / "runs.jsonl"
    with pytest.raises(ExperimentError, match=r"A Dask cluster needs distributed\. Install it with"):
        run_missing(path, RUNS, scheduler="tcp://nowhere:1")
    assert not made
    assert not path.exists()
