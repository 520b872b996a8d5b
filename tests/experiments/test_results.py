"""Result files: nothing that was written is lost, and nothing is run twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frote_experiments.exceptions import ExperimentError
from frote_experiments.results import Failure, ResultFile
from frote_experiments.runs import Run

RUN = Run("car", "LR", "published", 3, 0.2, 0)
OTHER = Run("car", "LR", "published", 3, 0.2, 1)
FOUND = {"final": {"objective": 0.5}}


def test_what_is_added_is_read_back(tmp_path):
    path = tmp_path / "deep" / "runs.jsonl"
    file = ResultFile(path)
    file.add(RUN, FOUND)
    file.add(OTHER, Failure("ValueError: no"))
    back = ResultFile(path)
    assert back.results == {RUN: FOUND} == file.results
    assert back.failures == {OTHER: Failure("ValueError: no")} == file.failures
    assert back.missing([RUN, OTHER]) == [OTHER]


def test_a_run_that_failed_and_then_ends_counts_once(tmp_path):
    path = tmp_path / "runs.jsonl"
    ResultFile(path).add(RUN, Failure("ValueError: no"))
    ResultFile(path).add(RUN, FOUND)
    back = ResultFile(path)
    assert back.results == {RUN: FOUND}
    assert not back.failures


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_line_cut_off_is_told_and_its_run_made_again(tmp_path, caplog, cut):
    path = tmp_path / "runs.jsonl"
    file = ResultFile(path)
    file.add(RUN, FOUND)
    file.add(OTHER, FOUND)
    path.write_bytes(path.read_bytes()[:-cut])
    if cut == 1:  # only the end of the line is missing: the result is whole
        assert ResultFile(path).missing([RUN, OTHER]) == []
        return
    back = ResultFile(path)
    assert caplog.messages == [f"Line 3 of {path} was cut off or damaged; its run is made again."]
    assert back.missing([RUN, OTHER]) == [OTHER]
    back.add(OTHER, FOUND)
    assert ResultFile(path).results == {RUN: FOUND, OTHER: FOUND}


def test_a_whole_last_line_without_its_end_is_not_glued_to_the_next(tmp_path):
    path = tmp_path / "runs.jsonl"
    ResultFile(path).add(RUN, FOUND)
    path.write_bytes(path.read_bytes()[:-1])
    ResultFile(path).add(OTHER, FOUND)
    assert ResultFile(path).results == {RUN: FOUND, OTHER: FOUND}


def test_bytes_that_are_no_text_cost_their_line_alone(tmp_path, caplog):
    path = tmp_path / "runs.jsonl"
    ResultFile(path).add(RUN, FOUND)
    with path.open("ab") as file:
        file.write(b"\xff\xfe\x00\n")
    assert ResultFile(path).results == {RUN: FOUND}
    assert len(caplog.messages) == 1


def becomes(version, monkeypatch):
    """Let frote have another version."""
    monkeypatch.setattr("frote_experiments.results.version", {"frote": version}.__getitem__)


@pytest.mark.parametrize(("name", "runs"), [("quick", 1623), ("standard", 2436), ("local", 4408), ("record", 396)])
def test_the_results_here_are_read_whatever_version_frote_has(name, runs, monkeypatch):
    becomes("99.0", monkeypatch)
    file = ResultFile(Path(__file__).parents[2] / "experiments" / name / "runs.jsonl")
    assert len(file.results) == runs
    assert file.versions == {"0.1.0.dev0"}


def test_the_version_that_made_a_run_is_written_down_with_it(tmp_path, monkeypatch):
    path = tmp_path / "runs.jsonl"
    old = {"run": RUN.settings, "result": FOUND}
    path.write_text(json.dumps({"frote": "0.1", "format": 1}) + "\n" + json.dumps(old) + "\n")
    becomes("0.2", monkeypatch)
    file = ResultFile(path)
    assert file.versions == {"0.1"}
    file.add(OTHER, FOUND)
    back = ResultFile(path)
    assert back.versions == file.versions == {"0.1", "0.2"}
    assert back.results == {RUN: FOUND, OTHER: FOUND}
    assert json.loads(path.read_text().splitlines()[2])["frote"] == "0.2"


def test_another_format_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "runs.jsonl"
    text = json.dumps({"frote": "9.1", "format": 2}) + "\n"
    path.write_text(text)
    with pytest.raises(
        ExperimentError, match=r"has format 2 \(frote 9\.1 wrote it\), and format 1 is read here\. Read"
    ):
        ResultFile(path)
    assert path.read_text() == text


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "[]\n", "{}\n", "3\n"])
def test_another_file_is_refused(tmp_path, text):
    path = tmp_path / "runs.jsonl"
    path.write_text(text)
    with pytest.raises(ExperimentError, match="is no result file"):
        ResultFile(path)


def test_an_empty_file_is_begun(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.touch()
    ResultFile(path).add(RUN, FOUND)
    assert ResultFile(path).results == {RUN: FOUND}


@pytest.mark.parametrize(
    "forged",
    [
        *(
            "[" * 100_000,
            "9" * 5000,
            "5",
            "null",
            "[]",
            '{"run": 5, "result": {}}',
            '{"run": {"data": []}, "result": {}}',
        ),
        json.dumps({"run": RUN.settings, "result": 5}),
        json.dumps({"run": {**RUN.settings, "options": [[[]]]}, "result": {}}),
        json.dumps({"run": {**RUN.settings, "data": ["car"]}, "result": {}}),
        json.dumps({"run": {**RUN.settings, "more": 1}, "result": {}}),
    ],
)
def test_a_forged_line_is_told_and_its_run_made_again(tmp_path, caplog, forged):
    path = tmp_path / "runs.jsonl"
    ResultFile(path).add(OTHER, FOUND)
    with path.open("a") as file:
        file.write(f"{forged}\n")
    assert ResultFile(path).results == {OTHER: FOUND}
    assert caplog.messages == [f"Line 3 of {path} was cut off or damaged; its run is made again."]
    path.write_text(f"{forged}\n")
    with pytest.raises(ExperimentError, match="is no result file"):
        ResultFile(path)
