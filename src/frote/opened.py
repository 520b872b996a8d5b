"""Files opened with care: none that would wait for ever, and none that is larger than what it can be."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader

__all__ = ["opened", "read_small"]

SMALL = 16 * 2**20  # bytes of rules, settings or a record
# What a shell hands over, such as by `<(...)`: pipes that someone writes into.
HANDED = (Path("/dev/fd"), Path("/proc/self/fd"))


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[BufferedReader]:
    """Open a file to read its bytes; a named pipe would wait for a writer, and a device may never end.

    Raises
    ------
    OSError
        If it is none, or cannot be opened.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        kind = os.fstat(file.fileno()).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        handed = Path(path) == Path("/dev/stdin") or Path(path).parent in HANDED
        if not (stat.S_ISREG(kind) or (handed and stat.S_ISFIFO(kind))):
            raise OSError(errno.EINVAL, "it is a pipe or a device, and no file", str(path))
        if hasattr(os, "set_blocking"):
            os.set_blocking(file.fileno(), True)
        yield file


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_small(path: str | os.PathLike[str], most: int = SMALL) -> bytes:
    r"""Read a file of rules, settings or the like.

    Raises
    ------
    OSError
        If it cannot be read, or is larger than such a file can be.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "policy.rules")
    ...     _ = path.write_bytes(b"IF age < 29 THEN approved\n")
    ...     read_small(path)
    b'IF age < 29 THEN approved\n'
    """
    with opened(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most // 2**20} MB", str(path))
    return content
