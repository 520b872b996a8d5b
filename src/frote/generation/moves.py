"""Moving rows into a rule, or out of it, by the least change.

Leaving a rule is entering its complement, which is a union of clauses like any rule; so there is one move: into the
nearest of some clauses. What a move costs and where it leads is learned from one table and applied to others, whose
columns may be of other types: a value that the type at hand cannot hold is not written, and the row stays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from frote.generation.numbers import NumberColumn
from frote.rules.binding import require_no_sums
from frote.rules.clause import Clause
from frote.rules.masks import clause_mask, prepare
from frote.rules.partition import subtract
from frote.table import Column, ColumnData, Kind, Table
from frote.table.frames import code_dtype

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from frote.rules.condition import Condition
    from frote.table.frames import ColumnFormat

__all__ = ["Goal", "Mover"]

FARTHEST = 1e300  # what a change to or from an infinite number costs: dear, but possible


@dataclass(frozen=True, slots=True)
class Goal:
    """Where rows are to go: into a rule, or out of it.

    Parameters
    ----------
    rule : tuple of Clause
        The rule's clauses, one or, if it has pieces, several.

    inside : bool
        Whether rows are to be inside.

    clauses : tuple of Clause
        Clauses of which to enter one: the rule's own, or those of its complement.

    Examples
    --------
    >>> import frote
    >>> (rule,) = frote.parse_rules("IF age > 30 AND job = 'clerk' THEN approved")
    >>> for clause in Goal.of([rule.clause], inside=False).clauses:
    ...     print(clause)
    age <= 30 OR age IS MISSING
    age > 30 AND (job != 'clerk' OR job IS MISSING)
    """

    rule: tuple[Clause, ...]
    inside: bool
    clauses: tuple[Clause, ...]

    @classmethod
    def of(cls, rule: Iterable[Clause], *, inside: bool) -> Goal:
        """Return the goal to be inside or outside of a rule."""
        pieces = tuple(rule)
        return cls(pieces, inside, pieces if inside else tuple(subtract(Clause(), pieces)))

    def reached(self, table: Table) -> NDArray[np.bool_]:
        """Tell for each row whether it is where it should be."""
        within = np.zeros(len(table), dtype=bool)
        for clause in self.rule:
            within |= clause_mask(clause, table)
        return within if self.inside else ~within


@dataclass(frozen=True, slots=True, eq=False)
class _Change:
    """New values of one column for some rows, given by their positions; or that they are to be missing."""

    rows: NDArray[np.intp]
    values: NDArray[Any]
    missing: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """For each row, a value that meets a condition, or that it is to be missing, and what the change costs."""

    values: NDArray[Any]
    missing: NDArray[np.bool_]
    cost: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Seen(ABC):
    """What was seen of a column, and by that the way to new values of it."""

    column: Column
    gaps: bool  # whether a value was missing

    @abstractmethod
    def nearest(self, condition: Condition, here: Column, data: ColumnData) -> _Way | None:
        """Return the way to the nearest values that meet a condition; None if there are none."""

    @abstractmethod
    def write(
        self, change: _Change, here: Column, data: ColumnData, storage: ColumnFormat
    ) -> tuple[Column, ColumnData]:
        """Put changes into a column of another table, where its type can hold them."""

    def _gone(self, rows: int, filler: int) -> _Way | None:
        """Make every row missing, where that was seen: a model may not know what to do with it otherwise."""
        if not self.gaps:
            return None
        return _Way(np.full(rows, filler), np.ones(rows, dtype=bool), np.ones(rows))


@dataclass(frozen=True, slots=True, eq=False)
class _SeenNumbers(_Seen):
    """A column of numbers or dates.

    `values` are those to go to rather than to others, increasing; `middle` is where a missing one counts from.
    """

    numbers: NumberColumn
    values: NDArray[Any]
    middle: Any

    @classmethod
    def of(cls, table: Table, name: str, *, observed: bool) -> _SeenNumbers:
        data = table[name]
        ordered = np.sort(data.present[np.isfinite(data.present)])
        middle = ordered[(len(ordered) - 1) // 2] if len(ordered) else 0
        values = np.unique(ordered) if observed else ordered[:0]
        return cls(table.schema[name], data.missing is not None, NumberColumn.of(table, name), values, middle)

    def nearest(self, condition: Condition, here: Column, data: ColumnData) -> _Way | None:
        stretches = self.numbers.stretches(condition)
        if stretches is None:
            return None
        if not len(stretches.lows):
            return self._gone(len(data), 0)
        start, comparable = data.values, np.zeros(len(data), dtype=bool)
        if self._is_like(here):
            start, comparable = _in_units(start, here.step, self.column.step)
            if data.missing is not None:
                comparable &= ~data.missing
        start = np.where(comparable, start, self.middle)
        seen = self.values[prepare(condition, self.column)(self.values, None)]
        lows, highs = (seen, seen) if len(seen) else (stretches.lows, stretches.highs)
        reached = _nearest(start, lows, highs)
        cost = np.where(comparable, np.minimum(_far(reached, start) / self.numbers.spread, FARTHEST), 1.0)
        return _Way(reached, np.zeros(len(data), dtype=bool), cost)

    def write(
        self, change: _Change, here: Column, data: ColumnData, storage: ColumnFormat
    ) -> tuple[Column, ColumnData]:
        if not self._is_like(here):
            return here, data
        fresh, fits = _in_units(change.values, self.column.step, here.step)
        if storage.bounds is not None:
            low, high = storage.bounds
            fresh = np.rint(fresh) if fresh.dtype.kind == "f" else fresh
            fits &= (low <= fresh) & (fresh <= high)
            fresh = np.where(fits, fresh, 0).astype(np.int64)
        values = data.values.astype(np.result_type(data.values, fresh))
        missing = data.gaps().copy()
        values[change.rows[fits]], missing[change.rows[fits]] = fresh[fits], change.missing[fits]
        if values.dtype.kind == "f":
            # There may be fractions now among numbers that all were whole.
            here = replace(here, kind=Kind.CONTINUOUS)
            values[missing] = np.nan
        return here, ColumnData(values, missing)

    def _is_like(self, here: Column) -> bool:
        """Tell whether a column of another table can be compared: both are numbers, or both dates."""
        return here.kind.is_number if self.column.kind.is_number else here.kind is Kind.DATETIME


@dataclass(frozen=True, slots=True, eq=False)
class _SeenLevels(_Seen):
    """A column of categories or truth values, with how often each level was seen."""

    counts: NDArray[np.intp]
    storage: ColumnFormat

    @classmethod
    def of(cls, table: Table, name: str) -> _SeenLevels:
        column, data = table.schema[name], table[name]
        counts = np.bincount(data.values[data.values >= 0], minlength=len(column.levels))
        return cls(column, data.missing is not None, counts, table.storage(name))

    def nearest(self, condition: Condition, here: Column, data: ColumnData) -> _Way | None:  # noqa: ARG002
        inside = np.array(condition.levels_inside(self.column), dtype=bool)
        if self.counts[inside].any():
            level = np.where(inside, self.counts, 0).argmax()
            return _Way(np.full(len(data), level), np.zeros(len(data), dtype=bool), np.ones(len(data)))
        return self._gone(len(data), -1) if condition.missing else None

    def write(
        self, change: _Change, here: Column, data: ColumnData, storage: ColumnFormat
    ) -> tuple[Column, ColumnData]:
        if not here.kind.has_levels:
            return here, data
        levels = list(here.levels)
        code_of = {level: code for code, level in enumerate(levels)}
        # What a code of the levels seen is here; the last place is for missing.
        code_here = np.full(len(self.column.levels) + 1, -1)
        for code in np.unique(change.values[~change.missing]):
            level = self.column.levels[code]
            # A column of the same type can hold what was seen, also where none of its rows has it.
            if level not in code_of and storage == self.storage:
                code_of[level] = len(levels)
                levels.append(level)
            code_here[code] = code_of.get(level, -1)
        fresh = code_here[change.values]
        fits = change.missing | (fresh >= 0)
        codes = data.values.astype(code_dtype(len(levels)))
        codes[change.rows[fits]] = fresh[fits]
        return replace(here, levels=tuple(levels)), ColumnData(codes, codes < 0)


class Mover:
    """Moves rows to where they should be, by the least change.

    The least change into a clause is, in each column whose condition a row fails and in no other: the nearest number or
    date that was seen and meets it, else the nearest that the column can hold; the most frequent level seen that meets
    it; or missing, if the condition admits nothing else and missing was seen. The cost is the distance in standard
    deviations for a number, and 1 for any change of level, or to missing or from it (to the number nearest to the
    median). Of several clauses the cheapest is taken, of equally cheap ones the first.

    Parameters
    ----------
    table : Table
        The rows from which values, spreads and frequencies are learned.

    goals : iterable of Goal
        The goals that rows will be moved to; their columns are those of the table.

    observed : bool, default=True
        Whether numbers and dates that were seen are gone to rather than nearer ones that were not.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> X = pd.DataFrame({"age": [20, 30, 40], "job": ["clerk", "clerk", "smith"]})
    >>> (rule,) = frote.parse_rules("IF age > 30 AND job = 'clerk' THEN approved")
    >>> inside, outside = (Goal.of([rule.clause], inside=flag) for flag in (True, False))
    >>> mover = Mover(Table.from_frame(X), [inside, outside])
    >>> rows = pd.DataFrame({"age": [25, 35], "job": ["smith", "clerk"]})
    >>> mover.move(rows, Table.from_frame(rows), [(inside, np.array([0])), (outside, np.array([1]))])
       age    job
    0   40  clerk
    1   30  clerk
    """

    def __init__(self, table: Table, goals: Iterable[Goal], *, observed: bool = True) -> None:
        goals = list(goals)
        require_no_sums(
            (clause for goal in goals for clause in goal.clauses),
            "A rule that rows are to be moved into or out of",
            "and rows are moved by one column at a time. Leave it out, or use mode='hard'",
        )
        names = dict.fromkeys(name for goal in goals for clause in goal.clauses for name in clause.columns)
        self._seen: dict[str, _Seen] = {
            name: _SeenLevels.of(table, name)
            if table.schema[name].kind.has_levels
            else _SeenNumbers.of(table, name, observed=observed)
            for name in names
        }

    def move(self, frame: Any, table: Table, journeys: Iterable[tuple[Goal, NDArray[np.intp]]]) -> Any:
        """Return a frame in which rows are where they should be, as far as they can get there.

        Parameters
        ----------
        frame : pandas or polars DataFrame, or array
            The rows; the frame is not changed.

        table : Table
            The frame as a table.

        journeys : iterable of (Goal, ndarray of int)
            Goals, each with the positions of the rows that are to go there; no row comes twice.

        Returns
        -------
        DataFrame or array
            A frame of the same kind, types and index; `frame` itself if no row is moved.
        """
        going = [(goal, rows[~goal.reached(table.take(rows))]) for goal, rows in journeys]
        places = np.concatenate([np.empty(0, dtype=np.intp), *(rows for _, rows in going)])
        if not len(places):
            return frame
        subset = table.take(places)
        changes: dict[str, list[_Change]] = {}
        ends = np.cumsum([len(rows) for _, rows in going]).tolist()
        groups = [(goal, np.arange(end - len(rows), end)) for (goal, rows), end in zip(going, ends, strict=True)]
        for goal, rows in groups:
            self._into(subset, rows, goal.clauses, changes)
        moved = self._write(subset, changes)
        # What came of the changes is seen when the rows are read again: some cannot get there, some types cannot hold
        # a value, some time zones skip an hour. Such rows stay as they were.
        back = Table.from_frame(moved)
        there = np.zeros(len(back), dtype=bool)
        for goal, rows in groups:
            there[rows] = goal.reached(back.take(rows))
        kept = np.flatnonzero(there)
        return _replaced(frame, table, places[kept], table.frame_format.take(moved, kept), back.take(kept))

    def _into(
        self, table: Table, rows: NDArray[np.intp], clauses: Sequence[Clause], changes: dict[str, list[_Change]]
    ) -> None:
        """Add the changes by which rows get into the cheapest of the clauses."""
        costs = np.zeros((len(clauses), len(rows)))
        ways: list[tuple[int, str, NDArray[np.intp], _Way]] = []
        subset = table.take(rows)
        for place, clause in enumerate(clauses):
            for name, condition in clause.alone:
                here, data = table.schema[name], subset[name]
                fails = np.flatnonzero(~prepare(condition, here)(data.values, data.missing))
                if not len(fails):
                    continue
                failing = ColumnData(data.values[fails], None if data.missing is None else data.missing[fails])
                way = self._seen[name].nearest(condition, here, failing)
                costs[place, fails] += np.inf if way is None else way.cost
                if way is not None:
                    ways.append((place, name, fails, way))
        for place, name, fails, way in ways:
            chosen = costs[:, fails].argmin(axis=0) == place
            change = _Change(rows[fails[chosen]], way.values[chosen], way.missing[chosen])
            changes.setdefault(name, []).append(change)

    def _write(self, table: Table, changes: dict[str, list[_Change]]) -> Any:
        """Return the caller's kind of frame with the changes in it."""
        natives = {}
        for column in table.schema:
            name, data, storage = column.name, table[column.name], table.storage(column.name)
            if name in changes:
                change = _Change(
                    np.concatenate([one.rows for one in changes[name]]),
                    np.concatenate([one.values for one in changes[name]]),
                    np.concatenate([one.missing for one in changes[name]]),
                )
                column, data = self._seen[name].write(change, column, data, storage)
            with np.errstate(over="ignore"):  # of floats that are too large for the type at hand
                natives[name] = storage.restore(column, data)
        return table.frame_format.assemble(natives, len(table))


def _far(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float64]:
    """Return how far numbers are apart; infinite ones, infinitely."""
    with np.errstate(over="ignore", invalid="ignore"):
        apart: NDArray[np.float64] = np.abs(one.astype(np.float64) - other.astype(np.float64))
    return apart


def _nearest(start: NDArray[Any], lows: NDArray[Any], highs: NDArray[Any]) -> NDArray[Any]:
    """Return for each start the nearest point of disjoint, increasing stretches; of two equally near, the lower."""
    after = np.searchsorted(lows, start, side="right")
    below = np.minimum(start, highs[np.maximum(after - 1, 0)])
    above = lows[np.minimum(after, len(lows) - 1)]
    upwards = (after == 0) | ((after < len(lows)) & (_far(above, start) < _far(start, below)))
    reached: NDArray[Any] = np.where(upwards, above, below)
    return reached


def _in_units(values: NDArray[Any], step: int, wanted: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return counts of a step as counts of another, rounded down, and which of them 64 bits can hold."""
    if step == wanted:
        return values, np.ones(len(values), dtype=bool)
    if step < wanted:
        return values // (wanted // step), np.ones(len(values), dtype=bool)
    factor = step // wanted
    fits = np.abs(values) <= np.iinfo(np.int64).max // factor
    return np.where(fits, values, 0) * factor, fits


def _replaced(frame: Any, table: Table, places: NDArray[np.intp], moved: Any, back: Table) -> Any:
    """Return a frame with other rows at some places; all other rows stay the caller's own."""
    if not len(places):
        return frame

    def restored(place: int) -> Any:
        column = table.schema.columns[place]
        values = np.concatenate([table[column.name].values, back[column.name].values])
        return table.storage(column.name).restore(column, ColumnData(values, values < 0))

    form = table.frame_format
    order = np.arange(len(table))
    order[places] = len(table) + np.arange(len(places))
    replaced = form.take(form.stack(frame, moved, restored), order)
    if nw.dependencies.is_pandas_dataframe(frame):
        replaced.index = frame.index
    return replaced
