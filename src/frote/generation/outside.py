"""Rows just outside the rules: rows inside one of them, of which one column leaves it.

A condition is chosen that the row meets for its rule; the condition's column takes the value that some row of the data
has there and that fails it. What it takes was seen in the column, so every type holds it. Other rules may cover what
comes of it: such a row tries again, and one that cannot get outside of all rules is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from frote.keys import EVERY_ROW
from frote.table import Block

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution
    from frote.keys import Sample
    from frote.rules.linear import Key
    from frote.table import Table

__all__ = ["MovedOut", "Outside"]

FAILING = "failing"  # what the chance of a sample is for
TRIES = 6  # conditions and values that a row tries before it is left out


@dataclass(frozen=True, slots=True, eq=False)
class MovedOut:
    """Rows outside all rules, with where they come from.

    Parameters
    ----------
    table : Table
        The rows.

    source : ndarray of int
        For each, the position of the row inside that it is but for one column.

    donor : ndarray of int
        For each, the position of the row of the data that it has this column's value from.
    """

    table: Table
    source: NDArray[np.intp]
    donor: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.source)


class Outside:
    """Moves rows out of their rules.

    Parameters
    ----------
    rows : Attribution
        The rows of the data, whose values are taken, and what the rules say of them.

    sample : Sample, default=Sample()
        Which rows are looked at, of those that fail a condition.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.coverage.ruling import Ruling
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": [20, 30, 40, 50], "job": ["clerk", "clerk", "smith", "smith"]}))
    >>> rules = frote.parse_rules("IF age < 35 AND job = 'clerk' THEN yes").bind(table.schema)
    >>> outside = Outside(Ruling.of(rules, ("no", "yes")).on(table))
    >>> moved = outside.moved(table.take([0, 1]), np.array([0, 0]), np.random.default_rng(1))
    >>> moved.table.to_frame()
       age    job
    0   50  clerk
    1   30  smith
    """

    def __init__(self, rows: Attribution, sample: Sample = EVERY_ROW) -> None:
        self._ruling, self._table = rows.ruling, rows.table
        self._failing = [sample.of(np.flatnonzero(~met), FAILING) for met in rows.met]
        # The conditions of each piece that some row fails.
        self._ways = [
            np.array([one for one in needs if len(self._failing[one])], dtype=np.intp)
            for needs in rows.ruling.conditions.needs
        ]

    def moved(self, inside: Table, piece: NDArray[np.intp], rng: np.random.Generator) -> MovedOut:
        """Move rows out.

        Parameters
        ----------
        inside : Table
            Rows with the columns of the data.

        piece : ndarray of int
            The piece of a rule that each of them lies in.

        rng : numpy Generator
            The source of chance.

        Returns
        -------
        MovedOut
            In the order of the rows; those that could not leave are missing.
        """
        ways = np.array([len(self._ways[one]) for one in piece], dtype=np.intp)
        turn = rng.integers(np.maximum(ways, 1))
        found: list[MovedOut] = []
        left = np.flatnonzero(ways)
        for attempt in range(TRIES):
            if not len(left):
                break
            condition = np.array([self._ways[piece[row]][(turn[row] + attempt) % ways[row]] for row in left])
            moved = self._once(inside, left, condition, rng)
            there = self._ruling.on(moved.table).owner < 0
            found.append(_taken(moved, there))
            left = left[~there]
        if not found:
            return MovedOut(inside.take([]), ways[:0], ways[:0])
        return _in_order(found)

    def _once(
        self, inside: Table, rows: NDArray[np.intp], condition: NDArray[np.intp], rng: np.random.Generator
    ) -> MovedOut:
        """Let rows fail a condition each."""
        copies = [block.take(rows) for block in inside.blocks]
        made = [(copy.values.copy(), copy.gaps().copy()) for copy in copies]
        donor = np.empty(len(rows), dtype=np.intp)
        for one in np.unique(condition):
            mine = np.flatnonzero(condition == one)
            key = self._ruling.conditions.distinct[one][0]
            donor[mine] = self._failing[one][rng.integers(len(self._failing[one]), size=len(mine))]
            for name, those in _columns_left(key, mine, rng):
                data, (at, place) = self._table[name], inside.place(name)
                values, gone = (part[place] for part in made[at])
                values[those] = data.values[donor[those]]
                gone[those] = False if data.missing is None else data.missing[donor[those]]
        blocks = tuple(Block(copy.names, values, gone) for copy, (values, gone) in zip(copies, made, strict=True))
        return MovedOut(inside.replace_blocks(blocks), rows, donor)


def _columns_left(key: Key, rows: NDArray[np.intp], rng: np.random.Generator) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Return the column by which rows leave a condition: of a sum any one, and what comes of it is looked at after."""
    if isinstance(key, str):
        yield key, rows
        return
    which = rng.integers(len(key.columns), size=len(rows))
    for place, name in enumerate(key.columns):
        yield name, rows[which == place]


def _taken(moved: MovedOut, rows: NDArray[np.bool_]) -> MovedOut:
    return MovedOut(moved.table.take(np.flatnonzero(rows)), moved.source[rows], moved.donor[rows])


def _in_order(parts: list[MovedOut]) -> MovedOut:
    table = parts[0].table
    for part in parts[1:]:
        table = table.concat(part.table)
    source = np.concatenate([part.source for part in parts])
    order = np.argsort(source, kind="stable")
    return MovedOut(table.take(order), source[order], np.concatenate([part.donor for part in parts])[order])
