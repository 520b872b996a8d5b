"""Values of a column as JSON has them, piece by piece: typed arrays, not an object for each value."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.files.kinds import LEAST, MOST, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["Pieces"]

EXACT = 2**53  # up to which every whole number is a float
TYPES = {int: np.int64, float: np.float64, bool: np.bool_}


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Some rows: an array of one type, texts, or what is neither as it is.

    Of floats some may have been ``whole``, as they are again where all are taken for texts.
    """

    kind: type
    values: Any
    missing: NDArray[np.bool_]
    whole: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, values: list[Any]) -> _Piece:
        kinds = set(map(type, values)) - {NoneType}
        kind = NoneType if not kinds else object if len(kinds) > 1 else next(iter(kinds))
        missing = np.array([value is None for value in values], dtype=np.bool_)
        if kind is NoneType:
            return cls(kind, None, missing)
        if kinds == {int, float} and all(type(value) is not int or abs(value) <= EXACT for value in values):
            filled = [0 if value is None else value for value in values]
            whole = np.array([type(value) is int for value in values], dtype=np.bool_)
            return cls(float, np.array(filled, dtype=np.float64), missing, whole)
        if kind is str:
            return cls(kind, Texts.of(values), missing)
        if kind not in TYPES or (kind is int and not all(LEAST <= (value or 0) <= MOST for value in values)):
            return cls(object, values, missing)
        filled = [kind() if value is None else value for value in values]
        return cls(kind, np.array(filled, dtype=TYPES[kind]), missing)

    def __iter__(self) -> Iterator[Any]:
        if self.kind is str:
            by_code = [*self.values.levels, None]
            yield from (by_code[code] for code in self.values.codes)
        elif self.kind is NoneType:
            yield from repeat(None, len(self.missing))
        elif self.whole is not None:
            for value, gone, whole in zip(self.values.tolist(), self.missing, self.whole, strict=True):
                yield None if gone else int(value) if whole else value
        elif self.kind in TYPES:
            yield from (None if gone else value for value, gone in zip(self.values.tolist(), self.missing, strict=True))
        else:
            yield from self.values


class Pieces:
    """A column, to which the values of some rows after the other are added.

    Examples
    --------
    >>> column = Pieces()
    >>> column.add([31, None])
    >>> column.add([0.5])
    >>> list(column), column.kinds == {int, float}, column.array(float).tolist()
    ([31, None, 0.5], True, [31.0, 0.0, 0.5])
    """

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self.rows = 0

    def add(self, values: list[Any]) -> None:
        """Add the values of some rows."""
        if values:
            self._pieces.append(_Piece.of(values))
            self.rows += len(values)

    def __iter__(self) -> Iterator[Any]:
        for piece in self._pieces:
            yield from piece

    @property
    def kinds(self) -> set[type]:
        """The types of its values: int, float, bool and str if all of some rows are such, object for all else."""
        return {piece.kind for piece in self._pieces} - {NoneType}

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return np.concatenate([piece.missing for piece in self._pieces])

    def array(self, kind: type) -> NDArray[Any]:
        """Return the values as an array, 0 where they are missing."""
        dtype = TYPES[kind]
        return np.concatenate(
            [
                np.zeros(len(one.missing), dtype) if one.kind is NoneType else one.values.astype(dtype)
                for one in self._pieces
            ]
        )

    @property
    def texts(self) -> Texts:
        """Return the values of a column of texts."""
        places: dict[str, int] = {}
        codes = []
        for piece in self._pieces:
            if piece.kind is NoneType:
                codes.append(np.full(len(piece.missing), -1, dtype=np.int32))
                continue
            known = np.array(
                [*(places.setdefault(text, len(places)) for text in piece.values.levels), -1], dtype=np.int32
            )
            codes.append(known[piece.values.codes])
        return Texts(list(places), np.concatenate(codes))
