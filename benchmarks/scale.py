"""Processor time and memory of an edit in memory, from 100,000 to 10,000,000 rows, with a model that costs nothing.

Targets: our own time grows with an exponent of 1.1 at most between 1 and 10 million rows, and the most memory above
that of the data is 1.5 x the data and 500 MB. Every size runs in a process of its own; its memory is the peak that the
system saw (Linux alone tells it), less what the process had once the data were made.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

import frote
from results import keep

SIZES = (100_000, 1_000_000, 3_000_000, 10_000_000)
MEGABYTE = 10**6
TIMES, FIXED = 1.5, 500  # the memory allowed above the data: so many times theirs, and so many megabytes
RULES = """
    young: IF age < 30 AND income > 60K AND purpose IN {car, education} THEN 1
    indebted: IF debt > 1.5 AND age >= 30 AND score < -0.5 THEN 0
    settled: IF years >= 30 AND owner = True AND region = north AND debt <= 1.5 THEN 1
"""
TITLE = "An edit with a model that costs nothing: seconds of the processor that are ours, and memory above the data"
HEADS = (
    ("rows", "rows", "", ",.0f"),
    ("data, MB", "data", "", ",.0f"),
    ("own seconds", "own", "", ".1f"),
    ("exponent", "exponent", "", ".2f"),
    ("fits", "fits", "", ".0f"),
    ("rows added", "added", "", ",.0f"),
    ("memory, MB", "memory", "", ",.0f"),
    ("allowed, MB", "allowed", "", ",.0f"),
)


class Free(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns the more of the rules the more rows it is given, and does nothing for it."""

    seconds = 0.0  # of the processor, of all that were ever made

    def fit(self, X: pd.DataFrame, y: pd.Series[Any]) -> Free:  # noqa: ARG002
        self.classes_ = np.array([0, 1])
        self.rows_ = len(X)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        start = time.process_time()
        ages = X["age"].to_numpy()
        said = (ages < 18 + min(12, self.rows_ % 100_000 // 5000)).view(np.int8)
        Free.seconds += time.process_time() - start
        return said


def some_of(levels: list[str], rows: int, rng: np.random.Generator) -> pd.Categorical[str]:
    """Return so many of some levels by chance."""
    return pd.Categorical.from_codes(rng.integers(0, len(levels), rows, np.int8).astype(np.intp), pd.Index(levels))


def data_of(rows: int) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return an application for each row: four numbers, two whole ones, a truth value and four categories."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "income": rng.gamma(3.0, 15_000.0, rows).round(2),
            "age": rng.integers(18, 80, rows),
            "purpose": some_of(["boat", "car", "education", "home"], rows, rng),
            "debt": rng.exponential(1.0, rows),
            "score": rng.normal(size=rows),
            "years": rng.integers(0, 45, rows),
            "region": some_of(["north", "east", "south", "west"], rows, rng),
            "owner": rng.integers(0, 2, rows, np.int8).view(bool),
            "limit": rng.gamma(2.0, 5_000.0, rows),
            "branch": some_of([f"b{one}" for one in range(100)], rows, rng),
            "channel": some_of(["online", "branch", "broker"], rows, rng),
        }
    )
    return X, pd.Series((X["debt"].to_numpy() < 0.7).astype(np.int64), name="approved")


def in_use(what: str) -> float:
    """Return memory of this process as the system counts it, in megabytes: VmRSS, or VmHWM for the most so far."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 / MEGABYTE for line in lines if line.startswith(what))


def one(rows: int) -> dict[str, Any]:
    """Edit so many rows in this process."""
    small = data_of(1000)
    frote.FROTE(Free(), RULES, max_fits=1, random_state=0).fit_resample(*small)  # all that is imported late
    X, y = data_of(rows)
    data = (X.memory_usage(index=False).sum() + y.memory_usage(index=False)) / MEGABYTE
    Path("/proc/self/clear_refs").write_text("5", "utf-8")  # the peak is counted anew
    before, start = in_use("VmRSS"), time.process_time()
    Free.seconds = 0.0
    editor = frote.FROTE(Free(), RULES, random_state=0)
    X_new, y_new = editor.fit_resample(X, y)
    own = time.process_time() - start - Free.seconds
    assert len(X_new) == len(y_new)
    added = len(X_new) - rows
    memory = in_use("VmHWM") - before
    return {"rows": rows, "data": data, "own": own, "fits": editor.n_fits_, "added": added, "memory": memory}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES)
    parser.add_argument("--one", type=int, help="edit so many rows, and print what it took")
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one(asked.one)))
        return
    lines: list[dict[str, Any]] = []
    for rows in asked.rows:
        done = subprocess.run(
            [sys.executable, __file__, "--one", str(rows)], check=True, capture_output=True, text=True
        )
        line = json.loads(done.stdout)
        before = lines[-1] if lines else None
        grown = None if before is None else math.log(line["own"] / before["own"]) / math.log(rows / before["rows"])
        lines.append({**line, "exponent": grown, "allowed": TIMES * line["data"] + FIXED})
        print(lines[-1], file=sys.stderr)
    keep("scale", TITLE, HEADS, lines, repeats=1)


if __name__ == "__main__":
    main()
