"""Commands that make something: edit, replay, overlay, demo."""

from __future__ import annotations

import datetime as dt
import io
import shlex
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import click

from frote.command import options
from frote.command.record import Asked
from frote.exceptions import CheckpointError
from frote.shell import Command, Told, say

__all__ = ["asked_of", "demo", "edit", "overlay", "replay"]

FACTS = ("title", "owner", "approver", "effective")


def asked_of(
    *,
    rules: Path,
    target: str,
    model: str,
    param: tuple[str, ...],
    published: bool,
    resolve: str | None,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    ignore: tuple[str, ...],
    levels: dict[str, list[str]],
    seed: int,
    about: dict[str, str] | None = None,
    seen: str | None = None,
    spreadsheet_safe: bool = False,
    **settings: Any,
) -> Asked:
    """Put what the options say into one value; the rules are read as text."""
    from frote.command.parameters import parameters
    from frote.rules import read_rules

    text = str(read_rules(rules)) if rules.suffix.lower() == ".json" else _text(rules)
    changed = {name: value for name, value in settings.items() if value is not None}
    return Asked(
        target,
        text,
        model,
        parameters(param),
        changed,
        published,
        resolve,
        categorical,
        numeric,
        ignore,
        levels,
        seed,
        about or {},
        seen,
        spreadsheet_safe,
    )


def _text(rules: Path) -> str:
    from frote.opened import read_small
    from frote.rules import read_rules

    read_rules(rules)  # so that mistakes are told with the file's name
    return io.StringIO(read_small(rules).decode("utf-8-sig"), newline=None).read()


def _day(context: click.Context, option: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001
    """Read a day."""
    try:
        return None if value is None else f"{dt.datetime.strptime(value, '%Y-%m-%d'):%Y-%m-%d}"
    except ValueError:
        raise Told(f"--effective is a day, written 2027-01-31, not {value!r}.") from None


@click.command(cls=Command, short_help="Edit a model by rules; write it, its data and a report.")
@options.editing
@click.option("--test", type=options.FILE, help="A table of rows to judge on, that are not trained on.")
@click.option(
    "--seen",
    type=click.Choice(["drop", "keep"]),
    help="Rows of --test that also stand in --data: judge on the others, or on all. If nothing is said: on the others, "
    "on all if rows of --data recur by themselves as often, and not at all if more than half are such.",
)
@click.option("--out", type=options.FILE, required=True, help="The folder to write.")
@click.option("--force", is_flag=True, help="Replace the folder if it is there.")
@click.option("--resume", is_flag=True, help="Go on where a run of the same command was cut off.")
@click.option("--title", help="A title for the report.")
@click.option("--owner", help="Who answers for the rules.")
@click.option("--approver", help="Who approved them.")
@click.option("--effective", callback=_day, metavar="DATE", help="When they take effect: 2027-01-31.")
@options.spreadsheet_safe
@click.option("--mlflow", is_flag=True, help="Log the edit to MLflow, to where MLFLOW_TRACKING_URI says.")
@options.quiet
def edit(
    data: Path,
    rules: Path,
    test: Path | None,
    out: Path,
    force: bool,
    resume: bool,
    mlflow: bool,
    quiet: bool,
    n_jobs: int,
    **given: Any,
) -> None:
    """Edit a model by rules: the augmented data, the model, a ledger, a record and a report in one folder."""
    from frote.command.place import Place
    from frote.command.tables import labelled, require_alike, require_columns, require_unseen
    from frote.command.tracking import log_edit, require_mlflow

    if mlflow:
        require_mlflow()
    about = {name: given.pop(name) for name in FACTS}
    asked = asked_of(rules=rules, about={name: fact for name, fact in about.items() if fact}, **given)
    table = labelled(data, asked)
    require_columns(table.source.frame, data, asked.ignore)
    options.warn_of_identifiers(table)
    held = None if test is None else labelled(test, asked, like=table)
    if held is not None:
        require_unseen(held, table)
        require_alike(held, table)
    place = Place(out, force, (data, rules, test))
    going_on = click.get_current_context().with_resource(place.taken(resume=resume))
    if resume and not (going_on or quiet):
        say("There is nothing to go on from; the edit begins anew.", err=True)
    from frote.command.editing import Watching  # heavy: only when nothing is wrong so far
    from frote.command.editing import edit as edited
    from frote.loop.training import ALL_FAILED

    watching = Watching(n_jobs, not quiet, place.checkpoint)
    judged = [] if test is None else ["--test", str(test)]
    trust = ["--trust-model", asked.model] if ":" in asked.model else []
    repeat = shlex.join(["frote", "replay", str(out / "edit.json"), "--data", str(data), *judged, *trust])
    try:
        record = edited(asked, table, held, place.made, watching, repeat)
        place.finish()
    except KeyboardInterrupt:
        raise click.ClickException("Stopped; nothing was written. The same command with --resume goes on.") from None
    except Exception as error:
        # What was trained is never thrown away; with the checkpoint of another run, though, this command cannot go on.
        if ALL_FAILED in getattr(error.__cause__, "__notes__", ()):
            place.discard()  # there is nothing
        elif place.keep() and not (going_on and isinstance(error, CheckpointError)):
            say("What was trained is kept: the same command with --resume goes on from there.", err=True)
        raise
    if not quiet:
        _tell(record, out)
    if mlflow:
        logged = log_edit(out, record, data, test)
        if not quiet:
            say(f"MLflow has it as {logged}.")


def _tell(record: dict[str, Any], out: Path) -> None:
    for one in record["skipped"]:
        say(f"Not done: rule {one['rule']!r} was left out, since no row can satisfy it: {one['why']}")
    scores = record["scores"]
    counts = ", ".join(f"{count:,} {status}" for status, count in record["rows"].items())
    say(f"Rows: {counts}.")
    for name, shown in (("agreement", "Agreement with the rules"), ("f1", "F1 elsewhere"), ("objective", "Objective")):
        before, after = (scores[when][name] for when in ("before", "after"))
        if before is not None and after is not None:
            say(f"{shown}: {before:.3f} before, {after:.3f} after.")
    say(textwrap.fill(record["verdict"], 100))
    if record["test"] is None:
        say("This is on the rows that were trained on; --test judges on others.")
    say(f"The report is {out / 'report.html'}.")


@click.command(cls=Command, short_help="Repeat an edit from its record, and compare.")
@click.argument("record", type=options.FILE)
@click.option("--data", type=options.FILE, required=True, help="The table that was trained on.")
@click.option("--test", type=options.FILE, help="The table that was judged on, if there was one.")
@options.trust_model
@options.max_size
@options.n_jobs
@options.quiet
def replay(record: Path, data: Path, test: Path | None, n_jobs: int, quiet: bool) -> None:
    """Repeat an edit from its record; exit code 0 if data, rules, models and record are the same, 1 if not."""
    from frote.command.record import comparable, differences, read_record
    from frote.command.replaying import require_same_files
    from frote.command.tables import labelled

    record = record / "edit.json" if record.is_dir() else record
    old = read_record(record)
    asked = Asked.of(old["asked"])
    options.require_trusted(asked.model, record)
    require_same_files(old, record, data, test)
    table = labelled(data, asked)
    held = None if test is None else labelled(test, asked, like=table)

    from frote.command.editing import Watching
    from frote.command.editing import edit as edited

    with tempfile.TemporaryDirectory() as folder:
        new = edited(asked, table, held, Path(folder), Watching(n_jobs, not quiet), "")
    found = differences(old, comparable(new, old))
    for line in found:
        say(line)
    if not found and not quiet:
        models = "models, " if "model" in old["outputs"] else ""
        say(f"The same: data, ledger, rules, {models}predictions and record.")
    click.get_current_context().exit(1 if found else 0)


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
    from frote.command.place import new_file
    from frote.command.saved_models import concerned, model_for
    from frote.command.tables import require_columns, tell_of_disguises
    from frote.estimators.overlay import OverlayClassifier
    from frote.files import read_table
    from frote.rules import read_rules
    from frote.rules.conflicts import tell_nothing_left

    click.get_current_context().with_resource(new_file(out, force=force, reads=(data, rules, load)))
    source = read_table(data, categorical=categorical, numeric=numeric)
    require_columns(source.frame, data, () if target is None else (target,), absent=("prediction", "rule"))
    X = source.frame if target is None else source.frame.drop(columns=target)
    tell_of_disguises(X, data, categorical)
    given = read_rules(rules)
    loaded = model_for(X, load, trust, place=data)
    if resolve is not None:
        written, given = given, given.resolve(resolve, X, classes=getattr(loaded, "classes_", None))
        tell_nothing_left(written, given, resolve)
    X = concerned(X, [loaded], given.columns)
    patched = OverlayClassifier(loaded, given, mode=mode).fit(X)
    found = source.frame.assign(prediction=patched.predict(X), rule=patched.apply(X))
    inert = found.columns if spreadsheet_safe else ["rule"]
    source.form.named(out).write(found, out, inert=inert)
    say(f"{(found['rule'] != '').sum():,} of {len(found):,} predictions are by rules; all are in {out}.")


@click.command(cls=Command, short_help="Show the whole story on made-up loan applications.")
@click.option("--out", type=options.FILE, default=Path("frote-demo"), show_default=True, help="The folder to write.")
@click.option("--force", is_flag=True, help="Replace the folder if it is there.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors, and that frote.toml was read.")
def demo(out: Path, force: bool, quiet: bool) -> None:
    """Show the whole story on generated loan applications: explain, check, preview, edit, compare, report."""
    from frote.command.showing import show

    show(out, force=force, quiet=quiet)
