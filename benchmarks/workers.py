"""Two workers against one, on a run in which most batches are rejected.

The target is 1.7 x with the same bytes. The first fit, which is one worker's in both, is part of the time; the start of
the workers, which stay for later runs, is not. The ratio needs two cores that nobody else uses. The last column says
how many steps were under way at a time, on average: what it lacks of 2 is waiting, and batches that were thrown away.
Needs wine (FROTE_DATA).
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import frote
from frote_experiments.draws import draw
from frote_experiments.models import make_model
from results import keep

FITS = 40
REPEATS = 5
TITLE = "Two workers against one, in seconds"
HEADS = (
    ("accepted of batches", "accepted", "", ""),
    ("one", "one", "", ".1f"),
    ("two", "two", "", ".1f"),
    ("ratio", "ratio", "", ".2f"),
    ("at a time", "busy", "", ".2f"),
)


def edit(X: Any, y: Any, rules: Any, n_jobs: int, fits: int) -> tuple[float, frote.FROTE]:
    """Return the seconds that a run takes, and its editor."""
    editor = frote.FROTE.as_published(
        make_model("RF"), rules, batch_size=50, max_fits=fits, random_state=0, n_jobs=n_jobs
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        editor.fit(X, y)
    return time.perf_counter() - start, editor


def under_way(seconds: float, editor: frote.FROTE) -> float:
    """Return how many steps of a run were under way at a time, on average."""
    spent = editor.history_[["fit_seconds", "predict_seconds", "other_seconds"]].to_numpy()
    return float(spent.sum()) / seconds


def main() -> None:
    # Where most of the covered rows are in training, forests keep to the rules after relabelling.
    chosen = draw("wine_quality_white", 0, rules=3, tcf=0.8)
    X, y = chosen.data.X.iloc[chosen.train], chosen.data.y.iloc[chosen.train]
    edit(X, y, chosen.rules, 2, 2)  # starts the workers
    lines = []
    for _ in range(REPEATS):
        (one, alone), (two, together) = (edit(X, y, chosen.rules, n_jobs, FITS) for n_jobs in (1, 2))
        assert alone.ledger_.equals(together.ledger_)
        steps = alone.history_.iloc[1:]
        accepted = f"{steps['accepted'].sum()} of {len(steps)}"
        busy = under_way(two, together)
        lines.append({"accepted": accepted, "one": one, "two": two, "ratio": one / two, "busy": busy})
    keep("workers", TITLE, HEADS, lines, repeats=REPEATS, fits=FITS)


if __name__ == "__main__":
    main()
