"""An edit in a process of its own: ``python -m frote.studio.worker`` with a line of JSON for what to do.

What comes on its standard input after that line is nothing; when that ends, whoever started it has ended, and so does
this: a process that nobody watches would hold the folder that the next one is to go on with.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frote.edits.folder import Place
from frote.edits.order import Order
from frote.edits.replaying import replay_command
from frote.edits.run_options import RunOptions
from frote.exceptions import FileError, FroteError, RuleWarning, TableWarning, told
from frote.plain import plain
from frote.studio.inside import Inside
from frote.studio.jobs import Job, journal_of
from frote.studio.tables import Tables
from frote.studio.versions import now
from frote.ways_out import for_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from frote.edits.tables import LabelledTable
    from frote.estimators.preview import Preview
    from frote.loop.engine import Step
    from frote.rules import RuleSet
    from frote.studio.journal import Journal

__all__ = ["Progress", "main", "preview", "run"]

WAIT, TRIES = 0.1, 150  # seconds between tries to take a folder that a process still holds which is about to end
PHASES = ("training", "editing", "judging", "writing")


class Progress:
    """Tells a journal of the steps of an edit, and of what is done between them.

    Parameters
    ----------
    journal : Journal
        Where it is told.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._phase = 0
        self._stepped = False

    def step(self, step: Step) -> None:
        """Tell of a step."""
        self._stepped = True
        scores = step.scores
        self.journal.add(
            {
                "kind": "step",
                "step": step.step,
                "accepted": step.accepted,
                "objective": None if scores is None else scores.objective,
                "agreement": None if scores is None else scores.agreement,
                "per_rule": [] if scores is None else list(scores.per_rule),
                "outside": None if scores is None else scores.outside,
                "loss": None if scores is None else scores.loss,
                "previous": step.previous,
                "proposed": sum(step.proposed),
                "added": step.added,
                "seconds": step.fit_seconds + step.predict_seconds + step.other_seconds,
                "error": step.error,
            }
        )

    def asked(self) -> bool:
        """Be asked whether to stop, which is done by ending the process; a question between steps is a new part."""
        if not self._stepped:
            self.journal.add({"kind": "phase", "what": PHASES[min(self._phase, len(PHASES) - 1)]})
            self._phase += 1
        self._stepped = False
        return False


def run(files: Inside, job: Job) -> None:
    """Run a job, and tell its journal what came of it."""
    journal = journal_of(files, job.name)
    place = Place(files.path(job.folder))
    with _telling(journal):
        with _taken(place) as begun:
            journal.add({"kind": "started", "when": now(), "anew": not begun, "process": os.getpid()})
            _edit(files, job, place, journal)
        journal.add({"kind": "done", "when": now()})


def _edit(files: Inside, job: Job, place: Place, journal: Journal) -> None:
    from frote.edits.running import run_in_place  # heavy, as all that comes after it

    order = Order.of(job.order)
    journal.add({"kind": "phase", "what": "reading"})
    table, test_table = _tables(files, job, order)
    journal.add({"kind": "rules", **_facts(order.rules.rules)})
    progress = Progress(journal)
    options = RunOptions(checkpoint=place.checkpoint, on_step=progress.step, cancelled=progress.asked)
    paths = [Path(name) if name else None for name in (f"{job.folder}/edit.json", job.data, job.test)]
    assert paths[0] is not None
    assert paths[1] is not None
    repeat = replay_command(paths[0], paths[1], paths[2], order.model)  # from the folder of the workspace
    source = files.path(f"edits/{job.source}/edit.json") if job.source else None
    run_in_place(place, order, table, test_table, options, repeat, source)


def _facts(rules: RuleSet) -> dict[str, Any]:
    """Return the names of rules, and how far a model can agree with them: with a hard override it does."""
    most = {rule.origin: max(dict(rule.outcome.probabilities).values()) for rule in rules}
    return {"names": list(rules.origins), "most": sum(most.values()) / max(len(most), 1)}


def _tables(files: Inside, job: Job, order: Order) -> tuple[LabelledTable, LabelledTable | None]:
    from frote.edits.tables import read_tables

    tables = Tables(files)
    return read_tables(order, tables.path(job.data), tables.path(job.test) if job.test else None)


def preview(files: Inside, order: Order, data: str) -> dict[str, Any]:
    """Return what an edit by data would do, as plain data."""
    from frote.edits.running import preview as previewed
    from frote.edits.tables import read_labelled

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shown = previewed(order, read_labelled(Tables(files).path(data), order), RunOptions())
    said = [str(one.message) for one in caught if issubclass(one.category, RuleWarning | TableWarning)]
    return {**_lines(shown), "warnings": list(dict.fromkeys(said))}


def _lines(shown: Preview) -> dict[str, Any]:
    lines: dict[str, Any] = plain(
        {
            "skipped": shown.skipped,
            "rows": shown.rows,
            "objective": shown.objective,
            "seconds": shown.seconds,
            "most_batches": shown.most_batches,
            "likely_batches": shown.likely_batches,
            "rules": shown.rules.reset_index().to_dict("records"),
            "changes": shown.changes.to_dict("records"),
            "frontier": shown.frontier.reset_index(names="point").to_dict("records"),
        }
    )
    return lines


@contextmanager
def _taken(place: Place) -> Iterator[bool]:
    """Take the folder of an edit, to go on with it if it was begun; a process that ends may hold it a moment longer."""
    for number in range(TRIES):
        try:
            with place.taken(resume=True) as begun:
                yield begun
                return
        except FileError as error:
            if "Another command" not in str(error) or number == TRIES - 1:
                raise
            time.sleep(WAIT)


@contextmanager
def _telling(journal: Journal) -> Iterator[None]:
    """Tell a journal of warnings, and of what ends an edit."""
    with warnings.catch_warnings():
        for kind in (RuleWarning, TableWarning):
            warnings.simplefilter("always", kind)
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, RuleWarning | TableWarning):
                journal.add({"kind": "warning", "text": str(message)})
            else:
                usual(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]
        try:
            yield
        except FroteError as error:
            journal.add({"kind": "failed", "when": now(), "why": str(error)})
        except OSError as error:
            named = f" ({Path(error.filename).name})" if error.filename else ""
            journal.add({"kind": "failed", "when": now(), "why": f"{error.strerror or told(error)}{named}."})
        except MemoryError:
            why = "There is not enough memory for this table and this model. What was trained is kept."
            journal.add({"kind": "failed", "when": now(), "why": why})
        except Exception as error:  # our own mistake: the log has the rest
            traceback.print_exc()
            why = f"The edit failed by a mistake of frote's own ({told(error)[:200]}); the server's log has the rest."
            journal.add({"kind": "failed", "when": now(), "why": why})


def _end_with_whoever_started_it() -> None:
    def watch() -> None:
        while os.read(0, 4096):
            pass
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    """Do what the first line of the standard input says."""
    request = json.loads(sys.stdin.buffer.readline())
    _end_with_whoever_started_it()
    answer = sys.stdout
    sys.stdout = sys.stderr  # whatever a model prints is no answer
    files = Inside.of(request["workspace"])
    actions: dict[str, Callable[[], Any]] = {
        "run": lambda: run(files, Job.read(files, request["name"])),
        "preview": lambda: _answered(lambda: preview(files, Order.of(request["order"]), request["data"])),
    }
    with for_pages():
        found = actions[request["do"]]()
    if found is not None:
        json.dump(found, answer)
        answer.flush()


def _answered(ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return an answer, or why there is none."""
    try:
        return ask()
    except FroteError as error:
        return {"error": str(error)}


if __name__ == "__main__":
    main()
