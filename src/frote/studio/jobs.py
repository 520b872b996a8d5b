"""What is to be run, as a file says it, and how far it is, as its journal tells."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from frote.edits.order import Order
from frote.plain import unwritable
from frote.studio.asked import Asked
from frote.studio.errors import StudioError
from frote.studio.journal import Journal

if TYPE_CHECKING:
    from frote.studio.inside import Inside

__all__ = ["EDITS", "JOB", "LOG", "NAME", "RUNS", "STATES", "Job", "Run", "RunState", "journal_of"]

RUNS, EDITS = "runs", "edits"  # folders of the workspace: what was asked for, and what came of it
JOB, EVENTS, LOG = "job.json", "events.jsonl", "log.txt"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")
FORMAT = 1
LARGEST = 2**24
TEXTS = ("name", "version", "data", "test", "who", "why", "when", "source")

RunState: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
# What an event makes of a run; all others leave it as it is.
STATES: dict[str, RunState] = {
    "queued": "queued",
    "started": "running",
    "done": "done",
    "failed": "failed",
    "cancelled": "cancelled",
    "interrupted": "interrupted",
}


@dataclass(frozen=True)
class Job:
    """An edit that was asked for.

    Parameters
    ----------
    name : str
        What its folder is called.

    order : dict
        What to do, as a record has it; see `frote.edits.order.Order`.

    asked : dict
        The same as it was asked for in the studio; see `Asked`.

    version : str
        The digest of the version of the policy.

    number : int
        The number of that version.

    data, test : str
        The tables, by their names in the workspace; `test` is empty if there is none.

    who, why, when : str
        Who asked for it, why, and when.

    source : str, default=""
        The name of the finished edit whose step is taken; empty if it is run anew.
    """

    name: str
    order: dict[str, Any]
    asked: dict[str, Any]
    version: str
    number: int
    data: str
    test: str
    who: str
    why: str
    when: str
    source: str = ""

    @property
    def folder(self) -> str:
        """Where it is to be."""
        return f"{EDITS}/{self.name}"

    @property
    def place(self) -> str:
        """Where this file is."""
        return f"{RUNS}/{self.name}/{JOB}"

    @property
    def content(self) -> bytes:
        """The bytes of its file."""
        return (json.dumps({"job": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False) + "\n").encode()

    @property
    def pick(self) -> int | None:
        """The step that is taken, if it is one of a finished edit."""
        step: int | None = self.order.get("pick")
        return step

    @classmethod
    def read(cls, files: Inside, name: str) -> Job:
        """Read a job of a workspace.

        Raises
        ------
        FroteError
            If there is none of that name, or what stands there is none.
        """
        place = f"{RUNS}/{name}/{JOB}"
        content = files.read(place, LARGEST) if NAME.fullmatch(name) else None
        if content is None:
            raise StudioError(f"There is no edit {name[:60]!r} in the workspace. Choose one of those listed.")
        try:
            plain = json.loads(content.decode("utf-8"))
            form = plain.pop("job")
            job = cls(**plain)
            sound = form == FORMAT and job.name == name and type(job.number) is int and not unwritable(plain)
            sound = sound and all(isinstance(getattr(job, field), str) for field in TEXTS)
            Order.of(job.order)
            Asked.of(job.asked)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            sound = False
        if not sound:
            raise StudioError(f"{place} of the workspace is damaged, so that this edit cannot be shown. Move it away.")
        return job


def journal_of(files: Inside, name: str) -> Journal:
    """Return the journal of an edit."""
    return Journal(files, f"{RUNS}/{name}/{EVENTS}")


@dataclass(frozen=True)
class Run:
    """An edit that was asked for, and how far it is.

    Parameters
    ----------
    job : Job
        What was asked for.

    events : list of dict
        What happened to it.

    Examples
    --------
    >>> events = [{"kind": "queued"}, {"kind": "started", "anew": True}, {"kind": "step", "step": 0}]
    >>> run = Run(None, [*events, {"kind": "interrupted", "why": "The studio was ended."}])
    >>> run.state, run.why, len(run.steps), run.live
    ('interrupted', 'The studio was ended.', 1, False)
    """

    job: Job
    events: list[dict[str, Any]]

    @cached_property
    def _last(self) -> dict[str, Any]:
        """The last event that made it what it is."""
        return next((event for event in reversed(self.events) if event["kind"] in STATES), {"kind": "queued"})

    @property
    def state(self) -> RunState:
        """How far it is."""
        return STATES[self._last["kind"]]

    @property
    def live(self) -> bool:
        """Whether something is still to come by itself."""
        return self.state in ("queued", "running")

    @property
    def why(self) -> str:
        """What the last change of its state is told by."""
        return str(self._last.get("why", ""))

    @property
    def ended(self) -> str:
        """When it came to what it is."""
        return str(self._last.get("when", ""))

    @cached_property
    def _since(self) -> list[dict[str, Any]]:
        """What happened since it was last begun anew."""
        begun = [place for place, event in enumerate(self.events) if event["kind"] == "started" and event.get("anew")]
        return self.events[begun[-1] :] if begun else self.events

    @cached_property
    def steps(self) -> list[dict[str, Any]]:
        """Its steps so far, each once, in order."""
        steps = {event["step"]: event for event in self._since if event["kind"] == "step" and _is_step(event)}
        return [steps[number] for number in sorted(steps)]

    @property
    def rules(self) -> list[str]:
        """The names of the rules that steps tell of."""
        told = [event["names"] for event in self._since if event["kind"] == "rules" and _are_names(event.get("names"))]
        return told[-1] if told else []

    @property
    def most(self) -> float:
        """How far a model can agree with the rules."""
        told = [event.get("most") for event in self._since if event["kind"] == "rules"]
        return float(told[-1]) if told and isinstance(told[-1], int | float) else 1.0

    @property
    def begun(self) -> str:
        """When it was last begun."""
        return next((str(event.get("when", "")) for event in reversed(self.events) if event["kind"] == "started"), "")

    @property
    def phase(self) -> str:
        """What is being done."""
        phases = [str(event.get("what", "")) for event in self._since if event["kind"] == "phase"]
        return phases[-1] if phases else ""

    @property
    def warnings(self) -> list[str]:
        """What must not go unsaid."""
        return list(dict.fromkeys(str(event.get("text", "")) for event in self._since if event["kind"] == "warning"))


def _is_step(event: dict[str, Any]) -> bool:
    """Tell whether an event is a step that can be drawn: the file may say anything."""
    numbers = [event.get(name) for name in ("objective", "agreement", "loss", "outside")]
    per_rule = event.get("per_rule", [])
    return (
        type(event.get("step")) is int
        and 0 <= event["step"] < 10**6
        and isinstance(per_rule, list)
        and all(one is None or type(one) in (int, float) for one in (*numbers, *per_rule))
    )


def _are_names(names: Any) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)
