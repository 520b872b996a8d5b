"""What the sampler and the classifier have in common: parameters, checks, and a run of the loop."""

from __future__ import annotations

import logging
import os
from copy import copy
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.metrics import get_scorer_names
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from frote._sklearn import HasMethods, Interval, StrOptions, fit_context
from frote.caller import warn_caller
from frote.coverage.labels import Labels
from frote.dask.frames import is_lazy
from frote.estimators.edit import Edit, Last, history_of
from frote.estimators.frontier import make_frontier
from frote.estimators.given_rules import tell_skipped
from frote.estimators.held_out import with_held_out
from frote.estimators.input import for_frames
from frote.estimators.ledger import Ledger
from frote.estimators.named import EVALUATIONS, MODIFICATIONS, SCHEDULES, SELECTIONS
from frote.estimators.points import as_it_was, beyond_limit, left_alone, require_as_it_was, scored_step
from frote.estimators.preparing import base_of, identity_of, prepared
from frote.estimators.preview import make_preview
from frote.estimators.recalibration import FOLDS, METHODS, recalibrated, require_calibratable
from frote.estimators.summary import edit_html
from frote.exceptions import RuleWarning, TableError
from frote.loop.checkpoint import Checkpoint
from frote.loop.engine import EditLoop, Past, State, first_joined
from frote.loop.progress import Watch
from frote.loop.training import ALL_FAILED
from frote.rules import Rule, RuleSet
from frote.rules.conflicts import WAYS
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    import pandas as pd
    from numpy.typing import NDArray

    from frote.dask.decided import LazyEdit
    from frote.estimators.prepared import Given, Modified, Prepared
    from frote.estimators.preview import Preview
    from frote.loop.engine import Step
    from frote.loop.evaluation import Evaluation
    from frote.loop.modify import Modification
    from frote.loop.schedule import Schedule
    from frote.selection import Selection

__all__ = ["Editing"]

logger = logging.getLogger("frote")

SAMPLE = 100_000  # rows of each rule that are looked at; of Dask frames, those that are brought to one place
OVERSAMPLE, MOST_ADDED = 0.5, 100_000  # synthetic rows for each row of data, and in all, where the caller says nothing


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
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=base_of(self), method_mapping=mapping)

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
        return make_preview(prepared(copy(self), X, y, checkpoint=None, sample_weight=sample_weight))

    def _edit(self, X: Any, y: Any, sample_weight: Any = None) -> Edit | LazyEdit:
        """Run the loop and set the fitted attributes."""
        if is_lazy(X):
            from frote.dask.editing import edit_lazily

            return edit_lazily(self, X, y, sample_weight)
        if hasattr(self, "strata_"):
            del self.strata_  # of an edit before
        return self._finished(prepared(self, X, y, self.checkpoint, sample_weight=sample_weight), y)

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
        self.history_ = history_of(steps, modified.attribution.ruling.names)
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
        identity = identity_of(self, start.given, base_of(self))
        Checkpoint.open(folder, identity, start.loop.bench.seed).save(start.loop, steps)

    def _picked(self, X: Any, y: Any, folder: str | os.PathLike[str], step: int, initial: Any) -> Self:
        """Return the edit as of a step of a run that `_keep_steps` wrote down; only that step's model is trained.

        `initial` is the initial model, trained on all rows. What is kept is read as if a stranger had written it.
        """
        editor = copy(self)
        start = prepared(editor, X, y, checkpoint=None, initial=initial)
        identity = identity_of(editor, start.given, base_of(editor))
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
