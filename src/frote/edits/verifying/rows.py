"""The ledger against the data: every row stands in it once, with its label, and as often as the record says."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.edits.verifying.checks import checked
from frote.edits.verifying.tables import NOTHING, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from frote.edits.record import Record
    from frote.edits.tables import LabelledTable
    from frote.edits.verifying.checks import Check
    from frote.edits.verifying.tables import Ledger

__all__ = ["MADE", "counted_otherwise", "row_checks", "some", "unborn", "unlike_status"]

GIVEN, MADE = ("kept", "relabelled", "dropped"), ("synthetic", "guard")


def some(places: NDArray[np.intp], told: Callable[[int], str], most: int = 3) -> str | None:
    """Say of some rows what is wrong with them: of the first ones, and how many more there are.

    Examples
    --------
    >>> some(np.array([4, 7, 9, 11]), "row {} is lacking".format)
    'row 4 is lacking; row 7 is lacking; row 9 is lacking; and 1 more'
    """
    first = [told(int(place)) for place in places[:most]]
    more = [f"and {len(places) - most:,} more"] if len(places) > most else []
    return "; ".join([*first, *more]) or None


def row_checks(record: Record, table: LabelledTable, ledger: Ledger) -> Iterator[Check]:
    """Hold a ledger against the data and the record."""
    name, counted = ledger.name, counted_otherwise(record["rows"], Counter(ledger.status.tolist()))
    yield checked(name, f"Every row of {table.path.name} stands in it, in order.", _rows(table, ledger))
    yield checked(name, f"Every row of {record['data']['name']} stands in it once.", _sources(record, ledger))
    yield checked(name, "Rows kept, relabelled, dropped and made are as many as recorded.", counted)
    # Those that an edit in Python was given may be of any kind.
    y: Any = table.y
    labels = values_of(y if isinstance(y, pd.Series) else pd.Series(list(y), dtype=object))
    yield checked(name, f"Labels are those of {table.path.name}.", _labels(table, labels, ledger))
    yield checked(name, "What is told of a row goes with its status.", unlike_status(ledger))
    yield checked(name, "Rows were made of rows before them, at steps of the record.", unborn(record, ledger))


def _rows(table: LabelledTable, ledger: Ledger) -> Iterator[str | None]:
    rows = ledger.row[ledger.row != NOTHING]
    if len(rows) != len(table.y):
        yield f"it has {len(rows):,} rows, and the data {len(table.y):,}"
        return
    yield some(np.flatnonzero(rows != np.arange(len(rows))), lambda place: f"row {rows[place]} stands at place {place}")
    lines = np.flatnonzero((ledger.row == NOTHING) != (ledger.status == "dropped"))
    yield some(
        lines,
        lambda line: (
            f"line {line} is {ledger.status[line]}, and " + ("has no row" if ledger.row[line] == NOTHING else "has one")
        ),
    )


def _sources(record: Record, ledger: Ledger) -> Iterator[str | None]:
    sources, count = ledger.source[ledger.source != NOTHING], record["data"]["rows"]
    if len(sources) != count:
        yield f"it tells of {len(sources):,} rows, and there were {count:,}"
        return
    times = np.bincount(sources[sources < count], minlength=count) if count else sources
    yield some(np.flatnonzero(times != 1), lambda source: f"row {source} of it stands there {times[source]} times")
    lines = np.flatnonzero((ledger.source == NOTHING) != np.isin(ledger.status.astype(str), MADE))
    yield some(
        lines, lambda line: f"line {line} is {ledger.status[line]}, and its source is {_shown(ledger.source[line])}"
    )


def counted_otherwise(recorded: Mapping[str, int], counts: Counter[str]) -> Iterator[str]:
    """Say of which statuses there are other rows than recorded, and which there cannot be."""
    for status in dict.fromkeys([*recorded, *counts]):
        here, there = counts[status], recorded.get(status, 0)
        if here != there:
            yield f"{here:,} rows are {status or 'of no status'}, and the record says {there:,}"
    strange = sorted(set(counts) - {*GIVEN, *MADE})
    if strange:
        yield f"there is no status {strange[0]!r}"


def _labels(table: LabelledTable, labels: NDArray[np.object_], ledger: Ledger) -> Iterator[str | None]:
    own = ledger.new_label[ledger.row != NOTHING]
    if len(own) != len(labels):
        return  # it was told that there are others
    unlike = np.flatnonzero(own != labels)
    where = table.source.row
    yield some(unlike, lambda row: f"{where(row)} of the data is {labels[row]!r}, and {own[row]!r} here")


def unlike_status(ledger: Ledger) -> Iterator[str | None]:
    """Find lines that cannot be: a label kept that is another, a row made that had one, a rule that did nothing."""
    had, has = ledger.old_label != None, ledger.new_label != None  # noqa: E711 - of each
    same, ruled = ledger.old_label == ledger.new_label, ledger.rule != ""
    right: dict[str, Any] = {
        "kept": had & has & same & ~ruled,
        "relabelled": had & has & ~same & ruled,
        "dropped": had & ~has & ruled,
        "synthetic": ~had & has & ruled,
        "guard": ~had & has & ruled,
    }
    for status, fits in right.items():
        lines = np.flatnonzero((ledger.status == status) & ~fits)
        yield some(lines, lambda line: f"line {line} is {ledger.status[line]}, {_told(ledger, line)}")


def _told(ledger: Ledger, line: int) -> str:
    labels = f"from {ledger.old_label[line]!r} to {ledger.new_label[line]!r}"
    return f"{labels}, by {ledger.rule[line]!r}" if ledger.rule[line] else f"{labels}, by no rule"


def unborn(record: Record, ledger: Ledger) -> Iterator[str | None]:
    """Find rows that are made of no row before them, or at no step."""
    made = ledger.lines_of(*MADE)
    wrong = made[(ledger.base[made] == NOTHING) | (ledger.base[made] >= ledger.row[made])]
    yield some(wrong, lambda line: f"row {ledger.row[line]} is made of row {_shown(ledger.base[line])}")
    wrong = made[ledger.neighbour[made] >= ledger.row[made]]
    yield some(wrong, lambda line: f"row {ledger.row[line]} has row {ledger.neighbour[line]} for a neighbour")
    made_at = Counter(ledger.step[made].tolist())
    known = {step.get("step") for step in record["steps"]}
    for step, count in sorted(made_at.items()):
        if step not in known:
            yield f"{count:,} rows were made at step {_shown(step)}, which there was not"


def _shown(number: Any) -> str:
    return "none" if number == NOTHING else str(int(number))
