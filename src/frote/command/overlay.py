"""``frote overlay``: predict with rules laid over a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from frote.command import options
from frote.shell import Command, say

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["overlay"]


@click.command(cls=Command, short_help="Predict with rules laid over a model.")
@options.table
@options.rules
@options.resolve
@options.load()
@click.option("--mode", type=click.Choice(["hard", "soft"]), default="hard", show_default=True, help="Who answers.")
@click.option("--target", help="The column of labels, if the table has one: it is not shown to the model.")
@click.option("--out", type=options.FILE, required=True, help="The table of predictions to write.")
@options.overwrite
@options.spreadsheet_safe
def overlay(
    data: Path,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    rules: Path,
    resolve: str | None,
    load: Path,
    trust: tuple[str, ...],
    mode: str,
    target: str | None,
    out: Path,
    force: bool,
    spreadsheet_safe: bool,
) -> None:
    """Predict with a model that rules are laid over, without retraining: the table with predictions, and why."""
    from frote.edits.folder import new_file
    from frote.edits.patching import PREDICTED, patched_table
    from frote.edits.saved_models import model_for
    from frote.edits.tables import require_columns, tell_of_disguises
    from frote.files import read_table
    from frote.rules.files import read_rules, require_rules

    click.get_current_context().with_resource(new_file(out, force=force, reads=(data, rules, load)))
    source = read_table(data, categorical=categorical, numeric=numeric)
    form = source.form.named(out)
    require_columns(source.frame, data, () if target is None else (target,), absent=PREDICTED)
    X = source.frame if target is None else source.frame.drop(columns=target)
    tell_of_disguises(X, data, categorical)
    given = require_rules(read_rules(rules), rules)
    model = model_for(X, load, trust, table_path=data)
    patched = patched_table(source.frame, X, given, model, mode=mode, how=resolve)
    inert = patched.columns if spreadsheet_safe else ["rule"]
    form.write(patched, out, inert=inert)
    say(f"{(patched['rule'] != '').sum():,} of {len(patched):,} predictions are by rules; all are in {out}.")
