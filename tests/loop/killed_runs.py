"""Kill runs at random moments, let them go on, and say whether they end as if nothing had happened.

    python -m tests.loop.killed_runs FOLDER KILLS

A process of its own: it has one thread and can be forked at any time, so that a run starts at once and not after the
import of everything. Prints a line of JSON for each kind of run, and one for each run that was killed: after how
many steps, and what differs in the end.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from sklearn.tree import DecisionTreeClassifier
from tests.estimators.results import outcome

import frote

LOANS = frote.datasets.load_loans(60)
X = LOANS.X[["age", "income", "defaults"]]
RULES = "young: IF age < 29 AND defaults = 0 THEN approved\nrisky: IF defaults >= 2 THEN {denied: 0.9, approved: 0.1}"


class Slow(DecisionTreeClassifier):
    """Takes so long that a kill may fall into a fit, a prediction, or what is between."""

    def fit(self, X, y):
        time.sleep(0.004)
        return super().fit(X, y)

    def predict(self, X):
        time.sleep(0.002)
        return super().predict(X)


def editor(kind: int, folder: Path | None):
    """Return one of some editors; each accepts some batches and rejects some."""
    model = Slow(max_depth=4)
    given = {"random_state": kind, "k": 3, "max_fits": 10, "checkpoint": folder, "oversample": 2.0, "modify": "none"}
    if kind == 0:
        return frote.FROTE(model, RULES, batch_size=6, patience=6, **given)
    if kind == 1:
        return frote.FROTE.as_published(model, RULES, batch_size=8, select="ip", **given)
    return frote.FROTE(model, RULES, evaluate=0.25, batch_size=6, patience=6, **given)


def steps_in(folder: Path) -> int:
    path = folder / "run.json"
    return len(json.loads(json.loads(path.read_text("utf-8"))["run"])["steps"]) if path.exists() else 0


def killed(kind: int, folder: Path, moment: float) -> bool:
    """Start a run and kill it after some time; return whether it was still there."""
    child = os.fork()
    if child == 0:
        try:
            outcome(editor(kind, folder), X, LOANS.y)
        finally:
            os._exit(0)
    time.sleep(moment)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main(folder: Path, kills: int) -> None:
    chance = random.Random(0)
    expected, seconds = {}, {}
    for kind in range(3):
        start = time.perf_counter()
        expected[kind] = outcome(editor(kind, None), X, LOANS.y)
        seconds[kind] = time.perf_counter() - start
        accepted = next(line[2] for line in expected[kind]["history"][1:] if line[0] == "accepted")
        print(json.dumps({"kind": kind, "accepted": accepted}), flush=True)
    done = 0
    for number in range(3 * kills):  # a run that was through before its end came does not count
        kind, place = number % 3, folder / str(number)
        hits = [steps_in(place) for _ in range(1 + number % 2) if killed(kind, place, chance.uniform(0, seconds[kind]))]
        found = outcome(editor(kind, place), X, LOANS.y)
        unlike = [name for name in found if found[name] != expected[kind][name]]
        print(json.dumps({"kind": kind, "killed_after": hits, "unlike": unlike}), flush=True)
        done += bool(hits)
        if done == kills:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
