from __future__ import annotations

import pytest
from sklearn.base import clone

import frote
from frote.report import gather
from frote.report.dossier import Known

SHA = "0123456789abcdef" * 4


@pytest.fixture(scope="session")
def loans():
    """The edit of the embedded story, small: data, editor, model before, result."""
    data = frote.datasets.load_loans(700)
    X, y = data.X[:500], data.y[:500]
    model = frote.default_pipeline()
    before = clone(model).fit(X, y)
    editor = frote.FROTE(model, data.rules.resolve("priority", X), max_fits=6, random_state=0)
    result = editor.fit_resample(X, y)
    test = data.X[500:].reset_index(drop=True), data.y[500:].reset_index(drop=True)
    return {"X": X, "y": y, "test": test, "editor": editor, "before": before, "result": result, "data": data}


@pytest.fixture(scope="session")
def about(loans):
    return {
        "title": "New lending policy",
        "date": "2025-01-02",
        "owner": "Credit policy",
        "approver": "Model risk",
        "effective": "2025-01-01",
        "rules": loans["data"].rules_text,
        "resolved": "priority",
        "data": {"name": "loans.csv", "sha256": "0" * 64, "rows": 500},
        "repeat": "frote replay edit.json --data loans.csv",
    }


@pytest.fixture(scope="session")
def summary(loans, about):
    return gather(
        loans["editor"],
        loans["before"],
        loans["X"],
        loans["y"],
        test=loans["test"],
        result=loans["result"],
        about=about,
    )


@pytest.fixture(scope="session")
def record():
    """What a record tells beside the report."""
    files = ("augmented.csv", "before.skops", "ledger.csv", "model.skops", "report.html", "report.json", "rules.rules")
    return {
        "edit": 4,
        "asked": {"target": "decision", "categorical": ["zip"], "numeric": [], "ignore": ["id"], "levels": {}},
        "data": {"name": "loans.csv", "sha256": SHA},
        "files": dict.fromkeys([*files, "steps/batch-0001.npz"], SHA),
        "timings": {"training": 1.25, "first_fit": 0.5},
    }


@pytest.fixture(scope="session")
def known(summary, record):
    return Known(summary, record, "edit", SHA)
