"""Pools of rules for simulated feedback: rules that explain a model, perturbed as in section 5.1 of the paper.

    python experiments/pools.py make      # what is missing in pools/, one file of rules per data set
    python experiments/pools.py table     # how many conflict-free draws there are, as Markdown

The model is LightGBM, fitted to all rows. It is explained five times, each time on other 1,000 of them at most, since
the few rules that tell mushrooms apart are too few to be perturbed into a hundred.
"""

from __future__ import annotations

import argparse
import re
from functools import cache
from pathlib import Path

import numpy as np

import frote
from frote import Clause, Outcome, Rule, RuleSet
from frote.datasets import load
from models import BATCH_SIZES, make_model

POOLS = Path(__file__).parent / "pools"
SIZE = 100
SIZES = (1, 3, 5, 8, 10, 15, 20)
DRAWS = 30
PARTS, ROWS = 5, 1000
SEED = 42


def make(name: str) -> None:
    """Explain a model of a data set, perturb its rules, and write them down."""
    data = load(name)
    model = make_model("LGBM").fit(data.X, data.y)
    rng, starts, fidelity = np.random.default_rng(SEED), dict[tuple[Clause, Outcome], Rule](), []
    for part in range(PARTS):
        some = np.sort(rng.permutation(len(data.X))[:ROWS])
        # Ended by rounds, not by the clock, so that the pool is the same on machines of one kind, with one thread.
        explanation = frote.explain_model(model, data.X.iloc[some], max_iter=15, time_limit=3600.0)
        fidelity.append(explanation.fidelity)
        for rule in explanation.rules:
            starts.setdefault((rule.clause, rule.outcome), Rule(f"{rule.name} of {part}", rule.clause, rule.outcome))
    pool = frote.perturb_rules(RuleSet(starts.values()), data.X, size=SIZE, random_state=SEED)
    explained = f"{len(starts)} rules that explain a model (fidelity {np.mean(fidelity):.3f})"
    head = f"# {len(pool.rules)} rules, after {pool.tried} perturbations of {explained}"
    print(name, head, flush=True)
    POOLS.mkdir(exist_ok=True)
    (POOLS / f"{name}.rules").write_text(f"{head}\n{pool.rules}\n", "utf-8")


@cache
def pool_of(name: str) -> RuleSet:
    """Read the pool of a data set."""
    return frote.read_rules(POOLS / f"{name}.rules")


def table() -> str:
    """Return as Markdown how many of 30 draws of each size exist without conflict, with their mean number of labels."""
    out = [
        "| data | rules | tried | start | fidelity | labels | " + " | ".join(map(str, SIZES)) + " |",
        "|---" * (len(SIZES) + 6) + "|",
    ]
    for name in BATCH_SIZES:
        data, pool = load(name), pool_of(name)
        facts = re.findall(r"[0-9.]+", (POOLS / f"{name}.rules").read_text("utf-8").splitlines()[0])
        cells = []
        for size in SIZES:
            labels = []
            for number in range(DRAWS):
                try:
                    drawn = frote.draw_rules(pool, size, data.X, random_state=number)
                except frote.RuleError:
                    continue
                labels.append(len(drawn.labels))
            cells.append(f"{len(labels)} ({np.mean(labels):.1f})" if labels else "0")
        out.append(f"| {' | '.join([name, *facts, str(len(pool.labels)), *cells])} |")
    return "\n".join(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "table"))
    options = parser.parse_args()
    if options.what == "table":
        print(table())
    for one in BATCH_SIZES if options.what == "make" else ():
        if not (POOLS / f"{one}.rules").exists():
            make(one)
