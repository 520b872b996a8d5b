"""What the folder of an edit in Python keeps so that it can be repeated: its tables, and the untrained estimator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from frote.edits.ours import ESTIMATOR
from frote.edits.record import digest_of
from frote.exceptions import RecordError

if TYPE_CHECKING:
    from collections.abc import Collection

    from frote.edits.order import Order
    from frote.edits.record import StoredRecord, TableFacts

__all__ = ["kept_estimator", "kept_tables"]


def kept_tables(
    record: StoredRecord, record_path: Path, data: Path | None, test: Path | None
) -> tuple[Path, Path | None]:
    """Return the tables of an edit: those named, or else those that stand beside its record.

    Raises
    ------
    RecordError
        If none is named to train on, and none stands there.
    """
    data = data or _beside(record["data"], record_path)
    if data is None:
        raise RecordError(
            f"The edit of {record_path} was trained on {record['data']['name']}. Add --data with that file."
        )
    return data, test or (None if record["test"] is None else _beside(record["test"], record_path))


def _beside(facts: TableFacts, record_path: Path) -> Path | None:
    """Return the file of a table that an edit in Python wrote beside its record; a name may lead nowhere else."""
    name = facts["name"]
    if Path(name).name != name:
        return None
    path = record_path.parent / name
    return path if path.is_file() and not path.is_symlink() else None


def kept_estimator(order: Order, record_path: Path, trusted: Collection[str] = ()) -> Any:
    """Return the estimator that an edit in Python was given, untrained; None if the order names a model.

    Parameters
    ----------
    order : Order
        What was asked for.

    record_path : Path
        The record; the estimator is kept beside it.

    trusted : collection of str, default=()
        Types that the estimator may hold besides those that frote knows.

    Returns
    -------
    classifier or None

    Raises
    ------
    RecordError, ModelError
        If the edit cannot be repeated, or the file is not that of the edit or holds other types.
    """
    if not order.in_python:
        return None
    if order.in_python["unsaid"]:
        raise RecordError(
            f"The edit of {record_path} cannot be repeated: no record can say {'; '.join(order.in_python['unsaid'])}. "
            "Fit it again in Python."
        )
    path = record_path.parent / ESTIMATOR
    if not path.is_file() or digest_of(path) != order.in_python["estimator"]:
        raise RecordError(f"{path} is not the estimator that {record_path} speaks of. Give the folder as it was saved.")
    from frote.edits.saved_models import load_model  # heavy: only when nothing is wrong so far

    return load_model(path, trusted)
