"""A column of a text while it is read part by part: typed arrays, never an object for each cell."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from frote.files.kinds import Texts, numbers, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["Cells", "Gathered", "Kind", "Levels"]

Levels: TypeAlias = Any  # a list of texts, or PyArrow's array of them
CODES = (("b", np.int8), ("h", np.int16), ("i", np.int32), ("q", np.int64))  # for ever more levels


class Kind(Enum):
    """What the cells of a column are, as far as they are read."""

    NOTHING = "nothing"  # all of them are missing
    WHOLE = "whole numbers"
    DECIMAL = "numbers, one of which at least is written as no whole one"
    TEXTS = "texts"


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of a column in a part of a text.

    Parameters
    ----------
    kind : Kind
        What they are.

    values : ndarray
        Whole numbers, numbers with NaN where they are missing, or the place of each text among the levels, -1 where
        it is missing.

    missing : ndarray of bool or None, default=None
        Which whole numbers are missing, 0 standing there; None if none is.

    levels : list of str or PyArrow's array, default=()
        The distinct texts.

    pointed : bool, default=False
        Whether a number has a point.
    """

    kind: Kind
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    levels: Levels = ()
    pointed: bool = False


class Gathered:
    """A column, to which the cells of part after part are added.

    Parameters
    ----------
    texts : bool, default=False
        Whether it is one of texts whatever it holds.

    Attributes
    ----------
    kind : Kind
        What its cells are so far.

    contradicted : bool
        Whether what seemed to be numbers was followed by what is none, so that it must be read again, as texts.

    pointed : bool
        Whether a number has a point.

    Examples
    --------
    >>> import numpy as np
    >>> column = Gathered()
    >>> column.add(Cells(Kind.WHOLE, np.array([31, 25])))
    >>> column.add(Cells(Kind.DECIMAL, np.array([0.5])))
    >>> column.column.tolist(), column.contradicted
    ([31.0, 25.0, 0.5], False)
    >>> column.add(Cells(Kind.TEXTS, np.array([0]), levels=["old"]))
    >>> column.contradicted
    True
    """

    def __init__(self, *, texts: bool = False) -> None:
        self.kind = Kind.TEXTS if texts else Kind.NOTHING
        self.contradicted = self.pointed = False
        self._rows = 0
        self._values: array[Any] = array(CODES[0][0])
        self._missing: array[int] | None = None
        self._levels: list[tuple[int, Levels]] = []

    def add(self, cells: Cells) -> None:
        """Add the cells of the next part."""
        if self.kind is Kind.NOTHING and cells.kind is not Kind.NOTHING:
            self._become(cells.kind)
        elif self.kind is Kind.WHOLE and cells.kind is Kind.DECIMAL:
            self._become_decimal()
        self.pointed |= cells.pointed
        values = cells.values
        if cells.kind is Kind.NOTHING:
            self._add_missing(len(values))
        elif self.kind is Kind.TEXTS and cells.kind is Kind.TEXTS:
            self._add_texts(values, cells.levels)
        elif self.kind is Kind.TEXTS or cells.kind is Kind.TEXTS:
            self.contradicted = True
            self._values = array(CODES[0][0])
            self._missing, self._levels = None, []
        elif self.kind is Kind.DECIMAL:
            decimal = values.astype(np.float64, copy=cells.missing is not None)
            if cells.missing is not None:
                decimal[cells.missing] = np.nan
            _append(self._values, decimal)
        else:
            _append(self._values, values)
            if self._missing is not None or cells.missing is not None:
                mask = np.zeros(len(values), dtype=np.bool_) if cells.missing is None else cells.missing
                _append(self._marks, mask)
        self._rows += len(values)

    @property
    def column(self) -> Texts | pd.Series[Any]:
        """What was added: numbers, or texts, of which there may be none."""
        if self.kind is Kind.WHOLE:
            values = np.frombuffer(self._values, dtype=np.int64)
            return numbers(values) if self._missing is None else whole_numbers(values, self._missed)
        if self.kind is Kind.DECIMAL:
            return numbers(np.frombuffer(self._values, dtype=np.float64))
        if self.kind is Kind.NOTHING:
            return Texts([], np.full(self._rows, -1, dtype=np.int8))
        return self._texts()

    @property
    def _marks(self) -> array[int]:
        """Which rows are missing, of whole numbers; until one is, nothing is kept of that."""
        if self._missing is None:
            self._missing = array("b", bytes(self._rows))
        return self._missing

    @property
    def _missed(self) -> NDArray[np.bool_]:
        return np.frombuffer(self._marks, dtype=np.bool_)

    def _become(self, kind: Kind) -> None:
        rows, self._rows, self.kind = self._rows, 0, kind
        self._values = array({Kind.WHOLE: "q", Kind.DECIMAL: "d"}.get(kind, CODES[0][0]))
        if rows:
            self._add_missing(rows)
            self._rows = rows

    def _become_decimal(self) -> None:
        values = np.frombuffer(self._values, dtype=np.int64).astype(np.float64)
        if self._missing is not None:
            values[self._missed] = np.nan
        self.kind, self._values, self._missing = Kind.DECIMAL, array("d", values.tobytes()), None

    def _add_missing(self, rows: int) -> None:
        if self.kind is Kind.WHOLE:
            self._marks.frombytes(b"\1" * rows)
            self._values.frombytes(bytes(8 * rows))
        elif self.kind is Kind.DECIMAL:
            _append(self._values, np.full(rows, np.nan))
        elif self.kind is Kind.TEXTS:
            self._add_texts(np.full(rows, -1, dtype=np.int8), [])

    def _add_texts(self, codes: NDArray[Any], levels: Levels) -> None:
        code, dtype = next(one for one in CODES if len(levels) <= np.iinfo(one[1]).max)
        if np.dtype(dtype).itemsize > self._values.itemsize:
            wider = np.frombuffer(self._values, dtype=f"i{self._values.itemsize}").astype(dtype)
            self._values = array(code, wider.tobytes())
        _append(self._values, codes.astype(f"i{self._values.itemsize}"))
        self._levels.append((len(codes), levels))

    def _texts(self) -> Texts:
        """Return the texts; each part has places of its own, which become those among the levels of all."""
        levels, places = _joined([levels for _, levels in self._levels if len(levels)])
        _, dtype = next(one for one in CODES if len(levels) <= np.iinfo(one[1]).max)
        own = np.frombuffer(self._values, dtype=f"i{self._values.itemsize}")
        codes: NDArray[np.signedinteger[Any]] = np.empty(self._rows, dtype=dtype)
        row = place = 0
        for rows, part in self._levels:
            # The code of a missing text, -1, is the last place.
            known = np.append(places[place : place + len(part)], -1).astype(dtype)
            codes[row : row + rows] = known[own[row : row + rows]]
            row, place = row + rows, place + len(part)
        self._values, self._levels = array(CODES[0][0]), []
        return Texts(levels, codes)


def _append(items: array[Any], values: NDArray[Any]) -> None:
    items.frombytes(np.ascontiguousarray(values).view(np.uint8).data)


def _joined(parts: Sequence[Levels]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the levels of all parts, each once, and for those of one part after the other their places."""
    if parts and not isinstance(parts[0], list):
        import pyarrow as pa  # type: ignore[import-untyped]  # only where the parts are of PyArrow's

        encoded = pa.concat_arrays(parts).dictionary_encode()
        return encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    known: dict[str, int] = {}
    places = [known.setdefault(level, len(known)) for part in parts for level in part]
    return list(known), np.array(places, dtype=np.int64)
