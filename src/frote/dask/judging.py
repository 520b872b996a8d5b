"""What two models said of a Dask frame, counted in one pass: all that the scores of a report are made of.

Rows that have the same rule, label and predictions count alike, so that whole numbers of partitions add up. Beside
them rows with the smallest hashes of their keys are brought to one place, for what needs the rows themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.matrix import overlaps_of
from frote.coverage.measures import row_agreement
from frote.coverage.ruling import Ruling
from frote.coverage.said import classes_of
from frote.dask.asked import Strange, answers_to
from frote.dask.frames import computed, folded
from frote.dask.sampling import Drawing, drawn, side_by_side, smallest_of, stacked
from frote.estimators.overlay import override

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from numpy.typing import NDArray

    from frote.coverage.labels import Labels
    from frote.dask.whole import LazyRows, PartTypes
    from frote.rules import RuleSet

__all__ = ["Judged", "judged_lazily"]

SEED, PURPOSE = 0, "report"
NAMES = {"before": "before", "after": "after", "override": "before"}  # whose classes each has


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Rows that count alike: `keys` are rule, label and predictions, `agreed` how far each of these agrees."""

    keys: NDArray[np.int64]
    agreed: NDArray[np.float64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, keys: NDArray[np.int64], agreed: NDArray[np.float64], counts: NDArray[np.int64]) -> _Cells:
        """Put those together that are alike."""
        place = np.zeros(len(keys), dtype=np.int64)
        for key in keys.T:
            # Numbered anew each time: products of many classes would not fit in a number.
            place = np.unique(place * (int(key.max(initial=0)) + 2) + key + 1, return_inverse=True)[1]
        first = np.unique(place, return_index=True)[1]
        return cls(keys[first], agreed[first], np.bincount(place, counts, len(first)).astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """What partitions tell.

    `covered`: rows that some rule covers, as written; `both`: rows that every two cover; `support`: rows that each rule
    covers as it was used; `strange`: what each model predicts that is no class.
    """

    cells: _Cells
    covered: int
    both: NDArray[np.int64]
    support: NDArray[np.int64]
    strange: tuple[Strange, ...]
    brought: dict[int, tuple[Any, NDArray[np.intp], NDArray[np.uint64]]]


@dataclass(frozen=True, slots=True, eq=False)
class _Judging:
    types: PartTypes
    used: Ruling
    written: Ruling
    labels: Labels
    models: Mapping[str, Any]
    drawing: Drawing
    starts: tuple[int, ...]

    def at(self, place: int, frame: pd.DataFrame, y: Any) -> _Told:
        """Ask both models about a partition, and count."""
        table, own = self.types.table(frame), self.types.codes(y)
        assert own is not None  # an edit has labels
        rows, by_rule = self.used.on(table), self.written.on(table).by_rule
        places, found = self.drawing.at(self.starts[place], len(frame))
        said = {name: answers_to(model, frame) for name, model in self.models.items()}
        first = said["before"]
        every = {} if first is None else {**said, "override": override(first, rows, self.labels)}
        codes, agreed, strange = [], [], []
        for one in every.values():
            assert one is not None  # all were asked
            known = self.labels.and_of(one.classes)
            code, other = known.codes_and_strange(one.predicted)
            codes.append(code)
            agreed.append(row_agreement(rows.among(known.texts), code, own))
            strange.append(Strange(int((code >= 0).sum()), place, other[0]) if other else Strange(len(code)))
        if not every:
            codes, agreed, strange = [own] * 3, [np.empty(0)] * 3, [Strange()] * 3
        cells = _Cells.of(
            np.stack([rows.owner, own, *codes], axis=1).astype(np.int64),
            np.stack(agreed, axis=1),
            np.ones(len(frame), dtype=np.int64),
        )
        return _Told(
            cells,
            int(by_rule.any(axis=0).sum()),
            overlaps_of(by_rule),
            np.array(rows.support, dtype=np.int64),
            tuple(strange),
            {place: (frame.iloc[places], own[places], found)},
        )

    @staticmethod
    def joined(parts: list[_Told]) -> _Told:
        """Put together what partitions tell, in whatever order they come."""
        cells = [[getattr(part.cells, name) for part in parts] for name in ("keys", "agreed", "counts")]
        return _Told(
            _Cells.of(*map(np.concatenate, cells)),
            sum(part.covered for part in parts),
            np.sum([part.both for part in parts], axis=0),
            np.sum([part.support for part in parts], axis=0),
            tuple(sum(own, Strange()) for own in zip(*(part.strange for part in parts), strict=True)),
            side_by_side([part.brought for part in parts]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What models said of all rows of a Dask frame, and some of these.

    Parameters
    ----------
    labels : Labels
        The classes of the labels, without rows.

    owner, own, counts : ndarray of int
        Of rows that count alike: the rule that they are attributed to (-1 for none), their label, and their number.

    codes, agreed : dict of str to ndarray
        What the models before and after, and the hard override, predict for them, as codes of `texts`; and how far that
        agrees with their rule, NaN outside.

    texts : dict of str to tuple of str
        The classes that codes of each stand for.

    covered : int
        How many rows some rule covers, as the rules were written.

    both : ndarray of int
        How many rows every two of these cover.

    support : tuple of int
        How many rows each rule covers as it was used.

    frame, drawn : DataFrame, ndarray of int
        Rows drawn from all, in order, and their labels as codes.
    """

    labels: Labels
    owner: NDArray[np.int64]
    own: NDArray[np.int64]
    counts: NDArray[np.int64]
    codes: dict[str, NDArray[np.int64]]
    agreed: dict[str, NDArray[np.float64]]
    texts: dict[str, tuple[str, ...]]
    covered: int
    both: NDArray[np.int64]
    support: tuple[int, ...]
    frame: pd.DataFrame
    drawn: NDArray[np.intp]


def judged_lazily(rows: LazyRows, before: Any, after: Any, used: RuleSet, written: RuleSet, sample: int) -> Judged:
    """Ask two models of one machine about all rows, and count.

    Parameters
    ----------
    rows : LazyRows
        The rows.

    before, after : classifier
        The models.

    used, written : RuleSet
        The rules as they were used and as they were written, bound to the data.

    sample : int
        How many rows are brought to one place at most.

    Returns
    -------
    Judged
    """
    labels, models = rows.known_labels, {"before": before, "after": after}
    ruling = Ruling.of(used, labels.texts)
    drawing = drawn(rows, sample, SEED, PURPOSE)
    judging = _Judging(
        rows.types(), ruling, Ruling.of(written, labels.texts), labels, models, drawing, rows.survey.starts
    )
    told = computed(folded(rows.each(judging), judging.joined))
    classes = {name: classes_of(model) for name, model in models.items()}
    # The override has the classes of the model before.
    texts = {name: labels.and_of(classes[of]).texts for name, of in NAMES.items()}
    for strange, name in zip(told.strange, NAMES.values(), strict=True):
        strange.require_some(labels.and_of(classes[name]))
    brought = [told.brought[place] for place in sorted(told.brought)]
    chosen = smallest_of(np.concatenate([found for *_, found in brought]), sample)
    keys = told.cells.keys
    return Judged(
        labels,
        keys[:, 0],
        keys[:, 1],
        told.cells.counts,
        {name: keys[:, 2 + place] for place, name in enumerate(NAMES)},
        {name: told.cells.agreed[:, place] for place, name in enumerate(NAMES)},
        texts,
        told.covered,
        told.both,
        tuple(told.support.tolist()),
        stacked([frame for frame, *_ in brought]).iloc[chosen],
        np.concatenate([own for _, own, _ in brought])[chosen],
    )
