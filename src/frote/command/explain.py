"""``frote explain``: write down as rules what a model does now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from frote.command import options
from frote.edits.order import Columns
from frote.layout import counted
from frote.shell import Command, say, say_rules

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["explain"]


@click.command(cls=Command, short_help="Write down as rules what a model does now.")
@options.labelled_data
@options.ignore
@options.model_name
@click.option("--load", type=options.FILE, help="A model's file (skops) to explain, in place of training one.")
@options.trust
@click.option("--out", type=options.FILE, help="Where to write the rules; they are printed if nothing is said.")
@options.overwrite
def explain(
    data: Path,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    target: str,
    ignore: tuple[str, ...],
    model: str,
    param: tuple[str, ...],
    load: Path | None,
    trust: tuple[str, ...],
    out: Path | None,
    force: bool,
) -> None:
    """Write down as rules what a model does now, ready to be edited."""
    from frote.command.parameters import parameters
    from frote.edits.folder import new_file
    from frote.edits.saved_models import concerned, model_for
    from frote.edits.tables import read_labelled, require_columns, tell_of_identifiers

    click.get_current_context().with_resource(new_file(out, force=force, reads=(data, load)))
    params = parameters(param)
    table = read_labelled(data, Columns(target, categorical, numeric, ignore))
    require_columns(table.source.frame, data, ignore)
    if load is None:
        tell_of_identifiers(table)
    from frote.edits.models import make_estimator, train  # heavy: only when nothing is wrong so far
    from frote.estimators.explaining import explain_model

    X = table.X
    if load is None:
        explained = train(make_estimator(model, params), table.rows, table.y, name=model, seed=0)
    else:
        explained = model_for(X, load, trust, table_path=data)
        X = concerned(X, [explained])
    explanation = explain_model(explained, X)
    if out is None:
        say_rules(explanation)
        return
    explanation.rules.save(out)
    count = counted(len(explanation.rules), "rule")
    say(f"{out} has {count}, true to the model on {explanation.fidelity:.1%} of the rows.")
