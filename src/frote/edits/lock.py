"""A lock that one process holds at a time; the system lets go of it when the process ends, however it ends."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["let_go", "take"]

TRIES = 100  # each is used up only by another process that ends in between
NOT_A_LINK = getattr(os, "O_NOFOLLOW", 0)


def take(path: Path) -> int | None:
    """Take the lock that a file stands for; return what `let_go` asks for, None if another process holds it.

    The file's folder is made if it is not there. Whoever holds the lock removes the file when it lets go, so a file
    that was opened may be one that nobody else will ever see: then another one is opened.
    """
    for _ in range(TRIES):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT | NOT_A_LINK, 0o666)
        except FileNotFoundError:
            continue  # its folder was removed in between
        if not _locked(file):
            os.close(file)
            return None
        if _is_at(file, path):
            return file
        os.close(file)
    return None


def let_go(path: Path, file: int) -> None:
    """Let go of a lock, and remove its file; one that cannot be removed does no harm, as nobody holds it."""
    if sys.platform == "win32":
        os.close(file)  # what is open cannot be removed there
        _removed(path)
    else:
        _removed(path)
        os.close(file)


def _removed(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _locked(file: int) -> bool:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks: nothing can be held there
            return True
        return True
