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
@options.as_json
def preview(data: Path, rules: Path, machine: bool, n_jobs: int, **given: Any) -> None:
    """Say what an edit would do and cost, at the price of one training; nothing is kept."""
    from frote.edits.run_options import RunOptions
    from frote.edits.tables import read_tables

    order = order_of(rules=rules, **given)
    table, _ = read_tables(order, data)
    from frote.edits.running import preview as previewed  # heavy: only when nothing is wrong so far

    shown = previewed(order, table, RunOptions(n_jobs))
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
