"""Makes the runs that are missing, several at a time; Ctrl-C loses none that has ended."""

from __future__ import annotations

import logging
import os
from contextlib import nullcontext
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed, parallel_config

from frote.loop.pool import mortal, require_possible
from frote.loop.progress import progress_bar
from frote_experiments.draws import require_data
from frote_experiments.exceptions import ExperimentError
from frote_experiments.results import Failure, ResultFile
from frote_experiments.runs import perform

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from frote_experiments.runs import Run

__all__ = ["run_missing"]

logger = logging.getLogger("frote")


def run_missing(
    path: Path,
    runs: Iterable[Run],
    *,
    n_jobs: int | None = 1,
    scheduler: str | None = None,
    progress: bool = True,
) -> ResultFile:
    """Make the runs that a result file does not have, and write each down as it ends.

    Parameters
    ----------
    path : Path
        The result file.

    runs : iterable of Run
        All the runs that are wanted.

    n_jobs : int or None, default=1
        How many runs at a time, as joblib counts. A cluster runs as many as it has threads.

    scheduler : str or None, default=None
        The address of a Dask scheduler whose workers make the runs; they must have this package and, by FROTE_DATA, the
        data sets. The results are written here, as they end.

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

    ExperimentError
        If no Dask scheduler answers.
    """
    require_possible(n_jobs)
    file = ResultFile(path)
    wanted = list(runs)
    missing = file.missing(wanted)
    _tell_of_versions(file, missing)
    for name in dict.fromkeys(run.data for run in missing):
        require_data(name)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # several runs at a time share the cores
    failed = 0
    begun = {"total": len(wanted), "initial": len(wanted) - len(missing)}
    with _workers(n_jobs, scheduler), _bar(begun) if progress else nullcontext() as bar:
        parallel = Parallel(return_as="generator_unordered", **mortal())
        for run, outcome in parallel(delayed(_outcome)(run) for run in missing):
            file.add(run, outcome)
            failed += isinstance(outcome, Failure)
            if bar is not None:
                bar.set_postfix_str(f"{run.data} {run.model} {run.method}, {failed} failed", refresh=False)
                bar.update()
    return file


def _bar(begun: dict[str, int]) -> Any:
    return progress_bar(**begun, unit="run", smoothing=0)


def _workers(n_jobs: int | None, scheduler: str | None) -> Any:
    """Return joblib's setting for processes here, or for the workers of a cluster."""
    if scheduler is None:
        return parallel_config(n_jobs=n_jobs)
    if find_spec("distributed") is None:
        raise ExperimentError("A Dask cluster needs distributed. Install it with: pip install './experiments[dask]'")
    try:
        return parallel_config(backend="dask", n_jobs=-1, scheduler_host=scheduler)
    except (OSError, ValueError) as error:
        raise ExperimentError(
            f"No Dask scheduler answers at {scheduler}: {error}. Start one with: dask scheduler, and workers with: "
            "dask worker ADDRESS --nthreads 1"
        ) from error


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
