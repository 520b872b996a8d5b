"""Clauses: conjunctions of conditions, at most one per column. A clause is a box in the space of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from frote.rules.condition import Condition
from frote.rules.text import condition_text, shortened
from frote.table import Column, Kind, Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Clause", "infer_schema"]


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """A conjunction of conditions, at most one per column; without any it covers every row.

    The order of columns is kept for printing, and counts for nothing when clauses are compared.

    Parameters
    ----------
    conditions : tuple of (str, Condition)
        Column names and their conditions; use `Clause.of` to build one from a mapping.

    Examples
    --------
    >>> from frote.rules import Clause, Condition
    >>> young = Clause.of({"age": Condition.compare("<", 29)})
    >>> print(young & Clause.of({"age": Condition.compare(">", 18), "sex": Condition.compare("=", "F")}))
    age > 18 AND age < 29 AND sex = 'F'
    >>> print(young.relax("age"))
    TRUE
    """

    conditions: tuple[tuple[str, Condition], ...] = ()

    @classmethod
    def of(cls, conditions: Mapping[str, Condition] | Iterable[tuple[str, Condition]]) -> Clause:
        """Return the clause of these conditions, each settled, without those that every value meets."""
        pairs = conditions.items() if isinstance(conditions, Mapping) else conditions
        return cls(tuple((name, condition.settled()) for name, condition in pairs if condition != Condition.anything()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clause):
            return NotImplemented
        return frozenset(self.conditions) == frozenset(other.conditions)

    def __hash__(self) -> int:
        return hash(frozenset(self.conditions))

    def __iter__(self) -> Iterator[tuple[str, Condition]]:
        return iter(self.conditions)

    def __len__(self) -> int:
        return len(self.conditions)

    def __getitem__(self, column: str) -> Condition:
        """Return the condition on a column; one that the clause does not name may be anything."""
        return next((condition for name, condition in self.conditions if name == column), Condition.anything())

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the clause names."""
        return tuple(name for name, _ in self.conditions)

    def __and__(self, other: Clause) -> Clause:
        mine = dict(self.conditions)
        for name, condition in other.conditions:
            mine[name] = mine[name] & condition if name in mine else condition
        return Clause.of(mine)

    def having(self, column: str, condition: Condition) -> Clause:
        """Return the clause with this condition on a column in place of its own, if it had one."""
        return Clause.of({**dict(self.conditions), column: condition})

    def relax(self, column: str) -> Clause:
        """Return the clause without its condition on that column."""
        return Clause(tuple(pair for pair in self.conditions if pair[0] != column))

    def settled(self, schema: Schema) -> Clause:
        """Return the clause as it is written for the columns of a schema; see `Condition.settled`."""
        settled = {}
        for name, condition in self.conditions:
            column = schema.get(name)
            kept = condition.settled(None if column is None else column.kind)
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
            column = schema.get(name)
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
        """
        return self.witness(schema) is None

    def witness(self, schema: Schema | None = None) -> dict[str, Any] | None:
        """Return values for the named columns that satisfy the clause, None for missing; None if there are none."""
        schema = infer_schema([self]) if schema is None else schema
        row = {}
        for name, condition in self.conditions:
            value = condition.pick(schema.get(name))
            if value is None:
                return None
            (row[name],) = value
        return row

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
        return all(
            (mine.get(name, Condition.anything()) & ~condition).pick(schema.get(name)) is None
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


def infer_schema(clauses: Iterable[Clause]) -> Schema:
    """Infer the kinds of columns from what clauses compare them with, for want of a table.

    A column that is compared with numbers alone is continuous, one that is compared with dates alone a datetime;
    of any other, nothing is known and it is left out.

    Examples
    --------
    >>> from frote.rules import Clause, Condition
    >>> young = Clause.of({"age": Condition.compare("<", 29), "sex": Condition.compare("=", "F")})
    >>> infer_schema([young]).names
    ('age',)
    """
    named: dict[str, list[Condition]] = {}
    for clause in clauses:
        for name, condition in clause:
            named.setdefault(name, []).append(condition)
    columns = []
    for name, conditions in named.items():
        numbers = any(condition.names_numbers for condition in conditions)
        times = any(condition.names_times for condition in conditions)
        texts = any(condition.texts for condition in conditions)
        if texts or numbers == times:
            continue
        columns.append(Column(name, Kind.CONTINUOUS if numbers else Kind.DATETIME))
    return Schema(tuple(columns))
