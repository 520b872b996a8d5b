"""Faults of a disk: the n-th thing that a process does to the files of a folder fails.

Python tells an audit hook of every file that is opened, made, moved or removed, and a hook may raise; a full disk in
the middle of a file is a limit on the size of files, which the system itself keeps. Hooks stay: in children only.
"""

from __future__ import annotations

import errno
import os
import resource
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FULL", "WRITING", "Fault", "watch"]

EVENTS = ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.truncate", "os.symlink")
REMOVING = ("os.remove", "os.rmdir")
FULL = (errno.ENOSPC, errno.EDQUOT)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@dataclass(frozen=True, slots=True)
class Fault:
    """What fails.

    Parameters
    ----------
    number : int
        Which of the things that are done to files, from 0 on; -1 for none.

    error : int
        The system's number of the error.

    lasting : bool
        Whether all that come after it fail too, as when a disk is full.

    most : int or None
        The bytes that a file may have; None for as many as it likes.
    """

    number: int = -1
    error: int = errno.ENOSPC
    lasting: bool = False
    most: int | None = None


def watch(folder: Path, fault: Fault, log: Path | None = None) -> None:
    """Let a fault happen in this process to files of a folder; write down how many things were done, if asked to."""
    place, count = str(folder), 0
    counting = os.open(log, os.O_WRONLY | os.O_CREAT) if log is not None else -1

    def happens(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        if event not in EVENTS or not _concerns(event, arguments, place):
            return
        if event in REMOVING and fault.error in FULL:
            return  # there is always room for less
        number, count = count, count + 1
        if counting >= 0:
            os.pwrite(counting, str(count).encode(), 0)
        if fault.number >= 0 and (number == fault.number or (fault.lasting and number > fault.number)):
            raise OSError(fault.error, os.strerror(fault.error), str(arguments[0]))

    plain_fsync = os.fsync

    def fsync(descriptor: int) -> None:
        happens("os.truncate", (place,))  # it counts as another thing that is done
        plain_fsync(descriptor)

    os.fsync = fsync  # type: ignore[assignment] # files with a number of their own are not given to it here
    sys.addaudithook(happens)
    if fault.most is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (fault.most, fault.most))


def _concerns(event: str, arguments: tuple[Any, ...], place: str) -> bool:
    """Tell whether something is done to a file of the folder; to read one is not."""
    path = arguments[0]
    if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & WRITING):
        return False
    if not isinstance(path, str | bytes | os.PathLike):
        return False
    return os.path.abspath(os.fsdecode(path)).startswith(place)
