"""A Dask frame that was surveyed: its partitions are typed, and their labels are codes, as those of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.labels import Labels
from frote.dask.frames import each, parts_of
from frote.dask.survey import Survey
from frote.exceptions import TableError
from frote.table import Schema, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["LazyRows", "PartTypes"]


@dataclass(frozen=True, slots=True, eq=False)
class PartTypes:
    """What tells the types of partitions: sent to workers.

    Parameters
    ----------
    schema : Schema
        The columns that they have.

    labels : Labels or None
        The classes of the whole, without rows; None where labels are not looked at.
    """

    schema: Schema
    labels: Labels | None

    def table(self, frame: pd.DataFrame) -> Table:
        """Type a partition as the whole would be."""
        return Table.from_frame(frame, schema=self.schema)

    def codes(self, y: Any) -> NDArray[np.intp] | None:
        """Return the labels of a partition as codes of the classes of the whole."""
        if self.labels is None or y is None:
            return None
        own = Labels.of(y)
        return np.array(self.labels.match(own.classes), dtype=np.intp)[own.codes]


@dataclass(frozen=True, eq=False)
class LazyRows:
    """A Dask frame, its labels, and what one pass over them told.

    Parameters
    ----------
    X : Dask DataFrame
        The rows.

    y : Dask Series or None
        Their labels.

    survey : Survey
        What one pass told.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd
    >>> data = dd.from_pandas(pd.DataFrame({"age": [31, 25, 40], "y": ["no", "yes", "no"]}), npartitions=2)
    >>> rows = LazyRows.of(data[["age"]], data["y"])
    >>> rows.labels.classes, rows.survey.rows
    (('no', 'yes'), 3)
    """

    X: Any
    y: Any
    survey: Survey

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any = None,
        *,
        kinds: Mapping[str, str] | None = None,
        levels: Mapping[str, Iterable[Any]] | None = None,
    ) -> LazyRows:
        """Go through a Dask frame once."""
        return cls(X, y, Survey.of(X, y, kinds=kinds, levels=levels))

    def __len__(self) -> int:
        return self.survey.rows

    @cached_property
    def labels(self) -> Labels | None:
        """The classes of the labels, without rows."""
        return None if self.survey.labels is None else Labels.known(Labels.of(self.survey.labels).classes)

    @property
    def known_labels(self) -> Labels:
        """The same, where labels were given."""
        if self.labels is None:
            raise TableError("requires y to be passed, but the target y is None")
        return self.labels

    def types(self, names: Iterable[str] | None = None) -> PartTypes:
        """Return what tells the types of all columns, or of some."""
        schema = self.survey.schema
        kept = schema if names is None else Schema(tuple(column for column in schema if column.name in set(names)))
        return PartTypes(kept, self.labels)

    def some(self, names: Iterable[str]) -> tuple[Any, PartTypes]:
        """Return the frame with these columns alone, one at least, and what tells their types."""
        wanted = {str(name) for name in names} or {self.survey.schema.names[0]}
        columns = [label for label in self.X.columns if str(label) in wanted]
        return self.X[columns], self.types(wanted)

    def each(self, looking: Any, method: str = "at", X: Any = None) -> list[Any]:
        """Return a task for each partition, by a method of (place, frame, labels)."""
        parts = parts_of(self.X if X is None else X, self.y)
        pairs = [part if self.y is not None else (*part, None) for part in parts]
        return each(looking, method, pairs)

    def require_rows(self) -> None:
        """Say so if there is none."""
        if not len(self):
            raise TableError("X has no row in any partition. Give it rows.")
