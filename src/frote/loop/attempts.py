"""Trying batches: make one, fit the estimator to the data with it and compare; one after the other, or several at once.

A batch depends on the state and its plan alone, so workers make it themselves: what comes to them is a plan. The parts
of a run and of its current state come as bytes, which joblib ships once for as long as they stay the same object; a
worker unpacks them once.
"""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
from sklearn.utils.parallel import delayed  # unlike joblib's, it takes scikit-learn's settings along

from frote.loop.pool import end_with_parent
from frote.loop.training import IN_TRAINING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray
    from sklearn.utils.parallel import Parallel

    from frote.coverage.population import Population
    from frote.loop.evaluation import Incumbent, Judge, Verdict
    from frote.loop.initial import Initial
    from frote.loop.proposal import Proposer
    from frote.loop.rows import Batch
    from frote.loop.schedule import Plan, Planner
    from frote.loop.training import Trainer
    from frote.table import TypedFrame

__all__ = ["Attempt", "Bench", "Packed", "Parcel", "StepInput", "Workers"]


@dataclass(frozen=True, slots=True, eq=False)
class StepInput:
    """What a step depends on, besides its plan: so much of the loop's state is sent to workers.

    Parameters
    ----------
    incumbent : Incumbent
        The current model and the data it was fitted to.

    populations : list of list of Population
        The base populations of each rule as written.

    added : int
        How many synthetic rows there are.
    """

    incumbent: Incumbent
    populations: list[list[Population]]
    added: int


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """What came of a plan.

    Parameters
    ----------
    proposed : tuple of int
        How many rows the batch had for each rule as written.

    verdict : Verdict or None
        How the new model compares; None if it could not be trained or asked.

    better : bool
        Whether the new model is better.

    batch : Batch or None
        The batch; None if no model could be trained on it.

    model : estimator or None
        The new model; None if it is not better.

    error : Exception or None
        What the estimator raised.

    error_text : str
        The same in words; empty if it raised nothing.

    fit_seconds, predict_seconds, other_seconds : float
        Time in the estimator's own fit and predict, and in everything else.
    """

    proposed: tuple[int, ...]
    verdict: Verdict | None
    better: bool
    batch: Batch | None
    model: Any
    error: Exception | None
    error_text: str
    fit_seconds: float
    predict_seconds: float
    other_seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """The current model. What it raises must not end the run: it is then equally wrong about all rows."""

    incumbent: Incumbent
    trainer: Trainer
    initial: Initial | None

    def before(self, rows: TypedFrame) -> NDArray[np.intp]:
        assert self.initial is not None  # nobody else makes twins
        try:
            return self.initial.answers(rows, self.trainer)
        except Exception:
            return np.full(len(rows), -1)  # then there are no twins

    def on_data(self) -> NDArray[np.intp]:
        try:
            return self.incumbent.predictions(self.trainer)
        except Exception:
            return np.full(len(self.incumbent.rows), -1)

    def on(self, rows: TypedFrame) -> NDArray[np.intp]:
        try:
            return self.trainer.predict(self.incumbent.model, rows)
        except Exception:
            return np.full(len(rows), -1)


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """What batches are made and tried with, the same for a whole run.

    Parameters
    ----------
    trainer : Trainer
        Fits and asks the caller's estimator.

    proposer : Proposer
        Makes the batch of a plan.

    planner : Planner
        Decides on the size of batches.

    judge : Judge
        Says whether a new model is better than the incumbent.

    seed : int
        Where all chance comes from.

    initial : Initial or None, default=None
        The model as it was; None where nobody asks for it.

    most_loss : float or None, default=None
        The loss outside the rules that a model may have.
    """

    trainer: Trainer
    proposer: Proposer
    planner: Planner
    judge: Judge
    seed: int
    initial: Initial | None = None
    most_loss: float | None = None

    def propose(self, state: StepInput, plan: Plan, trainer: Trainer) -> Batch:
        """Make the batch of a plan; it depends on that and on the state alone.

        The trainer must be limited: sums, and so choices, may depend on the number of threads.
        """
        current = state.incumbent
        lacking, quotas = self._needs(state, plan)
        rng = np.random.default_rng([self.seed, 1, plan.step])
        asked, twins = _Asked(current, trainer, self.initial), self.proposer.twins
        each = 0.0 if twins is None else twins.each(current.scores.loss, lacking)
        return self.proposer.propose(current.rows, state.populations, quotas, rng, asked, each)

    def _needs(self, state: StepInput, plan: Plan) -> tuple[list[float], tuple[int, ...]]:
        """Return what agreement with each rule lacks, and how many rows it gets for that."""
        lacking = self.proposer.ruling.lacking(state.incumbent.scores.per_rule)
        return lacking, self.planner.quotas(plan, state.added, lacking, self.proposer.unsupported)

    def attempt(self, state: StepInput, plan: Plan) -> Attempt:
        """Make the batch of a plan and try it."""
        return self.tried(state, lambda trainer: self.propose(state, plan, trainer))

    def tried(self, state: StepInput, make: Callable[[Trainer], Batch], *, ties: bool = False) -> Attempt:
        """Make a batch, fit the estimator to the data with it and compare; what the estimator raises is handed back.

        `ties`: whether a model is taken that is as good as the current one, and was told more.
        """
        start, trainer = time.perf_counter(), self.trainer.timed_anew()
        model, verdict, failure, error_text = None, None, None, ""
        with trainer.limited():
            batch, incumbent = make(trainer), state.incumbent
            try:
                rows = incumbent.rows.stacked(batch.rows)
                model = trainer.fit(rows.shown, rows.labels, rows.weights)
                verdict = self.judge.compare(trainer, incumbent, batch, rows, model)
            except Exception as error:  # whatever a user's estimator raises costs this batch alone
                failure, error_text = error, f"{type(error).__name__}: {error}"
        better = verdict is not None and verdict.better(self.most_loss, ties=ties)
        clock = trainer.clock
        return Attempt(
            self.proposer.ruling.per_rule(batch.piece[~batch.guard]),
            verdict,
            better,
            None if verdict is None else batch,
            model if better else None,
            failure,
            error_text,
            clock.fit,
            clock.predict,
            time.perf_counter() - start - clock.fit - clock.predict,
        )

    def lost(self, state: StepInput, plan: Plan, error: Exception, seconds: float) -> Attempt:
        """Return what came of a plan that a worker died of, twice: nothing but how many rows were asked for."""
        _, quotas = self._needs(state, plan)
        failure = RuntimeError(
            "A worker died while it tried this batch, and another one that tried it again: for want of memory, or "
            "because the estimator crashed."
        )
        failure.__cause__ = error
        failure.add_note(IN_TRAINING)
        return Attempt(quotas, None, False, None, None, failure, f"RuntimeError: {failure}", 0.0, 0.0, seconds)


class Workers:
    """Tries several plans at the same time, on the assumption that none of their batches will be accepted.

    Parameters
    ----------
    pool : Parallel
        Where they are tried.

    bench : Bench
        What they are tried with.
    """

    def __init__(self, pool: Parallel, bench: Bench) -> None:
        self._pool = pool
        self._bench = Parcel(bench)
        self._state: Parcel | None = None

    def attempts(self, state: StepInput, plans: Iterable[Plan]) -> Iterable[Attempt]:
        """Try plans that all follow the same current model.

        A worker that dies, killed for its memory or by a crash of the estimator, takes the others along: nobody knows
        with which batch it died. All are tried again, each alone in a new worker, which gives the same as before. Only
        one that a worker dies of again has failed.
        """
        if self._state is None or self._state.thing.incumbent is not state.incumbent:
            # Anew, since a state knows more than that: workers need not get all batches so far.
            self._state = Parcel(StepInput(state.incumbent, state.populations, state.added))
        plans = list(plans)
        try:
            return self._together(self._state, plans)
        except BrokenExecutor:
            return self._one_by_one(self._state, plans)

    def _one_by_one(self, where: Parcel, plans: Iterable[Plan]) -> Iterator[Attempt]:
        for plan in plans:
            start = time.perf_counter()
            try:
                yield from self._together(where, [plan])
            except BrokenExecutor as error:
                yield self._bench.thing.lost(where.thing, plan, error, time.perf_counter() - start)

    def _together(self, where: Parcel, plans: Iterable[Plan]) -> list[Attempt]:
        bench = self._bench
        try:
            # The limit of thread pools is one for all threads: were it not held here, the first of several that is
            # done would lift it for the others.
            with bench.thing.trainer.limited():
                attempts: list[Attempt] = self._pool(delayed(_attempt)(bench, where, plan) for plan in plans)
        except Exception:
            failure = bench.failure or where.failure
            if failure is None:
                raise
            raise _alone("sent to", failure) from failure
        return attempts


def _attempt(bench: Parcel | Packed, state: Parcel | Packed, plan: Plan) -> Attempt:
    """Try a plan in a worker."""
    end_with_parent()  # also one that was made anew, which joblib does not tell what the first were told
    try:
        tools, where = bench.thing, state.thing
    except Exception as error:
        raise _alone("read in", error) from None
    attempt: Attempt = tools.attempt(where, plan)
    if attempt.error is not None:
        try:
            cloudpickle.loads(cloudpickle.dumps(attempt.error))
        except Exception:  # an error that does not survive the way back would end the run
            return replace(attempt, error=RuntimeError(attempt.error_text))
    return attempt


def _alone(what: str, why: Exception) -> TypeError:
    return TypeError(
        f"The estimator cannot be {what} other processes ({why}); use n_jobs=1, or threads by "
        "joblib.parallel_config(backend='threading')."
    )


class Parcel:
    """Something for workers. Threads get the thing itself; processes its bytes, made once, and unpack them once.

    The bytes are an array, since joblib's backends keep large arrays and ship them once.

    Parameters
    ----------
    thing : object
        What is sent, whole; it must not change once it is.

    Attributes
    ----------
    failure : Exception or None
        Why it could not be made into bytes.
    """

    failure: Exception | None = None

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self._token = uuid.uuid4().hex
        self._bytes: NDArray[np.uint8] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._bytes is None:
            try:
                self._bytes = np.frombuffer(cloudpickle.dumps(self.thing), dtype=np.uint8)
            except Exception as error:
                self.failure = error  # backends hide it
                raise
        return Packed, (self._token, self._bytes)


_UNPACKED: OrderedDict[str, Any] = OrderedDict()  # in a worker, what came last


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """A parcel as a process gets it. It is unpacked when it is asked for its thing, so that failures are told.

    Parameters
    ----------
    token : str
        Which parcel it is.

    content : ndarray of uint8
        The thing, as cloudpickle wrote it.
    """

    token: str
    content: NDArray[np.uint8]

    @property
    def thing(self) -> Any:
        """The thing, unpacked unless it was one of the last."""
        # A worker may have threads: what one of them uses is held here, not looked up again.
        thing = _UNPACKED.pop(self.token, None)
        if thing is None:
            thing = cloudpickle.loads(self.content.tobytes())
        _UNPACKED[self.token] = thing
        while len(_UNPACKED) > 2:  # the run and its current state
            _UNPACKED.popitem(last=False)
        return thing
