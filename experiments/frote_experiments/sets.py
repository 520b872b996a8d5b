"""How many sets of rules without conflict the pools give, and how many labels these have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from frote.datasets import load
from frote.exceptions import RuleError
from frote.explain.perturbation import draw_rules
from frote_experiments.models import BATCH_SIZES
from frote_experiments.pools import LARGE_SET, pool_of, pool_text
from frote_experiments.tables.sheets import Column, Grid, Sheet

if TYPE_CHECKING:
    from frote_experiments.draws import Conflicts

__all__ = ["rule_sets"]

SIZES = (1, 3, 5, 8, 10, 15, 20)
DRAWS = 30
FACTS = ("rules", "tried", "start", "fidelity")
NOTE = (
    "LightGBM is fitted to all rows and explained by rules for every class five times, each time on other 1,000 rows "
    "at most: *start* is how many rules these are together, *fidelity* the mean share of rows for which they predict "
    "as the model does. They are perturbed as in section 5.1 of the paper until there are 500 that cover at least "
    "5 % and less than 25 % of the rows, or 100,000 were tried; sets of up to ten are drawn from the first 100. For "
    f"each size: in how many of {DRAWS} seeded draws a set without conflict was found, and in brackets the mean number "
    "of labels that it has."
)


def rule_sets(conflicts: Conflicts = "possible") -> Sheet:
    """Draw sets of every size from every pool, in one of two ways (see `draw`); a minute or two."""
    lines = []
    for name in BATCH_SIZES:
        X = load(name).X
        facts = map(float, re.findall(r"[0-9.]+", pool_text(name).splitlines()[0]))
        line: dict[str, object] = {"data": name, **dict(zip(FACTS, facts, strict=True))}
        line["labels"] = len(pool_of(name, LARGE_SET + 1).labels)
        for size in SIZES:
            labels = []
            for number in range(DRAWS):
                try:
                    drawn = draw_rules(pool_of(name, size), size, X, conflicts=conflicts, random_state=number)
                    labels.append(len(drawn.labels))
                except RuleError:
                    continue
            line[str(size)] = f"{len(labels)} ({np.mean(labels):.1f})" if labels else "0"
        lines.append(line)
    whole = [Column(name, name, form=".0f") for name in ("rules", "tried", "start", "labels")]
    columns = [Column("data", "data"), *whole, Column("fidelity", "fidelity"), *(Column(str(n), str(n)) for n in SIZES)]
    return Sheet("sets", "Pools of rules for simulated feedback", (NOTE,), (Grid(pd.DataFrame(lines), tuple(columns)),))
