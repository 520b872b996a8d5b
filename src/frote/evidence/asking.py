"""Asking a model whether it keeps to a rule, and rows as a line of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.asking import ask
from frote.coverage.ruling import Ruling
from frote.rules import RuleSet
from frote.rules.values import Instant
from frote.table import Kind
from frote.visible import visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.labels import Labels
    from frote.rules import Rule
    from frote.table import Table, TypedFrame

__all__ = ["Asked", "row_text", "rule_columns"]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A model that is asked about rows inside a rule.

    Parameters
    ----------
    model : classifier
        The model.

    labels : Labels
        Its classes.

    ruling : Ruling
        The rule alone.

    wanted : int
        The class that it wants.
    """

    model: Any
    labels: Labels
    ruling: Ruling
    wanted: int

    @classmethod
    def about(cls, model: Any, labels: Labels, pieces: tuple[Rule, ...], wanted: int) -> Asked:
        """Ask about the pieces of one rule."""
        return cls(model, labels, Ruling.of(RuleSet(pieces), labels.texts), wanted)

    def covers(self, rows: TypedFrame) -> NDArray[np.bool_]:
        """Tell which rows the rule covers."""
        return np.asarray(self.ruling.on(rows.table).by_rule[0])

    def said(self, rows: TypedFrame) -> NDArray[Any]:
        """Return what the model answers."""
        return ask(self.model, rows)

    def strays(self, rows: TypedFrame) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Tell which rows the rule covers and the model answers otherwise, and what it answers."""
        said = self.said(rows)
        codes = np.array(self.labels.match(said.tolist()), dtype=np.intp)
        return (codes != self.wanted) & self.covers(rows), said


def rule_columns(pieces: tuple[Rule, ...]) -> list[str]:
    """Return the columns that the pieces of a rule name."""
    return list(dict.fromkeys(name for piece in pieces for name in piece.clause.columns))


def row_text(table: Table, names: list[str]) -> str:
    """Write some columns of the first row of a table as a rule would.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.table import Table
    >>> row_text(Table.from_frame(pd.DataFrame({"age": [31], "purpose": ["car"], "rate": [None]})), ["age", "purpose"])
    "age = 31, purpose = 'car'"
    """
    said = []
    for name in names:
        column, data = table.schema[name], table[name]
        if data.gaps()[0]:
            said.append(f"{name} missing")
            continue
        value = data.values[0].item()
        if column.kind.has_levels:
            text = repr(column.levels[value])
        elif column.kind is Kind.DATETIME:
            text = str(Instant(value * column.step))
        else:
            text = f"{value:.6g}" if isinstance(value, float) else repr(value)
        said.append(f"{name} = {text}")
    return visible(", ".join(said), lines=False)
