"""A file that lines are added to, and that is read while they are: what happened to an edit, whoever is killed."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frote.plain import plain
from frote.studio.errors import telling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frote.studio.inside import Inside

__all__ = ["Journal"]

MOST = 2**26  # bytes that are read
FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal in a workspace.

    Parameters
    ----------
    files : Inside
        The files of the workspace.

    name : str
        Which one.

    Examples
    --------
    >>> import tempfile
    >>> from frote.studio.inside import Inside
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     journal = Journal(Inside.of(folder), "events.jsonl")
    ...     journal.add({"kind": "queued"})
    ...     with (journal.files.root / "events.jsonl").open("a") as file:
    ...         _ = file.write('{"kind": "st')  # and whoever wrote it was killed
    ...     journal.add({"kind": "started"})
    ...     [event["kind"] for event in journal.events()]
    ['queued', 'started']
    """

    files: Inside
    name: str

    def add(self, event: Mapping[str, Any]) -> None:
        """Add an event, in one write, so that no other one comes in between."""
        path = self.files.path(self.name)
        # A line of its own, also after one that somebody was killed in the middle of.
        line = "\n" + json.dumps(plain(dict(event)), ensure_ascii=False) + "\n"
        with telling(f"{self.name} of the workspace cannot be written", "Make room, and go on with the edit."):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, FLAGS, 0o666)
            try:
                os.write(file, line.encode("utf-8", "replace"))
            finally:
                os.close(file)

    def events(self) -> list[dict[str, Any]]:
        """Return all events so far; what is no whole line is left out."""
        content = self.files.read(self.name, MOST)
        return [event for line in (content or b"").split(b"\n") if (event := _event(line)) is not None]


def _event(line: bytes) -> dict[str, Any] | None:
    if not line.strip():
        return None
    try:
        event = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("kind"), str) else None
