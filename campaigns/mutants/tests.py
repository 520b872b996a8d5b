"""Tests against mutants: which tests reach a function, and the first of them that fails when it has a fault.

Tests are collected once, in one process. Each mutant has a fork of it, in which the functions that the fault changes
get other code: nothing is imported or collected again. What a test starts as a process of its own has no fault.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import signal
import sys
import time
from collections import defaultdict
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["Reached", "Session", "collected"]

SLOWEST = 4.0  # seconds of a test that is still used; longer ones are of processes and bounds
SPARE = 5.0  # seconds that a test may take beyond five times what it takes without a fault
MEMORY = 8 << 30


class Reached:
    """Which tests reach each function, and how long they take.

    Parameters
    ----------
    seconds : dict
        What each test takes; nothing for those that are not used.

    functions : dict
        The functions that each test reaches, as file and qualified name.
    """

    def __init__(self, seconds: dict[str, float | None], functions: dict[str, list[list[str]]]) -> None:
        self._seconds = seconds
        self._tests: dict[tuple[str, str], list[str]] = defaultdict(list)
        for test, some in functions.items():
            for file, name in some:
                self._tests[file, name].append(test)

    @classmethod
    def measured(cls, items: list[pytest.Item], path: Path, folder: str) -> Reached:
        """Measure the tests that a file does not know yet, in a process of its own, and write them there."""
        known = json.loads(path.read_text("utf-8")) if path.exists() else {"seconds": {}, "functions": {}}
        new = [item for item in items if item.nodeid not in known["seconds"]]
        child = os.fork() if new else None
        if child == 0:
            _silent()
            for item in new:
                signal.alarm(300)
                seconds, entered = _traced(item)
                known["seconds"][item.nodeid] = seconds
                inside = {(one.co_filename, one.co_qualname) for one in entered if one.co_filename.startswith(folder)}
                known["functions"][item.nodeid] = sorted(inside)
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(known), "utf-8")
            os._exit(0)
        if child and os.waitpid(child, 0)[1]:
            raise SystemExit("The tests could not be measured.")
        known = json.loads(path.read_text("utf-8")) if child else known
        there = {item.nodeid for item in items}  # the file may know tests that are gone
        return cls(known["seconds"], {test: some for test, some in known["functions"].items() if test in there})

    def of(self, path: str, function: str, limit: float) -> dict[str, float]:
        """Return the tests that reach a function, the quickest first, so many that they take a limit of seconds."""
        chosen: dict[str, float] = {}
        usable = {test: seconds for test in self._tests[path, function] if (seconds := self._seconds[test]) is not None}
        for test, seconds in sorted(usable.items(), key=lambda one: one[1]):
            limit -= seconds
            if limit < 0 and chosen:
                break
            chosen[test] = seconds
        return chosen


def _traced(item: pytest.Item) -> tuple[float | None, set[CodeType]]:
    """Run a test; return its seconds, None if it is not to be used, and what it enters."""
    entered: set[CodeType] = set()
    began = time.process_time()
    sys.settrace(lambda frame, *_: entered.add(frame.f_code))  # it returns None: lines are not looked at
    try:
        passed = _passes(item)
    finally:
        sys.settrace(None)
    seconds = time.process_time() - began
    return round(seconds, 4) if passed and seconds < SLOWEST else None, entered


class Session:
    """Collected tests, and the mutants that are tried on them."""

    def __init__(self, items: list[pytest.Item]) -> None:
        self._items = {item.nodeid: item for item in items}

    def killer(self, path: str, code: CodeType, tests: dict[str, float]) -> tuple[str, str]:
        """Try a module with a fault on tests with the seconds they take; return what came of it, and by which test.

        It is killed, timed out, survived, or invalid, if the functions that there are cannot take the code.
        """
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            _silent()
            try:
                self._try(path, code, tests, lambda test: os.write(writing, test.encode() + b"\n"))
            except ValueError:
                os._exit(3)
            except BaseException:
                os._exit(2)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as pipe:
            begun = pipe.read().splitlines()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what its tests started
        verdict = {0: "survived", 3: "invalid", -signal.SIGPROF: "timed out", -signal.SIGALRM: "timed out"}
        if status in (2, -signal.SIGTERM, -signal.SIGINT):  # no test has failed: that is no kill
            raise RuntimeError(f"A mutant of {path} could not be tried: its process ended with {status}.")
        found = verdict.get(status, "killed")
        return found, begun[-1] if begun and found in ("killed", "timed out") else ""

    def _try(self, path: str, code: CodeType, tests: dict[str, float], begin: Callable[[str], Any]) -> None:
        _put(path, code)
        for test, seconds in tests.items():
            begin(test)
            signal.setitimer(signal.ITIMER_PROF, SPARE + 5 * seconds)
            signal.alarm(int(60 + 20 * seconds))  # waits that take no time of the processor
            if not _passes(self._items[test]):
                os._exit(1)


def _passes(item: pytest.Item) -> bool:
    """Run a test on its own: what it shares with others is set up and torn down with it."""
    return all(report.passed or report.skipped for report in runtestprotocol(item, nextitem=None, log=False))


def _silent() -> None:
    os.setpgid(0, 0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _put(path: str, code: CodeType) -> None:
    """Give all functions of a file the code that they have in the module with the fault."""
    codes = {(one.co_qualname, one.co_firstlineno): one for one in _codes(code)}
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename == path:
            new = codes.get((one.__code__.co_qualname, one.__code__.co_firstlineno))
            if new is not None and new != one.__code__:
                one.__code__ = new


def _codes(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _codes(one)


def collected(paths: list[str], root: Path, then: Callable[[list[pytest.Item]], None]) -> None:
    """Collect tests as `make test` does and hand them on."""

    class Plugin:
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            then(session.items)
            return True

    options = ["-q", "-s", "-n", "0", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=0", "--rootdir", str(root)]
    if pytest.main([*options, *paths], plugins=[Plugin()]):
        raise SystemExit("The tests could not be collected.")
