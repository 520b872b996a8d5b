"""``frote verify``: verify the folder of an edit, without its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from frote.command import options
from frote.shell import BadInput, Command

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["verify"]


@click.command(cls=Command, short_help="Verify the folder of an edit, without its data.")
@click.argument("folder", type=options.FILE)
@click.option(
    "--signers",
    type=options.FILE,
    help="Whose signatures of the record count: OpenSSH's file of allowed signers, a name and a public key on a line.",
)
@click.option("--signature", type=options.FILE, help="The signature; edit.json.sig in the folder if nothing is said.")
@options.max_size
@options.as_json
def verify(folder: Path, signers: Path | None, signature: Path | None, machine: bool) -> None:
    """Verify the folder of an edit without its data: every file against the record, and what is in them against each
    other; exit code 0 if all that can be told holds, 1 if not. What only the data can tell is named: see replay.
    """  # noqa: D205
    from frote.edits.verifying import verify as verified

    if signature is not None and signers is None:
        raise BadInput("--signature needs those whose signatures count. Add --signers with their file.")
    verification = verified(folder, signature, signers)
    options.show(verification.plain, verification, machine=machine)
    click.get_current_context().exit(0 if verification.holds else 1)
