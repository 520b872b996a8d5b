"""What a check counts: whole numbers that add up, so that those of a table are the sums of those of its parts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache, reduce
from typing import TYPE_CHECKING

import numpy as np

from frote.coverage.measures import agreement
from frote.coverage.ruling import Ruling
from frote.rules.conflicts import Conflict, find_conflicts
from frote.rules.linear import columns_of
from frote.rules.masks import count
from frote.rules.thousands import Dotted, dotted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from frote.rules import Outcome, Rule, RuleSet
    from frote.rules.masks import Masks
    from frote.table import Schema, Table

__all__ = ["Counting", "Tally", "agreed_on_mean", "confusion"]

COUNTED = ("rows", "overlap", "conflict_rows", "missing_in", "missing_out")  # of each rule as written


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What was counted of some rows. The sum of two tallies is that of both rows.

    Parameters
    ----------
    rows, covered : ndarray of int
        How many rows there are, and how many of them some rule covers; no dimensions.

    per_rule : ndarray of int, shape (rules as written, 5)
        How many rows each covers, with another rule, in conflict; and is kept from or given by missing values.

    pairs : ndarray of int
        How many rows lie in each conflict.

    answers : ndarray of int, shape (rules as written, labels + 1, answers + 1)
        How many of the rows that each covers have which label and which answer of a model, as `confusion` has them.

    met : ndarray of int
        How many rows meet each distinct condition.

    sizes : ndarray of int, shape (numbers with a dot, 3)
        What `Dotted.sizes` says of the values that each is compared with.
    """

    rows: NDArray[np.int64]
    covered: NDArray[np.int64]
    per_rule: NDArray[np.int64]
    pairs: NDArray[np.int64]
    answers: NDArray[np.int64]
    met: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True, eq=False)
class Counting:
    """What is to be counted of rows, given rules and the types of the rows.

    Parameters
    ----------
    ruling : Ruling
        The rules, bound to the types.

    conflicts : tuple of Conflict
        Those of the rules, without a number of rows.

    dotted : tuple of Dotted
        Numbers of the rules that may be meant otherwise.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.rules.masks import Masks
    >>> table = frote.Table.from_frame(pd.DataFrame({"age": [25, 28, 40]}))
    >>> counting = Counting.of(frote.parse_rules("young: IF age < 29 THEN yes"), table.schema, ("no", "yes"))
    >>> labelled = [([0], [0]), ([1, 2], [1, 1])]
    >>> parts = [counting.tally(Masks(table.take(rows)), np.array(own)) for rows, own in labelled]
    >>> both = parts[0] + parts[1]
    >>> int(both.covered), both.per_rule[0].tolist(), both.answers[0].sum(axis=1).tolist()
    (2, [2, 0, 0, 0, 0], [1, 1, 0])
    """

    ruling: Ruling
    conflicts: tuple[Conflict, ...]
    dotted: tuple[Dotted, ...]

    @classmethod
    def of(cls, rules: RuleSet, schema: Schema, classes: tuple[str, ...] = ()) -> Counting:
        """Look at rules as they were written, and at the columns and classes that they are held against."""
        bound = rules.bind(schema)
        return cls(Ruling.of(bound, classes), tuple(find_conflicts(rules, schema)), tuple(dotted(rules, schema)))

    @property
    def rivals(self) -> dict[str, tuple[str, ...]]:
        """The rules, as written, that each conflicts with."""
        rivals_of: dict[str, dict[str, None]] = {}
        for conflict in self.conflicts:
            one, other = conflict.first.origin, conflict.second.origin
            rivals_of.setdefault(one, {})[other] = None
            rivals_of.setdefault(other, {})[one] = None
        return {origin: tuple(rivals) for origin, rivals in rivals_of.items()}

    def tally(
        self, masks: Masks, own: NDArray[np.intp] | None = None, answered: NDArray[np.intp] | None = None
    ) -> Tally:
        """Count rows.

        Parameters
        ----------
        masks : Masks
            The rows.

        own, answered : ndarray of int or None, default=None
            Their labels, and what a model answers, as codes of the ruling's classes.

        Returns
        -------
        Tally
        """
        ruling, table, classes = self.ruling, masks.table, len(self.ruling.classes)
        covered = ruling.on(masks).packed
        once, twice = _depths(covered)
        place_of = {name: place for place, name in enumerate(ruling.names)}
        rivals, gaps = self.rivals, _gaps(ruling.rules, table)
        per_rule = np.zeros((len(ruling.names), len(COUNTED)), dtype=np.int64)
        answers = np.zeros((len(ruling.names), classes + 1, classes + 1), dtype=np.int64)
        for place, (origin, bits) in enumerate(zip(ruling.names, covered, strict=True)):
            spared = _spared(ruling.rules.pieces(origin), masks, gaps)
            contested = [covered[place_of[rival]] for rival in rivals.get(origin, ())]
            in_conflict = bits & _any(contested) if contested else np.zeros_like(bits)
            per_rule[place] = list(map(count, (bits, bits & twice, in_conflict, spared & bits, spared & ~bits)))
            if own is not None or answered is not None:
                mask = np.unpackbits(bits, count=len(table)).view(np.bool_)
                answers[place] = confusion(
                    None if own is None else own[mask], None if answered is None else answered[mask], classes
                )
        clauses = {rule.name: rule.clause for one in self.conflicts for rule in (one.first, one.second)}
        held = lru_cache(masks.most)(lambda name: masks.packed(clauses[name]))
        both = [count(held(one.first.name) & held(one.second.name)) for one in self.conflicts]
        return Tally(
            np.asarray(len(table), dtype=np.int64),
            np.asarray(count(once), dtype=np.int64),
            per_rule,
            np.array(both, dtype=np.int64),
            answers,
            np.array([count(masks.packed([one])) for one in ruling.conditions.distinct], dtype=np.int64),
            np.array([one.sizes(table) for one in self.dotted], dtype=np.int64).reshape(-1, 3),
        )


def confusion(own: NDArray[np.intp] | None, answered: NDArray[np.intp] | None, classes: int) -> NDArray[np.int64]:
    """Count rows by their own label and the answer to them; what is not known stands last.

    Examples
    --------
    >>> confusion(np.array([0, 0, 1]), np.array([0, 1, -1]), 2).tolist()
    [[1, 1, 0], [0, 0, 1], [0, 0, 0]]
    """
    rows = len(answered) if own is None else len(own)  # type: ignore[arg-type]
    unknown = np.full(rows, classes)
    first, second = (unknown if codes is None else np.where(codes < 0, classes, codes) for codes in (own, answered))
    counts = np.bincount(first * (classes + 1) + second, minlength=(classes + 1) ** 2)
    return counts.reshape(classes + 1, classes + 1).astype(np.int64)


def agreed_on_mean(
    outcome: Outcome, counts: NDArray[np.int64], classes: Sequence[str], *, own_known: bool = True
) -> float:
    """Return the mean agreement of answers with an outcome, given how many rows have which label and answer.

    Examples
    --------
    >>> from frote.rules import Outcome
    >>> counts = confusion(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    >>> round(agreed_on_mean(Outcome.of("yes"), counts, ("no", "yes")), 3)
    0.667
    """
    total = int(counts.sum())
    if not total:
        return float("nan")
    own, answered = np.nonzero(counts)
    answered[answered == len(classes)] = -1
    agreed = agreement(outcome, answered, own if own_known else None, classes)
    return float(agreed @ counts[np.nonzero(counts)] / total)


def _depths(covered: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the rows that some rule covers, and those that more than one does."""
    once, twice = np.zeros((2, covered.shape[1]), dtype=np.uint8)
    for bits in covered:
        twice |= once & bits
        once |= bits
    return once, twice


def _any(several: Iterable[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return the rows that are in one of some masks."""
    return reduce(np.bitwise_or, several)


def _gaps(rules: RuleSet, table: Table) -> dict[str, NDArray[np.uint8]]:
    """Return the rows that have no value in a column, of those that rules name and that have such rows."""
    gaps = {name: table[name].missing for name in rules.columns}
    return {name: np.packbits(missing) for name, missing in gaps.items() if missing is not None}


def _spared(pieces: Iterable[Rule], masks: Masks, gaps: Mapping[str, NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return the rows that are covered, or left out, on account of missing values."""
    spared = np.zeros_like(masks.packed(()))
    for rule in pieces:
        named = [gaps[name] for name in rule.clause.columns if name in gaps]
        # Where nothing is missing nothing is spared; and if no row can satisfy it, no value in place of one would help.
        if not named or rule.clause.is_empty(masks.table.schema):
            continue
        rows = _any(named)
        for condition in rule.clause:
            met = masks.packed([condition])
            asked = [gaps[name] for name in columns_of([condition[0]]) if name in gaps]
            rows = rows & (met | _any(asked) if asked else met)
        spared |= rows
    return spared
