"""Simulated feedback: rules drawn from a pool, and splits that put few of the rows they cover into training."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from frote.datasets import Dataset, load, load_loans
from frote.explain.perturbation import draw_rules
from frote_experiments.pools import pool_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.rules import RuleSet

__all__ = ["LOANS", "TRAINED", "Conflicts", "Draw", "draw", "require_data"]

Conflicts: TypeAlias = Literal["possible", "rows"]

SEED = 42
LOANS = "loans"  # generated, with a policy of its own
TRAINED = 0.75  # of the loans, those that came first, as in the demonstration


def require_data(name: str) -> None:
    """See to it that a data set is to be had."""
    if name != LOANS:
        load(name)


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """Rules, and a split of a data set into training and test rows."""

    data: Dataset
    rules: RuleSet
    train: NDArray[np.intp]
    test: NDArray[np.intp]


def draw(
    name: str,
    number: int,
    *,
    rules: int,
    tcf: float,
    outside: float = 0.8,
    rows: int | None = None,
    conflicts: Conflicts = "possible",
) -> Draw:
    """Return draw `number` for a data set: the same rules whatever the share of covered rows in training.

    Parameters
    ----------
    name : str
        The data set.

    number : int
        Where chance comes from.

    rules : int
        How many rules to draw.

    tcf : float
        The share of the rows covered that are trained on, the paper's training coverage fraction.

    outside : float, default=0.8
        The share of the other rows that are trained on.

    rows : int, default=None
        How many rows of the data set to take at most, the same for every draw.

    conflicts : {"possible", "rows"}, default="possible"
        Whether rules conflict that any possible row falls under, or only those that a row of the data set does. Where
        the latter meet on rows that are not there, the one drawn first is right.

    Returns
    -------
    Draw
        Of the loans, all that is drawn are the applications: their policy is the rules, and the later ones the test.
    """
    if name == LOANS:
        return _loans(number)
    data, chosen = _data(name, rows), _rules(name, rules, number, conflicts)
    covered = chosen.coverage(data.X).any(axis=1)
    split = np.random.default_rng([number, rules, round(1000 * tcf)])
    inside, beyond = (split.permutation(np.flatnonzero(mask)) for mask in (covered, ~covered))
    at_in, at_out = round(tcf * len(inside)), round(outside * len(beyond))
    train = np.sort(np.concatenate([inside[:at_in], beyond[:at_out]]))
    test = np.sort(np.concatenate([inside[at_in:], beyond[at_out:]]))
    return Draw(data, chosen, train, test)


def _loans(number: int) -> Draw:
    data = load_loans(random_state=number)
    assert data.rules is not None  # the policy comes with them
    places = np.arange(len(data.X))
    first = round(TRAINED * len(places))
    return Draw(data, data.rules.resolve("priority", data.X), places[:first], places[first:])


@cache
def _data(name: str, rows: int | None) -> Dataset:
    data = load(name)
    if rows is None or rows >= len(data.X):
        return data
    some = np.sort(np.random.default_rng(SEED).permutation(len(data.X))[:rows])
    X, y = data.X.iloc[some].reset_index(drop=True), data.y.iloc[some].reset_index(drop=True)
    return Dataset(name, X, y, data.description)


@cache
def _rules(name: str, size: int, number: int, conflicts: Conflicts) -> RuleSet:
    X = _data(name, None).X
    drawn = draw_rules(pool_of(name, size), size, X, conflicts=conflicts, random_state=number)
    return drawn if conflicts == "possible" else drawn.resolve("priority", X)
