"""Frames that carry their table: rows as the caller's kind of frame has them and, beside it, as a table has them.

A frame that comes in is typed once, where it comes in; from there on the two go together. A frame that we would make
from a table is made when somebody asks for it, and models that begin with our own encoder never do: they get the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.table.columns import brought
from frote.table.frames import are_many
from frote.table.lending import lent
from frote.table.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from frote.table.schema import Kind, Schema

__all__ = ["TypedFrame"]


@dataclass(frozen=True, eq=False)
class TypedFrame:
    """Rows as a frame and as a table.

    Rows that are put below others stay apart in memory until somebody asks for all of them at once.

    Parameters
    ----------
    first : Table
        The rows, typed; with others below them, the first.

    given : pandas or polars DataFrame, NumPy array, or None, default=None
        The first rows, as the caller gave them; None if they were made.

    below : Table or None, default=None
        Others below them, which were made.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = TypedFrame.of(pd.DataFrame({"age": [31, 25, 40]}))
    >>> rows.stacked(rows.table.take([0])).frame["age"].tolist()
    [31, 25, 40, 31]
    """

    first: Table
    given: Any = None
    below: Table | None = None

    @classmethod
    def of(
        cls,
        X: Any,
        *,
        kinds: Mapping[str, Kind | str] | None = None,
        levels: Mapping[str, Iterable[Any]] | None = None,
    ) -> TypedFrame:
        """Type a frame, as `Table.from_frame` does; one that was typed is returned as it is.

        Parameters
        ----------
        X : pandas or polars DataFrame, NumPy array, or TypedFrame
            The rows.

        kinds, levels
            As for `Table.from_frame`; whoever typed a frame before has given them.

        Returns
        -------
        TypedFrame
        """
        return X if isinstance(X, TypedFrame) else cls(Table.from_frame(X, kinds=kinds, levels=levels), X)

    @classmethod
    def like(cls, X: Any, schema: Schema, *, unseen: str = "extend", what: str = "X") -> TypedFrame:
        """Type a frame as others were; further columns are left out, and their order does not matter.

        Parameters
        ----------
        X : pandas or polars DataFrame, NumPy array, or TypedFrame
            The rows.

        schema : Schema
            The columns.

        unseen : {"extend", "error"}, default="extend"
            What becomes of values that nobody saw before, as for `Table.from_frame`.

        what : str, default="X"
            What to call the rows in messages.

        Returns
        -------
        TypedFrame

        Raises
        ------
        TableError
            If a column is lacking, or holds values of another kind.
        """
        if isinstance(X, TypedFrame):
            if X.table.schema == schema:
                return X
            X = X.frame
        frame = brought(X, schema.names, what)
        return cls(Table.from_frame(frame, schema=schema, unseen=unseen, what=what), frame)

    def __len__(self) -> int:
        return len(self.first) + (0 if self.below is None else len(self.below))

    @property
    def is_large(self) -> bool:
        """Whether there are so many rows that none of them should be in memory more often than need be."""
        return are_many(len(self))

    @cached_property
    def table(self) -> Table:
        """All of the rows, typed."""
        return self._joined()

    def _joined(self) -> Table:
        return self.first if self.below is None else self.first.concat(self.below)

    @cached_property
    def gappy(self) -> frozenset[str]:
        """The columns in which values are missing."""
        return self.first.gappy if self.below is None else self.first.gappy | self.below.gappy

    @property
    def frame(self) -> Any:
        """The rows as the caller's kind of frame; put together when it is asked for, and kept if there are few."""
        facts = self.__dict__
        if "_frame" in facts:
            return facts["_frame"]
        made = self._made()
        if not self.is_large:
            facts["_frame"] = made
        return made

    def _made(self) -> Any:
        if self.given is None:
            return self.table.to_frame()
        return self.given if self.below is None else self.first.completed(self.given, self.below)

    def lent(self) -> Any:
        """Return the rows as the caller's kind of frame for somebody else's code, which may write into it."""
        made_for_it = self.is_large and "_frame" not in self.__dict__ and (self.given is None or self.below is not None)
        return self.frame if made_for_it else lent(self.frame)

    def take(self, places: NDArray[Any]) -> TypedFrame:
        """Return the rows at some positions, as the caller gave them."""
        table = self.at(places)
        return TypedFrame(table, None if self.given is None else table.frame_format.take(self.frame, places))

    def at(self, places: NDArray[Any]) -> Table:
        """Return the rows at some positions, typed, without putting all of them together."""
        if self.below is None:
            return self.first.take(places)
        later = places >= len(self.first)
        made = self.below.take(places[later] - len(self.first))
        order = np.empty(len(places), dtype=np.intp)
        order[np.concatenate([np.flatnonzero(~later), np.flatnonzero(later)])] = np.arange(len(places))
        return self.first.take(places[~later]).concat(made).take(order)

    def counted_anew(self) -> TypedFrame:
        """Return all of the rows, counted from 0."""
        return TypedFrame(self.first, None if self.given is None else self.first.frame_format.counted_anew(self.given))

    def stacked(self, below: TypedFrame | Table) -> TypedFrame:
        """Return these rows and, below them, others that were made."""
        more = below.table if isinstance(below, TypedFrame) else below
        self.first.require_alike(more)
        return TypedFrame(self.first, self.given, more if self.below is None else self.below.concat(more))

    @cached_property
    def parts(self) -> tuple[TypedFrame, ...]:
        """The rows as they can be asked about: many of them, those that came and those that were made apart."""
        if self.below is None or not len(self.below) or not self.is_large:
            return (self,)
        return TypedFrame(self.first, self.given), TypedFrame(self.below)

    @cached_property
    def _as_read(self) -> Table | None:
        return self.table.as_read()

    def lent_to(self, model: Any) -> Any:
        """Return the rows for a model: the table for one that begins with our own encoder, else a copy of the frame.

        A table never changes, and so is lent as it is. It is the one that the encoder would read from the frame; where
        only reading can tell, the model gets the frame.
        """
        if not _reads_tables(model):
            return self.lent()
        table = self._joined().as_read() if self.is_large and self.below is not None else self._as_read
        return self.lent() if table is None else table


def _reads_tables(model: Any) -> bool:
    """Tell whether a model takes a table in place of a frame: a plain pipeline the first step of which says so itself.

    A class says so for itself and not for those derived from it, which may do anything with their frames. Nothing
    stands between a pipeline and its first step, unless it keeps what that returns in a cache.
    """
    kind = type(model)
    if (kind.__module__, kind.__qualname__) != ("sklearn.pipeline", "Pipeline"):
        return False
    plain = model.memory is None and getattr(model, "transform_input", None) is None
    return plain and bool(model.steps) and vars(type(model.steps[0][1])).get("reads_tables") is True
