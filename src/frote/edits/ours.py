"""What in a folder an edit wrote, as its record tells: nothing else is ever deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.edits.record import digest_of, read_record
from frote.exceptions import RecordError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from frote.edits.record import StoredRecord

__all__ = ["ESTIMATOR", "FOLDERS", "RECORD", "SIGNATURE", "STEPS", "digests_of", "others"]

RECORD = "edit.json"
SIGNATURE = "edit.json.sig"  # where a signature of the record is put; no record can list it
STEPS = "steps"  # a folder with the batches of a run, if another step of it can be taken
FOLDERS = (STEPS, "augmented", "ledger")  # whose files are those of the edit; of tables, if they are too large for one
ESTIMATOR = "estimator.skops"  # of an edit in Python, untrained
INNER = ("edit", "in-model")  # where the demonstration has its edits
# Records of earlier versions have digests of the first by what they are, and none of the others.
LISTED = frozenset({"augmented", "ledger", "rules"})
UNLISTED = ("before.skops", "model.skops", "report.html", "report.json")


def digests_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in a folder, by name: what the record of an edit lists."""
    return {name: digest_of(path) for name, path in sorted(_inside(folder).items())}


def _inside(folder: Path) -> dict[str, Path]:
    """Return what is in a folder, by name, and in place of the folders in it their files."""
    inside = {path.name: path for path in folder.iterdir()}
    for name in FOLDERS:
        deeper = inside.get(name)
        if deeper is not None and deeper.is_dir() and not deeper.is_symlink():
            del inside[name]
            inside |= {f"{name}/{path.name}": path for path in deeper.iterdir()}
    return inside


def others(folder: Path, beside: Mapping[str, str] | None = None) -> list[str]:
    """Return the names of what in a folder no edit wrote, or what was changed since.

    Parameters
    ----------
    folder : Path
        The folder of an edit.

    beside : mapping of str to str, default=None
        Where edits are one folder deeper, the digests of the files that stand beside it, by name.

    Returns
    -------
    list of str
    """
    if beside is None:
        return _unlike(folder, _edit(folder))
    inner = [name for name in INNER if (folder / name).is_dir() and not (folder / name).is_symlink()]
    more = [f"{name}/{other}" for name in inner for other in others(folder / name)]
    return sorted([name for name in _unlike(folder, beside) if name not in inner] + more)


def _unlike(folder: Path, digests: Mapping[str, str | None]) -> list[str]:
    return sorted(name for name, path in _inside(folder).items() if not _is_as_written(name, path, digests))


def _is_as_written(name: str, path: Path, digests: Mapping[str, str | None]) -> bool:
    if name not in digests or path.is_symlink() or not path.is_file():
        return False
    return digests[name] is None or digest_of(path) == digests[name]


def _edit(folder: Path) -> dict[str, str | None]:
    """Return the files of an edit with their digests, where there is one; None is for any content."""
    record = _record(folder)
    if record is None:
        return {}
    listed, outputs = record.get("files"), record["outputs"]
    if isinstance(listed, dict):
        return {**{name: str(digest) for name, digest in listed.items()}, RECORD: None, SIGNATURE: None}
    names = {path.name: path.name.partition(".")[0] for path in folder.iterdir()}
    listed = {name: str(outputs[stem]) for name, stem in names.items() if stem in LISTED and stem in outputs}
    return {**dict.fromkeys(UNLISTED), **listed, RECORD: None, SIGNATURE: None}


def _record(folder: Path) -> StoredRecord | None:
    try:
        return read_record(folder / RECORD)
    except (OSError, RecordError):
        return None
