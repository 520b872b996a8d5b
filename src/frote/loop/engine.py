"""The paper's Algorithm 1 as a generator of steps: propose, retrain, compare, keep or leave.

A step depends on the state and its own number alone: its chance comes from (seed, step). The state never changes; an
accepted batch makes a new one, put in place by one assignment, so that an interruption leaves rows and model in line.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel

from frote.exceptions import FroteError
from frote.loop.attempts import StepInput, Workers
from frote.loop.evaluation import Incumbent, Verdict
from frote.loop.pool import mortal
from frote.loop.training import IN_TRAINING
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from frote.coverage.measures import Scores
    from frote.loop.attempts import Attempt, Bench
    from frote.loop.rows import Batch, Rows
    from frote.loop.schedule import Plan, Planner
    from frote.loop.training import Trainer

__all__ = ["EditLoop", "Past", "Seeker", "State", "Step", "first_joined"]

JOINING = 6  # tells the chance of these batches from others
ROUNDS, IN_A_ROW = 6, 2  # batches that join after the search at most, and rejected ones in a row that end it


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of the loop did.

    Parameters
    ----------
    step : int
        Its number; 0 is the first model, on the data before any synthetic row.

    proposed : tuple of int
        How many synthetic rows were proposed for each rule as written.

    twins : int
        How many twins of them.

    accepted : bool
        Whether the batch was kept.

    scores : Scores or None
        Of the new model; None if it could not be trained.

    previous : float
        The training objective that the new one was compared with.

    added : int
        How many synthetic rows inside rules there are now in all.

    guards : int
        How many twins of them, outside all rules.

    fit_seconds, predict_seconds, other_seconds : float
        Time in the estimator's own fit and predict, and in everything else.

    digest : str
        A digest of what the new model says of the rows that it was judged on.

    error : str
        What the estimator raised, if it did.
    """

    step: int
    proposed: tuple[int, ...]
    twins: int
    accepted: bool
    scores: Scores | None
    previous: float
    added: int
    guards: int
    fit_seconds: float
    predict_seconds: float
    other_seconds: float
    digest: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class State(StepInput):
    """Where the loop stands: the current model and data, and the batches accepted so far.

    Parameters
    ----------
    batches : tuple of (int, Batch)
        The batches accepted so far, each with its step; the others are those of `StepInput`.
    """

    batches: tuple[tuple[int, Batch], ...]

    @property
    def guards(self) -> int:
        """How many twins there are."""
        return sum(len(batch) - batch.inside for _, batch in self.batches)


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """What a run did, to its end or before it was cut off.

    Parameters
    ----------
    steps : tuple of Step
        Its steps, the first fit at least.

    tried : tuple of (int, Batch)
        The batches that it had scored, each with its step.

    plan : Plan
        What it would have tried next.
    """

    steps: tuple[Step, ...]
    tried: tuple[tuple[int, Batch], ...]
    plan: Plan

    @property
    def batches(self) -> tuple[tuple[int, Batch], ...]:
        """The batches that it had accepted, each with its step."""
        return tuple((step, batch) for step, batch in self.tried if self.steps[step].accepted)


class Seeker(Protocol):
    """Makes batches of what a model answers against its rules, when the search for others has ended."""

    def seek(self, model: Any, rows: Rows, rng: np.random.Generator) -> Batch | None:
        """Return a batch, given the model and its training data; None if there is nothing to be found."""


def first_joined(steps: Sequence[Step], planner: Planner) -> int | None:
    """Return the first step that came when the search had ended, and with it all after it; None if there is none."""
    plan, added = planner.first(), 0
    for step in steps[1:]:
        if planner.reason_to_end(plan, added):
            return step.step
        plan, added = planner.after(plan, step.accepted, step.added), step.added
    return None


class EditLoop:
    """Edits a model.

    Parameters
    ----------
    rows : Rows
        The training data after modification.

    bench : Bench
        What batches are made and tried with.

    n_jobs : int or None
        How many batches to try at the same time, as joblib counts.

    seeker : Seeker or None, default=None
        What is asked for more batches when the search has ended.

    most_steps : int, default=0
        How many batches there may be in all then.

    Attributes
    ----------
    state : State
        Where the loop stands.

    plan : Plan
        What would be tried next.

    tried : list of (int, Batch)
        The batches that were scored, accepted or not, each with its step.

    failure : Exception or None
        The first that the estimator raised in a step after the first fit; it cost that step alone.
    """

    state: State
    failure: Exception | None = None

    def __init__(
        self,
        rows: Rows,
        bench: Bench,
        n_jobs: int | None = 1,
        seeker: Seeker | None = None,
        most_steps: int = 0,
    ) -> None:
        self.seeker = seeker
        self.most_steps = most_steps
        self.rows = rows
        self.bench = bench
        self.n_jobs = n_jobs
        self.ruling = bench.proposer.ruling
        self.plan = bench.planner.first()
        self.tried: list[tuple[int, Batch]] = []

    def resume(self, past: Past) -> Iterator[Step]:
        """Go on after the steps of a run that was cut off: fit its last model again, and try what comes next."""
        rows = self.rows
        for _, batch in past.batches:
            rows = rows.stacked(batch.rows)
        scores = [step.scores for step in past.steps if step.accepted][-1]
        assert scores is not None  # what was accepted was scored
        trainer = self.bench.trainer
        with trainer.limited():
            model = trainer.fit(rows.shown, rows.labels, rows.weights)
            self.state = self._state(model, rows, Verdict(scores, scores), past.batches)
        self.plan, self.tried = past.plan, list(past.tried)
        errors = [RuntimeError(step.error) for step in past.steps if step.error]
        if errors:
            self.failure = errors[0]
            self.failure.add_note(IN_TRAINING)
        joined = first_joined(past.steps, self.bench.planner)
        yield from self._steps([] if joined is None else [step.accepted for step in past.steps if step.step >= joined])

    def run(self) -> Iterator[Step]:
        """Go through the steps; `state` and `plan` are up to date whenever one is handed out."""
        start, trainer = time.perf_counter(), self.bench.trainer.timed_anew()
        with trainer.limited():
            model = trainer.fit(self.rows.shown, self.rows.labels, self.rows.weights)
            verdict = self.bench.judge.first(trainer, self.rows, model)
            self.state = self._state(model, self.rows, verdict, ())
        if self.bench.most_loss is not None and verdict.new.loss is None:
            raise FroteError(_unmeasured())
        clock = trainer.clock
        other = time.perf_counter() - start - clock.fit - clock.predict
        nothing = (0,) * len(self.ruling.outcomes)
        yield Step(0, nothing, 0, True, verdict.new, math.nan, 0, 0, clock.fit, clock.predict, other, verdict.digest)
        yield from self._steps([])

    def _steps(self, joined: list[bool]) -> Iterator[Step]:
        """Search for batches, and then try what the seeker finds; `joined`: which of these were accepted so far."""
        if not joined:
            yield from self._search()
        if self.seeker is not None and self.ruling.outcomes:
            yield from self._joining(self.seeker, self.most_steps, joined)

    def _joining(self, seeker: Seeker, most_steps: int, joined: list[bool]) -> Iterator[Step]:
        while len(joined) < ROUNDS and (len(joined) < IN_A_ROW or any(joined[-IN_A_ROW:])):
            if self.plan.step > most_steps:
                return
            rng, incumbent = np.random.default_rng([self.bench.seed, JOINING, self.plan.step]), self.state.incumbent
            with self.bench.trainer.limited():
                batch = seeker.seek(incumbent.model, incumbent.rows, rng)
            if batch is None:
                return
            step = self._taken(self.bench.tried(self.state, partial(_made, batch), ties=True))
            joined.append(step.accepted)
            yield step

    def _search(self) -> Iterator[Step]:
        count = effective_n_jobs(self.n_jobs)
        if count == 1 or not self.ruling.outcomes:
            while self._upcoming(1):
                yield self._taken(self.bench.attempt(self.state, self.plan))
            return
        with Parallel(n_jobs=self.n_jobs, batch_size=1, **mortal()) as pool:
            workers = Workers(pool, self.bench)
            while plans := self._upcoming(count):
                for attempt in workers.attempts(self.state, plans):
                    step = self._taken(attempt)
                    yield step
                    if step.accepted:
                        break  # the others were made for a model that is no longer the current one

    def _upcoming(self, count: int) -> list[Plan]:
        """Return the next plans, on the assumption that all their batches are rejected."""
        plans: list[Plan] = []
        plan = self.plan
        planner = self.bench.planner
        while self.ruling.outcomes and len(plans) < count and not planner.reason_to_end(plan, self.state.added):
            plans.append(plan)
            plan = planner.after(plan, accepted=False, added=self.state.added)
        return plans

    def _taken(self, attempt: Attempt) -> Step:
        """Accept or reject what came of the current plan, and go on to the next."""
        start, state, verdict = time.perf_counter(), self.state, attempt.verdict
        accepted = attempt.better
        if attempt.batch is None:
            self.failure = self.failure or attempt.error
        else:
            self.tried.append((self.plan.step, attempt.batch))
        if accepted:
            assert verdict is not None  # what is better was scored,
            assert attempt.batch is not None  # and made
            rows = state.incumbent.rows.stacked(attempt.batch.rows)
            batches = (*state.batches, (self.plan.step, attempt.batch))
            with self.bench.trainer.limited():
                self.state = self._state(attempt.model, rows, verdict, batches)
        step, self.plan = self.plan.step, self.bench.planner.after(self.plan, accepted, self.state.added)
        return Step(
            step,
            attempt.proposed,
            0 if attempt.batch is None else len(attempt.batch) - attempt.batch.inside,
            accepted,
            None if verdict is None else verdict.new,
            state.incumbent.scores.objective if verdict is None else verdict.old.objective,
            self.state.added,
            self.state.guards,
            attempt.fit_seconds,
            attempt.predict_seconds,
            attempt.other_seconds + time.perf_counter() - start,
            "" if verdict is None else verdict.digest,
            attempt.error_text,
        )

    def _state(self, model: Any, rows: Rows, verdict: Verdict, batches: tuple[tuple[int, Batch], ...]) -> State:
        incumbent = Incumbent(model, rows, verdict.predicted, rows.attribution.support, verdict.new)
        added = sum(batch.inside for _, batch in batches)
        return State(incumbent, self.bench.proposer.populations(rows), added, batches)

    def at(self, past: Past, step: Step) -> State:
        """Return the state as of a step, its own batch taken in, accepted or not; the model is fitted again."""
        before = [(one, batch) for one, batch in past.batches if one < step.step]
        batches = (*before, *([(step.step, dict(past.tried)[step.step])] if step.step else []))
        rows = self.rows
        for _, batch in batches:
            rows = rows.stacked(batch.rows)
        scores = step.scores
        assert scores is not None  # others have no model
        with self.bench.trainer.limited():
            model = self.bench.trainer.fit(rows.shown, rows.labels, rows.weights)
            return self._state(model, rows, Verdict(scores, scores), batches)

    @property
    def ended(self) -> str:
        """Why there is nothing more to try; empty if there is."""
        return (
            self.bench.planner.reason_to_end(self.plan, self.state.added)
            if self.ruling.outcomes
            else "there are no rules"
        )

    @property
    def likely_steps(self) -> int:
        """How many steps there will be in all if every batch is accepted until the rows are used up, and then none."""
        planner, plan, added = self.bench.planner, self.plan, self.state.added
        lacking = self.ruling.lacking(self.state.incumbent.scores.per_rule)
        while self.ruling.outcomes and not planner.reason_to_end(plan, added):
            added += sum(planner.quotas(plan, added, lacking, self.bench.proposer.unsupported))
            plan = planner.after(plan, accepted=True, added=added)
        more = 0 if self.ended else planner.patience or 0
        return min(plan.step - 1 + more, planner.most_steps)

    def propose(self, plan: Plan) -> Batch:
        """Make the batch of a plan, as a step from the current state would."""
        with self.bench.trainer.limited():
            return self.bench.propose(self.state, plan, self.bench.trainer)


def _made(batch: Batch, trainer: Trainer) -> Batch:  # noqa: ARG001
    return batch


def _unmeasured() -> str:
    ways = way_out(
        "Use evaluate='probes', a share of rows to hold out, or validation data",
        "Leave --as-published or --max-loss out",
        "Leave the limit empty",
    )
    return f"A limit on the loss outside needs models that are compared on the same rows throughout. {ways}."
