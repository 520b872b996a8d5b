"""Tables of all kinds, with missing values, and rules and labels for them."""

from __future__ import annotations

import numpy as np
import pandas as pd

RULES = """
    young: IF age < 29 AND defaults = 0 THEN yes
    rich: IF income > 60K AND age >= 29 THEN {yes: 0.8, no: 0.2}
    boats: IF purpose = boat AND age >= 29 AND income <= 60K THEN no WITH CONFIDENCE 0.9
"""


def table(rows, seed=0):
    """Return rows with columns of all kinds, and labels."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(45_000, 20_000, rows).round(2)),
            "defaults": pd.array(np.where(rng.random(rows) < 0.1, None, rng.integers(0, 3, rows)), dtype="Int64"),
            "owner": rng.random(rows) < 0.5,
            "purpose": pd.Series(rng.choice(["car", "boat", "home"], rows), dtype="str").mask(rng.random(rows) < 0.05),
            "grade": pd.Categorical(rng.choice(["a", "b"], rows), categories=["a", "b", "c"]),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), unit="D"),
            "one": 1.0,
        }
    )
    gone = np.random.default_rng([seed, 1]).random((2, rows)) < 0.05
    frame = frame.assign(grade=frame["grade"].mask(gone[0]), since=frame["since"].mask(gone[1]))
    score = frame["age"] / 80 + frame["income"].fillna(0) / 60_000 + rng.normal(0, 0.2, rows)
    return frame, pd.Series(np.where(score > 1.1, "yes", "no"), name="decision", dtype="str")
