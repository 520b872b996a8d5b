"""The results of one experiment: of all runs of a file those that belong to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote_experiments.definitions import experiment
from frote_experiments.frame import as_frame

if TYPE_CHECKING:
    import pandas as pd

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["Selected", "selected"]


@dataclass(frozen=True, slots=True, eq=False)
class Selected:
    """The results of an experiment.

    Parameters
    ----------
    frame : DataFrame
        A row for each run that was made.

    wanted, failed : int
        How many runs the preset asks for, and how many of them failed.

    said : str
        What the preset is.
    """

    frame: pd.DataFrame
    wanted: int
    failed: int
    said: str

    @property
    def note(self) -> str:
        """What a page must say about where its numbers come from."""
        failed = f", {self.failed:,} failed" if self.failed else ""
        return f"{self.said} {len(self.frame):,} of {self.wanted:,} runs{failed}."


def selected(file: ResultFile, scope: Preset, name: str) -> Selected:
    """Select the results of an experiment.

    Parameters
    ----------
    file : ResultFile
        All results.

    scope : Preset
        Which runs were wanted.

    name : str
        The experiment.

    Returns
    -------
    Selected
    """
    wanted = list(dict.fromkeys(experiment(name).runs(scope)))
    results, failures = file.results, file.failures
    frame = as_frame({run: results[run] for run in wanted if run in results})
    return Selected(frame, len(wanted), sum(run in failures for run in wanted), scope.said)
