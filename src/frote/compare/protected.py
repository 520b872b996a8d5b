"""What is protected: columns and conditions that people declare once, and the groups that they part rows into."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.compare.subgroups import groups
from frote.coverage.matrix import cover
from frote.exceptions import FroteError, TableError, nearest
from frote.explain.literals import Literals
from frote.rules.clause import Clause
from frote.rules.parser import parse_rules
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from frote.rules import RuleSet
    from frote.table import Table

__all__ = ["OTHERS", "Protected", "columns_of", "protected_by", "split"]

GROUPS = 40  # of a column, at most: with more, most have too few rows for a rate
OTHERS = "all others"
# A comma that parts two of them stands outside quotes, backticks and brackets.
_ITEM = re.compile(r"""(?:'[^']*'|"[^"]*"|`[^`]*`|\([^()]*\)|\{[^{}]*\}|[^,])+""")


@dataclass(frozen=True, slots=True, eq=False)
class Protected:
    """Something that is protected, and the groups that it parts rows into.

    Parameters
    ----------
    text : str
        A column's name, or a condition, as it was given.

    columns : tuple of str
        The columns that it speaks of.

    groups : tuple of str
        What each group is, as rule text; of a condition, itself and all others.

    clauses : tuple of Clause or None
        The same as clauses, where there is one.

    member : ndarray of int
        The group of each row.
    """

    text: str
    columns: tuple[str, ...]
    groups: tuple[str, ...]
    clauses: tuple[Clause | None, ...]
    member: NDArray[np.intp]


def split(protected: Iterable[str] | str) -> tuple[str, ...]:
    """Return what is protected, one by one; in a text they are parted by commas.

    Examples
    --------
    >>> split("sex, age<25, region IN {north, 'south, east'}")
    ('sex', 'age<25', "region IN {north, 'south, east'}")
    >>> split(["first, second"])
    ('first, second',)
    """
    items = _ITEM.findall(protected) if isinstance(protected, str) else list(map(str, protected))
    return tuple(dict.fromkeys(item.strip() for item in items if item.strip()))


def columns_of(texts: Iterable[str], names: Collection[str]) -> set[str]:
    """Return the columns that protected things speak of, given the names of all columns.

    Raises
    ------
    TableError
        If one is neither a column nor a condition.

    Examples
    --------
    >>> sorted(columns_of(["sex", "age < 25"], ["age", "sex", "income"]))
    ['age', 'sex']
    """
    return {name for text in texts for name in ([text] if text in names else _parsed(text, names).columns)}


def protected_by(texts: Iterable[str], table: Table) -> list[Protected]:
    """Part the rows of a table by all that is protected.

    Parameters
    ----------
    texts : iterable of str
        Columns' names, whose groups are their levels or quarters; or conditions in the rule language.

    table : Table
        The rows.

    Returns
    -------
    list of Protected

    Raises
    ------
    TableError
        If one is neither a column nor a condition on columns, or a column has too many groups.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": [20, 30, 60], "sex": ["f", "m", "f"]}))
    >>> for one in protected_by(["sex", "age < 25 OR age > 55"], table):
    ...     print(one.groups, one.member)
    ("sex = 'f'", "sex = 'm'") [0 1 0]
    ('age < 25 OR age > 55', 'all others') [0 1 0]
    """
    return [_by_column(text, table) if text in table.schema else _by_condition(text, table) for text in texts]


def _by_column(name: str, table: Table) -> Protected:
    column = table.schema[name]
    conditions = groups(column, table) if len(column.levels) <= 10 * GROUPS else []
    if not 1 <= len(conditions) <= GROUPS:
        count = len(conditions) or len(column.levels)
        raise TableError(
            f"{_option()}: {name!r} parts the rows into {count:,} groups, more than the {GROUPS} that rates are told "
            f"of. Give conditions on it, such as {_condition(name)}."
        )
    literals = Literals(tuple((name, condition) for condition in conditions))
    clauses = [Clause.of([literal]) for literal in literals.conditions]
    return Protected(
        name, (name,), tuple(map(str, clauses)), tuple(clauses), literals.evaluate(table).argmax(axis=1).astype(np.intp)
    )


def _by_condition(text: str, table: Table) -> Protected:
    rules = _parsed(text, table.schema.names)
    try:
        inside = cover(rules.bind(table.schema), table).any(axis=0)
    except FroteError as error:
        raise TableError(f"{_option()}: {text!r} does not fit the table: {error}") from None
    pieces = [rule.clause for rule in rules]
    clause = pieces[0] if len(pieces) == 1 else None
    return Protected(text, rules.columns, (text, OTHERS), (clause, None), np.where(inside, 0, 1).astype(np.intp))


def _parsed(text: str, names: Collection[str]) -> RuleSet:
    """Read a condition; what has no comparison is taken for a column that is not there."""
    if re.fullmatch(r"[\w.\- ]+|`[^`]*`", text):
        raise TableError(f"{_option()}: X has no column {text!r}. {nearest(text.strip('`'), names)}")
    try:
        rules = parse_rules(f"protected: IF {text} THEN x")
    except FroteError as error:
        raise TableError(f"{_option()}: {text!r} is neither a column nor a condition: {error}") from None
    if len(rules.origins) != 1:
        raise TableError(f"{_option()}: {text!r} is more than one condition. Give them one by one.")
    return rules


def _option() -> str:
    return way_out("protected", "--protected", "Protected columns")


def _condition(name: Any) -> str:
    return way_out(f'"{name} = ..."', f"--protected '{name} = ...'")
