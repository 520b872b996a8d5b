"""The dossier of an edit as files beside its folder; what the owner wrote there is taken in, and never overwritten."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from frote.contracts import misfit
from frote.edits.croissant import croissant
from frote.edits.record import digest_of, read_record
from frote.exceptions import FileError, RecordError
from frote.opened import read_small
from frote.report.dossier import Known, Owned, as_markdown, as_page, blank, gather_dossier, read_owned
from frote.report.dossier.known import RecordFacts
from frote.report.reading import read_report
from frote.whole import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frote.report.dossier.contents import Dossier

__all__ = ["WrittenDossier", "write_dossier"]

RECORD, REPORT, OWNER, LIST = "edit.json", "report.json", "owner.toml", "dossier.json"
LARGEST = 2**20  # bytes of what the owner writes


class MadeFiles(TypedDict):
    """What a dossier wrote: of which edit, by the SHA-256 of its record, and the SHA-256 that each file may have."""

    dossier: Literal[1]
    edit: str
    parts: int
    open: list[str]
    files: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class WrittenDossier:
    """What was written: the folder, the dossier, and whether the one that was there told of another edit."""

    folder: Path
    dossier: Dossier
    of_another: bool


def write_dossier(edit: Path, out: Path | None = None, *, force: bool = False) -> WrittenDossier:
    """Make the dossier of an edit.

    Parameters
    ----------
    edit : Path
        The folder of a finished edit. Nothing is written there.

    out : Path or None, default=None
        The folder to write; None is the name of the edit's with ``-dossier`` behind it, beside it.

    force : bool, default=False
        Whether files of these names may be overwritten that no dossier wrote, or that were changed since.

    Returns
    -------
    WrittenDossier

    Raises
    ------
    FroteError
        If the edit cannot be read or is not what its record lists, what the owner wrote cannot be read, or a file may
        not be overwritten.
    """
    edit = edit if edit.name not in ("", "..") else Path(os.path.realpath(edit))
    out = edit.with_name(f"{edit.name}-dossier") if out is None else out
    _require_place(out, edit)
    owned = _owned(out / OWNER)
    known = _known(edit, owned)
    if known.record["asked"].get("engine") is not None:
        raise RecordError(
            f"{edit} is an edit that was read by parts, and a dossier describes data in one file. Give its report and "
            "its record as they are."
        )
    augmented = _listed(edit, "augmented", known.record)
    ledger = _listed(edit, "ledger", known.record)
    for path in (augmented, ledger):
        _require_listed(path, known.record)
    dossier = gather_dossier(known, owned)
    described = _described(known, owned, augmented, ledger, out)
    contents = {
        "dossier.html": as_page(dossier).encode(),
        "dossier.md": as_markdown(dossier).encode(),
        "croissant.json": (json.dumps(described, indent=2) + "\n").encode(),
    }
    before = _made_before(out / LIST, force=force)
    _require_ours(out, contents, before, force=force)
    _write(out, contents, dossier, known.digest, before)
    return WrittenDossier(out, dossier, before is not None and before["edit"] != known.digest)


def _require_place(out: Path, edit: Path) -> None:
    """Refuse to write into the edit, which is replaced only while it holds nothing else, or through a link."""
    if out.is_symlink():
        raise FileError(f"{out} is a link. Name the folder itself.")
    if out.exists() and not out.is_dir():
        raise FileError(f"{out} is no folder. Name one.")
    real = Path(os.path.realpath(out))
    if Path(os.path.realpath(edit)) in (real, *real.parents):
        raise FileError(f"{out} lies in the folder of the edit, which holds nothing but the edit. Name another folder.")


def _owned(path: Path) -> Owned:
    if path.is_symlink():
        raise FileError(f"{path} is a link. Put the file itself there.")
    if not path.exists():
        return Owned()
    try:
        text = read_small(path, LARGEST).decode("utf-8")
    except UnicodeDecodeError:
        raise RecordError(f"{path} cannot be read: it is not UTF-8.") from None
    return read_owned(text, str(path))


def _known(edit: Path, owned: Owned) -> Known:
    """Read what the edit left, and see that the report is the one that its record lists."""
    path = edit / RECORD
    stored: Any = read_record(path)
    if "files" not in stored:
        raise RecordError(
            f"{path} is of format {stored['edit']}, which does not list the files of an edit. Edit again with this "
            "version of frote."
        )
    fault = misfit(stored, RecordFacts, "the record")
    if fault:
        raise RecordError(f"{path} is no record of an edit, or a damaged one ({fault[:200]}).")
    record: RecordFacts = stored
    _require_listed(edit / REPORT, record)
    return Known(read_report(edit / REPORT), record, edit.name, digest_of(path), owned.croissant)


def _listed(edit: Path, stem: str, record: RecordFacts) -> Path:
    """Return the file of the edit that is named so, whatever its format."""
    name = next((name for name in record["files"] if name.partition(".")[0] == stem and Path(name).name == name), None)
    if name is None:
        raise RecordError(f"{edit / RECORD} lists no file {stem!r}: it is no record of an edit, or a damaged one.")
    return edit / name


def _require_listed(path: Path, record: RecordFacts) -> None:
    """Refuse a file that is not the one of the record."""
    told = f"{path} is not the file that the record of the edit lists, so nothing can be told of it."
    way_out = "Take the folder as the edit wrote it, or edit again."
    if path.is_symlink() or not path.is_file() or digest_of(path) != record["files"].get(path.name):
        raise RecordError(f"{told} {way_out}")


def _described(known: Known, owned: Owned, augmented: Path, ledger: Path, out: Path) -> dict[str, Any]:
    from frote.files import read_table  # heavy: only when nothing is wrong so far

    asked = known.record["asked"]
    table = read_table(augmented, categorical=asked["categorical"], numeric=asked["numeric"])
    places = {path: Path(os.path.relpath(path, Path(os.path.realpath(out)))).as_posix() for path in (augmented, ledger)}
    return croissant(known, owned, table, augmented, ledger, places)


def _made_before(path: Path, *, force: bool) -> MadeFiles | None:
    """Return what an earlier dossier wrote here, if there is one."""
    if force or not path.exists() or path.is_symlink():
        return None
    try:
        listed: Any = json.loads(read_small(path, LARGEST).decode("utf-8"))
        fault = misfit(listed, MadeFiles, "it")
    except (ValueError, RecursionError):
        fault = "it is no JSON"
    if fault:
        raise FileError(f"{path} does not list what a dossier wrote ({fault[:200]}). Remove it, or add --force.")
    made: MadeFiles = listed
    return made


def _require_ours(out: Path, names: Mapping[str, bytes], before: MadeFiles | None, *, force: bool) -> None:
    """Refuse to overwrite what no dossier wrote, or what was changed since."""
    for name in (*names, LIST):
        path = out / name
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise FileError(f"{path} is no file. Move it away, or name another folder.")
        if force or not path.exists() or (before is not None and name == LIST):
            continue
        if before is None or digest_of(path) not in before["files"].get(name, ()):
            raise FileError(
                f"{path} was not written by frote dossier, or changed since. What is yours to say goes into "
                f"{out / OWNER}; add --force to overwrite the file."
            )


def _write(out: Path, contents: Mapping[str, bytes], dossier: Dossier, edit: str, before: MadeFiles | None) -> None:
    """Write all files; killed in between, what is there is still known to be ours."""
    out.mkdir(parents=True, exist_ok=True)
    new = {name: [hashlib.sha256(content).hexdigest()] for name, content in contents.items()}
    old = {} if before is None else before["files"]
    _list(out, dossier, edit, {name: [*digests, *old.get(name, ())] for name, digests in new.items()})
    for name, content in contents.items():
        write_whole(out / name, content)
    if not (out / OWNER).exists():
        write_whole(out / OWNER, blank().encode())
    _list(out, dossier, edit, new)


def _list(out: Path, dossier: Dossier, edit: str, files: dict[str, list[str]]) -> None:
    made: MadeFiles = {
        "dossier": 1,
        "edit": edit,
        "parts": dossier.count,
        "open": [part.key for part in dossier.open_parts],
        "files": files,
    }
    write_whole(out / LIST, (json.dumps(made, indent=2) + "\n").encode())
