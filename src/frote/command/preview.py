"""``frote preview``: say what an edit would do and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from frote.command import options
from frote.command.orders import order_of
from frote.shell import Command

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["preview"]


@click.command(cls=Command, short_help="Say what an edit would do and cost.")
@options.editing
@options.engine
@options.as_json
def preview(
    data: Path,
    rules: Path,
    machine: bool,
    n_jobs: int,
    engine: str | None,
    scheduler: str | None,
    memory: str | None,
    **given: Any,
) -> None:
    """Say what an edit would do and cost, at the price of one training; nothing is kept."""
    from frote.edits.run_options import RunOptions
    from frote.edits.tables import read_tables

    how = RunOptions(n_jobs)
    if options.by_parts(data, engine, scheduler, memory):
        from frote.edits.running_many import many_files, preview_many

        order = order_of(rules=rules, engine="dask", **given)
        shown = preview_many(order, many_files(order, data), how)
    else:
        order = order_of(rules=rules, **given)
        table, _ = read_tables(order, data)
        from frote.edits.running import preview as previewed  # heavy: only when nothing is wrong so far

        shown = previewed(order, table, how)
    answer = {
        "skipped": [{"rule": rule, "why": why} for rule, why in shown.skipped.items()],
        "rows": shown.rows,
        "objective": shown.objective,
        "seconds": shown.seconds,
        "most_batches": shown.most_batches,
        "likely_batches": shown.likely_batches,
        "rules": options.lines_of(shown.rules),
        "changes": options.lines_of(shown.changes),
    }
    options.show(answer, shown, machine=machine)
