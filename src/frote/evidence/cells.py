"""Cells: the values of a column that no test of an ensemble tells apart, so that finitely many rows stand for all.

Along numbers, a feature rises with its column; where a test changes its answer is found by bisection over the values
that the column's type holds, and each value is put through the model's own transformers. So a cell ends at the very
float at which the model's tests change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.evidence.front import CONSTANT
from frote.evidence.space import Picked
from frote.generation.numbers import NumberColumn
from frote.table import Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.evidence.ensemble import Ensemble, Split
    from frote.evidence.front import Front
    from frote.evidence.space import Box, Space, Span
    from frote.generation.limits import MadeColumn

__all__ = ["Cells", "cells_of", "cut_at", "each"]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of each column.

    Parameters
    ----------
    picked : tuple of Picked
        A value of each cell, for each column.

    left : list of (int, ndarray of bool)
        For each test of the ensemble its column and which cells go left; column -1 and one value where it is the same
        for all rows.
    """

    picked: tuple[Picked, ...]
    left: list[tuple[int, NDArray[np.bool_]]]

    def counts(self) -> list[int]:
        """Return how many cells each column has."""
        return [len(one.values) for one in self.picked]


def cells_of(ensemble: Ensemble, front: Front, space: Space, box: Box) -> Cells:
    """Find the cells of each column inside a box.

    Parameters
    ----------
    ensemble : Ensemble
        The trees.

    front : Front
        What makes their features.

    space : Space
        The columns.

    box : Box
        The rows that count, not empty.

    Returns
    -------
    Cells
    """

    def features(picked: tuple[Picked, ...]) -> NDArray[Any]:
        return ensemble.read(front.made(space.rows(picked)))

    tests: list[list[Split]] = [[] for _ in space.columns]
    for split in ensemble.splits:
        column = ensemble.features[split.feature].column
        if column != CONSTANT:
            tests[column].append(split)
    stretches = [
        cut_at(span, front.jumps.get(place, [])) if isinstance(column, NumberColumn) else each(span)
        for place, (column, span) in enumerate(zip(space.columns, box.spans, strict=True))
    ]
    ends = _bisected(features, space, box, stretches, tests)
    picked = tuple(
        _picked(column, space.table[column.column.name].present, span, parts)
        for column, span, parts in zip(space.columns, box.spans, ends, strict=True)
    )
    seen = features(_level(picked))
    left: list[tuple[int, NDArray[np.bool_]]] = []
    for split in ensemble.splits:
        column = ensemble.features[split.feature].column
        count = 1 if column == CONSTANT else len(picked[column].values)
        left.append((column, split.left(seen[:count, split.feature])))
    return _merged(picked, left)


def each(span: Span) -> list[tuple[Any, Any]]:
    """Return the stretches of a span, each as its two ends."""
    return list(zip(span.lows.tolist(), span.highs.tolist(), strict=True))


def cut_at(span: Span, jumps: list[float]) -> list[tuple[Any, Any]]:
    """Return the stretches of a span, with each value at which features may jump apart from the others."""
    parts = []
    for low, high in each(span):
        whole = isinstance(low, int)
        for jump in sorted({jump for jump in jumps if low <= jump <= high and (not whole or jump == int(jump))}):
            at = int(jump) if whole else jump
            below = at - 1 if whole else float(np.nextafter(at, -np.inf))
            if low <= below:
                parts.append((low, below))
            parts.append((at, at))
            low = at + 1 if whole else float(np.nextafter(at, np.inf))
        if low <= high:
            parts.append((low, high))
    return parts


def _bisected(
    features: Any, space: Space, box: Box, stretches: list[list[tuple[Any, Any]]], tests: list[list[Split]]
) -> list[list[tuple[Any, Any]]]:
    """Return the stretches of each column, cut where a test changes its answer within one.

    All columns are looked at together: a row holds one question about each of them, as a feature is made of one column.
    """
    asked = [
        [(low, high, cut) for low, high in parts if low < high for cut in _cuts(splits)]
        if isinstance(column, NumberColumn)
        else []
        for column, parts, splits in zip(space.columns, stretches, tests, strict=True)
    ]
    rows = max(map(len, asked))
    if not rows:
        return stretches
    lows, highs, fillers = [], [], []
    for questions, column, span in zip(asked, space.columns, box.spans, strict=True):
        dtype = np.float64 if _is_float(column) else np.int64
        lows.append(_ordinals(np.array([low for low, _, _ in questions], dtype=dtype)))
        highs.append(_ordinals(np.array([high for _, high, _ in questions], dtype=dtype)))
        fillers.append(_filler(column, span, rows))

    def goes_left(ordinals: list[NDArray[np.int64]]) -> list[NDArray[np.bool_]]:
        values = features(
            tuple(
                _asking(filler, column, places)
                for filler, column, places in zip(fillers, space.columns, ordinals, strict=True)
            )
        )
        answers = []
        for questions in asked:
            compared = np.array([feature for _, _, (feature, _) in questions], dtype=np.intp)
            thresholds = np.array([threshold for _, _, (_, threshold) in questions])
            answers.append(values[np.arange(len(questions)), compared].astype(np.float64) <= thresholds)
        return answers

    starts = goes_left(lows)  # where the first value goes right, all do
    highs = [np.where(left, high, low) for left, low, high in zip(starts, lows, highs, strict=True)]
    while any((low < high).any() for low, high in zip(lows, highs, strict=True)):
        middles = [_middle(low, high) for low, high in zip(lows, highs, strict=True)]
        for place, left in enumerate(goes_left(middles)):
            searched = lows[place] < highs[place]
            lows[place] = np.where(searched & left, middles[place], lows[place])
            highs[place] = np.where(searched & ~left, middles[place] - 1, highs[place])
    cut = []
    for parts, questions, left, last, column in zip(stretches, asked, starts, lows, space.columns, strict=True):
        lasts: dict[tuple[Any, Any], set[Any]] = {}
        values = (_floats(last) if _is_float(column) else last).tolist()
        for (low, high, _), starts_left, value in zip(questions, left, values, strict=True):
            if starts_left:
                lasts.setdefault((low, high), set()).add(value)
        cut.append(
            [
                piece
                for part in parts
                for piece in _pieces(part, sorted(lasts.get(part, ())), whole=not _is_float(column))
            ]
        )
    return cut


def _cuts(splits: list[Split]) -> list[tuple[int, float]]:
    """Return the features of some tests with the numbers at which these change their answers, each once."""
    return list(dict.fromkeys((one.feature, cut) for one in splits if one.members is None for cut in one.cuts))


def _is_float(column: MadeColumn) -> bool:
    """Tell whether a column takes all floats, and not only whole numbers or dates."""
    return isinstance(column, NumberColumn) and not column.step


def _pieces(part: tuple[Any, Any], lasts: list[Any], *, whole: bool) -> list[tuple[Any, Any]]:
    low, high = part
    pieces = []
    for last in lasts:
        if low <= last < high:
            pieces.append((low, last))
            low = last + 1 if whole else float(np.nextafter(last, np.inf))
    return [*pieces, (low, high)]


def _ordinals(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return floats as whole numbers in the same order, neighbours one apart; whole numbers as they are."""
    if values.dtype.kind != "f":
        return values.astype(np.int64)
    bits = (values.astype(np.float64) + 0.0).view(np.int64)  # one zero, not two
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def _floats(ordinals: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(ordinals < 0, np.int64(-(2**63)) - ordinals, ordinals).astype(np.int64).view(np.float64)


def _middle(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what lies half way, rounded up; the sum of two may be too large for 64 bits."""
    return (low | high) - ((low ^ high) >> 1)


def _filler(column: MadeColumn, span: Span, rows: int) -> Picked:
    """Return some value of a span, as often as there are rows."""
    if len(span.lows):
        return Picked(np.repeat(span.lows[:1], rows), np.zeros(rows, dtype=bool))
    zero = np.zeros(rows, dtype=np.float64 if _is_float(column) else np.int64)
    return Picked(zero, np.ones(rows, dtype=bool))


def _asking(filler: Picked, column: MadeColumn, ordinals: NDArray[np.int64]) -> Picked:
    if not len(ordinals):
        return filler
    values, missing = filler.values.copy(), filler.missing.copy()
    values[: len(ordinals)] = _floats(ordinals) if _is_float(column) else ordinals
    missing[: len(ordinals)] = False
    return Picked(values, missing)


def _level(picked: tuple[Picked, ...]) -> tuple[Picked, ...]:
    """Return values of columns as one table: a column that has fewer repeats its first one."""
    rows = max(len(one.values) for one in picked)
    return tuple(
        one.take(np.append(np.arange(len(one.values)), np.zeros(rows - len(one.values), dtype=np.intp)).astype(np.intp))
        for one in picked
    )


def _picked(column: MadeColumn, present: NDArray[Any], span: Span, parts: list[tuple[Any, Any]]) -> Picked:
    """Return a value of each part that the column's type holds one of and, behind them, a missing one where it counts.

    A value that occurs is taken where there is one.
    """
    if not isinstance(column, NumberColumn):
        values = [low for low, _ in parts]
    else:
        observed = np.unique(present)
        held = (_held(column, span, low, high) for low, high in parts)
        values = [_likely(observed, low, high) for low, high in held if low <= high]
    dtype = np.float64 if _is_float(column) else np.int64
    made = np.array([*values, *([0] if span.missing else [])], dtype=dtype)
    missing = np.zeros(len(made), dtype=bool)
    if span.missing:
        missing[-1] = True
    return Picked(made, missing)


def _held(column: NumberColumn, span: Span, low: Any, high: Any) -> tuple[Any, Any]:
    """Return the first and last value of a part that the column's type holds."""
    if not column.step:
        lattice = column.storage.lattice
        return lattice.above(low, 0), lattice.below(high, 1)
    usual = not len(span.lows) or (int(span.lows[0]) - column.offset) % column.step == 0
    if column.column.kind is Kind.DATETIME and column.step > 1 and usual:
        return low + (column.offset - low) % column.step, high - (high - column.offset) % column.step
    if column.in_floats:
        lattice = column.storage.lattice
        return int(lattice.above(low, 0)), int(lattice.below(high, 1))
    return low, high


def _likely(observed: NDArray[Any], low: Any, high: Any) -> Any:
    """Return a value between two: one that occurs, else a short one as near to those as can be."""
    first, end = np.searchsorted(observed, [low, high], side="left")
    end += bool(end < len(observed) and observed[end] == high)
    if first < end:
        return observed[(first + end - 1) // 2].item()
    if not len(observed) or isinstance(low, int):
        return low if not len(observed) or low > observed[-1] or high >= observed[0] else high
    anchor = low if low > observed[0] else high
    for digits in range(-20, 18):
        short = round(anchor, digits)
        for near in (short, short + 10.0**-digits, short - 10.0**-digits):
            if low <= near <= high and abs(near - anchor) <= max(abs(anchor), 1.0):
                return float(near)
    return anchor


def _merged(picked: tuple[Picked, ...], left: list[tuple[int, NDArray[np.bool_]]]) -> Cells:
    """Put cells together that no test tells apart."""
    kept = []
    for place in range(len(picked)):
        answers = [goes for column, goes in left if column == place]
        if not answers:
            kept.append(np.zeros(1, dtype=np.intp))
            continue
        _, first = np.unique(np.array(answers), axis=1, return_index=True)
        kept.append(np.sort(first).astype(np.intp))
    return Cells(
        tuple(one.take(places) for one, places in zip(picked, kept, strict=True)),
        [(column, goes if column == CONSTANT else goes[kept[column]]) for column, goes in left],
    )
