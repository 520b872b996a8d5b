"""``frote replay``: repeat an edit from its record, and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from frote.command import options
from frote.shell import Command, say

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["replay"]


@click.command(cls=Command, short_help="Repeat an edit from its record, and compare.")
@click.argument("record", type=options.FILE)
@click.option("--data", type=options.FILE, help="The table that was trained on; one saved in Python is in the folder.")
@click.option("--test", type=options.FILE, help="The table that was judged on, if there was one.")
@options.scheduler
@options.trust_model
@options.trust
@options.max_size
@options.n_jobs
@click.option("--quiet", is_flag=True, help="Print only what differs, errors and warnings.")
def replay(
    record: Path,
    data: Path | None,
    test: Path | None,
    n_jobs: int,
    quiet: bool,
    trust: tuple[str, ...],
    scheduler: str | None,
    memory: str | None,
) -> None:
    """Repeat an edit from its record; exit code 0 if the record and all files beside it are the same, 1 if not."""
    from frote.edits.kept import kept_tables
    from frote.edits.record import read_record
    from frote.edits.replaying import replay as replayed
    from frote.edits.run_options import RunOptions
    from frote.edits.verifying.held import HeldFolder

    path = record / "edit.json" if record.is_dir() else record
    old = read_record(path)
    data, test = kept_tables(old, path, data, test)
    if old["asked"].get("engine") is not None:
        options.have_engine(scheduler, memory)
    else:
        options.refuse_engine(scheduler, memory)
    how = RunOptions(n_jobs, progress=not quiet)
    differing = replayed(old, path, data, test, how, options.trusted_models(), trust)
    for line in differing:
        say(line)
    if not differing and not quiet:
        models = "models, " if "model" in old["outputs"] else ""
        alone = " No file of the edit lies beside the record." if HeldFolder(path.parent, old).is_alone else ""
        say(f"The same: data, ledger, rules, {models}predictions and record.{alone}")
    click.get_current_context().exit(1 if differing else 0)
