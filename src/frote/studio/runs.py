"""The edits of a workspace: one runs, others wait; each in a process of its own, so that a crash costs it alone.

All that happens to an edit stands in its journal. A studio that is killed takes the running edit along; the next one
finds it interrupted, and can go on with it from its last step.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from frote.edits.folder import Place
from frote.edits.picking import picked_order
from frote.studio.asked import Asked, order_of
from frote.studio.errors import ReadOnlyError, StudioError
from frote.studio.jobs import EDITS, LOG, NAME, RUNS, STATES, Job, Run, journal_of
from frote.studio.versions import now

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from frote.studio.versions import Version
    from frote.studio.workspace import Workspace

__all__ = ["Runs"]

MOST = 10_000  # edits of a workspace
LOOK = 0.25  # seconds between looks at the journal of an edit that is being run
KEPT = "What was trained is kept: go on with it."
KILLED = f"The edit's process was ended from outside, perhaps for lack of memory. {KEPT}"
ENDED = f"The studio was ended while the edit was being run. {KEPT}"
CANCELLED = f"Cancelled. {KEPT}"
DISCARDED = "Cancelled, and what was trained was thrown away."


class Runs:
    """The edits of a workspace.

    Parameters
    ----------
    workspace : Workspace
        The workspace.

    publish : callable, default=None
        Called with "run" and a small dictionary whenever something happens to an edit.

    trusted : collection of str, default=()
        Functions that make models, which a person named on the command line.
    """

    def __init__(
        self,
        workspace: Workspace,
        publish: Callable[[str, dict[str, Any]], object] | None = None,
        trusted: Collection[str] = (),
    ) -> None:
        self.workspace = workspace
        self.files = workspace.files
        self.trusted = tuple(trusted)
        self._publish = publish or (lambda *_: None)
        self._known: dict[str, tuple[int, Run]] = {}
        self._process: tuple[str, subprocess.Popen[bytes]] | None = None
        self._preview: subprocess.Popen[bytes] | None = None
        self._changed = threading.Condition()
        self._open = True
        self._thread = threading.Thread(target=self._work, name="edits", daemon=True)
        if not workspace.read_only:
            self._take_over()
            self._thread.start()

    # --- reading ---

    def names(self) -> list[str]:
        """Return the names of all edits, the latest first."""
        return sorted((name for name in self.files.names(RUNS, MOST) if NAME.fullmatch(name)), reverse=True)

    def all(self) -> list[Run]:
        """Return all edits, the latest first; one whose file is damaged is left out."""
        found = []
        for name in self.names():
            with suppress(StudioError):
                found.append(self.run(name))
        return found

    def run(self, name: str) -> Run:
        """Return an edit by its name.

        Raises
        ------
        StudioError
            If there is none.
        """
        job = self._known[name][1].job if name in self._known else Job.read(self.files, name)
        journal = journal_of(self.files, name)
        path = self.files.path(journal.name)
        size = path.stat().st_size if path.is_file() else 0
        if name not in self._known or self._known[name][0] != size:
            self._known[name] = size, Run(job, journal.events())
        return self._known[name][1]

    @property
    def running(self) -> Run | None:
        """The edit that is being run."""
        return next((run for run in self.all() if run.state == "running"), None)

    # --- asking ---

    def ask(self, asked: Asked, *, who: str, why: str, base: str | None = None) -> Job:
        """Ask for an edit by what the policy says now, of which a version is kept if there is none.

        Raises
        ------
        FroteError
            If it cannot be asked for.
        """
        self._require_open()
        settings = self.workspace.settings
        if not settings.data:
            raise StudioError("There is no table to train on yet. Open one in the data room.")
        for name in filter(None, (settings.data, settings.test)):
            self.workspace.tables.path(name)
        version = self.workspace.keep_version(who, why or "Kept for an edit.", base=base)
        order = order_of(asked, version, settings, self.trusted)
        return self._queue(
            Job(
                self._free_name(version, asked.how),
                dict(order.plain),
                asked.plain,
                version.id,
                version.number,
                settings.data,
                settings.test,
                who,
                why,
                now(),
            )
        )

    def pick(self, name: str, step: int, *, who: str, why: str = "") -> Job:
        """Ask for another step of a finished edit: a point of its frontier; -1 is the model before.

        Raises
        ------
        FroteError
            If it keeps none, or its tables are not there any more.
        """
        self._require_open()
        source = self.run(name)
        if source.state != "done":
            raise StudioError(f"The edit {name} is not finished, so no step of it can be picked. Wait for its end.")
        job, tables = source.job, self.workspace.tables
        record = self.files.path(f"{job.folder}/edit.json")
        test = tables.path(job.test) if job.test else None
        order = picked_order(record, step, tables.path(job.data), test, self.trusted)
        version = self.workspace.history.version(job.version)
        shown = "before" if step < 0 else f"step-{step}"
        return self._queue(
            replace(
                job,
                name=self._free_name(version, shown),
                order=dict(order.plain),
                who=who,
                why=why or f"{shown.replace('-', ' ').capitalize()} of edit {name}.",
                when=now(),
                source=name,
            )
        )

    def _queue(self, job: Job) -> Job:
        self.files.write(job.place, job.content)
        self._tell(job.name, "queued")
        return job

    def _free_name(self, version: Version, how: str) -> str:
        taken = [*self.files.names(RUNS, MOST), *self.files.names(EDITS, MOST)]
        number = 1 + max((int(name[:4]) for name in taken if name[:4].isdecimal() and name[:4].isascii()), default=0)
        return f"{number:04d}-v{version.number}-{how}"

    def cancel(self, name: str) -> None:
        """Stop an edit at once; what was trained up to its last step is kept."""
        self._require_open()
        with self._changed:
            if self.run(name).live:
                self._tell(name, "cancelled", why=CANCELLED)
                if self._process is not None and self._process[0] == name:
                    self._process[1].kill()

    def discard(self, name: str) -> None:
        """Throw away what an edit that is not finished has trained; to go on with it begins anew."""
        self._require_open()
        run = self.run(name)
        if not (run.live or run.state == "done"):
            Place(self.files.path(run.job.folder)).discard()
            self._tell(name, "cancelled", why=DISCARDED)

    def go_on(self, name: str) -> None:
        """Go on with an edit that was cancelled or interrupted, or try one again that failed."""
        self._require_open()
        if self.run(name).state in ("cancelled", "interrupted", "failed"):
            self._tell(name, "queued")

    def preview(self, asked: Asked, version: Version) -> dict[str, Any]:
        """Say what an edit by data would do and cost, at the price of one training; the one asked for last counts.

        Raises
        ------
        FroteError
            If it cannot be done, or another one was asked for meanwhile.
        """
        settings = self.workspace.settings
        order = order_of(asked, version, settings, self.trusted)
        request = {"do": "preview", "order": order.plain, "data": settings.data}
        self.stop_preview()
        process = self._preview = self._started(request, subprocess.DEVNULL, stdout=subprocess.PIPE)
        with process:
            assert process.stdout is not None
            said = process.stdout.read()
        try:
            answer: dict[str, Any] = json.loads(said)
        except ValueError:
            if self._preview is not process:
                raise StudioError("Another preview was asked for meanwhile.") from None
            why = "The preview's process was ended, perhaps for lack of memory. Try a smaller table."
            raise StudioError(why) from None
        if "error" in answer:
            raise StudioError(answer["error"])
        return answer

    def stop_preview(self) -> None:
        """Stop the preview that is being made, if there is one."""
        if self._preview is not None:
            self._preview.kill()
            self._preview = None

    def close(self) -> None:
        """End the edit that is being run, which can be gone on with."""
        with self._changed:
            self._open = False
            if self._process is not None:
                self._process[1].kill()
            self._changed.notify_all()
        self.stop_preview()
        if self._thread.is_alive():
            self._thread.join()

    # --- running ---

    def _take_over(self) -> None:
        """Tell what a studio that was killed had no time to tell."""
        for run in self.all():
            if run.state == "running":
                if (self.files.root / run.job.folder / "edit.json").is_file():
                    self._tell(run.job.name, "done")
                else:
                    self._tell(run.job.name, "interrupted", why=ENDED)

    def _next(self) -> Run | None:
        """Return the edit that has waited longest."""
        waiting = [run for run in self.all() if run.state == "queued"]
        return min(waiting, key=lambda run: (run.ended, run.job.name), default=None)

    def _work(self) -> None:
        while (begun := self._awaited()) is not None:
            self._watch(*begun)
            with self._changed:
                self._process = None

    def _awaited(self) -> tuple[str, subprocess.Popen[bytes]] | None:
        """Wait for an edit, and begin it; None when the studio is closed."""
        with self._changed:
            while self._open and (run := self._next()) is None:
                self._changed.wait(5)
            if not self._open or run is None:
                return None
            self._process = run.job.name, self._begun(run.job.name)
            return self._process

    def _begun(self, name: str) -> subprocess.Popen[bytes]:
        log = self.files.path(f"{RUNS}/{name}/{LOG}")
        self._tell(name, "started")
        with log.open("ab") as file:
            return self._started({"do": "run", "name": name}, file.fileno(), stdout=file.fileno())

    def _started(self, request: dict[str, Any], stderr: int, stdout: int) -> subprocess.Popen[bytes]:
        # -P: nothing in the current folder stands in for a library.
        command = [sys.executable, "-P", "-m", "frote.studio.worker"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=stdout, stderr=stderr)
        assert process.stdin is not None
        process.stdin.write(json.dumps({"workspace": str(self.files.root), **request}).encode() + b"\n")
        process.stdin.flush()  # and left open: when it ends, we have
        return process

    def _watch(self, name: str, process: subprocess.Popen[bytes]) -> None:
        """Tell of what happens to the edit that is being run, to its end."""
        told = 0
        while True:
            ended = process.poll() is not None
            run = self.run(name)
            if len(run.events) != told:
                told = len(run.events)
                self._publish("run", {"name": name, "state": run.state})
            if ended:
                break
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK)
        assert process.stdin is not None
        process.stdin.close()
        if self.run(name).state == "running":
            self._tell(name, "interrupted", why=KILLED if self._open else ENDED)

    def _tell(self, name: str, kind: str, **more: Any) -> None:
        journal_of(self.files, name).add({"kind": kind, "when": now(), **more})
        self._publish("run", {"name": name, "state": STATES[kind]})
        with self._changed:
            self._changed.notify_all()

    def _require_open(self) -> None:
        if self.workspace.read_only:
            raise ReadOnlyError(f"Nothing can be run here. {self.workspace.read_only}")
