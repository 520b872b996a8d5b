from __future__ import annotations

import pytest

import frote
from frote.edits.order import Order
from frote.edits.run_options import RunOptions
from frote.edits.running import run
from frote.edits.tables import read_tables
from frote.rules.written import WrittenRules

RULES = "# policy\nyoung: IF age < 29 AND defaults = 0 THEN approved\nrisky: IF defaults >= 3 THEN denied\n"


@pytest.fixture(scope="session")
def order():
    """What a small edit is asked to do."""
    return Order(
        target="decision",
        rules=WrittenRules(RULES),
        model="logistic",
        settings={"max_fits": 2},
        about={"owner": "Credit policy"},
    )


@pytest.fixture(scope="session")
def tables(tmp_path_factory, order):
    """Its table to train on, and the one to judge on."""
    folder = tmp_path_factory.mktemp("tables")
    loans = frote.datasets.load_loans(300)
    rows = loans.X.assign(decision=loans.y)
    paths = folder / "loans.csv", folder / "later.csv"
    for path, part in zip(paths, (rows[:220], rows[220:]), strict=True):
        part.to_csv(path, index=False)
    return read_tables(order, *paths)


@pytest.fixture(scope="session")
def edited(order, tables, tmp_path_factory):
    """The folder of the edit, and its record."""
    folder = tmp_path_factory.mktemp("edit")
    return folder, run(order, *tables, folder, RunOptions(), "")
