"""A part of a regular text, read by pandas: what it takes for numbers may be something else to us."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.files.gathered import Cells, Kind
from frote.files.kinds import Texts
from frote.files.layout import IrregularError, Layout, one_of
from frote.files.missing import MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from frote.files.layout import Part

__all__ = ["PandasParts"]

EXACT_FLOATS = 2.0**53  # below it every whole number is a float
# Later releases of pandas read every number to the last bit by themselves, and deprecate the option.
EXACT: dict[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
)


class PandasParts:
    """Reads parts of a text whose columns have some names."""

    def __init__(self, delimiter: str, names: Sequence[str]) -> None:
        self._delimiter, self._names = delimiter, list(names)

    def __call__(self, part: Part, wanted: Mapping[str, Kind]) -> tuple[int, dict[str, Cells]]:
        """Return how many rows a part has, and their cells of the columns that are wanted.

        Raises
        ------
        IrregularError
            If rows differ in length, one is blank, or pandas cannot read them.
        """
        layout = Layout.of(part, self._delimiter, len(self._names))
        rows = len(layout.ends)
        if not wanted:
            return rows, {}
        text = part.text[: part.end]
        texts = [name for name, kind in wanted.items() if kind is Kind.TEXTS]
        try:
            frame = self._read(text, list(wanted), dict.fromkeys(texts, object))
            cells = {
                name: _numbers(frame[name], layout, self._names.index(name), known=kind is Kind.DECIMAL)
                for name, kind in wanted.items()
                if name not in texts and not isinstance(frame[name].dtype, pd.StringDtype)
            }
            # What seems to be numbers, but may be something else, is read again, as texts.
            again = [name for name, found in cells.items() if found is None]
            unsure = self._read(text, again, object) if again else frame
        except (ValueError, OverflowError):  # errors of pandas' own among them; the other way finds out what is wrong
            raise IrregularError from None
        if len(frame) != rows:
            raise IrregularError
        return rows, {
            name: cells.get(name) or _texts((unsure if name in again else frame)[name], kind)
            for name, kind in wanted.items()
        }

    def _read(self, text: bytes, names: list[str], types: Any) -> pd.DataFrame:
        frame: pd.DataFrame = pd.read_csv(
            io.BytesIO(text),
            sep=self._delimiter,
            header=None,
            names=self._names,
            usecols=names,
            index_col=False,
            dtype=types or None,
            na_values=list(MISSING),
            keep_default_na=False,
            skip_blank_lines=False,
            low_memory=False,
            **EXACT,
        )
        return frame


def _numbers(column: pd.Series[Any], layout: Layout, at: int, *, known: bool) -> Cells | None:
    """Return the column at a place, which pandas took for numbers, if its cells say just these numbers."""
    if column.dtype not in (np.float64, np.int64):
        return None
    values = column.to_numpy()
    missing = np.isnan(values)
    if missing.all():
        return Cells(Kind.NOTHING, values)
    if np.isinf(values).any():  # a number too large is infinite to pandas
        return None
    starts = layout.starts(at)
    signs = one_of(layout.data[starts], "+", "-")
    starts = starts + signs
    first = layout.data[starts]
    if one_of(first, " ", "\t").any():
        return None
    following = layout.data[np.minimum(starts + 1, len(layout.data) - 1)]
    digits = (following >= ord("0")) & (following <= ord("9"))
    if ((first == ord("0")) & digits).any():
        return None
    pointed = column.dtype == np.float64 and layout.has(at, ~missing, ".")
    if pointed or (column.dtype == np.float64 and layout.has(at, ~missing, "e", "E")):
        return Cells(Kind.DECIMAL, values, pointed=pointed)
    if (signs & (first == ord("0"))).any():  # -0, which is another number than 0 among those with a point
        return None
    if known:
        return Cells(Kind.DECIMAL, values)
    # Whole numbers with gaps are floats to pandas.
    if column.dtype == np.float64 and np.nanmax(np.abs(values)) >= EXACT_FLOATS:
        return None
    return Cells(Kind.WHOLE, np.where(missing, 0, values).astype(np.int64), missing if missing.any() else None)


def _texts(column: pd.Series[Any], kind: Kind) -> Cells:
    codes, levels = pd.factorize(column.array)
    if not len(levels) and kind is not Kind.TEXTS:
        return Cells(Kind.NOTHING, codes)
    if MISSING.isdisjoint(levels):
        return Cells(Kind.TEXTS, codes, levels=levels.tolist())
    # Among whole numbers too large for it, pandas leaves what is missing as it stands.
    texts = Texts.of(None if pd.isna(cell) or cell in MISSING else cell for cell in column)
    return Cells(Kind.TEXTS, texts.codes, levels=texts.levels)
