"""How an edit is run: workers, progress, where to go on from, and whether to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from frote.loop.engine import Step

__all__ = ["EditCancelledError", "RunOptions"]


class EditCancelledError(Exception):
    """An edit that was stopped because whoever asked for it no longer wants it; its checkpoint stays."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How an edit is run; nothing of it changes the result.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Retrainings at the same time.

    progress : bool, default=False
        Whether to show a progress bar.

    checkpoint : Path or None, default=None
        Where steps are written down, and where to go on from.

    on_step : callable, default=None
        Called with each step of the loop when it is done.

    cancelled : callable, default=None
        Asked after each step, and between the parts of an edit, whether to stop.

    last_step : int or None, default=None
        Where an edit with a time limit is repeated: the step that it ended with, whatever the clock says now.
    """

    n_jobs: int | None = None
    progress: bool = False
    checkpoint: Path | None = None
    on_step: Callable[[Step], object] | None = None
    cancelled: Callable[[], bool] | None = None
    last_step: int | None = None

    def go_on(self) -> None:
        """Stop if that was asked for.

        Raises
        ------
        EditCancelledError
            If so.
        """
        if self.cancelled is not None and self.cancelled():
            raise EditCancelledError

    def after_step(self, step: Step) -> bool:
        """Tell of a step, stop if that was asked for, and return whether it is the last."""
        if self.on_step is not None:
            self.on_step(step)
        self.go_on()
        return self.last_step is not None and step.step >= self.last_step
