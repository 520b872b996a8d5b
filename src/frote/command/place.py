"""Where a command writes: beside the folder asked for, moved there at the end, so that it is whole or not there."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote.exceptions import FileError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["EDIT", "Place"]

# What an edit writes, without endings.
EDIT = frozenset({"augmented", "before", "edit", "ledger", "model", "report", "rules"})


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to be, and where it is made.

    Parameters
    ----------
    folder : Path
        Where the results are to be.

    writes : frozenset of str
        The names of what is written, without endings. A folder that holds anything else is never replaced.
    """

    folder: Path
    writes: frozenset[str] = EDIT

    @property
    def work(self) -> Path:
        """Where they are made; it stays when a run is killed."""
        return self.folder.with_name(f".{self.folder.name}.frote")

    @property
    def made(self) -> Path:
        """The results so far."""
        return self.work / "made"

    @property
    def checkpoint(self) -> Path:
        """What a run that was killed goes on from."""
        return self.work / "checkpoint"

    @property
    def begun(self) -> bool:
        """Whether a run was cut off after its first steps."""
        return self.checkpoint.is_dir() and any(self.checkpoint.iterdir())

    def begin(self, *, force: bool, resume: bool) -> bool:
        """Make the working folder; return whether there is a checkpoint to go on from.

        Raises
        ------
        FileError
            If the folder is there and may not be replaced, or cannot be written.
        """
        if not self.folder.name:
            raise FileError(f"{self.folder} cannot be made anew. Name a folder in it.")
        if self.folder.exists() and not force:
            raise FileError(f"{self.folder} is there already. Name another folder, or add --force to replace it.")
        if self.folder.exists() and not self._is_ours():
            raise FileError(f"{self.folder} holds more than an edit, so it is not replaced. Name another folder.")
        if self.begun and not (resume or force):
            raise FileError(f"An edit of {self.folder} was cut off. Add --resume to go on, or --force to begin anew.")
        if not resume:
            shutil.rmtree(self.work, ignore_errors=True)
        try:
            shutil.rmtree(self.made, ignore_errors=True)
            self.made.mkdir(parents=True)
        except OSError as error:
            raise FileError(f"{self.folder} cannot be written: {error.strerror}.") from None
        return self.begun

    def _is_ours(self) -> bool:
        """Tell whether all that is there has the name of a result: nobody's files are deleted."""
        return self.folder.is_dir() and all(
            path.name.partition(".")[0] in (EDIT if path.parent != self.folder else self.writes)
            for path in self.folder.rglob("*")
        )

    def finish(self) -> None:
        """Put the results in place; what was there before goes."""
        old = self.work / "old"
        if self.folder.exists():
            os.replace(self.folder, old)
        os.replace(self.made, self.folder)
        self.discard()

    def keep(self) -> bool:
        """Leave nothing behind but what a run can go on from; return whether there is such."""
        shutil.rmtree(self.made if self.begun else self.work, ignore_errors=True)
        return self.begun

    def discard(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self.work, ignore_errors=True)
