"""``frote resolve``: resolve the conflicts of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from frote.command import options
from frote.layout import counted
from frote.shell import BadInput, Command, say, say_rules

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["resolve"]


@click.command(cls=Command, short_help="Resolve the conflicts of rules.")
@options.rules
@click.option("--how", type=click.Choice(["exclude", "mix", "priority"]), required=True, help="The way.")
@click.option(
    "--data",
    type=options.FILE,
    help="A table, whose columns tell which overlaps are possible, and which values can be missing.",
)
@options.kinds
@options.levels
@options.ignore
@click.option("--target", help="The table's column of labels; to mix outcomes that have a confidence.")
@click.option("--out", type=options.FILE, help="Where to write the rules; they are printed if nothing is said.")
@options.overwrite
def resolve(
    rules: Path,
    how: str,
    data: Path | None,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    levels: dict[str, list[str]],
    ignore: tuple[str, ...],
    target: str | None,
    out: Path | None,
    force: bool,
) -> None:
    """Resolve the conflicts of rules, and print or write them."""
    from frote.edits.folder import new_file
    from frote.edits.resolving import resolve as resolved
    from frote.edits.tables import read_columns
    from frote.rules.files import read_rules, require_rules

    click.get_current_context().with_resource(new_file(out, force=force, reads=(rules, data)))
    given = require_rules(read_rules(rules), rules)
    X, classes = None, None
    if target is not None and data is None:
        raise BadInput("--target is a column of a table. Add --data with the table.")
    if data is not None:
        X, table = read_columns(data, target, categorical=categorical, numeric=numeric, ignore=ignore, levels=levels)
        classes = None if table is None else table.y.unique().tolist()
    pieces = resolved(given, how, X, classes)
    if out is None:
        say_rules(pieces)
    else:
        pieces.save(out)
        say(f"{out} has {counted(len(given.origins), 'rule')} in {counted(len(pieces), 'piece')}.")
