"""What watches the loop: limits, callbacks and a progress bar. None of it changes a step."""

from __future__ import annotations

import os
import threading
import time
import warnings
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from frote.loop.engine import Step

__all__ = ["EditInterrupted", "Watch", "progress_bar"]


class EditInterrupted(UserWarning):
    """An edit that was stopped by Ctrl-C, and keeps what it had."""


@dataclass(slots=True)
class Watch:
    """Goes through the steps of a loop and ends it early where the caller wishes.

    Parameters
    ----------
    callbacks : iterable of callable
        Each is called with every step and ends the loop by returning True.

    time_limit : float or None
        Seconds after which to end; the step that runs then is finished first.

    progress : bool
        Whether to show a progress bar.

    likely : callable
        Returns how many batches there will probably be, for the bar; it is asked after each step.

    Attributes
    ----------
    reason : str
        Why the loop was ended early; empty if it came to its own end.
    """

    callbacks: Iterable[Callable[[Step], Any]]
    time_limit: float | None
    progress: bool
    likely: Callable[[], int]
    reason: str = field(default="", init=False)

    def steps(self, run: Iterator[Step]) -> Iterator[Step]:
        """Hand the steps on; Ctrl-C ends them, keeps what was accepted and says so."""
        start, counts = time.perf_counter(), [0, 0]
        bar = progress_bar(desc="editing", unit="batch") if self.progress else None
        with nullcontext() if bar is None else bar:
            started = False
            try:
                for step in run:
                    started = True
                    yield step
                    counts[step.accepted] += step.step > 0
                    if bar is not None:
                        bar.total = self.likely()
                        _show(bar, step, *counts)
                    self.reason = self._stop(step, time.perf_counter() - start)
                    if self.reason:
                        return
            except KeyboardInterrupt:
                if not started:
                    raise  # there is no model yet to keep
                self.reason = "stopped by an interrupt"
                message = "Editing was interrupted; what was accepted so far is kept."
                warnings.warn(message, EditInterrupted, stacklevel=2)

    def _stop(self, step: Step, seconds: float) -> str:
        # Every callback sees every step, also one that ends the loop.
        asked = [callback(step) for callback in self.callbacks]
        if any(asked):
            return "stopped by a callback"
        if self.time_limit is not None and seconds >= self.time_limit:
            return "stopped by the time limit"
        return ""


def _show(bar: Any, step: Step, rejected: int, accepted: int) -> None:
    objective = step.scores.objective if step.scores is not None and step.accepted else step.previous
    facts = {"training objective": f"{objective:.3f}", "accepted": accepted, "rejected": rejected, "rows": step.added}
    bar.set_postfix(facts, refresh=False)
    bar.update(step.step - bar.n)  # a run that goes on does not begin at 0


def progress_bar(**given: Any) -> Any:
    """Return a progress bar, made as tqdm's are, that never waits for another process.

    Where nothing is to be shown, make none: tqdm takes its lock even for a bar that it does not show.
    """
    return _bars()(**given)


@cache
def _bars() -> Any:
    """Return tqdm's bars with the lock of this process's threads alone.

    The lock that tqdm takes otherwise belongs to all processes that are forked from one: if one of them is killed while
    it holds the lock, the others wait for ever.
    """
    from tqdm.auto import tqdm  # slow, and silent runs need none of it
    from tqdm.std import TqdmDefaultWriteLock

    class Bar(tqdm):  # type: ignore[misc]  # tqdm has no types
        pass

    Bar.set_lock(TqdmDefaultWriteLock.th_lock)  # the one that all other bars of the process take too
    if hasattr(os, "register_at_fork"):
        # A child has none of its parent's threads: one that held the lock will never release it there.
        os.register_at_fork(after_in_child=lambda: Bar.set_lock(threading.RLock()))
    return Bar
