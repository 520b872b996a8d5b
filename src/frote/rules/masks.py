"""Which rows satisfy a condition: conditions made into tests on a column's arrays.

A test is prepared once and then run on stretches of rows, so that many tests can share a stretch while it is in the
processor's cache. Where the same rows are asked about again and again, `Masks` keeps what each condition says of them.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from frote.rules.intervals import first_step
from frote.rules.linear import column_at, data_at
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from frote.rules.clause import Clause
    from frote.rules.condition import Condition
    from frote.rules.intervals import Cut
    from frote.rules.linear import Key
    from frote.table import Column, Schema, Table

__all__ = ["Masks", "Test", "clause_mask", "condition_mask", "count", "prepare", "prepare_at"]

Mask: TypeAlias = "NDArray[np.bool_]"
Bits: TypeAlias = "NDArray[np.uint8]"
Test: TypeAlias = "Callable[[NDArray[Any], Mask | None], Mask]"

FEW_CODES = 8
KEPT = 1 << 26  # bytes of masks that are kept: of 500 conditions on a million rows

_WHOLE = np.iinfo(np.int64)
# The ones in each number, or, where NumPy (before 2) does not count them, the bits themselves: the sum is the same.
_ones: Callable[[NDArray[Any]], NDArray[np.uint8]] = getattr(
    np, "bitwise_count", lambda words: np.unpackbits(words.view(np.uint8))
)


def clause_mask(clause: Clause, table: Table) -> Mask:
    """Return which rows of a table satisfy a clause that fits its schema."""
    mask = np.ones(len(table), dtype=bool)
    for key, condition in clause:
        mask &= condition_mask(key, condition, table)
    return mask


def condition_mask(key: Key, condition: Condition, table: Table) -> Mask:
    """Return which rows of a table meet a condition on a column, or on a sum of some."""
    data = data_at(table, key)
    return prepare_at(key, condition, table.schema)(data.values, data.missing)


def prepare_at(key: Key, condition: Condition, schema: Schema) -> Test:
    """Make a condition into a test on the values that `data_at` gives of what it is on."""
    column = column_at(schema, key)
    assert column is not None, "a clause that fits the schema names its columns"
    return prepare(condition if isinstance(key, str) else key.asked(condition, schema), column)


class Masks:
    """The rows of a table that meet conditions, kept by column and condition, a bit for each row.

    After one rule of a set was changed, only its new conditions are looked at again. What was not used for longest is
    forgotten first.

    Parameters
    ----------
    table : Table
        The rows that conditions are asked of, the same ones each time.

    kept : int, default=2**26
        How many bytes of masks are kept.

    Attributes
    ----------
    most : int
        How many masks these are.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> masks = Masks(frote.Table.from_frame(pd.DataFrame({"age": [25, 40, 28]})))
    >>> (rule,) = frote.parse_rules("IF age < 29 THEN approved")
    >>> masks.packed(rule.clause), count(masks.packed(rule.clause))
    (array([160], dtype=uint8), 2)
    """

    def __init__(self, table: Table, kept: int = KEPT) -> None:
        self.table = table
        self.most = max(1, kept // max(1, -(-len(table) // 8)))
        self._every = np.packbits(np.ones(len(table), dtype=bool))
        self._kept: OrderedDict[tuple[Key, Condition], Bits] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def packed(self, clause: Iterable[tuple[Key, Condition]]) -> Bits:
        """Return the rows that satisfy a clause that fits the table's schema, as `numpy.packbits` packs them."""
        bits: Bits = self._every.copy()
        for name, condition in clause:
            bits &= self._of(name, condition)
        return bits

    def unpacked(self, clause: Iterable[tuple[Key, Condition]]) -> Mask:
        """Return the same as an array of bool."""
        return np.unpackbits(self.packed(clause), count=len(self.table)).view(np.bool_)

    def _of(self, name: Key, condition: Condition) -> Bits:
        bits = self._kept.pop((name, condition), None)
        if bits is None:
            bits = np.packbits(condition_mask(name, condition, self.table))
        self._kept[name, condition] = bits
        while len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return bits


def count(packed: Bits) -> int:
    """Count rows that are packed."""
    whole = len(packed) // 8 * 8
    words, rest = packed[:whole].view(np.uint64), packed[whole:]  # eight bytes at a time
    return int(_ones(words).sum()) + int(_ones(rest).sum())


def prepare(condition: Condition, column: Column) -> Test:
    """Make a condition into a test on the values of a column and on which of them are missing.

    Parameters
    ----------
    condition : Condition
        One that fits the column.

    column : Column
        The column.

    Returns
    -------
    callable
        From (values, missing or None) to an array of bool, for any stretch of the column.

    Examples
    --------
    >>> import numpy as np
    >>> from frote.rules import Condition
    >>> from frote.table import Column, Kind
    >>> test = prepare(Condition.compare(">", 28.5), Column("age", Kind.INTEGER))
    >>> test(np.array([28, 29]), None)
    array([False,  True])
    """
    if column.kind.has_levels:
        return _test_levels([*condition.levels_inside(column), condition.missing])
    line = condition.times if column.kind is Kind.DATETIME else condition.numbers
    if column.kind is Kind.CONTINUOUS:
        tests = [_between_floats(enter, leave) for enter, leave in line]
    else:
        tests = [
            _between_wholes(_first_whole(enter, column.step), _first_whole(leave, column.step)) for enter, leave in line
        ]
    return _test_line(tests, missing_inside=condition.missing)


def _test_levels(inside: list[bool]) -> Test:
    """Test codes of levels; the last flag is for missing, whose code is -1."""
    codes = [*range(len(inside) - 1), -1]
    chosen = [code for code, keep in zip(codes, inside, strict=True) if keep]
    others = [code for code, keep in zip(codes, inside, strict=True) if not keep]
    # Comparing small codes a few times is faster than looking each of them up.
    if len(chosen) <= FEW_CODES:
        return lambda values, _: _any_equal(values, chosen)
    if len(others) <= FEW_CODES:
        return lambda values, _: ~_any_equal(values, others)
    table = np.array(inside, dtype=bool)
    return lambda values, _: table.take(values, mode="wrap")


def _any_equal(values: NDArray[Any], codes: list[int]) -> Mask:
    if not codes:
        return _nowhere(values)
    mask: Mask = np.equal(values, codes[0])
    for code in codes[1:]:
        mask |= np.equal(values, code)
    return mask


def _test_line(tests: list[Callable[[NDArray[Any]], Mask]], *, missing_inside: bool) -> Test:
    def test(values: NDArray[Any], missing: Mask | None) -> Mask:
        mask = tests[0](values) if tests else np.zeros(len(values), dtype=bool)
        for one in tests[1:]:
            mask |= one(values)
        if missing is not None:
            if missing_inside:
                mask |= missing
            else:
                mask &= ~missing
        return mask

    return test


def _first_whole(cut: Cut, step: int) -> int:
    """Return the first whole number of steps behind a cut, kept just beyond what 64 bits hold."""
    return int(max(_WHOLE.min, min(_WHOLE.max + 1, first_step(cut, step))))


def _between_wholes(first: int, end: int) -> Callable[[NDArray[Any]], Mask]:
    """Test for whole numbers from `first` to before `end`."""
    last = end - 1
    if first == last:
        return lambda values: np.equal(values, first)
    if first > last:
        return _nowhere
    if first == _WHOLE.min:
        return lambda values: np.less_equal(values, last)
    if last == _WHOLE.max:
        return lambda values: np.greater_equal(values, first)
    return lambda values: np.greater_equal(values, first) & np.less_equal(values, last)


def _between_floats(enter: Cut, leave: Cut) -> Callable[[NDArray[Any]], Mask]:
    """Test for floats between two cuts; NaN is never between."""
    (low, after_low), (high, after_high) = _as_float(enter), _as_float(leave)
    if low == high:
        return (lambda values: np.equal(values, low)) if after_high > after_low else _nowhere
    above = np.greater if after_low else np.greater_equal
    below = np.less_equal if after_high else np.less
    if low == -math.inf and not after_low:
        return lambda values: below(values, high)
    if high == math.inf and after_high:
        return lambda values: above(values, low)
    return lambda values: above(values, low) & below(values, high)


def _nowhere(values: NDArray[Any]) -> Mask:
    return np.zeros(len(values), dtype=bool)


def _as_float(cut: Cut) -> tuple[float, int]:
    """Return the same cut among floats; beside a whole number that no float holds, it lies at the nearest float."""
    value, after = cut
    near = float(value)
    if near == value:
        return near, after
    return near, int(near < value)
