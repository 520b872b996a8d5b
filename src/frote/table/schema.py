"""What the columns of a table are: their names, kinds and levels, without the data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from frote.exceptions import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Column", "Kind", "Schema"]


class Kind(StrEnum):
    """What the values of a column are.

    Examples
    --------
    >>> Kind("integer") is Kind.INTEGER
    True
    """

    CONTINUOUS = "continuous"
    INTEGER = "integer"
    CATEGORICAL = "categorical"
    BOOLEAN = "boolean"
    DATETIME = "datetime"

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return self in (Kind.CONTINUOUS, Kind.INTEGER)

    @property
    def has_levels(self) -> bool:
        """Whether the values are codes of levels."""
        return self in (Kind.CATEGORICAL, Kind.BOOLEAN)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a schema.

    Parameters
    ----------
    name : str
        The column's name, any text.

    kind : Kind
        What its values are.

    levels : tuple, default=()
        The levels of a categorical or boolean column, in order, as the caller's own values.

    step : int, default=1
        Nanoseconds between two neighbouring values of a datetime column: 1,000 where it counts microseconds.

    nullable : bool, default=True
        Whether a value can be missing, by the column's type: none of ``int64`` or ``bool`` can, any of ``float64``,
        ``Int64`` or ``object`` can, whether one is or not.

    ordered : bool, default=False
        Whether the levels of a categorical column are below and above one another, by its type. Not compared: rows that
        come later are of the column that the first ones were.

    Examples
    --------
    >>> Column("purpose", Kind.CATEGORICAL, levels=("car", "education")).levels
    ('car', 'education')
    """

    name: str
    kind: Kind
    levels: tuple[Any, ...] = ()
    step: int = 1
    nullable: bool = field(default=True, repr=False)  # digests of tables are of the repr, and of the type beside it
    ordered: bool = field(default=False, repr=False, compare=False)

    def with_nullable(self, nullable: bool) -> Column:
        """Return the same column with values that can be missing, or cannot; itself where that is so already."""
        return self if self.nullable == nullable else replace(self, nullable=nullable)

    def with_ordered(self, ordered: bool) -> Column:
        """Return the same column with levels in an order that counts, or in none; itself where that is so already."""
        return self if self.ordered == ordered else replace(self, ordered=ordered)

    def __getstate__(self) -> tuple[Any, ...]:
        # Files of models know texts and no kinds; those of old know columns only of which any value may be missing.
        state = self.name, self.kind.value, self.levels, self.step
        if self.ordered:
            return (*state, self.nullable, self.ordered)
        return state if self.nullable else (*state, self.nullable)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        names = ("name", "kind", "levels", "step", "nullable", "ordered")
        values = dict(zip(names, (*state, *(True, False)[len(state) - 4 :]), strict=True))
        values["kind"] = Kind(values["kind"])
        for field_, value in values.items():
            object.__setattr__(self, field_, value)


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table, in order.

    Parameters
    ----------
    columns : tuple of Column
        The columns; no two share a name.

    Examples
    --------
    >>> schema = Schema((Column("age", Kind.INTEGER), Column("income", Kind.CONTINUOUS)))
    >>> schema["age"].kind
    <Kind.INTEGER: 'integer'>
    >>> "height" in schema
    False
    """

    columns: tuple[Column, ...]
    _by_name: dict[str, Column] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name = {column.name: column for column in self.columns}
        if len(by_name) < len(self.columns):
            names = [column.name for column in self.columns]
            twice = next(name for name in names if names.count(name) > 1)
            raise TableError(f"Two columns are named {twice!r}. Give each column a name of its own.")
        object.__setattr__(self, "_by_name", by_name)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Column:
        return self._by_name[name]

    def get(self, name: str) -> Column | None:
        """Return the column of that name, or None."""
        return self._by_name.get(name)

    def with_gaps(self) -> Schema:
        """Return the schema of tables that have the same columns, and any value of which may be missing.

        Examples
        --------
        >>> Schema((Column("age", Kind.INTEGER, nullable=False),)).with_gaps()["age"].nullable
        True
        """
        return Schema(tuple(column.with_nullable(True) for column in self.columns))

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)
