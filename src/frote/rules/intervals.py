"""Sets of points on a line: finite unions of disjoint intervals, in one canonical form.

A set is written as the increasing cuts at which one enters and leaves it by turns. A cut lies just before a
value (side 0) or just after it (side 1): `[1, 2)` is ((1, 0), (2, 0)), and the point 3 is ((3, 0), (3, 1)). Equal
sets have equal cuts, the complement toggles the two ends, and union and intersection are one sweep.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from frote.rules.values import Number

__all__ = ["Cut", "Intervals", "first_step"]

Cut: TypeAlias = "tuple[Number, int]"

START: Cut = (-math.inf, 0)
END: Cut = (math.inf, 1)


@dataclass(frozen=True, slots=True)
class Intervals:
    """A finite union of disjoint intervals.

    Parameters
    ----------
    cuts : tuple of (value, side)
        The cuts, strictly increasing and even in number.

    Examples
    --------
    >>> low = Intervals.between(high=29)
    >>> 28.5 in low, 29 in low, 29 in ~low
    (True, False, True)
    >>> low & Intervals.between(low=30)
    Intervals(cuts=())
    """

    cuts: tuple[Cut, ...] = ()

    @classmethod
    def everything(cls) -> Intervals:
        """Return the whole line."""
        return cls((START, END))

    @classmethod
    def points(cls, values: Iterable[Number]) -> Intervals:
        """Return the set of these points."""
        return cls(tuple((value, side) for value in sorted(set(values)) for side in (0, 1)))

    @classmethod
    def between(
        cls,
        low: Number = -math.inf,
        high: Number = math.inf,
        *,
        low_closed: bool = False,
        high_closed: bool = False,
    ) -> Intervals:
        """Return one interval; an end belongs to it if closed, and an infinite end always does."""
        enter = START if low == -math.inf else (low, 0 if low_closed else 1)
        leave = END if high == math.inf else (high, 1 if high_closed else 0)
        return cls((enter, leave)) if enter < leave else cls()

    @classmethod
    def union(cls, pairs: Iterable[tuple[Cut, Cut]]) -> Intervals:
        """Return the union of many intervals, each given as its two cuts; one whose cuts cross is empty.

        Examples
        --------
        >>> Intervals.union([((3, 0), (4, 1)), ((1, 0), (3, 0))])
        Intervals(cuts=((1, 0), (4, 1)))
        """
        cuts: list[Cut] = []
        for enter, leave in sorted(pair for pair in pairs if pair[0] < pair[1]):
            if cuts and enter <= cuts[-1]:
                cuts[-1] = max(cuts[-1], leave)
            else:
                cuts += (enter, leave)
        return cls(tuple(cuts))

    def __and__(self, other: Intervals) -> Intervals:
        return self._sweep(other, lambda mine, theirs: mine and theirs)

    def __or__(self, other: Intervals) -> Intervals:
        return self._sweep(other, lambda mine, theirs: mine or theirs)

    def __invert__(self) -> Intervals:
        cuts = self.cuts
        cuts = cuts[1:] if cuts and cuts[0] == START else (START, *cuts)
        return Intervals(cuts[:-1] if cuts and cuts[-1] == END else (*cuts, END))

    def _sweep(self, other: Intervals, keep: Callable[[bool, bool], bool]) -> Intervals:
        mine, theirs = set(self.cuts), set(other.cuts)
        in_mine = in_theirs = inside = False
        cuts = []
        for cut in sorted(mine | theirs):
            in_mine ^= cut in mine
            in_theirs ^= cut in theirs
            if keep(in_mine, in_theirs) != inside:
                inside = not inside
                cuts.append(cut)
        return Intervals(tuple(cuts))

    def __contains__(self, value: Number) -> bool:
        return bisect_right(self.cuts, (value, 0)) % 2 == 1

    def __bool__(self) -> bool:
        return bool(self.cuts)

    def __iter__(self) -> Iterator[tuple[Cut, Cut]]:
        """Go through the intervals, each as its two cuts."""
        return zip(self.cuts[::2], self.cuts[1::2], strict=True)

    @property
    def is_everything(self) -> bool:
        """Whether this is the whole line."""
        return self.cuts == (START, END)

    def is_finite(self) -> bool:
        """Tell whether the set is a finite number of points."""
        return all(enter[0] == leave[0] for enter, leave in self)

    def is_cofinite(self) -> bool:
        """Tell whether the set is the whole line but for a finite number of points."""
        cuts = self.cuts
        if not cuts or cuts[0] != START or cuts[-1] != END:
            return False
        return all(cuts[place][0] == cuts[place + 1][0] for place in range(1, len(cuts) - 1, 2))

    def pick(self, step: int | None = None, *, floats_only: bool = False) -> Number | None:
        """Return some number of the set, or None if no number of the wanted sort lies inside.

        Parameters
        ----------
        step : int, default=None
            Take only whole multiples of this.

        floats_only : bool, default=False
            Take only numbers that a double holds exactly.

        Returns
        -------
        int, float or None

        Examples
        --------
        >>> twenties = Intervals.between(28, 29)
        >>> twenties.pick(), twenties.pick(step=1)
        (28.5, None)
        """
        for enter, leave in self:
            candidates = _multiples(enter, leave, step) if step else _simple_numbers(enter, leave)
            for number in candidates:
                if floats_only and float(number) != number:
                    continue
                if enter <= (number, 0) and (number, 1) <= leave:
                    return number
        return None


def first_step(cut: Cut, step: int) -> Number:
    """Return the first multiple of a step behind a cut, counted in steps; the last one before it is one less.

    Examples
    --------
    >>> first_step((28.5, 1), 1), first_step((14, 0), 7), first_step((14, 1), 7), first_step(END, 7)
    (29, 2, 3, inf)
    """
    value, after = cut
    if math.isinf(value):
        return value
    behind = math.floor(value) + 1 if after else math.ceil(value)
    return -(-behind // step)


def _multiples(enter: Cut, leave: Cut, step: int) -> Iterator[Number]:
    """Offer the multiple of `step` that lies between two cuts if any does."""
    if math.isfinite(enter[0]):
        yield first_step(enter, step) * step
    elif math.isfinite(leave[0]):
        yield (first_step(leave, step) - 1) * step
    else:
        yield 0


def _simple_numbers(enter: Cut, leave: Cut) -> Iterator[Number]:
    """Offer numbers that can lie between two cuts, plain ones first."""
    (low, _), (high, _) = enter, leave
    ends = [end for end in (low, high) if math.isfinite(end)]
    yield 0
    yield from ends
    if math.isfinite(low):
        yield math.floor(low) + 1
    if math.isfinite(high):
        yield math.ceil(high) - 1
    if len(ends) == 2:
        yield low / 2 + high / 2  # in halves, since their sum may be too large
    for end in ends:
        # The nearest doubles on both sides: if any lies between the cuts, one of these does.
        yield from (float(end), math.nextafter(end, math.inf), math.nextafter(end, -math.inf))
    yield from (math.inf, -math.inf)
