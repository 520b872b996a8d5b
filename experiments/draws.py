"""Simulated feedback: rules drawn from a pool, and splits that put few of the rows they cover into training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import frote
from frote.datasets import load
from pools import pool_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote import RuleSet
    from frote.datasets import Dataset

__all__ = ["Draw", "draw"]


@dataclass(frozen=True)
class Draw:
    """Rules, and a split of a data set into training and test rows."""

    data: Dataset
    rules: RuleSet
    train: NDArray[np.intp]
    test: NDArray[np.intp]


def draw(name: str, number: int, *, rules: int, tcf: float) -> Draw:
    """Return draw `number` for a data set: the same rules whatever the share of covered rows in training."""
    data = load(name)
    chosen = frote.draw_rules(pool_of(name), rules, data.X, random_state=number)
    covered = chosen.coverage(data.X).any(axis=1)
    split = np.random.default_rng([number, rules, round(1000 * tcf)])
    inside, outside = (split.permutation(np.flatnonzero(mask)) for mask in (covered, ~covered))
    at_in, at_out = round(tcf * len(inside)), round(0.8 * len(outside))
    train = np.sort(np.concatenate([inside[:at_in], outside[:at_out]]))
    test = np.sort(np.concatenate([inside[at_in:], outside[at_out:]]))
    return Draw(data, chosen, train, test)
