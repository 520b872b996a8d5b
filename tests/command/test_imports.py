"""What a command imports, seen in a process of its own: nothing that takes seconds and is not used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

RUN = """
import json, sys
from frote.command.main import main
for line in json.loads(sys.argv[1]):
    main(line.split(), standalone_mode=False)
sys.stderr.write(json.dumps(sorted(sys.modules)))
"""
LOOKING = [
    "check --rules clean.rules --data loans.csv --target decision",
    "check --rules clean.rules --data loans.csv --json",
    "resolve --rules policy.rules --how exclude --data loans.csv --target decision",
    "resolve --rules policy.rules --how priority",
]
EDITING = ["edit --rules clean.rules --data loans.csv --target decision --max-fits 1 --quiet --out {}"]


@pytest.mark.parametrize(
    ("lines", "unneeded"),
    [
        (LOOKING, {"sklearn", "scipy", "matplotlib", "skops", "pytest"}),
        (EDITING, {"matplotlib", "pytest", "_pytest"}),
    ],
    ids=["looking", "editing"],
)
def test_nothing_heavy_is_imported_in_vain(loans, tmp_path, lines, unneeded):
    given = json.dumps([line.format(tmp_path / "edit") for line in lines])
    done = subprocess.run(
        [sys.executable, "-c", RUN, given], cwd=loans, capture_output=True, text=True, timeout=600, check=True
    )
    assert not unneeded & set(json.loads(done.stderr.splitlines()[-1]))
    assert (lines is EDITING) == (tmp_path / "edit" / "model.skops").is_file()
