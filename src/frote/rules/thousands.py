"""Numbers of rules that their writers may have meant a thousand times larger: 50.000 is fifty to us."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from frote.rules.values import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frote.rules.ruleset import RuleSet
    from frote.table import Schema, Table

__all__ = ["Dotted", "advice_on", "dotted", "thousands"]

# Three quarters of the values are so many times larger than the number as it is read, and some by nearly a thousand.
MOST, LARGEST = 10, 500


@dataclass(frozen=True, slots=True)
class Dotted:
    """A number with a dot and three digits, as a rule writes it.

    Parameters
    ----------
    rule : str
        The rule as written.

    column : str
        The column, of numbers, that it is compared with.

    text : str
        The number.
    """

    rule: str
    column: str
    text: str

    @property
    def number(self) -> float:
        """The number as it is read."""
        return float(self.text.replace("\u2212", "-"))

    def sizes(self, table: Table) -> tuple[int, int, int]:
        """Count the values of the column that have a size, those that are not far larger, and those that are most so.

        Examples
        --------
        >>> import pandas as pd
        >>> from frote.table import Table
        >>> table = Table.from_frame(pd.DataFrame({"limit": [0, 90, 40_000, 90_000]}))
        >>> Dotted("high", "limit", "50.000").sizes(table)
        (3, 1, 2)
        """
        values = table[self.column].present
        sizes = np.abs(values[np.isfinite(values) & (values != 0)].astype(np.float64))
        number = abs(self.number)
        return len(sizes), int((sizes < MOST * number).sum()), int((sizes >= LARGEST * number).sum())

    def told(self) -> str:
        """Say how it is read, and what may be meant."""
        meant = self.text.replace(".", "").replace("\u2212", "-")
        return (
            f"{self.text} is read as {canonical(self.number)}, and most values of column {self.column!r} are far "
            f"larger. Write {meant} if that is meant."
        )


def dotted(rules: RuleSet, schema: Schema) -> list[Dotted]:
    """Find numbers with a dot and three digits that are compared with columns of numbers.

    Parameters
    ----------
    rules : RuleSet
        The rules as they were written; rules that were bound or resolved do not tell how.

    schema : Schema
        The columns.

    Returns
    -------
    list of Dotted
        Each once.
    """
    named = [(rule.origin, name, text, schema.get(name)) for rule in rules for name, text in rule.dotted]
    found = [Dotted(origin, name, text) for origin, name, text, column in named if column and column.kind.is_number]
    return list(dict.fromkeys(found))


def advice_on(counted: Iterable[tuple[Dotted, Iterable[int]]]) -> dict[str, list[str]]:
    """Say which numbers may be meant a thousand times larger, by the rule as written, given the sizes of values."""
    advice: dict[str, list[str]] = {}
    for one, (values, near, most) in counted:
        if most and near * 4 <= values:
            advice.setdefault(one.rule, []).append(one.told())
    return advice


def thousands(rules: RuleSet, table: Table) -> dict[str, list[str]]:
    """Find numbers with a dot and three digits that are compared with columns of far larger ones.

    Parameters
    ----------
    rules : RuleSet
        The rules as they were written.

    table : Table
        The data.

    Returns
    -------
    dict of str to list of str
        What is to be said, by the rule as written.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"limit": [10_000, 40_000, 90_000]}))
    >>> thousands(frote.parse_rules("high: IF limit >= 50.000 THEN yes"), table)["high"]
    ["50.000 is read as 50, and most values of column 'limit' are far larger. Write 50000 if that is meant."]
    """
    return advice_on((one, one.sizes(table)) for one in dotted(rules, table.schema))
