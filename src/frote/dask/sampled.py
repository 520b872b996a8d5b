"""Edits that a sample decides on: the loop runs on rows brought to one place, and partitions apply what it decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.caller import warn_caller
from frote.coverage.labels import Labels
from frote.dask.decided import Decided, LazyEdit, lines_made
from frote.dask.foretelling import changes_lazily
from frote.dask.frames import computed, folded, is_lazy
from frote.dask.relabelling import ByKeys, keyed
from frote.dask.results import (
    DROPPED,
    LABELS,
    LINES,
    ROWS,
    SOURCES,
    Applied,
    as_partitions,
    lazy_array,
    lazy_frame,
)
from frote.dask.sampling import side_by_side, stacked
from frote.dask.training import LazyTrainer
from frote.estimators.input import Target, columns_known
from frote.estimators.prepared import Given, Prepared
from frote.estimators.preparing import assembled, base_of, identity_of, modified_by, seed_of
from frote.estimators.preview import make_preview
from frote.estimators.weights import routed, weight_name
from frote.exceptions import SampleWarning, TableError
from frote.generation.possible import tell_in_part
from frote.loop.checkpoint import Checkpoint
from frote.loop.training import seeded
from frote.table import TypedFrame
from frote.ways_out import way_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.dask.begun import Begun
    from frote.dask.strata import Strata, Taking
    from frote.estimators.edit import Edit
    from frote.estimators.editing import Editing
    from frote.estimators.prepared import Modified
    from frote.estimators.preview import Preview

__all__ = ["Sampled"]


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
class Sampled:
    """An edit that a sample decides on.

    Parameters
    ----------
    editor : Editing
        The editor.

    how : {"relabel", "drop", "none"}
        What becomes of rows that contradict their rule.

    begun : Begun
        What is known of the whole.

    parts : list of _Part
        What was brought of each partition.
    """

    editor: Editing
    how: str
    begun: Begun
    parts: list[_Part]

    @classmethod
    def of(cls, editor: Editing, begun: Begun) -> Sampled:
        """Bring the sample to one place."""
        how = _require_servable(editor, begun.strata, begun.distributed)
        parts = computed(folded(begun.rows.each(_Bringing(begun.strata.taking, how)), side_by_side))
        return cls(editor, how, begun, [parts[place] for place in sorted(parts)])

    def _joined(self, name: str) -> NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in self.parts])

    def edited(self) -> LazyEdit:
        """Run the loop on the sample, and apply what came of it to the partitions."""
        given, why_not = self._given()
        start = self._prepared(given)
        self._tell(len(given.rows.frame), start.modified, why_not)
        sampled = self.editor._finished(start, self.begun.target.natives(given.target.labels.codes))
        return self._settled(start, sampled)

    def previewed(self) -> Preview:
        """Fit the first model, and say what the loop would do on the sample, and to all rows before."""
        given, _ = self._given()
        start = self._prepared(given)
        if not self.begun.strata.whole:
            told = (
                f"on {len(given.rows.frame):,} of {len(self.begun.rows):,} rows; those covered and changed are counted"
            )
            warn_caller(f"The first model is judged, and the first batch made, {told} in all.", SampleWarning)
        return make_preview(start, changes_lazily(self.begun, self.how, start.loop.bench.seed))

    def _given(self) -> tuple[Given, str]:
        """Return the sample as the loop takes it; and why it has no weights where it should have them."""
        begun = self.begun
        frame = stacked([part.frame for part in self.parts]).reset_index(drop=True)
        shown = TypedFrame(begun.rows.survey.typed(frame), frame)
        columns_known(self.editor, frame)
        tell_in_part(begun.written, shown.table)
        target = Target(Labels(self._joined("codes"), begun.target.labels.classes), begun.target.examples)
        weights, why_not = self._weights()
        return Given(shown, target, begun.written, begun.rules, begun.skipped, weights), why_not

    def _weights(self) -> tuple[NDArray[np.float64] | None, str]:
        """Return what each row of the sample stands for; None, and why, where the estimator cannot be told."""
        share = self._joined("share")
        if (share == 1).all():
            return None, ""
        try:
            weight_name(base_of(self.editor))
        except TableError:
            return None, f"unweighted, since {type(base_of(self.editor)).__name__} takes no weights"
        return (None, "unweighted, since weights are routed by scikit-learn") if routed() else (1 / share, "")

    def _prepared(self, given: Given) -> Prepared:
        """Put the loop together."""
        editor, estimator = self.editor, base_of(self.editor)
        saved, seed = None, seed_of(editor.random_state)
        if editor.checkpoint is not None:
            identity = {**identity_of(editor, given, estimator), "rows": str(len(self.begun.rows))}
            saved = Checkpoint.open(editor.checkpoint, identity, seed)
            seed = saved.seed
        modified = modified_by(editor, given, ByKeys(self._joined("keys"), self.how, seed), seed)
        trainer = self._trainer(given, modified, seed) if self.begun.distributed else None
        held_out, loop = assembled(editor, given, modified, estimator, seed, None, trainer)
        return Prepared(given, modified, held_out, loop, saved)

    def _applied(self, how: str, seed: int, made: int = 0) -> Applied:
        lengths = self.begun.rows.survey.lengths
        kept = [part.kept for part in self.parts] if how == "drop" else lengths
        return Applied.of(self.begun.rows, self.begun.strata.taking.ruling, self.begun.target, how, seed, kept, made)

    def _trainer(self, given: Given, modified: Modified, seed: int) -> LazyTrainer:
        editor = self.editor
        return LazyTrainer(
            seeded(base_of(editor), seed % 2**31, int(editor.threads)),
            given.target.labels,
            given.target.natives,
            int(editor.threads),
            modified=self._applied(self.how, seed),
            unmodified=self._applied("none", seed),
            brought=given.rows.table,
            rows=len(modified.rows),
            empty=(given.rows.frame.iloc[:0], self.begun.target.natives(np.empty(0, dtype=np.intp))),
        )

    def _tell(self, brought_rows: int, modified: Modified, why_not: str) -> None:
        """Say what was decided on a sample."""
        if self.begun.strata.whole:
            return
        where = way_out("strata_", "'sampled' in edit.json")
        told = f"{brought_rows:,} of {len(self.begun.rows):,} rows ({where})"
        if self.begun.distributed:
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
        editor, made = self.editor, lines_made(self.editor.ledger_)
        how = "none" if editor.unedited_ else self.how
        applied = self._applied(how, start.loop.bench.seed, len(made))
        stay = np.ones(len(start.modified.kept), dtype=bool) if editor.unedited_ else start.modified.kept
        first_rows = np.repeat(np.cumsum([0, *applied.lengths])[:-1], [len(part.keys) for part in self.parts])
        places = (
            self._joined("place")
            if how == "drop"
            else self._joined("keys")
            - np.repeat(self.begun.strata.taking.starts, [len(part.keys) for part in self.parts])
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
        decided = Decided(self.begun.rows, self.begun.target, self.begun.strata, editor._last, lines)
        del editor._last  # it is of the sample
        frames = [
            lazy_frame([*applied.parts(which), *as_partitions(one)], one.iloc[:0])
            for which, one in zip((ROWS, LABELS), below, strict=True)
        ]
        return LazyEdit(frames[0], frames[1], decided)


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
