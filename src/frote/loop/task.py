"""What is to be done and what it is done on: the fixed task of a run, and its growing training data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.matrix import Conditions, attribute
from frote.generation.sampler import Synthesizer
from frote.neighbours import MixedSpace, Points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.rules import Outcome, RuleSet
    from frote.table import Table

__all__ = ["Batch", "Rows", "Task"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with all that the loop asks of them. They do not change; more of them make new Rows.

    Parameters
    ----------
    table : Table
        The rows, typed.

    given : pandas or polars DataFrame, NumPy array, or None
        The first of the rows, as the caller gave them; None if all were made.

    points : Points
        The rows in the space of distances.

    met : ndarray of bool, shape (conditions, rows)
        Which conditions of the rules they meet.

    owner : ndarray of int
        The rule as written that each row is attributed to, -1 outside all coverage.

    labels : ndarray of int
        Their labels, as codes of classes.

    own : ndarray of int
        Their labels before any modification; a synthetic row has that of its base row.
    """

    table: Table
    given: Any
    points: Points
    met: NDArray[np.bool_]
    owner: NDArray[np.intp]
    labels: NDArray[np.intp]
    own: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def frame(self) -> Any:
        """The rows as the caller's estimator gets them; put together when it is asked for, since most never is."""
        if self.given is None:
            return self.table.to_frame()
        return self.given if len(self.given) == len(self.table) else self.table.completed(self.given)

    @cached_property
    def outside(self) -> NDArray[np.intp]:
        """The positions of rows outside all coverage."""
        return np.flatnonzero(self.owner < 0)

    @cached_property
    def owned(self) -> dict[int, NDArray[np.intp]]:
        """The positions of the rows that are attributed to each rule as written, if there are any."""
        return {int(rule): np.flatnonzero(self.owner == rule) for rule in np.unique(self.owner) if rule >= 0}

    def stacked(self, below: Rows) -> Rows:
        """Return these rows and, below them, others that were made."""
        return Rows(
            self.table.concat(below.table),
            self.given,
            self.points.concat(below.points),
            np.concatenate([self.met, below.met], axis=1),
            np.concatenate([self.owner, below.owner]),
            np.concatenate([self.labels, below.labels]),
            np.concatenate([self.own, below.own]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Synthetic rows that are proposed together, with where they come from.

    Parameters
    ----------
    rows : Rows
        The synthetic rows.

    piece : ndarray of int
        The rule each of them was made for.

    base, neighbour : ndarray of int
        The positions of the rows between which each was made; the neighbour is -1 for one that was moved into the rule
        without any.

    strong : ndarray of bool
        Whether the base row satisfies the rule itself, and not only in part.
    """

    rows: Rows
    piece: NDArray[np.intp]
    base: NDArray[np.intp]
    neighbour: NDArray[np.intp]
    strong: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.piece)


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What stays the same for a whole run.

    Parameters
    ----------
    rules : RuleSet
        The rules, bound to the data and without conflicts.

    conditions : Conditions
        Their conditions.

    origin : ndarray of int
        For each rule, the position of its origin among the rules as written.

    outcomes : tuple of Outcome
        The outcome of each rule as written.

    classes : tuple of str
        The texts of the classes.

    space : MixedSpace
        The scales of distances.

    synthesizer : Synthesizer
        Makes rows.

    neighbours : int
        How many neighbours a base row has, the paper's k.
    """

    rules: RuleSet
    conditions: Conditions
    origin: NDArray[np.intp]
    outcomes: tuple[Outcome, ...]
    classes: tuple[str, ...]
    space: MixedSpace
    synthesizer: Synthesizer
    neighbours: int

    @classmethod
    def of(cls, rules: RuleSet, table: Table, classes: tuple[str, ...], neighbours: int) -> Task:
        """Prepare the task for rules that are bound to the table's schema."""
        places = {origin: place for place, origin in enumerate(rules.origins)}
        return cls(
            rules,
            Conditions.of(rules),
            np.array([places[rule.origin] for rule in rules], dtype=np.intp),
            tuple(rules.pieces(origin)[0].outcome for origin in rules.origins),
            classes,
            MixedSpace.of(table, gappy=_may_be_missing(rules)),
            Synthesizer(table, rules),
            neighbours,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rules as written."""
        return self.rules.origins

    def per_rule(self, piece: NDArray[np.intp]) -> tuple[int, ...]:
        """Count for each rule as written how many rows were made for it, given the piece of each."""
        return tuple(np.bincount(self.origin[piece], minlength=len(self.outcomes)).tolist())

    def lacking(self, agreement: Sequence[float]) -> list[float]:
        """Return what agreement with each rule as written lacks to the best that its outcome allows.

        Of a rule that nothing is known of, that is all of it. An outcome that is left to chance allows less than 1: no
        row can teach a model more.
        """
        best = [max(outcome.spread(self.classes).values()) for outcome in self.outcomes]
        return [most if math.isnan(held) else max(most - held, 0.0) for most, held in zip(best, agreement, strict=True)]

    def rows(self, table: Table, given: Any, labels: NDArray[np.intp], own: NDArray[np.intp]) -> Rows:
        """Look at some rows; those that were made need no frame."""
        met = self.conditions.evaluate(table)
        return Rows(table, given, self.space.encode(table), met, self.owner(met), labels, own)

    def rows_to_judge(self, table: Table, given: Any, labels: NDArray[np.intp]) -> Rows:
        """Look at rows that nothing is made from, so that they need no place in space; a column may be all missing."""
        met = self.conditions.evaluate(table)
        nowhere = Points(np.empty((len(table), 0)), np.empty((0, len(table)), dtype=np.int8))
        return Rows(table, given, nowhere, met, self.owner(met), labels, labels)

    def owner(self, met: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Attribute rows to the first rule as written that covers them, -1 if none does."""
        piece = attribute(self.covered(met))
        return np.where(piece >= 0, self.origin[piece], -1) if len(self.origin) else piece

    def covered(self, met: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which rows each rule covers, of shape (rules, rows)."""
        found = np.ones((len(self.rules), met.shape[1]), dtype=bool)
        for covered, needs in zip(found, self.conditions.needs, strict=True):
            for one in needs:
                covered &= met[one]
        return found


def _may_be_missing(rules: RuleSet) -> frozenset[str]:
    return frozenset(name for rule in rules for name, held in rule.clause if held.missing)
