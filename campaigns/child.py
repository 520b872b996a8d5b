"""Children: a function in a process that is forked from this one, so that it starts at once, with what it says."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import sys
import time
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

from campaigns.command import Said

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["OWN_ERROR", "Child", "frote_main"]

ROOM = 2**20  # bytes that a child may say
OWN_ERROR = 70  # the exit code of a function that raised


class Child:
    """A function that runs in a child of this process.

    Parameters
    ----------
    work : callable
        What to do; its return value is the exit code.
    """

    def __init__(self, work: Callable[[], int | None]) -> None:
        # Pipes that hold all that is said: files would be cut by a limit on their size.
        pipes = [os.pipe2(os.O_NONBLOCK) for _ in range(2)]
        for reading, _ in pipes:
            fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, ROOM)
        sys.stdout.flush()
        self.pid = os.fork()
        if not self.pid:
            self._run(work, [writing for _, writing in pipes])
        for _, writing in pipes:
            os.close(writing)
        self._said = [reading for reading, _ in pipes]
        self._code: int | None = None

    def _run(self, work: Callable[[], int | None], pipes: list[int]) -> None:
        code = OWN_ERROR
        try:
            os.setpgid(0, 0)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for stream, pipe in zip((1, 2), pipes, strict=True):
                os.dup2(pipe, stream)
            sys.stdout, sys.stderr = (os.fdopen(os.dup(stream), "w", encoding="utf-8") for stream in (1, 2))
            try:
                code = work() or 0
            except SystemExit as error:
                code = error.code if isinstance(error.code, int) else 1
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)

    def send(self, what: signal.Signals) -> None:
        """Send a signal, unless the child is gone."""
        if self._code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, what)

    def wait(self, seconds: float = 900) -> Said:
        """Wait for the end, which comes by force after some time; return what was said, with the signal as -code."""
        until = time.monotonic() + seconds
        while self._code is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self._code = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > until:
                os.killpg(self.pid, signal.SIGKILL)
            else:
                time.sleep(0.002)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)  # workers of its own
        return Said(self._code, *map(_drained, self._said))

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        if self._code is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code is None


def _drained(pipe: int) -> str:
    try:
        return os.read(pipe, ROOM).decode("utf-8", "replace")
    except BlockingIOError:
        return ""  # a worker that outlives it holds the other end
    finally:
        os.close(pipe)


def frote_main(*arguments: object, folder: Path) -> Callable[[], int | None]:
    """Return what runs the command in a folder, as its own process would."""

    def work() -> int | None:
        from frote.command.main import main

        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        main([str(argument) for argument in arguments], prog_name="frote")
        return 0

    return work
