"""Mutants are what they say, a good test kills one and a weak one does not, and the page is of the results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from campaigns.mutants.mutants import mutants
from campaigns.mutants.results import PAGE, page

ROOT = Path(__file__).parents[2]

SMALL = '''
LIMIT = 3

class Small:
    def below(self, number: int, least: int = 5) -> bool:
        """Say whether it is below 7."""
        if number < 0:
            raise ValueError(f"{number + 1} is below 0")
        return number < LIMIT and not number == 1
'''

TESTS = """
import pytest
from small import Small

def test_good():
    assert [Small().below(number) for number in range(5)] == [True, False, True, False, False]
    assert not Small().below(3)
    with pytest.raises(ValueError):
        Small().below(-1)

def test_weak():
    Small().below(2)
"""

TRY = """
import json, sys
from pathlib import Path
from campaigns.mutants.mutants import mutants
from campaigns.mutants.tests import Reached, Session, collected

folder = Path(sys.argv[1])
path = folder / "small.py"

def run(items):
    reached = Reached.measured(items, folder / "reached.json", str(folder))
    session = Session(items)
    for mutant in mutants(path.read_text("utf-8")):
        tests = reached.of(str(path), mutant.function, 60)
        told = {test: session.killer(str(path), mutant.code(str(path)), {test: 1.0})[0] for test in tests}
        print(json.dumps([mutant.name, told]), flush=True)

collected([str(folder)], folder, run)
"""


def test_faults_are_in_what_functions_do():
    found = mutants(SMALL)
    assert [one.name.removeprefix("Small.below: ") for one in found] == [
        "number < 0 -> number <= 0",
        "0 -> 1",
        "0 -> -1",
        "return number < LIMIT and (not number == 1) -> return None",
        "number < LIMIT and (not number == 1) -> number < LIMIT or not number == 1",
        "number < LIMIT -> number <= LIMIT",
        "not number == 1 -> number == 1",
        "number == 1 -> number != 1",
        "1 -> 2",
        "1 -> 0",
    ]
    assert {one.function for one in found} == {"Small.below"}
    assert len({one.code("small.py") for one in found}) == len(found)


def test_a_good_test_kills_what_a_weak_one_lets_live(tmp_path):
    (tmp_path / "small.py").write_text(SMALL, "utf-8")
    (tmp_path / "test_small.py").write_text(TESTS, "utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-c", TRY, str(tmp_path)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )
    found = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    assert len(found) == 10
    for name, told in found.items():
        assert told["test_small.py::test_good"] == "killed", name
        assert told["test_small.py::test_weak"] == "survived", name


def test_the_page_is_of_the_results_that_are_there():
    assert PAGE.read_text("utf-8") == page()
