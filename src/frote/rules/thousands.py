"""Numbers of rules that their writers may have meant a thousand times larger: 50.000 is fifty to us."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frote.rules.values import canonical

if TYPE_CHECKING:
    from frote.rules.ruleset import RuleSet
    from frote.table import Table

__all__ = ["thousands"]

# Most values are so many times larger than the number as it is read, and some by nearly a thousand.
MOST, LARGEST = 10, 500


def thousands(rules: RuleSet, table: Table) -> dict[str, list[str]]:
    """Find numbers with a dot and three digits that are compared with columns of far larger ones.

    Parameters
    ----------
    rules : RuleSet
        The rules as they were written; rules that were bound or resolved do not tell how.

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
    advice: dict[str, dict[str, None]] = {}
    for rule in rules:
        for name, text in rule.dotted:
            column = table.schema.get(name)
            number = float(text.replace("\u2212", "-"))
            if column is not None and column.kind.is_number and _is_far_larger(table, name, abs(number)):
                meant = text.replace(".", "").replace("\u2212", "-")
                said = (
                    f"{text} is read as {canonical(number)}, and most values of column {name!r} are far larger. "
                    f"Write {meant} if that is meant."
                )
                advice.setdefault(rule.origin, {})[said] = None
    return {origin: list(said) for origin, said in advice.items()}


def _is_far_larger(table: Table, name: str, number: float) -> bool:
    """Tell whether the values of a column are of about a thousand times the size of a number."""
    values = table[name].present
    sizes = np.abs(values[np.isfinite(values) & (values != 0)].astype(np.float64))
    if not len(sizes):
        return False
    return bool(np.quantile(sizes, 0.25) >= MOST * number and sizes.max() >= LARGEST * number)
