"""``frote edit --pick``: take another step of a finished edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from frote.command import options
from frote.command.told import sign_edit, tell_edit
from frote.shell import Command

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["EditOrPick"]

OPTIONS = ("--pick", "--from")


class EditOrPick(Command):
    """The command that edits; where a step of a finished edit is asked for, all else is known from its record."""

    def make_context(self, info_name: str | None, args: list[str], *given: Any, **more: Any) -> click.Context:
        """Read the command line."""
        if any(arg.partition("=")[0] in OPTIONS for arg in args) and not {"-h", "--help"} & set(args):
            return pick.make_context(info_name, args, *given, **more)
        return super().make_context(info_name, args, *given, **more)


@click.command("edit", cls=Command)
@click.option("--pick", "step", type=click.IntRange(-1), required=True, help="The step; -1 is the model before.")
@click.option("--from", "source", type=options.FILE, required=True, help="The folder of the finished edit.")
@click.option("--data", type=options.FILE, required=True, help="The table that was trained on.")
@click.option("--test", type=options.FILE, help="The table that was judged on, if there was one.")
@click.option("--out", type=options.FILE, required=True, help="The folder to write.")
@click.option("--force", is_flag=True, help="Replace the folder if it is there.")
@options.trust_model
@options.max_size
@options.sign
@options.quiet
def pick(
    step: int, source: Path, data: Path, test: Path | None, out: Path, force: bool, sign: Path | None, quiet: bool
) -> None:
    """Take a step of a finished edit: its data, its model, trained again, and a report; nothing else is run."""
    from frote.edits.folder import Place
    from frote.edits.picking import picked_order
    from frote.edits.replaying import replay_command
    from frote.edits.run_options import RunOptions
    from frote.edits.signing import require_key
    from frote.edits.tables import read_tables

    if sign is not None:
        require_key(sign)
    record = source / "edit.json" if source.is_dir() else source
    order = picked_order(record, step, data, test, options.trusted_models())
    tables = read_tables(order, data, test)
    place = Place(out, force, (data, test, record))
    click.get_current_context().with_resource(place.taken())
    from frote.edits.running import run_in_place  # heavy: only when nothing is wrong so far

    repeat = replay_command(out / "edit.json", data, test, order.model)
    made = run_in_place(place, order, *tables, RunOptions(progress=not quiet), repeat, record)
    if not quiet:
        tell_edit(made, out)
    sign_edit(out, sign, quiet=quiet)
