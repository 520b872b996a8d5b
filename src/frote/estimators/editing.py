"""What the sampler and the classifier have in common: parameters, checks, and a run of the loop."""

from __future__ import annotations

import logging
import math
import os
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from frote._sklearn import HasMethods, Interval, StrOptions, fit_context
from frote.caller import warn_caller
from frote.coverage.labels import Labels, require_classes
from frote.coverage.ruling import Ruling
from frote.dask.frames import is_lazy
from frote.estimators.encoded import in_codes, require_not_encoded
from frote.estimators.encoding import default_pipeline
from frote.estimators.frontier import make_frontier
from frote.estimators.given_rules import as_rules, bound_rules, possible_rules, resolved_rules, tell_skipped
from frote.estimators.held_out import choose_held_out, validation_rows, with_held_out
from frote.estimators.identity import described, versions
from frote.estimators.input import Target, as_taught, columns_known, for_frames, typed
from frote.estimators.ledger import Ledger
from frote.estimators.named import EVALUATIONS, MODIFICATIONS, SCHEDULES, SELECTIONS, chosen, chosen_evaluation
from frote.estimators.points import as_it_was, beyond_limit, initial_model, left_alone, require_as_it_was, scored_step
from frote.estimators.prepared import Given, Modified, Prepared
from frote.estimators.preview import make_preview
from frote.estimators.recalibration import FOLDS, METHODS, recalibrated, require_calibratable
from frote.estimators.summary import edit_html
from frote.estimators.weights import WEIGHT, as_weights, routed, weight_name
from frote.exceptions import RuleWarning, TableError
from frote.generation.making import Making
from frote.generation.outside import Outside
from frote.generation.possible import tell_in_part
from frote.keys import Sample
from frote.loop.attempts import Bench
from frote.loop.checkpoint import Checkpoint
from frote.loop.engine import EditLoop, Past, State, first_joined
from frote.loop.evaluation import Run
from frote.loop.modify import Contradictions
from frote.loop.objective import Objective
from frote.loop.pool import require_possible
from frote.loop.progress import Watch
from frote.loop.proposal import Proposer
from frote.loop.rows import Rows
from frote.loop.schedule import Limits
from frote.loop.training import ALL_FAILED, Trainer, seeded
from frote.loop.twins import Twins
from frote.rules import Rule, RuleSet
from frote.rules.binding import require_no_sums
from frote.rules.conflicts import WAYS
from frote.table import lent
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    from numpy.typing import NDArray

    from frote.dask.results import LazyEdit
    from frote.estimators.preview import Preview
    from frote.loop.engine import Seeker, Step
    from frote.loop.evaluation import Evaluation
    from frote.loop.modify import Modification
    from frote.loop.schedule import Schedule
    from frote.rules.conflicts import Conflict
    from frote.selection import Selection
    from frote.table import Table, TypedFrame

__all__ = ["Edit", "Editing", "Last", "seed_of"]

logger = logging.getLogger("frote")

SAMPLE = 100_000  # rows of each rule that are looked at; of Dask frames, those that are brought to one place
OVERSAMPLE, MOST_ADDED = 0.5, 100_000  # synthetic rows for each row of data, and in all, where the caller says nothing


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """What a run gave: the training data in the end, and what gives codes of labels the caller's kind."""

    rows: TypedFrame
    codes: NDArray[np.signedinteger[Any]]
    natives: Callable[[NDArray[Any]], Any]

    @property
    def frame(self) -> Any:
        """The rows as the caller's kind of frame."""
        return self.rows.frame

    @property
    def labels(self) -> Any:
        """Their labels, in the caller's kind."""
        return self.natives(self.codes)

    def lent(self) -> tuple[Any, Any]:
        """Return both for the caller, who may write into them."""
        return self.rows.lent(), self.labels


@dataclass(frozen=True, slots=True, eq=False)
class Last:
    """What the last run was given, and what it was trained with, for a report."""

    rows: TypedFrame
    y: Any
    edit: Edit
    trainer: Trainer
    start: Prepared | None  # of the loop; None if there was none
    steps: list[Step]
    weights: NDArray[np.float64] | None = None
    seed: int = 0
    stopped: str = ""  # why the run was ended before its own end

    def initial(self) -> Any:
        """Return the model without any edit, trained as every other one."""
        before = clone(self.trainer.estimator)
        with self.trainer.limited():
            before.fit(self.rows.lent_to(before), lent(as_taught(self.y)), **self.trainer.weighed(self.weights))
        return before


class Editing(MetaEstimatorMixin, BaseEstimator):
    """Parameters and run of an edit; the base of `FROTE` and `FROTEClassifier`."""

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "estimator": [HasMethods(["fit", "predict"]), None],
        "rules": [RuleSet, Rule, str, os.PathLike, list, tuple],
        "resolve": [StrOptions(set(WAYS)), None],
        "modify": [StrOptions(set(MODIFICATIONS)), HasMethods(["modify"])],
        "label_by": [StrOptions({"quota", "lots"})],
        "select": [StrOptions(set(SELECTIONS)), HasMethods(["select"])],
        "schedule": [StrOptions(set(SCHEDULES)), HasMethods(["begin"])],
        "weak_share": [Interval(Real, 0, 1, closed="both")],
        "candidates": [Interval(Integral, 1, None, closed="left")],
        "twins": [Interval(Real, 0, None, closed="left")],
        "max_loss_outside": [Interval(Real, 0, None, closed="left"), None],
        "evaluate": [
            StrOptions(set(EVALUATIONS)),
            HasMethods(["begin"]),
            Interval(Real, 0, 1, closed="neither"),
            tuple,
            list,
        ],
        "agreement_weight": [Interval(Real, 0, 1, closed="both"), StrOptions({"coverage"})],
        "scoring": [StrOptions(set(get_scorer_names())), callable],
        "k": [Interval(Integral, 1, None, closed="left")],
        "oversample": [Interval(Real, 0, None, closed="neither"), None],
        "max_added": [Interval(Integral, 1, None, closed="left"), None],
        "max_batch": [Interval(Integral, 1, None, closed="left"), None],
        "sample": [Interval(Integral, 1, None, closed="left"), None],
        "max_fits": [Interval(Integral, 0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left"), None],
        "patience": [Interval(Integral, 1, None, closed="left"), None],
        "time_limit": [Interval(Real, 0, None, closed="left"), None],
        "n_jobs": [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None],
        "threads": [Interval(Integral, 1, None, closed="left")],
        "kinds": [dict, None],
        "levels": [dict, None],
        "labels": [dict, "array-like", None],
        "on_impossible": [StrOptions({"error", "skip"})],
        "counterexamples": ["boolean"],
        "recalibrate": [StrOptions(set(METHODS)), None],
        "random_state": ["random_state", np.random.Generator],
        "checkpoint": [str, os.PathLike, None],
        "callbacks": [list, tuple],
        "progress": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        rules: Any = (),
        *,
        resolve: str | None = None,
        modify: str | Modification = "relabel",
        label_by: str = "quota",
        select: str | Selection = "random",
        schedule: str | Schedule = "adaptive",
        weak_share: float = 0.75,
        candidates: int = 5,
        twins: float = 0.0,
        max_loss_outside: float | None = None,
        evaluate: str | float | tuple[Any, Any] | Evaluation = "probes",
        agreement_weight: float | str = 0.5,
        scoring: str | Callable[..., float] = "f1_weighted",
        k: int = 5,
        oversample: float | None = None,
        max_added: int | None = None,
        max_batch: int | None = None,
        sample: int | None = SAMPLE,
        max_fits: int = 200,
        batch_size: int | None = None,
        patience: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        threads: int = 1,
        kinds: Mapping[str, str] | None = None,
        levels: Mapping[str, Any] | None = None,
        labels: Any = None,
        on_impossible: str = "error",
        counterexamples: bool = False,
        recalibrate: str | None = None,
        random_state: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        callbacks: Any = (),
        progress: bool = False,
    ) -> None:
        self.estimator = estimator
        self.rules = rules
        self.resolve = resolve
        self.modify = modify
        self.label_by = label_by
        self.select = select
        self.schedule = schedule
        self.weak_share = weak_share
        self.candidates = candidates
        self.twins = twins
        self.max_loss_outside = max_loss_outside
        self.evaluate = evaluate
        self.agreement_weight = agreement_weight
        self.scoring = scoring
        self.k = k
        self.oversample = oversample
        self.max_added = max_added
        self.max_batch = max_batch
        self.sample = sample
        self.max_fits = max_fits
        self.batch_size = batch_size
        self.patience = patience
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.threads = threads
        self.kinds = kinds
        self.levels = levels
        self.labels = labels
        self.on_impossible = on_impossible
        self.counterexamples = counterexamples
        self.recalibrate = recalibrate
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.callbacks = callbacks
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return for_frames(tags, self.estimator)

    def get_metadata_routing(self) -> Any:
        """Return how scikit-learn hands metadata on: ``sample_weight`` to the fits of the estimator.

        Returns
        -------
        MetadataRouter
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=self._base(), method_mapping=mapping)

    def _weights(self, sample_weight: Any, rows: int) -> NDArray[np.float64] | None:
        """Return the weights that models are trained with, if there are such and the estimator asks for them."""
        if sample_weight is not None and routed():
            asked = process_routing(self, "fit", sample_weight=sample_weight)
            sample_weight = asked.estimator.fit.get(WEIGHT)
        return None if sample_weight is None else as_weights(sample_weight, rows)

    def _prepared(
        self,
        X: Any,
        y: Any,
        checkpoint: str | os.PathLike[str] | None,
        initial: Any = None,
        sample_weight: Any = None,
    ) -> Prepared:
        """Read and check everything, modify the data and assemble the loop, which is not started."""
        given = self._read(X, y)
        if sample_weight is not None:
            given = replace(given, weights=self._weights(sample_weight, len(given.rows)))
        estimator = self._base()
        saved, seed = None, seed_of(self.random_state)
        if checkpoint is not None:
            saved = Checkpoint.open(checkpoint, self._identity(given, estimator), seed)
            seed = saved.seed
        modified = self._modified(given, self.modify, seed)
        held_out, loop = self._assembled(given, modified, estimator, seed, initial)
        return Prepared(given, modified, held_out, loop, saved)

    def _base(self) -> Any:
        """Return the estimator that is edited."""
        if self.estimator is not None:
            return self.estimator
        pipeline = default_pipeline()
        if routed():
            pipeline[-1].set_fit_request(sample_weight=True)
        return pipeline

    def _read(self, X: Any, y: Any) -> Given:
        """Read rows, labels and rules, and say what is wrong with them."""
        require_possible(self.n_jobs)
        rows = typed(X, kinds=self.kinds, levels=self.levels)
        columns_known(self, rows.frame)
        target = Target.of(y, len(rows))
        require_classes(target.labels, y)
        written, rules, skipped = self._rules_for(rows.table, target, y)
        tell_in_part(written, rows.table)  # what is resolved has lost what cannot apply
        return Given(rows, target, written, rules, skipped)

    def _rules_for(
        self, table: Table, target: Target, y: Any, conflicts: Callable[[RuleSet], list[Conflict]] | None = None
    ) -> tuple[RuleSet, RuleSet, dict[str, str]]:
        """Return the rules as written, those that are used, bound to rows, and why the others were left out.

        `conflicts` finds them where the table has only the types of the rows.
        """
        written = as_rules(self.rules)
        classes = target.labels.classes
        meant = in_codes(written, self.labels, classes)
        if self.labels is None:
            require_not_encoded(written, classes)
        resolved = resolved_rules(meant, self.resolve, table, classes)
        bound = bound_rules(resolved, table, target.labels, y, conflicts)
        return written, *possible_rules(bound, table, self.on_impossible)

    def _modified(self, given: Given, modify: str | Modification, seed: int) -> Modified:
        """Make the labels agree with the rules."""
        labels, shown = given.target.labels, given.rows
        attribution = Ruling.of(given.rules, labels.texts).on(shown.table)
        modification = chosen(modify, MODIFICATIONS)
        contradictions = Contradictions(attribution, labels.codes, self.label_by == "quota")
        kept, changed = modification.modify(contradictions, np.random.default_rng([seed, 0]))
        _require_left(kept, changed, modify)
        whole = shown.is_large and bool(kept.all())  # then what is known of the rows is not put together again
        left = shown.counted_anew() if whole else shown.take(np.flatnonzero(kept))
        places = slice(None) if whole else np.flatnonzero(kept)
        weights = None if given.weights is None else given.weights[places]
        # A row that is made weighs as much as those of the data do on the mean, so that batches keep their share.
        weight = None if weights is None else float(weights.mean())
        making = Making.of(attribution.ruling, left.table, self.k, weight, Sample(self.sample, seed))
        known = attribution if whole else None
        rows = Rows.of(making, left, changed[places], labels.codes[places], weights=weights, attribution=known)
        return Modified(attribution, kept, rows.labels if whole else changed, making, rows)

    def _assembled(
        self,
        given: Given,
        modified: Modified,
        estimator: Any,
        seed: int,
        before: Any,
        trainer: Trainer | None = None,
    ) -> tuple[NDArray[np.bool_], EditLoop]:
        """Choose the rows to hold out, and put the parts of the loop together; `before` may be the initial model."""
        making, rows, labels = modified.making, modified.rows, given.target.labels
        evaluation = chosen_evaluation(self.evaluate)
        held_out = choose_held_out(rows, evaluation.hold_out, seed)
        parts = [rows.take(np.flatnonzero(part)) for part in (~held_out, held_out)] if held_out.any() else [rows, rows]
        active, judged = parts

        def read(X_val: Any, y_val: Any) -> Rows:
            return validation_rows(X_val, y_val, making.ruling, given.rows.table.schema, labels)

        trainer = self._trainer(given, estimator, seed) if trainer is None else trainer
        guarded = self.twins > 0 or self.max_loss_outside is not None
        initial = initial_model(trainer, given, modified, held_out, before) if guarded else None
        run = Run(making, self._objective(), judged, active, seed, initial, read)
        twins = Twins(making, Outside(active.attribution, making.sample), self.twins) if self.twins else None
        selection = chosen(self.select, SELECTIONS)
        by_quota = self.label_by == "quota"
        proposer = Proposer(making, active, selection, self.weak_share, self.candidates, twins, by_quota)
        planner = chosen(self.schedule, SCHEDULES).begin(self._limits(len(active), len(making.ruling.outcomes)))
        limit = None if self.max_loss_outside is None else float(self.max_loss_outside)
        bench = Bench(trainer, proposer, planner, evaluation.begin(run), seed, initial, limit)
        return held_out, EditLoop(active, bench, self.n_jobs, self._seeker(active, making), int(self.max_fits))

    def _seeker(self, rows: Rows, making: Making) -> Seeker | None:
        """Return what looks for counterexamples, if they are to join."""
        if not self.counterexamples:
            return None
        for rule in making.ruling.rules:
            how = way_out("use counterexamples=False", "leave --counterexamples out")
            require_no_sums(
                [rule.clause], f"Rule {rule.origin!r}", f"and counterexamples to such a rule are not looked for; {how}"
            )
        from frote.evidence.joining import Counterexamples  # it opens what estimators are made of, these among them

        return Counterexamples(rows, making)

    def _trainer(self, given: Given, estimator: Any, seed: int) -> Trainer:
        labels, taught = given.target.labels, given.target.taught
        trainer = Trainer(seeded(estimator, seed % 2**31, self.threads), labels, taught, self.threads)
        return trainer if given.weights is None else replace(trainer, weight_name=weight_name(trainer.estimator))

    @fit_context(prefer_skip_nested_validation=False)
    def preview(self, X: Any, y: Any, sample_weight: Any = None) -> Preview:
        """Say what an edit would do, at the price of one fit, or two with twins; nothing is kept.

        For an integer `random_state`, the rows relabelled, dropped and covered, the conditions left out and the first
        batch are those of the run itself. How many rows are added in the end cannot be known before. Of a Dask frame,
        rows covered and changed are counted in all of it; the first model and batch are those of the sample.

        Parameters
        ----------
        X : pandas, polars or Dask DataFrame, or array
            The rows.

        y : array-like
            Their labels.

        sample_weight : array-like, default=None
            What each row weighs, as in `fit`.

        Returns
        -------
        Preview

        Examples
        --------
        >>> import frote
        >>> loans = frote.datasets.load_loans(500)
        >>> editor = frote.FROTE(rules="young: IF age < 29 AND defaults = 0 THEN approved", random_state=0)
        >>> editor.preview(loans.X, loans.y).rules[["covered", "relabelled", "first_batch"]]
               covered  relabelled  first_batch
        rule
        young       62          57           25
        """
        if is_lazy(X):
            from frote.dask.editing import preview_lazily

            return preview_lazily(self, X, y, sample_weight)
        # In a copy: what is read of the columns would make an estimator look fitted.
        return make_preview(copy(self)._prepared(X, y, checkpoint=None, sample_weight=sample_weight))

    def _edit(self, X: Any, y: Any, sample_weight: Any = None) -> Edit | LazyEdit:
        """Run the loop and set the fitted attributes."""
        if is_lazy(X):
            from frote.dask.editing import edit_lazily

            return edit_lazily(self, X, y, sample_weight)
        if hasattr(self, "strata_"):
            del self.strata_  # of an edit before
        return self._finished(self._prepared(X, y, self.checkpoint, sample_weight=sample_weight), y)

    def _finished(self, start: Prepared, y: Any) -> Edit:
        """Run a loop that is ready to its end, and set the fitted attributes."""
        given, modified, loop = start.given, start.modified, start.loop
        tell_skipped(given.skipped)
        if self.recalibrate is not None:
            if given.weights is not None:
                raise TableError("sample_weight is not known to recalibration. Leave one of the two out.")
            require_calibratable(loop.bench.trainer.estimator, modified)
        steps, stopped = self._run(loop, start.checkpoint)
        failure = loop.failure
        if failure is not None and all(step.error for step in steps[1:]):
            failure.add_note(ALL_FAILED)
            raise failure

        state, more = loop.state, 0
        unedited = beyond_limit(loop)
        if unedited:
            ways = way_out(
                "Raise max_loss_outside; frontier_ has what each loss buys",
                "Raise --max-loss; see the report's frontier",
                "Allow more loss; the frontier has what each loss buys",
            )
            warn_caller(f"{unedited} {ways}.", RuleWarning)
            state, modified = as_it_was(loop, modified, given), left_alone(modified, given)
        elif start.held_out.any():
            state, more = with_held_out(loop, modified.rows, start.held_out), 1
        return self._settle(start, modified, state, steps, y, unedited, more, stopped=stopped)

    def _settle(
        self,
        start: Prepared,
        modified: Modified,
        state: State,
        steps: list[Step],
        y: Any,
        unedited: str,
        more: int,
        picked: int | None = None,
        stopped: str = "",
    ) -> Edit:
        """Set the fitted attributes by where a run ended, or by a point on its way."""
        loop = start.loop
        joined = first_joined(steps, loop.bench.planner) if self.counterexamples else None
        edit = self._keep(start.given, modified, state, steps, joined)
        if self.recalibrate is not None and not unedited and picked != -1:
            trainer, seed = loop.bench.trainer, loop.bench.seed
            self.estimator_ = recalibrated(state, modified, trainer, self.recalibrate, seed)
            more += FOLDS
        self.n_fits_ += more + (loop.bench.initial is not None)
        self.frontier_ = make_frontier(steps, loop.bench.judge)
        self.unedited_ = unedited
        self.picked_ = picked
        trainer, weights = loop.bench.trainer, start.given.weights
        self._last = Last(start.given.rows, y, edit, trainer, start, steps, weights, loop.bench.seed, stopped)
        return edit

    def _keep(
        self, given: Given, modified: Modified, state: State, steps: list[Step], joined: int | None = None
    ) -> Edit:
        """Set the fitted attributes that every way of editing has alike."""
        # A class of which every row was dropped is unknown to the model.
        model_classes = getattr(state.incumbent.model, "classes_", None)
        labels, natives = given.target.labels, given.target.natives
        self.classes_ = np.asarray(natives(np.arange(len(labels.classes)))) if model_classes is None else model_classes
        self.rules_ = given.rules
        self.skipped_ = given.skipped
        self.estimator_ = state.incumbent.model
        self.objective_ = state.incumbent.scores.objective
        self.history_ = _history(steps, modified.attribution.ruling.names)
        self.n_fits_ = len(steps)
        self._ledger = Ledger.of(given, modified, state, joined)
        for made in ("ledger_", "sample_indices_"):  # of an edit before
            self.__dict__.pop(made, None)
        self.sample_weight_ = state.incumbent.rows.weights
        return Edit(state.incumbent.rows.shown, state.incumbent.rows.labels, natives)

    @cached_property
    def ledger_(self) -> pd.DataFrame:
        """What became of every row; made when it is first asked for, since it takes more memory than the data."""
        return self._told_by("ledger_").frame()

    @cached_property
    def sample_indices_(self) -> NDArray[np.intp]:
        """The row of the data that each row of the result is or goes back to; made when it is first asked for."""
        return self._told_by("sample_indices_").sources()

    def _told_by(self, name: str) -> Ledger:
        ledger: Ledger | None = self.__dict__.get("_ledger")
        if ledger is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return ledger

    def at(self, step: int) -> Self:
        """Return the edit as of a step, accepted or not: a point of `frontier_`, trained again.

        Parameters
        ----------
        step : int
            The number of the step in `history_`; -1 is the initial model, on the data as they came.

        Returns
        -------
        FROTE or FROTEClassifier
            As this one, as if the run had ended there; `resampled` gives its data.

        Raises
        ------
        TableError
            If there is no such step, no model came of it, or the editor comes from a file.

        Examples
        --------
        >>> import frote
        >>> loans = frote.datasets.load_loans(500)
        >>> rules = "young: IF age < 29 AND defaults = 0 THEN approved"
        >>> editor = frote.FROTE(rules=rules, max_fits=3, random_state=0).fit(loans.X, loans.y)
        >>> editor.at(0).ledger_["status"].value_counts().to_dict()
        {'kept': 443, 'relabelled': 57}
        """
        last = self._require_last("An editor from a file has no data to go back to. Fit it again.")
        start = last.start
        if start is None:
            raise TableError("Only an edit by data can be had as of a step: how='data'.")
        past = Past(tuple(last.steps), tuple(start.loop.tried), start.loop.plan)
        return self._as_of(step, start, past, last.y, checked=False, stopped=last.stopped)

    def _as_of(self, step: int, start: Prepared, past: Past, y: Any, *, checked: bool, stopped: str = "") -> Self:
        """Return the edit as of a step of a run; `checked`: whether the model must answer as that of the run did."""
        loop, modified = start.loop, start.modified
        if step == -1:
            state, modified = as_it_was(loop, modified, start.given), left_alone(modified, start.given)
        else:
            scored = scored_step(past.steps, step, loop.bench.judge)
            state = loop.at(past, scored)
            if checked:
                require_as_it_was(loop, state, scored)
            if start.held_out.any():
                state = with_held_out(loop, modified.rows, start.held_out, state)
        editor = copy(self)
        editor._settle(start, modified, state, list(past.steps), y, "", 0, step, stopped)
        return editor

    def _keep_steps(self, folder: str | os.PathLike[str]) -> None:
        """Write down all that `_picked` needs to have the edit as of any step; nothing if no loss was measured."""
        start, steps = self._last.start, self._last.steps
        if start is None or self.frontier_.empty:
            return
        identity = self._identity(start.given, self._base())
        Checkpoint.open(folder, identity, start.loop.bench.seed).save(start.loop, steps)

    def _picked(self, X: Any, y: Any, folder: str | os.PathLike[str], step: int, initial: Any) -> Self:
        """Return the edit as of a step of a run that `_keep_steps` wrote down; only that step's model is trained.

        `initial` is the initial model, trained on all rows. What is kept is read as if a stranger had written it.
        """
        editor = copy(self)
        start = editor._prepared(X, y, checkpoint=None, initial=initial)
        identity = editor._identity(start.given, editor._base())
        loop = start.loop
        past = Checkpoint(Path(folder), identity, loop.bench.seed).kept(loop)
        loop.tried, loop.plan = list(past.tried), past.plan
        return editor._as_of(step, start, past, y, checked=True)

    def resampled(self) -> tuple[Any, Any]:
        """Return the data that the edited model was trained on, as `FROTE.fit_resample` does.

        Returns
        -------
        X_new, y_new : as X and y of `fit`

        Examples
        --------
        >>> import frote
        >>> loans = frote.datasets.load_loans(500)
        >>> rules = "young: IF age < 29 AND defaults = 0 THEN approved"
        >>> editor = frote.FROTE(rules=rules, max_fits=1, random_state=0).fit(loans.X, loans.y)
        >>> len(editor.resampled()[0]) == len(editor.ledger_)
        True
        """
        return self._require_last("An editor from a file has no data. Fit it again.").edit.lent()

    def _require_last(self, message: str) -> Last:
        check_is_fitted(self)
        if hasattr(self, "strata_"):
            raise TableError(
                "An edit of a Dask frame has neither report nor other steps. Take the rows of fit_resample, and judge "
                "models by frote.score and frote.compare_models."
            )
        last: Last | None = getattr(self, "_last", None)
        if last is None:
            raise TableError(message)
        return last

    def _repr_html_inner(self) -> Any:
        return self._summary() + super()._repr_html_inner()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        shown = super()._repr_mimebundle_(**kwargs)
        return {**shown, "text/html": self._summary() + shown["text/html"]} if "text/html" in shown else shown

    def _summary(self) -> str:
        """Return what stands above scikit-learn's diagram in a notebook: nothing before there is an edit."""
        if not hasattr(self, "ledger_") or hasattr(self, "strata_"):
            return ""  # the ledger of a Dask frame is not counted to show a picture
        reportable = hasattr(self, "_last")
        return edit_html(
            self.rules_, self.history_, self.ledger_, self.scoring, reportable=reportable, skipped=self.skipped_
        )

    def __getstate__(self) -> Any:
        # Files of an editor do not hold the data that it was fitted to.
        state = dict(super().__getstate__())
        state.pop("_last", None)
        return state

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        test: Any = None,
        about: Mapping[str, Any] | None = None,
        seen: str | None = None,
        protected: Any = (),
        favourable: Any = None,
        threshold: float | None = None,
        cost: Mapping[Any, Mapping[Any, float]] | None = None,
        repeat: int = 1,
    ) -> None:
        """Write a report of the edit: one HTML file that a committee can read.

        It costs one more fit, of the estimator to the data as they were.

        Parameters
        ----------
        path : str or path
            The file to write.

        test : tuple, default=None
            Rows and their labels to judge on, with the columns of the data in any order; without them, the data are
            judged on.

        about : mapping, default=None
            Facts to be shown: ``title``, ``owner``, ``approver``, ``effective``, or any other.

        seen : {"drop", "keep"} or None, default=None
            What to do with rows to judge on that also stand in the data: leave them out, or judge on them too. None
            leaves them out, unless rows of the data recur by themselves as often, and is an error where they are more
            than half of the rows. The report says first how many there are.

        protected, favourable, threshold, cost : default=() and None
            What is protected, the label that people hope for, the threshold on its probability, and what predictions
            cost, as for `compare_models`.

        repeat : int, default=1
            How many seeds to make the edit with, this one's and those that follow, so that the report says how far it
            depends on chance, as `stability` does. Each costs an edit.

        Examples
        --------
        >>> import frote, tempfile
        >>> loans = frote.datasets.load_loans(300)
        >>> editor = frote.FROTE(rules="young: IF age < 29 AND defaults = 0 THEN approved", random_state=0, max_fits=2)
        >>> editor = editor.fit(loans.X, loans.y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     editor.report(f"{folder}/edit.html", about={"owner": "Credit policy"})
        """
        from frote.estimators.stability import repeated
        from frote.estimators.to_judge import ToJudge
        from frote.report import gather, write_report

        last = self._require_last("An editor from a file has no data to report on. Fit it again.")
        result = last.edit.frame, last.edit.labels
        before = last.initial()
        judged = None
        if test is not None:
            judged = ToJudge.of(test, last.rows.table, Labels.of(last.y), seen=seen)
        seeds = None if repeat == 1 else repeated(self, judged, repeat, before=before)
        with last.trainer.limited():  # as every fit
            summary = gather(
                self,
                before,
                last.rows,
                last.y,
                test=judged,
                result=result,
                about=about,
                seeds=seeds,
                protected=protected,
                favourable=favourable,
                threshold=threshold,
                cost=cost,
            )
        write_report(summary, path)

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        test: Any = None,
        about: Mapping[str, Any] | None = None,
        seen: str | None = None,
        protected: Any = (),
        favourable: Any = None,
        threshold: float | None = None,
        cost: Mapping[Any, Mapping[Any, float]] | None = None,
        repeat: int = 1,
        format: str = "csv",  # noqa: A002
        force: bool = False,
    ) -> None:
        """Write a folder like that of ``frote edit``: data, ledger, rules, both models, report, and a record of it all.

        Beside these it holds the rows that the editor was fitted to, those to judge on and the untrained estimator, so
        that ``frote replay FOLDER`` makes the edit again and compares. What no record can say is told by a warning, and
        stands in the record: then the folder can be verified and not replayed. It costs one more fit, as `report`.

        Parameters
        ----------
        folder : str or path
            The folder, which is there as a whole or not at all.

        test, about, seen, protected, favourable, threshold, cost, repeat
            As for `report`.

        format : {"csv", "tsv", "psv", "json lines", "parquet", "feather"}, default="csv"
            How tables are written. CSV has no way to write an empty text, or the text NA, that is not missing; Parquet,
            which needs ``frote[files]``, has.

        force : bool, default=False
            Whether a folder may be replaced that holds an edit and nothing else.

        Warns
        -----
        RecordWarning
            If the edit cannot be repeated from the folder, with the reason, such as a strategy or a validation set of
            the caller's own; or if the estimator holds types that whoever repeats it must trust.

        Raises
        ------
        FroteError
            If something cannot be written.

        Examples
        --------
        >>> import frote, os, tempfile
        >>> loans = frote.datasets.load_loans(300)
        >>> editor = frote.FROTE(rules="young: IF age < 29 AND defaults = 0 THEN approved", random_state=0, max_fits=2)
        >>> X_new, y_new = editor.fit_resample(loans.X, loans.y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     editor.save(f"{folder}/edit", about={"owner": "Credit policy"})
        ...     print(*sorted(os.listdir(f"{folder}/edit")))
        augmented.csv before.skops data.csv edit.json estimator.skops ledger.csv model.skops report.html ...
        """
        from frote.edits.saving import save

        save(
            self,
            folder,
            test=test,
            about=about,
            seen=seen,
            judge_by={"protected": protected, "favourable": favourable, "threshold": threshold, "cost": cost},
            repeat=repeat,
            format=format,
            force=force,
        )

    def _identity(self, given: Given, estimator: Any) -> dict[str, str]:
        """Return what makes a run what it is; what only watches it or speeds it up is left out."""
        labels = given.target.labels
        # The rules are those that are used, so that `resolve`, `labels` and `on_impossible` say nothing more.
        # Only edits by data have checkpoints, so that `how` says nothing either; `recalibrate` is of what comes after.
        aside = {
            "estimator",
            "rules",
            "resolve",
            "labels",
            "n_jobs",
            "time_limit",
            "callbacks",
            "progress",
            "checkpoint",
            "on_impossible",
            "how",
            "recalibrate",
        }
        aside |= set() if self.counterexamples else {"counterexamples"}  # what is not used makes no other run
        settings = {name: value for name, value in self.get_params(deep=False).items() if name not in aside}
        if isinstance(self.random_state, np.random.RandomState | np.random.Generator):
            settings["random_state"] = type(self.random_state)  # every call of it gives another seed
        return {
            **versions(estimator),
            "data": given.rows.table.digest(),
            "labels": described([labels.codes.astype(np.intp), list(labels.classes)]),
            "rules": str(given.rules),
            **({} if given.weights is None else {WEIGHT: described(given.weights)}),
            "estimator": described(estimator),
            **{name: described(value) for name, value in settings.items()},
        }

    def _limits(self, rows: int, rules: int) -> Limits:
        # NumPy's own numbers do not go to JSON.
        size = None if self.batch_size is None else int(self.batch_size)
        share, cap = self.oversample, self.max_added
        if share is None:
            share, cap = OVERSAMPLE, MOST_ADDED if cap is None else cap
        most = min(float(share) * rows, math.inf if cap is None else int(cap))
        most_in_batch = None if self.max_batch is None else int(self.max_batch)
        most_added = None if self.max_added is None else int(self.max_added)
        return Limits(
            rows, rules, self.k, most, self.max_fits, size, self.patience, self.twins > 0, most_in_batch, most_added
        )

    def _objective(self) -> Objective:
        weight: Any = self.agreement_weight
        weight = weight if isinstance(weight, str) else float(weight)
        if self.scoring in ("f1_weighted", "f1_macro"):
            return Objective(weight, "weighted" if self.scoring == "f1_weighted" else "macro")
        return Objective(weight, scorer=get_scorer(self.scoring))

    def _run(self, loop: EditLoop, checkpoint: Checkpoint | None) -> tuple[list[Step], str]:
        """Run the loop; return its steps and, if it was ended early, why."""
        past = None if checkpoint is None else checkpoint.past(loop)
        steps = [] if past is None else list(past.steps)
        watch = Watch(self.callbacks, self.time_limit, self.progress, lambda: loop.likely_steps)
        for step in watch.steps(loop.run() if past is None else loop.resume(past)):
            steps.append(step)
            if checkpoint is not None:
                checkpoint.save(loop, steps)
            if step.error:
                logger.warning("step %d failed: %s", step.step, step.error)
        logger.info("editing ended after %d fits: %s", len(steps), watch.reason or loop.ended)
        return steps, watch.reason


def _require_left(kept: NDArray[np.bool_], labels: NDArray[np.intp], how: str | Modification) -> None:
    left = np.count_nonzero(np.bincount(labels[kept]))
    if left < 2:
        after = way_out(f"modify={how!r}", f"--modify {how}", f"{how!r}")
        ways = way_out(
            "rules.check(X, y), or use modify='none'",
            "frote check, or add --modify none",
            "the policy room, or let rows stay whose label contradicts a rule",
        )
        raise TableError(
            f"After {after}, {'no row is' if not left else 'rows of one class only are'} left to train on. "
            f"Look at what the rules cover with {ways}."
        )


def seed_of(random_state: Any) -> int:
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
            "guards": step.guards,
            "loss": math.nan if scores is None or scores.loss is None else scores.loss,
            "fit_seconds": step.fit_seconds,
            "predict_seconds": step.predict_seconds,
            "other_seconds": step.other_seconds,
            "error": step.error,
        }
        for rule, name in enumerate(names):
            line[f"proposed: {name}"] = step.proposed[rule]
            line[f"agreement: {name}"] = math.nan if scores is None else scores.per_rule[rule]
        lines.append(line)
    return pd.DataFrame(lines)
