"""Tables that lie in several files, read piece by piece: each has the types of the whole, whichever is read first."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.exceptions import FileError
from frote.files.arrow import is_text, pyarrow_for, typed_column
from frote.files.formats import format_of
from frote.files.limits import Limit
from frote.files.names import Asked, checked_names
from frote.files.reading import read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "NULLABLE",
    "Look",
    "PartForm",
    "PartOfTable",
    "is_parquet",
    "look_at_parquet",
    "look_at_text",
    "read_part",
    "together",
]

TEXT, NUMBER, NOTHING = "text", "float64", "nothing"
# The types of pandas' that have room for what is missing.
NULLABLE = {
    "bool": "boolean",
    **{f"{sign}int{size}": f"{sign.upper()}Int{size}" for sign in ("", "u") for size in (8, 16, 32, 64)},
}


@dataclass(frozen=True, slots=True)
class PartOfTable:
    """What is read at once: a file of text, or a group of rows of a Parquet file; `group` is -1 for a whole file."""

    path: str
    group: int = -1


@dataclass(frozen=True, slots=True)
class Look:
    """What one file has: its pieces with their rows, and the type of each column; `gaps`: those that may have some."""

    path: str
    parts: tuple[tuple[PartOfTable, int], ...]
    types: tuple[tuple[str, str], ...]
    gaps: frozenset[str]


@dataclass(frozen=True, slots=True)
class PartForm:
    """How all pieces are read.

    Parameters
    ----------
    types : tuple of (str, str)
        The columns in their order, and what each holds: "text", or the name of a type of pandas'.

    numeric : frozenset of str
        Columns of numbers, which may be dressed up in files of text.
    """

    types: tuple[tuple[str, str], ...]
    numeric: frozenset[str] = frozenset()

    @property
    def names(self) -> list[str]:
        """The columns."""
        return [name for name, _ in self.types]

    @property
    def empty(self) -> pd.DataFrame:
        """The types of a piece, without rows."""
        return pd.DataFrame({name: pd.Series([], dtype="str" if kind == TEXT else kind) for name, kind in self.types})

    def without(self, names: Iterable[str]) -> PartForm:
        """Return the form without some columns, which are not read then."""
        return replace(self, types=tuple(one for one in self.types if one[0] not in set(names)))


def is_parquet(path: str) -> bool:
    """Tell by its name whether a file is a Parquet file.

    Examples
    --------
    >>> is_parquet("loans.pq"), is_parquet("loans.csv.gz")
    (True, False)
    """
    named = format_of(path)
    return named is not None and named.name == "parquet"


def look_at_parquet(path: str, asked: Asked) -> Look:
    """Look at the foot of a Parquet file, which says what it holds; nothing else of it is read.

    Raises
    ------
    FileError
        If it is damaged, or holds what is no table.
    """
    pa = pyarrow_for(path)
    try:
        with pa.parquet.ParquetFile(path) as file:
            metadata, schema = file.metadata, file.schema_arrow
    except (pa.ArrowException, OSError, ValueError) as error:
        why = str(error).partition("\n")[0].rstrip(".")
        raise FileError(f"{path}: is a damaged Parquet file ({why}). Write or copy it again.") from None
    places = {name: place for place, name in enumerate(schema.names) if not name.startswith("__index_level_")}
    checked_names(places, path)
    asked.check(list(places), path)
    types, gaps = [], set()
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    flat = metadata.num_columns == len(schema.names)
    for name, place in places.items():
        types.append((name, _type_of(pa, schema.field(name).type, name, path, asked)))
        counts = [group.column(place).statistics for group in groups] if flat else [None]
        if any(one is None or not one.has_null_count or one.null_count for one in counts):
            gaps.add(name)
    limit = Limit.of(path, os.path.getsize(path))
    for group in groups:
        limit.require_cells(max(group.num_rows, 0), len(places))
        limit.require_bytes(max(group.total_byte_size, 0))
    parts = tuple((PartOfTable(path, at), group.num_rows) for at, group in enumerate(groups) if group.num_rows > 0)
    return Look(path, parts, tuple(types), frozenset(gaps))


def _type_of(pa: Any, kind: Any, name: str, path: str, asked: Asked) -> str:
    if pa.types.is_dictionary(kind):
        if kind.ordered and not asked.is_text(name):
            raise FileError(
                f"{path}: column {name!r} holds categories in an order of their own, which is not kept where a table "
                f"lies in several files. Take them for texts: --categorical {name}."
            )
        kind = kind.value_type
    if asked.is_text(name) or is_text(pa, kind):
        return NUMBER if name in asked.numeric else TEXT
    if pa.types.is_null(kind):
        return NOTHING
    column = typed_column(pa, pa.chunked_array([pa.array([], kind)]), name, path)
    if name in asked.numeric and column.dtype.kind not in "iuf":
        return NUMBER
    return str(column.dtype)


def look_at_text(path: str, asked: Asked) -> Look:
    """Read a file of text as a whole, and tell what it holds."""
    frame = read_table(path, categorical=asked.categorical, numeric=asked.numeric).frame
    types = tuple((str(name), _found(column)) for name, column in frame.items())
    gaps = frozenset(str(name) for name, column in frame.items() if column.hasnans)
    return Look(path, ((PartOfTable(path), len(frame)),), types, gaps)


def _found(column: pd.Series[Any]) -> str:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return TEXT
    if column.isna().all():
        return NOTHING
    plain: Any = getattr(column.dtype, "numpy_dtype", column.dtype)
    return str(plain)


def together(looks: Sequence[Look], asked: Asked) -> PartForm:
    """Return how the files of a table are read, given what is in each: as one file with all rows would be.

    Raises
    ------
    FileError
        If one lacks a column, or holds in it what cannot stand beside what another one has there.

    Examples
    --------
    >>> looks = [
    ...     Look("a.csv", (), (("age", "int64"), ("code", "int64")), frozenset({"age"})),
    ...     Look("b.csv", (), (("age", "int64"), ("code", "text")), frozenset()),
    ... ]
    >>> together(looks, Asked()).types
    (('age', 'Int64'), ('code', 'text'))
    """
    first = looks[0]
    wanted = dict(first.types)
    for one in looks[1:]:
        _require_same_names(first, one)
    gaps = frozenset[str]().union(*(one.gaps for one in looks))
    types = []
    for name in wanted:
        found = {one.path: dict(one.types)[name] for one in looks}
        kind = _common(name, found)
        empty = any(kind == NOTHING for kind in found.values())
        types.append((name, NULLABLE.get(kind, kind) if name in gaps or empty else kind))
    return PartForm(tuple(types), asked.numeric)


def _require_same_names(first: Look, other: Look) -> None:
    here, there = dict(first.types), dict(other.types)
    for one, names, more in ((other, there, here), (first, here, there)):
        for name in more:
            if name not in names:
                whole = first if one is other else other
                raise FileError(
                    f"{one.path} has no column {name!r}, and {whole.path} has one. Give each file all columns, or "
                    f"leave it out: --ignore {name}."
                )


def _common(name: str, found: dict[str, str]) -> str:
    """Return what a column holds in all files, given what it holds in each."""
    kinds = dict.fromkeys(kind for kind in found.values() if kind != NOTHING)
    if len(kinds) <= 1:
        return next(iter(kinds), NUMBER)
    parquet = any(map(is_parquet, found))
    if not parquet and not any(kind.startswith("datetime") for kind in kinds):
        # As in one file: numbers with a point make all of them such, texts or truth values make all of them texts.
        return NUMBER if kinds.keys() <= {"int64", NUMBER} else TEXT
    one, other, *_ = kinds
    where = {kind: path for path, kind in reversed(found.items())}
    raise FileError(
        f"{where[other]}: column {name!r} holds {_words(other)}, and in {where[one]} it holds {_words(one)}. Write it "
        "alike in all files" + ("." if parquet else f", or take it for texts: --categorical {name}.")
    )


def _words(kind: str) -> str:
    if kind == TEXT:
        return "texts"
    return "dates" if kind.startswith("datetime") else kind


def read_part(part: PartOfTable, form: PartForm, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Read a piece of a table, or some columns of it.

    Raises
    ------
    FileError
        If it cannot be read, or is no longer what it was when it was looked at.
    """
    kinds = dict(form.types)
    wanted = [(name, kinds[name]) for name in (kinds if columns is None else columns)]
    read: Callable[..., dict[str, pd.Series[Any]]] = _of_text if part.group < 0 else _of_parquet
    try:
        found = read(part, wanted, form)
        return pd.DataFrame({name: _as(found[name], kind) for name, kind in wanted}, copy=False)
    except FileError:
        raise
    except (KeyError, IndexError, ValueError, TypeError):
        raise FileError(f"{part.path}: was changed while it was read. Begin anew.") from None


def _of_text(part: PartOfTable, wanted: Sequence[tuple[str, str]], form: PartForm) -> dict[str, pd.Series[Any]]:
    texts = [name for name, kind in wanted if kind == TEXT]
    frame = read_table(part.path, categorical=texts, numeric=form.numeric).frame
    return {str(name): column for name, column in frame.items()}


def _of_parquet(part: PartOfTable, wanted: Sequence[tuple[str, str]], form: PartForm) -> dict[str, pd.Series[Any]]:
    pa = pyarrow_for(part.path)
    try:
        with pa.parquet.ParquetFile(part.path) as file:
            table = file.read_row_group(part.group, columns=[name for name, _ in wanted])
            table.validate(full=True)
    except FileNotFoundError:
        raise FileError(f"{part.path}: is not there. Where a cluster reads it, all workers must see it.") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        why = str(error).partition("\n")[0].rstrip(".")
        raise FileError(f"{part.path}: is a damaged Parquet file ({why}). Write or copy it again.") from None
    return {name: _read(pa, table.column(name), name, kind, part.path, form) for name, kind in wanted}


def _read(pa: Any, column: Any, name: str, kind: str, path: str, form: PartForm) -> pd.Series[Any]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if kind == TEXT and not pa.types.is_null(column.type):
        return pd.Series(column.cast(pa.string()).to_pandas().array)
    if kind == NUMBER and is_text(pa, column.type) and name in form.numeric:
        try:
            return pd.Series(column.cast(pa.float64()).to_numpy())
        except pa.ArrowException as error:
            raise FileError(
                f"{path}: column {name!r} is to hold numbers ({error}). Leave it out of --numeric."
            ) from None
    return typed_column(pa, column, name, path)


def _as(column: pd.Series[Any], kind: str) -> pd.Series[Any]:
    """Return a column as one of the type that it has in the whole."""
    if kind != TEXT:
        wanted: Any = kind
        return column if str(column.dtype) == kind else column.astype(wanted)
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = np.append(column.cat.categories.to_numpy(dtype=object), [None])  # the last place is of what is missing
        return pd.Series(pd.Series(levels, dtype="str").array.take(column.cat.codes.to_numpy()))
    if column.isna().all():
        return pd.Series([None] * len(column), dtype="str")
    return column if str(column.dtype) in ("str", "string") else pd.Series(column.array, dtype="str")
