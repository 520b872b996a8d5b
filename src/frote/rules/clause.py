"""Clauses: conjunctions of conditions, at most one per column. A clause is a box in the space of rows.

Sums over several columns may have conditions too (`frote.rules.linear`), which cut the box.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from frote.exceptions import RuleError
from frote.rules.condition import CALENDAR, Condition
from frote.rules.feasible import Line, UndecidedError, find_point
from frote.rules.linear import Linear, column_at, columns_of
from frote.rules.text import condition_text, shortened
from frote.rules.values import Instant
from frote.table import Column, Kind, Schema

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from frote.rules.linear import Key

__all__ = ["Clause", "infer_schema"]


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """A conjunction of conditions, at most one per column or sum of columns; without any it covers every row.

    The order of columns is kept for printing, and counts for nothing when clauses are compared.

    Parameters
    ----------
    conditions : tuple of (str or Linear, Condition)
        Names of columns, or sums of some, and their conditions; use `Clause.of` to build one from a mapping.

    Examples
    --------
    >>> from frote.rules import Clause, Condition
    >>> young = Clause.of({"age": Condition.compare("<", 29)})
    >>> print(young & Clause.of({"age": Condition.compare(">", 18), "sex": Condition.compare("=", "F")}))
    age > 18 AND age < 29 AND sex = 'F'
    >>> print(young.relax("age"))
    TRUE
    """

    conditions: tuple[tuple[Key, Condition], ...] = ()

    @classmethod
    def of(cls, conditions: Mapping[Any, Condition] | Iterable[tuple[Key, Condition]]) -> Clause:
        """Return the clause of these conditions, each settled, without those that every value meets."""
        pairs = conditions.items() if isinstance(conditions, Mapping) else conditions
        return cls(
            tuple(
                (key, condition.settled() if isinstance(key, str) else condition.settled(Kind.CONTINUOUS))
                for key, condition in pairs
                if condition != Condition.anything()
            )
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clause):
            return NotImplemented
        return frozenset(self.conditions) == frozenset(other.conditions)

    def __hash__(self) -> int:
        return hash(frozenset(self.conditions))

    def __iter__(self) -> Iterator[tuple[Key, Condition]]:
        return iter(self.conditions)

    def __len__(self) -> int:
        return len(self.conditions)

    def __getitem__(self, column: Key) -> Condition:
        """Return the condition on a column alone, or on a sum; one that the clause does not name may be anything."""
        return next((condition for name, condition in self.conditions if name == column), Condition.anything())

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the clause names, those of sums too."""
        return tuple(columns_of(key for key, _ in self.conditions))

    @property
    def sums(self) -> tuple[tuple[Linear, Condition], ...]:
        """The conditions that are on several columns."""
        return tuple((key, condition) for key, condition in self.conditions if isinstance(key, Linear))

    @property
    def alone(self) -> tuple[tuple[str, Condition], ...]:
        """The conditions that are on one column each."""
        return tuple((key, condition) for key, condition in self.conditions if isinstance(key, str))

    def __and__(self, other: Clause) -> Clause:
        mine = dict(self.conditions)
        for name, condition in other.conditions:
            mine[name] = mine[name] & condition if name in mine else condition
        return Clause.of(mine)

    def having(self, column: Key, condition: Condition) -> Clause:
        """Return the clause with this condition on a column in place of its own, if it had one."""
        return Clause.of({**dict(self.conditions), column: condition})

    def relax(self, column: Key) -> Clause:
        """Return the clause without its condition on that column, or on that sum."""
        return Clause(tuple(pair for pair in self.conditions if pair[0] != column))

    def settled(self, schema: Schema) -> Clause:
        """Return the clause as it is written for the columns of a schema; see `Condition.settled`."""
        settled = {}
        for name, condition in self.conditions:
            column = column_at(schema, name)
            kept = condition.settled() if column is None else condition.on(column)
            # A condition that every possible number, date or truth value meets is none; levels may come to be, and so
            # may missing values where another table has another type.
            every = column is not None and column.kind is not Kind.CATEGORICAL and (~kept).pick(column) is None
            if not (every and kept.missing):
                settled[name] = kept
        return Clause.of(settled)

    def without_gaps(self, schema: Schema) -> Clause:
        """Return the clause without a word of missing values on columns whose types have none.

        A condition that asks for nothing else stays: no row of the schema satisfies the clause, with or without it.

        Examples
        --------
        >>> from frote.rules import Clause, Condition
        >>> from frote.table import Column, Kind, Schema
        >>> older = Clause.of({"age": ~Condition.compare("<", 29)})
        >>> print(older.without_gaps(Schema((Column("age", Kind.INTEGER, nullable=False),))))
        age >= 29
        """
        said = []
        for name, condition in self.conditions:
            column = column_at(schema, name)
            needless = column is not None and not column.nullable and condition != Condition.is_missing()
            said.append((name, replace(condition, missing=False) if needless else condition))
        return Clause(tuple(said))

    def is_empty(self, schema: Schema | None = None) -> bool:
        """Tell whether no row can satisfy the clause.

        Parameters
        ----------
        schema : Schema, default=None
            Whose values count: only whole numbers in an integer column, only its levels in a categorical one.
            Without a schema, a column that the clause compares with numbers is continuous.

        Returns
        -------
        bool
            Not where conditions over several columns take too long to tell; see `doubt`.
        """
        try:
            return self._row(schema) is None
        except UndecidedError:
            return False

    def doubt(self, schema: Schema | None = None) -> str:
        """Return why it cannot be told whether some row satisfies the clause; nothing if it can."""
        try:
            self._row(schema)
        except UndecidedError as error:
            return str(error)
        return ""

    def witness(self, schema: Schema | None = None) -> dict[str, Any] | None:
        """Return values for the named columns that satisfy the clause, None for missing; None if none are found."""
        try:
            return self._row(schema)
        except UndecidedError:
            return None

    def _row(self, schema: Schema | None) -> dict[str, Any] | None:
        schema = infer_schema([self]) if schema is None else schema
        row: dict[str, Any] = {}
        adds = False
        for name, condition in self.conditions:
            if not isinstance(name, str):
                adds = True
                continue
            value = condition.pick(schema.get(name))
            if value is None:
                return None
            (row[name],) = value
        if not adds:
            return row
        found = self._added_up(self.sums, schema)
        return None if found is None else {name: found.get(name, row.get(name)) for name in self.columns}

    def _added_up(self, sums: tuple[tuple[Linear, Condition], ...], schema: Schema) -> dict[str, Any] | None:
        """Return values for the columns of sums; missing ones only where no others will do."""
        row = self._met(sums, schema, frozenset())
        if row is not None:
            return row
        # The more columns are missing, the fewer sums must be met: those that can be are, if that is allowed them.
        gaps = set(columns_of(key for key, condition in sums if condition.missing))
        gaps -= set(columns_of(key for key, condition in sums if not condition.missing))
        for name in [*gaps]:
            column = schema.get(name)
            if not self[name].missing or not (column is None or column.nullable):
                gaps.remove(name)
        left = tuple((key, condition) for key, condition in sums if not gaps.intersection(key.columns))
        return self._met(left, schema, frozenset(gaps)) if gaps else None

    def _met(
        self, sums: tuple[tuple[Linear, Condition], ...], schema: Schema, missing: frozenset[str]
    ) -> dict[str, Any] | None:
        """Return values for the columns of all sums, of which some are missing, that meet some of the sums."""
        names = [name for name in columns_of(key for key, _ in self.sums) if name not in missing]
        kinds = [None if (column := schema.get(name)) is None else column.kind for name in names]
        lines = []
        for name, kind in zip(names, kinds, strict=True):
            condition, column = self[name], schema.get(name)
            if kind is Kind.DATETIME:
                lines.append(Line.of(condition.times & CALENDAR, 1 if column is None else column.step))
            else:
                lines.append(Line.of(condition.numbers, int(kind is Kind.INTEGER)))
        place = {name: at for at, name in enumerate(names)}
        point = find_point(
            lines,
            [
                ({place[name]: factor for name, factor in key.terms}, Line.of(condition.numbers))
                for key, condition in sums
            ],
        )
        if point is None:
            return None
        values = {name: _native(value, kind) for name, value, kind in zip(names, point, kinds, strict=True)}
        return values | dict.fromkeys(missing)

    def implies(self, other: Clause, schema: Schema | None = None) -> bool:
        """Tell whether every row that satisfies this clause satisfies the other one too.

        Examples
        --------
        >>> from frote.rules import Clause, Condition
        >>> teen = Clause.of({"age": Condition.compare("<", 20)})
        >>> young = Clause.of({"age": Condition.compare("<", 29)})
        >>> teen.implies(young), young.implies(teen)
        (True, False)
        """
        schema = infer_schema([self, other]) if schema is None else schema
        if self.is_empty(schema):
            return True
        mine, theirs = dict(self.settled(schema)), other.settled(schema)
        if self.sums or other.sums:
            return all((self & Clause.of({key: ~condition})).is_empty(schema) for key, condition in theirs)
        return all(
            (mine.get(name, Condition.anything()) & ~condition).pick(column_at(schema, name)) is None
            for name, condition in theirs
        )

    def is_equivalent(self, other: Clause, schema: Schema | None = None) -> bool:
        """Tell whether the two clauses are satisfied by the same rows of that schema."""
        return self.implies(other, schema) and other.implies(self, schema)

    def __str__(self) -> str:
        if not self.conditions:
            return "TRUE"
        if len(self.conditions) == 1:
            return condition_text(*self.conditions[0])[0]
        written = (condition_text(name, condition) for name, condition in self.conditions)
        return " AND ".join(f"({text})" if compound else text for text, compound in written)

    def __repr__(self) -> str:
        return f"<Clause {shortened(str(self))}>"


def _native(value: Fraction, kind: Kind | None) -> Any:
    if kind is Kind.DATETIME:
        return Instant(int(value)).native()
    return int(value) if value.denominator == 1 else float(value)


def infer_schema(clauses: Iterable[Clause]) -> Schema:
    """Infer the kinds of columns from what clauses compare them with, for want of a table.

    A column that is compared with numbers alone is continuous, one that is compared with dates alone a datetime, and
    columns that are added up are of one kind; of any other, nothing is known and it is left out. What is asked of
    levels is refused: there are none.

    Examples
    --------
    >>> from frote.rules import Clause, Condition
    >>> young = Clause.of({"age": Condition.compare("<", 29), "sex": Condition.compare("=", "F")})
    >>> infer_schema([young]).names
    ('age',)
    """
    named: dict[str, list[Condition]] = {}
    sums: dict[Linear, None] = {}
    for clause in clauses:
        for name, condition in clause:
            if not condition.is_decided:
                raise RuleError(
                    f"{shortened(condition_text(name, condition)[0])} is decided on the levels of a column. Give the "
                    "data or their schema, as in rules.conflicts(X)."
                )
            if isinstance(name, str):
                named.setdefault(name, []).append(condition)
            else:
                sums[name] = None
    kinds: dict[str, Kind] = {}
    for name, conditions in named.items():
        numbers = any(condition.names_numbers for condition in conditions)
        times = any(condition.names_times for condition in conditions)
        texts = any(condition.texts for condition in conditions)
        if texts or numbers == times:
            continue
        kinds[name] = Kind.CONTINUOUS if numbers else Kind.DATETIME
    for name, kind in _added_kinds(list(sums), kinds).items():
        kinds.setdefault(name, kind)
    return Schema(tuple(Column(name, kind) for name, kind in kinds.items()))


def _added_kinds(sums: list[Linear], kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    """Return the kinds of columns that are added up: dates if any of them is compared as one."""
    dates = {name for name, kind in kinds.items() if kind is Kind.DATETIME}
    dates.update(columns_of(key for key in sums if key.timed))
    for _ in sums:
        dates.update(columns_of(key for key in sums if dates.intersection(key.columns)))
    return {name: Kind.DATETIME if name in dates else Kind.CONTINUOUS for name in columns_of(sums)}
