"""All that a page can do, without HTTP: the workspace, the table that lies open, the runs, and who is told of what."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frote.edits.trusted import require_trusted
from frote.exceptions import FroteError
from frote.studio.changed_rows import ChangedRows
from frote.studio.desk import Desk
from frote.studio.errors import StudioError
from frote.studio.events import Events
from frote.ways_out import for_pages

if TYPE_CHECKING:
    from frote.studio.workspace import Workspace

__all__ = ["Opening", "State"]

LOG = logging.getLogger("frote.studio")


@dataclass(frozen=True, slots=True)
class Opening:
    """How far the opening of a table is.

    Parameters
    ----------
    name : str, default=""
        The table; empty if none was asked for.

    state : {"none", "reading", "open", "failed"}, default="none"
        How far it is.

    error : str, default=""
        Why it cannot be opened.

    number : int, default=0
        How many were asked for before it.
    """

    name: str = ""
    state: str = "none"
    error: str = ""
    number: int = 0

    @property
    def told(self) -> dict[str, str]:
        """What pages are told; one that was made later knows it already, by its key."""
        return {"state": self.state, "key": f"{self.number}-{self.state}"}


class State:
    """What the studio is at.

    Parameters
    ----------
    workspace : Workspace
        Where all is kept.

    trusted : tuple of str, default=()
        Functions that may be run to make a model, since a person named them.
    """

    def __init__(self, workspace: Workspace, trusted: tuple[str, ...] = ()) -> None:
        self.workspace = workspace
        self.trusted = trusted
        self.events = Events()
        self.desk: Desk | None = None
        self.opening = Opening()
        self.runs: Any = None
        self.changed_rows = ChangedRows()
        self._guard = threading.Lock()
        self._number = 0

    def open_table(self) -> None:
        """Open the table of the settings; pages are told when it is there."""
        settings = self.workspace.settings
        with self._guard:
            self._number += 1
            number = self._number
            if not (settings.data and settings.target):
                self._close_desk()
                self.opening = Opening(settings.data, number=number)
            else:
                self.opening = Opening(settings.data, "reading", number=number)
        self.events.publish("table", self.opening.told)
        if self.opening.state == "reading":
            threading.Thread(target=self._open, args=(number,), name="frote-table", daemon=True).start()

    def _open(self, number: int) -> None:
        settings = self.workspace.settings
        try:
            path = self.workspace.tables.path(settings.data)
            require_trusted(settings.model, self.trusted, "The workspace")
            with for_pages():
                desk = Desk.of(path, settings.columns, settings.model)
        except FroteError as error:
            self._opened(number, None, str(error))
            return
        except Exception:
            LOG.exception("The table %r could not be opened", settings.data)
            self._opened(number, None, "It cannot be read, for a reason that nobody foresaw; the server's log has it.")
            return
        if self._opened(number, desk, ""):
            desk.train(path, settings.columns, settings.params, settings.seed)
            self.events.publish("model", {"state": desk.model.state})

    def _opened(self, number: int, desk: Desk | None, error: str) -> bool:
        """Put a table in place, unless another one was asked for since."""
        with self._guard:
            if number != self._number:
                return False
            self._close_desk()
            self.desk = desk
            self.opening = Opening(self.opening.name, "open" if desk is not None else "failed", error, number)
        self.events.publish("table", self.opening.told)
        return desk is not None

    def _close_desk(self) -> None:
        if self.desk is not None:
            self.desk.close()
            self.desk = None

    def lying_open(self) -> tuple[Opening, Desk | None]:
        """Return how far the opening is and the table that lies open, as of one moment."""
        with self._guard:
            return self.opening, self.desk

    def require_desk(self) -> Desk:
        """Return the table that lies open.

        Raises
        ------
        StudioError
            If there is none.
        """
        if self.desk is None:
            raise StudioError("No table lies open. Open one in the data room.")
        return self.desk

    def close(self) -> None:
        """Let go of everything: the studio stops."""
        self.events.close()
        with self._guard:
            self._number += 1
            self._close_desk()
        if self.runs is not None:
            self.runs.close()
        self.workspace.close()
