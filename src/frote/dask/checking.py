"""Rules on Dask frames: what they cover, where they conflict, and the check, by counts of partitions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.check import Known, labels_to_go_by, meant_as_categories, told_by
from frote.coverage.labels import Labels, unknown_labels
from frote.coverage.matrix import Conditions
from frote.coverage.said import classes_of
from frote.coverage.tally import Counting, Tally
from frote.dask.asked import Strange, asked
from frote.dask.frames import added, computed, each, parts_of
from frote.dask.local import as_local
from frote.dask.whole import LazyRows, PartTypes
from frote.rules.binding import require_fit, require_no_target
from frote.rules.masks import Masks, count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd
    from numpy.typing import NDArray

    from frote.coverage.check import RuleCheck
    from frote.rules import RuleSet
    from frote.rules.conflicts import Conflict

__all__ = ["check_lazily", "conflicts_lazily", "coverage_lazily"]


@dataclass(frozen=True, slots=True, eq=False)
class _Tallying:
    types: PartTypes
    counting: Counting
    known: Labels
    model: Any

    def at(self, place: int, frame: pd.DataFrame, y: Any) -> tuple[Tally, NDArray[np.int64], Strange]:
        """Count the rows of a partition, and how many have each label."""
        own = self.types.codes(y)
        answered, strange = asked(self.model, frame, self.known, place)
        tally = self.counting.tally(Masks(self.types.table(frame)), own, answered)
        classes = len(self.known.classes)
        labels = np.zeros(classes) if own is None else np.bincount(own, minlength=classes)
        return tally, labels.astype(np.int64), strange


def check_lazily(
    rules: RuleSet, X: Any, y: Any = None, model: Any = None, levels: Mapping[str, Iterable[Any]] | None = None
) -> RuleCheck:
    """Check rules against a Dask frame; see `RuleSet.check`. One pass tells the types, a second one counts."""
    rows = LazyRows.of(X, y, levels=levels)
    witness, labels = rows.survey.witness, rows.labels
    require_no_target(rules, witness.schema, getattr(y, "name", None))
    require_fit(rules, witness.schema, None if labels is None else labels.classes)
    model = None if model is None else as_local(model)
    classes = None if model is None else classes_of(model)
    all_labels = labels_to_go_by(rules, classes) if labels is None else labels
    counting = Counting.of(rules, witness.schema, all_labels.texts)
    frame, types = (X, rows.types()) if model is not None else rows.some(rules.columns)
    looking = _Tallying(types, counting, all_labels, model)
    tally, counts, strange = computed(added(rows.each(looking, X=frame)))
    strange.require_some(all_labels)
    if labels is not None and model is not None:
        unknown_labels(labels, [classes], counts=counts)
    known = Known(labels is not None, model is not None)

    def ends(name: str) -> tuple[Any, Any] | None:
        seen = rows.survey.seen[name]
        return None if seen.low is None else (seen.low, seen.high)

    return told_by(rules, witness, counting, tally, known, ends, meant_as_categories(X._meta))


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    types: PartTypes
    conflicts: list[Conflict]

    def at(self, place: int, frame: pd.DataFrame, y: Any) -> NDArray[np.int64]:  # noqa: ARG002
        masks = Masks(self.types.table(frame))
        both = [masks.packed(one.first.clause) & masks.packed(one.second.clause) for one in self.conflicts]
        return np.array(list(map(count, both)), dtype=np.int64)


def conflicts_lazily(rules: RuleSet, X: Any, rows: LazyRows | None = None) -> list[Conflict]:
    """Find conflicts, and count the rows of a Dask frame in each; see `RuleSet.conflicts`."""
    rows = LazyRows.of(X) if rows is None else rows
    conflicts = rules.conflicts(rows.survey.schema)
    if not conflicts:
        return []
    frame, types = rows.some(rules.columns)
    looking = _Pairs(types, conflicts)
    counts = computed(added(each(looking, "at", [(*part, None) for part in parts_of(frame)])))
    return [replace(one, rows=int(n)) for one, n in zip(conflicts, counts, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class _Covering:
    types: PartTypes
    conditions: Conditions

    def at(self, place: int, frame: pd.DataFrame, y: Any) -> NDArray[np.bool_]:  # noqa: ARG002
        return np.ascontiguousarray(self.conditions.cover(self.types.table(frame)).T)


def coverage_lazily(rules: RuleSet, X: Any) -> Any:
    """Return which rows of a Dask frame each rule covers, as a lazy array; one pass tells the types first."""
    import dask.array

    da: Any = dask.array
    rows = LazyRows.of(X)
    require_fit(rules, rows.survey.schema)
    frame, types = rows.some(rules.columns)
    tasks = rows.each(_Covering(types, Conditions.of(rules)), X=frame)
    blocks = [
        da.from_delayed(task, shape=(length, len(rules)), dtype=bool)
        for task, length in zip(tasks, rows.survey.lengths, strict=True)
    ]
    return da.concatenate(blocks)
