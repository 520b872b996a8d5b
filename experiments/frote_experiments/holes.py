"""How often planted holes inside a rule are found, and whether the bound on them covers the truth.

``python -m frote_experiments.holes`` prints the table. A hole is a set of rows inside the rule, of a known chance under
the draws of `frote.stress`, that a model answers wrongly: one that tells nothing of it, or one whose probabilities sink
towards it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import frote
from frote.estimators.input import typed
from frote.evidence.draws import Draws
from frote.evidence.space import Space
from frote.evidence.stress import upper_bound

__all__ = ["Holed", "bound_covers", "hole_of", "rows_of"]

RULE = "IF risk < 1 THEN yes"


class Holed:
    """A model that keeps to the rule but where the sum of two columns is above a threshold.

    Parameters
    ----------
    threshold : float
        Where the hole begins.

    told : bool
        Whether its probabilities sink on the way to the hole.
    """

    def __init__(self, threshold: float, *, told: bool) -> None:
        self.threshold, self.told = threshold, told
        self.classes_ = np.array(["no", "yes"])

    def predict(self, X: pd.DataFrame) -> Any:
        """Predict labels."""
        return np.where(X["a"] + X["b"] > self.threshold, "no", "yes")

    def predict_proba(self, X: pd.DataFrame) -> Any:
        """Predict probabilities."""
        height = X["a"] + X["b"] - self.threshold
        yes = 1 / (1 + np.exp(height)) if self.told else np.where(height > 0, 0.1, 0.9)
        return np.column_stack([1 - yes, yes])


def rows_of(seed: int, count: int = 500) -> pd.DataFrame:
    """Make data to start from."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(count, 6)).round(3)
    return pd.DataFrame(numbers, columns=["risk", "a", "b", "c", "d", "e"])


def drawn(X: pd.DataFrame, count: int, seed: int) -> pd.DataFrame:
    """Draw rows inside the rule as stress does."""
    table = typed(X).table
    (rule,) = frote.parse_rules(RULE).bind(table.schema, ("no", "yes"))
    made: pd.DataFrame = Draws(Space(table, observed=False), rule).fresh(count, np.random.default_rng(seed)).frame
    return made


def hole_of(X: pd.DataFrame, measure: float, seed: int) -> float:
    """Return the threshold beyond which lies so much of the rows that stress draws."""
    rows = drawn(X, 1_000_000, seed)
    return float(np.quantile(rows["a"] + rows["b"], 1 - measure))


def bound_covers(measure: float, rows: int, repeats: int) -> int:
    """Return how often the bound from so many rows covers a hole of a measure."""
    X = rows_of(0)
    model = Holed(hole_of(X, measure, 7), told=False)
    strays = [int((model.predict(drawn(X, rows, seed)) == "no").sum()) for seed in range(repeats)]
    return sum(upper_bound(count, rows) >= measure for count in strays)


def main(repeats: int = 20, rounds: int = 500) -> None:
    """Print how often holes are found, and how often the bound covers them."""
    print("| measure | probabilities tell | rows | found by drawing | found by search |")
    print("|---:|---|---:|---:|---:|")
    for measure in (1e-3, 1e-4):
        for told in (False, True):
            for rows in (1_000, 10_000, 100_000):
                by_draw = by_search = 0
                for seed in range(repeats):
                    X = rows_of(seed)
                    model = Holed(hole_of(X, measure, seed + 1_000), told=told)
                    (one,) = frote.stress(model, RULE, X, rows=rows, random_state=seed).tried
                    by_draw += one.strays > 0
                    by_search += one.strays + one.strays_searched > 0
                print(f"| {measure:g} | {told} | {rows:,} | {by_draw}/{repeats} | {by_search}/{repeats} |", flush=True)
    print("\n| measure | rows | bound covers it in |")
    print("|---:|---:|---:|")
    for measure in (1e-3, 1e-4):
        for rows in (1_000, 10_000):
            print(f"| {measure:g} | {rows:,} | {bound_covers(measure, rows, rounds)}/{rounds} |", flush=True)


if __name__ == "__main__":
    main()
