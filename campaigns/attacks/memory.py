"""Memory over a thousand steps: a run of many batches does not grow with each."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

import frote
from campaigns.campaign import Campaign, require

if TYPE_CHECKING:
    from random import Random

__all__ = ["CAMPAIGN"]

STEPS = 1000
WARM = 200  # steps after which a run has all that it needs
PER_STEP = 8  # kilobytes that a step may leave behind: its record, and its rows if they were accepted


class Constant(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Answers the same to everything, after it has used some memory; raises at times."""

    def __init__(self, failing: float = 0.0) -> None:
        self.failing = failing

    def fit(self, X: Any, y: Any) -> Constant:
        """Learn the classes."""
        if len(X) > 60 and np.random.default_rng(len(X)).random() < self.failing:
            raise RuntimeError("not today")
        self.classes_ = np.unique(np.asarray(y))
        self.ballast_ = np.zeros(200_000)
        return self

    def predict(self, X: Any) -> Any:
        """Predict the first class."""
        return np.full(len(X), self.classes_[0])


@dataclass(frozen=True, slots=True)
class Case:
    """What becomes of the batches, and how they are made."""

    accepted: bool
    failing: float
    checkpoint: bool
    select: str
    schedule: str
    seed: int


def _make(chance: Random) -> Case:
    return Case(
        chance.random() < 0.3,
        chance.choice((0.0, 0.0, 0.9)),
        chance.random() < 0.5,
        chance.choice(("random", "ip", "online")),
        chance.choice(("adaptive", "fixed")),
        chance.getrandbits(16),
    )


def _kilobytes() -> float:
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024


def _judge(case: Case) -> None:
    rng = np.random.default_rng(case.seed)
    X = pd.DataFrame(rng.uniform(size=(60, 3)), columns=["a", "b", "c"])
    y = np.where(X["a"] > 0.5, "yes", "no")
    sizes: dict[int, float] = {}

    def look(step: Any) -> None:
        if step.step in (WARM, STEPS) or step.step % 100 == 0:
            sizes[step.step] = _kilobytes()

    calls = [0.0]

    def better(model: Any, X: Any, y: Any) -> float:  # noqa: ARG001
        calls[0] += 1
        return calls[0] if case.accepted else 0.0

    folder = Path(tempfile.mkdtemp(dir="."))
    editor = frote.FROTE(
        Constant(case.failing),
        "r: IF a < 0.3 THEN no",
        max_fits=STEPS,
        patience=STEPS,
        batch_size=2,
        oversample=50.0,
        k=3,
        evaluate="active",
        agreement_weight=0.0,
        scoring=better,
        select=case.select,
        schedule=case.schedule,
        random_state=0,
        callbacks=[look],
        checkpoint=folder / "c" if case.checkpoint else None,
    )
    try:
        editor.fit_resample(X, y)
    finally:
        shutil.rmtree(folder)
    last = max(sizes)
    require(last > WARM or case.accepted, f"the run ended after {last} steps")
    if last > WARM:
        growth = (sizes[last] - sizes[WARM]) / (last - WARM)
        require(growth < PER_STEP, f"grows by {growth:.1f} kB a step")


CAMPAIGN = Campaign(
    "memory",
    f"A run of 1,000 steps grows by less than {PER_STEP} kB a step.",
    full=10,
    block=1,
    seconds=600,
    megabytes=2000,
    make=_make,
    judge=_judge,
)
