"""Tables to judge on, brought to what was trained on: its columns, their kinds, its classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.labels import Labels
from frote.estimators.input import as_frame
from frote.exceptions import TableError
from frote.table import Table
from frote.table.columns import brought

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from frote.coverage.labels import Beyond
    from frote.table import Schema

__all__ = ["UNLEARNED", "ToJudge", "read_alike"]

UNLEARNED = "no row of the training data has"


def read_alike(X: Any, schema: Schema, kinds: Mapping[str, Any] | None, what: str) -> tuple[Any, Table]:
    """Read rows that must have the columns of others, and values of the same kinds in them.

    Parameters
    ----------
    X : pandas or polars DataFrame, or array
        The rows; further columns are left out, and their order does not matter.

    schema : Schema
        The columns.

    kinds : mapping or None
        Columns that are read as another kind than they seem to be.

    what : str
        What to call the rows in messages.

    Returns
    -------
    frame, table
        The rows with these columns in this order, as the caller's kind of frame and as a table.

    Raises
    ------
    TableError
        If a column is lacking, or holds values of another kind.
    """
    frame = brought(as_frame(X), schema.names, what)
    table = Table.from_frame(frame, kinds=kinds)
    for here, there in zip(table.schema, schema, strict=True):
        missing = table[here.name].missing
        alike = here.kind is there.kind or (here.kind.is_number and there.kind.is_number)
        if not alike and not (missing is not None and missing.all()):
            raise TableError(f"Column {there.name!r} of {what} holds {here.kind} values, and {there.kind} ones in X.")
    return frame, table


@dataclass(frozen=True, slots=True, eq=False)
class ToJudge:
    """Rows to judge models on.

    Parameters
    ----------
    frame : DataFrame or array
        The rows, with the columns that were trained on, in their order.

    y : ndarray of object
        Their labels, as the training data have them.

    unknown : Beyond
        Rows whose label no model could learn.
    """

    frame: Any
    y: NDArray[np.object_]
    unknown: Beyond

    @property
    def facts(self) -> dict[str, Any]:
        """What a report says of them."""
        return {"rows": len(self.y), "unknown": {"rows": self.unknown.rows, "labels": list(self.unknown.texts)}}

    @classmethod
    def of(
        cls,
        test: tuple[Any, Any],
        table: Table,
        labels: Labels,
        kinds: Mapping[str, Any] | None = None,
        *,
        what: tuple[str, str] = ("X_test", "y_test"),
    ) -> ToJudge:
        """Read rows and labels to judge on.

        Parameters
        ----------
        test : (X_test, y_test)
            The rows and their labels.

        table, labels : Table and Labels
            What was trained on.

        kinds : mapping, default=None
            Columns that are read as another kind than they seem to be.

        what : (str, str)
            What to call the rows and their labels in messages.

        Returns
        -------
        ToJudge

        Raises
        ------
        TableError
            If a column is lacking or of another kind, or the labels are written in another way.
        """
        X, y = test
        frame, read = read_alike(X, table.schema, kinds, what[0])
        own = Labels.of(y, len(read), what=what[1])
        unknown = own.beyond(labels, what=what[1], that=UNLEARNED)
        codes = labels.match(own.classes)
        natives = np.empty(len(own.classes), dtype=object)
        natives[:] = [
            label if code < 0 else labels.classes[code] for label, code in zip(own.classes, codes, strict=True)
        ]
        return cls(frame, natives[own.codes], unknown)
