"""What every loader of this package returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote.rules import parse_rules

if TYPE_CHECKING:
    import pandas as pd

    from frote.rules import RuleSet

__all__ = ["Dataset"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dataset:
    """A table, its labels, and where they come from.

    Parameters
    ----------
    name : str
        The name it is loaded by.

    X : pandas.DataFrame
        One row per example, one column per feature.

    y : pandas.Series
        The labels, as text; its name is the name of the label.

    description : str
        What the rows are, where they come from and under which licence.

    rules_text : str, default=""
        Feedback rules that come with the data, in the rule language; empty if there are none.

    Examples
    --------
    >>> from frote.datasets import load_loans
    >>> load_loans(200)
    Dataset('loans', 200 rows, 10 columns, decision: approved | denied)
    """

    name: str
    X: pd.DataFrame
    y: pd.Series[str]
    description: str
    rules_text: str = ""

    @property
    def rules(self) -> RuleSet:
        """The rules that come with the data, parsed; no rules where there is no text.

        Examples
        --------
        >>> from frote.datasets import load_loans
        >>> len(load_loans(10).rules)
        7
        """
        return parse_rules(self.rules_text)

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        labels = " | ".join(sorted(str(label) for label in self.y.unique()))
        return f"Dataset({self.name!r}, {rows} rows, {columns} columns, {self.y.name}: {labels})"
