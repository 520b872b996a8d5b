"""Tables that lie in many files: named by a folder or a pattern, and read by partitions."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frote.dask.blocks import row_digest
from frote.dask.frames import computed, parts_of
from frote.exceptions import FileError, nearest
from frote.files.formats import format_of, suffix_of
from frote.files.names import Asked
from frote.files.parts import is_parquet, look_at_parquet, look_at_text, read_part, together

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from frote.edits.record import TableFacts
    from frote.files.parts import Look, PartForm, PartOfTable

__all__ = ["ManyFiles", "files_of", "is_of_many"]

SIGNS = "*?["  # of a pattern
NAMED = ".parquet or .csv"


def is_of_many(path: Path) -> bool:
    """Tell whether a path names many files: a folder, or a pattern where there is no file of that name.

    Examples
    --------
    >>> is_of_many(Path("applications/*.parquet")), is_of_many(Path("loans.csv"))
    (True, False)
    """
    return path.is_dir() or (any(sign in str(path) for sign in SIGNS) and not path.exists())


def files_of(path: Path) -> list[str]:
    """Return the files that a path names, in order of their names: the one, those of a pattern, or a folder's tables.

    Raises
    ------
    FileError
        If there is none, or they are of several formats.
    """
    if not is_of_many(path):
        return [str(path)]
    if path.is_dir():
        inside = sorted(one for one in path.iterdir() if not one.name.startswith((".", "_")))  # marks of who wrote it
        folder = next((one for one in inside if one.is_dir()), None)
        if folder is not None:
            raise FileError(
                f"{path}: {folder} is a folder, and files within it are not read. Put all files of the table into one."
            )
        files, where = [str(one) for one in inside], "in this folder"
    else:
        files, where = sorted(glob.glob(str(path))), "named by this pattern"
    if not files:
        raise FileError(
            f"{path}: there is no table {where}. Name a folder of Parquet or CSV files, or a pattern such as "
            "'data/*.parquet'."
        )
    strange = [file for file in files if not _is_table(file)]
    if strange:
        way = f"Name files that end in {NAMED}" + (
            f", by a pattern such as '{path}/*.parquet'" if path.is_dir() else ""
        )
        raise FileError(f"{path}: {strange[0]} is no table that is read with others. {way}.")
    if len({is_parquet(file) for file in files}) > 1:
        other = next(file for file in files if is_parquet(file) != is_parquet(files[0]))
        raise FileError(
            f"{path}: {files[0]} and {other} are of several formats. Name one of them by a pattern, such as "
            f"'{path if path.is_dir() else path.parent}/*{suffix_of(files[0])}'."
        )
    return files


def _is_table(file: str) -> bool:
    named = format_of(file)
    return named is not None and named.name != "feather"


@dataclass(frozen=True, eq=False)
class ManyFiles:
    """A table in many files, or in one that is read by parts.

    Parameters
    ----------
    path : Path
        How a person named them.

    form : PartForm
        How each piece is read.

    parts : tuple of (PartOfTable, int)
        The pieces in order, with their rows.

    target : str or None
        The column of labels.

    files : int
        How many files there are.
    """

    path: Path
    form: PartForm
    parts: tuple[tuple[PartOfTable, int], ...]
    target: str | None
    files: int

    @classmethod
    def of(
        cls,
        path: Path,
        target: str | None,
        *,
        categorical: Iterable[str] = (),
        numeric: Iterable[str] = (),
        ignore: Iterable[str] = (),
    ) -> ManyFiles:
        """Look at all files: at the feet of Parquet files, and at the whole of others.

        Raises
        ------
        FileError
            If there is no such file or column, files do not go together, or Dask is not installed.
        """
        try:
            import dask.dataframe  # noqa: F401
        except ImportError:
            raise FileError(f"{path}: many files need Dask. Run: pip install 'frote[dask]'.") from None
        asked, files = Asked.of(categorical, numeric), files_of(path)
        looks = _looks(files, asked)
        _require_column(path, looks, target, ignore)
        form = together([_without(look, ignore) for look in looks], asked)
        parts = tuple(part for look in looks for part in look.parts)
        if not parts:
            raise FileError(f"{path}: has no rows in any file. Add some.")
        return cls(path, form, parts, target, len(files))

    @cached_property
    def frame(self) -> Any:
        """The rows as a Dask frame, the labels among them."""
        import dask.dataframe

        import dask

        dd: Any = dask.dataframe
        with dask.config.set({"dataframe.convert-string": False}):  # columns are what they are
            return dd.from_map(
                _Reading(self.form), [part for part, _ in self.parts], meta=self.form.empty, enforce_metadata=False
            )

    @property
    def X(self) -> Any:  # noqa: N802
        """The rows without their labels."""
        return self.frame if self.target is None else self.frame.drop(columns=[self.target])

    @property
    def y(self) -> Any:
        """The labels; None without a target."""
        return None if self.target is None else self.frame[self.target]

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where its files lie."""
        return tuple(dict.fromkeys(Path(part.path).parent for part, _ in self.parts))

    @property
    def lengths(self) -> list[int]:
        """How many rows each partition has."""
        return [rows for _, rows in self.parts]

    @cached_property
    def described(self) -> TableFacts:
        """What a record says of it: its digest is that of its rows, whatever the files are."""
        digest = row_digest(parts_of(self.frame), self.lengths, self.form.empty)
        return {"name": _name_of(self.path), "sha256": digest, "rows": sum(self.lengths), "digest": "rows"}


@dataclass(frozen=True)
class _Reading:
    """Reads pieces: Dask asks for some columns where no others are needed."""

    form: PartForm

    def __call__(self, part: PartOfTable, columns: list[str] | None = None) -> pd.DataFrame:
        return read_part(part, self.form, columns)


def _looks(files: list[str], asked: Asked) -> list[Look]:
    """Look at all files; those of text are read for that, which is done where all else is."""
    if is_parquet(files[0]):
        return [_from_anywhere(look_at_parquet(file, asked)) for file in files]
    from dask.delayed import delayed

    look = delayed(partial(look_at_text, asked=asked), pure=False)
    together: Any = delayed(list, pure=False)
    looks: list[Look] = computed(together([look(os.path.abspath(file)) for file in files]), "the files")
    return [replace(one, path=file) for one, file in zip(looks, files, strict=True)]


def _from_anywhere(look: Look) -> Look:
    """Return what was seen of a file, whose pieces are to be read by workers that may have started elsewhere."""
    parts = tuple((replace(part, path=os.path.abspath(part.path)), rows) for part, rows in look.parts)
    return replace(look, parts=parts)


def _without(look: Look, names: Iterable[str]) -> Look:
    left = tuple(one for one in look.types if one[0] not in set(names))
    return replace(look, types=left)


def _require_column(path: Path, looks: list[Look], target: str | None, ignore: Iterable[str]) -> None:
    """Refuse a table that lacks the target in any file, or a column that is to be left out in all of them."""
    if target is not None and target in set(ignore):
        raise FileError(f"{target!r} is the target and cannot be ignored.")
    names = [dict(look.types) for look in looks]
    if target is not None:
        lacking = [look.path for look, there in zip(looks, names, strict=True) if target not in there]
        if len(lacking) == len(looks):
            raise FileError(f"{path} has no column {target!r}. {nearest(target, names[0])}")
        if lacking:
            raise FileError(
                f"{lacking[0]} has no column {target!r}, and other files have it. Give each file all columns."
            )
    for name in ignore:
        if not any(name in there for there in names):
            raise FileError(f"{path} has no column {name!r}. {nearest(name, names[0])}")


def _name_of(path: Path) -> str:
    """Return what a record calls the table: the end of the path, with the folder of a pattern."""
    return path.name if path.is_dir() or path.is_file() else os.fspath(Path(path.parent.name, path.name))
