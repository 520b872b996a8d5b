"""``frote diff``: say what two policies answer otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from frote.command import options
from frote.shell import BadInput, Command

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["diff"]


@click.command(cls=Command, short_help="Say what two policies answer otherwise.")
@click.argument("old", type=options.FILE)
@click.argument("new", type=options.FILE)
@click.option(
    "--data", type=options.FILE, help="A table, whose columns tell kinds of values, and whose rows are counted."
)
@options.kinds
@options.ignore
@click.option("--target", help="The table's column of labels, to be counted too.")
@options.resolve
@options.as_json
def diff(
    old: Path,
    new: Path,
    data: Path | None,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    ignore: tuple[str, ...],
    target: str | None,
    resolve: str | None,
    machine: bool,
) -> None:
    """Say what two files of rules answer otherwise, whatever the rules are called and however they are put.

    Like diff, it ends with code 0 if they mean the same, with 1 if they do not, and with 2 if something is wrong.
    """
    from frote.edits.resolving import resolve as resolved
    from frote.edits.tables import read_columns
    from frote.rules.files import read_rules

    before, after = read_rules(old), read_rules(new)
    if data is None and (target is not None or categorical or numeric or ignore):
        raise BadInput("--target, --categorical, --numeric and --ignore are about a table. Add --data with the table.")
    X, y = None, None
    if data is not None:
        X, table = read_columns(data, target, categorical=categorical, numeric=numeric, ignore=ignore, levels={})
        y = None if table is None else table.y
    if resolve is not None:
        classes = None if y is None else y.unique().tolist()
        # Without the table's types: a policy is for rows to come, where values may be missing that none is of now.
        before, after = (resolved(rules, resolve, None, classes) for rules in (before, after))
    difference = before.diff(after, X, y)
    options.show(difference.to_dict(), difference, machine=machine)
    click.get_current_context().exit(0 if difference.equal else 1)
