"""The files of an edit that was made again, held against those that lie in its folder."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import TYPE_CHECKING

from frote.edits.ours import STEPS
from frote.edits.record import differences, digest_of, root_of
from frote.edits.results import digest_of_predictions
from frote.edits.saved_models import load_model
from frote.edits.verifying.held import PARTS, fault_of
from frote.exceptions import FroteError
from frote.files.names import Asked
from frote.files.parts import look_at_parquet, read_part, together
from frote.loop.checkpoint_contents import run_of
from frote.opened import opened, read_small
from frote.report import render
from frote.report.reading import LARGEST, read_report
from frote.table.row_digest import digest_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd

    from frote.edits.record import Record
    from frote.edits.verifying.held import HeldFolder
    from frote.table import TypedFrame

__all__ = ["refound"]

REPORT, PAGE, MODEL, RUN = "report.json", "report.html", "model.skops", f"{STEPS}/run.json"
# What is of the day, and of the names of files, in a report.
OF_THE_DAY = ("run.date", "run.data.name", "run.test.name", "title", "repeat.command", "repeat.files")


def refound(held: HeldFolder, again: Path, record: Record, rows: TypedFrame | None) -> Iterator[str]:
    """Say which files of a folder are not those of the edit made again, and how they differ.

    Parameters
    ----------
    held : HeldFolder
        The folder.

    again : Path
        The folder with the edit made again.

    record : Record
        The record of that.

    rows : TypedFrame or None
        The rows that were trained on; None if no memory holds them.

    Yields
    ------
    str
    """
    if root_of(held.record) != held.record.get("root", root_of(held.record)):
        yield "edit.json: another root belongs to what it says"
    if held.is_alone:
        return
    listed = {one.name: one for one in held.files}
    kept = _tables_kept(record)
    for name in sorted({*listed, *(record["files"] if "root" in held.record else ())} - kept):
        fault = listed[name].fault if name in listed else fault_of(held.folder, name)
        if fault:
            yield f"{name}: {fault}"
        elif name not in record["files"]:
            yield f"{name}: the edit made again has none"
        elif name == REPORT:
            yield from _reports(held.folder, again)
        elif name == PAGE:
            yield from _pages(held.folder)
        elif name == RUN:
            yield from _runs(held.folder / name, again / name)
        elif digest_of(held.folder / name) != record["files"][name] and not (
            name.startswith(PARTS) and _same_rows(held.folder / name, again / name)
        ):
            yield f"{name}: {_unlike(held.folder / name, again / name, record, rows)}"


def _tables_kept(record: Record) -> set[str]:
    """Return the names of tables that lie in the folder itself; by their digests they were taken to be trained on."""
    tables = [one for one in (record["data"], record["test"]) if one is not None]
    return {one["name"] for one in tables} if record["asked"].get("in_python") else set()


def _reports(here: Path, again: Path) -> Iterator[str]:
    try:
        told, made = read_report(here / REPORT), read_report(again / REPORT)
    except FroteError as error:
        yield f"{REPORT}: {error}"
        return
    yield from (f"{REPORT}: {line}" for line in differences(told, made, aside=OF_THE_DAY))


def _pages(here: Path) -> Iterator[str]:
    """Say so if a page is not the one that its report makes."""
    try:
        page = render(read_report(here / REPORT)).encode()
        same = page == read_small(here / PAGE, LARGEST)
    except (FroteError, OSError):
        return  # it was told of the report
    if not same:
        yield f"{PAGE}: it is not the page of {REPORT}"


def _runs(here: Path, again: Path) -> Iterator[str]:
    """Say so if the steps that are kept are not those made again; what they took is another time each time."""
    try:
        told, made = (_told_of(path) for path in (here, again))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError):
        yield f"{RUN}: it is damaged"
        return
    if told != made:
        yield f"{RUN}: its steps differ from those made again"


def _told_of(path: Path) -> str:
    run = run_of(read_small(path))
    for step in run["steps"]:
        for name in [name for name in step if name.endswith("_seconds")]:
            del step[name]
    return json.dumps(run, sort_keys=True)


def _same_rows(here: Path, again: Path) -> bool:
    """Tell whether two parts of a table hold the same rows, though another version of PyArrow wrote other bytes."""
    try:
        one, other = (digest_of_rows(_frames(path)) for path in (here, again))
    except FroteError:
        return False
    return one == other


def _frames(path: Path) -> Iterator[pd.DataFrame]:
    look = look_at_parquet(str(path), Asked())
    return (read_part(part, together([look], Asked())) for part, _ in look.parts)


def _unlike(here: Path, again: Path, record: Record, rows: TypedFrame | None) -> str:
    """Say how a file differs from the one made again."""
    if here.name == MODEL and rows is None:
        return "it is another model than the one made again"
    if here.name == MODEL and rows is not None:
        return f"it is another model than the one made again, which {_predicts(here, record, rows)}"
    if here.suffix in (".skops", ".npz", ".gz", ".parquet", ".feather"):
        return "it differs from the one made again"
    with opened(here) as one, opened(again) as other:
        for number, (line, wanted) in enumerate(zip_longest(one, other), 1):
            if line != wanted:
                return f"it differs from the one made again, first in line {number:,}"
    return "it differs from the one made again"


def _predicts(here: Path, record: Record, rows: TypedFrame) -> str:
    """Say whether a model predicts on the data what the one made again does."""
    try:
        same = digest_of_predictions(load_model(here), rows) == record["outputs"]["predictions"]
    except Exception as error:  # whatever a model of someone else's raises
        return f"cannot be compared ({error})"
    return "predicts the same on the data" if same else "predicts otherwise on the data"
