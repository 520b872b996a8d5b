"""Result files: a line of JSON for each run, written as it ends; what is there is not run again.

The first line says which format the file has, and nothing else decides whether it is read: results stay results when
frote gets another version. Which version made a run is written down with it, or, in files from before, in the first
line. A line that was cut off is left out and its run made again.
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
    error_text : str
        The error, in words.
    """

    error_text: str


class ResultFile:
    """The results of some runs, on disk.

    Parameters
    ----------
    path : Path
        The file; it need not be there yet.

    Attributes
    ----------
    outcomes : dict of Run to dict or Failure
        What came of each run; the last line counts.

    versions : set of str
        The versions of frote that made them.

    Raises
    ------
    ExperimentError
        If the file has another format, or is no result file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.outcomes: dict[Run, dict[str, Any] | Failure] = {}
        self.versions: set[str] = set()
        self._ends_in_line = True
        if not path.exists() or not path.stat().st_size:
            return
        text = path.read_text("utf-8", errors="replace")
        self._ends_in_line = text.endswith("\n")
        first, *lines = text.splitlines()
        begun_by = self._checked(first)
        for number, line in enumerate(lines, start=2):
            try:
                record = json.loads(line)
                run = Run.of(record["run"])
                self.outcomes[run] = _outcome(record)
                self.versions.add(str(record.get("frote", begun_by)))
            except (ValueError, KeyError, TypeError, RecursionError):
                logger.warning("Line %d of %s was cut off or damaged; its run is made again.", number, path)

    @property
    def results(self) -> dict[Run, dict[str, Any]]:
        """The runs that did not fail."""
        return {run: outcome for run, outcome in self.outcomes.items() if not isinstance(outcome, Failure)}

    @property
    def failures(self) -> dict[Run, Failure]:
        """The runs that failed."""
        return {run: outcome for run, outcome in self.outcomes.items() if isinstance(outcome, Failure)}

    def missing(self, runs: Iterable[Run]) -> list[Run]:
        """Return the runs that have not been made, and those that failed."""
        done = self.results
        return [run for run in runs if run not in done]

    def add(self, run: Run, result: dict[str, Any] | Failure) -> None:
        """Write down what came of a run."""
        made_by = version("frote")
        what = {"error": result.error_text} if isinstance(result, Failure) else {"result": result}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # One write, so that an interruption leaves whole lines behind.
        begun = self.path.exists() and self.path.stat().st_size
        head = "" if begun else json.dumps({"frote": made_by, "format": FORMAT}) + "\n"
        gap = "" if self._ends_in_line else "\n"
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{gap}{head}{json.dumps({'run': run.settings, 'frote': made_by, **what})}\n")
        self._ends_in_line = True
        self.outcomes[run] = result
        self.versions.add(made_by)

    def _checked(self, first: str) -> str:
        """Return the version of frote that began the file, if it is one that can be read."""
        try:
            head = json.loads(first)
            begun_by, form = str(head["frote"]), head["format"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ExperimentError(
                f"{self.path} is no result file: its first line does not say which format it has. Name another folder."
            ) from None
        if form != FORMAT:
            raise ExperimentError(
                f"{self.path} has format {form} (frote {begun_by} wrote it), and format {FORMAT} is read here. Read it "
                "with the experiments of that version, or name another folder."
            )
        return begun_by


def _outcome(record: dict[str, Any]) -> dict[str, Any] | Failure:
    if "result" not in record:
        return Failure(str(record["error"]))
    result = record["result"]
    if not isinstance(result, dict):
        raise TypeError
    return result
