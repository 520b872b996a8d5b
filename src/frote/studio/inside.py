"""A folder that nothing is read or written outside of, whatever names are asked for and whatever links lie in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from frote.opened import read_small
from frote.studio.errors import StudioError, telling
from frote.visible import visible
from frote.whole import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Inside"]

LONGEST = 1_000  # characters of a name
STRANGE = ("", ".", "..")


@dataclass(frozen=True, slots=True)
class Inside:
    """The files of a folder, by names such as ``history/head.json``.

    Parameters
    ----------
    root : Path
        The folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = Inside.of(folder)
    ...     files.write("history/head.json", b"{}")
    ...     files.read("history/head.json"), files.read("policy.rules")
    ...     files.path("../secret")
    Traceback (most recent call last):
        ...
    frote.studio.errors.StudioError: '../secret' is no name of a file in the workspace.
    """

    root: Path

    @classmethod
    def of(cls, folder: str | os.PathLike[str]) -> Inside:
        """Return the files of a folder, which may itself be reached by a link: a person named it."""
        return cls(Path(os.path.realpath(folder)))

    def path(self, name: str) -> Path:
        """Return where a name stands.

        Raises
        ------
        StudioError
            If it points out of the folder, or anything on the way there is a link.
        """
        parts = name.split("/")
        if len(name) > LONGEST or any(part in STRANGE or _is_strange(part) for part in parts):
            raise StudioError(f"{visible(name[:100], lines=False)!r} is no name of a file in the workspace.")
        path = self.root
        for part in parts:
            path = path / part
            if path.is_symlink():
                shown = visible(str(path.relative_to(self.root)), lines=False)
                raise StudioError(f"{shown} of the workspace is a link, which is not followed. Put the file there.")
        return path

    def read(self, name: str, most: int = 2**24) -> bytes | None:
        """Return the content of a file, None if there is none.

        Raises
        ------
        StudioError
            If it cannot be read, is no plain file, or is larger than such a file can be.
        """
        path = self.path(name)
        with telling(f"{name} of the workspace cannot be read", "Mend it or move it away."):
            try:
                return read_small(path, most)
            except FileNotFoundError:
                return None

    def write(self, name: str, content: bytes) -> None:
        """Put a file in place, whole or not at all.

        Raises
        ------
        StudioError
            If it cannot be written; what was there is there still.
        """
        path = self.path(name)
        with telling(f"{name} of the workspace cannot be written", "What was there before is there still."):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        path = self.path(name)
        with telling(f"{name} of the workspace cannot be removed", "Remove it by hand."):
            path.unlink(missing_ok=True)

    def names(self, folder: str, most: int) -> Iterator[str]:
        """Go through the names in a folder ("" for this one), so many at most, in no order; none if there is none."""
        path, shown = (self.path(folder), folder) if folder else (self.root, "The folder")
        with telling(f"{shown} of the workspace cannot be read", "Mend it or move it away."):
            try:
                entries = os.scandir(path)
            except (FileNotFoundError, NotADirectoryError):
                return
            with entries:
                for number, entry in enumerate(entries):
                    if number >= most:
                        raise StudioError(f"{shown} of the workspace holds more than {most:,} files. Move some away.")
                    yield entry.name


def _is_strange(part: str) -> bool:
    """Tell whether a part of a name means something else to a system than a name."""
    return "\\" in part or not part.isprintable() or (os.name == "nt" and ":" in part)
