"""A process that runs the cases of a block, within limits, and tells its parent about each."""

from __future__ import annotations

import ctypes
import json
import logging
import mmap
import os
import resource
import signal
import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from campaigns.campaign import Campaign

__all__ = ["GRACE", "Board", "start"]

GRACE = 2  # how many times its processor time a case may take before its process is ended
MEGABYTE = 2**20
DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG


@dataclass(frozen=True, slots=True)
class Board:
    """Memory that a worker writes to and its parent reads, also after the worker's death."""

    memory: memoryview[int] = field(default_factory=lambda: memoryview(mmap.mmap(-1, 64)).cast("q"))

    # The case that is running, counts of the answers so far, microseconds of the slowest case and which it is.
    NUMBER, HELD, REFUSED, BROKEN, SLOWEST, WHICH = range(6)

    def __getitem__(self, place: int) -> int:
        return self.memory[place]

    def __setitem__(self, place: int, value: int) -> None:
        self.memory[place] = value


def start(campaign: Campaign, seed: int, numbers: range, board: Board, scratch: Path) -> tuple[int, int]:
    """Start a worker; return its process number and the end of a pipe that it writes lines of JSON to."""
    board[Board.NUMBER] = numbers.start
    reading, writing = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    try:
        os.setpgid(0, 0)
        for sent in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sent, signal.SIG_DFL)
        ctypes.CDLL(None).prctl(DIES_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        os.close(reading)
        _work(campaign, seed, numbers, board, scratch, writing)
    finally:
        os._exit(0)


def _work(campaign: Campaign, seed: int, numbers: range, board: Board, scratch: Path, pipe: int) -> None:
    """Run cases, and tell of those that broke a promise at once."""
    os.chdir(scratch)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    before = _megabytes("VmRSS")
    room = int((_megabytes("VmSize") + campaign.megabytes) * MEGABYTE)
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    begun = processor_time()
    for number in numbers:
        board[Board.NUMBER] = number
        case = campaign.case(seed, number)
        signal.setitimer(signal.ITIMER_PROF, GRACE * campaign.seconds)  # kills: nobody handles its signal
        started = processor_time()
        answer = campaign.answer(case)
        spent = processor_time() - started
        signal.setitimer(signal.ITIMER_PROF, 0)
        kind, reason = answer.kind, answer.reason
        if spent > campaign.seconds and kind != "broken":
            kind, reason = "broken", f"took {spent:.1f} s of processor time"
        if spent * 1e6 > board[Board.SLOWEST]:
            board[Board.SLOWEST], board[Board.WHICH] = int(spent * 1e6), number
        if kind == "broken":
            _tell(pipe, {"case": number, "reason": reason})
        board[{"held": Board.HELD, "refused": Board.REFUSED, "broken": Board.BROKEN}[kind]] += 1
    kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    peak = max(_megabytes("VmHWM"), kilobytes / 1024) - before
    _tell(pipe, {"megabytes": round(peak), "seconds": round(processor_time() - begun, 3)})


def processor_time() -> float:
    """Return the processor time of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _megabytes(name: str) -> float:
    """Return a size of this process as Linux tells it."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(f"{name}:"))


def _tell(pipe: int, line: dict[str, Any]) -> None:
    os.write(pipe, json.dumps(line).encode() + b"\n")
