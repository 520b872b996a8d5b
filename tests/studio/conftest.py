from __future__ import annotations

import time

import pytest

import frote
from frote.studio.runs import Runs
from frote.studio.workspace import Workspace

RULES = "# policy\nyoung: IF age < 29 AND defaults = 0 THEN approved\nrisky: IF defaults >= 3 THEN denied\n"


@pytest.fixture(scope="session")
def loans_csv(tmp_path_factory):
    """A small table of loan applications."""
    path = tmp_path_factory.mktemp("tables") / "loans.csv"
    loans = frote.datasets.load_loans(300)
    loans.X.assign(decision=loans.y).to_csv(path, index=False)
    return path


def furnished(folder, loans_csv, **settings):
    """Open a workspace with the table and the rules."""
    workspace = Workspace.open(folder, policy=RULES, target="decision", who="policy team", **settings)
    workspace.change(data=workspace.tables.take(loans_csv))
    return workspace


@pytest.fixture
def workspace(tmp_path, loans_csv):
    with furnished(tmp_path / "w", loans_csv) as opened:
        yield opened


@pytest.fixture
def runs(workspace):
    opened = Runs(workspace)
    yield opened
    opened.close()


def waited(runs, name, until=lambda run: not run.live):
    """Wait until an edit is as far as that, and return it; a minute is for machines that are busy."""
    for _ in range(6000):
        run = runs.run(name)
        if until(run):
            return run
        time.sleep(0.01)
    raise AssertionError(runs.run(name).events)
