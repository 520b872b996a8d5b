"""How well probabilities can be taken at their word: before an edit, after it, and recalibrated.

``python -m frote_experiments.recalibration RESULTS`` writes a line of JSON for each model of each run, goes on where it
was stopped, and writes the table of what is there.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.base import clone

import frote
from frote.estimators.recalibration import METHODS, recalibrated
from frote_experiments.draws import LOANS, draw
from frote_experiments.lines import all_lines
from frote_experiments.models import FOREST, make_model
from frote_experiments.tables.sheets import Column, Grid, Sheet, count

__all__ = ["run_all", "sheet"]

DATA = (LOANS, "adult")
MODELS = ("LR", FOREST, "LGBM")
DRAWS = 5
ROWS = {"adult": 5_000}
MEASURES = ("calibration_error", "brier", "log_loss")
TITLE = "Probabilities before an edit, after it, and recalibrated"
ABOUT = (
    "Loans with their policy, and adult (5,000 rows) with three rules from its pool, a tenth of the covered rows in "
    "training; means over draws, on rows not trained on, outside the rules but for agreement. Runs: "
    "`recalibration.jsonl`, made by `python -m frote_experiments.recalibration "
    "experiments/evidence/recalibration.jsonl`."
)
STAGES = ("before", "after", *METHODS)


def run_all(name: str, model: str, number: int) -> list[dict[str, Any]]:
    """Edit a model on one draw, recalibrate it in each way, and measure all of them outside the rules.

    Parameters
    ----------
    name, model : str
        The data set and the model.

    number : int
        Which draw.

    Returns
    -------
    list of dict
        For each of `STAGES`.
    """
    drawn = draw(name, number, rules=3, tcf=0.1, rows=ROWS.get(name))
    X, y = (part.iloc[drawn.train].reset_index(drop=True) for part in (drawn.data.X, drawn.data.y))
    test = drawn.data.X.iloc[drawn.test], drawn.data.y.iloc[drawn.test]
    editor = frote.FROTE(make_model(model), drawn.rules, random_state=42, max_fits=30).fit(X, y)
    start = editor._last.start
    models = {"before": clone(make_model(model)).fit(X, y), "after": editor.estimator_}
    for method in METHODS:
        models[method] = recalibrated(start.loop.state, start.modified, start.loop.bench.trainer, method, 42)
    return [
        {"dataset": name, "model": model, "draw": number, "stage": stage, **_measured(one, *test, drawn.rules)}
        for stage, one in models.items()
    ]


def _measured(model: Any, X: Any, y: Any, rules: Any) -> dict[str, float]:
    report = frote.score(model, X, y, rules)
    assert report.numbers is not None
    lines = report.numbers.lines
    outside = lines[(lines["where"] == "outside") & (lines["label"] == "")].set_index("measure")["value"]
    return {"agreement": report.agreement, "f1": report.f1, **{name: float(outside[name]) for name in MEASURES}}


def sheet(runs: list[dict[str, Any]]) -> Sheet:
    """Return means over draws by data set, model and stage."""
    lines = pd.DataFrame(runs).groupby(["dataset", "model", "stage"])
    means = lines[[*MEASURES, "f1", "agreement"]].mean().join(lines.size().rename("draws"))
    order = pd.MultiIndex.from_product([DATA, MODELS, STAGES], names=means.index.names)
    columns = (
        *(Column(title, value) for title, value in (("data", "dataset"), ("model", "model"), ("stage", "stage"))),
        count("draws"),
        *(Column(name.replace("_", " "), name) for name in MEASURES),
        Column("F1 outside", "f1"),
        Column("agreement", "agreement"),
    )
    frame = means.reindex(order).dropna().reset_index()
    return Sheet("recalibration", TITLE, (ABOUT,), (Grid(frame, columns),))


def main(path: Path) -> None:
    """Make the runs that a file lacks, and write the table."""
    wanted = [(name, model, number) for number in range(DRAWS) for name in DATA for model in MODELS]
    sheet(all_lines(path, wanted, run_all)).write(path.parent / "tables")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
