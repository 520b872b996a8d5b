"""The smallest preset from nothing to tables and figures, and again, by workers, after a quarter of it is lost."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from tests.in_process import invoke

from frote_experiments.command import experiments
from frote_experiments.definitions import all_runs
from frote_experiments.figures import FIGURES
from frote_experiments.presets import preset
from frote_experiments.tables import SHEETS


def tables(folder):
    return {path.name: path.read_bytes() for path in (folder / "tables").iterdir() if path.stem != "seconds"}


@pytest.mark.usefixtures("data_folder")
def test_smoke(tmp_path):
    wanted = len(all_runs(preset("smoke")))
    end = f"{wanted} of {wanted} runs are in {tmp_path / 'runs.jsonl'}; 0 failed.\n"
    assert invoke(experiments, "run", "smoke", "--folder", tmp_path, "--quiet").stdout == end
    invoke(experiments, "tables", "smoke", "--folder", tmp_path)
    before = tables(tmp_path)
    assert {f"{name}.md" for name in SHEETS} - {"seconds.md"} <= set(before)
    assert all(
        preset("smoke").said in before[f"{name}.md"].decode() for name in SHEETS if name not in ("datasets", "seconds")
    )

    head, *lines = (tmp_path / "runs.jsonl").read_text("utf-8").splitlines(keepends=True)
    kept = random.Random(0).sample(lines, len(lines) * 3 // 4)
    (tmp_path / "runs.jsonl").write_text(head + "".join(kept)[:-5], "utf-8")  # the last line is cut off
    command = [sys.executable, "-m", "frote_experiments", "run", "smoke", "--folder", tmp_path, "--n-jobs", "2"]
    done = subprocess.run([*command, "--quiet"], capture_output=True, text=True, timeout=800, check=False)
    assert (done.returncode, done.stdout) == (0, end), done.stderr
    assert "was cut off or damaged; its run is made again." in done.stderr
    invoke(experiments, "tables", "smoke", "--folder", tmp_path)
    assert tables(tmp_path) == before

    invoke(experiments, "figures", "smoke", "--folder", tmp_path)
    drawn = {path.name for path in (tmp_path / "figures").iterdir()}
    assert drawn == {f"{name}.{kind}" for name in FIGURES for kind in ("svg", "png")}


def test_bad_input_is_told_in_one_sentence(tmp_path):
    assert (
        invoke(experiments, "run", "fast", code=2).stderr
        == "Error: No preset 'fast'. Known: 'smoke', 'quick', 'standard', 'local', 'record', 'paper'.\n"
    )
    assert (
        "No experiment 'overlays'. Did you mean 'overlay'?"
        in invoke(experiments, "run", "smoke", "--only", "overlays", code=2).stderr
    )
    assert invoke(experiments, "tables", "quick", "--folder", tmp_path, code=2).stderr == (
        f"Error: There are no results at {tmp_path / 'runs.jsonl'}. Make them with: run quick\n"
    )
    (tmp_path / "runs.jsonl").write_text('{"frote": "9.1", "format": 2}\n')
    told = invoke(experiments, "tables", "quick", "--folder", tmp_path, code=2).stderr
    assert told.startswith(f"Error: {tmp_path / 'runs.jsonl'} has format 2 (frote 9.1 wrote it), and ")
