"""Models scored on Dask frames: sums of whole numbers over partitions, so that scores depend on no order of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.coverage.answers import Answers
from frote.coverage.f1 import f1_from_counts
from frote.coverage.labels import unknown_labels
from frote.coverage.measures import at_share, scored_by_counts
from frote.coverage.ruling import Ruling
from frote.coverage.said import classes_of
from frote.coverage.tally import agreed_on_mean, confusion
from frote.dask.asked import Strange, answers_to
from frote.dask.frames import added, computed, folded, is_lazy
from frote.dask.local import as_local
from frote.dask.sampling import SAMPLE, Drawing, drawn, side_by_side, smallest_of
from frote.dask.whole import LazyRows, PartTypes
from frote.estimators.given_rules import as_rules
from frote.estimators.scoring import ScoreReport, numbers_from, share_covered
from frote.generation.possible import uncovering
from frote.judging.decision import Decision
from frote.rules.thousands import Dotted, advice_on, dotted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from frote.coverage.labels import Labels
    from frote.rules import RuleSet

__all__ = ["score_lazily"]

SEED, PURPOSE = 0, "numbers"


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """Counts of rows by rule (none last), label and prediction; of labels; of sizes of values; strange predictions."""

    confusion: NDArray[np.int64]
    sizes: NDArray[np.int64]
    strange: Strange

    def __add__(self, other: _Counts) -> _Counts:
        return _Counts(self.confusion + other.confusion, self.sizes + other.sizes, self.strange + other.strange)


@dataclass(frozen=True, slots=True, eq=False)
class _Sampled:
    """What numbers are made from, of some rows: labels, predictions, probabilities, which are covered, hashes."""

    own: NDArray[np.intp]
    predicted: NDArray[Any]
    chances: NDArray[Any] | None
    covered: NDArray[np.bool_]
    found: NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class _Scoring:
    types: PartTypes
    ruling: Ruling
    known: Labels
    model: Any
    dotted: list[Dotted]
    drawing: Drawing
    starts: tuple[int, ...]

    def at(self, place: int, frame: pd.DataFrame, y: Any) -> tuple[_Counts, dict[int, _Sampled]]:
        """Ask the model about a partition, and count."""
        table, classes = self.types.table(frame), len(self.known.classes)
        own = self.types.codes(y)
        assert own is not None  # without labels nothing is scored
        sizes = np.array([one.sizes(table) for one in self.dotted], dtype=np.int64).reshape(-1, 3)
        counts = np.zeros((len(self.ruling.outcomes) + 1, classes + 1, classes + 1), dtype=np.int64)
        said = answers_to(self.model, frame, chances=True)
        if said is None:
            return _Counts(counts, sizes, Strange()), {}
        codes, strange = self.known.codes_and_strange(said.predicted)
        rows = self.ruling.on(table)
        for rule in range(len(self.ruling.outcomes)):
            mine = rows.rows_of(rule)
            counts[rule] = confusion(own[mine], codes[mine], classes)
        counts[-1] = confusion(own[rows.outside], codes[rows.outside], classes)
        known = int((codes >= 0).sum())
        told = Strange(known, place, strange[0]) if strange else Strange(known)
        places, found = self.drawing.at(self.starts[place], len(frame))
        some = said.take(places)
        sampled = _Sampled(own[places], some.predicted, some.chances, rows.owner[places] >= 0, found)
        return _Counts(counts, sizes, told), {place: sampled}


def _joined(parts: list[tuple[_Counts, dict[int, _Sampled]]]) -> tuple[_Counts, dict[int, _Sampled]]:
    first, *others = (counts for counts, _ in parts)
    return sum(others, first), side_by_side([sampled for _, sampled in parts])


def score_lazily(
    model: Any,
    X: Any,
    y: Any,
    rules: Any,
    *,
    population: Any = None,
    favourable: Any = None,
    threshold: float | None = None,
    cost: Mapping[Any, Mapping[Any, float]] | None = None,
    sample: int = SAMPLE,
) -> ScoreReport:
    """Score a model on a Dask frame; see `frote.score`. `sample`: how many rows the numbers of users are of at most."""
    named, model = as_rules(rules), as_local(model)
    rows = LazyRows.of(X, y)
    rows.require_rows()
    labels, witness = rows.known_labels, rows.survey.witness
    classes = classes_of(model)
    known = labels.and_of(classes)
    bound = named.bind(witness.schema, known.classes)
    share = None if population is None else _share(named, population, known)
    decision = Decision.of(known, favourable=favourable, threshold=threshold, cost=cost)
    ruling = Ruling.of(bound, known.texts)
    numbers_in = tuple(dotted(named, witness.schema))
    looking = _Scoring(
        rows.types(), ruling, known, model, list(numbers_in), drawn(rows, sample, SEED, PURPOSE), rows.survey.starts
    )
    counts, parts = computed(folded(rows.each(looking), _joined))
    counts.strange.require_some(known)
    in_all = counts.confusion.sum(axis=(0, 2))[: len(labels.classes)]
    unknown = unknown_labels(labels, [classes], counts=in_all)
    inside, outside = counts.confusion[:-1], counts.confusion[-1]
    agreed = [agreed_on_mean(outcome, one, known.texts) for outcome, one in zip(ruling.outcomes, inside, strict=True)]
    covered = inside.sum(axis=(1, 2)).tolist()
    f1, f1_macro = (
        f1_from_counts(outside, average) if outside.any() else math.nan for average in ("weighted", "macro")
    )
    scores = scored_by_counts(agreed, covered, int(outside.sum()), f1)
    far = advice_on(zip(numbers_in, counts.sizes.tolist(), strict=True))
    notes = [*uncovering(named, witness, far), *(_told(len(rows), sample))]
    return ScoreReport(
        scores.objective,
        scores.agreement,
        scores.outside,
        f1_macro,
        pd.DataFrame({"agreement": agreed, "rows": covered}, index=pd.Index(ruling.names, name="rule")),
        sum(covered),
        scores.uncovered,
        unknown,
        tuple(notes),
        share,
        math.nan if share is None else at_share(scores.agreement, scores.outside, share),
        _numbers(parts, sample, labels, classes, type(model).__name__, decision),
    )


def _told(rows: int, sample: int) -> list[str]:
    return [f"The numbers of users are of a sample of {sample:,} of {rows:,} rows."] if rows > sample else []


def _numbers(
    parts: dict[int, _Sampled], sample: int, labels: Labels, classes: Any, who: str, decision: Decision
) -> Any:
    """Make the numbers of users from the rows with the smallest hashes."""
    in_order = [parts[place] for place in sorted(parts)]
    chosen = smallest_of(np.concatenate([one.found for one in in_order]), sample)
    own, predicted, covered = (
        np.concatenate([getattr(one, name) for one in in_order])[chosen] for name in ("own", "predicted", "covered")
    )
    given = [one.chances for one in in_order if one.chances is not None]
    chances = np.concatenate(given)[chosen] if len(given) == len(in_order) else None
    return numbers_from(Answers(predicted, classes, chances, who), own, covered, labels, decision)


@dataclass(frozen=True, slots=True, eq=False)
class _Covered:
    types: PartTypes
    ruling: Ruling

    def at(self, place: int, frame: pd.DataFrame, y: Any) -> int:  # noqa: ARG002
        return len(frame) - len(self.ruling.on(self.types.table(frame)).outside)


def _share(rules: RuleSet, population: Any, known: Labels) -> float:
    """Return the share of a population that rules cover."""
    if not is_lazy(population):
        return share_covered(rules, population, known.classes)
    everyone = LazyRows.of(population)
    everyone.require_rows()
    bound = rules.bind(everyone.survey.schema, known.classes)
    frame, types = everyone.some(rules.columns)
    covered: int = computed(added(everyone.each(_Covered(types, Ruling.of(bound)), X=frame)))
    return covered / len(everyone)
