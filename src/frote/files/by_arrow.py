"""A part of a regular text, read by PyArrow: faster than pandas, and every cell is at hand as it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frote.files.gathered import Cells, Kind
from frote.files.layout import IrregularError, leading_zeros, one_of
from frote.files.missing import MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from frote.files.layout import Part

__all__ = ["ArrowParts"]

FIRST = 64  # cells that are looked at before the rest


class ArrowParts:
    """Reads parts of a text whose columns have some names.

    Every cell is read as a text, and numbers are made of these: so it is seen how they are written.
    """

    def __init__(self, delimiter: str, names: Sequence[str]) -> None:
        import pyarrow as pa  # type: ignore[import-untyped]  # no dependency of ours
        import pyarrow.csv  # type: ignore[import-untyped]

        self._pa, self._delimiter, self._names = pa, delimiter, list(names)
        self._types = dict.fromkeys(names, pa.string())

    def __call__(self, part: Part, wanted: Mapping[str, Kind]) -> tuple[int, dict[str, Cells]]:
        """Return how many rows a part has, and their cells of the columns that are wanted.

        Raises
        ------
        IrregularError
            If rows differ in length, or one is blank.
        """
        csv = self._pa.csv
        try:
            table = csv.read_csv(
                self._pa.BufferReader(self._pa.py_buffer(part.text).slice(0, part.end)),
                read_options=csv.ReadOptions(column_names=self._names, use_threads=False, block_size=part.end + 1),
                parse_options=csv.ParseOptions(
                    delimiter=self._delimiter,
                    quote_char='"' if part.quoted else False,
                    newlines_in_values=part.quoted,
                ),
                convert_options=csv.ConvertOptions(
                    include_columns=list(wanted) or self._names[:1],
                    column_types=self._types,
                    null_values=sorted(MISSING),
                    strings_can_be_null=True,
                    check_utf8=False,  # it was
                ),
            )
        except self._pa.ArrowInvalid:
            raise IrregularError from None
        if not part.has_rows(len(table)):  # blank lines are left out
            raise IrregularError
        return len(table), {name: self._cells(table[name], kind) for name, kind in wanted.items()}

    def _cells(self, column: Any, kind: Kind) -> Cells:
        cells = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        if cells.null_count == len(cells):
            return Cells(Kind.NOTHING, np.broadcast_to(np.int8(-1), len(cells)))
        found = None
        if kind in (Kind.NOTHING, Kind.WHOLE):
            found = self._whole(cells)
        if found is None and kind is not Kind.TEXTS:
            found = self._decimal(cells, known=kind is Kind.DECIMAL)
        if found is None:
            encoded = cells.dictionary_encode()
            codes = encoded.indices.fill_null(-1) if cells.null_count else encoded.indices
            found = Cells(Kind.TEXTS, codes.to_numpy(), levels=encoded.dictionary)
        return found

    def _cast(self, cells: Any, kind: Any) -> Any:
        """Return cells as numbers, None if one is none."""
        try:
            cells[:FIRST].cast(kind)  # soon told of words: to find nothing but errors takes long
            return cells.cast(kind)
        except self._pa.ArrowInvalid:
            return None

    def _whole(self, cells: Any) -> Cells | None:
        """Return whole numbers if all cells are such, none of them with a zero before it."""
        values = self._cast(cells, self._pa.int64())
        if values is None:
            return None
        starts, data = _written(cells)
        # What begins with a zero is one, and no -0, which is another number than 0 among those with a point.
        if leading_zeros(data, starts, whole=True):
            return None
        if not cells.null_count:
            return Cells(Kind.WHOLE, values.to_numpy())
        return Cells(Kind.WHOLE, values.fill_null(0).to_numpy(), values.is_null().to_numpy(zero_copy_only=False))

    def _decimal(self, cells: Any, *, known: bool) -> Cells | None:
        """Return numbers if all cells are such, and one is no whole number, as may be known of the column."""
        cast = self._cast(cells, self._pa.float64())
        if cast is None:
            return None
        values = cast.to_numpy(zero_copy_only=False)
        starts, data = _written(cells)
        if (
            leading_zeros(data, starts, whole=False)
            or np.count_nonzero(np.isfinite(values)) < len(values) - cells.null_count
        ):
            return None
        written = data[starts[0] : starts[-1]]
        pointed = bool(one_of(written, ".").any())
        if not known and not pointed and not one_of(written, "e", "E").any():
            return None  # whole numbers that are too large, or written otherwise
        return Cells(Kind.DECIMAL, values, pointed=pointed)


def _written(cells: Any) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return where cells begin in their bytes, with the end of the last, and the bytes."""
    _, starts, data = cells.buffers()
    return np.frombuffer(starts, dtype=np.int32)[cells.offset :][: len(cells) + 1], np.frombuffer(data, dtype=np.uint8)
