"""The frontier of a run: what each loss outside the rules buys in agreement with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frote.loop.engine import Step

__all__ = ["make_frontier"]

INITIAL = -1  # in place of a step
TYPES = {
    "step": "int64",
    "accepted": "bool",
    "agreement": "float64",
    "loss": "float64",
    "outside": "float64",
    "added": "int64",
    "guards": "int64",
    "digest": "str",
}


def make_frontier(steps: Sequence[Step], judge: Any) -> pd.DataFrame:
    """Return the steps of which no other one agrees as much with the rules and loses as little outside.

    Parameters
    ----------
    steps : sequence of Step
        The steps of a run.

    judge : Judge
        What they were compared by; it may know the scores of the initial model in ``initial``.

    Returns
    -------
    DataFrame
        A line for each, the least loss first: its step (-1 is the initial model), whether it was accepted, agreement,
        loss, the score outside, rows made inside rules and outside them, and a digest of the model's answers. Empty
        if the loss was not measured.
    """
    points = [_point(step) for step in steps if step.scores is not None and step.scores.loss is not None]
    initial = getattr(judge, "initial", None)
    if points and initial is not None:
        points.insert(0, (INITIAL, False, initial.agreement, 0.0, initial.outside, 0, 0, ""))
    # Of points that lose as much, the one that agrees most; of equals the first.
    ordered = sorted(points, key=lambda point: (point[3], -point[2], point[0]))
    frontier: list[Any] = []
    for point in ordered:
        if not frontier or point[2] > frontier[-1][2]:
            frontier.append(point)
    return pd.DataFrame(frontier, columns=list(TYPES)).astype(TYPES)


def _point(step: Step) -> tuple[Any, ...]:
    scores = step.scores
    assert scores is not None  # others are no points
    added, guards = step.added, step.guards
    if not step.accepted:
        added, guards = added + sum(step.proposed), guards + step.twins  # its own batch, which was not kept
    return step.step, step.accepted, scores.agreement, scores.loss, scores.outside, added, guards, step.digest
