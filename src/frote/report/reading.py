"""A report read back from the file of someone else's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from frote.contracts import misfit
from frote.exceptions import RecordError
from frote.opened import read_small
from frote.plain import unwritable
from frote.report.contents import Report, require_report

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_report"]

LARGEST = 64 * 2**20  # bytes: a thousand rules of a hundred pieces take a few of them


def read_report(path: Path) -> Report:
    """Read a report, and see that it is whole.

    Parameters
    ----------
    path : Path
        The ``report.json`` of an edit.

    Returns
    -------
    Report

    Raises
    ------
    RecordError
        If it is none, damaged, or of another version.
    """
    try:
        summary = json.loads(read_small(path, LARGEST).decode("utf-8"))
        fault = unwritable(summary)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path} is no report of an edit, or a damaged one ({str(error)[:200]}).") from None
    try:
        report = require_report(summary)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None
    fault = fault or misfit(report, Report, "report")
    if fault:
        raise RecordError(f"{path} is no report of an edit, or a damaged one ({fault[:200]}).")
    return report
