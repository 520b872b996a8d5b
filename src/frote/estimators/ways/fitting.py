"""Rules put into a model by switches, or beside it: a few fits, each with more rows where a rule is not kept to."""

from __future__ import annotations

import math
import time
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.estimators.ways.ground import Ground
from frote.estimators.ways.lesson import Lesson
from frote.estimators.ways.models import Anchored, Switched
from frote.estimators.ways.socket import Socket
from frote.estimators.ways.tilt import tilt_towards
from frote.exceptions import ModelError, told
from frote.loop.engine import State, Step
from frote.loop.evaluation import Incumbent
from frote.loop.modify import outcome_shares
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from frote.coverage.measures import Scores
    from frote.generation.making import Making
    from frote.loop.objective import Objective
    from frote.loop.rows import Batch, Rows
    from frote.loop.training import Trainer

__all__ = ["INITIAL", "WAYS", "Fitted", "Fitting"]

WAYS = ("switches", "anchored", "auto")
INITIAL = "initial"  # what is served where no rule was put in
HEIGHT, LOWER = 10.0, 3.0  # of a switch that is on; the second is tried if the first moves rows outside
MOST_FITS = 5  # beside that of the initial model
KEPT_TO = 0.995  # of the agreement that a rule's outcome allows
MOST_FLIPS = 0.05  # of guards, for a model to be served alone
MOST_LOSS = 0.003  # of F1 outside, likewise


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What came of a fit.

    Parameters
    ----------
    model : classifier
        The model that would be served.

    how : str
        What it is: "switches", "anchored" or "initial".

    scores : Scores
        How good it is.

    batches : tuple of (int, Batch), default=()
        The rows that it was fitted to beside the data, each batch with its step.

    lacking : ndarray of bool, default=None
        Which rules it does not keep to.

    flips : float, default=0
        The share of guards that the model with switches answers otherwise than the initial one.

    digest : str, default=""
        A digest of what it says of the rows that it was measured on.
    """

    model: Any
    how: str
    scores: Scores
    batches: tuple[tuple[int, Batch], ...] = ()
    lacking: NDArray[np.bool_] | None = None
    flips: float = 0.0
    digest: str = ""

    def better_than(self, other: Fitted) -> bool:
        """Whether it is to be served in place of another: by agreement, and by flips where all rules are kept to."""
        return other.lacking is None or self._rank > other._rank

    @property
    def _rank(self) -> tuple[bool, float]:
        assert self.lacking is not None
        kept_to = not self.lacking.any()
        return kept_to, -self.flips if kept_to else self.scores.agreement

    @property
    def added(self) -> int:
        """How many rows were made."""
        return sum(len(batch) for _, batch in self.batches)


class Fitting:
    """Puts rules into a model.

    Parameters
    ----------
    how : {"switches", "anchored", "auto"}
        The way.

    making : Making
        What rows are made with.

    rows : Rows
        The data, with their own labels.

    trainer : Trainer
        Trains the caller's estimator.

    objective : Objective
        How models are scored.

    seed : int
        The seed of the run.

    most_loss : float or None, default=None
        How much a model may lose outside the rules to be served.

    Attributes
    ----------
    best : Fitted
        The best model so far.
    """

    best: Fitted

    def __init__(
        self,
        how: str,
        making: Making,
        rows: Rows,
        trainer: Trainer,
        objective: Objective,
        seed: int,
        most_loss: float | None = None,
    ) -> None:
        self.how = how
        self.making, self.rows = making, rows
        self.trainer = trainer
        self.objective = objective
        self.seed = seed
        self.most_loss = math.inf if most_loss is None else float(most_loss)

    @property
    def state(self) -> State:
        """What there is now, as the loop of an edit by data would tell it."""
        best, rows = self.best, self.rows
        for _, batch in best.batches:
            rows = rows.stacked(batch.rows)
        incumbent = Incumbent(best.model, rows, None, rows.attribution.support, best.scores)
        return State(incumbent, [], best.added, best.batches)

    def run(self) -> Iterator[Step]:
        """Go through the fits, the initial model's first; `best` is up to date whenever a step is handed out."""
        lap = _Lap(self.trainer)
        with lap.trainer.limited():
            ground = Ground.of(self.making, self.rows, lap.trainer, self.objective, self.seed)
        scores = ground.judge.initial
        assert scores is not None  # it is what the others are compared with
        self.best = self._initial = Fitted(ground.initial, INITIAL, scores)
        nothing = (0,) * len(self.making.ruling.outcomes)
        yield lap.step(0, nothing, self.best, math.nan, accepted=True)
        if nothing:
            yield from _Switching(self, ground).run()

    def settled(self) -> str:
        """Hand the initial model back if the best one loses too much outside; say so then, else nothing."""
        loss = self.best.scores.loss or 0.0
        if loss <= self.most_loss:
            return ""
        self.best = self._initial
        return (
            f"Nothing was edited: the model with switches loses {loss:.3f} outside the rules, and {self.most_loss:g} "
            "is allowed. The model is handed back as it was."
        )


class _Switching:
    """The fits of a model with switches."""

    def __init__(self, fitting: Fitting, ground: Ground) -> None:
        self.fitting, self.ground = fitting, ground
        self.ruling = fitting.making.ruling
        self.lesson = Lesson(fitting.making, ground.rows, ground.live, fitting.seed)

    def run(self) -> Iterator[Step]:
        fitting, height = self.fitting, HEIGHT
        for number in range(1, MOST_FITS + 1):
            lap, before = _Lap(fitting.trainer), fitting.best
            try:
                with lap.trainer.limited():
                    if number == 1:
                        self._begin(lap.trainer)
                    fitted = self._fitted(lap.trainer, height)
            except Exception as error:  # whatever a user's estimator raises must not cost what there is
                if before.how == INITIAL:
                    raise
                made, error_text = self.lesson.made_for(number), told(error)
                yield lap.step(number, made, None, before.scores.objective, added=before.added, error=error_text)
                return
            accepted = fitted.better_than(before)
            if accepted:
                fitting.best = fitted
            made = self.lesson.made_for(number)
            yield lap.step(number, made, fitted, before.scores.objective, accepted=accepted, added=fitting.best.added)
            assert fitted.lacking is not None
            if height == LOWER:
                break
            if not (fitted.lacking.any() and self.lesson.grow(fitted.lacking, number + 1)):
                if not self._may_be_lower(fitted):
                    break
                height = LOWER
        with fitting.trainer.limited():
            self._require_reached()

    def _begin(self, trainer: Trainer) -> None:
        """Fit what comes before the switches, and see what it makes of probes and guards."""
        ground = self.ground
        self.socket = Socket(trainer, ground.rows, ground.live)
        self.lesson.begin()
        blank = self.socket.blank
        known = getattr(ground.initial, "classes_", None)
        blank.classes_ = np.asarray(trainer.natives(np.arange(len(self.ruling.classes)))) if known is None else known
        owner = np.concatenate([ground.rows.attribution.owner, ground.owner, np.full(len(ground.on_guards), -1)])
        self._measured = blank.prepared(ground.judge.shown), self.socket.switch_of(owner)
        self._on_probes = blank.prepared(ground.judge.probes.shown), self.socket.switch_of(ground.owner)

    def _fitted(self, trainer: Trainer, height: float) -> Fitted:
        """Train on what there is to learn from, and see what comes of it."""
        ground, batches = self.ground, self.lesson.batches
        switched: Any = copy(self.socket.blank)
        switched.height_ = height
        switched.model_ = self.socket.fit(trainer, [batch.rows for _, batch in batches], height)
        switched.tilts_ = self._tilts(switched, trainer)
        with trainer.clock.counting("predict"):
            predicted = trainer.labels.codes_for(switched.labels_for(*self._measured))
        on_guards = predicted[len(predicted) - len(ground.on_guards) :]
        flips = float(np.mean(on_guards != ground.on_guards)) if len(on_guards) else 0.0
        model, how = switched, "switches"
        verdict = ground.judge.verdict(trainer, predicted, model)
        if self.fitting.how == "anchored" or (self.fitting.how == "auto" and self._moves(verdict.new, flips)):
            model, how = Anchored.of(switched, ground.initial), "anchored"
            before = np.concatenate([ground.on_rows, ground.on_probes, ground.on_guards])
            predicted = np.where(self._measured[1] < 0, before, predicted)
            verdict = ground.judge.verdict(trainer, predicted, model)
        return Fitted(model, how, verdict.new, batches, self._lacking(verdict.new), flips, verdict.digest)

    def _tilts(self, switched: Switched, trainer: Trainer) -> dict[str, NDArray[np.float64]]:
        """Return how the probabilities of each rule that leaves its outcome to chance are tilted to meet it."""
        ground, chancy = self.ground, [not outcome.is_deterministic for outcome in self.ruling.outcomes]
        if not any(chancy) or not hasattr(switched.model_, "predict_proba"):
            return {}
        with trainer.clock.counting("predict"):
            chances = switched.chances_for(*self._on_probes)
        places = trainer.labels.codes_for(switched.classes_)
        tilts = {}
        for rule in np.flatnonzero(chancy):
            mine, outcome = np.flatnonzero(ground.owner == rule), self.ruling.outcomes[rule]
            if len(mine):
                own = ground.judge.probes.own[mine]
                shares = np.array([outcome_shares(outcome, code, self.ruling.classes) for code in own])
                tilts[self.ruling.names[rule]] = tilt_towards(shares[:, places], chances[mine])
        return tilts

    def _moves(self, scores: Scores, flips: float) -> bool:
        """Tell whether a model with switches is too far from the initial one outside the rules to be served alone."""
        initial = self.ground.judge.initial
        assert initial is not None
        lost, loss = initial.outside - scores.outside, scores.loss or 0.0
        return flips > MOST_FLIPS or lost > MOST_LOSS or loss > self.fitting.most_loss

    def _lacking(self, scores: Scores) -> NDArray[np.bool_]:
        """Return which rules are not kept to as far as their outcomes allow."""
        ruling = self.ruling
        most = np.array([max(outcome.spread(ruling.classes).values()) for outcome in ruling.outcomes])
        wanting: NDArray[np.bool_] = self.ground.live & (
            np.array(ruling.lacking(scores.per_rule)) > (1 - KEPT_TO) * most
        )
        return wanting

    def _may_be_lower(self, fitted: Fitted) -> bool:
        """Tell whether lower switches may help: where rows outside move, and for models that know heights at all."""
        switched = fitted.model.switched_ if fitted.how == "anchored" else fitted.model
        by_splits = hasattr(switched.model_, "feature_importances_")  # trees ask only what is above what
        return self.fitting.how != "anchored" and fitted.flips > MOST_FLIPS and not by_splits

    def _require_reached(self) -> None:
        """Raise an error if the model does not keep to the rules, and answers alike whether switches are on or off."""
        best = self.fitting.best
        if best.lacking is None or not best.lacking.any():
            return
        switched = best.model.switched_ if best.how == "anchored" else best.model
        method = "predict_proba" if hasattr(switched.model_, "predict_proba") else "predict"
        prepared, switch = self._on_probes
        on, off = (switched.said(method, prepared, one) for one in (switch, np.full(len(switch), -1)))
        if np.array_equal(on, off):
            data = way_out("how='data'", "--how data", "the way by data")
            raise ModelError(
                "The model answers alike whether a rule's switch is on or off: what it begins with seems to drop "
                "columns that it does not know. Give a ColumnTransformer remainder='passthrough', put it and the model "
                f"into one plain Pipeline, or use {data}."
            )


class _Lap:
    """The seconds of a step, with a trainer that counts them."""

    def __init__(self, trainer: Trainer) -> None:
        self.start, self.trainer = time.perf_counter(), trainer.timed_anew()

    def step(
        self,
        number: int,
        made: tuple[int, ...],
        fitted: Fitted | None,
        previous: float,
        *,
        accepted: bool = False,
        added: int = 0,
        error: str = "",
    ) -> Step:
        """Return the step, which is over."""
        clock = self.trainer.clock
        return Step(
            step=number,
            proposed=made,
            twins=0,
            accepted=accepted,
            scores=None if fitted is None else fitted.scores,
            previous=previous,
            added=added,
            guards=0,
            fit_seconds=clock.fit,
            predict_seconds=clock.predict,
            other_seconds=time.perf_counter() - self.start - clock.fit - clock.predict,
            digest="" if fitted is None else fitted.digest,
            error=error,
        )
