"""The command line of the experiments: it reads, calls and prints, and decides nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from frote.shell import BadInput, Group, say
from frote.whole import write_whole

if TYPE_CHECKING:
    from frote_experiments.tables.sheets import Sheet

__all__ = ["experiments"]


PRESET = click.argument("preset", metavar="PRESET")
FOLDER = click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where results, tables and figures are; ./experiments/PRESET if nothing is said.",
)
ONLY = click.option("--only", multiple=True, metavar="NAME", help="One of them; may be given several times.")
TABLES = click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("experiments"),
    show_default=True,
    help="Gets the folder tables; presets have theirs in it.",
)


@click.group(cls=Group)
def experiments() -> None:
    """Run the paper's experiments, and write its tables and figures with ours beside them.

    PRESET is how much to run: smoke (a minute), quick (within two hours on two cores), standard (nights) or paper (as
    printed). Data sets are read from the folder that FROTE_DATA names, else fetched from OpenML.
    """


@experiments.command()
@PRESET
@FOLDER
@click.option("--only", multiple=True, metavar="EXPERIMENT", help="One experiment; may be given several times.")
@click.option("--n-jobs", type=int, default=1, show_default=True, help="Runs at the same time; -1 for all cores.")
@click.option(
    "--scheduler", metavar="ADDRESS", help="A Dask cluster to run on, tcp://host:port, in place of this machine."
)
@click.option("--quiet", is_flag=True, help="Show no progress bar.")
def run(
    preset: str, folder: Path | None, only: tuple[str, ...], n_jobs: int, scheduler: str | None, quiet: bool
) -> None:
    """Make the runs that are missing. Ctrl-C loses none that has ended; the same command goes on."""
    from frote_experiments.definitions import EXPERIMENTS, all_runs
    from frote_experiments.presets import preset as named
    from frote_experiments.runner import run_missing

    runs = all_runs(named(preset), only or EXPERIMENTS)
    path = _results(preset, folder)
    try:
        file = run_missing(path, runs, n_jobs=n_jobs, scheduler=scheduler, progress=not quiet)
    except KeyboardInterrupt:
        say(f"\nStopped; what has ended is in {path}, and the same command goes on from there.", err=True)
        sys.exit(130)
    failed = [run for run in runs if run in file.failures]
    say(f"{len(runs) - len(failed):,} of {len(runs):,} runs are in {path}; {len(failed):,} failed.")
    for one in failed[:5]:
        say(f"  {one.data} {one.model} {one.method}, draw {one.draw}: {file.failures[one].error_text}", err=True)
    sys.exit(1 if failed else 0)


@experiments.command()
@PRESET
@FOLDER
@ONLY
def tables(preset: str, folder: Path | None, only: tuple[str, ...]) -> None:
    """Write all tables of a preset's results, as Markdown and CSV."""
    from frote_experiments.presets import preset as named
    from frote_experiments.tables import write_tables

    file, out = _read(preset, folder)
    for path in write_tables(file, named(preset), out, only):
        say(path)


@experiments.command()
@PRESET
@FOLDER
@ONLY
def figures(preset: str, folder: Path | None, only: tuple[str, ...]) -> None:
    """Draw all figures of a preset's results, as SVG and PNG."""
    from frote_experiments.figures import write_figures
    from frote_experiments.presets import preset as named

    file, out = _read(preset, folder)
    for path in write_figures(file, named(preset), out, only):
        say(path)


@experiments.command()
@TABLES
def draws(folder: Path) -> None:
    """Write how many draws are behind each table of the paper, there and here."""
    from frote_experiments.presets import PRESETS
    from frote_experiments.results import ResultFile
    from frote_experiments.tables.draws import draws as counted

    paths = {name: folder / name / "runs.jsonl" for name in PRESETS}
    _write(counted({name: ResultFile(path) for name, path in paths.items() if path.exists()}), folder)


@experiments.command()
@click.option("--check", is_flag=True, help="Change nothing; say what is not as in the tables.")
@click.argument("pages", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def quote(pages: tuple[Path, ...], check: bool) -> None:
    """Write the numbers of pages anew from the result tables that they name, in the root of the repository."""
    from frote_experiments.quoting import FOLDERS, PAGES, Tables, quoted

    tables = Tables(*map(Path, FOLDERS))
    wrong = []
    for page in pages or map(Path, PAGES):
        text = page.read_text("utf-8")
        made = quoted(text, tables)
        wrong += [f"{page}: {one}" for one in made.complaints]
        if made.text != text:
            say(f"{page}: {made.changed} {'differ from' if check else 'written anew from'} the tables.")
            if not check:
                write_whole(page, made.text.encode())
    for one in wrong:
        say(one, err=True)
    sys.exit(1 if wrong else 0)


@experiments.command()
@click.argument("data", nargs=-1, metavar="[DATA]...")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), required=True, help="Where to write them.")
def pools(data: tuple[str, ...], folder: Path) -> None:
    """Make the pools of rules anew, of some data sets or all; minutes for each."""
    from frote_experiments.models import BATCH_SIZES
    from frote_experiments.pools import make_pool

    folder.mkdir(parents=True, exist_ok=True)
    for name in data or BATCH_SIZES:
        path = folder / f"{name}.rules"
        write_whole(path, make_pool(name).encode())
        say(path)


@experiments.command()
@click.option(
    "--conflicts",
    type=click.Choice(["possible", "rows"]),
    default="possible",
    show_default=True,
    help="Whether rules conflict that any possible row falls under, or only a row of the data set.",
)
@TABLES
def sets(conflicts: Any, folder: Path) -> None:
    """Write how many sets of rules without conflict the pools give."""
    from frote_experiments.sets import rule_sets

    _write(rule_sets(conflicts), folder)


@experiments.command()
@PRESET
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@TABLES
def projection(preset: str, folders: tuple[Path, ...], folder: Path) -> None:
    """Write how many core-hours a preset would take, by the runs that are in FOLDERS."""
    from frote_experiments.presets import preset as named
    from frote_experiments.projection import projection as projected

    scope = named(preset)
    _write(projected(scope, [_read(preset, one)[0] for one in folders]), folder)


def _write(sheet: Sheet, folder: Path) -> None:
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    for name, text in sheet.files().items():
        write_whole(folder / "tables" / name, text.encode())
        say(folder / "tables" / name)


def _results(preset: str, folder: Path | None) -> Path:
    return (folder or Path("experiments") / preset) / "runs.jsonl"


def _read(preset: str, folder: Path | None) -> tuple[Any, Path]:
    from frote_experiments.presets import preset as named
    from frote_experiments.results import ResultFile

    path = _results(named(preset).name, folder)
    if not path.exists():
        raise BadInput(f"There are no results at {path}. Make them with: run {preset}")
    return ResultFile(path), path.parent
