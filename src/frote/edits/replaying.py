"""An edit made again from its record, and what differs."""

from __future__ import annotations

import shlex
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frote.edits.kept import kept_estimator
from frote.edits.many_files import is_of_many
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
    types: Collection[str] = (),
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

    types : collection of str, default=()
        Types that the estimator of an edit in Python may hold besides those that frote knows.

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
    if order.engine is not None:
        return _replay_many(record, record_path, order, data, test, options)
    require_same_files(record, record_path, data, test)
    estimator = kept_estimator(order, record_path, types)
    table = read_labelled(data, order)
    test_table = None if test is None else read_labelled(test, order, like=table)
    from frote.edits.refound import refound  # heavy: only when nothing is wrong so far
    from frote.edits.running import run
    from frote.edits.verifying.held import HeldFolder

    if "time_limit" in order.settings or "last_step" in order.in_python:
        options = replace(options, last_step=_last_step(record, record_path))
    with tempfile.TemporaryDirectory() as folder:
        new = run(order, table, test_table, Path(folder), options, "", estimator=estimator)
        held = HeldFolder(record_path.parent, record)
        files = [*refound(held, Path(folder), new, table.rows)]
    differing, explanation = [*differences(record, comparable(new, record)), *files], since_then(record)
    return [explanation, *differing] if differing and explanation else differing


def _replay_many(
    record: StoredRecord, record_path: Path, order: Order, data: Path, test: Path | None, options: RunOptions
) -> list[str]:
    """Do the same with an edit that was read by parts, whatever parts they are now."""
    if test is not None:
        raise RecordError(f"The edit of {record_path} had no table to judge on. Leave --test out.")
    from frote.edits.refound import refound  # heavy: only when nothing is wrong so far
    from frote.edits.running_many import many_files, run_many
    from frote.edits.verifying.held import HeldFolder

    many = many_files(order, data)
    here, there = many.described["sha256"], record["data"]["sha256"]
    if here != there:
        raise RecordError(
            f"{data} does not hold the rows of {record['data']['name']}: their digest is {here[:12]}..., and "
            f"{record_path} has {there[:12]}..."
        )
    if "time_limit" in order.settings:
        options = replace(options, last_step=_last_step(record, record_path))
    with tempfile.TemporaryDirectory() as folder:
        new = run_many(order, many, Path(folder), options, "")
        files = [*refound(HeldFolder(record_path.parent, record), Path(folder), new, None)]
    return [*differences(record, comparable(new, record)), *files]


def _last_step(record: StoredRecord, record_path: Path) -> int:
    """Return the step that an edit ended with: how far it came in its time is no property of this machine."""
    steps: Any = record.get("steps")
    last = steps[-1].get("step") if isinstance(steps, list) and steps and isinstance(steps[-1], dict) else None
    if type(last) is not int:
        raise RecordError(f"{record_path} has a time limit and no steps, so that nobody knows where the edit ended.")
    return last


def replay_command(record: Path, data: Path | None, test: Path | None, model: str) -> str:
    """Return the command that repeats an edit; the tables of one in Python stand beside its record.

    Examples
    --------
    >>> replay_command(Path("my edit/edit.json"), Path("loans.csv"), None, "forest")
    "frote replay 'my edit/edit.json' --data loans.csv"
    """
    trained = [] if data is None else ["--data", str(data)]
    judged = [] if test is None else ["--test", str(test)]
    trust = ["--trust-model", model] if ":" in model else []
    return shlex.join(["frote", "replay", str(record), *trained, *judged, *trust])


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
        if is_of_many(path):
            raise RecordError(f"The edit of {record_path} was made of one file, and {path} names many. Name that file.")
        here, there = digest_of(path), recorded["sha256"]
        if here != there:
            raise RecordError(
                f"{path} is not the {recorded['name']} of the edit: its SHA-256 is {here[:12]}..., and "
                f"{record_path} has {there[:12]}..."
            )
