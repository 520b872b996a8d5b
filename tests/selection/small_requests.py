"""Small requests for the tests of selections."""

from __future__ import annotations

import numpy as np

from frote.coverage.population import Population
from frote.generation.space import Points
from frote.selection import Request


def make_request(
    populations, quotas, *, points=None, predicted=None, labels=None, owner=None, targets=None, neighbours=2
):
    """A request from lists: for each rule, the rows of its pieces; pieces are numbered through."""
    pieces = iter(range(1000))
    groups = [[Population(next(pieces), np.array(rows, dtype=np.intp)) for rows in rule] for rule in populations]
    total = 1 + max((row for rule in populations for rows in rule for row in rows), default=0)
    if points is None:
        points = Points(np.arange(total, dtype=float)[:, np.newaxis], np.empty((0, total), dtype=np.int8))
    total = len(points)
    zeros = np.zeros(total, dtype=np.intp)
    return Request(
        groups,
        tuple(quotas),
        neighbours,
        zeros if labels is None else np.asarray(labels, dtype=np.intp),
        zeros - 1 if owner is None else np.asarray(owner, dtype=np.intp),
        np.tile([0.0, 1.0], (len(populations), 1)) if targets is None else np.asarray(targets, dtype=float),
        lambda: points,
        lambda: zeros if predicted is None else np.asarray(predicted, dtype=np.intp),
        lambda choice, _: choice,  # what was chosen is all that there is to see
    )
