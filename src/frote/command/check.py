"""``frote check``: say what rules cover and whom they contradict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from frote.command import options
from frote.edits.order import Columns
from frote.shell import Command

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check"]


@click.command(cls=Command, short_help="Say what rules cover and whom they contradict.")
@options.rules
@options.table
@options.levels
@click.option("--target", help="The column of labels.")
@options.load("A model's file (skops), to see how far it agrees with the rules.", required=False)
@options.as_json
def check(
    rules: Path,
    data: Path,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    levels: dict[str, list[str]],
    target: str | None,
    load: Path | None,
    trust: tuple[str, ...],
    machine: bool,
) -> None:
    """Say what rules cover, whom they contradict and what they would change; exit code 1 if something is wrong."""
    from frote.edits.saved_models import model_for
    from frote.edits.tables import read_labelled, require_known_labels, tell_of_disguises, with_levels
    from frote.files import read_table
    from frote.rules import read_rules

    given, table = read_rules(rules), None
    if target is None:
        X, y = with_levels(read_table(data, categorical=categorical, numeric=numeric).frame, levels, data), None
        tell_of_disguises(X, data, (*categorical, *levels))
    else:
        table = read_labelled(data, Columns(target, categorical, numeric, levels=levels))
        X, y = table.X, table.y
    loaded = None if load is None else model_for(X, load, trust, place=data)
    if table is not None and loaded is not None:
        require_known_labels(table, loaded)
    checked = given.check(X, y, loaded)
    answer = {
        "ok": checked.ok,
        "rows": checked.rows,
        "covered": checked.covered,
        "rules": options.lines_of(checked.frame),
        "conflicts": [str(conflict) for conflict in checked.conflicts],
        "advice": list(checked.advice),
    }
    options.show(answer, checked, machine=machine)
    click.get_current_context().exit(0 if checked.ok else 1)
