"""Edits with rules that compare columns with one another: whether unseen rows follow, and what was made for them.

``python -m frote_experiments.linear RESULTS`` writes a line of JSON for each stage of each run, goes on where it was
stopped, and writes the table of what is there.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

import frote
from frote.datasets import load_loans
from frote_experiments.draws import LOANS
from frote_experiments.lines import all_lines
from frote_experiments.models import PAPER_MODELS, make_model
from frote_experiments.tables.sheets import Column, Grid, Sheet, count

__all__ = ["run_all", "sheet"]

CREDIT = "credit"
DATA = (LOANS, CREDIT)
DRAWS = 10
ROWS = 2_000
SHARES = (0.0, 0.2)  # of the covered rows, in training
TITLE = "Rules that compare columns with one another"
ABOUT = (
    "Two such rules on 2,000 loans, and two on 2,000 rows like German credit with dates and gaps, ten draws of each; "
    "half of the rows that no rule covers in training, and none or a fifth of those that one does. Means over "
    "draws with their standard errors, on rows not trained on: agreement where the rules apply, F1 elsewhere. *held*: "
    "of the rows that were made, those that satisfy the rule that they were made for. Runs: `linear.jsonl`, made by "
    "`python -m frote_experiments.linear experiments/evidence/linear.jsonl`."
)
RULES = {
    LOANS: """
        too much: IF amount > 0.9 * income AND income > 0 AND purpose != home THEN denied
        long employed: IF employment_years >= 0.5 * age - 10 AND amount <= 0.25 * income AND income > 0
          AND defaults <= 1 THEN approved
    """,
    CREDIT: """
        burden: IF instalments > 0.2 * income AND applied - since <= 2000 days THEN bad
        slack: IF amount <= 2 * income - 6 * instalments AND duration <= 24 AND NOT (instalments > 0.2 * income)
          THEN good
    """,
}


def credit(n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """Return rows like those of German credit, with whole numbers, floats, gaps, texts and dates."""
    X = pd.DataFrame(
        {
            "duration": rng.integers(4, 60, n),
            "amount": np.round(rng.lognormal(7.8, 0.7, n)).astype(int),
            "income": np.round(rng.lognormal(7.6, 0.4, n)),
            "instalments": rng.integers(0, 600, n),
            "housing": rng.choice(["own", "rent", "free"], n),
            "since": pd.Timestamp("2010-01-01") + pd.to_timedelta(rng.integers(0, 4_000, n), unit="D"),
            "applied": pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
        }
    )
    X.loc[rng.random(n) < 0.05, "income"] = np.nan
    return X, pd.Series(np.where(X["amount"] / X["duration"] + rng.normal(0, 60, n) > 180, "bad", "good"))


def run_all(name: str, model: str, number: int) -> list[dict[str, Any]]:
    """Edit a model on one draw, and measure it before and after.

    Parameters
    ----------
    name, model : str
        The data set and the model.

    number : int
        Which draw.

    Returns
    -------
    list of dict
        For each share of covered rows in training, before and after.
    """
    rng = np.random.default_rng([number, 21])
    if name == LOANS:
        made = load_loans(ROWS, random_state=number)
        X, y = made.X, made.y
    else:
        X, y = credit(ROWS, rng)
    rules = frote.parse_rules(RULES[name])
    covered = rules.coverage(X).any(axis=1)
    inside, beyond = (rng.permutation(np.flatnonzero(mask)) for mask in (covered, ~covered))
    runs = []
    for share in SHARES:
        train = np.sort(np.concatenate([inside[: round(share * len(inside))], beyond[: len(beyond) // 2]]))
        test = np.setdiff1d(np.arange(len(X)), train)
        X_train, y_train = (part.iloc[train].reset_index(drop=True) for part in (X, y))
        editor = frote.FROTE(make_model(model), rules, random_state=42, max_fits=30)
        rows, _ = editor.fit_resample(X_train, y_train)
        models = {"before": clone(make_model(model)).fit(X_train, y_train), "after": editor.estimator_}
        for stage, one in models.items():
            score = frote.score(one, X.iloc[test], y.iloc[test], rules)
            key = {"dataset": name, "model": model, "draw": number, "share": share, "stage": stage}
            added = _held(editor, rows, rules) if stage == "after" else {}
            runs.append({**key, "agreement": score.agreement, "f1": score.f1, **added})
    return runs


def _held(editor: frote.FROTE, rows: pd.DataFrame, rules: frote.RuleSet) -> dict[str, int]:
    """Count the rows that were made, and those of them that satisfy the rule that they were made for."""
    made = editor.ledger_[editor.ledger_["status"] == "synthetic"]
    covered = rules.coverage(rows.iloc[made["row"]])
    own = made["rule"].to_numpy()[:, None] == np.array(rules.origins)
    return {"made": len(made), "held": int((covered & own).sum())}


def sheet(runs: list[dict[str, Any]]) -> Sheet:
    """Put runs together by data set, model and share of covered rows."""
    lines = pd.DataFrame(runs)
    keys = ["dataset", "model", "share"]
    stages = {stage: lines[lines["stage"] == stage].groupby(keys) for stage in ("before", "after")}
    parts = {
        f"{stage}_{measure}{spread}": getattr(group[measure], how)()
        for stage, group in stages.items()
        for measure in ("agreement", "f1")
        for spread, how in (("", "mean"), ("_error", "sem"))
    }
    after = stages["after"]
    frame = pd.DataFrame({**parts, "draws": after.size(), "made": after["made"].sum(), "held": after["held"].sum()})
    order = pd.MultiIndex.from_product([DATA, PAPER_MODELS, SHARES], names=keys)
    columns = (
        *(Column(title, value) for title, value in (("data", "dataset"), ("model", "model"))),
        Column("covered rows", "share", form=".0%"),
        count("draws"),
        Column("agreement before", "before_agreement", "before_agreement_error"),
        Column("agreement after", "after_agreement", "after_agreement_error"),
        Column("F1 before", "before_f1", "before_f1_error"),
        Column("F1 after", "after_f1", "after_f1_error"),
        *map(count, ("made", "held")),
    )
    frame = frame.reindex(order).dropna(subset="draws").reset_index()
    return Sheet("linear", TITLE, (ABOUT,), (Grid(frame, columns),))


def main(path: Path) -> None:
    """Make the runs that a file lacks, and write the table."""
    wanted = [(name, model, number) for number in range(DRAWS) for name in DATA for model in PAPER_MODELS]
    sheet(all_lines(path, wanted, run_all)).write(path.parent / "tables")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
