"""A table, rules and an edit of it that take a fraction of a second; everything is made anew in each worker."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import frote
from campaigns.command import frote_command

__all__ = ["EDIT", "RULES", "SECONDS", "editor", "loans", "outcome", "shop"]

RULES = "young: IF age < 29 AND defaults = 0 THEN approved\nrisky: IF defaults >= 2 THEN {denied: 0.9, approved: 0.1}\n"
SECONDS = ["fit_seconds", "predict_seconds", "other_seconds"]
EDIT = ("edit", "--target", "decision", "--rules", "policy.rules", "--max-fits", "3", "--modify", "none", "--quiet")


@cache
def loans() -> tuple[Any, Any]:
    """Return sixty loan applications: three columns and the decisions."""
    data = frote.datasets.load_loans(60)
    return data.X[["age", "income", "defaults"]], data.y


@cache
def shop() -> Path:
    """Return a folder with a table, later rows, rules, and an edit with its models."""
    folder = Path("shop").absolute()
    folder.mkdir()
    data = frote.datasets.load_loans(90)
    table = data.X[["age", "income", "defaults", "channel"]].assign(decision=data.y)
    table[:60].to_csv(folder / "loans.csv", index=False)
    table[60:].to_csv(folder / "later.csv", index=False)
    (folder / "policy.rules").write_text(RULES, "utf-8")
    (folder / "conflicting.rules").write_text(data.rules_text, "utf-8")
    options = [folder / part if part == "policy.rules" else part for part in EDIT]
    said = frote_command(*options, "--data", folder / "loans.csv", "--out", folder / "edit")
    if said.code:
        raise RuntimeError(said.err)
    return folder


def editor(**given: Any) -> frote.FROTE:
    """Return an editor that accepts some batches and rejects some."""
    base = {
        "random_state": 0,
        "k": 3,
        "max_fits": 10,
        "oversample": 2.0,
        "modify": "none",
        "batch_size": 6,
        "patience": 6,
    }
    return frote.FROTE(DecisionTreeClassifier(max_depth=4), RULES, **{**base, **given})


def outcome(editor: Any, X: Any, y: Any) -> dict[str, Any]:
    """Run an editor and return all that must not depend on how it was run, as texts."""
    X_new, y_new = editor.fit_resample(X, y)
    return {
        "X": [[*map(repr, X_new[name].tolist())] for name in X_new],
        "y": [*map(repr, np.asarray(y_new).tolist())],
        "history": editor.history_.drop(columns=SECONDS).to_csv(),
        "ledger": editor.ledger_.to_csv(),
        "fits": editor.n_fits_,
        "predicted": [*map(str, editor.estimator_.predict(X_new))],
    }
