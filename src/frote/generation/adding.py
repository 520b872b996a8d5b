"""Rows moved to where conditions over several columns hold.

All columns are made first, each inside its own condition. Where a sum of some is not what it should be, one column is
moved into what the others leave it, so that all sums with that column hold. Where no column can do that alone, the row
goes towards a point that meets everything, found without chance, as far as it must and at most all the way; from there
each column is drawn again within what the others leave. So it always ends, and what is made holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.exceptions import RuleError
from frote.generation.limits import limits_of
from frote.generation.numbers import NumberColumn
from frote.generation.rooms import ENDS, as_whole, float_room, up_to, whole_room
from frote.rules import Condition
from frote.rules.feasible import Line, find_point
from frote.rules.intervals import first_step
from frote.rules.linear import columns_of
from frote.rules.masks import prepare_at
from frote.table import ColumnData, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from frote.generation.limits import MadeColumn
    from frote.generation.numbers import Stretches
    from frote.rules import Rule
    from frote.rules.linear import Linear
    from frote.rules.masks import Test
    from frote.table import Schema, Table

__all__ = ["Adding"]

TURNS = 3  # of moving one column at a time
HALVES = 8  # of the way to the point that meets everything
SWEEPS = 2  # over the columns, from there
NEAR = (1, 2, 4, 8)  # steps between floats that a value is moved by, where rounding takes it out


@dataclass(frozen=True, slots=True, eq=False)
class Adding:
    """What must be known to make rows for a rule with conditions over several columns.

    Parameters
    ----------
    schema : Schema
        The columns of the data.

    columns : dict of str to NumberColumn
        The columns that the rule adds up.

    limits : dict of str to Stretches
        Where each of them may lie by itself; not missing.

    sums : tuple of (Linear, Condition, callable)
        The conditions on sums, and the tests made of them.

    filled : frozenset of str
        The columns that may not be missing, for the sake of some sum.

    anchor : dict of str to number
        A value for each column; together they meet everything.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.generation.limits import column_of
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"bill": [10, 80], "limit": [20, 90]}))
    >>> (rule,) = frote.parse_rules("IF bill > limit AND limit >= 30 THEN review")
    >>> Adding.of(rule, table, {name: column_of(table, name) for name in ("bill", "limit")}).anchor
    {'bill': 31, 'limit': 30}
    """

    schema: Schema
    columns: dict[str, NumberColumn]
    limits: dict[str, Stretches]
    sums: tuple[tuple[Linear, Condition, Test], ...]
    filled: frozenset[str]
    anchor: dict[str, Any]

    @classmethod
    def of(cls, rule: Rule, table: Table, columns: Mapping[str, MadeColumn]) -> Adding | None:
        """Look for what meets all conditions of a rule on sums, and on their columns; None if nothing does.

        Raises
        ------
        UndecidedError
            If that takes too long to tell.
        """
        names = tuple(columns_of(key for key, _ in rule.clause.sums))
        limits = {name: _limits(rule, name, columns[name]) for name in names}
        made = {name: column for name in names if isinstance(column := columns[name], NumberColumn)}
        if len(made) < len(names) or None in limits.values():
            return None
        sums = tuple((key, condition, prepare_at(key, condition, table.schema)) for key, condition in rule.clause.sums)
        filled = frozenset(columns_of(key for key, condition, _ in sums if not condition.missing))
        adding = cls(
            table.schema, made, {name: own for name, own in limits.items() if own is not None}, sums, filled, {}
        )
        for point in adding._points(table):
            if adding._holds(point):
                adding.anchor.update(point)
                return adding
        return None

    def _points(self, table: Table) -> Iterator[dict[str, Any]]:
        """Find points that meet everything, one near the middle of the data first."""
        for near in (True, False):
            for share in (0.5, 0.25, 0.75):
                lines = [self._line(name, table, share, near=near) for name in self.columns]
                place = {name: at for at, name in enumerate(self.columns)}
                sums = [
                    (
                        {place[name]: factor * self._unit(name) for name, factor in key.terms},
                        Line.of(condition.numbers),
                    )
                    for key, condition, _ in self.sums
                ]
                point = find_point(lines, sums)
                if point is None:
                    break
                yield {
                    name: _native(value, column)
                    for value, (name, column) in zip(point, self.columns.items(), strict=True)
                }

    def _line(self, name: str, table: Table, share: float, *, near: bool) -> Line:
        column, limits = self.columns[name], self.limits[name]
        lows, highs = (limits.near_lows, limits.near_highs) if near else (limits.lows, limits.highs)
        step, offset = _steps(column, limits)
        stretches = tuple(
            (None if np.isinf(low) else (Fraction(low), False), None if np.isinf(high) else (Fraction(high), False))
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
        )
        present = table[name].present
        finite = present[np.isfinite(present)]
        wanted = Fraction(np.quantile(finite, share, method="nearest").item()) if len(finite) else Fraction(0)
        return Line(stretches, step, wanted, offset)

    def _unit(self, name: str) -> int:
        column = self.columns[name].column
        return column.step if column.kind is Kind.DATETIME else 1

    def _holds(self, point: Mapping[str, Any]) -> bool:
        """Tell whether a point meets everything, once it is held by its types and added up as rows are."""
        values = {name: np.array([value]) for name, value in point.items()}
        gone = {name: np.zeros(1, dtype=bool) for name in point}
        held = all(self._held(name, own)[0] == own[0] and self._inside(name, own)[0] for name, own in values.items())
        return held and not self._unmet(values, gone).any()

    def settle(
        self, values: dict[str, NDArray[Any]], gone: dict[str, NDArray[np.bool_]], rng: np.random.Generator
    ) -> None:
        """Move rows, each of which meets the conditions on columns by themselves, to where those on sums hold too.

        Parameters
        ----------
        values, gone : dict of str to ndarray
            The values of each column that is added up, and which of them are missing; they are changed.

        rng : numpy Generator
            The source of chance.
        """
        for name in sorted(self.filled):
            lost = gone[name]
            if lost.any():
                values[name][lost] = self.columns[name].draw(int(lost.sum()), self.limits[name], rng)
                gone[name][lost] = False
        for turn in range(TURNS):
            if not self._unmet(values, gone).any():
                return
            for name in rng.permutation(list(self.columns)).tolist():
                unmet = self._unmet(values, gone)
                mine = [one for one, (key, *_) in enumerate(self.sums) if name in key.columns]
                rows = np.flatnonzero(unmet[mine].any(axis=0) & ~gone[name])
                if len(rows):
                    self._move(name, rows, values, gone, rng, nearest=turn < TURNS - 1, seen=turn == 0)
        rows = np.flatnonzero(self._unmet(values, gone).any(axis=0))
        if len(rows):
            self._to_anchor(rows, values, gone, rng)
            for _ in range(SWEEPS):
                for name in rng.permutation(list(self.columns)).tolist():
                    here = rows[~gone[name][rows]]
                    if len(here):
                        self._move(name, here, values, gone, rng, nearest=True)

    def _unmet(
        self,
        values: Mapping[str, NDArray[Any]],
        gone: Mapping[str, NDArray[np.bool_]],
        rows: NDArray[np.intp] | slice = slice(None),
    ) -> NDArray[np.bool_]:
        """Return which sums are not what they should be, of shape (sums, rows)."""
        unmet = []
        for key, _, test in self.sums:
            data = key.added(self.schema, {name: _data(values, gone, name, rows) for name in key.columns})
            unmet.append(~test(data.values, data.missing))
        return np.array(unmet)

    def _move(
        self,
        name: str,
        rows: NDArray[np.intp],
        values: dict[str, NDArray[Any]],
        gone: dict[str, NDArray[np.bool_]],
        rng: np.random.Generator,
        *,
        nearest: bool,
        seen: bool = False,
    ) -> None:
        """Move one column of some rows into what all its sums and its own condition leave it, where they do.

        Of sums that may lie in several stretches, the nearest counts or any; and only values within the range that was
        seen, if that is asked for.
        """
        lows, highs = self._room(name, rows, values, gone, rng, nearest=nearest)
        if seen:
            lows, highs = np.maximum(lows, self.columns[name].low), np.minimum(highs, self.columns[name].high)
        drawn = self._held(name, self._drawn(name, lows, highs, rng.random(len(rows))))
        left = np.flatnonzero(lows <= highs)
        own = values[name]
        tries = [drawn]
        if own.dtype.kind == "f":
            tries += [drawn + way * many * np.spacing(np.abs(drawn)) for many in NEAR for way in (1, -1)]
        mine = [one for one, (key, *_) in enumerate(self.sums) if name in key.columns]
        for tried in tries:
            if not len(left):
                return
            here, wanted = rows[left], self._held(name, tried[left])
            before = own[here]
            own[here] = wanted
            met = ~self._unmet(values, gone, here)[mine].any(axis=0) & self._inside(name, wanted)
            own[here] = np.where(met, wanted, before)
            left = left[~met]

    def _room(
        self,
        name: str,
        rows: NDArray[np.intp],
        values: Mapping[str, NDArray[Any]],
        gone: Mapping[str, NDArray[np.bool_]],
        rng: np.random.Generator,
        *,
        nearest: bool,
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return between which values a column may lie, so that all sums with it are what they should be."""
        limits = self.limits[name]
        whole = values[name].dtype.kind == "i"
        low = np.full(len(rows), ENDS.min if whole else -np.inf)
        high = np.full(len(rows), ENDS.max if whole else np.inf)
        for key, condition, _ in self.sums:
            if name in key.columns:
                parts = {other: _data(values, gone, other, rows) for other in key.columns}
                least, most, bound = self._left(key, condition, name, parts, rng, nearest=nearest)
                low, high = np.where(bound, np.maximum(low, least), low), np.where(bound, np.minimum(high, most), high)
        # Of several stretches of its own condition, each row takes the first that leaves it something.
        lows, highs = np.maximum(low, limits.lows[0]), np.minimum(high, limits.highs[0])
        for first, last in zip(limits.lows[1:], limits.highs[1:], strict=True):
            empty = lows > highs
            lows = np.where(empty, np.maximum(low, first), lows)
            highs = np.where(empty, np.minimum(high, last), highs)
        return lows, highs

    def _left(
        self,
        key: Linear,
        condition: Condition,
        name: str,
        parts: Mapping[str, ColumnData],
        rng: np.random.Generator,
        *,
        nearest: bool,
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]:
        """Return between which values a column may lie for the sake of one sum, and for which rows that counts."""
        total = key.added(self.schema, parts)
        column = self.columns[name].column
        factor = dict(key.terms)[name] * self._unit(name)
        bound = np.ones(len(total.values), dtype=bool) if total.missing is None else ~total.missing
        line = key.asked(condition, self.schema).numbers
        rooms, apart = [], []
        for (start, after), (end, before) in line:
            if total.values.dtype.kind == "i":
                ends = first_step((start, after), 1), first_step((end, before), 1) - 1
                rooms.append(whole_room(total.values - factor * parts[name].values, factor, ends))
            else:
                weight = factor / key.scale
                rooms.append(float_room(total.values - weight * parts[name].values, weight, (start, end)))
            apart.append(np.maximum(np.maximum(float(start) - total.values, total.values - float(end)), 0))
        if not rooms:
            nothing = np.zeros_like(parts[name].values)
            return nothing + 1, nothing, bound
        which = np.argmin(apart, axis=0) if nearest else rng.integers(len(rooms), size=len(bound))
        least, most = (np.array(side)[which, np.arange(len(bound))] for side in zip(*rooms, strict=True))
        if least.dtype.kind == "f" and column.kind is not Kind.CONTINUOUS:
            least, most = as_whole(np.ceil(least)), as_whole(np.floor(most))
        return least, most, bound

    def _drawn(self, name: str, lows: NDArray[Any], highs: NDArray[Any], share: NDArray[np.float64]) -> NDArray[Any]:
        """Draw between two ends each: within the observed range, else as near to it as one standard deviation."""
        column = self.columns[name]
        low, high = np.maximum(lows, column.low), np.minimum(highs, column.high)
        beyond = low > high
        over = lows > column.high
        with np.errstate(over="ignore", invalid="ignore"):
            if column.step:
                width = max(int(column.spread), 1)
                above, below = up_to(lows, highs, width), -up_to(-highs, -lows, width)
            else:
                above, below = np.minimum(highs, lows + column.spread), np.maximum(lows, highs - column.spread)
        low = np.where(beyond, np.where(over, lows, below), low)
        high = np.where(beyond, np.where(over, above, highs), high)
        if not column.step:
            ends = np.isfinite(low) & np.isfinite(high)
            return np.where(ends, low, 0.0) * (1 - share) + np.where(ends, high, 0.0) * share
        step, offset = _steps(column, self.limits[name])
        first = -(-(low - offset) // step) * step + offset
        count = np.maximum((high - first) // step + 1, 1)
        drawn: NDArray[np.int64] = first + np.minimum(np.floor(share * count).astype(np.int64), count - 1) * step
        return drawn

    def _to_anchor(
        self,
        rows: NDArray[np.intp],
        values: dict[str, NDArray[Any]],
        gone: dict[str, NDArray[np.bool_]],
        rng: np.random.Generator,
    ) -> None:
        """Move rows towards the point that meets everything, as far as they must."""
        start = {name: values[name][rows].copy() for name in self.columns}
        share, left = rng.random(len(rows)), np.arange(len(rows))
        for attempt in range(HALVES + 1):
            here = rows[left]
            inside = np.ones(len(left), dtype=bool)
            for name, column in self.columns.items():
                anchor, away = self.anchor[name], start[name][left] - self.anchor[name]
                if attempt == HALVES:
                    moved = np.full(len(left), anchor)
                elif column.step:
                    step = _steps(column, self.limits[name])[0]
                    moved = anchor + np.rint(share[left] * (away / step)).astype(np.int64) * step
                else:
                    moved = anchor + share[left] * away
                moved = self._held(name, moved.astype(values[name].dtype))
                inside &= self._inside(name, moved) | gone[name][here]
                values[name][here] = moved
            left = left[~(inside & ~self._unmet(values, gone, here).any(axis=0))]
            if not len(left):
                return
            share[left] /= 2
        raise RuleError(
            "A row that was to satisfy a rule does not: its columns hold other values than were asked of them."
        )

    def _held(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Return values as the column's type holds them."""
        column = self.columns[name]
        if column.column.kind is Kind.DATETIME:
            return column.storage.as_read_back(column.column, ColumnData(values))
        if column.in_floats:
            return column.storage.lattice.nearest(values).astype(np.int64)
        return column.storage.lattice.nearest(values) if values.dtype.kind == "f" else values

    def _inside(self, name: str, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which values lie where the column's own condition lets them."""
        limits = self.limits[name]
        inside = np.zeros(len(values), dtype=bool)
        for low, high in zip(limits.lows, limits.highs, strict=True):
            inside |= (low <= values) & (values <= high)
        return inside


def _limits(rule: Rule, name: str, column: MadeColumn) -> Any:
    """Return where a rule lets a column lie that it adds up, without missing values."""
    limits = limits_of(rule, rule.clause[name] & ~Condition.is_missing(), column)
    return None if limits is None or limits.only_missing else limits


def _steps(column: NumberColumn, limits: Stretches) -> tuple[int, int]:
    """Return the steps that values of a column are made on, and where they count from; see `NumberColumn.stretches`."""
    usual = not column.step or (int(limits.lows[0]) - column.offset) % column.step == 0
    return (column.step, column.offset) if usual else (1, 0)


def _native(value: Fraction, column: NumberColumn) -> Any:
    return int(value) if column.step else float(value)


def _data(
    values: Mapping[str, NDArray[Any]],
    gone: Mapping[str, NDArray[np.bool_]],
    name: str,
    rows: NDArray[np.intp] | slice,
) -> ColumnData:
    missing = gone[name][rows]
    return ColumnData(values[name][rows], missing if missing.any() else None)
