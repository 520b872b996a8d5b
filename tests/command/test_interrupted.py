"""A killed edit leaves no folder, and goes on to the same bytes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from frote.loop import checkpoint

FROTE = str(Path(sys.executable).with_name("frote"))
SLOW = """
import os, time
from sklearn.linear_model import LogisticRegression
import frote

class Slow(LogisticRegression):
    def fit(self, X, y):
        time.sleep(float(os.environ.get("TAKES", 0)))
        return super().fit(X, y)

def make():
    return frote.default_pipeline(Slow(max_iter=500))
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 1)])
def test_an_edit_that_is_cut_off_leaves_no_folder_and_goes_on_to_the_same_bytes(loans, tmp_path, call, sent, code):
    for name in ("loans.csv", "clean.rules"):
        shutil.copy(loans / name, tmp_path / name)
    (tmp_path / "slow.py").write_text(SLOW)
    given = ["edit", "--data", "loans.csv", "--target", "decision", "--rules", "clean.rules", "--quiet"]
    given += ["--model", "slow:make", "--as-published", "--max-fits", "12"]
    call(*given, "--out", "whole", cwd=tmp_path)
    slowly = {**os.environ, "TAKES": "0.3"}
    command = [FROTE, *given, "--out", "cut"]
    process = subprocess.Popen(command, cwd=tmp_path, env=slowly, stderr=subprocess.PIPE, text=True)
    steps = tmp_path / ".cut.frote" / "checkpoint"
    for _ in range(600):
        if steps.exists() and any(steps.iterdir()):
            break
        time.sleep(0.1)
    time.sleep(0.7)  # in the middle of some step
    process.send_signal(sent)
    told = process.communicate(timeout=300)[1]
    assert process.returncode == code
    if sent == signal.SIGINT:
        assert told == "Error: Stopped; nothing was written. The same command with --resume goes on.\n"
    assert not (tmp_path / "cut").exists()
    assert any(steps.iterdir())
    call(*given, "--out", "cut", "--resume", cwd=tmp_path)
    for name in ("augmented.csv", "ledger.csv", "rules.rules"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not (tmp_path / ".cut.frote").exists()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), MemoryError()])
def test_what_was_trained_is_kept_whatever_ends_the_training(loans, tmp_path, call, monkeypatch, error):
    given = ["edit", "--data", loans / "loans.csv", "--target", "decision", "--rules", loans / "clean.rules"]
    given += ["--max-fits", "6", "--quiet", "--out"]
    call(*given, "whole", cwd=tmp_path)
    written, fsync = [], checkpoint.os.fsync

    def fails(file):
        written.append(file)
        if len(written) == 5:
            raise error
        fsync(file)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.os, "fsync", fails)
        try:
            told = call(*given, "cut", cwd=tmp_path, code=2).output
        except MemoryError:  # nothing that has a sentence
            pass
        else:
            assert "cannot be written: No space left on device" in told
            assert "What was trained is kept: the same command with --resume goes on from there.\n" in told
    held = json.loads((tmp_path / ".cut.frote/checkpoint/run.json").read_text())
    assert json.loads(held["run"])["steps"]
    call(*given, "cut", "--resume", cwd=tmp_path)
    for name in ("augmented.csv", "ledger.csv", "rules.rules"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


FULL = """
from sklearn.dummy import DummyClassifier

class Full(DummyClassifier):
    def fit(self, X, y):
        if len(X) > 300:
            raise MemoryError("no more\\nthan 300 rows")
        return super().fit(X, y)
"""


def test_a_model_that_no_batch_can_be_given_to_is_told_of_in_a_sentence(call, loans, tmp_path):
    (tmp_path / "full.py").write_text(FULL)
    given = ("--data", loans / "loans.csv", "--target", "decision", "--rules", loans / "clean.rules", "--max-fits", "2")
    done = call("edit", *given, "--model", "full:Full", "--out", "edit", "--quiet", cwd=tmp_path, code=2)
    told = done.stderr.strip().splitlines()[-1]
    assert (
        told == "Error: The model cannot be trained on the data with synthetic rows: MemoryError: no more than 300 rows"
    )
    assert not (tmp_path / "edit").exists()
