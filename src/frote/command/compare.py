"""``frote compare``: say as rules where two models differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from frote.command import options
from frote.edits.order import Columns
from frote.shell import Command

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["compare"]


@click.command(cls=Command, short_help="Say as rules where two models differ.")
@options.labelled_data
@options.engine
@click.option("--rules", type=options.FILE, help="The file of rules: changes where they apply were intended.")
@click.option("--before", type=options.FILE, required=True, help="A model's file (skops).")
@click.option("--after", type=options.FILE, required=True, help="Another one.")
@options.trust
@click.option("--subgroups", multiple=True, callback=options.names, metavar="COLUMNS", help="Columns to look at apart.")
@options.protected
@options.decision
@options.as_json
def compare(
    data: Path,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    target: str,
    rules: Path | None,
    before: Path,
    after: Path,
    trust: tuple[str, ...],
    subgroups: tuple[str, ...],
    machine: bool,
    engine: str | None,
    scheduler: str | None,
    memory: str | None,
    **judged_by: Any,
) -> None:
    """Say as rules where two models differ, and which of it the rules intend."""
    from frote.edits.resolving import tell_of_conflicts
    from frote.edits.saved_models import concerned, load_model, model_for
    from frote.edits.tables import read_labelled, require_known_labels
    from frote.rules import RuleSet
    from frote.rules.files import read_rules, require_rules

    given = RuleSet() if rules is None else require_rules(read_rules(rules), rules)
    X: Any
    if options.by_parts(data, engine, scheduler, memory):
        from frote.edits.many_files import ManyFiles

        many = ManyFiles.of(data, target, categorical=categorical, numeric=numeric)
        X, y, shown = many.X, many.y, many.form.empty.drop(columns=[target])
        first, second = (load_model(path, trust) for path in (before, after))
        tell_of_conflicts(given, None)
    else:
        table = read_labelled(data, Columns(target, categorical, numeric))
        X, y, shown = table.X, table.y, table.X
        first, second = (model_for(table.X, path, trust, table_path=data) for path in (before, after))
        require_known_labels(table, first, second)
        tell_of_conflicts(given, table.rows.table)
    from frote.compare.models import compare_models  # heavy: only when nothing is wrong so far
    from frote.compare.protected import columns_of, split

    named = columns_of(split(judged_by["protected"]), shown.columns)
    X = X[list(concerned(shown, [first, second], {*given.columns, *subgroups, *named}).columns)]
    comparison = compare_models(first, second, X, given, y, subgroups=subgroups, **judged_by)
    text = "\n\n".join(str(part) for part in (comparison, comparison.numbers, comparison.fairness) if part is not None)
    options.show(comparison.to_dict(), text, machine=machine)
