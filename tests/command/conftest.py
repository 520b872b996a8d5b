from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.in_process import invoke

import frote
from frote.command.main import main

FROTE = str(Path(sys.executable).with_name("frote"))


@pytest.fixture(scope="session")
def run():
    """A function that runs the installed command."""

    def call(*arguments, cwd, code=0, **more):
        done = subprocess.run(
            [FROTE, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=600, check=False, **more
        )
        assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return call


@pytest.fixture
def call(monkeypatch):
    """A function that runs the command in this process."""

    def call_in(*arguments, cwd, code=0):
        monkeypatch.chdir(cwd)
        return invoke(main, *arguments, code=code)

    return call_in


@pytest.fixture(scope="session")
def loans(tmp_path_factory):
    """A folder with loan applications, later ones, and rules without conflict."""
    folder = tmp_path_factory.mktemp("loans")
    data = frote.datasets.load_loans(400)
    table = data.X.assign(decision=data.y)
    table[:300].to_csv(folder / "loans.csv", index=False)
    table[300:].to_csv(folder / "later.csv", index=False)
    (folder / "policy.rules").write_text(data.rules_text)
    (folder / "clean.rules").write_text(
        "young: IF age < 29 AND defaults = 0 THEN approved\nrisky: IF defaults >= 3 THEN denied\n"
    )
    return folder


@pytest.fixture(scope="session")
def edited(loans, run):
    """The same folder, with the result of an edit in it, and what was printed."""
    done = run(
        *("edit", "--data", "loans.csv", "--target", "decision", "--rules", "clean.rules", "--test", "later.csv"),
        *("--out", "edit", "--owner", "Credit policy", "--effective", "2026-01-01", "--max-fits", "4"),
        cwd=loans,
    )
    return loans, done
