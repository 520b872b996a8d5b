"""Runs the blocks of a campaign in processes of their own, and ends those that hang."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from campaigns.worker import GRACE, Board, start

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from campaigns.campaign import Campaign

__all__ = ["Block", "run_blocks"]

KEPT = 20  # broken cases of a block that are written down one by one; all are counted


@dataclass(slots=True)
class Block:
    """What became of some cases in a row."""

    first: int
    cases: int
    held: int = 0
    refused: int = 0
    broken: int = 0
    failures: list[dict[str, Any]] = field(default_factory=list)
    slowest: float = 0.0
    slowest_case: int = -1
    megabytes: int = 0
    seconds: float = 0.0

    def add(self, board: Board, lines: Iterable[dict[str, Any]]) -> None:
        """Add what a worker told, to its end or to its death."""
        self.held += board[Board.HELD]
        self.refused += board[Board.REFUSED]
        self.broken += board[Board.BROKEN]
        if board[Board.SLOWEST] > self.slowest * 1e6:
            self.slowest, self.slowest_case = round(board[Board.SLOWEST] / 1e6, 3), board[Board.WHICH]
        for line in lines:
            if "case" in line:
                self.fail(line["case"], line["reason"])
            else:
                self.megabytes = max(self.megabytes, line["megabytes"])
                self.seconds = round(self.seconds + line["seconds"], 3)

    def fail(self, case: int, reason: str) -> None:
        """Note a case that broke a promise."""
        if len(self.failures) < KEPT:
            self.failures.append({"case": case, "reason": reason})


class _Running:
    """A block that is being worked on."""

    def __init__(self, campaign: Campaign, seed: int, numbers: range, scratch: Path) -> None:
        self.block = Block(numbers.start, len(numbers))
        self._campaign, self._seed, self._numbers, self._scratch = campaign, seed, numbers, scratch
        self._begin(numbers)

    def _begin(self, numbers: range) -> None:
        self._board = Board()
        self._told = b""
        self._folder = Path(tempfile.mkdtemp(dir=self._scratch))
        self._moved, self._place, self._hangs = time.monotonic(), numbers.start, False
        self._child, self.pipe = start(self._campaign, self._seed, numbers, self._board, self._folder)

    def watch(self) -> None:
        """End the worker if its case hangs."""
        if self._board[Board.NUMBER] != self._place:
            self._moved, self._place = time.monotonic(), self._board[Board.NUMBER]
        elif time.monotonic() - self._moved > self._campaign.idle:
            self._hangs = True
            self.end()

    def end(self) -> None:
        """End the worker, and all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._child, signal.SIGKILL)

    def read(self) -> bool:
        """Take what the worker tells; return whether the block is done."""
        told = os.read(self.pipe, 65536)
        self._told += told
        if told:
            return False
        os.close(self.pipe)
        status = os.waitpid(self._child, 0)[1]
        self.end()  # what it started outlives it
        shutil.rmtree(self._folder, ignore_errors=True)
        lines = [json.loads(line) for line in self._told.splitlines()]
        self.block.add(self._board, lines)
        if lines and "megabytes" in lines[-1]:
            return True
        number = self._board[Board.NUMBER]
        self.block.broken += 1
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
            self.block.slowest, self.block.slowest_case = GRACE * self._campaign.seconds, number
        self.block.fail(number, self._death(status))
        rest = range(number + 1, self._numbers.stop)
        if rest:
            self._begin(rest)
        return not rest

    def _death(self, status: int) -> str:
        if self._hangs:
            return f"hangs for {self._campaign.idle:g} s"
        if not os.WIFSIGNALED(status):
            return f"ended its process with exit code {os.waitstatus_to_exitcode(status)}"
        if os.WTERMSIG(status) == signal.SIGPROF:
            return f"takes more than {GRACE * self._campaign.seconds:g} s of processor time"
        return f"ended its process by {signal.Signals(os.WTERMSIG(status)).name}"


def run_blocks(campaign: Campaign, seed: int, blocks: Iterable[range], jobs: int, until: float) -> Iterator[Block]:
    """Run blocks, some at a time, until a moment of the monotonic clock; each is handed on when it is done."""
    waiting, running = deque(blocks), list[_Running]()
    scratch = Path(tempfile.mkdtemp(prefix="campaign-"))
    try:
        while True:
            while waiting and len(running) < jobs and time.monotonic() < until:
                running.append(_Running(campaign, seed, waiting.popleft(), scratch))
            if not running:
                return
            ready = select.select([one.pipe for one in running], [], [], 0.5)[0]
            for one in list(running):
                if one.pipe in ready and one.read():
                    running.remove(one)
                    yield one.block
                else:
                    one.watch()
    finally:
        for one in running:
            one.end()
        shutil.rmtree(scratch, ignore_errors=True)
