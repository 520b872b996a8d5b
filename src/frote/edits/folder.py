"""Where a command writes: beside the folder asked for, moved there at the end, so that it is whole or not there."""

from __future__ import annotations

import ctypes
import os
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from frote.edits.lock import let_go, take
from frote.edits.ours import others
from frote.exceptions import FileError
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Place", "new_file", "put_back"]

HERE, EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux


@dataclass(frozen=True, slots=True)
class Place:
    """A folder to be, and where it is made.

    Parameters
    ----------
    folder : Path
        Where the results are to be.

    force : bool, default=False
        Whether a folder may be replaced that holds what a command of frote wrote, and nothing else.

    reads : tuple of Path, default=()
        What the command reads. It is never replaced.

    beside : mapping of str to str, default=None
        Where an edit is one folder deeper, the digests of what stands beside it.
    """

    folder: Path
    force: bool = False
    reads: tuple[Path | None, ...] = ()
    beside: Mapping[str, str] | None = None

    @property
    def real(self) -> Path:
        """The folder itself, where a link was named."""
        return Path(os.path.realpath(self.folder))

    @property
    def work(self) -> Path:
        """Where the results are made; it stays when a run is killed."""
        return _beside(self.real)

    @property
    def made(self) -> Path:
        """The results so far."""
        return self.work / "made"

    @property
    def old(self) -> Path:
        """What was in the folder before; here only for a moment, where two folders cannot be exchanged in one step."""
        return self.work / "old"

    @property
    def checkpoint(self) -> Path:
        """What a run that was killed goes on from."""
        return self.work / "checkpoint"

    @property
    def begun(self) -> bool:
        """Whether a run was cut off after its first steps."""
        return self.checkpoint.is_dir() and any(self.checkpoint.iterdir())

    @contextmanager
    def taken(self, *, resume: bool = False) -> Iterator[bool]:
        """Take the place for this process alone, and make the working folder; give whether there is a checkpoint.

        Raises
        ------
        FileError
            If the folder is there and may not be replaced, cannot be written, or another process is about to.
        """
        if self.real in (here := Path.cwd(), *here.parents):
            raise FileError(f"{self.folder} cannot be made anew. Name a folder in it.")
        self._require_free()
        with _locked(self.work, self.folder):
            _restore(self)
            self._require_free()
            if self.begun and not (resume or self.force):
                raise FileError(
                    f"An edit of {self.folder} was cut off. Add --resume to go on, or --force to begin anew."
                )
            with _told(self.folder):
                self._clear(keep=resume)
                self.made.mkdir()
            yield self.begun

    def _require_free(self) -> None:
        if not os.path.lexists(self.real):
            return
        if not self.force:
            raise FileError(
                f"{self.folder} is there already. Name another folder, or "
                + way_out("replace it with force=True.", "add --force to replace it.")
            )
        _require_apart(self.folder, self.reads)
        if not self.real.is_dir():
            raise FileError(f"{self.folder} is no folder, so it is not replaced. Name another folder.")
        more = others(self.real, self.beside)
        if more:
            names = ", ".join(more[:3]) + (f" and {len(more) - 3:,} more" if len(more) > 3 else "")
            raise FileError(
                f"{self.folder} holds more than an edit, or what was changed since, so it is not replaced: {names}. "
                "Move it away, or name another folder."
            )

    def finish(self) -> None:
        """Put the results in place; what was there before goes, unless it is no longer what may be replaced."""
        self._require_free()
        if not self.real.exists():
            os.replace(self.made, self.real)
        elif not _exchanged(self.made, self.real):
            os.replace(self.real, self.old)  # killed from here on, the next command puts it back
            try:
                os.replace(self.made, self.real)
            except OSError:
                os.replace(self.old, self.real)
                raise
        self.discard()

    def keep(self) -> bool:
        """Leave nothing behind but what a run can go on from; return whether there is such."""
        begun = self.begun
        self._clear(keep=begun)
        return begun

    def discard(self) -> None:
        """Leave nothing behind."""
        self._clear(keep=False)

    def _clear(self, *, keep: bool) -> None:
        # One by one: what is not ours stays, and so does the lock.
        for folder in (self.made, self.old, *(() if keep else (self.checkpoint,))):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def new_file(file: Path | None, *, force: bool, reads: Iterable[Path | None]) -> Iterator[None]:
    """Take the place of a file for this process alone, if there is to be one.

    Raises
    ------
    FileError
        If the file is there and may not be overwritten, is read by the same command, or another process is about to
        write it.
    """
    if file is None or (file.exists() and not (file.is_file() or file.is_dir())):
        yield  # nothing, or a device such as /dev/stdout
        return
    if file.is_dir():
        raise FileError(f"{file} is a folder. Name a file.")
    _require_apart(file, reads)
    if file.exists() and not force:
        raise FileError(f"{file} is there already. Name another file, or add --force to overwrite it.")
    real = Path(os.path.realpath(file))
    if not real.parent.is_dir():
        raise FileError(f"{file} cannot be written: {real.parent} is no folder. Make it first.")
    with _locked(_beside(real), file):
        if file.exists() and not force:
            raise FileError(f"{file} is there already. Name another file, or add --force to overwrite it.")
        yield


def put_back(path: Path) -> None:
    """Put a folder back that a command was killed in the middle of replacing, if a path lies in such a one."""
    for folder in (path, *path.parents):
        if os.path.lexists(folder):
            return
        place = Place(folder)
        if os.path.isdir(place.old):  # unlike its method, not put out by a name that is too long
            with suppress(FileError), _locked(place.work, folder):
                _restore(place)
            return


def _restore(place: Place) -> None:
    if place.old.is_dir() and not os.path.lexists(place.real):
        os.replace(place.old, place.real)
        place.keep()


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.frote")


@contextmanager
def _locked(work: Path, what: Path) -> Iterator[None]:
    """Hold the lock of a working folder; the folder goes with it if nothing else is left there."""
    if work.is_symlink():
        raise FileError(f"{what} cannot be written: {work} is a link. Remove it.")
    with _told(what):
        lock = work / "lock"
        handle = take(lock)
    if handle is None:
        raise FileError(f"Another command is writing {what}. Wait for its end, or name another.")
    try:
        yield
    finally:
        let_go(lock, handle)
        with suppress(OSError):
            work.rmdir()


@contextmanager
def _told(what: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileError(f"{what} cannot be written: {error.strerror}.") from None


def _require_apart(out: Path, reads: Iterable[Path | None]) -> None:
    """Refuse to write over what is read, by whatever name or link."""
    for path in reads:
        if path is None or not (path.exists() and out.exists()):
            continue
        real = Path(os.path.realpath(path))
        if os.path.samefile(out, real):
            raise FileError(f"{out} is read by the same command, so it is not overwritten. Name another.")
        if any(os.path.samefile(out, folder) for folder in (*real.parents, *path.absolute().parents)):
            raise FileError(f"{path} is read by the same command and lies in {out}. Name another folder.")


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two folders in one step, so that there is no moment without one; return whether the system can."""
    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return bool(rename(HERE, os.fsencode(one), HERE, os.fsencode(other), EXCHANGE) == 0)
