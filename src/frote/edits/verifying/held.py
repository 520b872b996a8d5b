"""What a folder holds, read as if a stranger had written it: nothing outside it, nothing without end, no model."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from frote.edits.ours import FOLDERS, RECORD, SIGNATURE
from frote.edits.record import digest_of, record_of
from frote.exceptions import RecordError
from frote.opened import read_small

if TYPE_CHECKING:
    from pathlib import Path

    from frote.edits.record import StoredRecord

__all__ = ["ALWAYS", "PARTS", "TABLES", "HeldFile", "HeldFolder", "fault_of"]

MOST = 8 * 2**30  # bytes of all files that are looked at, but for those of tables that are read part by part
TABLES = ("augmented", "ledger")  # files that end as the data do, or folders of such
ALWAYS = ("rules.rules", "before.skops", "model.skops", "report.json", "report.html")
PARTS = tuple(f"{stem}/" for stem in TABLES)
GONE = "it is not there"
ALIEN = "/\\:\0"  # what no name of a file in a folder has on every system


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A file that a record lists.

    Parameters
    ----------
    name : str
        Its name, as the record has it.

    digest : str
        The SHA-256 that the record has.

    fault : str
        Why it was not read; empty if it was.

    same : bool
        Whether it is the file of the record.
    """

    name: str
    digest: str
    fault: str
    same: bool


def fault_of(folder: Path, name: str) -> str:
    """Say why a file that a record lists is not read, if it is not: it may be anything, and anywhere.

    Examples
    --------
    >>> from pathlib import Path
    >>> fault_of(Path("edit"), "../../etc/passwd")
    'this is no name of a file of an edit, so it was not looked at'
    """
    where, _, inside = name.partition("/")
    inner = inside if where in FOLDERS and inside else name
    if inner in ("", ".", "..", RECORD) or any(sign in inner for sign in ALIEN):
        return "this is no name of a file of an edit, so it was not looked at"
    try:
        if inner != name and (folder / where).is_symlink():
            return f"{where} is a link, which is not followed"
        mode = (folder / name).lstat().st_mode
    except FileNotFoundError:
        return GONE
    except OSError as error:
        return f"it cannot be read ({error.strerror or error})"
    if stat.S_ISLNK(mode):
        return "it is a link, which is not followed"
    if not stat.S_ISREG(mode):
        return "it is no file"
    return "" if os.access(folder / name, os.R_OK) else "you are not permitted to read it"


@dataclass(frozen=True, eq=False)
class HeldFolder:
    """The folder of an edit.

    Parameters
    ----------
    folder : Path
        The folder.

    record : StoredRecord
        Its record.

    content : bytes, default=b""
        The record as it lies there.
    """

    folder: Path
    record: StoredRecord
    content: bytes = b""

    @classmethod
    def of(cls, path: Path) -> HeldFolder:
        """Read the record of a folder, given that or its record.

        Raises
        ------
        RecordError
            If there is no record, or a damaged one.
        """
        folder = path.parent if path.name == RECORD else path
        record = folder / RECORD
        if record.is_symlink():
            raise RecordError(f"{record} is a link, which is not followed. Give the folder that it leads to.")
        try:
            content = read_small(record)
        except (FileNotFoundError, NotADirectoryError):
            raise RecordError(f"{path} is no folder of an edit: there is no {RECORD} in it.{_inside(folder)}") from None
        return cls(folder, record_of(content, record), content)

    @property
    def form(self) -> int:
        """The format of its record."""
        return self.record["edit"]

    @cached_property
    def listed(self) -> dict[str, str]:
        """The files that the record lists, with their digests; of an early one that lists none, those it knows of."""
        if "files" in self.record:
            return {name: str(digest) for name, digest in self.record["files"].items()}
        outputs, inside = self.record["outputs"], sorted(path.name for path in self.folder.iterdir())
        return {name: outputs[stem] for name in inside for stem in [name.partition(".")[0]] if stem in outputs}

    @cached_property
    def files(self) -> tuple[HeldFile, ...]:
        """The same, compared with what is there."""
        left, files = MOST, []
        for name, digest in sorted(self.listed.items()):
            fault = fault_of(self.folder, name)
            if not fault:
                left -= 0 if name.startswith(PARTS) else (self.folder / name).stat().st_size
                fault = "" if left >= 0 else f"with others it has more than {MOST // 2**30} GB, so it was not read"
            files.append(HeldFile(name, digest, fault, not fault and digest_of(self.folder / name) == digest))
        return tuple(files)

    @property
    def is_alone(self) -> bool:
        """Whether no file of the edit lies beside its record."""
        return all(one.fault == GONE for one in self.files)

    def path_of(self, name: str) -> Path | None:
        """Return where a file is, by its name, or by what stands before any ending; None if it is not to be read."""
        names = [one.name for one in self.files if not one.fault and name in (one.name, one.name.partition(".")[0])]
        return self.folder / names[0] if len(names) == 1 else None

    def parts_of(self, stem: str) -> list[Path]:
        """Return where the parts of a table are that lies in a folder; none if one of them is not to be read."""
        parts = [one for one in self.files if one.name.startswith(f"{stem}/")]
        return [] if any(one.fault for one in parts) else [self.folder / one.name for one in parts]

    @cached_property
    def more(self) -> list[str]:
        """The names of what is in the folder and no part of the edit."""
        inside = [path.name for path in self.folder.iterdir()]
        for name in FOLDERS:
            deeper = self.folder / name
            if deeper.is_dir() and not deeper.is_symlink():
                inside += [f"{name}/{path.name}" for path in deeper.iterdir()]
        folders = {name.partition("/")[0] for name in self.listed if "/" in name}
        return sorted(set(inside) - {*self.listed, RECORD, SIGNATURE, *folders})


def _inside(folder: Path) -> str:
    """Name the edits one folder deeper, if there are such."""
    inner = sorted(path.parent.name for path in folder.glob(f"*/{RECORD}"))
    return f" There are edits in it: {', '.join(inner[:3])}." if inner else ""
