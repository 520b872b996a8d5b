"""Options that several commands have."""

from __future__ import annotations

import csv
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from click.core import ParameterSource

from frote.edits.order import RESOLUTIONS, SEEDS
from frote.edits.trusted import require_trusted
from frote.exceptions import FroteError, nearest
from frote.plain import plain
from frote.shell import BadInput, say, say_json

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from frote.coverage.cases import CaseReport

__all__ = [
    "FILE",
    "NumberOrWord",
    "as_json",
    "by_parts",
    "case_lines",
    "cases",
    "cases_of_edit",
    "decision",
    "editing",
    "engine",
    "have_engine",
    "ignore",
    "kinds",
    "labelled_data",
    "levels",
    "lines_of",
    "load",
    "max_size",
    "model_name",
    "n_jobs",
    "names",
    "overwrite",
    "protected",
    "quiet",
    "refuse_engine",
    "refuse_for_many",
    "resolve",
    "rules",
    "scheduler",
    "show",
    "sign",
    "spreadsheet_safe",
    "table",
    "trust",
    "trust_model",
    "trusted_models",
]

Decorator: TypeAlias = "Callable[[Callable[..., Any]], Callable[..., Any]]"

TRUSTED = "frote.trusted_models"  # where a context keeps the functions that were named on the command line


class File(click.Path):
    """The path of a file or folder. Whether it is there is told by what reads it, in one sentence like all else."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; a folder that a command was killed in the middle of replacing is put back first."""
        if "\0" in str(value):
            raise BadInput(f"{str(value)!r} holds a character that no file's name can have.")
        path: Any = super().convert(value, param, ctx)
        if not os.path.exists(path):
            from frote.edits.folder import put_back

            put_back(path)
        return path


FILE = File(path_type=Path)


class NumberOrWord(click.ParamType):  # type: ignore[type-arg]  # some versions of click have arguments there
    """A number from 0 to 1, or one of a few words.

    Parameters
    ----------
    words : tuple of str
        The words.

    open_ends : bool, default=False
        Whether 0 and 1 themselves are left out.
    """

    name = "number or word"

    def __init__(self, *words: str, open_ends: bool = False) -> None:
        self.words = words
        self.open_ends = open_ends

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        """Return what stands in the help."""
        return f"[{'|'.join(self.words)}|NUMBER]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """Return the word, or the number."""
        if value in self.words:
            return value
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if 0 < number < 1 or (number in (0, 1) and not self.open_ends):
            return number
        option = param.opts[0] if param is not None else "It"
        ends = "between 0 and 1" if self.open_ends else "from 0 to 1"
        raise BadInput(f"{option} is {', '.join(self.words)} or a number {ends}, and not {value!r}.")


def several(*decorators: Decorator) -> Decorator:
    """Put several options into one."""

    def all_of_them(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return all_of_them


def names(context: click.Context, option: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
    """Split names at commas."""
    return tuple(name.strip() for text in value for name in text.split(",") if name.strip())


def _remember_trusted(context: click.Context, option: click.Parameter, value: tuple[str, ...]) -> None:  # noqa: ARG001
    context.meta[TRUSTED] = value


def _of_a_person(context: click.Context, option: click.Parameter, value: str) -> str:
    """Take a model's name; a function that only a file names is not run."""
    if value.lower().endswith(".skops") or (":" not in value and "." in value and Path(value).is_file()):
        raise BadInput(
            f"--model names a model to train, such as 'forest', and {value} is a file. explain, check, score and "
            f"overlay take a model's file: --load {value}"
        )
    if context.get_parameter_source(str(option.name)) is not ParameterSource.COMMANDLINE:
        try:
            require_trusted(value, context.meta[TRUSTED], "The file of settings")
        except FroteError as error:
            raise BadInput(str(error)) from None
    return value


def _not_a_name(context: click.Context, option: click.Parameter, value: str | None) -> None:  # noqa: ARG001
    if value is not None:
        raise BadInput(f"--model names a model to train, and {context.info_name} trains none. Its file: --load {value}")


def trusted_models() -> tuple[str, ...]:
    """Return the functions that the command line says may be run."""
    trusted: tuple[str, ...] = click.get_current_context().meta[TRUSTED]
    return trusted


def _levels(context: click.Context, option: click.Parameter, value: tuple[str, ...]) -> dict[str, list[str]]:  # noqa: ARG001
    """Read levels by column; a level that has a comma goes in double quotes."""
    levels_by_column: dict[str, list[str]] = {}
    for text in value:
        name, equals, listed = text.partition("=")
        given = [level.strip() for line in csv.reader([listed], skipinitialspace=True) for level in line]
        if not equals or not name.strip() or not any(given):
            raise BadInput(f"--levels is given as COLUMN=LEVEL,LEVEL, such as channel=broker,web, not {text!r}.")
        levels_by_column.setdefault(name.strip(), []).extend(filter(None, given))
    return levels_by_column


def _scorer(context: click.Context, option: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001
    """Take the name of a scorer."""
    if value is not None:
        from sklearn.metrics import get_scorer_names  # heavy: most commands need none

        if value not in get_scorer_names():
            raise BadInput(f"scikit-learn has no scorer {value!r}. {nearest(value, get_scorer_names())}")
    return value


def _costs(
    context: click.Context,  # noqa: ARG001
    option: click.Parameter,  # noqa: ARG001
    value: tuple[str, ...],
) -> dict[str, dict[str, float]] | None:
    """Read costs by label and prediction; a label that has a colon goes in double quotes."""
    costs: dict[str, dict[str, float]] = {}
    for text in value:
        labels, _, cost = text.rpartition("=")
        named = [label.strip() for label in next(csv.reader([labels], delimiter=":", skipinitialspace=True), [])]
        try:
            number = float(cost)
        except ValueError:
            number = math.nan
        if len(named) != 2 or not all(named) or not math.isfinite(number):
            raise BadInput(f"--cost is given as LABEL:PREDICTION=COST, such as denied:approved=5, not {text!r}.")
        costs.setdefault(named[0], {})[named[1]] = number
    return costs or None


def by_parts(path: Path, engine: str | None, scheduler: str | None, memory: str | None) -> bool:
    """Tell whether a table is read by parts, and have the engine that does for as long as the command runs."""
    from frote.edits.many_files import is_of_many

    if engine is None and not is_of_many(path):
        refuse_engine(scheduler, memory)
        return False
    have_engine(scheduler, memory)
    return True


def have_engine(scheduler: str | None, memory: str | None) -> None:
    """Have what reads tables by parts for as long as the command runs."""
    from frote.edits.engine import engine as had  # heavy: most tables are read as a whole

    click.get_current_context().with_resource(had(scheduler, memory))


def refuse_engine(scheduler: str | None, memory: str | None) -> None:
    """Refuse options of the engine where a table is read as a whole."""
    for option, value in (("--scheduler", scheduler), ("--memory", memory)):
        if value is not None:
            raise BadInput(f"{option} is for tables that are read by parts, and this one is read as a whole.")


def refuse_for_many(path: Path, asked: dict[str, Any], instead: str = "Leave it out.") -> None:
    """Refuse options that are not served where a table is read by parts."""
    for option, value in asked.items():
        if value:
            raise BadInput(f"{path}: {option} is for a table in memory, and this one is read by parts. {instead}")


def _joined(context: click.Context, option: click.Parameter, value: tuple[str, ...]) -> str:  # noqa: ARG001
    """Put what is said several times into one text; the library parts it where commas do."""
    return ", ".join(value)


def _finite(context: click.Context, option: click.Parameter, value: float | None) -> float | None:  # noqa: ARG001
    if value is not None and not math.isfinite(value):
        raise BadInput(f"{option.opts[0]} is a number such as 0.5, and not {value}.")
    return value


def _workers(context: click.Context, option: click.Parameter, value: int) -> int:  # noqa: ARG001
    if not value:
        raise BadInput("--n-jobs is a number of workers, or -1 for all cores, and not 0.")
    if value > 1:
        from frote.loop.pool import require_possible

        try:
            require_possible(value)
        except FroteError as error:
            raise BadInput(f"--n-jobs: {error}") from None
    return value


def _granted(context: click.Context, option: click.Parameter, size: str | None) -> None:  # noqa: ARG001
    """Grant the tables of a command more than is usual, for as long as it runs."""
    if size is not None:
        from frote.files.limits import granted  # heavy: most commands need no more

        try:
            context.with_resource(granted(size))
        except FroteError as error:
            raise BadInput(str(error)) from None


data = click.option(
    "--data",
    type=FILE,
    required=True,
    help="The table: CSV or other separated text, JSON lines, gzip of these, Parquet or Feather.",
)
scheduler = several(
    click.option(
        "--scheduler",
        metavar="WHERE",
        help="Where parts are read: threads, if nothing is said; processes, beside this one; or the address of a "
        "scheduler of Dask, such as tcp://10.0.0.5:8786, whose workers see the same files.",
    ),
    click.option("--memory", metavar="SIZE", help="What the processes beside this one may take together, such as 8GB."),
)
max_size = click.option(
    "--max-size",
    metavar="SIZE",
    callback=_granted,
    expose_value=False,
    help="What a table may take when unpacked, such as 4GB; 256MB or 100 times its file if nothing is said.",
)
engine = several(
    click.option(
        "--engine",
        type=click.Choice(["dask"]),
        help="Read the table by parts, by Dask: for tables that do not fit into memory. A folder of Parquet or CSV "
        "files, or a pattern such as 'data/*.parquet', is always read so.",
    ),
    scheduler,
)
target = click.option("--target", required=True, help="The column of labels.")
kinds = several(
    click.option(
        "--categorical", multiple=True, callback=names, metavar="COLUMNS", help="Columns of categories, by commas."
    ),
    click.option("--numeric", multiple=True, callback=names, metavar="COLUMNS", help="Columns of numbers, by commas."),
    max_size,
)
levels = click.option(
    "--levels",
    multiple=True,
    callback=_levels,
    metavar="COLUMN=LEVELS",
    help="Levels, by commas, that a column may have though no row has them: channel=broker,web.",
)
table = several(data, kinds)
labelled_data = several(table, target)
rules = click.option("--rules", type=FILE, required=True, help="The file of rules.")
CASES = "A file of cases: columns of the table, and the label that is expected of each"
cases = click.option("--cases", type=FILE, help=f"{CASES}; exit code 1 if one is answered otherwise.")
cases_of_edit = several(
    click.option("--cases", type=FILE, help=f"{CASES}; the report has what both models answer."),
    click.option("--cases-must-hold", is_flag=True, help="Write nothing if the edited model answers one otherwise."),
)
trust_model = click.option(
    "--trust-model",
    multiple=True,
    metavar="MODULE:FUNCTION",
    expose_value=False,
    is_eager=True,  # it is there when a model's name is looked at
    callback=_remember_trusted,
    help="A function that may be run to make the model, if a file names it and not you.",
)
model_name = several(
    trust_model,
    click.option(
        "--model",
        default="logistic",
        show_default=True,
        callback=_of_a_person,
        help="logistic, forest, hist-gradient-boosting, lightgbm, xgboost, catboost, or package.module:function.",
    ),
    click.option("--param", multiple=True, metavar="NAME=VALUE", help="A parameter of the model; may be repeated."),
)
n_jobs = click.option(
    "--n-jobs",
    type=int,
    default=1,
    show_default=True,
    callback=_workers,
    help="Retrainings at the same time; -1 for all cores.",
)
trust = click.option("--trust", multiple=True, metavar="TYPE", help="A type that a model's file may hold.")


def load(about: str = "A model's file (skops).", *, required: bool = True) -> Decorator:
    """Return the options of commands that ask a model of a file; they train none, so they have no name of one."""
    return several(
        click.option("--load", type=FILE, required=required, help=about),
        click.option("--model", hidden=True, expose_value=False, is_eager=True, callback=_not_a_name),
        trust,
    )


resolve = click.option(
    "--resolve",
    type=click.Choice(RESOLUTIONS),
    help="Where rules conflict: priority, the first one written counts; exclude, none does; mix, the mean of them.",
)
ignore = click.option(
    "--ignore",
    multiple=True,
    callback=names,
    metavar="COLUMNS",
    help="Columns to leave out, such as names of rows.",
)
editing = several(
    labelled_data,
    levels,
    ignore,
    rules,
    resolve,
    model_name,
    click.option(
        "--on-impossible",
        type=click.Choice(["error", "skip"]),
        help="What becomes of a rule that no row can satisfy: an error, if nothing is said; skip leaves it out.",
    ),
    click.option(
        "--seed", type=click.IntRange(0, SEEDS - 1), default=0, show_default=True, help="Where chance comes from."
    ),
    click.option(
        "--modify",
        type=click.Choice(["relabel", "drop", "none"]),
        help="What is done to rows whose label is against the rules; relabel if nothing is said.",
    ),
    click.option(
        "--select",
        type=click.Choice(["random", "ip", "online"]),
        help="How rows are chosen that synthetic ones start from: at random, if nothing is said; by an integer "
        "program, for rows near the boundary; by what a proxy model would learn.",
    ),
    click.option(
        "--oversample",
        type=click.FloatRange(0, min_open=True),
        callback=_finite,
        help="Synthetic rows at most, per row of data; 0.5 if nothing is said, and 100,000 in all.",
    ),
    click.option(
        "--weak-share",
        type=click.FloatRange(0, 1),
        callback=_finite,
        help="The share of synthetic rows that are made from rows which miss a rule by few conditions; 0.75 if nothing "
        "is said.",
    ),
    click.option("--k", type=click.IntRange(1), help="Neighbours of a row that synthetic ones start from; 5."),
    click.option(
        "--evaluate",
        type=NumberOrWord("probes", "active", "published", "printed", open_ends=True),
        help="What models are compared on: the data and rows that are only measured on, if nothing is said; a share of "
        "the rows, such as 0.2, that is held out; active, the data as they are; published, as in the paper; printed, "
        "as its Algorithm 1 is printed.",
    ),
    click.option(
        "--agreement-weight",
        type=NumberOrWord("coverage"),
        help="How much agreement with the rules counts against the score outside them: 0.5 if nothing is said; "
        "coverage, the share of rows that the rules cover.",
    ),
    click.option(
        "--scoring",
        callback=_scorer,
        metavar="SCORER",
        help="What counts outside the rules, by scikit-learn's name, such as balanced_accuracy; f1_weighted.",
    ),
    click.option("--max-fits", type=click.IntRange(0), help="Retrainings at most; 200 if nothing is said."),
    click.option(
        "--sample",
        type=click.IntRange(1),
        help="Rows of each rule that synthetic ones are made from at most; where a table is read by parts, rows of "
        "each rule, and outside all, that are brought to one place: 100,000 if nothing is said.",
    ),
    click.option(
        "--time-limit",
        type=click.FloatRange(0),
        callback=_finite,
        metavar="SECONDS",
        help="End after so many seconds with what was accepted by then; replay ends with the same step.",
    ),
    click.option(
        "--twins",
        type=click.FloatRange(0),
        callback=_finite,
        help="Rows just outside the rules, with the answer of the model before, at most for each synthetic row; none "
        "if nothing is said. They show the model where a rule ends.",
    ),
    click.option(
        "--max-loss",
        "max_loss_outside",
        type=click.FloatRange(0),
        callback=_finite,
        help="How much worse the model may get outside the rules, in F1 on the rows of data and in what answers just "
        "outside the rules cost. Where not even relabelling keeps to it, the model is left as it was, and told.",
    ),
    click.option("--as-published", "published", is_flag=True, help="The paper's algorithm, not the improved one."),
    n_jobs,
)
decision = several(
    click.option("--favourable", metavar="LABEL", help="The label that people hope for, such as approved."),
    click.option(
        "--threshold",
        type=float,
        help="The probability of the favourable label from which on a row gets it, in numbers such as precision and "
        "rates of groups; for two classes.",
    ),
    click.option(
        "--cost",
        multiple=True,
        callback=_costs,
        metavar="LABEL:PREDICTION=COST",
        help="What a prediction costs, by the label that is right: denied:approved=5; nothing if it is not said. "
        "Without --threshold a row gets the label of least expected cost, in the same numbers. May be repeated.",
    ),
)
protected = click.option(
    "--protected",
    multiple=True,
    callback=_joined,
    metavar="COLUMNS",
    help="What is protected, by commas: columns, or conditions of the rule language, such as 'sex, age < 25'. How "
    "often each group gets the --favourable label is told, before and after.",
)
overwrite = click.option("--force", is_flag=True, help="Overwrite the file if it is there.")
spreadsheet_safe = click.option(
    "--spreadsheet-safe",
    is_flag=True,
    help="Put an apostrophe before texts of CSV files that a spreadsheet would take for formulas, in data too.",
)
sign = click.option(
    "--sign",
    type=FILE,
    metavar="KEY",
    help="Sign the record with a key of OpenSSH, beside it as edit.json.sig; frote verify --signers checks it.",
)
quiet = click.option("--quiet", is_flag=True, help="Print only errors and warnings, such as that frote.toml was read.")
as_json = click.option("--json", "machine", is_flag=True, help="Print JSON, for machines.")


def show(answer: Any, text: Any, *, machine: bool) -> None:
    """Print something for people or for machines."""
    if machine:
        say_json(answer)
    else:
        say(text)


def lines_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the lines of a table as plain data."""
    named = frame if frame.index.name is None else frame.reset_index()
    lines: list[dict[str, Any]] = plain(named.to_dict("records"))
    return lines


def case_lines(tried: CaseReport | None) -> dict[str, Any]:
    """Return what came of cases as plain data; nothing if none were given."""
    return {} if tried is None else {"cases": lines_of(tried.frame), "from_reference_row": list(tried.filled)}
