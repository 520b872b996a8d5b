"""``frote predict``: labels and probabilities by a model of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from frote.command import options
from frote.layout import counted
from frote.shell import Command

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["predict"]

SHOWN = 5  # labels that are counted, the most frequent ones


@click.command(cls=Command, short_help="Predict labels and probabilities with a model.")
@click.argument("model", type=options.FILE)
@options.table
@options.trust
@click.option("--target", help="The column of labels, if the table has one: it is not shown to the model.")
@click.option(
    "--out",
    type=options.FILE,
    help="The table to write, with the predictions beside its columns; if nothing is said, they alone are printed as "
    "CSV.",
)
@options.overwrite
@options.spreadsheet_safe
@options.as_json
def predict(
    model: Path,
    data: Path,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    trust: tuple[str, ...],
    target: str | None,
    out: Path | None,
    force: bool,
    spreadsheet_safe: bool,
    machine: bool,
) -> None:
    """Predict labels and probabilities with the model of a file, also one that rules lie over."""
    from frote.edits.folder import new_file
    from frote.edits.predicting import PREDICTION, predictions
    from frote.edits.saved_models import model_for
    from frote.edits.tables import require_columns, tell_of_disguises
    from frote.files import read_table

    click.get_current_context().with_resource(new_file(out, force=force, reads=(data, model)))
    source = read_table(data, categorical=categorical, numeric=numeric)
    form = source.form if out is None else source.form.named(out)
    require_columns(source.frame, data, () if target is None else (target,))
    X = source.frame if target is None else source.frame.drop(columns=target)
    tell_of_disguises(X, data, categorical)
    predicted = predictions(model_for(X, model, trust, table_path=data), X)
    if out is None:
        options.show(options.lines_of(predicted), predicted.to_csv(index=False).removesuffix("\n"), machine=machine)
        return
    way_out = "Rename it, or leave out --out: then the predictions alone are printed."
    require_columns(source.frame, data, (), absent=predicted.columns, instead=way_out)
    table = source.frame.copy(deep=False)
    for name in predicted:  # assign() takes no column that is named self
        table[name] = predicted[name].to_numpy()
    form.write(table, out, inert=table.columns if spreadsheet_safe else ())
    counts = [f"{rows:,} {label}" for label, rows in predicted[PREDICTION].value_counts().items()]
    if len(counts) > SHOWN:
        counts[SHOWN:] = [f"and {counted(len(counts) - SHOWN, 'other label')}"]
    answer = {"rows": len(table), "columns": list(predicted.columns), "out": str(out)}
    options.show(answer, f"{counted(len(table), 'prediction')} in {out}: {', '.join(counts)}.", machine=machine)
