"""Probes: rows inside each rule's coverage that models are measured on and never trained on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from frote.loop.proposal import NoModel, Proposer
from frote.selection import Uniform

if TYPE_CHECKING:
    from frote.generation.making import Making
    from frote.loop.rows import Batch, Rows

__all__ = ["make_probes"]

PROBES = 400  # the standard error of an agreement of 0.8 is two points then


def make_probes(making: Making, rows: Rows, seed: int) -> Batch:
    """Make the probes of a run: for each rule half from strongly and half from weakly covered rows.

    Parameters
    ----------
    making : Making
        What rows are made with.

    rows : Rows
        The training data before any synthetic row.

    seed : int
        The seed of the run.

    Returns
    -------
    Batch
        Each is attributed to the rule it was made for, though an earlier one of the same outcome may cover it too.
    """
    proposer = Proposer(making, rows, Uniform(), weak_share=0.5)
    quotas = (PROBES,) * len(making.ruling.outcomes)
    rng = np.random.default_rng([seed, 2])
    batch = proposer.propose(rows, proposer.populations(rows), quotas, rng, NoModel())
    made_for = making.ruling.origin[batch.piece]
    rows = replace(batch.rows, attribution=batch.rows.attribution.attributed_to(made_for))
    return replace(batch, rows=rows)
