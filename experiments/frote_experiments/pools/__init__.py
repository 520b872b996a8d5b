"""Pools of rules for simulated feedback: rules that explain a model, perturbed as in section 5.1 of the paper.

The model is LightGBM, fitted to all rows. It is explained five times, each time on other 1,000 of them at most, since
the few rules that tell mushrooms apart are too few to be perturbed into a hundred. The first hundred rules are the
paper's pool; sets of more than ten are drawn from all five hundred, as in its appendix.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.datasets import load
from frote.estimators.explaining import explain_model
from frote.exceptions import nearest
from frote.explain.perturbation import perturb_rules
from frote.rules import Clause, Outcome, Rule, RuleSet, parse_rules
from frote_experiments.exceptions import ExperimentError
from frote_experiments.models import BATCH_SIZES, make_model

if TYPE_CHECKING:
    from frote.estimators.explaining import Explanation

__all__ = ["LARGE_SET", "ROWS", "explained", "make_pool", "pool_of", "pool_text"]

USUAL, LARGE = 100, 500  # rules in a pool, and for large sets
LARGE_SET = 10  # rules above which a set is drawn from the large pool
PARTS, ROWS = 5, 1000  # how often a model is explained, and on how many rows at most
SEED = 42


def pool_of(name: str, size: int) -> RuleSet:
    """Return the rules that a set of some size is drawn from.

    Examples
    --------
    >>> len(pool_of("car", 3))
    100
    """
    pool = _pool(name)
    return pool if size > LARGE_SET else pool[:USUAL]


def pool_text(name: str) -> str:
    """Return the pool of a data set as it is kept: a line that says how it was made, and rules."""
    if name not in BATCH_SIZES:
        raise ExperimentError(f"No data set {name!r}. {nearest(name, BATCH_SIZES)}")
    return (files("frote_experiments.pools") / f"{name}.rules").read_text("utf-8")


@cache
def _pool(name: str) -> RuleSet:
    return parse_rules(pool_text(name))


def explained(model: Any, X: Any) -> Explanation:
    """Explain a model; ended by rounds, not by the clock, so that it is the same on machines of one kind."""
    return explain_model(model, X, max_iter=15, time_limit=3600.0)


def make_pool(name: str) -> str:
    """Explain a model of a data set, perturb its rules, and return them as text; minutes for a large data set."""
    data = load(name)
    model = make_model("LGBM").fit(data.X, data.y)
    rng, starts, fidelity = np.random.default_rng(SEED), dict[tuple[Clause, Outcome], Rule](), []
    for part in range(PARTS):
        some = np.sort(rng.permutation(len(data.X))[:ROWS])
        explanation = explained(model, data.X.iloc[some])
        fidelity.append(explanation.fidelity)
        for rule in explanation.rules:
            starts.setdefault((rule.clause, rule.outcome), Rule(f"{rule.name} of {part}", rule.clause, rule.outcome))
    pool = perturb_rules(RuleSet(starts.values()), data.X, size=LARGE, random_state=SEED)
    made = f"{len(pool.rules)} rules, after {pool.tried} perturbations of {len(starts)} rules that explain a model"
    return f"# {made} (fidelity {np.mean(fidelity):.3f})\n{pool.rules}\n"
