"""The table: typed, read-only columns of any frame, and the way back to that kind of frame."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from frote.exceptions import TableError, nearest
from frote.table.blocks import Block, blocks_of
from frote.table.by_schema import typed_as
from frote.table.columns import brought
from frote.table.declared import with_levels
from frote.table.frames import ColumnData, check_data, with_kind
from frote.table.numpy_arrays import read_array
from frote.table.pandas_frames import read_pandas
from frote.table.schema import Kind, Schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from frote.table.frames import ColumnFormat, FrameFormat, ReadColumn
    from frote.table.schema import Column

__all__ = ["Table"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """An immutable table of typed columns, read once from a frame by :meth:`from_frame`.

    A table shares no memory with the frame that it was read from: it keeps its values whatever happens to the
    frame. Columns are read at once, not when first used, since kinds and levels come from the values.

    Attributes
    ----------
    schema : Schema
        The columns: names, kinds, levels, and whether their types can hold missing values.

    n_rows : int
        The number of rows.

    Notes
    -----
    A frame comes back as it went in, except for what a table does not tell apart. NaN and null are one: null
    is written back, where a column has it. So are several markers of missing in one column of objects (its
    first is written back), integers and floats in one column of objects (floats are), decimals that are the
    same float (the shortest is), and the two times that an hour has when clocks go back (the first is).
    Levels are one where they are equal to Python, as ``1`` and ``True`` are.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 25, 40], "purpose": ["car", None, "boat"]}, index=["p", "q", "r"])
    >>> table = Table.from_frame(frame)
    >>> table
    <Table of 3 rows: 'age' integer, 'purpose' categorical>
    >>> table.schema["purpose"].levels
    ('boat', 'car')
    >>> table["purpose"].values
    array([ 1, -1,  0], dtype=int8)
    >>> table.to_frame()
       age purpose
    0   31     car
    1   25     NaN
    2   40    boat
    """

    schema: Schema
    n_rows: int
    _blocks: tuple[Block, ...]
    _places: dict[str, tuple[int, int]]
    _formats: dict[str, ColumnFormat]
    _frame: FrameFormat

    @classmethod
    def from_frame(
        cls,
        X: Any,
        *,
        kinds: Mapping[str, Kind | str] | None = None,
        levels: Mapping[str, Iterable[Any]] | None = None,
        schema: Schema | None = None,
        unseen: str = "error",
        what: str = "X",
    ) -> Table:
        """Read a frame.

        Parameters
        ----------
        X : pandas DataFrame, polars DataFrame, NumPy array of shape (n_rows, n_columns), or Table
            The data; it is not changed. A column that is not named by a string is named by its label's text,
            the columns of an array are named x0, x1 and so on. A table is returned as it is, unless ``kinds``
            or ``levels`` is given.

        kinds : mapping of str to Kind or str, default=None
            Columns to read as another kind than they seem to be: any may be categorical, with its distinct
            values in order as levels; an integer one may be continuous. Such a column is still written back
            as its own type: continuous values are rounded where that type is an integer.

        levels : mapping of str to iterable, default=None
            Levels that a categorical column may have beside those that its rows or its type show.

        schema : Schema, default=None
            Columns that others have: the rows are typed as those were, with the same kinds, levels and codes. They
            may come in another order, and beside others. A column without any value can be of any kind.

        unseen : {"error", "extend"}, default="error"
            What becomes, with a schema, of levels that it does not have, of numbers between whole ones, and of times
            in another unit: an error, or the column is extended by them.

        what : str, default="X"
            What to call the frame in messages, with a schema.

        Returns
        -------
        Table
            The table. Whole numbers in a float column make it integer; inf, or no value at all, makes it
            continuous. A column of objects is what its objects are; if they are mixed, it is categorical.

        Raises
        ------
        TableError
            If it is no such frame or has no columns, two columns share a name, a column is of a type that a
            table cannot hold (durations, complex numbers, lists, periods, ...), a kind or level is not possible, or
            the frame does not fit the schema.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[1.0, 0.5], [3.0, np.nan]])
        >>> Table.from_frame(X, kinds={"x0": "categorical"}).schema["x0"].levels
        (1.0, 3.0)
        >>> import pandas as pd
        >>> seen = Table.from_frame(pd.DataFrame({"purpose": ["boat", "car", "home"]}))
        >>> later = pd.DataFrame({"purpose": ["home"], "note": ["new"]})
        >>> Table.from_frame(later, schema=seen.schema)["purpose"].values
        array([2], dtype=int8)
        """
        if isinstance(X, Table):
            if kinds is None and not levels and (schema is None or schema == X.schema):
                return X
            X = X.to_frame()
        if schema is not None:
            X = brought(X, schema.names, what)
        frame, columns = _read(X)
        if not columns:
            raise TableError("X has no columns. Give it one at least.")
        own_schema = _schema(columns)
        if kinds:
            columns = _with_kinds(columns, kinds, own_schema)
        if levels:
            _check_known(map(str, levels), own_schema, "levels")
            declared = {str(name): some for name, some in levels.items()}
            columns = [
                with_levels(read, declared[read.column.name]) if read.column.name in declared else read
                for read in columns
            ]
            own_schema = _schema(columns)  # an order that is declared counts for nothing where schemas are compared
        if schema is not None:
            wanted = schema.with_gaps()
            columns = [typed_as(read, column, unseen, what) for read, column in zip(columns, wanted, strict=True)]
        return cls._of(columns, frame, own_schema if schema is None else schema)

    @classmethod
    def _of(cls, columns: list[ReadColumn], frame: FrameFormat, likely: Schema) -> Table:
        """Put columns together, which are taken out of the list so that they are not in memory twice.

        A schema that is theirs is taken, so that tables of the same columns share it.
        """
        formats = {read.column.name: read.format for read in columns}
        own_schema, n_rows = _schema(columns), len(columns[0].data)
        data = {read.column.name: read.data for read in columns}
        columns.clear()
        blocks = blocks_of(data)
        places = {name: (at, place) for at, block in enumerate(blocks) for place, name in enumerate(block.names)}
        return cls(likely if own_schema == likely else own_schema, n_rows, blocks, places, formats, frame)

    def as_read(self) -> Table | None:
        """Return the table that reading its own frame would give, found without making that frame.

        Of some rows of a table, or of more than there were, other levels may be there, and numbers may all be whole.

        Returns
        -------
        Table or None
            This table itself where nothing differs; None for types whose columns only reading can tell.

        Examples
        --------
        >>> import pandas as pd
        >>> table = Table.from_frame(pd.DataFrame({"purpose": ["car", "boat", "home"], "rate": [1.5, 2.0, 3.0]}))
        >>> table.take([0, 2]).as_read().schema["purpose"].levels
        ('car', 'home')
        >>> table.take([1, 2]).as_read()
        <Table of 2 rows: 'purpose' categorical, 'rate' integer>
        """
        columns = []
        for column in self.schema:
            read = self._formats[column.name].read_again(column, self[column.name])
            if read is None:
                return None
            columns.append(read)
        return self if _schema(columns) == self.schema else Table._of(columns, self._frame, self.schema)

    @property
    def labels(self) -> list[Any] | None:
        """The columns' labels in the caller's kind of frame; None where that is an array, which has none."""
        return self._frame.labels_of(self.schema.names)

    def to_frame(self) -> Any:
        """Write the table back into the kind of frame that it was read from.

        Returns
        -------
        pandas DataFrame, polars DataFrame or NumPy array
            A new frame with the columns, their order, labels, types and category levels as they came in; a
            pandas frame has a RangeIndex.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"level": pd.Categorical(["low"], categories=["low", "high"], ordered=True)})
        >>> Table.from_frame(frame).to_frame()["level"].cat.categories.tolist()
        ['low', 'high']
        """
        return self._frame.assemble({column.name: self._restored(column) for column in self.schema}, self.n_rows)

    def _restored(self, column: Column) -> Any:
        return self._formats[column.name].restore(column, self[column.name])

    def take(self, indices: ArrayLike) -> Table:
        """Return the rows at the given positions, in that order.

        Parameters
        ----------
        indices : array-like of int of shape (n,)
            Positions from 0; one may come several times.

        Returns
        -------
        Table
            A table of the same schema with those rows.

        Examples
        --------
        >>> import pandas as pd
        >>> Table.from_frame(pd.DataFrame({"age": [31, 25, 40]})).take([2, 2, 0])["age"].values
        array([40, 40, 31])
        """
        rows = np.asarray(indices)
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise TableError(
                f"Rows to take are {rows.dtype} of shape {rows.shape}. "
                "Give a list of positions, as np.flatnonzero(mask) does."
            )
        if rows.size and not (rows.min() >= 0 and rows.max() < self.n_rows):
            last = f"{rows.min()} to {rows.max()}"
            raise TableError(f"Rows to take run from {last}, but the table has {self.n_rows}. Count from 0.")
        rows = rows.astype(np.intp)
        return replace(self, n_rows=len(rows), _blocks=tuple(block.take(rows) for block in self._blocks))

    def concat(self, other: Table) -> Table:
        """Return the rows of this table and, after them, those of another.

        Parameters
        ----------
        other : Table
            A table of the same columns, levels and types.

        Returns
        -------
        Table
            A table of all rows.

        Raises
        ------
        TableError
            If the tables differ in a column, its kind, its levels or its type.

        Examples
        --------
        >>> import pandas as pd
        >>> table = Table.from_frame(pd.DataFrame({"age": [31, 25, 40]}))
        >>> table.concat(table.take([0])).to_frame()["age"].tolist()
        [31, 25, 40, 31]
        """
        formats = self._formats
        self.require_alike(other)
        if other._formats is not formats:
            # What stands for a missing object is known only where one is missing.
            formats = {
                name: (other if self[name].missing is None else self)._formats[name] for name in self.schema.names
            }
        blocks = tuple(block.concat(below) for block, below in zip(self._blocks, other._blocks, strict=True))
        return replace(self, n_rows=self.n_rows + other.n_rows, _blocks=blocks, _formats=formats)

    def require_alike(self, other: Table) -> None:
        """Raise a TableError if another table has other columns, or columns of other kinds, levels or types."""
        if other._formats is self._formats:
            return  # one was made of the other
        if type(self._frame) is not type(other._frame):
            raise TableError("The tables come from different kinds of frame. Read both from the same kind.")
        if self.schema.names != other.schema.names:
            raise TableError(
                f"The tables have columns {self.schema.names} and {other.schema.names}. Give both the same."
            )
        for mine, theirs in zip(self.schema.with_gaps(), other.schema.with_gaps(), strict=True):
            if mine != theirs:
                raise TableError(
                    f"Column {mine.name!r} has another kind, other levels or another step in the two tables. "
                    "Read both from one frame, or convert the column to one categorical type first."
                )
            if self._formats[mine.name] != other._formats[mine.name]:
                raise TableError(f"Column {mine.name!r} has different types in the two tables. Convert one of them.")
        if self._frame != other._frame:
            raise TableError("The tables come from frames with unlike column labels. Name the columns alike.")

    def replace_data(self, data: Mapping[str, ColumnData]) -> Table:
        """Return a table of the same columns with other rows, such as generated ones.

        Parameters
        ----------
        data : mapping of str to ColumnData
            The new values of every column, all of one length, encoded by this table's schema.

        Returns
        -------
        Table
            A table with those rows, written back as the same kind of frame.

        Raises
        ------
        TableError
            If a column is left out or unknown, lengths differ, or values are not what the column can hold.

        Examples
        --------
        >>> import numpy as np, pandas as pd
        >>> table = Table.from_frame(pd.DataFrame({"age": pd.array([31, None], dtype="Int8")}))
        >>> table.replace_data({"age": ColumnData(np.array([7, 8, 9]))}).to_frame()["age"].dtype
        Int8Dtype()
        """
        _check_known(data, self.schema, "data")
        left_out = [name for name in self.schema.names if name not in data]
        if left_out:
            raise TableError(f"Column {left_out[0]!r} has no new values. Give values for every column.")
        lengths = {name: len(data[name]) for name in self.schema.names}
        if len(set(lengths.values())) > 1:
            raise TableError(f"The new columns have unlike lengths: {lengths}. Give all the same number of rows.")
        for column in self.schema:
            check_data(column, self._formats[column.name], data[column.name])
        return self.replace_blocks(blocks_of({name: data[name] for name in self.schema.names}))

    def replace_blocks(self, blocks: tuple[Block, ...]) -> Table:
        """Return a table of the same columns with other rows, as `replace_data` does, without looking at them.

        Parameters
        ----------
        blocks : tuple of Block
            The new values, laid out as in `blocks`. Whoever made them answers for what they hold.

        Returns
        -------
        Table

        Examples
        --------
        >>> import pandas as pd
        >>> table = Table.from_frame(pd.DataFrame({"age": [31, 25, 40], "income": [50, 40, 60]}))
        >>> (block,) = table.blocks
        >>> table.replace_blocks((Block(block.names, block.values + 1),)).to_frame()["income"].tolist()
        [51, 41, 61]
        """
        return replace(self, n_rows=blocks[0].values.shape[1], _blocks=blocks)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The columns as they are kept, those of one NumPy type side by side; alike in all tables of one schema."""
        return self._blocks

    @property
    def gappy(self) -> frozenset[str]:
        """The columns in which values are missing."""
        return frozenset(
            name
            for block in self._blocks
            if block.missing is not None
            for name, gone in zip(block.names, block.missing, strict=True)
            if gone.any()
        )

    def place(self, name: str) -> tuple[int, int]:
        """Return where a column is kept: in which block, and at which place in it."""
        return self._places[name]

    def storage(self, name: str) -> ColumnFormat:
        """Return what the caller's type of a column can hold: missing values, which numbers.

        Examples
        --------
        >>> import numpy as np
        >>> storage = Table.from_frame(np.array([[1], [2]], dtype=np.uint8)).storage("x0")
        >>> storage.nullable, storage.bounds
        (False, (0, 255))
        """
        _check_known((name,), self.schema, "table")
        return self._formats[name]

    def completed(self, top: Any, below: Table) -> Any:
        """Return the caller's kind of frame of this table's rows, given one of them, and of others below them.

        The rows given are kept as they are, also where a table does not tell all of their values apart. Nothing else is
        put together on the way than one column at a time.

        Parameters
        ----------
        top : pandas or polars DataFrame, or NumPy array
            The rows of this table, as the caller gave them.

        below : Table
            Rows that were made, with the columns and types of this table.

        Returns
        -------
        pandas or polars DataFrame, or NumPy array
            A new frame, which nobody else has.

        Examples
        --------
        >>> import pandas as pd
        >>> X = pd.DataFrame({"age": [31, 25, 40]})
        >>> table = Table.from_frame(X)
        >>> table.completed(X, table.take([1]))["age"].tolist()
        [31, 25, 40, 25]
        """

        def restored(place: int) -> Any:
            column = self.schema.columns[place]
            data, more = self[column.name], below[column.name]
            values, missing = np.concatenate([data.values, more.values]), None
            if data.missing is not None or more.missing is not None:
                missing = np.concatenate([data.gaps(), more.gaps()])
            # What stands for a missing object is known only where one is missing.
            form = (below if data.missing is None else self)._formats[column.name]
            return form.restore(column, ColumnData(values, missing))

        if self._frame.by_column and all(self._formats[column.name].exact(column) for column in self.schema):
            return self._frame.assemble_from(self.schema.names, restored, self.n_rows + below.n_rows)
        return self._frame.stack(top, below.to_frame(), restored)

    def digest(self) -> str:
        """Return a fingerprint of the columns, their types, and all values.

        Returns
        -------
        str
            The SHA-256 of them; equal for tables of equal rows from the same kind of frame, whatever its index was.

        Examples
        --------
        >>> import pandas as pd
        >>> X = pd.DataFrame({"age": [31, 25]})
        >>> Table.from_frame(X).digest() == Table.from_frame(X.set_index([["a", "b"]])).digest()
        True
        """
        digest = hashlib.sha256(repr(self._frame).encode())
        for column in self.schema:
            data = self[column.name]
            gone = data.gaps()
            values = np.where(gone, np.zeros(1, dtype=data.values.dtype), data.values)  # anything stands there
            digest.update(repr((column, self._formats[column.name], len(data), values.dtype.str)).encode())
            digest.update(np.ascontiguousarray(values).tobytes())
            digest.update(np.ascontiguousarray(gone).tobytes())
        return digest.hexdigest()

    @property
    def frame_format(self) -> FrameFormat:
        """How the caller's kind of frame is put together and cut."""
        return self._frame

    def __getitem__(self, name: str) -> ColumnData:
        if name not in self._places:
            _check_known((name,), self.schema, "table")
        at, place = self._places[name]
        return self._blocks[at].column(place)

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        columns = ", ".join(f"{column.name!r} {column.kind}" for column in self.schema)
        return f"<Table of {self.n_rows} rows: {columns}>"


def _check_known(names: Iterable[str], schema: Schema, what_for: str) -> None:
    for name in names:
        if name not in schema:
            raise TableError(f"No column {name!r} for {what_for}. {nearest(str(name), schema.names)}")


def _schema(columns: Sequence[ReadColumn]) -> Schema:
    return Schema(
        tuple(
            read.column.with_nullable(read.format.nullable).with_ordered(read.column.ordered or read.format.ordered)
            for read in columns
        )
    )


def _with_kinds(columns: list[ReadColumn], kinds: Mapping[str, Kind | str], schema: Schema) -> list[ReadColumn]:
    _check_known(kinds, schema, "kinds")
    return [
        with_kind(read, _kind(read.column.name, kinds[read.column.name])) if read.column.name in kinds else read
        for read in columns
    ]


def _kind(name: str, kind: Kind | str) -> Kind:
    try:
        return Kind(kind)
    except ValueError:
        kinds = [one.value for one in Kind]
        raise TableError(f"Column {name!r} is given the unknown kind {kind!r}. {nearest(str(kind), kinds)}") from None


def _read(X: Any) -> tuple[FrameFormat, list[ReadColumn]]:
    dependencies = nw.dependencies
    if isinstance(X, nw.DataFrame | nw.LazyFrame | nw.Series):
        raise TableError(f"X is {_described(X)}. Call X.to_native() for the frame that it wraps.")
    if dependencies.is_pandas_dataframe(X):
        return read_pandas(X)
    if dependencies.is_polars_dataframe(X):
        # polars is optional; whoever has such a frame has it.
        from frote.table.polars_frames import read_polars

        return read_polars(X)
    if dependencies.is_numpy_array(X):
        return read_array(X)
    raise TableError(f"X is {_described(X)}. {_way_out(X)}")


def _described(X: Any) -> str:
    kind = type(X)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.split('.')[0]}.{kind.__name__}"


def _way_out(X: Any) -> str:
    dependencies = nw.dependencies
    if dependencies.is_polars_lazyframe(X):
        return "Call X.collect() first."
    if dependencies.is_pandas_series(X) or dependencies.is_polars_series(X):
        return "Call X.to_frame() for a table of one column."
    if hasattr(X, "toarray"):
        return "Call X.toarray() for a dense array."
    return "Pass a pandas or polars DataFrame, or a NumPy array of two dimensions."
