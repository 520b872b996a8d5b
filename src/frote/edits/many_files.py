"""Tables that lie in many Parquet files: named by a folder or a pattern, and read by partitions."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING, Any

from frote.exceptions import FileError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["is_of_many", "read_lazily"]

SIGNS = "*?["  # of a pattern


def is_of_many(path: Path) -> bool:
    """Tell whether a path names many files: a folder, or a pattern where there is no file of that name.

    Examples
    --------
    >>> from pathlib import Path
    >>> is_of_many(Path("applications/*.parquet")), is_of_many(Path("loans.csv"))
    (True, False)
    """
    return path.is_dir() or (any(sign in str(path) for sign in SIGNS) and not path.exists())


def read_lazily(path: Path, target: str | None, ignore: Iterable[str] = ()) -> tuple[Any, Any]:
    """Return a table in many Parquet files as a Dask frame, with its column of labels apart.

    Parameters
    ----------
    path : Path
        A folder with Parquet files, or a pattern of such.

    target : str or None
        The column of labels.

    ignore : iterable of str, default=()
        Columns to leave out.

    Returns
    -------
    X : Dask DataFrame
    y : Dask Series or None

    Raises
    ------
    FileError
        If there is no such file or column, or Dask is not installed.
    """
    try:
        import dask.dataframe
    except ImportError:
        raise FileError(f"{path}: many files need Dask. Run: pip install 'frote[dask]'.") from None
    files = sorted(glob.glob(str(path / "*.parquet") if path.is_dir() else str(path)))
    if not files:
        where = "in this folder" if path.is_dir() else "named by this pattern"
        raise FileError(
            f"{path}: there is no Parquet file {where}. Name a folder, or a pattern such as 'data/*.parquet'."
        )
    if not all(file.endswith((".parquet", ".pq")) for file in files):
        other = next(file for file in files if not file.endswith((".parquet", ".pq")))
        raise FileError(f"{path}: {other} is no Parquet file, and of many files only such are read. Convert it first.")
    dd: Any = dask.dataframe
    try:
        data = dd.read_parquet(files)
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: {' '.join(str(error).split())}. Look at its files, or name others.") from None
    names = list(map(str, data.columns))
    for name in (*([] if target is None else [target]), *ignore):
        if name not in names:
            raise FileError(f"{path} has no column {name!r}. {nearest(name, names)}")
    X = data.drop(columns=[*([] if target is None else [target]), *ignore])
    return X, None if target is None else data[target]
