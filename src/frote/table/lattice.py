"""Which numbers a column's type can hold, as the floats that a table keeps: all of a width, or decimals of a scale.

A lattice says what lies next to a cut between numbers: (value, 0) is just before the value, (value, 1) just after it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DOUBLES", "Decimals", "Floats", "Lattice"]

EXACT_POWERS = 22  # the powers of ten up to this one are floats
FINE, COARSE = 2.0**51, 2.0**55  # counts up to which floats tell neighbours apart, and from which on nothing does


class Lattice(ABC):
    """The numbers that a type can hold. They are symmetric around 0."""

    @property
    @abstractmethod
    def greatest(self) -> float:
        """The greatest of them that is finite."""

    @property
    @abstractmethod
    def greatest_whole(self) -> int:
        """The greatest whole number among them."""

    @abstractmethod
    def above(self, value: float, after: int) -> float:
        """Return the least of them behind a cut; infinity if none is finite."""

    def below(self, value: float, after: int) -> float:
        """Return the greatest of them before a cut; minus infinity if none is finite."""
        return -self.above(-value, 1 - after)

    @abstractmethod
    def nearest(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return numbers as the type holds them; those too large for it may become infinite."""


@dataclass(frozen=True, slots=True)
class Floats(Lattice):
    """All floats of a width.

    Parameters
    ----------
    dtype : dtype
        Their type; of one that is wider than a table's floats, only those count.

    Examples
    --------
    >>> Floats(np.dtype("float16")).above(2049, 0), Floats(np.dtype("float16")).above(1e9, 0)
    (2050.0, inf)
    """

    dtype: np.dtype[Any]

    def __post_init__(self) -> None:
        if self.dtype.itemsize > 8:
            object.__setattr__(self, "dtype", np.dtype(np.float64))

    @property
    def greatest(self) -> float:
        """The greatest of them that is finite."""
        return float(np.finfo(self.dtype).max)

    @property
    def greatest_whole(self) -> int:
        """The greatest whole number among them."""
        return int(self.greatest)

    def above(self, value: float, after: int) -> float:
        """Return the least of them behind a cut; infinity if none is finite."""
        near = self.dtype.type(value if math.isinf(value) else min(max(value, -self.greatest), self.greatest))
        if float(near) < value or (after and float(near) == value < math.inf):
            with np.errstate(over="ignore"):
                near = np.nextafter(near, self.dtype.type(math.inf))
        return float(near)

    def nearest(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return numbers as the type holds them; those too large for it become infinite."""
        return values.astype(self.dtype).astype(np.float64)


DOUBLES = Floats(np.dtype(np.float64))


@dataclass(frozen=True, slots=True)
class Decimals(Lattice):
    """Numbers of so many digits, of which so many are behind the point; each is kept as the float nearest to it.

    Parameters
    ----------
    precision : int
        How many digits there are.

    scale : int
        How many of them are behind the point; if negative, so many zeros stand before it.

    Examples
    --------
    >>> cents = Decimals(4, 2)
    >>> cents.above(1.05, 1), cents.below(1.049, 0), cents.greatest, cents.above(99.99, 1)
    (1.06, 1.04, 99.99, inf)
    >>> cents.counts(np.array([1.05, 1e9]))
    [105, 9999]
    """

    precision: int
    scale: int

    @property
    def greatest(self) -> float:
        """The greatest of them."""
        return self._float(self._most)

    @property
    def greatest_whole(self) -> int:
        """The greatest whole number among them."""
        return int(self._most // 10**self.scale if self.scale > 0 else self._most * 10**-self.scale)

    @property
    def _most(self) -> int:
        return int(10**self.precision) - 1

    def above(self, value: float, after: int) -> float:
        """Return the least of them behind a cut; infinity if there is none."""
        if math.isinf(value):
            return value if value > 0 else -self.greatest
        # One that lies below the value may be the same float.
        count = max(math.ceil(self._scaled(value)) - 1, -self._most)
        while count <= self._most:
            number = self._float(count)
            if number > value or (number == value and not after):
                return number
            # Where floats are farther apart than decimals, many of these are the same float.
            count = max(count + 1, math.ceil(self._scaled(number)))
            if self._float(count) == number:
                count = max(count, round(self._scaled(math.nextafter(number, math.inf))))
        return math.inf

    def nearest(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return numbers rounded to the scale."""
        floats = values.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = floats * 10.0**self.scale
            rounded = np.rint(scaled) / 10.0**self.scale
        if 0 <= self.scale <= EXACT_POWERS:
            odd = ~(np.abs(scaled) < FINE) & (np.abs(scaled) < COARSE)
            rounded = np.where(np.abs(scaled) < COARSE, rounded, floats)  # each of these floats is some decimal's
        else:
            odd = np.isfinite(floats)
        rounded[odd] = [self._float(count) for count in self.counts(floats[odd])]
        return rounded

    def counts(self, values: NDArray[Any]) -> list[int]:
        """Return numbers as counts of the last digit, as far as the digits go."""
        return [min(max(round(self._scaled(value)), -self._most), self._most) for value in values.tolist()]

    def written(self, values: NDArray[Any]) -> list[Decimal]:
        """Return numbers as decimals of this scale."""
        return [Decimal(f"{count}E{-self.scale}") for count in self.counts(values)]

    def _scaled(self, value: float) -> Fraction:
        return Fraction(value) * Fraction(10) ** self.scale

    def _float(self, count: int) -> float:
        """Return the float nearest to a count of the last digit."""
        return count / 10**self.scale if self.scale > 0 else float(count * 10**-self.scale)
