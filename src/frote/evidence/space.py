"""The rows that a proof speaks of: for each column, the values that it can hold inside a rule.

Numbers and dates are closed stretches of values that the column's type holds, levels are codes, and a missing value is
one more where it counts. A row is one value of each column, whatever the others are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.generation.levels import LevelColumn
from frote.generation.limits import column_of
from frote.rules.binding import require_no_sums
from frote.rules.values import DAY
from frote.table import ColumnData, Kind, TypedFrame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from frote.generation.limits import MadeColumn
    from frote.generation.numbers import NumberColumn
    from frote.rules import Clause, Condition, Rule
    from frote.table import Table

__all__ = ["LARGEST", "Box", "Picked", "Space", "Span"]

LARGEST = 1e30  # beyond it, scaled numbers may be too large for the models themselves, which then refuse the row
CALENDAR = (-719_162 * DAY, 2_932_897 * DAY - 1)  # the years 1 to 9999


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """The values that a column can hold inside a clause.

    Parameters
    ----------
    lows, highs : ndarray
        Closed stretches of numbers or dates, increasing; of levels, each code by itself.

    missing : bool
        Whether a missing value is one of them.
    """

    lows: NDArray[Any]
    highs: NDArray[Any]
    missing: bool

    @property
    def is_empty(self) -> bool:
        """Whether there is no value."""
        return not len(self.lows) and not self.missing

    def holds(self, data: ColumnData) -> NDArray[np.bool_]:
        """Tell which values of a column lie in it."""
        inside = np.zeros(len(data), dtype=bool)
        for low, high in zip(self.lows, self.highs, strict=True):
            inside |= (data.values >= low) & (data.values <= high)
        return np.where(data.gaps(), self.missing, inside)


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """Values of one column, one for each row that is to be made.

    Parameters
    ----------
    values : ndarray
        The values, as a table keeps them; anything where missing.

    missing : ndarray of bool
        Where they are missing.
    """

    values: NDArray[Any]
    missing: NDArray[np.bool_]

    def take(self, places: NDArray[np.intp]) -> Picked:
        """Return the values at some places."""
        return Picked(self.values[places], self.missing[places])

    @classmethod
    def of(cls, data: ColumnData) -> Picked:
        """Take the values of a column as they are."""
        return cls(data.values, data.gaps())


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """The rows inside a clause: any value of each column's span.

    Parameters
    ----------
    clause : Clause
        The clause.

    spans : tuple of Span
        What each column can hold, in the order of the table.
    """

    clause: Clause
    spans: tuple[Span, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is no row."""
        return any(span.is_empty for span in self.spans)

    def holds(self, table: Table) -> NDArray[np.bool_]:
        """Tell which rows of a table lie in it."""
        inside = np.ones(len(table), dtype=bool)
        for span, name in zip(self.spans, table.schema.names, strict=True):
            inside &= span.holds(table[name])
        return inside


_ONE_AT_A_TIME = (
    "and what is said of rows that nobody has seen goes by one column at a time. Leave it out, or measure agreement on "
    "rows at hand, with score or check"
)


class Space:
    """The rows that the columns, types and levels of a table can hold.

    Parameters
    ----------
    table : Table
        The rows at hand.

    observed : bool
        Whether numbers and dates stay within the range of these rows, where a rule leaves any of it, and levels are
        those that occur.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": [20, 60], "purpose": ["car", "home"]}))
    >>> (rule,) = frote.parse_rules("IF age < 29 THEN approved")
    >>> box = Space(table, observed=True).box(rule, rule.clause)
    >>> box.spans[0].lows.tolist(), box.spans[0].highs.tolist(), box.spans[1].lows.tolist()
    ([20], [28], [0, 1])
    """

    def __init__(self, table: Table, *, observed: bool) -> None:
        self.table = table
        self.observed = observed
        self.columns: tuple[MadeColumn, ...] = tuple(column_of(table, name) for name in table.schema.names)

    @property
    def values(self) -> str:
        """Which values count: all possible ones, or those observed."""
        return "observed" if self.observed else "possible"

    def box(self, rule: Rule, clause: Clause) -> Box:
        """Return the rows inside a clause that belongs to a rule.

        A missing value counts where the rows at hand have one in that column, and where the rule asks for it.
        """
        for one, whose in ((rule.clause, f"Rule {rule.name!r}"), (clause, "A rule that the model answers by")):
            require_no_sums([one], whose, _ONE_AT_A_TIME)
        asked = set(rule.clause.columns) - rule.unasked_gaps
        return Box(
            clause,
            tuple(
                self._span(column, clause[column.column.name], gaps=column.has_gaps or column.column.name in asked)
                for column in self.columns
            ),
        )

    def _span(self, column: MadeColumn, condition: Condition, *, gaps: bool) -> Span:
        if isinstance(column, LevelColumn):
            allowed = column.allowed(condition)
            codes = np.empty(0, dtype=np.intp) if allowed is None else allowed.codes
            seen = codes[column.counts[codes] > 0]
            codes = seen if self.observed and len(seen) else codes
            return Span(codes, codes, gaps and allowed is not None and allowed.missing)
        stretches = column.stretches(condition)
        if stretches is None:
            nothing = np.empty(0, dtype=np.int64 if column.step else np.float64)
            return Span(nothing, nothing, missing=False)
        lows, highs = stretches.lows, stretches.highs
        if self.observed:
            lows, highs = stretches.near_lows, stretches.near_highs
        return Span(*_within_reach(column, lows, highs), gaps and stretches.missing)

    def rows(self, picked: Sequence[Picked] | Mapping[int, Picked], beside: Table | None = None) -> TypedFrame:
        """Make rows of values for each column.

        Parameters
        ----------
        picked : sequence of Picked, or mapping of int to Picked
            The values of each column; of a mapping, those of the columns at these places.

        beside : Table, default=None
            Where the other columns have their values from.

        Returns
        -------
        TypedFrame
        """
        places = range(len(self.columns))
        given = dict(zip(places, picked, strict=True)) if not hasattr(picked, "items") else picked
        data: dict[str, ColumnData] = {}
        for place, column in enumerate(self.columns):
            name = column.column.name
            if place in given:
                one = given[place]
                data[name] = ColumnData(column.stored(one.values, one.missing), one.missing)
            elif beside is not None:
                data[name] = beside[name]
        return TypedFrame(self.table.replace_data(data))


def _within_reach(column: NumberColumn, lows: NDArray[Any], highs: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return stretches without values so far out that models refuse them, or that no calendar knows."""
    if column.column.kind is Kind.DATETIME:
        first: Any = max(-(-CALENDAR[0] // column.column.step), 1 - 2**63)
        last: Any = min(CALENDAR[1] // column.column.step, 2**63 - 1)
        if column.step > 1:
            first, last = first + (column.offset - first) % column.step, last - (last - column.offset) % column.step
    elif column.step:
        return lows, highs
    else:
        lattice = column.storage.lattice
        first, last = lattice.above(-LARGEST, 0), lattice.below(LARGEST, 1)
    cut_lows, cut_highs = np.maximum(lows, first), np.minimum(highs, last)
    kept = cut_lows <= cut_highs
    return cut_lows[kept], cut_highs[kept]
