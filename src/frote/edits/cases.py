"""Cases from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from frote.coverage.cases import OWN_COLUMNS, Cases
from frote.exceptions import FileError, TableError
from frote.files import read_table
from frote.table import TypedFrame

if TYPE_CHECKING:
    from pathlib import Path

    from frote.edits.tables import LabelledTable
    from frote.files import FileTable

__all__ = ["CASES", "case_text", "cases_in", "read_cases"]

CASES = "cases.csv"  # in the folder of an edit
MOST = 10_000  # cases of an edit: its record holds them


def read_cases(path: Path, X: Any, y: Any = None, like: FileTable | None = None) -> Cases:
    """Read cases as rows of a table.

    Parameters
    ----------
    path : Path
        A file of any kind that tables come in; see `Cases.of`.

    X, y : DataFrame or TypedFrame, and Series or None
        The table and its labels.

    like : FileTable or None, default=None
        The file of the table, if it is known: what can be read in two ways is read as there.

    Returns
    -------
    Cases

    Raises
    ------
    FileError
        If the file cannot be read, or its cases are none of this table.
    """
    return _of(path, path, X, y, like)


def case_text(path: Path) -> str:
    """Return the cases of a file as text with commas, as a record holds them.

    Raises
    ------
    FileError
        If the file cannot be read, or has too many.
    """
    frame = read_table(path).frame
    if len(frame) > MOST:
        raise FileError(f"{path} has {len(frame):,} cases; an edit keeps at most {MOST:,}. Try the others with score.")
    # As texts, so that a name such as 007 stays one.
    text: str = read_table(path, categorical=list(map(str, frame))).frame.to_csv(index=False)
    return text


def cases_in(folder: Path, text: str, table: LabelledTable) -> Cases:
    """Put the cases of an order into the folder of an edit, and read them as rows of its table."""
    path = folder / CASES
    path.write_text(text, "utf-8")
    return _of(path, CASES, table.rows, table.y, table.source)


def _of(path: Path, what: object, X: Any, y: Any, like: FileTable | None) -> Cases:
    rows = X if isinstance(X, TypedFrame) else TypedFrame.of(X)
    columns = read_table(path, like=like).frame.columns
    texts = {name for name in rows.frame if isinstance(rows.frame[name].dtype, pd.CategoricalDtype)}
    # Names and reasons are texts, also where each of them is a number; and so is a case's only level of a column.
    wanted = [name for name in columns if name in texts or name in OWN_COLUMNS - set(rows.frame)]
    frame = read_table(path, categorical=wanted, like=like).frame
    try:
        return Cases.of(frame, rows, y, what=str(what))
    except TableError as error:
        raise FileError(str(error)) from None
