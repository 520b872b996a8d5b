"""A killed edit leaves no folder, and goes on to the same bytes."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

FROTE = str(Path(sys.executable).with_name("frote"))
SLOW = """
import time
from sklearn.linear_model import LogisticRegression
import frote

class Slow(LogisticRegression):
    def fit(self, X, y):
        time.sleep(0.3)
        return super().fit(X, y)

def make():
    return frote.default_pipeline(Slow(max_iter=500))
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 1)])
def test_an_edit_that_is_cut_off_leaves_no_folder_and_goes_on_to_the_same_bytes(loans, tmp_path, run, sent, code):
    for name in ("loans.csv", "clean.rules"):
        shutil.copy(loans / name, tmp_path / name)
    (tmp_path / "slow.py").write_text(SLOW)
    given = ["edit", "--data", "loans.csv", "--target", "decision", "--rules", "clean.rules", "--quiet"]
    given += ["--model", "slow:make", "--as-published", "--max-fits", "12"]
    run(*given, "--out", "whole", cwd=tmp_path)
    process = subprocess.Popen([FROTE, *given, "--out", "cut"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    steps = tmp_path / ".cut.frote" / "checkpoint"
    for _ in range(600):
        if steps.exists() and any(steps.iterdir()):
            break
        time.sleep(0.1)
    time.sleep(1.0)  # in the middle of some step
    process.send_signal(sent)
    told = process.communicate(timeout=300)[1]
    assert process.returncode == code
    if sent == signal.SIGINT:
        assert told == "Error: Stopped; nothing was written. The same command with --resume goes on.\n"
    assert not (tmp_path / "cut").exists()
    assert any(steps.iterdir())
    run(*given, "--out", "cut", "--resume", cwd=tmp_path)
    for name in ("augmented.csv", "ledger.csv", "rules.rules"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not (tmp_path / ".cut.frote").exists()
