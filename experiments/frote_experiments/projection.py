"""What a preset would take, in core-hours, by the seconds of runs that were made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import pandas as pd

from frote_experiments.definitions import EXPERIMENTS
from frote_experiments.runs import PUBLISHED
from frote_experiments.tables.sheets import Column, Grid, Sheet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile
    from frote_experiments.runs import Run

__all__ = ["projection"]

Key: TypeAlias = tuple[str, ...]

NOTE = (
    "Each run is taken to last as long as the runs that were made of its method, data set, model and selection do on "
    "the mean, or at the median (some were made while the machine had other work); where there are none, those of its "
    "method, data set and model, then of its method and data set, then of its method. Seconds of published runs grow "
    "with the retrainings they may make. Runs on data sets that were cut down count only where there are no others. A "
    "run that several experiments share is counted in the first. *measured*: runs of the first kind."
)


def projection(scope: Preset, made: Iterable[ResultFile]) -> Sheet:
    """Project what a preset would take.

    Parameters
    ----------
    scope : Preset
        The preset.

    made : iterable of ResultFile
        Runs that were made, of any presets.

    Returns
    -------
    Sheet
        With core-hours for each experiment, and for all of them.
    """
    means, medians, whole = _measured(made)
    counted: set[Run] = set()
    lines = []
    for one in EXPERIMENTS.values():
        runs = [run for run in dict.fromkeys(one.runs(scope)) if run not in counted]
        counted |= set(runs)
        if runs:
            keys = [next((key for key in _keys(run) if key in means), None) for run in runs]
            found = list(zip(runs, keys, strict=True))
            lines.append(
                {
                    "experiment": one.name,
                    "runs": len(runs),
                    "measured": sum(key == _keys(run)[0] and key in whole for run, key in found),
                    "hours_mean": sum(_lasts(run, means, key) for run, key in found) / 3600,
                    "hours_median": sum(_lasts(run, medians, key) for run, key in found) / 3600,
                }
            )
    frame = pd.DataFrame(lines, columns=["experiment", "runs", "measured", "hours_mean", "hours_median"])
    total = {"experiment": "all", **frame.drop(columns="experiment").sum(skipna=False)}
    frame = pd.concat([frame, pd.DataFrame([total])], ignore_index=True)
    columns = (
        Column("experiment", "experiment"),
        Column("runs", "runs", form=",.0f"),
        Column("measured", "measured", form=",.0f"),
        Column("core-hours, by means", "hours_mean", form=",.1f"),
        Column("core-hours, by medians", "hours_median", form=",.1f"),
    )
    return Sheet("projection", f"What {scope.name} would take", (scope.said, NOTE), (Grid(frame, columns),))


def _measured(made: Iterable[ResultFile]) -> tuple[dict[Key, float], dict[Key, float], set[Key]]:
    """Return the mean and median seconds of runs by all their keys, and which keys have runs on whole data sets."""
    lines = [
        (key, run.rows is None, result["seconds"] / _retrainings(run))
        for file in made
        for run, result in file.results.items()
        for key in _keys(run)
    ]
    frame = pd.DataFrame(lines, columns=["key", "whole", "seconds"])
    whole = set(frame.loc[frame["whole"], "key"])
    grouped = frame[frame["whole"] | ~frame["key"].isin(whole)].groupby("key")["seconds"]
    return dict(grouped.mean()), dict(grouped.median()), whole


def _keys(run: Run) -> list[Key]:
    """Return what a run is like, from most alike to least."""
    select = str(dict(run.options).get("select", PUBLISHED["select"]))
    steps = "steps" if run.progress else ""
    return [
        (run.method, run.data, run.model, select, steps),
        (run.method, run.data, run.model),
        (run.method, run.data),
        (run.method,),
    ]


def _retrainings(run: Run) -> int:
    """Return how many retrainings a run may make, where that is what its seconds grow with."""
    return int(dict(run.options).get("max_fits", PUBLISHED["max_fits"])) if run.method == "published" else 1


def _lasts(run: Run, seconds: dict[Key, float], key: Key | None) -> float:
    return math.nan if key is None else seconds[key] * _retrainings(run)
