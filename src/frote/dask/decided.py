"""What an edit of a Dask frame gave: lazy frames, and the run that decided on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frote.loop.initial import Initial

if TYPE_CHECKING:
    import pandas as pd

    from frote.dask.strata import Strata
    from frote.dask.whole import LazyRows
    from frote.estimators.edit import Last
    from frote.estimators.input import Target

__all__ = ["Decided", "LazyEdit", "lines_made"]

MADE = ("synthetic", "guard")


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """What an edit of a Dask frame was decided on.

    Parameters
    ----------
    rows : LazyRows
        The whole.

    target : Target
        The classes, with a label of each as it came.

    strata : Strata
        What was brought to one place.

    last : Last
        The run on that.

    made : DataFrame
        The lines of the ledger for rows that were made.
    """

    rows: LazyRows
    target: Target
    strata: Strata
    last: Last
    made: pd.DataFrame

    @property
    def brought(self) -> int:
        """How many rows batches were made on."""
        return len(self.last.rows)

    def before(self) -> Any:
        """Return the model without any edit, trained as every other one."""
        start = self.last.start
        assert start is not None  # only edits by data are decided so
        initial = start.loop.bench.initial
        given = start.given
        own = Initial(self.last.trainer, given.rows, given.target.labels.codes, weights=given.weights)
        return (own if initial is None or len(initial.rows) < len(given.rows) else initial).model


@dataclass(frozen=True, slots=True, eq=False)
class LazyEdit:
    """What a run gave: the training data in the end, as lazy frames, and what decided on them."""

    frame: Any
    labels: Any
    decided: Decided

    def lent(self) -> tuple[Any, Any]:
        """Return both; nobody can write into them."""
        return self.frame, self.labels


def lines_made(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of rows that were made."""
    return ledger[ledger["status"].isin(MADE)]
