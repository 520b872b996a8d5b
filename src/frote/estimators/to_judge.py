"""Tables to judge on, brought to what was trained on (its columns, their kinds, its classes), and parted from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.labels import Beyond, Labels
from frote.estimators.input import as_frame
from frote.exceptions import TableError
from frote.layout import counted
from frote.table import TypedFrame
from frote.table.repeats import groups_of_rows
from frote.ways_out import way_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.table import Table

__all__ = ["UNLEARNED", "ToJudge"]

UNLEARNED = "no row of the training data has"
MANY = 0.5  # the share of rows that may also stand in the training data, unless the caller says what to do with them
BY_CHANCE = 3  # standard deviations


@dataclass(frozen=True, slots=True, eq=False)
class ToJudge:
    """Rows to judge models on.

    Parameters
    ----------
    rows : TypedFrame
        The rows, with the columns that were trained on, in their order, typed as those were.

    labels : Labels
        Their labels, as the training data have them.

    unknown : Beyond
        Rows whose label no model could learn.

    given, seen : int
        How many rows there were, and how many of them also stand in the training data.

    recur : float
        The share of the training data's own rows that come again in them.

    kept : bool
        Whether rows that were seen are judged on too.
    """

    rows: TypedFrame
    labels: Labels
    unknown: Beyond
    given: int
    seen: int
    recur: float
    kept: bool

    @classmethod
    def of(
        cls,
        test: tuple[Any, Any],
        table: Table,
        labels: Labels,
        *,
        seen: str | None = None,
        what: tuple[str, str] = ("X_test", "y_test"),
    ) -> ToJudge:
        """Read rows and labels to judge on, and leave out those that were trained on.

        A row was seen if the training data have one with the same values in every column, whatever its label. In a
        table of few columns rows recur by themselves: where no more rows were seen than of the training data's own
        rows come again in them, give or take chance, leaving them out would leave the rare ones alone to judge on, and
        all are kept.

        Parameters
        ----------
        test : (X_test, y_test)
            The rows and their labels.

        table, labels : Table and Labels
            What was trained on.

        seen : {"drop", "keep"} or None, default=None
            What to do with rows that were seen: judge on the others, or on all. None does the one or the other as
            above, and refuses to judge where more than half were seen.

        what : (str, str)
            What to call the rows and their labels in messages.

        Returns
        -------
        ToJudge

        Raises
        ------
        TableError
            If a column is lacking or of another kind, the labels are written in another way, or too many rows were
            seen.
        """
        X, y = test
        rows = TypedFrame.like(as_frame(X), table.schema, what=what[0])
        own = Labels.of(y, len(rows), what=what[1])
        own.beyond(labels, what=what[1], that=UNLEARNED)
        again, recur = _seen(table, rows.table)
        count = int(again.sum())
        kept = _keep(count, len(rows), recur, seen, what[0])
        total = len(rows)
        if count and not kept:
            left = np.flatnonzero(~again)
            rows, own = rows.take(left), own.take(left)
        codes = np.array(labels.match(own.classes), dtype=np.intp)
        natives = np.empty(len(own.classes), dtype=object)
        natives[:] = [
            label if code < 0 else labels.classes[code] for label, code in zip(own.classes, codes, strict=True)
        ]
        strange = tuple(text for text, code in zip(own.texts, codes, strict=True) if code < 0)
        unknown = Beyond(int((codes[own.codes] < 0).sum()), strange)
        return cls(rows, Labels.of(natives[own.codes]), unknown, total, count, recur, kept)

    def among(self, made: Table) -> int:
        """Count the rows to judge on that also stand among some that were made."""
        return int(_seen(made, self.rows.table)[0].sum()) if len(made) else 0


def _seen(trained: Table, judged: Table) -> tuple[NDArray[np.bool_], float]:
    """Return which rows of one table also stand in another, and the share of the other's own rows that recur."""
    there, here = groups_of_rows([trained, judged])
    groups = 1 + max(int(here.max(initial=-1)), int(there.max(initial=-1)))
    rows = np.bincount(there[there >= 0], minlength=groups + 1)  # the last place, of nobody, is for -1
    return rows[here] > 0, float((rows[there] > 1).mean())


def _keep(seen: int, given: int, recur: float, asked: str | None, what: str) -> bool:
    """Tell whether rows that were seen are judged on; an error where that is for the caller to say."""
    if not seen or asked == "keep":
        return True
    fact = f"{seen:,} of {counted(given, 'row')} of {what} also stand in the training data"
    drop, keep = (way_out(f"seen='{one}'", f"--seen {one}") for one in ("drop", "keep"))
    if asked is None:
        if seen <= given * recur + BY_CHANCE * (given * recur * (1 - recur)) ** 0.5:
            return True
        if MANY * given < seen < given:
            others = f", or judge on the {given - seen:,} others with {drop}, on all with {keep}"
            raise TableError(
                f"{fact}, so that scores would not be those of new rows. Give other rows{way_out(others, others, '')}."
            )
    if seen == given:
        these = f", or judge on these with {keep}"
        raise TableError(f"{fact}, and none is left to judge on. Give other rows{way_out(these, these, '')}.")
    return False
