"""Bounds between two neighbouring values of a column, put where a person would put them: at the roundest value."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, Any

from frote.rules.condition import Condition
from frote.rules.values import DAY, Instant
from frote.table import Kind

if TYPE_CHECKING:
    from frote.rules.values import Number
    from frote.table import Column

__all__ = ["above", "below", "roundest"]


def below(column: Column, inside: Any, outside: Any) -> Condition:
    """Return the condition to lie below a bound between two values of a column, the lower of which is inside.

    Examples
    --------
    >>> import numpy as np
    >>> from frote.rules import Clause
    >>> from frote.table import Column
    >>> income = Column("income", Kind.CONTINUOUS)
    >>> print(Clause.of({"income": below(income, np.float64(23950.2), np.float64(24017.3))}))
    income <= 24000
    """
    value, at_outside = _between(column, inside, outside)
    return Condition.compare("<" if at_outside else "<=", value)


def above(column: Column, outside: Any, inside: Any) -> Condition:
    """Return the condition to lie above a bound between two values of a column, the upper of which is inside.

    Examples
    --------
    >>> import numpy as np
    >>> from frote.rules import Clause
    >>> from frote.table import Column
    >>> age = Column("age", Kind.INTEGER)
    >>> print(Clause.of({"age": above(age, np.int64(29), np.int64(30))}))
    age >= 30
    """
    value, at_inside = _between(column, outside, inside)
    return Condition.compare(">=" if at_inside else ">", value)


def _between(column: Column, low: Any, high: Any) -> tuple[Any, bool]:
    """Return a value from the lower to the upper one, and whether it is the upper one itself."""
    if column.kind is Kind.DATETIME:
        start, end = int(low) * column.step, int(high) * column.step
        midnight = end - end % DAY
        chosen = midnight if midnight >= start else end
        return Instant(chosen), chosen == end
    value = roundest(low.item(), high.item())
    return value, value == high


def roundest(low: Number, high: Number) -> Number:
    """Return the number from `low` to `high` that has the fewest digits, and ends in 0 or 5 if it can.

    Parameters
    ----------
    low, high : int or float
        Two numbers, the first one less than the second; either may be infinite.

    Returns
    -------
    int or float
        Whole numbers as int.

    Examples
    --------
    >>> roundest(23950.2, 24017.3), roundest(28, 29), roundest(29, 31), roundest(-0.3, 0.7), roundest(0.123, 0.168)
    (24000, 28, 30, 0, 0.15)
    """
    if low <= 0 <= high:
        return 0
    if math.isinf(low) or math.isinf(high):
        return high if math.isinf(low) else low
    first, last = Decimal(repr(low)), Decimal(repr(high))  # the digits that are written, not those that are stored
    step = Decimal(10) ** (max(first.adjusted(), last.adjusted()) + 1)
    while True:
        for one in (step, step / 2):
            multiple = (first / one).to_integral_value(ROUND_CEILING) * one
            if multiple <= last:
                return int(multiple) if multiple == multiple.to_integral_value() else float(multiple)
        step /= 10
