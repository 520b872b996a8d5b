"""One pass over a Dask frame that learns what its columns are, so that any partition is typed as the whole would be.

What decides the kind and the levels of a column are a few of its values: one number between whole ones, each text once.
These *witnesses* are kept, and read in the end as the whole would be. They are the same in whatever order partitions
come, as each knows the place that it has in the whole.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.dask.failing import require_package
from frote.dask.frames import computed, folded, parts_of, require_whole_types
from frote.exceptions import FroteError, TableError
from frote.table import Kind, Table
from frote.table.frames import fractional

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from frote.table import Column, ColumnData, Schema

__all__ = ["Seen", "Survey"]

MOST_LEVELS = 1_000_000  # distinct values of one column that may be brought to one place
PLACES = 1 << 40  # more rows than any partition has


@dataclass(frozen=True, slots=True)
class Seen:
    """What the values of a column are.

    Parameters
    ----------
    missing : int
        How many are missing.

    counts : dict
        How many rows have each level that is there; empty for a column without levels.

    low, high : float, int or None
        The least and the greatest number, or count of time units; None for levels, and where all are missing.
    """

    missing: int
    counts: dict[Any, int]
    low: Any = None
    high: Any = None

    @classmethod
    def of(cls, column: Column, data: ColumnData) -> Seen:
        """Look at the values of a column."""
        missing = int(np.count_nonzero(data.gaps()))
        if column.kind.has_levels:
            counts = np.bincount(data.present, minlength=len(column.levels)).tolist()
            return cls(missing, {level: n for level, n in zip(column.levels, counts, strict=True) if n})
        if missing == len(data):
            return cls(missing, {})
        return cls(missing, {}, data.present.min().item(), data.present.max().item())

    def joined(self, other: Seen) -> Seen:
        """Return what the values of two parts of a column are."""
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        counts = dict(Counter(self.counts) + Counter(other.counts)) if other.counts else self.counts
        return Seen(self.missing + other.missing, counts, min(lows, default=None), max(highs, default=None))


@dataclass(frozen=True, slots=True, eq=False)
class _Witnesses:
    """Some values of a column that tell what it is, in their order in the whole; `places`: where they stand in it."""

    values: pd.Series[Any]
    places: NDArray[np.int64]

    def chosen(self, positions: NDArray[np.intp]) -> _Witnesses:
        """Return those at some positions."""
        if len(positions) > MOST_LEVELS:
            raise TableError(
                f"Column {str(self.values.name)!r} has more than {MOST_LEVELS:,} distinct values. Leave it out, or "
                "group them."
            )
        return _Witnesses(self.values.iloc[positions].reset_index(drop=True), self.places[positions])

    @classmethod
    def stacked(cls, parts: list[_Witnesses]) -> _Witnesses:
        """Return those of some parts of a column, in order."""
        parts = [part for part in parts if len(part.places)] or parts[:1]
        places = np.concatenate([part.places for part in parts])
        order = np.argsort(places)
        values = pd.concat([part.values for part in parts], ignore_index=True)
        return cls(values.iloc[order].reset_index(drop=True), places[order])

    def of_column(self, coded: dict[str, Kind]) -> _Witnesses:
        """Choose again, among the witnesses of some parts of a column."""
        name = str(self.values.name)
        kinds = {name: coded[name]} if name in coded else None
        table = Table.from_frame(self.values.to_frame(), kinds=kinds)
        return self.chosen(_telling(self.values, table.schema.columns[0], table[name]))

    def of_labels(self) -> _Witnesses:
        """Choose each label once."""
        return self.chosen(np.flatnonzero(~self.values.duplicated().to_numpy()))


def _telling(values: pd.Series[Any], column: Column, data: ColumnData) -> NDArray[np.intp]:
    """Return the positions of the values that tell what a column is."""
    if not len(values):
        return np.empty(0, dtype=np.intp)
    if column.kind is Kind.CATEGORICAL and not isinstance(values.dtype, pd.CategoricalDtype):
        return np.sort(np.unique(data.values, return_index=True)[1])
    here = ~data.gaps()
    if column.kind is Kind.CONTINUOUS and (between := fractional(data.values)).any():
        here = between
    return np.array([here.argmax()])  # the first row of all where no value is there


def _seen(table: Table) -> dict[str, Seen]:
    """Return what the values of each column are."""
    return {column.name: Seen.of(column, table[column.name]) for column in table.schema}


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What one or more partitions tell. What is wrong is handed on, so that the first fault of all is told."""

    lengths: dict[int, int]
    witnesses: dict[str, _Witnesses]
    seen: dict[str, Seen]
    labels: _Witnesses | None
    fault: tuple[int, FroteError] | None = None


@dataclass(frozen=True, slots=True)
class _Looking:
    """Looks at partitions, given what Dask takes them to be, and the columns that are read as categorical."""

    empty: pd.DataFrame
    no_label: Any
    coded: dict[str, Kind]

    def at(self, place: int, frame: pd.DataFrame, labels: Any = None) -> _Part:
        """Look at one partition."""
        try:
            _require_alike(frame, self.empty, place)
            if self.no_label is not None:
                _require_labels(labels, self.no_label, len(frame), place)
            return self._told(place, frame, labels)
        except FroteError as error:
            return _Part({}, {}, {}, None, (place, error))

    def _told(self, place: int, frame: pd.DataFrame, labels: Any) -> _Part:
        table = Table.from_frame(frame, kinds=self.coded)
        places = place * PLACES + np.arange(len(frame))
        witnesses = {}
        for at, column in enumerate(table.schema):
            values = frame.iloc[:, at]
            chosen = _telling(values, column, table[column.name])
            witnesses[column.name] = _Witnesses(values, places).chosen(chosen)
        known = None if self.no_label is None else _Witnesses(labels, places).of_labels()
        return _Part({place: len(frame)}, witnesses, _seen(table), known)

    def joined(self, parts: list[_Part]) -> _Part:
        """Put parts together, in whatever order they come."""
        faults = [part.fault for part in parts if part.fault is not None]
        if faults:
            return _Part({}, {}, {}, None, min(faults, key=lambda fault: fault[0]))
        try:
            return self._together(parts)
        except FroteError as error:
            return _Part({}, {}, {}, None, (min(parts[0].lengths), error))

    def _together(self, parts: list[_Part]) -> _Part:
        if len(parts) == 1:
            return parts[0]
        lengths = {place: rows for part in parts for place, rows in part.lengths.items()}
        seen, witnesses = {}, {}
        for name in parts[0].seen:
            seen[name] = reduce(Seen.joined, [part.seen[name] for part in parts])
            witnesses[name] = _Witnesses.stacked([part.witnesses[name] for part in parts]).of_column(self.coded)
        labels = [part.labels for part in parts if part.labels is not None]
        return _Part(lengths, witnesses, seen, _Witnesses.stacked(labels).of_labels() if labels else None)


def _require_alike(frame: pd.DataFrame, empty: pd.DataFrame, at: int) -> None:
    """Refuse a partition the columns of which are not those of the whole."""
    where = f"Partition {at} of X"
    lacking = [label for label in empty.columns if label not in frame.columns]
    if lacking:
        raise TableError(f"{where} has no column {str(lacking[0])!r}, as others have. Give each file all columns.")
    if list(frame.columns) != list(empty.columns):
        raise TableError(f"{where} has other columns than X, or in another order. Give each file the same.")
    for place, label in enumerate(empty.columns):
        here, wanted = frame.dtypes.iloc[place], empty.dtypes.iloc[place]
        if here != wanted:
            raise TableError(
                f"{where} holds column {str(label)!r} as {here}, and {wanted} is expected. Give it one type in all "
                f"files, or say which: X.astype({{{str(label)!r}: {str(here)!r}}})."
            )
        if isinstance(wanted, pd.CategoricalDtype) and list(here.categories) != list(wanted.categories):
            raise TableError(
                f"{where} has other categories in column {str(label)!r} than are expected, or in another order. "
                f"Look for all of them with X.categorize(columns=[{str(label)!r}])."
            )
        if wanted == np.dtype(object):
            _require_texts(frame.iloc[:, place], where)


def _require_texts(values: pd.Series[Any], where: str) -> None:
    content = pd.api.types.infer_dtype(values, skipna=True)
    if content not in ("string", "empty"):
        raise TableError(
            f"{where} holds Python objects ({content}) in column {str(values.name)!r}, and by partitions objects are "
            "read if all of them are texts. Give the column a type."
        )


def _require_labels(labels: pd.Series[Any], no_label: pd.Series[Any], rows: int, at: int) -> None:
    """Refuse labels that do not stand beside their rows, or are missing."""
    where = f"Partition {at} of y"
    if len(labels) != rows:
        raise TableError(f"{where} has {len(labels):,} labels for {rows:,} rows. Take X and y from one frame.")
    if labels.dtype != no_label.dtype:
        raise TableError(f"{where} is {labels.dtype}, and {no_label.dtype} is expected. Give all files one type.")
    gone = labels.isna().to_numpy()
    if rows and gone.all():
        raise TableError(f"{where} has no label at all. Look whether its file lacks the target, or leave it out.")
    if gone.any():
        raise TableError(
            f"{where} has a missing label at position {int(gone.argmax())} of the partition. Drop the rows without one."
        )


@dataclass(frozen=True, eq=False)
class Survey:
    """What one pass over a Dask frame tells.

    Parameters
    ----------
    witness : Table
        A few rows with the schema of the whole, and its types.

    lengths : tuple of int
        How many rows each partition has.

    seen : dict of str to Seen
        What the values of each column are.

    labels : Series or None
        Each distinct label once, of the caller's type, in the order in which they first come.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> X = dd.from_pandas(pd.DataFrame({"age": [31.0, 25.0, 40.5], "purpose": ["car", "boat", "car"]}), npartitions=2)
    >>> survey = Survey.of(X)
    >>> survey.schema["age"].kind, survey.schema["purpose"].levels, survey.lengths
    (<Kind.CONTINUOUS: 'continuous'>, ('boat', 'car'), (2, 1))
    >>> survey.typed(X.partitions[0].compute()).schema["age"].kind
    <Kind.CONTINUOUS: 'continuous'>
    """

    witness: Table
    lengths: tuple[int, ...]
    seen: dict[str, Seen]
    labels: pd.Series[Any] | None = None

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        *,
        kinds: Mapping[str, str] | None = None,
        levels: Mapping[str, Iterable[Any]] | None = None,
    ) -> Survey:
        """Go through a Dask frame once.

        Parameters
        ----------
        X : Dask DataFrame
            The rows.

        y : Dask Series, default=None
            Their labels, by the same partitions.

        kinds, levels
            As for `Table.from_frame`.

        Returns
        -------
        Survey

        Raises
        ------
        TableError
            If partitions do not fit together, labels are missing, or `Table.from_frame` cannot read the whole.
        """
        from dask.delayed import delayed

        given = parts_of(X, y)
        require_whole_types(X)
        require_package()
        coded = {str(name): Kind.CATEGORICAL for name, kind in (kinds or {}).items() if kind == Kind.CATEGORICAL}
        looking = _Looking(X._meta, None if y is None else y._meta, coded)
        look = delayed(looking.at, pure=True)
        whole = computed(folded((look(place, *part) for place, part in enumerate(given)), looking.joined))
        if whole.fault is not None:
            raise whole.fault[1]
        witness = Table.from_frame(_side_by_side(X._meta, whole.witnesses), kinds=kinds, levels=levels)
        lengths = tuple(whole.lengths[place] for place in sorted(whole.lengths))
        return cls(witness, lengths, whole.seen, None if whole.labels is None else whole.labels.values)

    @classmethod
    def of_frames(cls, frames: Iterable[pd.DataFrame], empty: pd.DataFrame) -> Survey:
        """Go through frames that follow each other, without an engine; `empty` has their types.

        Examples
        --------
        >>> frames = [pd.DataFrame({"age": ages}) for ages in ([31.0, 25.0], [40.5])]
        >>> Survey.of_frames(frames, frames[0]).schema["age"].kind
        <Kind.CONTINUOUS: 'continuous'>
        """
        looking = _Looking(empty, None, {})
        whole = looking.at(0, empty.iloc[:0])
        for place, frame in enumerate(frames, 1):
            whole = looking.joined([whole, looking.at(place, frame)])
        if whole.fault is not None:
            raise whole.fault[1]
        witness = Table.from_frame(_side_by_side(empty, whole.witnesses))
        return cls(witness, tuple(whole.lengths[place] for place in sorted(whole.lengths)), whole.seen)

    @property
    def schema(self) -> Schema:
        """The columns: the same as of a table of the whole."""
        return self.witness.schema

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(self.lengths)

    @property
    def starts(self) -> tuple[int, ...]:
        """The position in the whole of each partition's first row."""
        return tuple(np.cumsum([0, *self.lengths])[:-1].tolist())

    def typed(self, frame: pd.DataFrame, *, what: str = "X") -> Table:
        """Type a partition, or other rows, as the whole would be."""
        return Table.from_frame(frame, schema=self.schema, what=what)


def _side_by_side(empty: pd.DataFrame, witnesses: Mapping[str, _Witnesses]) -> pd.DataFrame:
    """Return the witnesses of all columns as one frame, in which the last of each column stands again where it ends."""
    longest = max(len(one.places) for one in witnesses.values())
    if not longest:
        return empty
    places = np.arange(longest)
    columns = [witnesses[str(label)].values for label in empty.columns]
    rows = [column.iloc[np.minimum(places, len(column) - 1)].reset_index(drop=True) for column in columns]
    frame = pd.concat(rows, axis=1)
    frame.columns = empty.columns
    return frame
