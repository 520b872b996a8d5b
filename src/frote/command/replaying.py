"""Whether the files that an edit is repeated from are those of its record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.command.record import digest_of
from frote.exceptions import RecordError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["require_same_files"]


def require_same_files(record: Mapping[str, Any], place: Path, data: Path, test: Path | None) -> None:
    """Refuse tables that are not those of the record.

    Raises
    ------
    RecordError
        If one is missing or differs.
    """
    if record["test"] is not None and test is None:
        raise RecordError(f"The edit of {place} was judged on {record['test']['name']}. Add --test with that file.")
    for name, path in (("data", data), ("test", test)):
        if path is None:
            continue
        if record[name] is None:
            raise RecordError(f"The edit of {place} had no table to judge on. Leave --test out.")
        here, there = digest_of(path), record[name]["sha256"]
        if here != there:
            raise RecordError(
                f"{path} is not the {record[name]['name']} of the edit: its SHA-256 is {here[:12]}..., and {place} has "
                f"{there[:12]}..."
            )
