"""Commands that look and change nothing: explain, check, resolve, preview, score, compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from frote.command import options
from frote.command.record import Asked
from frote.layout import counted
from frote.plain import plain
from frote.shell import Command, Told, say, say_rules

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

__all__ = ["check", "compare", "explain", "preview", "resolve", "score"]


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
    from frote.command.place import new_file
    from frote.command.saved_models import concerned, model_for
    from frote.command.tables import labelled, require_columns
    from frote.command.telling import telling

    click.get_current_context().with_resource(new_file(out, force=force, reads=(data, load)))
    asked = Asked(target, "", model, parameters(param), categorical=categorical, numeric=numeric, ignore=ignore)
    table = labelled(data, asked)
    require_columns(table.source.frame, data, asked.ignore)
    if load is None:
        options.warn_of_identifiers(table)
    from frote.command.models import make_estimator  # heavy: only when nothing is wrong so far
    from frote.estimators.explaining import explain_model
    from frote.loop.training import seeded

    X = table.X
    if load is None:
        estimator = seeded(make_estimator(model, asked.params), asked.seed, 1)
        with telling(f"The model {model!r} cannot be trained"):
            found = estimator.fit(X, table.y)
    else:
        found = model_for(X, load, trust, place=data)
        X = concerned(X, [found])
    explanation = explain_model(found, X)
    if out is None:
        say_rules(explanation)
        return
    explanation.rules.save(out)
    count = counted(len(explanation.rules), "rule")
    say(f"{out} has {count}, true to the model on {explanation.fidelity:.1%} of the rows.")


@click.command(cls=Command, short_help="Say what rules cover and whom they contradict.")
@options.rules
@options.table
@options.levels
@click.option("--target", help="The column of labels.")
@options.load("A model's file (skops), to see how far it agrees with the rules.", required=False)
@options.as_json
def check(
    rules: Path,
    data: Path,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    levels: dict[str, list[str]],
    target: str | None,
    load: Path | None,
    trust: tuple[str, ...],
    machine: bool,
) -> None:
    """Say what rules cover, whom they contradict and what they would change; exit code 1 if something is wrong."""
    from frote.command.saved_models import model_for
    from frote.command.tables import labelled, require_known_labels, tell_of_disguises, with_levels
    from frote.files import read_table
    from frote.rules import read_rules

    given, table = read_rules(rules), None
    if target is None:
        X, y = with_levels(read_table(data, categorical=categorical, numeric=numeric).frame, levels, data), None
        tell_of_disguises(X, data, (*categorical, *levels))
    else:
        table = labelled(data, Asked(target, "", "", categorical=categorical, numeric=numeric, levels=levels))
        X, y = table.X, table.y
    loaded = None if load is None else model_for(X, load, trust, place=data)
    if table is not None and loaded is not None:
        require_known_labels(table, loaded)
    found = given.check(X, y, loaded)
    answer = {
        "ok": found.ok,
        "rows": found.rows,
        "covered": found.covered,
        "rules": _records(found.frame),
        "conflicts": [str(conflict) for conflict in found.conflicts],
        "advice": list(found.advice),
    }
    options.said(answer, found, machine=machine)
    click.get_current_context().exit(0 if found.ok else 1)


@click.command(cls=Command, short_help="Resolve the conflicts of rules.")
@options.rules
@click.option("--how", type=click.Choice(["exclude", "mix", "priority"]), required=True, help="The way.")
@click.option("--data", type=options.FILE, help="A table, whose columns tell which overlaps are possible.")
@options.kinds
@options.levels
@click.option("--target", help="The table's column of labels; to mix outcomes that have a confidence.")
@click.option("--out", type=options.FILE, help="Where to write the rules; they are printed if nothing is said.")
@options.overwrite
def resolve(
    rules: Path,
    how: str,
    data: Path | None,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    levels: dict[str, list[str]],
    target: str | None,
    out: Path | None,
    force: bool,
) -> None:
    """Resolve the conflicts of rules, and print or write them."""
    from frote.command.place import new_file
    from frote.command.tables import labelled, with_levels
    from frote.files import read_table
    from frote.rules import read_rules
    from frote.rules.conflicts import tell_nothing_left

    click.get_current_context().with_resource(new_file(out, force=force, reads=(rules, data)))
    given = read_rules(rules)
    X, classes = None, None
    if target is not None and data is None:
        raise Told("--target is a column of a table. Add --data with the table.")
    if target is not None and data is not None:
        table = labelled(data, Asked(target, "", "", categorical=categorical, numeric=numeric, levels=levels))
        X, classes = table.X, table.y.unique().tolist()
    elif data is not None:
        X = with_levels(read_table(data, categorical=categorical, numeric=numeric).frame, levels, data)
    found = given.resolve(how, X, classes=classes)
    tell_nothing_left(given, found, how)
    if out is None:
        say_rules(found)
    else:
        found.save(out)
        say(f"{out} has {counted(len(given.origins), 'rule')} in {counted(len(found), 'piece')}.")


@click.command(cls=Command, short_help="Say what an edit would do and cost.")
@options.editing
@options.as_json
def preview(data: Path, rules: Path, machine: bool, n_jobs: int, **given: Any) -> None:
    """Say what an edit would do and cost, at the price of one training; nothing is kept."""
    from frote.command.changing import asked_of
    from frote.command.tables import labelled, require_columns
    from frote.command.telling import telling_of_training

    asked = asked_of(rules=rules, **given)
    table = labelled(data, asked)
    require_columns(table.source.frame, data, asked.ignore)
    options.warn_of_identifiers(table)
    from frote.command.editing import Watching, conflict_free, make_editor  # heavy: only when nothing is wrong so far

    editor = make_editor(asked, conflict_free(asked, table.X, table.y), Watching(n_jobs=n_jobs))
    with telling_of_training(f"The model {asked.model!r} cannot be trained"):
        found = editor.preview(table.X, table.y)
    answer = {
        "skipped": [{"rule": rule, "why": why} for rule, why in found.skipped.items()],
        "rows": found.rows,
        "objective": found.objective,
        "seconds": found.seconds,
        "most_batches": found.most_batches,
        "likely_batches": found.likely_batches,
        "rules": _records(found.rules),
        "changes": _records(found.changes),
    }
    options.said(answer, found, machine=machine)


@click.command(cls=Command, short_help="Say how far a model agrees with rules.")
@options.labelled_data
@options.rules
@options.load()
@options.as_json
def score(
    data: Path,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    target: str,
    rules: Path,
    load: Path,
    trust: tuple[str, ...],
    machine: bool,
) -> None:
    """Say how far a model agrees with rules where they apply, and how good it is elsewhere."""
    from frote.command.saved_models import model_for
    from frote.command.tables import labelled, require_known_labels
    from frote.rules import read_rules

    table = labelled(data, Asked(target, "", "", categorical=categorical, numeric=numeric))
    from frote.estimators.scoring import score as scored  # heavy: only when nothing is wrong so far

    loaded = model_for(table.X, load, trust, place=data)
    require_known_labels(table, loaded)
    given = read_rules(rules)
    options.warn_of_conflicts(given, table.X)
    found = scored(loaded, table.X, table.y, given)
    answer = {
        "notes": list(found.notes),
        **{name: plain(getattr(found, name)) for name in ("objective", "agreement", "f1", "f1_macro")},
        "covered": found.covered,
        "uncovered": found.uncovered,
        "unknown": {"rows": found.unknown.rows, "labels": list(found.unknown.texts)},
        "rules": _records(found.rules),
    }
    options.said(answer, found, machine=machine)


@click.command(cls=Command, short_help="Say as rules where two models differ.")
@options.labelled_data
@click.option("--rules", type=options.FILE, help="The file of rules: changes where they apply were intended.")
@click.option("--before", type=options.FILE, required=True, help="A model's file (skops).")
@click.option("--after", type=options.FILE, required=True, help="Another one.")
@options.trust
@click.option("--subgroups", multiple=True, callback=options.names, metavar="COLUMNS", help="Columns to look at apart.")
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
) -> None:
    """Say as rules where two models differ, and which of it the rules intend."""
    from frote.command.saved_models import concerned, model_for
    from frote.command.tables import labelled, require_known_labels
    from frote.rules import RuleSet, read_rules

    table = labelled(data, Asked(target, "", "", categorical=categorical, numeric=numeric))
    from frote.estimators.comparing import compare_models  # heavy: only when nothing is wrong so far

    first, second = (model_for(table.X, path, trust, place=data) for path in (before, after))
    require_known_labels(table, first, second)
    given = RuleSet() if rules is None else read_rules(rules)
    options.warn_of_conflicts(given, table.X)
    X = concerned(table.X, [first, second], {*given.columns, *subgroups})
    found = compare_models(first, second, X, given, table.y, subgroups=subgroups)
    options.said(found.to_dict(), found, machine=machine)


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the lines of a table as plain data."""
    named = frame if frame.index.name is None else frame.reset_index()
    found: list[dict[str, Any]] = plain(named.to_dict("records"))
    return found
