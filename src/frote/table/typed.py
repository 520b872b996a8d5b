"""Frames that carry their table: rows as the caller's kind of frame has them and, beside it, as a table has them.

A frame that comes in is typed once, where it comes in; from there on the two go together. A frame that we would make
from a table is made when somebody asks for it, and models that begin with our own encoder never do: they get the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from frote.table.columns import brought
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

    Parameters
    ----------
    table : Table
        The rows, typed.

    given : pandas or polars DataFrame, NumPy array, or None, default=None
        The first of the rows, as the caller gave them; None if all were made.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = TypedFrame.of(pd.DataFrame({"age": [31, 25, 40]}))
    >>> rows.stacked(rows.table.take([0])).frame["age"].tolist()
    [31, 25, 40, 31]
    """

    table: Table
    given: Any = None

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
        return len(self.table)

    @cached_property
    def frame(self) -> Any:
        """The rows as the caller's kind of frame; put together when it is asked for, since most never is."""
        if self.given is None:
            return self.table.to_frame()
        return self.given if len(self.given) == len(self.table) else self.table.completed(self.given)

    def take(self, places: NDArray[Any]) -> TypedFrame:
        """Return the rows at some positions, as the caller gave them."""
        table = self.table.take(places)
        return TypedFrame(table, None if self.given is None else table.frame_format.take(self.frame, places))

    def stacked(self, below: Table) -> TypedFrame:
        """Return these rows and, below them, others that were made."""
        return TypedFrame(self.table.concat(below), self.given)

    @cached_property
    def _as_read(self) -> Table | None:
        return self.table.as_read()

    def lent_to(self, model: Any) -> Any:
        """Return the rows for a model: the table for one that begins with our own encoder, else a copy of the frame.

        A table never changes, and so is lent as it is. It is the one that the encoder would read from the frame; where
        only reading can tell, the model gets the frame.
        """
        table = self._as_read if _reads_tables(model) else None
        return lent(self.frame) if table is None else table


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
