"""What the sampler and the classifier have in common: parameters, checks, and a run of the loop."""

from __future__ import annotations

import logging
import math
import os
import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils import get_tags

from frote._sklearn import HasMethods, Interval, StrOptions, validate_data
from frote.coverage.labels import Labels
from frote.estimators.encoding import default_pipeline
from frote.estimators.input import Target, as_frame, require_classes
from frote.estimators.ledger import make_ledger, source_rows
from frote.exceptions import BindingError, ConflictError, TableError
from frote.generation.sampler import Synthesizer
from frote.loop.engine import EditLoop, FixedSchedule
from frote.loop.evaluation import ActiveRows, HeldOut
from frote.loop.modify import modify
from frote.loop.objective import Objective
from frote.loop.progress import Watch
from frote.loop.task import Task
from frote.loop.training import Trainer, seeded
from frote.rules import Rule, RuleSet, parse_rules, read_rules
from frote.selection import IntegerProgram, OnlineLearning, Uniform
from frote.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from frote.loop.engine import Step
    from frote.loop.evaluation import Evaluation
    from frote.selection import Selection

__all__ = ["Editing", "as_rules"]

logger = logging.getLogger("frote")

SELECTIONS: dict[str, Callable[[], Selection]] = {
    "random": Uniform,
    "ip": IntegerProgram,
    "online": OnlineLearning,
    "online-exact": lambda: OnlineLearning(exact=True),
}


def as_rules(rules: Any) -> RuleSet:
    """Return rules from a rule set, a rule, rule text, the path of a rule file, or a list of any of these."""
    if isinstance(rules, RuleSet):
        return rules
    if isinstance(rules, Rule):
        return RuleSet([rules])
    if isinstance(rules, os.PathLike):
        return read_rules(rules)
    if isinstance(rules, str):
        short = "\n" not in rules and len(rules) < 4096 and "\0" not in rules
        is_path = short and (Path(rules).suffix in (".rules", ".json") or os.path.isfile(rules))
        return read_rules(rules) if is_path else parse_rules(rules)
    return sum((as_rules(one) for one in rules), RuleSet())


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """What a run gave: the training data in the end, of the caller's kind."""

    frame: Any
    labels: Any


class Editing(MetaEstimatorMixin, BaseEstimator):
    """Parameters and run of an edit; the base of `FROTE` and `FROTEClassifier`."""

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "estimator": [HasMethods(["fit", "predict"]), None],
        "rules": [RuleSet, Rule, str, os.PathLike, list, tuple],
        "modify": [StrOptions({"relabel", "drop", "none"})],
        "select": [StrOptions(set(SELECTIONS))],
        "evaluate": [StrOptions({"active", "published"}), tuple, list],
        "agreement_weight": [Interval(Real, 0, 1, closed="both"), StrOptions({"coverage"})],
        "scoring": [StrOptions(set(get_scorer_names())), callable],
        "k": [Interval(Integral, 1, None, closed="left")],
        "oversample": [Interval(Real, 0, None, closed="neither")],
        "max_fits": [Interval(Integral, 0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left"), None],
        "patience": [Interval(Integral, 1, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, None, closed="left"), None],
        "kinds": [dict, None],
        "random_state": ["random_state", np.random.Generator],
        "callbacks": [list, tuple],
        "progress": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        rules: Any = (),
        *,
        modify: str = "relabel",
        select: str = "random",
        evaluate: str | tuple[Any, Any] = "active",
        agreement_weight: float | str = 0.5,
        scoring: str | Callable[..., float] = "f1_weighted",
        k: int = 5,
        oversample: float = 0.5,
        max_fits: int = 200,
        batch_size: int | None = None,
        patience: int | None = None,
        time_limit: float | None = None,
        kinds: Mapping[str, str] | None = None,
        random_state: Any = None,
        callbacks: Any = (),
        progress: bool = False,
    ) -> None:
        self.estimator = estimator
        self.rules = rules
        self.modify = modify
        self.select = select
        self.evaluate = evaluate
        self.agreement_weight = agreement_weight
        self.scoring = scoring
        self.k = k
        self.oversample = oversample
        self.max_fits = max_fits
        self.batch_size = batch_size
        self.patience = patience
        self.time_limit = time_limit
        self.kinds = kinds
        self.random_state = random_state
        self.callbacks = callbacks
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        asked = hasattr(self.estimator, "__sklearn_tags__")
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan if asked else True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _edit(self, X: Any, y: Any) -> Edit:
        """Run the loop and set the fitted attributes."""
        X = as_frame(X)
        table = Table.from_frame(X, kinds=self.kinds)
        validate_data(self, X, skip_check_array=True)
        target = Target.of(y, len(table))
        labels = target.labels
        require_classes(labels, y)
        rules = self._bound_rules(table, labels, y)
        seed = _seed_of(self.random_state)
        estimator = default_pipeline() if self.estimator is None else self.estimator
        trainer = Trainer(seeded(estimator, seed % 2**31), labels, target.natives)

        rules = _without_impossible(rules, table)
        task = Task.of(rules, table, labels.texts, self.k)
        owner = task.owner(task.conditions.evaluate(table))
        kept, changed = modify(task, self.modify, owner, labels.codes, np.random.default_rng([seed, 0]))
        places = np.flatnonzero(kept)
        _require_left(places, changed, self.modify)
        task = Task.of(rules, table.take(places), labels.texts, self.k)
        frame = table.frame_format.take(X, places)
        rows = task.rows(table.take(places), frame, changed[kept], labels.codes[kept])
        loop = EditLoop(
            task,
            rows,
            trainer,
            SELECTIONS[self.select](),
            self._schedule(len(rows), len(task.outcomes)),
            self._evaluation(task, trainer, table),
            seed,
        )
        steps = self._run(loop)
        if loop.failure is not None and all(step.error for step in steps[1:]):
            loop.failure.add_note("Every retraining failed; this was the first failure.")
            raise loop.failure

        state = loop.state
        # A class of which every row was dropped is unknown to the model.
        known = getattr(state.incumbent.model, "classes_", None)
        self.classes_ = np.asarray(target.natives(np.arange(len(labels.classes)))) if known is None else known
        self.rules_ = rules
        self.estimator_ = state.incumbent.model
        self.objective_ = state.incumbent.scores.objective
        self.history_ = _history(steps, task.names)
        self.n_fits_ = len(steps)
        self.ledger_ = make_ledger(task, state, X, kept, labels.codes, changed, owner, target.natives)
        self.sample_indices_ = source_rows(state, kept)
        return Edit(state.incumbent.rows.frame, target.natives(state.incumbent.rows.labels))

    def _bound_rules(self, table: Table, labels: Labels, y: Any) -> RuleSet:
        rules = as_rules(self.rules)
        name = getattr(y, "name", None)
        if name in rules.columns and name not in table.schema:
            raise BindingError(f"A rule has a condition on {name!r}, which is the target. Rules speak of columns of X.")
        rules = rules.bind(table.schema, labels.classes)
        conflicts = rules.conflicts(table)
        if conflicts:
            shown = "\n".join(f"- {conflict}" for conflict in conflicts[:5])
            more = f"\n- and {len(conflicts) - 5} more" if len(conflicts) > 5 else ""
            raise ConflictError(
                f"Rules conflict; resolve them with rules.resolve('exclude'), 'mix' or 'priority':\n{shown}{more}"
            )
        return rules

    def _schedule(self, rows: int, rules: int) -> FixedSchedule:
        size = self.batch_size
        if size is None:
            size = max(math.ceil(self.oversample * rows / max(self.max_fits, 1)), rules * (self.k + 1))
        return FixedSchedule(size, self.oversample * rows, self.max_fits)

    def _evaluation(self, task: Task, trainer: Trainer, table: Table) -> Evaluation:
        weight: Any = self.agreement_weight
        if self.scoring in ("f1_weighted", "f1_macro"):
            objective = Objective(weight, "weighted" if self.scoring == "f1_weighted" else "macro")
        else:
            objective = Objective(weight, scorer=get_scorer(self.scoring))
        if isinstance(self.evaluate, str):
            return ActiveRows(task, objective, trainer, self.k + 1, remember=self.evaluate == "published")
        try:
            X, y = self.evaluate
        except ValueError:
            raise TableError("evaluate is a pair (X_val, y_val), 'active' or 'published'.") from None
        X = as_frame(X)
        held = Table.from_frame(X, kinds=self.kinds)
        if held.schema.names != table.schema.names:
            raise TableError(f"The validation data have columns {held.schema.names}, not {table.schema.names}.")
        for here, there in zip(held.schema, table.schema, strict=True):
            missing = held[here.name].missing
            alike = here.kind is there.kind or (here.kind.is_number and there.kind.is_number)
            if not alike and not (missing is not None and missing.all()):
                raise TableError(
                    f"Column {here.name!r} of the validation data holds {here.kind} values, and {there.kind} ones in X."
                )
        labels = Labels.of(y, len(held), what="y_val")
        unknown = [text for text in labels.texts if text not in task.classes]
        if unknown:
            raise TableError(f"y_val has a class {unknown[0]!r} that y does not have.")
        codes = labels.recoded(task.classes)
        rows = task.rows(held, X, codes, codes)
        unseen = [name for place, name in enumerate(task.names) if not (rows.owner == place).any()]
        if unseen:
            warnings.warn(
                f"No validation row is covered by {_listed(unseen)}: agreement with it counts for nothing.",
                UserWarning,
                stacklevel=4,
            )
        return HeldOut(task, objective, trainer, rows)

    def _run(self, loop: EditLoop) -> list[Step]:
        watch = Watch(self.callbacks, self.patience, self.time_limit, self.progress, self.max_fits)
        steps = []
        for step in watch.steps(loop.run()):
            steps.append(step)
            if step.error:
                logger.warning("step %d failed: %s", step.step, step.error)
        logger.info("editing ended after %d fits: %s", len(steps), watch.reason)
        return steps


def _without_impossible(rules: RuleSet, table: Table) -> RuleSet:
    """Leave out rules that no row of these columns, types and levels can satisfy, and say so."""
    possible = Synthesizer(table, rules).possible
    able = {rule.origin for rule, fits in zip(rules, possible, strict=True) if fits}
    lost = [origin for origin in rules.origins if origin not in able]
    if lost:
        warnings.warn(
            f"No row can satisfy {_listed(lost)} in columns of these types and levels: left out. "
            "Look at the conditions, or convert the columns to types that hold the values they ask for.",
            UserWarning,
            stacklevel=4,
        )
    return RuleSet(rule for rule in rules if rule.origin in able)


def _listed(names: list[str]) -> str:
    return f"rule{'s' if len(names) > 1 else ''} " + ", ".join(repr(name) for name in names)


def _require_left(places: NDArray[np.intp], labels: NDArray[np.intp], how: str) -> None:
    left = len(np.unique(labels[places]))
    if left < 2:
        raise TableError(
            f"After modify={how!r}, {'no row is' if not left else 'rows of one class only are'} left to train on. "
            "Look at what the rules cover with rules.check(X, y), or use modify='none'."
        )


def _seed_of(random_state: Any) -> int:
    """Return a whole number to derive all chance from."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    return int(random_state)


def _history(steps: list[Step], names: tuple[str, ...]) -> pd.DataFrame:
    """Return the steps as a table; what is known per rule as written has a column for each."""
    lines = []
    for step in steps:
        scores = step.scores
        line: dict[str, Any] = {
            "step": step.step,
            "accepted": step.accepted,
            "objective": math.nan if scores is None else scores.objective,
            "previous": step.previous,
            "agreement": math.nan if scores is None else scores.agreement,
            "outside": math.nan if scores is None else scores.outside,
            "proposed": sum(step.proposed),
            "added": step.added,
            "fit_seconds": step.fit_seconds,
            "predict_seconds": step.predict_seconds,
            "other_seconds": step.other_seconds,
            "error": step.error,
        }
        for place, name in enumerate(names):
            line[f"proposed: {name}"] = step.proposed[place]
            line[f"agreement: {name}"] = math.nan if scores is None else scores.per_rule[place]
        lines.append(line)
    return pd.DataFrame(lines)
