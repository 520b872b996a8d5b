"""Points of a run other than its end: the model as it was before, and any step on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.estimators.frontier import make_frontier
from frote.exceptions import CheckpointError, TableError
from frote.loop.engine import State
from frote.loop.evaluation import Incumbent
from frote.loop.initial import Initial
from frote.loop.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.estimators.prepared import Given, Modified
    from frote.loop.engine import EditLoop, Step
    from frote.loop.training import Trainer

__all__ = ["as_it_was", "beyond_limit", "initial_model", "left_alone", "require_as_it_was", "scored_step"]


def initial_model(
    trainer: Trainer, given: Given, modified: Modified, held_out: NDArray[np.bool_], trained: Any = None
) -> Initial:
    """Return the model as it was, perhaps `trained` already on all rows; of those held out it knows nothing either."""
    codes, weights = given.target.labels.codes, given.weights
    if not held_out.any():
        return Initial(trainer, given.rows, codes, trained, weights)
    seen = np.ones(len(codes), dtype=bool)
    seen[np.flatnonzero(modified.kept)[held_out]] = False
    weights = None if weights is None else weights[seen]
    return Initial(trainer, given.rows.take(np.flatnonzero(seen)), codes[seen], weights=weights)


def beyond_limit(loop: EditLoop) -> str:
    """Say so if where a run ended is beyond the loss that is allowed; empty if it is not."""
    limit, loss = loop.bench.most_loss, loop.state.incumbent.scores.loss
    if limit is None or loss is None or loss <= limit:
        return ""
    return (
        f"Nothing was edited: the least loss outside the rules that was found is {loss:.3f}, and {limit:g} is allowed. "
        "The model is handed back as it was."
    )


def left_alone(modified: Modified, given: Given) -> Modified:
    """Return data that were not modified."""
    codes = given.target.labels.codes
    rows = Rows.of(modified.making, given.rows, codes, codes, weights=given.weights)
    return replace(modified, kept=np.ones(len(codes), dtype=bool), changed=codes, rows=rows)


def as_it_was(loop: EditLoop, modified: Modified, given: Given) -> State:
    """Return the state before an edit: the initial model, trained on all data as they came."""
    bench, rows = loop.bench, left_alone(modified, given).rows
    scores = getattr(bench.judge, "initial", None)
    if bench.initial is None or scores is None:
        raise TableError("This run did not know the initial model: it had neither twins nor max_loss_outside.")
    model = bench.initial.model
    if len(bench.initial.rows) < len(rows):
        with bench.trainer.limited():
            model = bench.trainer.fit(rows.shown, rows.labels, rows.weights)
    incumbent = Incumbent(model, rows, None, rows.attribution.support, scores)
    return State(incumbent, [], 0, ())


def scored_step(steps: Sequence[Step], step: int, judge: Any) -> Step:
    """Return a step that a model came of, or say why there is none, and which there are."""
    found = next((one for one in steps if one.step == step), None)
    if found is None or found.scores is None:
        why = "there is no such step" if found is None else f"its model failed ({found.error})"
        best = ", ".join(map(str, make_frontier(steps, judge)["step"]))
        told = f"; those that no other one beats are {best} (-1 is the model before)" if best else ""
        raise TableError(f"Nothing can be had as of step {step}: {why}. The steps are 0 to {len(steps) - 1}{told}.")
    return found


def require_as_it_was(loop: EditLoop, state: State, step: Step) -> None:
    """Refuse a model that does not answer as that of its step did: rows or scores are not those of the run.

    Raises
    ------
    CheckpointError
        If it does not.
    """
    trainer, incumbent = loop.bench.trainer, state.incumbent
    with trainer.limited():
        digest = loop.bench.judge.first(trainer, incumbent.rows, incumbent.model).digest
    if digest != step.digest:
        raise CheckpointError(
            f"The model of step {step.step}, trained again, does not answer as it did in the run: what was kept of the "
            "run was changed since, or the model is another one each time. Edit again."
        )
