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

    from frote.files import FileTable

__all__ = ["read_cases"]


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
    rows = X if isinstance(X, TypedFrame) else TypedFrame.of(X)
    columns = read_table(path, like=like).frame.columns
    texts = {name for name in rows.frame if isinstance(rows.frame[name].dtype, pd.CategoricalDtype)}
    # Names and reasons are texts, also where each of them is a number; and so is a case's only level of a column.
    wanted = [name for name in columns if name in texts or name in OWN_COLUMNS - set(rows.frame)]
    frame = read_table(path, categorical=wanted, like=like).frame
    try:
        return Cases.of(frame, rows, y, what=str(path))
    except TableError as error:
        raise FileError(str(error)) from None
