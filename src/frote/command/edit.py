"""``frote edit``: edit a model by rules."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import click

from frote.command import options
from frote.command.orders import order_of
from frote.command.pick import EditOrPick
from frote.command.told import sign_edit, tell_edit
from frote.edits.order import MOST_SEEDS
from frote.exceptions import CheckpointError, TrackingError
from frote.shell import BadInput, say

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from frote.edits.folder import Place
    from frote.edits.order import Order
    from frote.edits.record import Record
    from frote.edits.run_options import RunOptions
    from frote.edits.tables import LabelledTable

__all__ = ["edit"]

FACTS = ("title", "owner", "approver", "effective")
JUDGED_BY = ("protected", "favourable", "threshold", "cost")


def _day(context: click.Context, option: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001
    """Read a day."""
    try:
        return None if value is None else f"{dt.datetime.strptime(value, '%Y-%m-%d'):%Y-%m-%d}"
    except ValueError:
        raise BadInput(f"--effective is a day, written 2027-01-31, not {value!r}.") from None


@click.command(cls=EditOrPick, short_help="Edit a model by rules; write it, its data and a report.")
@options.editing
@options.engine
@click.option(
    "--how",
    type=click.Choice(["data", "switches", "anchored", "auto"]),
    help="How the rules get into the model: by its data, if nothing is said; switches, by a column for each rule that "
    "it gets as well; anchored, so that it answers for covered rows alone, and the model before for all others; auto, "
    "switches if nothing moves outside the rules, else anchored. With the last three the model needs the rules.",
)
@click.option(
    "--counterexamples",
    is_flag=True,
    default=None,
    help="Let rows join that the model is proven to answer against a rule; for models that prove can look into.",
)
@click.option(
    "--recalibrate",
    type=click.Choice(["sigmoid", "isotonic"]),
    help="Recalibrate the probabilities of the edited model, by rows that the models asked were not trained on; five "
    "trainings more.",
)
@click.option("--test", type=options.FILE, help="A table of rows to judge on, that are not trained on.")
@click.option(
    "--seen",
    type=click.Choice(["drop", "keep"]),
    help="Rows of --test that also stand in --data: judge on the others, or on all. If nothing is said: on the others, "
    "on all if rows of --data recur by themselves as often, and not at all if more than half are such.",
)
@click.option(
    "--repeat",
    type=click.IntRange(1, MOST_SEEDS),
    default=1,
    metavar="SEEDS",
    help="Make the edit with so many seeds, --seed and those that follow, and say how far what comes of it varies.",
)
@options.cases_of_edit
@click.option("--out", type=options.FILE, required=True, help="The folder to write.")
@click.option("--force", is_flag=True, help="Replace the folder if it is there.")
@click.option("--resume", is_flag=True, help="Go on where a run of the same command was cut off.")
@click.option("--title", help="A title for the report.")
@click.option("--owner", help="Who answers for the rules.")
@click.option("--approver", help="Who approved them.")
@click.option("--effective", callback=_day, metavar="DATE", help="When they take effect: 2027-01-31.")
@click.option(
    "--pick",
    type=click.IntRange(-1),
    metavar="STEP",
    expose_value=False,
    help="Take this step of the finished edit that --from names, without running it again: a point of its report's "
    "frontier, or -1, the model before. Beside these two only --data, --test, --out, --force, --max-size, "
    "--trust-model, --sign and --quiet are said: all else is known from its record.",
)
@click.option("--from", type=options.FILE, expose_value=False, help="The folder of the finished edit.")
@options.protected
@options.decision
@options.spreadsheet_safe
@options.sign
@click.option("--mlflow", is_flag=True, help="Log the edit to MLflow, to where MLFLOW_TRACKING_URI says.")
@options.quiet
def edit(
    data: Path,
    rules: Path,
    test: Path | None,
    cases: Path | None,
    out: Path,
    force: bool,
    resume: bool,
    sign: Path | None,
    mlflow: bool,
    quiet: bool,
    n_jobs: int,
    engine: str | None,
    scheduler: str | None,
    memory: str | None,
    **given: Any,
) -> None:
    """Edit a model by rules: the augmented data, the model, a ledger, a record and a report in one folder."""
    from frote.edits.cases import case_text, read_cases
    from frote.edits.folder import Place
    from frote.edits.replaying import replay_command
    from frote.edits.run_options import RunOptions
    from frote.edits.signing import require_key
    from frote.edits.tables import read_tables
    from frote.edits.tracking import require_mlflow

    if mlflow:
        require_mlflow()
    if sign is not None:
        require_key(sign)
    about = {name: given.pop(name) for name in FACTS}
    if cases is None and given["cases_must_hold"]:
        raise BadInput("--cases-must-hold needs cases. Add --cases with their file.")
    tried_by = None if cases is None else case_text(cases)
    judge_by = {name: value for name in JUDGED_BY for value in [given.pop(name)] if value not in (None, "")}
    facts = {name: fact for name, fact in about.items() if fact}
    parts = options.by_parts(data, engine, scheduler, memory)
    dask = "dask" if parts else None
    order = order_of(rules=rules, about=facts, judge_by=judge_by, cases=tried_by, engine=dask, **given)
    make: Callable[[Place, RunOptions, str], Record]
    read: tuple[Path | None, ...]
    if parts:
        make, read = _by_parts(order, data, test, mlflow=mlflow)
    else:
        table, test_table = read_tables(order, data, test)
        if cases is not None:
            read_cases(cases, table.rows, table.y, table.source)  # what is wrong is told by the name of the file
        make, read = _in_memory(order, table, test_table), (data,)
    place = Place(out, force, (*read, rules, test, cases))
    going_on = click.get_current_context().with_resource(place.taken(resume=resume))
    if resume and not (going_on or quiet):
        say("There is nothing to go on from; the edit begins anew.", err=True)
    how = RunOptions(n_jobs, not quiet, place.checkpoint)
    repeat = replay_command(out / "edit.json", data, test, order.model)
    try:
        record = make(place, how, repeat)
    except KeyboardInterrupt:
        raise click.ClickException("Stopped; nothing was written. The same command with --resume goes on.") from None
    except Exception as error:
        # With the checkpoint of another run this command cannot go on.
        if place.begun and not (going_on and isinstance(error, CheckpointError)):
            say("What was trained is kept: the same command with --resume goes on from there.", err=True)
        raise
    if not quiet:
        tell_edit(record, out)
    sign_edit(out, sign, quiet=quiet)
    if mlflow:
        _log(record, out, data, test, quiet=quiet)


def _in_memory(
    order: Order, table: LabelledTable, test_table: LabelledTable | None
) -> Callable[[Place, RunOptions, str], Record]:
    """Return what makes the edit of a table in memory."""

    def make(place: Place, how: RunOptions, repeat: str) -> Record:
        from frote.edits.running import run_in_place  # heavy: only when nothing is wrong so far

        return run_in_place(place, order, table, test_table, how, repeat)

    return make


def _by_parts(
    order: Order, data: Path, test: Path | None, *, mlflow: bool
) -> tuple[Callable[[Place, RunOptions, str], Record], tuple[Path, ...]]:
    """Return what makes the edit of a table that is read by parts, and the folders that it reads."""
    options.refuse_for_many(data, {"--test": test}, "Leave it out, and judge the models with frote score.")
    options.refuse_for_many(data, {"--mlflow": mlflow}, "Leave it out, and log the folder yourself.")
    from frote.edits.running_many import many_files, run_many_in_place

    many = many_files(order, data)

    def make(place: Place, how: RunOptions, repeat: str) -> Record:
        return run_many_in_place(place, order, many, how, repeat)

    return make, many.folders


def _log(record: Record, out: Path, data: Path, test: Path | None, *, quiet: bool) -> None:
    """Log the edit to MLflow; the edit itself is made, so that a failure there is no bad input."""
    from frote.edits.tracking import log_edit

    try:
        logged = log_edit(out, record, data, test)
    except TrackingError as error:
        raise click.ClickException(str(error)) from error.__cause__
    if not quiet:
        say(f"MLflow has it as {logged}.")
