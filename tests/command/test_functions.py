"""Functions that make models are run if a person names them, and not because a file does."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

MAKE = """
from pathlib import Path
from sklearn.linear_model import LogisticRegression
import frote
def make(**params):
    Path(__file__).with_name("canary").write_text("run")
    return frote.default_pipeline(LogisticRegression(**params))
"""
GIVEN = ("--data", "loans.csv", "--target", "decision", "--rules", "clean.rules")


@pytest.fixture
def folder(loans, tmp_path, monkeypatch):
    """A folder that someone gave us."""
    for name in ("loans.csv", "clean.rules"):
        shutil.copy(loans / name, tmp_path / name)
    (tmp_path / "theirs.py").write_text(MAKE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "theirs", raising=False)
    return tmp_path


@pytest.mark.parametrize("command", ["explain", "preview", "edit"])
@pytest.mark.parametrize("where", ["frote.toml", "other.toml"])
def test_a_function_in_a_file_of_settings(call, folder, command, where):
    (folder / where).write_text(f'[{command}]\nmodel = "theirs:make"\n')
    first = () if where == "frote.toml" else ("--settings", where)
    given = GIVEN[:4] if command == "explain" else GIVEN
    more = ("--out", "out", "--max-fits", 1) if command == "edit" else ()
    done = call(*first, command, *given, *more, cwd=folder, code=2)
    assert "names a function to be run, 'theirs:make'" in done.stderr
    assert "add: --trust-model theirs:make" in done.stderr
    call(*first, command, *given, *more, "--trust-model", "theirs:other", cwd=folder, code=2)
    assert not (folder / "canary").exists()
    call(*first, command, *given, *more, "--trust-model", "theirs:make", cwd=folder)
    assert (folder / "canary").exists()


def test_a_function_in_a_record(call, folder):
    call("edit", *GIVEN, "--max-fits", 1, "--out", "edit", "--quiet", cwd=folder)
    record = json.loads((folder / "edit" / "edit.json").read_text())
    record["asked"]["model"] = "theirs:make"
    (folder / "edit.json").write_text(json.dumps(record))
    given = ("replay", "edit.json", "--data", "loans.csv")
    done = call(*given, cwd=folder, code=2)
    assert done.stderr.startswith("Error: edit.json names a function to be run, 'theirs:make'.")
    call(*given, "--trust-model", "theirs:make:more", cwd=folder, code=2)
    assert not (folder / "canary").exists()
    call(*given, "--trust-model", "theirs:make", cwd=folder, code=1)  # it is another model
    assert (folder / "canary").exists()


def test_what_is_typed_is_run_and_the_report_says_how_to_repeat_it(call, folder):
    call("edit", *GIVEN, "--max-fits", 1, "--out", "edit", "--model", "theirs:make", cwd=folder)
    repeat = "replay edit/edit.json --data loans.csv --trust-model theirs:make"
    assert f"frote {repeat}" in (folder / "edit" / "report.json").read_text()
    call(*repeat.split(), cwd=folder)


@pytest.mark.parametrize("name", ["trust", "trust-model", "trust_model"])
@pytest.mark.parametrize("table", ["", "[explain]\n"])
def test_no_file_says_what_to_trust(call, folder, name, table):
    (folder / "frote.toml").write_text(f'{table}{name} = "theirs:make"\n')
    done = call("explain", *GIVEN[:4], cwd=folder, code=2)
    assert "from the command line only, so that no file says what to trust." in done.stderr


def test_a_file_of_settings_that_lies_there_is_told_of(call, folder):
    (folder / "frote.toml").write_text("seed = 1\n")
    done = call("edit", *GIVEN, "--max-fits", 0, "--out", "edit", "--quiet", cwd=folder)
    assert done.stderr == "Options that are not given are taken from frote.toml, which lies here.\n"
    assert done.stdout == ""


def test_a_folder_does_not_stand_in_for_libraries(call, folder):
    (folder / "colorsys.py").write_text("raise SystemExit('shadowed')")
    (folder / "theirs.py").write_text(MAKE + "\nimport colorsys\n")
    sys.modules.pop("colorsys", None)
    call("explain", *GIVEN[:4], "--model", "theirs:make", cwd=folder)
