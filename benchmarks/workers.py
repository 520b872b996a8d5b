"""Two workers against one, on a run in which most batches are rejected.

The target is 1.7 x with the same bytes. Needs adult (FROTE_DATA) and two cores that nobody else uses.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "experiments"))

import frote
from draws import draw
from models import make_model


def edit(X: Any, y: Any, rules: Any, n_jobs: int, fits: int) -> tuple[float, frote.FROTE]:
    """Return the seconds that a run takes, and its editor."""
    # Where a fifth of the covered rows is in training, LightGBM has learned the rules after relabelling.
    editor = frote.FROTE.as_published(
        make_model("LGBM"), rules, batch_size=200, max_fits=fits, random_state=0, n_jobs=n_jobs
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        editor.fit(X, y)
    return time.perf_counter() - start, editor


def main() -> None:
    chosen = draw("adult", 0, rules=3, tcf=0.2)
    X, y = chosen.data.X.iloc[chosen.train], chosen.data.y.iloc[chosen.train]
    edit(X, y, chosen.rules, 2, 2)  # starts the workers, which stay for later runs
    print("workers  seconds  accepted of batches   ratio")
    alone, ledger = 0.0, None
    for n_jobs in (1, 2):
        seconds, editor = edit(X, y, chosen.rules, n_jobs, 40)
        steps = editor.history_.iloc[1:]
        alone = alone or seconds
        assert ledger is None or ledger.equals(editor.ledger_)
        ledger = editor.ledger_
        accepted = f"{steps['accepted'].sum()} of {len(steps)}"
        print(f"{n_jobs:>7}{seconds:>9.1f}{accepted:>21}{alone / seconds:>7.2f}x", flush=True)


if __name__ == "__main__":
    main()
