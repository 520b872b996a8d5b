"""The tables in a workspace: what can be opened, and how one comes in."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from frote.edits.record import digest_of
from frote.files.formats import format_of, known_formats
from frote.opened import opened
from frote.studio.errors import StudioError, telling

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frote.studio.inside import Inside

__all__ = ["Tables"]

FOLDER = "data"
MOST = 10_000  # files that are looked at
CHUNK = 2**20  # bytes
LONGEST = 120  # characters of a name
OWN = ("cases.csv", "studio.json")  # what the studio writes itself


@dataclass(frozen=True, slots=True)
class Tables:
    r"""The tables in a workspace.

    Parameters
    ----------
    files : Inside
        The files of the workspace.

    Examples
    --------
    >>> import tempfile
    >>> from frote.studio.inside import Inside
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tables = Tables(Inside.of(folder))
    ...     tables.add("my loans.csv", [b"age,decision\n", b"20,approved\n"], most=100), tables.names()
    ('data/my loans.csv', ['data/my loans.csv'])
    """

    files: Inside

    def names(self) -> list[str]:
        """Return the names of the tables that can be opened: those in the folder itself, and in its ``data``."""
        here = [name for name in self.files.names("", MOST) if name not in OWN]
        below = [f"{FOLDER}/{name}" for name in self.files.names(FOLDER, MOST)]
        return sorted(name for name in (*here, *below) if format_of(name) and self._is_file(name))

    def _is_file(self, name: str) -> bool:
        path = self.files.root / name
        return not (name.split("/")[-1].startswith(".") or path.is_symlink()) and path.is_file()

    def path(self, name: str) -> Path:
        """Return where a table is.

        Raises
        ------
        StudioError
            If it is not there, or the name leads out of the workspace.
        """
        path = self.files.path(name)
        if not path.is_file():
            raise StudioError(
                f"The table {name!r} is not in the workspace any more. Put it back, or open another in the data room."
            )
        return path

    def take(self, path: Path) -> str:
        """Return the name of a table in the workspace, where a copy is made of one that lies elsewhere."""
        real = Path(os.path.realpath(path))
        if real.is_relative_to(self.files.root) and real.is_file():
            name = real.relative_to(self.files.root).as_posix()
            self.files.path(name)
            return name
        with telling(f"{path} cannot be read", "Name another table."), opened(path) as file:
            return self.add(path.name, iter(lambda: file.read(CHUNK), b""))

    def add(self, name: str, chunks: Iterable[bytes], most: int | None = None) -> str:
        """Put a table into the workspace, under a name of its own.

        Parameters
        ----------
        name : str
            What it is called; whatever could mean more than a name is left out.

        chunks : iterable of bytes
            Its content.

        most : int or None, default=None
            The bytes that it may have.

        Returns
        -------
        str
            Its name in the workspace; that of a table which is the same, if there is one.

        Raises
        ------
        StudioError
            If it is none that can be read, is too large, or cannot be written.
        """
        wanted = _clean(name)
        if format_of(wanted) is None:
            raise StudioError(f"{wanted!r} is no table that can be read: {known_formats()}.")
        beside = self.files.path(f"{FOLDER}/.{uuid.uuid4().hex}.part")
        with telling(f"{wanted} cannot be put into the workspace", "Make room, and try again."):
            beside.parent.mkdir(exist_ok=True)
            try:
                digest = _written(beside, chunks, most)
                free = self._free(wanted, digest)
                if not self.files.path(free).exists():
                    beside.replace(self.files.path(free))
            finally:
                beside.unlink(missing_ok=True)
        return free

    def _free(self, wanted: str, digest: str) -> str:
        """Return a name that no other table has; that of the same table, if it is there."""
        first, dot, rest = wanted.partition(".")
        for number in range(1, MOST):
            name = f"{FOLDER}/{first}{f'-{number}' if number > 1 else ''}{dot}{rest}"
            path = self.files.path(name)
            if not os.path.lexists(path) or (path.is_file() and digest_of(path) == digest):
                return name
        raise StudioError(f"There are too many tables named {wanted!r} in the workspace. Move some away.")


def _clean(name: str) -> str:
    """Return a name without folders and without letters that mean more than themselves."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    plain = re.sub(r"[^\w .()+-]", "_", last).strip(" .")
    stem, dot, ending = plain.rpartition(".")
    return f"{stem[:LONGEST]}{dot}{ending[:LONGEST]}" or "table"


def _written(path: Path, chunks: Iterable[bytes], most: int | None) -> str:
    """Write a file and return its digest."""
    digest, size = hashlib.sha256(), 0
    with path.open("xb") as file:
        for chunk in chunks:
            size += len(chunk)
            if most is not None and size > most:
                raise StudioError(f"The table is larger than {most / 2**20:,.0f} MB. Put it into the folder yourself.")
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()
