"""``frote prove`` and ``frote stress``: whether a model keeps to rules on rows that nobody has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from frote.command import options
from frote.plain import plain
from frote.shell import Command

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["prove", "stress"]


def _asked(
    data: Path, categorical: tuple[str, ...], numeric: tuple[str, ...], target: str, rules: Path, load: Path, trust: Any
) -> tuple[Any, Any, Any]:
    """Return the model, the rules and the rows that are asked for."""
    from frote.edits.order import Columns
    from frote.edits.saved_models import model_for
    from frote.edits.tables import read_labelled
    from frote.rules.files import read_rules, require_rules

    table = read_labelled(data, Columns(target, categorical, numeric))
    return model_for(table.X, load, trust, table_path=data), require_rules(read_rules(rules), rules), table.rows


@click.command(cls=Command, short_help="Prove that a model keeps to rules, or show a row where not.")
@options.labelled_data
@options.rules
@options.load()
@click.option(
    "--values",
    type=click.Choice(["possible", "observed"]),
    default="possible",
    show_default=True,
    help="Which rows count: all that the columns' types hold, or those within the ranges and levels of the data.",
)
@click.option(
    "--boxes", type=click.IntRange(1), default=2000, show_default=True, help="Boxes of rows to look at for each rule."
)
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="How long to search for each rule, at most.")
@options.as_json
def prove(
    data: Path,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    target: str,
    rules: Path,
    load: Path,
    trust: tuple[str, ...],
    values: str,
    boxes: int,
    seconds: float | None,
    machine: bool,
) -> None:
    """Prove that a model answers by its rules on every possible row, or show a row on which it does not."""
    model, given, rows = _asked(data, categorical, numeric, target, rules, load, trust)
    from frote.evidence import prove as proven  # heavy: only when nothing is wrong so far

    report = proven(model, given, rows, values=values, boxes=boxes, seconds=seconds)
    answer = {
        "notes": list(report.notes),
        "about": report.rows,
        "rules": [
            {
                **{name: plain(getattr(one, name)) for name in ("rule", "label", "answer", "bound", "boxes", "said")},
                "counterexample": one.text or None,
            }
            for one in report.proofs
        ],
    }
    options.show(answer, report, machine=machine)


@click.command(cls=Command, short_help="Try a model on many fresh rows inside rules.")
@options.labelled_data
@options.rules
@options.load()
@click.option("--rows", type=click.IntRange(1), default=100_000, show_default=True, help="Rows to draw for each rule.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Where chance comes from.")
@options.as_json
def stress(
    data: Path,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    target: str,
    rules: Path,
    load: Path,
    trust: tuple[str, ...],
    rows: int,
    seed: int,
    machine: bool,
) -> None:
    """Try a model on many fresh rows inside its rules, then where it is least sure."""
    model, given, base = _asked(data, categorical, numeric, target, rules, load, trust)
    from frote.evidence import stress as stressed  # heavy: only when nothing is wrong so far

    report = stressed(model, given, base, rows=rows, random_state=seed)
    answer = {"notes": list(report.notes), "about": report.about, "rules": options.lines_of(report.rules)}
    options.show(answer, report, machine=machine)
