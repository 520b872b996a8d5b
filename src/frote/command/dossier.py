"""``frote dossier``: what an edit left, as the document that a reviewer's file asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from frote.command import options
from frote.shell import Command

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["dossier"]


@click.command(cls=Command, short_help="Make a model card, datasheet and technical file of an edit.")
@click.argument("edit", metavar="FOLDER", type=options.FILE)
@click.option("--out", type=options.FILE, help="The folder to write; FOLDER-dossier, if nothing is said.")
@click.option("--force", is_flag=True, help="Overwrite files that were changed since; never owner.toml.")
@options.as_json
def dossier(edit: Path, out: Path | None, force: bool, machine: bool) -> None:
    """Make one document of a finished edit: model card, datasheet, and sections in the order of Annex IV and SR 26-2.

    What the edit knows is filled in; what only the owner can say is asked for in owner.toml, and taken in by the next
    call. Beside it, croissant.json describes the augmented data for machines.
    """
    from frote.edits.dossier import OWNER, write_dossier

    written = write_dossier(edit, out, force=force)
    made, folder = written.dossier, written.folder
    answer = {
        "out": str(folder),
        "parts": made.count,
        "open": [part.key for part in made.open_parts],
        "of_another_edit_before": written.of_another,
    }
    lines = [
        f"{folder / 'dossier.html'}, the same in dossier.md, and croissant.json.",
        f"{len(made.open_parts)} of {made.count} parts are still to be written by the owner, in {folder / OWNER}.",
    ]
    if written.of_another:
        lines.append("What was there told of another edit: look whether what the owner wrote still holds.")
    options.show(answer, "\n".join(lines), machine=machine)
