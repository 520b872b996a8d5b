"""Probes: rows inside each rule's coverage that models are measured on and never trained on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from frote.loop.proposal import Proposer
from frote.selection import Uniform

if TYPE_CHECKING:
    from frote.loop.task import Rows, Task

__all__ = ["make_probes"]

PROBES = 400  # the standard error of an agreement of 0.8 is two points then


def make_probes(task: Task, rows: Rows, seed: int) -> Rows:
    """Make the probes of a run: for each rule half from strongly and half from weakly covered rows.

    Parameters
    ----------
    task : Task
        The rules, classes and how rows are made.

    rows : Rows
        The training data before any synthetic row.

    seed : int
        The seed of the run.

    Returns
    -------
    Rows
        Each is attributed to the rule it was made for, though an earlier one of the same outcome may cover it too.
    """
    proposer = Proposer(task, rows, Uniform(), weak_share=0.5)
    quotas = (PROBES,) * len(task.outcomes)
    nothing = np.empty(0, dtype=np.intp)
    rng = np.random.default_rng([seed, 2])
    batch = proposer.propose(rows, proposer.populations(rows), nothing, quotas, rng, lambda _: nothing)
    return replace(batch.rows, owner=task.origin[batch.piece])
