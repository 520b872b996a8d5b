"""Whether columns and sums over them can be met together, and by which values: decided in fractions, without rounding.

Each column and each sum may lie in some stretches. Their hulls are linear inequalities, from which one column after the
other is eliminated (Fourier and Motzkin); going back, each gets a value. A value in a gap between two stretches, or
between two whole numbers, splits the question in two. Solvers of linear programs allow for small errors, and whether
two rules conflict may hang on `<` or `<=`: so none is asked. What takes too long is told to be undecided.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from frote.exceptions import RuleError
from frote.rules.linear import exact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from frote.rules.intervals import Intervals

__all__ = ["Line", "UndecidedError", "find_point"]

MOST_INEQUALITIES = 1_000
MOST_SPLITS = 100

# Where a stretch ends and whether the end is outside; None where it has no end.
End: TypeAlias = "tuple[Fraction, bool] | None"
Stretch: TypeAlias = "tuple[End, End]"


class UndecidedError(RuleError):
    """It takes too long to tell whether conditions over several columns can be met together."""


@dataclass(frozen=True, slots=True)
class Line:
    """Where a column, or a sum of some, may lie.

    Parameters
    ----------
    stretches : tuple of (end, end)
        The stretches, increasing.

    step : int, default=0
        The distance of neighbouring values; 0 if there is none.

    wanted : Fraction, default=Fraction(0)
        What to be near to, where that can be.

    offset : int, default=0
        Where the steps count from.
    """

    stretches: tuple[Stretch, ...]
    step: int = 0
    wanted: Fraction = Fraction(0)
    offset: int = 0

    @classmethod
    def of(cls, line: Intervals, step: int = 0, wanted: Fraction = Fraction(0), offset: int = 0) -> Line:
        """Return the line of some intervals, of which only whole steps count if there are steps.

        Examples
        --------
        >>> from frote.rules.intervals import Intervals
        >>> Line.of(Intervals.between(0.5, 3), step=1).stretches
        (((Fraction(1, 1), False), (Fraction(2, 1), False)),)
        """
        stretches = [
            (
                None if low == -math.inf else (exact(low), bool(after)),
                None if high == math.inf else (exact(high), not before),
            )
            for (low, after), (high, before) in line
            if low < math.inf and high > -math.inf
        ]
        return replace(cls((), step, wanted, offset), stretches=tuple(stretches))._settled()

    def _settled(self) -> Line:
        """Return the line with the ends of stretches on its steps, without those that hold none."""
        if not self.step:
            return self
        stretches = [(self._first(low), self._last(high)) for low, high in self.stretches]
        kept = [(low, high) for low, high in stretches if low is None or high is None or low[0] <= high[0]]
        return replace(self, stretches=tuple(kept))

    def _first(self, low: End) -> End:
        if low is None:
            return None
        count = (low[0] - self.offset) / self.step
        return Fraction((math.floor(count) + 1 if low[1] else math.ceil(count)) * self.step + self.offset), False

    def _last(self, high: End) -> End:
        if high is None:
            return None
        count = (high[0] - self.offset) / self.step
        return Fraction((math.ceil(count) - 1 if high[1] else math.floor(count)) * self.step + self.offset), False

    @property
    def hull(self) -> Stretch:
        """The stretch from the first end to the last."""
        return self.stretches[0][0], self.stretches[-1][1]

    def __contains__(self, value: Fraction) -> bool:
        on_step = not self.step or (value - self.offset) % self.step == 0
        return on_step and any(_above(value, low) and _below(value, high) for low, high in self.stretches)

    def split(self, value: Fraction) -> tuple[Line, Line]:
        """Return what lies below a value that is not inside, and what lies above it."""
        below, above = (value, True), (value, True)
        low = tuple((a, below if b is None or b[0] > value else b) for a, b in self.stretches if _starts(a, value))
        high = tuple((above if a is None or a[0] < value else a, b) for a, b in self.stretches if _ends(b, value))
        return replace(self, stretches=low)._settled(), replace(self, stretches=high)._settled()


def _above(value: Fraction, low: End) -> bool:
    return low is None or value > low[0] or (value == low[0] and not low[1])


def _below(value: Fraction, high: End) -> bool:
    return high is None or value < high[0] or (value == high[0] and not high[1])


def _starts(low: End, value: Fraction) -> bool:
    return low is None or low[0] < value


def _ends(high: End, value: Fraction) -> bool:
    return high is None or high[0] > value


Factors: TypeAlias = "tuple[int, ...]"
Inequalities: TypeAlias = "dict[Factors, tuple[Fraction, bool]]"  # factors: at most so much, or strictly less


def find_point(columns: Sequence[Line], sums: Sequence[tuple[Mapping[int, int], Line]]) -> list[Fraction] | None:
    """Return a value for each column so that all sums lie where they should, or None if there are no such values.

    Parameters
    ----------
    columns : sequence of Line
        Where each column may lie.

    sums : sequence of (mapping, Line)
        The factors of columns, by their places, and where the sum may lie.

    Returns
    -------
    list of Fraction, or None

    Raises
    ------
    UndecidedError
        If that takes too long to tell.

    Examples
    --------
    >>> from frote.rules.intervals import Intervals
    >>> free, above = Line.of(Intervals.everything()), Line.of(Intervals.between(0))
    >>> find_point([free] * 3, [({0: 1, 1: -1}, above), ({1: 1, 2: -1}, above)])
    [Fraction(2, 1), Fraction(1, 1), Fraction(0, 1)]
    >>> find_point([free] * 3, [({0: 1, 1: -1}, above), ({1: 1, 2: -1}, above), ({2: 1, 0: -1}, above)])
    """
    held = [(factors, _on_steps(factors, line, columns)) for factors, line in sums]
    factors = [factors for factors, _ in held]
    todo = [([*columns], [line for _, line in held])]
    for _ in range(MOST_SPLITS):
        if not todo:
            return None
        lines, bounds = todo.pop()
        if not all(line.stretches for line in (*lines, *bounds)):
            continue
        point = _between_hulls(lines, list(zip(factors, bounds, strict=True)))
        if point is None:
            continue
        values = [*point, *(sum((c * point[at] for at, c in own.items()), Fraction(0)) for own in factors)]
        both = [*lines, *bounds]
        outside = next((place for place, line in enumerate(both) if values[place] not in line), None)
        if outside is None:
            return point
        for half in reversed(both[outside].split(values[outside])):
            halves = [*both[:outside], half, *both[outside + 1 :]]
            todo.append((halves[: len(lines)], halves[len(lines) :]))
    raise UndecidedError("It takes too long to tell whether these conditions can be met together by whole numbers.")


def _on_steps(factors: Mapping[int, int], line: Line, columns: Sequence[Line]) -> Line:
    """Return the line of a sum with the steps that its columns leave it."""
    if not all(columns[at].step for at in factors):
        return line
    step = math.gcd(*(factor * columns[at].step for at, factor in factors.items()))
    offset = sum(factor * columns[at].offset for at, factor in factors.items()) % step
    return replace(line, step=step, offset=offset)._settled()


def _between_hulls(columns: Sequence[Line], sums: Sequence[tuple[Mapping[int, int], Line]]) -> list[Fraction] | None:
    """Return values between the outer ends of all stretches, as near as may be to those wanted; None if there are none.

    They are taken on the steps of columns where what was chosen before leaves a step.
    """
    width = len(columns)
    given: Inequalities = {}
    for at, line in enumerate(columns):
        _bound(given, {at: 1}, line.hull, width)
    for summed, line in sums:
        _bound(given, summed, line.hull, width)
    gone: list[tuple[int, Inequalities]] = []
    left, todo = given, set(range(width))
    while todo:
        at = min(todo, key=lambda one: (_products(left, one), one))
        todo.remove(at)
        own = {factors: end for factors, end in left.items() if factors[at]}
        gone.append((at, own))
        left = {factors: end for factors, end in left.items() if not factors[at]}
        if not _eliminate(left, own, at):
            return None
    point = [Fraction(0)] * width
    for at, own in reversed(gone):
        low: End = None
        high: End = None
        for factors, (most, strict) in own.items():
            rest = most - sum((c * value for c, value in zip(factors, point, strict=True) if c), Fraction(0))
            end = (rest / factors[at], strict)
            if factors[at] > 0:
                high = end if high is None or (end[0], not end[1]) < (high[0], not high[1]) else high
            else:
                low = end if low is None or end > low else low
        point[at] = _chosen(low, high, columns[at])
    return point


def _bound(inequalities: Inequalities, factors: Mapping[int, int], stretch: Stretch, width: int) -> None:
    low, high = stretch
    if high is not None:
        _add(inequalities, tuple(factors.get(at, 0) for at in range(width)), *high)
    if low is not None:
        _add(inequalities, tuple(-factors.get(at, 0) for at in range(width)), -low[0], low[1])


def _add(inequalities: Inequalities, factors: Factors, most: Fraction, strict: bool) -> bool:
    """Add an inequality, the narrower one of two with the same factors; tell whether it can hold at all."""
    shared = math.gcd(*factors)
    if not shared:
        return most > 0 or (most == 0 and not strict)
    key, end = tuple(factor // shared for factor in factors), (most / shared, strict)
    known = inequalities.get(key)
    if known is None or (end[0], not end[1]) < (known[0], not known[1]):
        inequalities[key] = end
    return True


def _products(inequalities: Inequalities, at: int) -> int:
    """Count the inequalities that come of eliminating a column, less those that go."""
    above = sum(factors[at] > 0 for factors in inequalities)
    below = sum(factors[at] < 0 for factors in inequalities)
    return above * below - above - below


def _eliminate(left: Inequalities, own: Inequalities, at: int) -> bool:
    """Add what follows from the inequalities on a column for the others; tell whether that can hold."""
    above = [(factors, end) for factors, end in own.items() if factors[at] > 0]
    below = [(factors, end) for factors, end in own.items() if factors[at] < 0]
    if len(above) * len(below) + len(left) > MOST_INEQUALITIES:
        raise UndecidedError(
            "It takes too long to tell whether so many conditions over several columns can be met together."
        )
    for up, (most, up_strict) in above:
        for down, (least, down_strict) in below:
            one, other = -down[at], up[at]
            factors = tuple(one * a + other * b for a, b in zip(up, down, strict=True))
            if not _add(left, factors, one * most + other * least, up_strict or down_strict):
                return False
    return True


def _chosen(low: End, high: End, line: Line) -> Fraction:
    """Choose a value between two ends that leave some: the one wanted, a step, a plain number, the middle."""
    candidates = [line.wanted]
    if line.step:
        first = Line(((low, high),), line.step, line.wanted, line.offset)._settled()
        if first.stretches:
            (low, high) = first.hull
            down = (line.wanted - line.offset) // line.step * line.step + line.offset
            candidates = [Fraction(down), Fraction(down + line.step)]
            candidates += [end[0] for end in (low, high) if end is not None]
    elif low is not None and high is not None and low[0] == high[0]:
        return low[0]
    else:
        # Away from the ends, where floats could be rounded to the other side.
        candidates += [Fraction(math.floor(low[0]) + 1)] if low is not None else []
        candidates += [Fraction(math.ceil(high[0]) - 1)] if high is not None else []
        low, high = (None if end is None else (end[0], True) for end in (low, high))
    for value in candidates:
        if _above(value, low) and _below(value, high):
            return value
    assert low is not None, "some value was found otherwise"
    assert high is not None, "some value was found otherwise"
    return (low[0] + high[0]) / 2
