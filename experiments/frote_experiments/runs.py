"""One run: a model edited by one method on one draw, and scored on rows that it has not seen.

A run is identified by its settings. What it gives is plain data, ready to be a line of JSON.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold

from frote.estimators.classifier import FROTEClassifier
from frote.estimators.overlay import OverlayClassifier
from frote.estimators.sampler import FROTE
from frote.estimators.scoring import score
from frote.rules import Outcome, Rule, RuleSet
from frote_experiments.draws import draw
from frote_experiments.models import BATCH_SIZES, make_model
from frote_experiments.pools import ROWS, explained
from frote_experiments.unseen import Unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from frote.loop.engine import Step
    from frote_experiments.draws import Conflicts

__all__ = ["METHODS", "PUBLISHED", "Run", "perform"]

SEED = 42
WEIGHTS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
# The settings of the paper; a run names only those that it changes.
PUBLISHED: dict[str, Any] = {
    "modify": "relabel",
    "select": "random",
    "k": 5,
    "oversample": 0.5,
    "max_fits": 200,
    "evaluate": "published",
}


@dataclass(frozen=True, slots=True)
class Run:
    """The settings of a run.

    Parameters
    ----------
    data, model : str
        The data set and the model.

    method : str
        One of `METHODS`.

    rules : int
        How many rules are drawn.

    tcf : float
        The share of covered rows that are trained on.

    draw : int
        The number of the draw.

    options : mapping, default=()
        Parameters of `FROTE` that differ from what the method has anyway.

    outside : float, default=0.8
        The share of the other rows that are trained on.

    rows : int, default=None
        How many rows of the data set to take at most.

    confidence : float, default=None
        The confidence that the rules get; scores are then against the rows' own labels, also inside coverage.

    progress : bool, default=False
        Whether the model of every proposed batch is scored.

    conflicts : {"possible", "rows"}, default="possible"
        Where rules that are drawn must not conflict: on any possible row, or on the rows of the data set.

    Examples
    --------
    >>> run = Run("car", "LR", "published", 3, 0.2, 0, {"max_fits": 40, "k": 5})
    >>> run.options
    (('max_fits', 40),)
    >>> Run.of(run.settings) == run
    True
    """

    data: str
    model: str
    method: str
    rules: int
    tcf: float
    draw: int
    options: Any = ()
    outside: float = 0.8
    rows: int | None = None
    confidence: float | None = None
    progress: bool = False
    conflicts: Conflicts = "possible"

    def __post_init__(self) -> None:
        changed = sorted((name, value) for name, value in dict(self.options).items() if PUBLISHED.get(name) != value)
        object.__setattr__(self, "options", tuple(changed))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, as plain data."""
        return {**asdict(self), "options": dict(self.options)}

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Run:
        """Return the run that has some settings."""
        return cls(**settings)


class Edited(NamedTuple):
    """What a method gives."""

    model: Any
    fits: int
    rows_added: int = 0
    spared: int = 0  # fits that were not made, since they could change nothing
    measured: dict[str, float | None] | None = None  # the final model, on the rows that steps were compared on


def perform(run: Run) -> dict[str, Any]:
    """Make a run.

    Returns
    -------
    dict
        Scores of the *initial* model, of that on *modified* data and of the *final* one, each on unseen rows; what
        `Unseen.beside` says of the first and the last; the last one's agreement and loss as *measured* by the loop;
        how many retrainings (those spared included), rows added, rows trained on, and labels among the rules there
        were; seconds.
    """
    wanted = {name: getattr(run, name) for name in ("rules", "tcf", "outside", "rows", "conflicts")}
    chosen = draw(run.data, run.draw, **wanted)
    X, y = chosen.data.X, chosen.data.y
    X_train, y_train = X.iloc[chosen.train], y.iloc[chosen.train]
    rules = chosen.rules if run.confidence is None else _less_sure(chosen.rules, run.confidence)
    test = Unseen(chosen, own_labels=run.confidence is not None)
    model, steps = make_model(run.model), _Steps(test) if run.progress else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # logistic regression that stops at 500 iterations, as in the paper
        before = clone(model).fit(X_train, y_train)
        modified = initial = test.scores(before)
        if dict(run.options).get("modify") != "none":
            modified = test.scores(_modified(run, clone(model), rules, X_train, y_train))
        start = time.perf_counter()
        watched = model if steps is None else Watched(model, steps)
        edited = METHODS[run.method](run, watched, rules, X_train, y_train)
        seconds = time.perf_counter() - start
        final = test.scores(edited.model)
        beside = test.beside(before, edited.model, rules)
    result = {
        "initial": initial,
        "modified": modified,
        "final": final,
        **beside,
        "measured": edited.measured,
        "fits": edited.fits,
        "spared": edited.spared,
        "rows_added": edited.rows_added,
        "rows": len(X_train),
        "labels": len(rules.labels),
        "seconds": round(seconds, 3),
    }
    return result if steps is None else {**result, "steps": steps.scores[1:]}


@dataclass(eq=False)
class _Steps:
    """What became of every model that was fitted: the rows it was fitted to, and its scores on unseen ones."""

    test: Unseen
    scores: list[tuple[int, float | None]] = field(default_factory=list)

    def __deepcopy__(self, memo: Any) -> _Steps:  # what scikit-learn's clones have in common
        return self


class Watched(ClassifierMixin, BaseEstimator):
    """A classifier that has every model of it scored as soon as it is fitted."""

    def __init__(self, estimator: Any, steps: Any) -> None:
        self.estimator = estimator
        self.steps = steps

    def fit(self, X: Any, y: Any) -> Watched:
        """Fit the classifier inside, and score it."""
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.estimator_.classes_
        self.steps.scores.append((len(X), self.steps.test.scores(self.estimator_)["objective"]))
        return self

    def predict(self, X: Any) -> Any:
        """Predict as the classifier inside does."""
        return self.estimator_.predict(X)


def _less_sure(rules: RuleSet, confidence: float) -> RuleSet:
    outcomes = [Outcome.of(rule.outcome.labels[0], confidence=confidence) for rule in rules]
    return RuleSet(Rule(rule.name, rule.clause, outcome) for rule, outcome in zip(rules, outcomes, strict=True))


def _modified(run: Run, model: Any, rules: RuleSet, X: Any, y: Any) -> Any:
    """Fit a model to the data after modification, without any synthetic row."""
    modify = dict(run.options).get("modify", PUBLISHED["modify"])
    return FROTE.as_published(model, rules, modify=modify, max_fits=0, random_state=SEED).fit(X, y).estimator_


def _published(run: Run, model: Any, rules: RuleSet, X: Any, y: Any) -> Edited:
    options = {**PUBLISHED, "batch_size": BATCH_SIZES[run.data], "random_state": SEED, **dict(run.options)}
    support = np.zeros(len(rules)) if options["modify"] == "drop" else _support(rules, X)
    unbeatable = Unbeatable(support, 0 if options["evaluate"] == "printed" else options["k"] + 1)
    watching = () if run.progress else (unbeatable,)
    edited = _edited(FROTE.as_published(model, rules, callbacks=watching, **options).fit(X, y))
    if unbeatable.seen:
        return edited._replace(fits=options["max_fits"], spared=options["max_fits"] - edited.fits)
    return edited


def _support(rules: RuleSet, X: Any) -> NDArray[Any]:
    """Return how many rows each rule as written covers, all its pieces together."""
    return np.array([RuleSet(rules.pieces(origin)).coverage(X).any(axis=1).sum() for origin in rules.origins])


class Unbeatable:
    """Ends a published run when no batch can be accepted any more, which spares its other retrainings.

    The published algorithm keeps the score that its model was accepted with, on the rows of that time. Once that is 1
    and every rule has its rows there, no score is above it; what is left are rejections, which change nothing. The
    run counts as many retrainings as the algorithm would have made.

    Parameters
    ----------
    support : ndarray of int
        How many rows each rule covers at least.

    least : int
        How many it must for batches to be judged without themselves.
    """

    def __init__(self, support: NDArray[Any], least: int) -> None:
        self.support = support
        self.least = least
        self.seen = False

    def __call__(self, step: Step) -> bool:
        """Say whether to end, after a step."""
        if step.accepted and step.scores is not None:
            self.support = self.support + step.proposed
            self.seen = step.scores.objective == 1.0 and bool((self.support >= self.least).all())
        return self.seen


def _default(run: Run, model: Any, rules: RuleSet, X: Any, y: Any) -> Edited:
    return _edited(FROTE(model, rules, random_state=SEED, **dict(run.options)).fit(X, y))


def _by_way(run: Run, model: Any, rules: RuleSet, X: Any, y: Any) -> Edited:
    """Put the rules into the model itself, in the way that the method is named by."""
    return _edited(FROTEClassifier(model, rules, how=run.method, random_state=SEED, **dict(run.options)).fit(X, y))


def _edited(editor: FROTE | FROTEClassifier) -> Edited:
    history = editor.history_
    last = history[history["accepted"]].iloc[-1]
    measured = {name: None if pd.isna(last[name]) else float(last[name]) for name in ("agreement", "loss")}
    return Edited(editor.estimator_, int(editor.n_fits_) - 1, int(history["added"].iloc[-1]), measured=measured)


def _override(run: Run, model: Any, rules: RuleSet, X: Any, y: Any) -> Edited:  # noqa: ARG001
    return Edited(OverlayClassifier(model.fit(X, y), rules, mode="hard").fit(X), 0)


def _overlay_soft(run: Run, model: Any, rules: RuleSet, X: Any, y: Any) -> Edited:  # noqa: ARG001
    model.fit(X, y)
    some = np.sort(np.random.default_rng(SEED).permutation(len(X))[:ROWS])
    return Edited(OverlayClassifier(model, rules, mode="soft", originals=explained(model, X.iloc[some])).fit(X), 0)


def _weights(run: Run, model: Any, rules: RuleSet, X: Any, y: Any) -> Edited:  # noqa: ARG001
    """Relabel, and weigh covered rows; the weight with the best objective in three folds of the training data."""
    X, y = FROTE.as_published(model, rules, max_fits=0, random_state=SEED).fit_resample(X, y)
    covered: Any = rules.coverage(X).any(axis=1)
    if not covered.any():
        return Edited(model.fit(X, y), 1)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=SEED).split(X, y))
    means = []
    for weight in WEIGHTS:
        scores = []
        for inside, outside in folds:
            fold = _weighted(model, X.iloc[inside], y.iloc[inside], covered[inside], weight)
            report = score(fold, X.iloc[outside], y.iloc[outside], rules)
            # As in the loop: agreement and F1 count alike; a fold may have no covered row.
            scores.append(np.mean([part for part in (report.agreement, report.f1) if not np.isnan(part)]))
        means.append(np.mean(scores))
    best = WEIGHTS[int(np.argmax(means))]
    return Edited(_weighted(model, X, y, covered, best), 1 + len(WEIGHTS) * len(folds))


def _weighted(model: Any, X: Any, y: Any, covered: Any, weight: float) -> Any:
    return clone(model).fit(X, y, model__sample_weight=np.where(covered, weight, 1.0))


METHODS: dict[str, Callable[[Run, Any, RuleSet, Any, Any], Edited]] = {
    "published": _published,
    "default": _default,
    "weights": _weights,
    **dict.fromkeys(("switches", "anchored", "auto"), _by_way),
    "override": _override,
    "overlay-soft": _overlay_soft,
}
