"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file beside its place and move it there: a full disk or a kill leaves what was there before.

    A link stays a link, and the file keeps the permissions that it had. What is no file, such as ``/dev/stdout``, is
    written to as it is.

    Raises
    ------
    OSError
        If it cannot be written, with the name of the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(f"{folder}/policy.rules", b"IF age < 29 THEN approved")
    ...     os.listdir(folder)
    ['policy.rules']
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    beside = target.with_name(f".{uuid.uuid4().hex[:8]}.{target.name}")  # another one's than that of any other process
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename, error.filename2 = os.fspath(path), None
        raise
