"""Fresh rows inside a rule: rows of the data with values exchanged, corners of the rule, values never seen.

Each row is drawn by itself, in the same way as every other, so that what is counted among many of them is a binomial
number and says something of the rows that could have been drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frote.evidence.space import Picked, Space
from frote.generation.numbers import NumberColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.evidence.space import Box, Span
    from frote.generation.limits import MadeColumn
    from frote.rules import Rule
    from frote.table import TypedFrame

__all__ = ["Draws"]

KEPT, EXCHANGED, CORNER, UNSEEN = range(4)
# How often a value is kept from the base row, exchanged for another row's, an end of what is allowed, or drawn freely:
# for columns that the rule names, and for the others.
KINDS = {
    "rows": ((0.5, 0.5, 0.0, 0.0), (0.5, 0.5, 0.0, 0.0)),
    "corners": ((0.0, 0.0, 1.0, 0.0), (0.4, 0.4, 0.2, 0.0)),
    "unseen": ((0.0, 0.25, 0.0, 0.75), (0.25, 0.25, 0.0, 0.5)),
}
SHARES = (0.5, 0.2, 0.3)
BEYOND = 1.0  # standard deviations beyond the data that numbers are drawn from


class Draws:
    """What fresh rows inside one piece of a rule are drawn from.

    Parameters
    ----------
    space : Space
        The columns, with all that they can hold.

    piece : Rule
        The piece.

    Attributes
    ----------
    is_empty : bool
        Whether no row can be drawn.
    """

    def __init__(self, space: Space, piece: Rule) -> None:
        self.space = space
        self.box: Box = space.box(piece, piece.clause)
        self.near: Box = Space(space.table, observed=True).box(piece, piece.clause)
        self.is_empty = self.box.is_empty
        self.named = np.array([column.column.name in piece.clause.columns for column in space.columns])
        table = space.table
        self.bases = np.flatnonzero(self.box.holds(table))
        # Rows whose value of a column will do in the rule, whatever their others are.
        self.able = [
            np.flatnonzero(span.holds(table[column.column.name]))
            for column, span in zip(space.columns, self.box.spans, strict=True)
        ]

    def fresh(self, count: int, rng: np.random.Generator) -> TypedFrame:
        """Draw so many rows."""
        bases = self.bases if len(self.bases) else np.arange(len(self.space.table))
        base = rng.choice(bases, count)
        kind = rng.choice(len(SHARES), count, p=SHARES)
        picked = []
        for place in range(len(self.space.columns)):
            chances = np.array([kinds[0 if self.named[place] else 1] for kinds in KINDS.values()])
            way = (rng.random(count)[:, None] > chances.cumsum(axis=1)[kind]).sum(axis=1)
            picked.append(self._column(place, base, way, rng))
        return self.space.rows(picked)

    def moved(self, rows: TypedFrame, rng: np.random.Generator) -> TypedFrame:
        """Change one or two columns of each of some rows that lie in the rule."""
        count, width = len(rows), len(self.space.columns)
        changed = rng.random((count, width)).argsort(axis=1)
        several = rng.random(count) < 0.3
        picked = []
        for place, column in enumerate(self.space.columns):
            mine = (changed[:, 0] == place) | ((changed[:, 1 % width] == place) & several)
            own = Picked.of(rows.table[column.column.name])
            way = np.where(rng.random(count) < 0.2, CORNER, np.where(rng.random(count) < 0.5, EXCHANGED, UNSEEN))
            other = self._column(place, np.zeros(count, dtype=np.intp), way, rng)
            values, missing = np.where(mine, other.values, own.values), np.where(mine, other.missing, own.missing)
            if isinstance(column, NumberColumn):
                # Half of the changes are small: a part of the way from the value there was.
                near = mine & ~own.missing & ~other.missing & (rng.random(count) < 0.5)
                share = rng.random(count) ** 3
                way_to = own.values + (other.values.astype(np.float64) - own.values) * share
                nearer = column.storage.lattice.nearest(way_to) if not column.step else np.rint(way_to)
                values = np.where(near, nearer, values).astype(own.values.dtype)
                values = np.where(missing | _inside(self.box.spans[place], values), values, other.values)
            picked.append(Picked(values, missing))
        return self.space.rows(picked)

    def _column(self, place: int, base: NDArray[np.intp], way: NDArray[np.intp], rng: np.random.Generator) -> Picked:
        """Return values of one column, each got in its own way; one that will not do is drawn otherwise."""
        column, span, near = self.space.columns[place], self.box.spans[place], self.near.spans[place]
        own, able = Picked.of(self.space.table[column.column.name]), self.able[place]
        count = len(base)
        if not len(able):
            way = np.where(way < CORNER, UNSEEN, way)
        if not len(span.lows):
            return Picked(np.zeros(count, dtype=own.values.dtype), np.ones(count, dtype=bool))
        fits = np.isin(base, able)
        source = np.where((way == KEPT) & fits, base, rng.choice(able, count) if len(able) else 0)
        drawn = own.take(source)
        values, missing = drawn.values.copy(), drawn.missing.copy()
        corners, unseen = np.flatnonzero(way == CORNER), np.flatnonzero(way == UNSEEN)
        values[corners] = _corners(near, len(corners), rng)
        values[unseen] = _unseen(column, span, near, len(unseen), rng)
        missing[corners] = missing[unseen] = False
        return Picked(values, missing)


def _corners(near: Span, count: int, rng: np.random.Generator) -> NDArray[Any]:
    """Draw ends of what is allowed, as near to the data as they are."""
    return rng.choice(np.unique(np.concatenate([near.lows, near.highs])), count)


def _unseen(column: MadeColumn, span: Span, near: Span, count: int, rng: np.random.Generator) -> NDArray[Any]:
    """Draw values evenly from what is allowed, up to a standard deviation beyond the data; levels alike."""
    if not isinstance(column, NumberColumn):
        return rng.choice(span.lows, count)
    which = rng.integers(len(near.lows), size=count)
    low, high = near.lows[which], near.highs[which]
    edge = BEYOND * column.spread
    share = rng.random(count)
    wide = low - edge + (high.astype(np.float64) - low + 2 * edge) * share
    if column.step:
        values = column.offset + np.rint((wide - column.offset) / column.step).astype(np.int64) * column.step
    else:
        values = column.storage.lattice.nearest(wide)
    values = values.astype(near.lows.dtype)
    outside = ~_inside(span, values)
    values[outside] = np.where(share < 0.5, low, high)[outside]
    return np.asarray(values)


def _inside(span: Span, values: NDArray[Any]) -> NDArray[np.bool_]:
    inside = np.zeros(len(values), dtype=bool)
    for low, high in zip(span.lows, span.highs, strict=True):
        inside |= (values >= low) & (values <= high)
    return inside
