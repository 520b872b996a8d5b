"""Edits of Dask frames: a sample decides, and partitions apply what was decided.

One pass tells the types; a second one, over the columns of the rules, which rows are brought to one place; a third one
brings them. The loop that edits in memory runs on these. Where they are all there are, the edit is the one in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.caller import warn_caller
from frote.coverage.labels import Labels, require_classes
from frote.coverage.ruling import Ruling
from frote.dask.checking import conflicts_lazily
from frote.dask.frames import computed, folded, is_lazy
from frote.dask.local import is_distributed
from frote.dask.relabelling import ByKeys, keyed
from frote.dask.results import DROPPED, LABELS, LINES, ROWS, SOURCES, Applied, as_partitions, lazy_array, lazy_frame
from frote.dask.sampling import brought, side_by_side, stacked
from frote.dask.strata import Strata, Taking
from frote.dask.training import LazyTrainer, require_client, require_codes
from frote.dask.whole import LazyRows
from frote.estimators.editing import seed_of
from frote.estimators.input import Target, columns_known
from frote.estimators.prepared import Given, Prepared
from frote.estimators.weights import routed, weight_name
from frote.exceptions import SampleWarning, TableError
from frote.generation.possible import able, tell_in_part
from frote.loop.checkpoint import Checkpoint
from frote.loop.initial import Initial
from frote.loop.training import seeded
from frote.table import TypedFrame
from frote.ways_out import way_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.estimators.editing import Edit, Editing, Last
    from frote.estimators.prepared import Modified
    from frote.estimators.preview import Preview
    from frote.rules import RuleSet

__all__ = ["Decided", "LazyEdit", "edit_lazily", "preview_lazily"]

MADE = ("synthetic", "guard")


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """What an edit of a Dask frame was decided on.

    Parameters
    ----------
    rows : LazyRows
        The whole.

    target : Target
        The classes, with a label of each as it came.

    strata : Strata
        What was brought to one place.

    last : Last
        The run on that.

    made : DataFrame
        The lines of the ledger for rows that were made.
    """

    rows: LazyRows
    target: Target
    strata: Strata
    last: Last
    made: pd.DataFrame

    @property
    def brought(self) -> int:
        """How many rows batches were made on."""
        return len(self.last.rows)

    def before(self) -> Any:
        """Return the model without any edit, trained as every other one."""
        start = self.last.start
        assert start is not None  # only edits by data are decided so
        initial = start.loop.bench.initial
        given = start.given
        own = Initial(self.last.trainer, given.rows, given.target.labels.codes, weights=given.weights)
        return (own if initial is None or len(initial.rows) < len(given.rows) else initial).model


@dataclass(frozen=True, slots=True, eq=False)
class LazyEdit:
    """What a run gave: the training data in the end, as lazy frames, and what decided on them."""

    frame: Any
    labels: Any
    decided: Decided

    def lent(self) -> tuple[Any, Any]:
        """Return both; nobody can write into them."""
        return self.frame, self.labels


def edit_lazily(editor: Editing, X: Any, y: Any, sample_weight: Any = None) -> LazyEdit:
    """Edit a Dask frame, and set the fitted attributes; see `FROTE.fit_resample`.

    Parameters
    ----------
    editor : FROTE or FROTEClassifier
        The editor.

    X : Dask DataFrame
        The rows.

    y : Dask Series
        Their labels.

    sample_weight : object, default=None
        Not to be given.

    Returns
    -------
    LazyEdit
    """
    if sample_weight is not None:
        raise TableError("sample_weight is for frames in memory. Leave it out, or give X.compute().")
    if isinstance(editor.evaluate, tuple | list) and any(map(is_lazy, editor.evaluate)):
        raise TableError("Models are compared in one place. Give evaluate=(X_val.compute(), y_val.compute()).")
    rows = LazyRows.of(X, y, kinds=editor.kinds, levels=editor.levels)
    target = _target(rows)
    distributed = is_distributed(editor._base())
    if distributed:
        require_client(editor.estimator)
        require_codes(editor.estimator, target.labels)
    written, rules, skipped = editor._rules_for(
        rows.survey.witness, target, y, lambda bound: conflicts_lazily(bound, X, rows)
    )
    ruling = Ruling.of(rules, target.labels.texts)
    fits = tuple(able(rules, rows.survey.witness))
    strata = Strata.of(rows, ruling, fits, _seed_of_sample(editor), _most(editor, rows))
    edit = _in_memory(editor, rows, target, strata) if strata.whole and not distributed else None
    if edit is None:
        edit = _Sampled.of(editor, rows, target, strata, rules, distributed).edited(written, skipped)
    editor.strata_ = strata.frame
    return edit


def preview_lazily(editor: Editing, X: Any, y: Any, sample_weight: Any = None) -> Preview:
    """Preview an edit of a Dask frame that has no more rows than a stratum may; see `FROTE.preview`."""
    rows = LazyRows.of(X, y)
    if len(rows) > _most(editor, rows):
        raise TableError("A preview needs all rows in one place. Give it some of them, such as X.head(100_000).")
    frame, labels = brought(rows, len(rows), 0, "whole")
    preview: Preview = editor.preview(frame.reset_index(drop=True), labels, sample_weight)
    return preview


def _most(editor: Editing, rows: LazyRows) -> int:
    """Return how many rows of each stratum are brought to one place."""
    return max(len(rows), 1) if editor.sample is None else int(editor.sample)


def _target(rows: LazyRows) -> Target:
    """Return the classes of the whole, with a label of each as it came."""
    labels = rows.survey.labels
    target = Target.of(labels, 0 if labels is None else len(labels))
    require_classes(target.labels, labels)
    return target


def _seed_of_sample(editor: Editing) -> int:
    """Return where the chance of the sample comes from: not from a state that differs at every call.

    A run that goes on from its checkpoint must have the same sample.
    """
    return int(editor.random_state) if isinstance(editor.random_state, Integral) else 0


def _in_memory(editor: Editing, rows: LazyRows, target: Target, strata: Strata) -> LazyEdit:
    """Edit as in memory, and cut what came of it into partitions."""
    frame, labels = brought(rows, len(rows), 0, "whole")
    frame = frame.reset_index(drop=True)
    edit = editor._edit(frame, labels.reset_index(drop=True))
    count = max(1, rows.X.npartitions)
    decided = Decided(rows, target, strata, editor._last, _lines_made(editor.ledger_))
    editor.ledger_ = _cut(editor.ledger_, count)
    editor.sample_indices_ = lazy_array(as_partitions(editor.sample_indices_, count), np.intp)
    del editor._last
    return LazyEdit(_cut(edit.frame, count), _cut(edit.labels, count), decided)


def _cut(rows: Any, count: int) -> Any:
    return lazy_frame(as_partitions(rows, count), rows.iloc[:0])


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What is brought of a partition: rows with their codes, keys and the chance with which each was taken.

    `place`: which each is among the rows of the partition that stay, of which there are `kept`.
    """

    frame: pd.DataFrame
    codes: NDArray[np.intp]
    keys: NDArray[np.int64]
    share: NDArray[np.float64]
    place: NDArray[np.intp]
    kept: int


@dataclass(frozen=True, slots=True, eq=False)
class _Bringing:
    taking: Taking
    how: str

    def at(self, place: int, frame: pd.DataFrame, y: Any) -> dict[int, _Part]:
        """Take the rows of a partition that are to be brought."""
        taking = self.taking
        rows, own = taking.ruling.on(taking.types.table(frame)), taking.types.codes(y)
        assert own is not None  # an edit has labels
        share, start = taking.shares(place, rows), taking.starts[place]
        keys = np.arange(start, start + len(frame))
        kept = np.ones(len(frame), dtype=bool)
        if self.how == "drop":
            kept, _ = keyed(rows, own, keys, self.how, taking.seed)
        taken = np.flatnonzero(share)
        places = (np.cumsum(kept) - 1)[taken]
        return {place: _Part(frame.iloc[taken], own[taken], keys[taken], share[taken], places, int(kept.sum()))}


@dataclass(frozen=True, slots=True, eq=False)
class _Sampled:
    """An edit that a sample decides on.

    Parameters
    ----------
    editor : Editing
        The editor.

    how : {"relabel", "drop", "none"}
        What becomes of rows that contradict their rule.

    rows : LazyRows
        The whole.

    target : Target
        The classes, with a label of each as it came.

    strata : Strata
        What was brought.

    rules : RuleSet
        The rules, bound to the data.

    parts : list of _Part
        What was brought of each partition.

    distributed : bool
        Whether models are trained on the whole.
    """

    editor: Editing
    how: str
    rows: LazyRows
    target: Target
    strata: Strata
    rules: RuleSet
    parts: list[_Part]
    distributed: bool

    @classmethod
    def of(
        cls, editor: Editing, rows: LazyRows, target: Target, strata: Strata, rules: RuleSet, distributed: bool
    ) -> _Sampled:
        """Bring the sample to one place."""
        how = _require_servable(editor, strata, distributed)
        parts = computed(folded(rows.each(_Bringing(strata.taking, how)), side_by_side))
        in_order = [parts[place] for place in sorted(parts)]
        return cls(editor, how, rows, target, strata, rules, in_order, distributed)

    def _joined(self, name: str) -> NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in self.parts])

    def edited(self, written: RuleSet, skipped: dict[str, str]) -> LazyEdit:
        """Run the loop on the sample, and apply what came of it to the partitions."""
        editor = self.editor
        frame = stacked([part.frame for part in self.parts]).reset_index(drop=True)
        shown = TypedFrame(self.rows.survey.typed(frame), frame)
        columns_known(editor, frame)
        tell_in_part(written, shown.table)
        codes = self._joined("codes")
        target = Target(Labels(codes, self.target.labels.classes), self.target.examples)
        weights, why_not = self._weights()
        given = Given(shown, target, written, self.rules, skipped, weights)
        start = self._prepared(given)
        self._tell(len(frame), start.modified, why_not)
        sampled = editor._finished(start, target.natives(codes))
        return self._settled(start, sampled)

    def _weights(self) -> tuple[NDArray[np.float64] | None, str]:
        """Return what each row of the sample stands for; None, and why, where the estimator cannot be told."""
        share = self._joined("share")
        if (share == 1).all():
            return None, ""
        try:
            weight_name(self.editor._base())
        except TableError:
            return None, f"unweighted, since {type(self.editor._base()).__name__} takes no weights"
        return (None, "unweighted, since weights are routed by scikit-learn") if routed() else (1 / share, "")

    def _prepared(self, given: Given) -> Prepared:
        """Put the loop together."""
        editor, estimator = self.editor, self.editor._base()
        saved, seed = None, seed_of(editor.random_state)
        if editor.checkpoint is not None:
            identity = {**editor._identity(given, estimator), "rows": str(len(self.rows))}
            saved = Checkpoint.open(editor.checkpoint, identity, seed)
            seed = saved.seed
        modified = editor._modified(given, ByKeys(self._joined("keys"), self.how, seed), seed)
        trainer = self._trainer(given, modified, seed) if self.distributed else None
        held_out, loop = editor._assembled(given, modified, estimator, seed, None, trainer)
        return Prepared(given, modified, held_out, loop, saved)

    def _applied(self, how: str, seed: int, made: int = 0) -> Applied:
        lengths = self.rows.survey.lengths
        kept = [part.kept for part in self.parts] if how == "drop" else lengths
        return Applied.of(self.rows, self.strata.taking.ruling, self.target, how, seed, kept, made)

    def _trainer(self, given: Given, modified: Modified, seed: int) -> LazyTrainer:
        editor = self.editor
        return LazyTrainer(
            seeded(editor._base(), seed % 2**31, int(editor.threads)),
            given.target.labels,
            given.target.natives,
            int(editor.threads),
            modified=self._applied(self.how, seed),
            unmodified=self._applied("none", seed),
            brought=given.rows.table,
            rows=len(modified.rows),
            empty=(given.rows.frame.iloc[:0], self.target.natives(np.empty(0, dtype=np.intp))),
        )

    def _tell(self, brought_rows: int, modified: Modified, why_not: str) -> None:
        """Say what was decided on a sample."""
        if self.strata.whole:
            return
        where = way_out("strata_", "'sampled' in edit.json")
        told = f"{brought_rows:,} of {len(self.rows):,} rows ({where})"
        if self.distributed:
            text = f"Batches are made and compared on {told}, and models trained on all of them"
        else:
            text = f"Batches are made, and models trained, on {told}, {why_not or 'weighted to the whole'}"
        if modified.making.weight is not None:
            where = way_out("sample_weight_", "'weight' in edit.json")
            text += f". A synthetic row stands for {modified.making.weight:,.1f} rows ({where})"
        chance = not all(outcome.is_deterministic for outcome in modified.attribution.ruling.outcomes)
        if chance and self.editor.label_by == "quota" and self.how == "relabel":
            how = way_out(" (label_by='lots')", "")
            text += f". Labels that rules leave to chance are drawn row by row{how}"
        warn_caller(f"{text}.", SampleWarning)

    def _settled(self, start: Prepared, sampled: Edit) -> LazyEdit:
        """Set what is of all rows in the place of what is of the sample."""
        editor, made = self.editor, _lines_made(self.editor.ledger_)
        how = "none" if editor.unedited_ else self.how
        applied = self._applied(how, start.loop.bench.seed, len(made))
        stay = np.ones(len(start.modified.kept), dtype=bool) if editor.unedited_ else start.modified.kept
        first_rows = np.repeat(np.cumsum([0, *applied.lengths])[:-1], [len(part.keys) for part in self.parts])
        places = (
            self._joined("place")
            if how == "drop"
            else self._joined("keys") - np.repeat(self.strata.taking.starts, [len(part.keys) for part in self.parts])
        )
        row_of = (first_rows + places)[stay]  # in the result, of each row of the sample that stays
        lines = _moved(made, row_of, applied.rows)
        count = len(row_of)
        index = pd.RangeIndex(applied.rows, applied.rows + len(lines))
        lines = lines.set_axis(index)
        below = [one.iloc[count:].set_axis(index) for one in (sampled.frame, sampled.labels)]
        editor.ledger_ = lazy_frame(
            [*applied.parts(LINES), *as_partitions(lines), *applied.parts(DROPPED)], lines.iloc[:0]
        )
        sources = self._joined("keys")[editor.sample_indices_[count:]]
        editor.sample_indices_ = lazy_array([*applied.parts(SOURCES), *as_partitions(sources)], np.intp)
        if editor.sample_weight_ is not None:
            ones = [part for n in applied.lengths if n for part in as_partitions(np.ones(n), 1)]
            weights = editor.sample_weight_[count:]
            editor.sample_weight_ = lazy_array([*ones, *as_partitions(weights)], np.float64)
        trainer = start.loop.bench.trainer
        if isinstance(trainer, LazyTrainer):
            editor.estimator_ = trainer.distributed[editor.estimator_]
        decided = Decided(self.rows, self.target, self.strata, editor._last, lines)
        del editor._last  # it is of the sample
        frames = [
            lazy_frame([*applied.parts(which), *as_partitions(one)], one.iloc[:0])
            for which, one in zip((ROWS, LABELS), below, strict=True)
        ]
        return LazyEdit(frames[0], frames[1], decided)


def _lines_made(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of rows that were made."""
    return ledger[ledger["status"].isin(MADE)]


def _moved(lines: pd.DataFrame, row_of: NDArray[np.intp], kept: int) -> pd.DataFrame:
    """Return lines of synthetic rows behind so many rows of the whole, and not of the sample."""

    def moved(rows: pd.Series[Any]) -> pd.Series[Any]:
        places = rows.to_numpy(dtype=np.int64, na_value=0)
        old = np.minimum(places, len(row_of) - 1)
        places = np.where(places < len(row_of), row_of[old], places - len(row_of) + kept)
        return pd.Series(pd.arrays.IntegerArray(places, rows.isna().to_numpy()), index=rows.index)

    return lines.assign(**{name: moved(lines[name]) for name in ("row", "base", "neighbour")}).reset_index(drop=True)


def _require_servable(editor: Editing, strata: Strata, distributed: bool) -> str:
    """Refuse what cannot be done where a sample decides; return what becomes of rows that contradict their rule."""
    if not isinstance(editor.modify, str):
        raise TableError(
            "A modification of one's own needs all rows in one place. Use modify='relabel', 'drop' or 'none', or a "
            "larger sample=."
        )
    if editor.recalibrate is not None:
        raise TableError("recalibrate needs all rows in one place. Leave it out, or use a larger sample=.")
    if editor.agreement_weight == "coverage":
        covered, rows = sum(strata.rows[:-1:2]), sum(strata.rows[:-1:2]) + strata.rows[-1]
        raise TableError(
            "agreement_weight='coverage' is not the share of a sample. Give the share of the rows, "
            f"agreement_weight={covered / rows:.3g}."
        )
    if isinstance(editor.evaluate, tuple | list) and is_lazy(editor.evaluate[0]):
        raise TableError(
            "Validation data are compared on in one place. Give evaluate=(X_val.compute(), y_val.compute())."
        )
    if not distributed:
        return editor.modify
    name = type(editor.estimator).__name__
    if not isinstance(editor.evaluate, str | tuple | list) and not hasattr(editor.evaluate, "begin"):
        raise TableError(f"{name} is trained on all rows, and none can be held out. Use evaluate='probes'.")
    if editor.n_jobs not in (None, 1):
        raise TableError(f"{name} takes the whole cluster for one fit. Leave n_jobs out.")
    return editor.modify
