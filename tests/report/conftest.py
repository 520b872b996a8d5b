from __future__ import annotations

import pytest
from sklearn.base import clone

import frote
from frote.report import gather


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
