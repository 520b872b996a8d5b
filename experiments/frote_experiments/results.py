"""Result files: a line of JSON for each run, written as it ends; what is there is not run again.

The first line says which version wrote the file. A line that was cut off is left out and its run made again.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from frote_experiments.exceptions import ExperimentError
from frote_experiments.runs import Run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Failure", "ResultFile"]

FORMAT = 1

logger = logging.getLogger("frote")


@dataclass(frozen=True, slots=True)
class Failure:
    """What a run raised.

    Parameters
    ----------
    told : str
        The error, in words.
    """

    told: str


class ResultFile:
    """The results of some runs, on disk.

    Parameters
    ----------
    path : Path
        The file; it need not be there yet.

    Attributes
    ----------
    found : dict of Run to dict or Failure
        What came of each run; the last line counts.

    Raises
    ------
    ExperimentError
        If the file was written by another version, or is no result file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[Run, dict[str, Any] | Failure] = {}
        self._ends_in_line = True
        if not path.exists() or not path.stat().st_size:
            return
        text = path.read_text("utf-8", errors="replace")
        self._ends_in_line = text.endswith("\n")
        first, *lines = text.splitlines()
        self._check(first)
        for number, line in enumerate(lines, start=2):
            try:
                record = json.loads(line)
                run = Run.of(record["run"])
                self.found[run] = _outcome(record)
            except (ValueError, KeyError, TypeError, RecursionError):
                logger.warning("Line %d of %s was cut off or damaged; its run is made again.", number, path)

    @property
    def results(self) -> dict[Run, dict[str, Any]]:
        """The runs that did not fail."""
        return {run: found for run, found in self.found.items() if not isinstance(found, Failure)}

    @property
    def failures(self) -> dict[Run, Failure]:
        """The runs that failed."""
        return {run: found for run, found in self.found.items() if isinstance(found, Failure)}

    def missing(self, runs: Iterable[Run]) -> list[Run]:
        """Return the runs that have not been made, and those that failed."""
        done = self.results
        return [run for run in runs if run not in done]

    def add(self, run: Run, result: dict[str, Any] | Failure) -> None:
        """Write down what came of a run."""
        what = {"error": result.told} if isinstance(result, Failure) else {"result": result}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # One write, so that an interruption leaves whole lines behind.
        head = "" if self.path.exists() and self.path.stat().st_size else json.dumps(_head()) + "\n"
        gap = "" if self._ends_in_line else "\n"
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{gap}{head}{json.dumps({'run': run.settings, **what})}\n")
        self._ends_in_line = True
        self.found[run] = result

    def _check(self, first: str) -> None:
        try:
            head = json.loads(first)
            written_by, form = head["frote"], head["format"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ExperimentError(
                f"{self.path} is no result file: its first line does not say which version of frote wrote it. "
                "Name another folder."
            ) from None
        if (written_by, form) != (_head()["frote"], FORMAT):
            raise ExperimentError(
                f"{self.path} was written by frote {written_by}, and this is {_head()['frote']}; results of two "
                "versions are not mixed. Name another folder."
            )


def _outcome(record: dict[str, Any]) -> dict[str, Any] | Failure:
    if "result" not in record:
        return Failure(str(record["error"]))
    found = record["result"]
    if not isinstance(found, dict):
        raise TypeError
    return found


def _head() -> dict[str, Any]:
    return {"frote": version("frote"), "format": FORMAT}
