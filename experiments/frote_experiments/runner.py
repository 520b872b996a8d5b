"""Makes the runs that are missing, several at a time; Ctrl-C loses none that has ended."""

from __future__ import annotations

import logging
import os
from contextlib import nullcontext
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed

from frote.loop.pool import mortal, require_possible
from frote.loop.progress import progress_bar
from frote_experiments.draws import require_data
from frote_experiments.results import Failure, ResultFile
from frote_experiments.runs import perform

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from frote_experiments.runs import Run

__all__ = ["run_missing"]

logger = logging.getLogger("frote")


def run_missing(path: Path, runs: Iterable[Run], *, n_jobs: int | None = 1, progress: bool = True) -> ResultFile:
    """Make the runs that a result file does not have, and write each down as it ends.

    Parameters
    ----------
    path : Path
        The result file.

    runs : iterable of Run
        All the runs that are wanted.

    n_jobs : int or None, default=1
        How many runs at a time, as joblib counts.

    progress : bool, default=True
        Whether to show a progress bar with the time left.

    Returns
    -------
    ResultFile
        With all results, of earlier calls too.

    Raises
    ------
    DatasetError
        If a data set is not to be had; nothing is run then.
    """
    require_possible(n_jobs)
    file = ResultFile(path)
    wanted = list(runs)
    missing = file.missing(wanted)
    _tell_of_versions(file, missing)
    for name in dict.fromkeys(run.data for run in missing):
        require_data(name)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # several runs at a time share the cores
    outcomes = Parallel(n_jobs=n_jobs, return_as="generator_unordered", **mortal())(
        delayed(_outcome)(run) for run in missing
    )
    failed = 0
    begun = {"total": len(wanted), "initial": len(wanted) - len(missing)}
    bar = progress_bar(**begun, unit="run", smoothing=0) if progress else None
    with nullcontext() if bar is None else bar:
        for run, outcome in outcomes:
            file.add(run, outcome)
            failed += isinstance(outcome, Failure)
            if bar is not None:
                bar.set_postfix_str(f"{run.data} {run.model} {run.method}, {failed} failed", refresh=False)
                bar.update()
    return file


def _tell_of_versions(file: ResultFile, missing: list[Run]) -> None:
    """Say so where runs are added to those of other versions; whether both belong in one table is for people to say."""
    others = sorted(file.versions - {version("frote")})
    if missing and others:
        logger.warning(
            "%s has runs of frote %s; those that are missing are made with %s. Name another folder to keep them apart.",
            *(file.path, ", ".join(others), version("frote")),
        )


def _outcome(run: Run) -> tuple[Run, dict[str, Any] | Failure]:
    try:
        return run, perform(run)
    except Exception as error:  # one run that fails does not end the others
        return run, Failure(f"{type(error).__name__}: {error}")
