"""The lines of a ledger, counted: all of them that are alike at once, so that the counts of parts add up."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

__all__ = ["Line", "Lines", "lines_in"]

TOLD = ("status", "rule", "old_label", "new_label")


class Line(NamedTuple):
    """What lines that are alike tell: status, rule ("" for none), and the texts of labels, None for none."""

    status: str
    rule: str
    old: str | None
    new: str | None


Lines: TypeAlias = Counter[Line]


def lines_in(ledger: pd.DataFrame) -> Lines:
    """Count the lines of a ledger.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(300)
    >>> rules = "young: IF age < 29 AND defaults = 0 THEN approved"
    >>> editor = frote.FROTE(rules=rules, max_fits=0, random_state=0).fit(loans.X, loans.y)
    >>> for line, rows in sorted(lines_in(editor.ledger_).items()):
    ...     print(rows, *line)
    188 kept  approved approved
    63 kept  denied denied
    49 relabelled young denied approved
    """
    codes, values = zip(*(_told(ledger[name]) for name in TOLD), strict=True)
    found, counts = np.unique(np.stack(codes, axis=1), axis=0, return_counts=True)
    lines: Lines = Counter()
    for places, rows in zip(found.tolist(), counts.tolist(), strict=True):
        status, rule, old, new = (texts[place] for texts, place in zip(values, places, strict=True))
        lines[Line(status or "", rule or "", old, new)] += rows
    return lines


def _told(column: pd.Series[str]) -> tuple[np.ndarray, list[str | None]]:
    """Return a column as places in a list of its texts, the last of which is for what is missing."""
    codes, distinct = pd.factorize(column)
    texts = [str(value) for value in distinct]
    return np.where(codes < 0, len(texts), codes), [*texts, None]
