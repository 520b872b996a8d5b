"""An edit made again from its record, and what differs."""

from __future__ import annotations

import shlex
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frote.edits.order import Order
from frote.edits.record import comparable, differences, digest_of, since_then
from frote.edits.tables import read_labelled
from frote.edits.trusted import require_trusted
from frote.exceptions import RecordError

if TYPE_CHECKING:
    from collections.abc import Collection

    from frote.edits.record import StoredRecord
    from frote.edits.run_options import RunOptions

__all__ = ["replay", "replay_command", "require_same_files"]


def replay(
    record: StoredRecord,
    record_path: Path,
    data: Path,
    test: Path | None,
    options: RunOptions,
    trusted: Collection[str] = (),
) -> list[str]:
    """Make an edit again, in a folder that goes, and say what differs: nothing if all is the same.

    Its record is compared, and each file that lies beside it.

    Parameters
    ----------
    record : StoredRecord
        Its record.

    record_path : Path
        Where that was read, for messages.

    data, test : Path
        The tables that were trained and judged on.

    options : RunOptions
        How to go about it.

    trusted : collection of str, default=()
        Functions that may be run to make the model, though only the record names them.

    Returns
    -------
    list of str

    Raises
    ------
    FroteError
        If the tables are not those of the record, or the edit cannot be made.
    """
    order = Order.of(record["asked"])
    require_trusted(order.model, trusted, record_path)
    require_same_files(record, record_path, data, test)
    table = read_labelled(data, order)
    test_table = None if test is None else read_labelled(test, order, like=table)
    from frote.edits.refound import refound  # heavy: only when nothing is wrong so far
    from frote.edits.running import run
    from frote.edits.verifying.held import HeldFolder

    if "time_limit" in order.settings:
        options = replace(options, last_step=_last_step(record, record_path))
    with tempfile.TemporaryDirectory() as folder:
        new = run(order, table, test_table, Path(folder), options, "")
        held = HeldFolder(record_path.parent, record)
        files = [*refound(held, Path(folder), new, table.rows)]
    differing, explanation = [*differences(record, comparable(new, record)), *files], since_then(record)
    return [explanation, *differing] if differing and explanation else differing


def _last_step(record: StoredRecord, record_path: Path) -> int:
    """Return the step that an edit ended with: how far it came in its time is no property of this machine."""
    steps: Any = record.get("steps")
    last = steps[-1].get("step") if isinstance(steps, list) and steps and isinstance(steps[-1], dict) else None
    if type(last) is not int:
        raise RecordError(f"{record_path} has a time limit and no steps, so that nobody knows where the edit ended.")
    return last


def replay_command(record: Path, data: Path, test: Path | None, model: str) -> str:
    """Return the command that repeats an edit.

    Examples
    --------
    >>> replay_command(Path("my edit/edit.json"), Path("loans.csv"), None, "forest")
    "frote replay 'my edit/edit.json' --data loans.csv"
    """
    judged = [] if test is None else ["--test", str(test)]
    trust = ["--trust-model", model] if ":" in model else []
    return shlex.join(["frote", "replay", str(record), "--data", str(data), *judged, *trust])


def require_same_files(record: StoredRecord, record_path: Path, data: Path, test: Path | None) -> None:
    """Refuse tables that are not those of the record.

    Raises
    ------
    RecordError
        If one is missing or differs.
    """
    if record["test"] is not None and test is None:
        raise RecordError(
            f"The edit of {record_path} was judged on {record['test']['name']}. Add --test with that file."
        )
    for recorded, path in ((record["data"], data), (record["test"], test)):
        if path is None:
            continue
        if recorded is None:
            raise RecordError(f"The edit of {record_path} had no table to judge on. Leave --test out.")
        here, there = digest_of(path), recorded["sha256"]
        if here != there:
            raise RecordError(
                f"{path} is not the {recorded['name']} of the edit: its SHA-256 is {here[:12]}..., and "
                f"{record_path} has {there[:12]}..."
            )
