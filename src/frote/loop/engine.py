"""The paper's Algorithm 1 as a generator of steps: propose, retrain, compare, keep or leave.

A step depends on the state and its own number alone: its chance comes from (seed, step). The state never changes; an
accepted batch makes a new one, put in place by one assignment, so that an interruption leaves rows and model in line.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from frote.coverage.population import Population, populations
from frote.generation.sampler import Seeds
from frote.loop.evaluation import Incumbent
from frote.loop.modify import draw_labels
from frote.loop.task import Batch, Rows, Task
from frote.neighbours import nearest
from frote.selection import Request, Selection, shares

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from frote.loop.evaluation import Evaluation
    from frote.loop.objective import Scores
    from frote.loop.training import Trainer

__all__ = ["EditLoop", "FixedSchedule", "Schedule", "State", "Step"]


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of the loop did.

    Parameters
    ----------
    step : int
        Its number; 0 is the first model, on the data before any synthetic row.

    proposed : tuple of int
        How many synthetic rows were proposed for each rule as written.

    accepted : bool
        Whether the batch was kept.

    scores : Scores or None
        Of the new model; None if it could not be trained.

    previous : float
        The objective that the new one was compared with.

    added : int
        How many synthetic rows there are now in all.

    fit_seconds, predict_seconds, other_seconds : float
        Time in the estimator's own fit and predict, and in everything else.

    error : str
        What the estimator raised, if it did.
    """

    step: int
    proposed: tuple[int, ...]
    accepted: bool
    scores: Scores | None
    previous: float
    added: int
    fit_seconds: float
    predict_seconds: float
    other_seconds: float
    error: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Where the loop stands: the current model and data, and the batches accepted so far.

    Parameters
    ----------
    incumbent : Incumbent
        The current model and the data it was fitted to.

    populations : list of list of Population
        The base populations of each rule as written.

    batches : tuple of (int, Batch)
        The batches accepted so far, each with its step.
    """

    incumbent: Incumbent
    populations: list[list[Population]]
    batches: tuple[tuple[int, Batch], ...] = ()

    @property
    def added(self) -> int:
        """The number of synthetic rows."""
        return sum(len(batch) for _, batch in self.batches)


class Schedule(Protocol):
    """Decides how many rows to propose next."""

    def quotas(self, state: State, step: int) -> tuple[int, ...] | None:
        """Return how many rows to propose for each rule as written, or None to end the run."""


@dataclass(frozen=True, slots=True)
class FixedSchedule:
    """The paper's schedule: batches of one size, shared equally among rules, until a limit is reached.

    Parameters
    ----------
    size : int
        Rows in a batch, the paper's eta.

    most_rows : float
        Synthetic rows after which no batch is proposed; the last one may overshoot.

    most_steps : int
        Batches to propose at most, the paper's tau.
    """

    size: int
    most_rows: float
    most_steps: int

    def quotas(self, state: State, step: int) -> tuple[int, ...] | None:
        """Return equal shares."""
        if step > self.most_steps or state.added > self.most_rows:
            return None
        return shares(self.size, [1.0] * len(state.populations))


class EditLoop:
    """Edits a model.

    Parameters
    ----------
    task : Task
        The rules, classes and how rows are made.

    rows : Rows
        The training data after modification.

    trainer : Trainer
        Fits and asks the caller's estimator.

    selection : Selection
        Chooses base rows.

    schedule : Schedule
        Decides on the size of batches.

    evaluation : Evaluation
        Compares models.

    seed : int
        Where all chance comes from.

    Attributes
    ----------
    state : State
        Where the loop stands.

    failure : Exception or None
        The first that the estimator raised in a step after the first fit; it cost that step alone.
    """

    state: State
    failure: Exception | None = None

    def __init__(
        self,
        task: Task,
        rows: Rows,
        trainer: Trainer,
        selection: Selection,
        schedule: Schedule,
        evaluation: Evaluation,
        seed: int,
    ) -> None:
        self.task = task
        self.rows = rows
        self.trainer = trainer
        self.selection = selection
        self.schedule = schedule
        self.evaluation = evaluation
        self.seed = seed
        self._targets = np.array(
            [list(outcome.spread(task.classes).values()) for outcome in task.outcomes], dtype=np.float64
        ).reshape(len(task.outcomes), len(task.classes))

    def run(self) -> Iterator[Step]:
        """Go through the steps; `state` is up to date whenever one is handed out."""
        begun = _Lap(self.trainer)
        model = self.trainer.fit(self.rows.frame, self.rows.labels)
        predicted = self.trainer.predict(model, self.rows.frame)
        scores = self.evaluation.first(self.rows, model, predicted)
        self.state = self._state(model, self.rows, predicted, scores, ())
        yield Step(0, (0,) * len(self.task.outcomes), True, scores, math.nan, 0, *begun.seconds())
        step = 1
        while self.task.outcomes:
            begun = _Lap(self.trainer)
            quotas = self.schedule.quotas(self.state, step)
            if quotas is None:
                return
            yield self._try(step, quotas, begun)
            step += 1

    def _try(self, step: int, quotas: tuple[int, ...], begun: _Lap) -> Step:
        state = self.state
        batch = self.propose(state, quotas, step)
        proposed = tuple(np.bincount(self.task.origin[batch.piece], minlength=len(quotas)).tolist())
        rows = state.incumbent.rows.stacked(batch.rows)
        try:
            model = self.trainer.fit(rows.frame, rows.labels)
            predicted = self.trainer.predict(model, rows.frame)
            old, new = self.evaluation.compare(state.incumbent, batch, rows, model, predicted)
        except Exception as error:
            self.failure = self.failure or error
            text = f"{type(error).__name__}: {error}"
            previous = state.incumbent.scores.objective
            return Step(step, proposed, False, None, previous, state.added, *begun.seconds(), error=text)
        accepted = new.objective > old.objective
        if accepted:
            self.state = self._state(model, rows, predicted, new, (*state.batches, (step, batch)))
        return Step(step, proposed, accepted, new, old.objective, self.state.added, *begun.seconds())

    def _state(
        self,
        model: Any,
        rows: Rows,
        predicted: NDArray[np.intp],
        scores: Scores,
        batches: tuple[tuple[int, Batch], ...],
    ) -> State:
        covered = self.task.covered(rows.met)
        support = tuple(
            int(covered[self.task.origin == rule].any(axis=0).sum()) for rule in range(len(self.task.outcomes))
        )
        found = populations(self.task.rules, self.task.conditions, rows.met, self.task.neighbours + 1)
        able = self.task.synthesizer.possible
        found = [[population for population in pieces if able[population.piece]] for pieces in found]
        return State(Incumbent(model, rows, predicted, support, scores), found, batches)

    def propose(self, state: State, quotas: tuple[int, ...], step: int) -> Batch:
        """Make the batch of a step: choose base rows, find their neighbours, make rows and labels."""
        rng = np.random.default_rng([self.seed, 1, step])
        rows, task = state.incumbent.rows, self.task
        request = Request(
            state.populations,
            quotas,
            task.neighbours,
            rows.points,
            rows.labels,
            rows.owner,
            state.incumbent.predicted,
            self._targets,
        )
        choice = self.selection.draw(request, rng)
        seeds = Seeds(choice.piece, choice.base, self._around(state, choice.piece, choice.base))
        table, neighbour = task.synthesizer.make(rows.table, seeds, rng)
        origin = task.origin[seeds.piece]
        own = rows.own[seeds.base]
        labels = draw_labels(task, origin, rows.labels[seeds.base], rng)
        points = task.space.encode(table)
        kept = self.selection.keep(request, points, labels, origin)
        if len(kept) < len(labels):
            table, labels, own, neighbour = table.take(kept), labels[kept], own[kept], neighbour[kept]
            seeds = Seeds(seeds.piece[kept], seeds.base[kept], seeds.around[kept])
        made = task.rows(table, table.to_frame(), labels, own)
        strong = task.covered(rows.met[:, seeds.base])[seeds.piece, np.arange(len(seeds))]
        return Batch(made, seeds.piece, seeds.base, neighbour, strong)

    def _around(self, state: State, piece: NDArray[np.intp], base: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the neighbours of base rows within their rule's own population; a row that is alone is its own."""
        around = np.repeat(base[:, np.newaxis], self.task.neighbours, axis=1)
        for rule, pieces in enumerate(state.populations):
            mine = np.flatnonzero(self.task.origin[piece] == rule)
            if len(mine):
                among = np.unique(np.concatenate([population.rows for population in pieces]))
                near = nearest(state.incumbent.rows.points, base[mine], among, self.task.neighbours)
                if near.shape[1]:
                    # Where there are fewer than wanted, they are taken by turns.
                    around[mine] = near[:, np.arange(self.task.neighbours) % near.shape[1]]
        return around


class _Lap:
    """The seconds of one step: in the estimator's fit, in its predict, and in everything else."""

    def __init__(self, trainer: Trainer) -> None:
        self._clock = trainer.clock
        self._fit, self._predict, self._start = trainer.clock.fit, trainer.clock.predict, time.perf_counter()

    def seconds(self) -> tuple[float, float, float]:
        fit, predict = self._clock.fit - self._fit, self._clock.predict - self._predict
        return fit, predict, time.perf_counter() - self._start - fit - predict
