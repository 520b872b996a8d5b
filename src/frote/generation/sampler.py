"""Synthetic rows from base rows and their neighbours, inside their rule's clause by construction.

Every column is made for the whole batch as SMOTE-NC would, all columns of a NumPy type at once; rule by rule, the
columns that the rule names are made inside its conditions, and then moved to where those on sums of columns hold. Rules
without conflicts make sure that no row falls under another outcome. Chance is drawn a column after the other, so that
it does not matter which columns are of one type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from frote.generation.adding import Adding
from frote.generation.levels import LevelColumn, majority
from frote.generation.limits import column_of, limits_of
from frote.rules.feasible import UndecidedError
from frote.table import Block, ColumnData, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from frote.generation.limits import Limits, MadeColumn
    from frote.generation.numbers import NumberColumn
    from frote.rules import Rule, RuleSet
    from frote.table import Table

__all__ = ["DRAW", "KEEP", "Seeds", "Synthesizer"]

KEEP, DRAW = -2, -1  # in place of a row to take a value from
WIDE = 256  # levels of a column from which on they are not told apart one by one

Limited: TypeAlias = "Sequence[tuple[NDArray[np.intp], Limits]]"  # which rows of a column must lie where
Spot: TypeAlias = "tuple[int, NDArray[np.intp], Limits]"  # the same, with which column of a block
Groups: TypeAlias = "Sequence[tuple[NDArray[np.intp], Any]]"  # columns of a block, with one that stands for them


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
        For each rule, whether rows can be made that satisfy it.
    """

    def __init__(self, table: Table, rules: RuleSet) -> None:
        self._columns: dict[str, MadeColumn] = {name: column_of(table, name) for name in table.schema.names}
        self._alike = [self._groups(block) for block in table.blocks]
        self._added = [_adding(rule, table, self._columns) for rule in rules]
        limits = [self._limits(rule, adding) for rule, adding in zip(rules, self._added, strict=True)]
        self.possible = tuple(own is not None for own in limits)
        self._limited: list[dict[str, Limits]] = [own or {} for own in limits]

    def _groups(self, block: Block) -> Groups:
        """Return which columns of a block can be made together, with one that stands for all of them."""
        alike: dict[object, list[int]] = {}
        for place, name in enumerate(block.names):
            alike.setdefault(self._columns[name].made_alike, []).append(place)
        return [(np.array(places), self._columns[block.names[places[0]]]) for places in alike.values()]

    def _limits(self, rule: Rule, adding: Adding | None) -> dict[str, Limits] | None:
        by_column: dict[str, Limits] = {}
        if rule.clause.sums and adding is None:
            return None
        for name, condition in rule.clause.alone:
            limits = limits_of(rule, condition, self._columns[name])
            if limits is None:
                return None
            by_column[name] = limits
        # What may not be missing for the sake of a sum is not made so.
        return by_column if adding is None else by_column | {name: adding.limits[name] for name in adding.filled}

    def make(
        self, table: Table, seeds: Seeds, rng: np.random.Generator, gappy: frozenset[str] | None = None
    ) -> tuple[Table, NDArray[np.intp]]:
        """Make a row for each seed.

        Parameters
        ----------
        table : Table
            The rows that the seeds point to.

        seeds : Seeds
            What the rows start from.

        rng : numpy Generator
            The source of all chance in them.

        gappy : frozenset of str, default=None
            The columns in which values are missing, if not in these rows then in others of the training data. None
            means those of these rows.

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
        pieces = [(int(one), np.flatnonzero(seeds.piece == one)) for one in np.flatnonzero(np.bincount(seeds.piece))]
        limited: dict[str, list[tuple[NDArray[np.intp], Limits]]] = {name: [] for name in self._columns}
        for one, rows in pieces:
            for name, limits in self._limited[one].items():
                limited[name].append((rows, limits))
        new = [
            self._new(block, groups, [limited[name] for name in block.names], seeds, neighbour, share)
            for block, groups in zip(table.blocks, self._alike, strict=True)
        ]
        gaps = [np.zeros((len(block.names), len(seeds)), dtype=bool) for block in table.blocks]
        gaps_in = table.gappy if gappy is None else gappy
        for name in self._columns:
            at, place = table.place(name)
            if name in gaps_in:
                # Missing as often as among base and neighbour.
                absent = table[name].gaps()
                here, there = absent[seeds.base], absent[neighbour]
                gaps[at][place] = np.where(rng.random(len(seeds)) < 0.5, here, there)
            new[at].draw(place, rng)
        made = []
        for columns, gone in zip(new, gaps, strict=True):
            values, missing, inside = columns.made()
            gone |= missing
            for (place, rows, limits), new_values in zip(columns.spots, inside, strict=True):
                values[place, rows] = new_values
                gone[place, rows] = limits.missing & (gone[place, rows] | limits.only_missing)
            made.append((values, gone))
        written = self._written(table, made, (seeds.base, neighbour), limited)
        return self._settled(written, seeds.piece, rng), neighbour

    def _new(
        self,
        block: Block,
        groups: Groups,
        limited: Sequence[Limited],
        seeds: Seeds,
        neighbour: NDArray[np.intp],
        share: NDArray[np.float64],
    ) -> _NewLevels | _NewNumbers:
        """Begin with the columns of a block; of each, some rows may have to lie inside conditions."""
        columns: list[Any] = [self._columns[name] for name in block.names]
        spots = [(place, rows, limits) for place, some in enumerate(limited) for rows, limits in some]
        if isinstance(columns[0], LevelColumn):
            return _NewLevels(
                columns, spots, block.values.take(seeds.base, axis=1), block.values.take(seeds.around, axis=1)
            )
        return _NewNumbers(columns, spots, groups, block.take(seeds.base), block.take(neighbour), share)

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
        copies = [block.take(base) for block in table.blocks]
        made = [(copy.values.copy(), copy.gaps().copy()) for copy in copies]
        limited: dict[str, Limited] = {}
        for name, column in self._columns.items():
            if name not in models:
                continue
            at, place = table.place(name)
            values, gone = (part[place] for part in made[at])
            data, model = table[name], models[name]
            taken = np.flatnonzero(model >= 0)
            values[taken] = data.values[model[taken]]
            gone[taken] = False if data.missing is None else data.missing[model[taken]]
            drawn = np.flatnonzero(model == DRAW)
            pieces = np.flatnonzero(np.bincount(piece[drawn]))
            limited[name] = [(drawn[piece[drawn] == one], self._limited[one][name]) for one in pieces]
            for rows, limits in limited[name]:
                gone[rows] = limits.only_missing
                if not limits.only_missing:
                    values[rows] = column.draw(len(rows), limits, rng)
        return self._settled(self._written(table, made, (base, base), limited), piece, rng)

    def _settled(self, table: Table, piece: NDArray[np.intp], rng: np.random.Generator) -> Table:
        """Move rows to where their rules' conditions on sums of columns hold, if they have any."""
        made: dict[str, tuple[NDArray[Any], NDArray[np.bool_]]] = {}
        for one in np.flatnonzero(np.bincount(piece)):
            adding = self._added[one]
            if adding is None:
                continue
            rows = np.flatnonzero(piece == one)
            for name in adding.columns:
                data = table[name]
                made.setdefault(
                    name,
                    (data.values.copy(), np.zeros(len(table), bool) if data.missing is None else data.missing.copy()),
                )
            values = {name: made[name][0][rows] for name in adding.columns}
            gone = {name: made[name][1][rows] for name in adding.columns}
            adding.settle(values, gone, rng)
            for name, column in adding.columns.items():
                made[name][0][rows], made[name][1][rows] = column.stored(values[name], gone[name]), gone[name]
        return table if not made else _with_columns(table, made)

    def _written(
        self,
        table: Table,
        made: Sequence[tuple[NDArray[Any], NDArray[np.bool_]]],
        ends: tuple[NDArray[np.intp], NDArray[np.intp]],
        limited: Mapping[str, Limited],
    ) -> Table:
        """Return a table of new values; of each block the values, and which of them are missing."""
        blocks = []
        for block, groups, (values, gone) in zip(table.blocks, self._alike, made, strict=True):
            written = np.empty(values.shape, dtype=block.values.dtype)
            for places, column in groups:
                written[places] = column.stored(values[places], gone[places])
            for place, name in enumerate(block.names):
                if table.schema[name].kind is Kind.DATETIME:
                    new = ColumnData(written[place].copy(), gone[place])
                    written[place] = _on_the_clock(self._columns[name], table, new, ends, limited.get(name, ()))
            blocks.append(Block(block.names, written, gone))
        return table.replace_blocks(tuple(blocks))


def _adding(rule: Rule, table: Table, columns: dict[str, MadeColumn]) -> Adding | None:
    """Return what must be known to make rows for the conditions of a rule on sums; None if it has none or none can."""
    try:
        return Adding.of(rule, table, columns) if rule.clause.sums else None
    except UndecidedError:
        return None


def _with_columns(table: Table, made: Mapping[str, tuple[NDArray[Any], NDArray[np.bool_]]]) -> Table:
    """Return a table with other values in some columns."""
    blocks = []
    for block in table.blocks:
        values, gone = block.values.copy(), block.gaps().copy()
        for place, name in enumerate(block.names):
            if name in made:
                values[place], gone[place] = made[name]
        blocks.append(Block(block.names, values, gone))
    return table.replace_blocks(tuple(blocks))


class _Made(NamedTuple):
    """New values of the columns of a block."""

    everywhere: NDArray[Any]  # without any condition
    missing: NDArray[np.bool_]
    inside: list[NDArray[Any]]  # of each spot


class _NewLevels:
    """New codes of the columns of a block, of whose base rows and neighbours the codes are given.

    Of a column with very many levels, such as one that names rows, a neighbour's code is the place of the first
    neighbour that has the same: what decides between levels would not fit into memory.
    """

    def __init__(
        self, columns: Sequence[LevelColumn], spots: Sequence[Spot], base: NDArray[Any], around: NDArray[Any]
    ) -> None:
        self.spots = spots
        self._columns = columns
        self._base = base
        self._codes = around
        self._wide = [place for place, column in enumerate(columns) if len(column.column.levels) > WIDE]
        self._around = around.copy() if self._wide else around
        for place in self._wide:
            self._around[place] = _first_alike(around[place])
        self._ties: list[NDArray[np.float64]] = []
        self._inside: list[_Vote] = []

    def draw(self, place: int, rng: np.random.Generator) -> None:
        """Draw all chance in the next column: everywhere, and where there are conditions."""
        column = self._columns[place]
        width = self._around.shape[2] if place in self._wide else len(column.column.levels)
        self._ties.append(rng.random((self._base.shape[1], width)))
        for at, rows, limits in self.spots:
            if at == place:
                counts, ties = limits.inside[self._codes[place, rows]], rng.random((len(rows), width))
                lost = np.flatnonzero(~counts.any(axis=1))
                drawn = np.full(len(lost), -1)
                if len(lost) and not limits.only_missing:
                    drawn = column.draw(len(lost), limits, rng)
                self._inside.append(_Vote(place, rows, counts, ties, lost, drawn))

    def made(self) -> _Made:
        """Make the codes: the most frequent, the base's where no neighbour has one, drawn where none is allowed."""
        around = self._around.reshape(-1, self._around.shape[2])
        winners = majority(
            np.concatenate([around, *(self._around[vote.place, vote.rows] for vote in self._inside)]),
            np.concatenate([around >= 0, *(vote.counts for vote in self._inside)]),
            [*self._ties, *(vote.ties for vote in self._inside)],
        )
        everywhere, start, inside = winners[: len(around)].reshape(self._base.shape), len(around), []
        for place in self._wide:
            everywhere[place] = _codes_at(self._codes[place], everywhere[place])
        for vote in self._inside:
            codes = winners[start : start + len(vote.rows)]
            if vote.place in self._wide:
                codes = _codes_at(self._codes[vote.place, vote.rows], codes)
            codes[vote.lost] = vote.drawn
            inside.append(codes)
            start += len(codes)
        values = np.where(everywhere < 0, self._base, everywhere)
        return _Made(values, values < 0, inside)


def _first_alike(codes: NDArray[Any]) -> NDArray[np.intp]:
    """Return for each neighbour of rows the place of the first that has the same code; -1 where it is missing."""
    return np.where(codes < 0, -1, (codes[:, :, np.newaxis] == codes[:, np.newaxis, :]).argmax(axis=2))


def _codes_at(codes: NDArray[Any], places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the codes of neighbours, of one for each row; -1 where it is none."""
    chosen = codes[np.arange(len(codes)), np.maximum(places, 0)]
    return np.where(places < 0, -1, chosen).astype(np.intp)


class _Vote(NamedTuple):
    """What the codes of some rows inside a condition are made from."""

    place: int  # which column of the block
    rows: NDArray[np.intp]
    counts: NDArray[np.bool_]  # which of their neighbours count
    ties: NDArray[np.float64]
    lost: NDArray[np.intp]  # rows around which no level is allowed
    drawn: NDArray[np.intp]  # their codes


class _NewNumbers:
    """New numbers or times of the columns of a block, of whose base rows and neighbours the values are given."""

    def __init__(
        self,
        columns: Sequence[NumberColumn],
        spots: Sequence[Spot],
        groups: Groups,
        base: Block,
        neighbour: Block,
        share: NDArray[np.float64],
    ) -> None:
        self.spots = spots
        self._columns = columns
        self._groups = groups
        self._share = share
        # Where one of the two is missing, the way starts and ends at the other.
        self._start = base.values if base.missing is None else np.where(base.missing, neighbour.values, base.values)
        self._stop = (
            neighbour.values
            if neighbour.missing is None
            else np.where(neighbour.missing, base.values, neighbour.values)
        )
        self._unknown = base.gaps() & neighbour.gaps()
        self._inside: dict[int, tuple[NDArray[Any], NDArray[np.bool_]]] = {}  # by spot, with which are lost
        for places, column in groups:
            mine = [at for at, (place, *_) in enumerate(spots) if place in places]
            if mine:
                self._go_inside(column, mine)

    def _go_inside(self, column: NumberColumn, mine: list[int]) -> None:
        """Make values inside conditions, of columns that are made alike, as far as that takes no chance."""
        counts = [len(self.spots[at][1]) for at in mine]
        places = np.repeat([self.spots[at][0] for at in mine], counts)
        rows = np.concatenate([self.spots[at][1] for at in mine])
        start, stop, unknown = (part[places, rows] for part in (self._start, self._stop, self._unknown))
        if unknown.any():
            low = np.array([one.low for one in self._columns], dtype=start.dtype)[places]
            start, stop = np.where(unknown, low, start), np.where(unknown, low, stop)
        parts = [(count, self.spots[at][2]) for count, at in zip(counts, mine, strict=True)]
        values, lost = column.between_inside(start, stop, self._share[rows], parts)
        ends = np.cumsum(counts)[:-1]
        parted = zip(np.split(values, ends), np.split(lost, ends), strict=True)
        self._inside.update(zip(mine, parted, strict=True))

    def draw(self, place: int, rng: np.random.Generator) -> None:
        """Draw all chance in the next column: where the way does not lead through a condition, or there is none."""
        column = self._columns[place]
        for spot, (at, rows, limits) in enumerate(self.spots):
            if at == place and not limits.only_missing:
                values, lost = self._inside[spot]
                for anew in (lost, self._unknown[place, rows]):
                    if anew.any():
                        values[anew] = column.draw(int(anew.sum()), limits, rng)

    def made(self) -> _Made:
        """Make the values."""
        values = np.empty_like(self._start)
        for places, column in self._groups:
            values[places] = column.between(self._start[places], self._stop[places], self._share)
        return _Made(values, self._unknown, [self._inside[spot][0] for spot in range(len(self.spots))])


def _on_the_clock(
    column: Any,
    table: Table,
    made: ColumnData,
    ends: tuple[NDArray[np.intp], NDArray[np.intp]],
    limited: Limited,
) -> NDArray[Any]:
    """Move times that a time zone skips: to those of a row that they were made from, or beside the hour skipped."""
    shown = table.storage(column.column.name).as_read_back(column.column, made)
    if shown is made.values:
        return shown
    skipped = made.values != shown
    if made.missing is not None:
        skipped &= ~made.missing
    if not skipped.any():
        return made.values
    data = table[column.column.name]
    hour = 3_600_000_000_000 // column.column.step
    options = [shown, shown - hour - column.step]
    for end in ends:
        there = np.ones(len(shown), dtype=bool) if data.missing is None else ~data.missing[end]
        options.insert(0, np.where(there, data.values[end], shown))
    values = np.where(skipped, shown, made.values)
    for rows, limits in limited:
        for row in rows[skipped[rows]]:
            for option in options:
                if ((limits.lows <= option[row]) & (option[row] <= limits.highs)).any():
                    values[row] = option[row]
                    break
    return values
