"""Which rows a new model is compared on with the current one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from frote.coverage.measures import with_loss
from frote.generation.outside import Outside
from frote.loop.probes import make_probes
from frote.loop.twins import Guards, Twins

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from frote.coverage.measures import Scores
    from frote.generation.making import Making
    from frote.loop.initial import Initial
    from frote.loop.objective import Objective
    from frote.loop.rows import Batch, Rows
    from frote.loop.training import Trainer
    from frote.table import TypedFrame

__all__ = [
    "ActiveRows",
    "Evaluation",
    "Incumbent",
    "Judge",
    "OnRows",
    "Probed",
    "Probes",
    "Run",
    "TrainingRows",
    "Validation",
    "Verdict",
]


@dataclass(frozen=True, eq=False)
class Incumbent:
    """The current model with what is known of it.

    Parameters
    ----------
    model : estimator
        The model.

    rows : Rows
        The training data it was fitted to.

    predicted : ndarray of int or None
        What it predicts for them; None if nobody asked.

    support : tuple of int
        How many of them each rule as written covers.

    scores : Scores
        The scores it was accepted with.
    """

    model: Any
    rows: Rows
    predicted: NDArray[np.intp] | None
    support: tuple[int, ...]
    scores: Scores

    def predictions(self, trainer: Trainer) -> NDArray[np.intp]:
        """Return what it predicts for the data it was fitted to; it is asked once."""
        if self.predicted is None:
            # In place: a model's answers to the same rows are a fact, found out late.
            object.__setattr__(self, "predicted", trainer.predict(self.model, self.rows.shown))
        assert self.predicted is not None
        return self.predicted


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """How a new model compares with the current one.

    Parameters
    ----------
    old, new : Scores
        Of both, on the same rows if not said otherwise.

    predicted : ndarray of int or None, default=None
        What the new model predicts for the rows it was fitted to; None if it was not asked.

    digest : str, default=""
        A digest of what it predicts for the rows that it was judged on.
    """

    old: Scores
    new: Scores
    predicted: NDArray[np.intp] | None = None
    digest: str = ""

    def better(self, most_loss: float | None = None, *, ties: bool = False) -> bool:
        """Tell whether the new model is to take the place of the current one.

        Parameters
        ----------
        most_loss : float or None, default=None
            The loss outside that is allowed. A model within it is better than one beyond, of two within the one that
            agrees more with the rules, and of two beyond the one that loses less.

        ties : bool, default=False
            Whether it also is if neither is better.

        Returns
        -------
        bool
        """
        new, old = _rank(self.new, most_loss), _rank(self.old, most_loss)
        return new > old or (ties and new == old)


def _rank(scores: Scores, most_loss: float | None) -> tuple[float, ...]:
    if most_loss is None:
        return (scores.objective,)
    assert scores.loss is not None  # a run with a limit measures it
    within = scores.loss <= most_loss
    return (True, scores.agreement, scores.objective) if within else (False, -scores.loss, 0.0)


def _digest(predicted: NDArray[np.intp]) -> str:
    return hashlib.sha256(predicted.astype("<i4").tobytes()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What an evaluation can go by when a run begins.

    Parameters
    ----------
    making : Making
        The rules, and what rows are made with.

    objective : Objective
        How models are scored.

    data : Rows
        The rows to be judged on if nothing else is: the training data before any synthetic row, or those held out.

    active : Rows
        The training data before any synthetic row.

    seed : int
        The seed of the run.

    initial : Initial or None
        The model as it was; None where nobody asks for it.

    read : callable
        Reads other rows and their labels, as ``Rows``.
    """

    making: Making
    objective: Objective
    data: Rows
    active: Rows
    seed: int
    initial: Initial | None
    read: Callable[[Any, Any], Rows]


class Judge(Protocol):
    """Compares models during one run."""

    def first(self, trainer: Trainer, rows: Rows, model: Any) -> Verdict:
        """Score the first model, fitted to the data without any synthetic row."""

    def compare(self, trainer: Trainer, incumbent: Incumbent, batch: Batch, rows: Rows, model: Any) -> Verdict:
        """Score the current model and one fitted to ``rows``, the data with a batch."""


class Evaluation(Protocol):
    """A way to compare models.

    Examples
    --------
    An evaluation of one's own, on rows of one's own choice among the data:

    >>> class LargeLoans:
    ...     hold_out = 0.0
    ...
    ...     def begin(self, run):
    ...         amounts = run.data.table["amount"].values
    ...         return OnRows(run.objective, run.data.take(np.flatnonzero(amounts > 10_000)))
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> rules = "young: IF age < 29 AND defaults = 0 THEN approved"
    >>> editor = frote.FROTE(rules=rules, evaluate=LargeLoans(), modify="none", max_fits=4, random_state=0)
    >>> editor.fit(loans.X, loans.y).history_["objective"].round(2).tolist()
    [0.48, 0.55, 0.94, 0.96, 0.96]
    """

    @property
    def hold_out(self) -> float:
        """The share of the rows that are judged on in place of the data, and not trained on until the end."""

    def begin(self, run: Run) -> Judge:
        """Return what compares the models of a run."""


@dataclass(frozen=True, slots=True)
class Probes:
    """Compare on the data without synthetic rows and on probes, rows inside coverage that are never trained on.

    Parameters
    ----------
    hold_out : float, default=0.0
        The share of the rows that are judged on in place of the data, and not trained on until the end.
    """

    hold_out: float = 0.0

    def begin(self, run: Run) -> Probed:
        """Make the probes of a run."""
        probes = make_probes(run.making, run.active, run.seed)
        if run.initial is None:
            return Probed(run.objective, run.data, probes.rows, None, run.data.stacked(probes.rows).shown)
        twins = Twins(run.making, Outside(run.active.attribution, run.making.sample))
        beside = twins.of(probes, 1.0, run.initial.answers, np.random.default_rng([run.seed, 4]))
        return Probed.guarded(run.objective, run.data, probes.rows, Guards.of(beside, run.initial), run.initial)


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Compare on the current training data.

    Parameters
    ----------
    remember : bool, default=False
        Whether the current model keeps the score on the fewer rows that it was accepted on, as in the paper.

    with_batch : bool, default=True
        Whether both models are scored on the data with the batch while some rule covers too few rows of the data. As
        the paper prints its Algorithm 1, a batch is judged on the data before it always.
    """

    remember: bool = False
    with_batch: bool = True
    hold_out: float = field(default=0.0, init=False)

    def begin(self, run: Run) -> ActiveRows:
        """Compare on what there is to train on."""
        least = run.making.neighbours + 1 if self.with_batch else 0
        return ActiveRows(run.objective, least, remember=self.remember)


@dataclass(frozen=True, slots=True, eq=False)
class Validation:
    """Compare on validation data, which are never trained on.

    Parameters
    ----------
    X : frame
        The rows, with the columns of the training data.

    y : array-like
        Their labels.
    """

    X: Any
    y: Any
    hold_out: float = field(default=0.0, init=False)

    def begin(self, run: Run) -> OnRows:
        """Read the validation data."""
        return OnRows.of(run.objective, run.read(self.X, self.y), run.initial)


@dataclass(frozen=True, slots=True)
class ActiveRows:
    """Compare on the training data before the batch.

    While some rule covers fewer rows than it needs there, what models do with it cannot show; then both are scored on
    the data with the batch.

    Parameters
    ----------
    objective : Objective
        How models are scored.

    least : int
        How many rows each rule must cover for the batch to be left out; 0 leaves it out always.

    remember : bool
        Whether the current model keeps the score that it was accepted with, on the fewer rows of that time, as in the
        paper's Algorithm 1; else it is scored on the same rows as the new one.
    """

    objective: Objective
    least: int
    remember: bool = False

    def first(self, trainer: Trainer, rows: Rows, model: Any) -> Verdict:
        """Score on the rows that the model was fitted to."""
        predicted = trainer.predict(model, rows.shown)
        scores = self._score(trainer, rows, predicted, model)
        return Verdict(scores, scores, predicted, _digest(predicted))

    def compare(self, trainer: Trainer, incumbent: Incumbent, batch: Batch, rows: Rows, model: Any) -> Verdict:
        """Score on the data before the batch, or with it while rules lack support."""
        predicted = trainer.predict(model, rows.shown)
        before = incumbent.predictions(trainer)
        if min(incumbent.support) < self.least:
            before = np.concatenate([before, trainer.predict(incumbent.model, batch.rows.shown)])
            old = self._score(trainer, rows, before, incumbent.model)
            new = self._score(trainer, rows, predicted, model)
        else:
            new = self._score(trainer, incumbent.rows, predicted[: len(incumbent.rows)], model)
            old = incumbent.scores
            if not self.remember:
                old = self._score(trainer, incumbent.rows, before, incumbent.model)
        return Verdict(old, new, predicted, _digest(predicted))

    def _score(self, trainer: Trainer, rows: Rows, predicted: NDArray[np.intp], model: Any) -> Scores:
        return self.objective.score(rows, predicted, model, trainer.natives)


@dataclass(frozen=True, slots=True)
class OnRows:
    """Compare on the same rows throughout.

    Parameters
    ----------
    objective : Objective
        How models are scored.

    judged : Rows
        The rows.

    initial : Scores or None, default=None
        The initial model's scores on them, by which the loss outside is measured.
    """

    objective: Objective
    judged: Rows
    initial: Scores | None = None

    @classmethod
    def of(cls, objective: Objective, judged: Rows, initial: Initial | None) -> OnRows:
        """Score the initial model on the rows, if there is one."""
        bare = cls(objective, judged)
        return bare if initial is None else replace(bare, initial=_measured(bare, initial, judged))

    def first(self, trainer: Trainer, rows: Rows, model: Any) -> Verdict:  # noqa: ARG002
        """Score on the rows."""
        predicted = trainer.predict(model, self.judged.shown)
        scores = self.objective.score(self.judged, predicted, model, trainer.natives)
        if self.initial is not None:
            scores = with_loss(scores, self.initial.outside)
        return Verdict(scores, scores, digest=_digest(predicted))

    def compare(self, trainer: Trainer, incumbent: Incumbent, batch: Batch, rows: Rows, model: Any) -> Verdict:  # noqa: ARG002
        """Score on the rows; the current model's score on them does not change."""
        return replace(self.first(trainer, rows, model), old=incumbent.scores)


@dataclass(frozen=True, slots=True)
class Probed:
    """Compare on the data without synthetic rows, and on probes: rows inside coverage that are never trained on.

    A model that fits its training rows perfectly agrees with the rules on them whatever it does elsewhere. So a rule's
    agreement is the mean of that on the rows it covers and of that on its probes; on probes alone if it covers none.
    The rows stay the same for the whole run, so that objectives of all steps can be compared.

    Parameters
    ----------
    objective : Objective
        How models are scored.

    rows : Rows
        The training data before any synthetic row.

    probes : Rows
        The probes; each is attributed to the rule it was made for.

    guards : Guards or None
        Rows just outside the rules, where the initial model is known.

    shown : TypedFrame
        All of them, as models get them.

    initial : Scores or None, default=None
        The initial model's scores, by which the loss outside is measured.
    """

    objective: Objective
    rows: Rows
    probes: Rows
    guards: Guards | None
    shown: TypedFrame
    initial: Scores | None = None

    @classmethod
    def guarded(cls, objective: Objective, rows: Rows, probes: Rows, guards: Guards, initial: Initial) -> Probed:
        """Put rows, probes and guards together, and score the initial model on them, once for the whole run."""
        bare = cls(objective, rows, probes, guards, rows.stacked(probes).stacked(guards.rows).shown)
        return replace(bare, initial=_measured(bare, initial, rows))

    def first(self, trainer: Trainer, rows: Rows, model: Any) -> Verdict:  # noqa: ARG002
        """Score on data and probes."""
        said = [trainer.predict(model, part) for part in self.shown.parts]
        return self.verdict(trainer, said[0] if len(said) == 1 else np.concatenate(said), model)

    def verdict(self, trainer: Trainer, predicted: NDArray[np.intp], model: Any) -> Verdict:
        """Score by what a model predicts for all of the rows."""
        on_rows, on_probes, on_guards = np.split(predicted, np.cumsum([len(self.rows), len(self.probes)]))
        scores = self.objective.score(self.rows, on_rows, model, trainer.natives)
        scores = self.objective.with_probes(scores, self.probes, on_probes)
        if self.guards is not None:
            scores = with_loss(scores, scores.outside if self.initial is None else self.initial.outside)
            scores = self.objective.with_guards(scores, self.guards.cost(on_guards))
        return Verdict(scores, scores, digest=_digest(predicted))

    def compare(self, trainer: Trainer, incumbent: Incumbent, batch: Batch, rows: Rows, model: Any) -> Verdict:  # noqa: ARG002
        """Score on data and probes; the current model's score on them does not change."""
        return replace(self.first(trainer, rows, model), old=incumbent.scores)


def _measured(judge: OnRows | Probed, initial: Initial, rows: Rows) -> Scores:
    """Return the initial model's scores, with no loss outside by definition."""
    model, trainer = initial.model, initial.trainer
    with trainer.limited():
        return replace(judge.first(trainer, rows, model).new, loss=0.0)
