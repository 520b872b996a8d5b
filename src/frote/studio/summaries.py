"""Columns at a glance: a histogram of each by label, of all rows or of those that lie in a mask.

A column is cut into bins once. From then on a row is a small number for each column, and whatever rows are asked about
are counted by it, so that a million rows take some milliseconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.rules.masks import count
from frote.rules.values import Instant, Number, value_text
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.coverage.labels import Labels
    from frote.table import Column, ColumnData, Table

__all__ = ["Bins", "Summaries", "Summary"]

BINS = 48
LEVELS = 40  # of a column of categories that have a bin of their own; the others share one
TAIL = 0.005  # of the rows may lie beyond either end of a scale
FEW = 8  # labels, up to which bins are counted by their bits
MANY = 50  # rows, up to which a column may have another value in each for no reason
NEARLY = 0.9  # of the rows with a text of their own: the texts name them
SNAPS = 400  # places on a scale where a threshold can be put by hand, about


@dataclass(frozen=True, slots=True)
class Bins:
    """How a column is cut.

    Parameters
    ----------
    levels : tuple
        The levels that have a bin of their own, the most frequent first; empty for numbers and dates.

    low, high : float
        The ends of the scale of numbers and dates; rows beyond them lie in the first and the last bin.

    snap : float
        From one place on the scale to the next where a threshold can be put by hand.

    count : int
        The number of bins, without the one of missing values.

    least, most : float
        The least and the greatest value of all rows.
    """

    levels: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 1.0
    snap: float = 1.0
    count: int = 1
    least: float = 0.0
    most: float = 1.0

    def place(self, value: float) -> float:
        """Return where on the scale a value stands, from 0 to 1; beyond the ends at the ends."""
        if self.high <= self.low:
            return 0.5
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


@dataclass(frozen=True, eq=False)
class Summary:
    """A column, and its rows by bin and label.

    Parameters
    ----------
    column : Column
        The column.

    bins : Bins
        How it is cut.

    codes : ndarray of int
        For each row its bin times the number of labels, plus its label; the last bin is that of missing values.

    labels : int
        The number of labels.

    distinct : int
        How many values there are.

    quartiles : tuple of float
        Of numbers and dates; empty for others, or where there is no value.
    """

    column: Column
    bins: Bins
    codes: NDArray[np.uint16]
    labels: int
    distinct: int
    quartiles: tuple[float, ...] = ()

    @property
    def names_rows(self) -> bool:
        """Whether it seems to number or name the rows: another whole number in each, or another text in nearly each."""
        rows, kind = len(self.codes), self.column.kind
        if rows <= MANY or kind not in (Kind.INTEGER, Kind.CATEGORICAL):
            return False
        return self.distinct == rows if kind is Kind.INTEGER else self.distinct > NEARLY * rows

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """All rows, of shape (bins and one for missing, labels)."""
        return self._counted(self.codes)

    def within(self, bits: NDArray[np.uint8], labels: Sequence[NDArray[np.uint8]]) -> NDArray[np.intp]:
        """Count some rows by bin and label, given as `numpy.packbits` packs them.

        Of few labels each bin is counted by its own bits, a few times faster than row by row.
        """
        if self.labels > FEW:
            return self._counted(self.codes[np.unpackbits(bits, count=len(self.codes)).view(np.bool_)])
        inside = [bits & own for own in labels]
        return np.array([[count(one & own) for own in inside] for one in self._bits], dtype=np.intp)

    def _counted(self, codes: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        cells = (self.bins.count + 1) * self.labels
        return np.bincount(codes, minlength=cells).reshape(-1, self.labels)

    @cached_property
    def _bits(self) -> list[NDArray[np.uint8]]:
        """For each bin the rows in it, a bit for each row."""
        bins = self.codes // self.labels
        return [np.packbits(bins == place) for place in range(self.bins.count + 1)]

    @property
    def missing(self) -> int:
        """How many rows have no value."""
        return int(self.counts[-1].sum())

    @property
    def rest(self) -> int:
        """How many levels have no bin of their own."""
        return len(self.column.levels) - len(self.bins.levels) if self.column.kind.has_levels else 0

    def value(self, place: float) -> Number | Instant:
        """Return the value of a number on the scale, as rules write it."""
        if self.column.kind is Kind.DATETIME:
            return Instant(round(place) * self.column.step)
        return int(place) if float(place).is_integer() else float(place)

    def short(self, place: float) -> str:
        """Write a number of the scale for people, who read four digits of it; a whole one may be a year."""
        if not self.column.kind.is_number or abs(place) >= 1e15:
            return self.text(place)
        if abs(place) >= 1e4:
            return f"{place:,.0f}"
        return f"{place:,.4g}" if self.column.kind is Kind.CONTINUOUS else self.text(place)

    def text(self, place: float) -> str:
        """Return a number on the scale as rule text."""
        return value_text(self.value(place))


class Summaries:
    """The columns of a table, each looked at when it is first asked for.

    Parameters
    ----------
    table : Table
        The rows.

    labels : Labels
        Their labels.

    Examples
    --------
    >>> import frote
    >>> from frote.coverage.labels import Labels
    >>> from frote.table import Table
    >>> loans = frote.datasets.load_loans(500)
    >>> age = Summaries(Table.from_frame(loans.X), Labels.of(loans.y))["age"]
    >>> age.counts.sum(axis=0).tolist(), age.text(age.quartiles[1]), age.missing
    ([297, 203], '38', 0)
    """

    def __init__(self, table: Table, labels: Labels) -> None:
        self.table = table
        self.labels = labels
        self._known: dict[str, Summary] = {}

    def __getitem__(self, name: str) -> Summary:
        if name not in self._known:
            self._known[name] = _summary(self.table.schema[name], self.table[name], self.labels)
        return self._known[name]


def _summary(column: Column, data: ColumnData, labels: Labels) -> Summary:
    kinds = max(1, len(labels.classes))
    if column.kind.has_levels:
        return _of_levels(column, data, labels, kinds)
    present = data.present
    finite = present[np.isfinite(present)] if column.kind is Kind.CONTINUOUS else present
    if not len(finite):
        bins, codes = Bins(), np.zeros(len(data), dtype=np.intp)
        return Summary(column, bins, _coded(codes, data, bins, labels, kinds), kinds, 0)
    # One pass puts all that is asked of the order in its place.
    ordered = np.sort(finite)
    quartiles = tuple(float(ordered[round(part * (len(ordered) - 1))]) for part in (0.25, 0.5, 0.75))
    bins = _scale(column, ordered)
    step = (bins.high - bins.low) / bins.count
    with np.errstate(invalid="ignore"):
        places = np.floor((data.values - bins.low) / step)
    codes = np.clip(np.nan_to_num(places, nan=0.0, posinf=bins.count, neginf=0.0), 0, bins.count - 1).astype(np.intp)
    distinct = int(1 + (ordered[1:] != ordered[:-1]).sum())
    return Summary(column, bins, _coded(codes, data, bins, labels, kinds), kinds, distinct, quartiles)


def _of_levels(column: Column, data: ColumnData, labels: Labels, kinds: int) -> Summary:
    counts = np.bincount(data.values[data.values >= 0], minlength=len(column.levels))
    if column.kind is Kind.BOOLEAN:
        order = sorted(range(len(column.levels)), key=lambda code: not column.levels[code])
    else:
        order = sorted(range(len(column.levels)), key=lambda code: (-counts[code], code))
    own = order if len(order) <= LEVELS else order[: LEVELS - 1]
    bins = Bins(tuple(column.levels[code] for code in own), count=max(1, len(own) + (len(own) < len(order))))
    bin_of = np.full(len(column.levels) + 1, len(own), dtype=np.intp)
    bin_of[own] = range(len(own))
    codes = bin_of[data.values]
    return Summary(column, bins, _coded(codes, data, bins, labels, kinds), kinds, int((counts > 0).sum()))


def _coded(codes: NDArray[np.intp], data: ColumnData, bins: Bins, labels: Labels, kinds: int) -> NDArray[np.uint16]:
    if data.missing is not None:
        codes = np.where(data.missing, bins.count, codes)
    together = codes * kinds + labels.codes
    return together.astype(np.uint16 if (bins.count + 1) * kinds < 2**16 else np.uint32)


def _scale(column: Column, ordered: NDArray[Any]) -> Bins:
    """Return bins of round width for sorted values; what lies far out does not stretch them."""
    least, most = float(ordered[0]), float(ordered[-1])
    edge = int(TAIL * (len(ordered) - 1))
    low, high = float(ordered[edge]), float(ordered[-1 - edge])
    # A tail that would take little room is shown whole.
    low, high = (least if low - least <= (high - low) / 4 else low), (most if most - high <= (high - low) / 4 else high)
    whole = column.kind is not Kind.CONTINUOUS
    span = max(high - low, 1.0 if whole else abs(high) * 1e-6 or 1.0)
    if column.kind is Kind.DATETIME:
        return _dates(column, low, high, least, most)
    width = _round_up(span / BINS, whole=whole)
    first, last = math.floor(low / width) * width, (math.floor(high / width) + 1) * width
    snap = _round_up(span / SNAPS, whole=whole)
    return Bins((), first, last, snap, max(1, round((last - first) / width)), least, most)


def _dates(column: Column, low: float, high: float, least: float, most: float) -> Bins:
    """Return bins of whole days, or of parts of the span where that is short."""
    day = 86_400_000_000_000 / column.step
    width = max(1.0, math.ceil((high - low) / BINS / day)) * day if high - low > BINS * day / 4 else 0.0
    snap = day if width else max(1.0, math.ceil((high - low) / SNAPS))
    width = width or max(1.0, math.ceil((high - low) / BINS))
    first = math.floor(low / snap) * snap
    count = max(1, math.floor((high - first) / width) + 1)
    return Bins((), first, first + count * width, snap, count, least, most)


def _round_up(width: float, *, whole: bool) -> float:
    """Return the next of 1, 2, 5, 10, ... that is no smaller; at least 1 for whole numbers."""
    if whole and width <= 1:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(width))
    return next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= width * (1 - 1e-9))
