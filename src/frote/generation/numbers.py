"""New numbers and dates: on the way from a base row to its neighbour, and inside a rule's condition.

A condition becomes closed stretches of numbers that the column's type can hold, so that whatever is drawn within a
stretch meets the condition. Whole numbers and dates are drawn on their lattice.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.rules.intervals import first_step
from frote.rules.values import DAY
from frote.table import ColumnData, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from frote.rules.condition import Condition
    from frote.rules.intervals import Intervals
    from frote.table import Column, Table
    from frote.table.frames import ColumnFormat

__all__ = ["NumberColumn", "Stretches"]

BELOW_2_64 = float(np.nextafter(2.0**64, 0.0))  # the greatest float that 64 bits count


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Where a condition lets the values of a number or date column lie.

    Parameters
    ----------
    lows, highs : ndarray
        The closed stretches that the condition allows, increasing.

    near_lows, near_highs : ndarray
        Those parts of them to draw from when a base and its neighbour give no value inside: within the observed
        range, else just beyond it.

    missing : bool
        Whether the condition admits a missing value that the column's type can hold.
    """

    lows: NDArray[Any]
    highs: NDArray[Any]
    near_lows: NDArray[Any]
    near_highs: NDArray[Any]
    missing: bool

    @property
    def only_missing(self) -> bool:
        """Whether nothing but a missing value is allowed."""
        return not len(self.lows)


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """What must be known of a column to make new values of it.

    Parameters
    ----------
    column : Column
        The column; of dates, its step says in what unit they are counted.

    step : int
        The distance of two neighbouring values that it takes; 0 if it takes all floats.

    low, high : number
        The range of the finite values observed; 0 if there are none.

    offset : int
        Where the steps count from: a column of nine o'clocks gets nine o'clocks.

    spread : float
        The standard deviation, or 1 if it is 0 or beyond all floats.

    bounds : tuple of number
        The least and greatest values that its type holds.

    storage : ColumnFormat
        What its type can hold.

    in_floats : bool
        Whether it is a column of floats that are all whole.

    has_gaps : bool
        Whether it has missing values.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.rules import Condition
    >>> from frote.table import Table
    >>> ages = NumberColumn.of(Table.from_frame(pd.DataFrame({"age": [20, 30, 40]})), "age")
    >>> inside = ages.stretches(Condition.compare(">", 35))
    >>> rng = np.random.default_rng(0)
    >>> values, lost = ages.between_inside(np.array([20, 20]), np.array([40, 30]), rng.random(2), [(2, inside)])
    >>> values[lost] = ages.draw(1, inside, rng)
    >>> values
    array([39, 36])
    """

    column: Column
    step: int
    low: Any
    high: Any
    offset: int
    spread: float
    bounds: tuple[Any, Any]
    storage: ColumnFormat
    in_floats: bool
    has_gaps: bool

    @classmethod
    def of(cls, table: Table, name: str) -> NumberColumn:
        """Look at a column of a table."""
        column, data, storage = table.schema[name], table[name], table.storage(name)
        finite = np.isfinite(data.present)
        present = data.present[finite]
        step = 0
        if column.kind is Kind.DATETIME:
            # Dates stay dates: a column of midnights gets midnights, be they days or years apart.
            apart = _distance(present.min(), present) if len(present) else np.empty(0, dtype=np.uint64)
            step = max(1, int(np.gcd.reduce(apart, initial=np.uint64(DAY // column.step))))
        elif column.kind is Kind.INTEGER or storage.bounds is not None:
            step = 1
        limits: tuple[float, float]
        if storage.bounds is not None:
            limits = storage.bounds
        else:
            most: float = 2**63 - 1
            if column.kind is Kind.INTEGER:
                most = min(most, storage.lattice.greatest_whole)
            elif not step:
                # Infinite values are made only where there are some.
                most = storage.lattice.greatest if finite.all() else math.inf
            limits = -most, most
        with np.errstate(over="ignore", invalid="ignore"):
            spread = float(present.astype(np.float64).std()) if len(present) else 0.0
        low, high = (present.min(), present.max()) if len(present) else (0, 0)
        return cls(
            column,
            step,
            int(low) if step else float(low),
            int(high) if step else float(high),
            int(low) % step if step else 0,
            spread if 0 < spread < math.inf else 1.0,
            limits,
            storage,
            column.kind is Kind.INTEGER and storage.bounds is None,
            data.missing is not None and bool(data.missing.any()),
        )

    @property
    def made_alike(self) -> tuple[Any, ...]:
        """What new values depend on where there is no condition: columns of equal ones can be made together."""
        return self.column.kind is Kind.CONTINUOUS, self.step, self.storage.lattice, self.in_floats

    def stretches(self, condition: Condition) -> Stretches | None:
        """Make a condition into stretches; None if the column's type holds no value that meets it."""
        line = condition.times if self.column.kind is Kind.DATETIME else condition.numbers
        pairs = self._closed(line, self.step, self.offset)
        if not pairs and self.step > 1:
            # No value of the usual step lies inside: half past twelve is asked for among midnights.
            pairs = self._closed(line, 1, 0)
        missing = condition.missing and self.storage.nullable
        if not pairs and not missing:
            return None
        near = [pair for pair in (self._cut(*pair) for pair in pairs) if pair[0] <= pair[1]]
        if pairs and not near:
            near = [self._beyond(pairs)]
        dtype = np.int64 if self.step else np.float64
        lows, highs = (np.array([pair[side] for pair in pairs], dtype=dtype) for side in (0, 1))
        near_lows, near_highs = (np.array([pair[side] for pair in near], dtype=dtype) for side in (0, 1))
        return Stretches(lows, highs, near_lows, near_highs, missing)

    def _closed(self, line: Intervals, step: int, offset: int) -> list[tuple[Any, Any]]:
        """Return the closed stretches of values of the column's type that lie inside a line."""
        pairs = []
        for enter, leave in line:
            if step:
                unit = self.column.step if self.column.kind is Kind.DATETIME else 1
                first, last = first_step(enter, unit), first_step(leave, unit) - 1
                low, high = max(first, self.bounds[0]), min(last, self.bounds[1])
                low, high = -(-(low - offset) // step) * step + offset, (high - offset) // step * step + offset
                if low <= high and self.in_floats:
                    # Whole numbers in a column of floats: from some size on, floats are farther than 1 apart.
                    lattice = self.storage.lattice
                    low, high = int(lattice.above(low, 0)), int(lattice.below(high, 1))
                if low <= high and self.column.kind is Kind.DATETIME:
                    # What ends with the type is far from all that is made.
                    low, high = (
                        self._shown_from(low, high, step) if first > self.bounds[0] else low,
                        self._shown_until(low, high, step) if last < self.bounds[1] else high,
                    )
            else:
                low = max(self.storage.lattice.above(*enter), self.bounds[0])
                high = min(self.storage.lattice.below(*leave), self.bounds[1])
            if low <= high:
                pairs.append((low, high))
        return pairs

    def _shown_from(self, low: int, high: int, step: int) -> int:
        """Return the first of a stretch of times that its type holds; beyond the stretch if there is none.

        Clocks skip an hour here and there, a column of months all days but the first.
        """
        low += step * _least(lambda at: self._shown(low + at * step) >= low, (high - low) // step)
        while low <= high and (shown := self._shown(low)) != low:
            low = shown if step == 1 else low + max(1, -(-(shown - low) // step)) * step
        return low

    def _shown_until(self, low: int, high: int, step: int) -> int:
        """Return the last of a stretch of times that its type holds; before the stretch if there is none."""
        last = high - step * _least(lambda at: self._shown(high - at * step) <= high, (high - low) // step)
        return self._shown(last) if low <= last else last

    def _shown(self, count: int) -> int:
        """Return what a count of time is once it is written and read again."""
        return int(self.storage.as_read_back(self.column, ColumnData(np.array([count])))[0])

    def _cut(self, low: Any, high: Any) -> tuple[Any, Any]:
        return max(low, self.low), min(high, self.high)

    def _beyond(self, pairs: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        """Return the stretch nearest to the observed range, no wider than one standard deviation."""
        low, high = min(pairs, key=lambda pair: max(pair[0] - self.high, self.low - pair[1]))
        if self.step:
            width = max(int(self.spread) // self.step * self.step, 0)
            return (low, min(high, low + width)) if low > self.high else (max(low, high - width), high)
        lattice = self.storage.lattice
        if low > self.high:
            return low, min(high, lattice.below(low + self.spread, 1))
        return max(low, lattice.above(high - self.spread, 0)), high

    def between(self, base: NDArray[Any], neighbour: NDArray[Any], share: NDArray[np.float64]) -> NDArray[Any]:
        """Return values on the way from base to neighbour.

        Parameters
        ----------
        base, neighbour : ndarray, shape (columns, rows)
            Values of the base rows and of their neighbours, of any number of columns that are `made_alike`.

        share : ndarray of float
            How far along the way, from 0 to 1.

        Returns
        -------
        ndarray, shape (columns, rows)
        """
        low, high, upwards = _upwards(base, neighbour, share)
        length = _distance(low, high).astype(np.float64)
        moved = self._up(low, high, upwards * np.where(np.isfinite(length), length, 0.0))
        # There is no way to an infinite value.
        return np.where(np.isfinite(length), moved, base)

    def between_inside(
        self,
        base: NDArray[Any],
        neighbour: NDArray[Any],
        share: NDArray[np.float64],
        parts: Sequence[tuple[int, Stretches]],
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return values on the way from base to neighbour that lie inside stretches.

        Parameters
        ----------
        base, neighbour : ndarray
            Values of the base rows and of their neighbours, of any number of columns that are `made_alike`, one after
            the other.

        share : ndarray of float
            How far along the way, from 0 to 1.

        parts : sequence of (int, Stretches)
            Where the values must lie: so many of them there, and the next ones there.

        Returns
        -------
        values : ndarray
            The values.

        lost : ndarray of bool
            Where the way does not lead through the stretches; these values are to be drawn.
        """
        low, high, upwards = _upwards(base, neighbour, share)
        first, last = _side_by_side(parts)
        lows, highs = np.maximum(low[:, np.newaxis], first), np.minimum(high[:, np.newaxis], last)
        inside = lows <= highs
        lengths = np.where(inside, _distance(lows, highs).astype(np.float64), 0.0)
        lengths[~np.isfinite(lengths)] = 0.0  # an infinite value has no way to it: the other end is taken
        ends = lengths.cumsum(axis=1)
        # The stretch in which the wanted share of the way ends; where all have no length, the first one touched.
        way = upwards * ends[:, -1]
        which = (inside & (ends >= way[:, np.newaxis])).argmax(axis=1)
        rows = np.arange(len(base))
        along = np.maximum(way - (ends - lengths)[rows, which], 0.0)
        return self._up(lows[rows, which], highs[rows, which], along), ~inside.any(axis=1)

    def draw(self, count: int, stretches: Stretches, rng: np.random.Generator) -> NDArray[Any]:
        """Draw values inside the stretches, evenly over what lies within or next to the observed range."""
        lows, highs = stretches.near_lows, stretches.near_highs
        # Of floats in halves, since the length may be too large for one.
        lengths = _distance(lows, highs).astype(np.float64) + self.step if self.step else _distance(lows / 2, highs / 2)
        weights = lengths if lengths.sum() > 0 else np.ones(len(lengths))
        which = np.searchsorted(weights.cumsum() / weights.sum(), rng.random(count), side="right")
        which = np.minimum(which, len(lows) - 1)
        low, high, share = lows[which], highs[which], rng.random(count)
        if self.step:
            places = (_distance(low, high) // self.step).astype(np.float64) + 1.0
            return _steps_up(low, high, np.floor(share * places), self.step)
        return self._held(np.where(low == high, low, low * (1.0 - share) + high * share), low, high)

    def _up(self, low: NDArray[Any], high: NDArray[Any], along: NDArray[np.float64]) -> NDArray[Any]:
        """Go some way up from low values, to the nearest values that the column takes, at most to the high ones."""
        if low.dtype.kind == "i":
            return _steps_up(low, high, np.rint(along / self.step), self.step)
        return self._held(low + (np.rint(along) if self.step else along), low, high)

    def _held(self, values: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> NDArray[Any]:
        """Return floats as the column's type holds them, between values that it holds."""
        return np.clip(self.storage.lattice.nearest(values), low, high)

    def stored(self, values: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
        """Return values, of any number of columns that are `made_alike`, as a table keeps them."""
        continuous = self.column.kind is Kind.CONTINUOUS
        values = values.astype(np.float64 if continuous else np.int64)
        if self.in_floats:
            values = self.storage.lattice.nearest(values).astype(np.int64)
        values[missing] = np.nan if continuous else 0
        return values


def _least(test: Callable[[int], bool], most: int) -> int:
    """Return the least number up to a greatest one that passes a test, as all after it do; one more if none does."""
    width = 1
    while width <= most and not test(width - 1):
        width *= 2
    return bisect_left(range(min(width, most + 1)), True, key=test)


def _upwards(
    base: NDArray[Any], neighbour: NDArray[Any], share: NDArray[np.float64]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Return the lower and the upper end of ways, and how far to go up from the lower one."""
    return np.minimum(base, neighbour), np.maximum(base, neighbour), np.where(neighbour < base, 1.0 - share, share)


def _side_by_side(parts: Sequence[tuple[int, Stretches]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ends of stretches, a line for each value that must lie inside; what is left of a line holds none."""
    width = max(1, *(len(stretches.lows) for _, stretches in parts))
    counts, dtype = [count for count, _ in parts], parts[0][1].lows.dtype
    lows, highs = np.ones((len(parts), width), dtype), np.zeros((len(parts), width), dtype)  # nothing lies between
    for low, high, (_, stretches) in zip(lows, highs, parts, strict=True):
        low[: len(stretches.lows)], high[: len(stretches.highs)] = stretches.lows, stretches.highs
    return lows.repeat(counts, axis=0), highs.repeat(counts, axis=0)


def _distance(low: Any, high: Any) -> Any:
    """Return how far it is up from low values to high ones: of integers exact, of floats perhaps infinite."""
    if high.dtype.kind == "i" and low.dtype.kind == "i":
        # Two integers of 64 bits may lie farther apart than one of them can count, but not with the sign's bit.
        return high.astype(np.uint64) - low.astype(np.uint64)
    with np.errstate(over="ignore", invalid="ignore"):
        return high - low


def _steps_up(
    low: NDArray[np.int64], high: NDArray[np.int64], steps: NDArray[np.float64], step: int
) -> NDArray[np.int64]:
    """Go whole steps up from low integers, at most to the high ones; no integer is rounded to a float."""
    most = _distance(low, high) // np.uint64(step)
    taken = np.where(steps < most.astype(np.float64), np.minimum(steps, BELOW_2_64).astype(np.uint64), most)
    reached: NDArray[np.int64] = (low.astype(np.uint64) + taken * np.uint64(step)).astype(np.int64)
    return reached
