"""Another step of a run that is finished: what is asked for, and whether it can be had."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from frote.edits.order import Order
from frote.edits.ours import STEPS
from frote.edits.record import read_record
from frote.edits.replaying import require_same_files
from frote.edits.trusted import require_trusted
from frote.exceptions import RecordError
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

__all__ = ["picked_order"]


def picked_order(record_path: Path, step: int, data: Path, test: Path | None, trusted: Collection[str] = ()) -> Order:
    """Return the order of a finished run, with a step of it picked.

    Parameters
    ----------
    record_path : Path
        The record of the run; its steps are kept beside it.

    step : int
        The step, -1 for the model before.

    data, test : Path
        The tables that were trained and judged on.

    trusted : collection of str, default=()
        Functions that may be run to make the model, though only the record names them.

    Returns
    -------
    Order

    Raises
    ------
    FroteError
        If no steps are kept there, or the tables are not those of the run.
    """
    record = read_record(record_path)
    order = Order.of(record["asked"])
    require_trusted(order.model, trusted, record_path)
    if order.engine is not None:
        raise RecordError(f"{record_path} is of an edit that was read by parts, which keeps no steps. Edit again.")
    if not (record_path.parent / STEPS).is_dir():
        ways = "an edit by data does that, with --twins or --max-loss. Edit again with one of them."
        ways = way_out(ways, ways, "an edit by data does that.")
        raise RecordError(f"{record_path.parent} keeps no steps to pick from: {ways}")
    require_same_files(record, record_path, data, test)
    return replace(order, pick=step, repeat=1)
