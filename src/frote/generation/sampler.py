"""Synthetic rows from base rows and their neighbours, inside their rule's clause by construction.

First every column is made for the whole batch as SMOTE-NC would; then, rule by rule, the columns that the rule names
are made again inside its conditions. Rules without conflicts make sure that no row falls under another outcome.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from frote.generation.levels import AllowedLevels, LevelColumn
from frote.generation.numbers import NumberColumn, Stretches
from frote.table import ColumnData

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from frote.rules import Clause, RuleSet
    from frote.table import Table

__all__ = ["DRAW", "KEEP", "Seeds", "Synthesizer"]

KEEP, DRAW = -2, -1  # in place of a row to take a value from

Limits: TypeAlias = "Stretches | AllowedLevels"


@dataclass(frozen=True, slots=True, eq=False)
class Seeds:
    """What a batch of synthetic rows starts from; a row for each.

    Parameters
    ----------
    piece : ndarray of int
        The rule that each row must satisfy, by its position in the rule set.

    base : ndarray of int
        The positions of the base rows.

    around : ndarray of int, shape (rows, neighbours)
        The positions of their nearest neighbours, at least one each.
    """

    piece: NDArray[np.intp]
    base: NDArray[np.intp]
    around: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.piece)


class Synthesizer:
    """Makes synthetic rows for a rule set.

    Parameters
    ----------
    table : Table
        The training data: its ranges and frequencies are kept for the whole run.

    rules : RuleSet
        The rules, bound to the table's schema and without conflicts.

    Attributes
    ----------
    possible : tuple of bool
        For each rule, whether the columns' types can hold rows that satisfy it.
    """

    def __init__(self, table: Table, rules: RuleSet) -> None:
        self._columns: dict[str, NumberColumn | LevelColumn] = {
            column.name: (LevelColumn if column.kind.has_levels else NumberColumn).of(table, column.name)
            for column in table.schema
        }
        limits = [self._limits(rule.clause) for rule in rules]
        self.possible = tuple(found is not None for found in limits)
        self._limited: list[dict[str, Limits]] = [found or {} for found in limits]

    def _limits(self, clause: Clause) -> dict[str, Limits] | None:
        found: dict[str, Limits] = {}
        for name, held in clause:
            column = self._columns[name]
            limits = column.allowed(held) if isinstance(column, LevelColumn) else column.stretches(held)
            if limits is None:
                return None
            found[name] = limits
        return found

    def make(self, table: Table, seeds: Seeds, rng: np.random.Generator) -> tuple[Table, NDArray[np.intp]]:
        """Make a row for each seed.

        Parameters
        ----------
        table : Table
            The rows that the seeds point to.

        seeds : Seeds
            What the rows start from.

        rng : numpy Generator
            The source of all chance in them.

        Returns
        -------
        rows : Table
            The synthetic rows.

        neighbour : ndarray of int
            The neighbour towards which each row lies.
        """
        chosen = rng.integers(seeds.around.shape[1], size=len(seeds))
        neighbour = seeds.around[np.arange(len(seeds)), chosen]
        share = rng.random(len(seeds))
        groups = [(int(piece), np.flatnonzero(seeds.piece == piece)) for piece in np.unique(seeds.piece)]
        data = {}
        for name, column in self._columns.items():
            held = table[name]
            limited = [(rows, self._limited[piece][name]) for piece, rows in groups if name in self._limited[piece]]
            gone = np.zeros(len(seeds), dtype=bool)
            base_gone = neighbour_gone = gone
            if held.missing is not None:
                base_gone, neighbour_gone = held.missing[seeds.base], held.missing[neighbour]
                # Missing as often as among base and neighbour.
                gone = np.where(rng.random(len(seeds)) < 0.5, base_gone, neighbour_gone)
            if isinstance(column, LevelColumn):
                data[name] = _new_levels(column, held, seeds, gone, limited, rng)
            else:
                known = base_gone, neighbour_gone
                made = _new_numbers(column, held, seeds.base, neighbour, share, gone, known, limited, rng)
                data[name] = _on_the_clock(column, table, made, (seeds.base, neighbour), limited)
        return table.replace_data(data), neighbour

    def move(
        self,
        table: Table,
        piece: NDArray[np.intp],
        base: NDArray[np.intp],
        models: Mapping[str, NDArray[np.intp]],
        rng: np.random.Generator,
    ) -> Table:
        """Copy rows into their rules' clauses by changing only the columns whose conditions they fail.

        Parameters
        ----------
        table : Table
            The rows that positions point to.

        piece, base : ndarray of int
            The rule that each new row must satisfy, and the row that it is a copy of.

        models : mapping of str to ndarray of int
            For each column that some rule names, the row whose value each new row takes over: `KEEP` for its own,
            `DRAW` for a new one inside the condition, which no row has.

        rng : numpy Generator
            The source of chance in new values.

        Returns
        -------
        Table
        """
        data = {}
        for name, column in self._columns.items():
            held, model = table[name], models.get(name)
            taken = base if model is None else np.where(model >= 0, model, base)
            values = held.values[taken]
            gone = np.zeros(len(base), dtype=bool) if held.missing is None else held.missing[taken]
            limited: list[tuple[NDArray[np.intp], Limits]] = []
            for one in () if model is None else np.unique(piece[model == DRAW]):
                rows, limits = np.flatnonzero((model == DRAW) & (piece == one)), self._limited[one][name]
                limited.append((rows, limits))
                inside = limits.codes if isinstance(limits, AllowedLevels) else limits.lows
                gone[rows] = not len(inside)
                if len(inside):
                    values[rows] = column.draw(len(rows), limits, rng)
            if isinstance(column, LevelColumn):
                data[name] = column.filled(values.astype(np.intp), gone)
            else:
                made = column.filled(values, gone)
                data[name] = _on_the_clock(column, table, made, (base, base), limited) if limited else made
        return table.replace_data(data)


def _new_levels(
    column: LevelColumn,
    held: ColumnData,
    seeds: Seeds,
    gone: NDArray[np.bool_],
    limited: list[tuple[NDArray[np.intp], Limits]],
    rng: np.random.Generator,
) -> ColumnData:
    around, base = held.values[seeds.around].astype(np.intp), held.values[seeds.base].astype(np.intp)
    codes = column.majority(around, base, None, rng)
    gone = gone | (codes < 0)
    for rows, limits in limited:
        assert isinstance(limits, AllowedLevels)
        codes[rows] = column.majority(around[rows], base[rows], limits, rng)
        gone[rows] = limits.missing & (gone[rows] | (not len(limits.codes)))
    return column.filled(codes, gone)


def _new_numbers(
    column: NumberColumn,
    held: ColumnData,
    base: NDArray[np.intp],
    neighbour: NDArray[np.intp],
    share: NDArray[np.float64],
    gone: NDArray[np.bool_],
    unknown: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    limited: list[tuple[NDArray[np.intp], Limits]],
    rng: np.random.Generator,
) -> ColumnData:
    base_gone, neighbour_gone = unknown
    # Where one of the two is missing, the way starts and ends at the other.
    start = np.where(base_gone, held.values[neighbour], held.values[base])
    stop = np.where(neighbour_gone, held.values[base], held.values[neighbour])
    both_gone = base_gone & neighbour_gone
    if both_gone.any():
        start, stop = (np.where(both_gone, column.low, end) for end in (start, stop))
    values = column.between(start, stop, share, None, rng)
    gone = gone | both_gone
    for rows, limits in limited:
        assert isinstance(limits, Stretches)
        if len(limits.lows):
            values[rows] = column.between(start[rows], stop[rows], share[rows], limits, rng)
            anew = rows[both_gone[rows]]
            values[anew] = column.draw(len(anew), limits, rng)
        gone[rows] = limits.missing & (gone[rows] | (not len(limits.lows)))
    return column.filled(values, gone)


def _on_the_clock(
    column: NumberColumn,
    table: Table,
    made: ColumnData,
    ends: tuple[NDArray[np.intp], NDArray[np.intp]],
    limited: list[tuple[NDArray[np.intp], Limits]],
) -> ColumnData:
    """Move times that a time zone skips: to those of a row that they were made from, or beside the hour skipped."""
    shown = table.storage(column.column.name).as_read_back(column.column, made)
    if shown is made.values:
        return made
    skipped = made.values != shown
    if made.missing is not None:
        skipped &= ~made.missing
    if not skipped.any():
        return made
    held = table[column.column.name]
    hour = 3_600_000_000_000 // column.column.step
    options = [shown, shown - hour - column.step]
    for end in ends:
        there = np.ones(len(shown), dtype=bool) if held.missing is None else ~held.missing[end]
        options.insert(0, np.where(there, held.values[end], shown))
    values = np.where(skipped, shown, made.values)
    for rows, limits in limited:
        assert isinstance(limits, Stretches)
        for row in rows[skipped[rows]]:
            for option in options:
                if ((limits.lows <= option[row]) & (option[row] <= limits.highs)).any():
                    values[row] = option[row]
                    break
    return ColumnData(values, made.missing)
