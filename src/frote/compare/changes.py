"""All changes between two predictions of the same rows: their kinds, the regions they lie in, and tables of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from frote.compare.differences import Differences
from frote.compare.parts import PARTS
from frote.explain.master import Limits
from frote.rules.masks import clause_mask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.rules.clause import Clause
    from frote.table import Table

__all__ = ["ChangeKind", "Changes", "Region"]

KIND = ("part", "before", "after")
ROUNDS = 50  # of column generation, for each kind of change


class ChangeKind(NamedTuple):
    """A kind of change: its part, as a position in `PARTS`, and the labels before and after, as codes of classes."""

    part: int
    before: int
    after: int


@dataclass(frozen=True, eq=False)
class Region:
    """Where changes of one kind lie.

    Parameters
    ----------
    name : str
        Its part and a number.

    kind : ChangeKind
        The kind of change.

    clause : Clause
        Where they lie; rows that did not change may lie there too.

    mask : ndarray of bool
        The rows of the table that satisfy it.
    """

    name: str
    kind: ChangeKind
    clause: Clause
    mask: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Changes:
    """What was predicted for the rows of a table before and after.

    Parameters
    ----------
    table : Table
        The rows that both models were asked about.

    classes : sequence
        The classes of labels, models and rules, in one order.

    before, after : ndarray of int
        The predictions, as positions in `classes`.

    part : ndarray of int
        The part that each row belongs to, from `parts`.

    Examples
    --------
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": range(20, 70)}))
    >>> before = np.zeros(50, dtype=np.intp)
    >>> after = np.where(np.arange(50) < 20, 1, 0)
    >>> changes = Changes(table, ("no", "yes"), before, after, np.where(after != before, 2, -1))
    >>> regions = changes.regions(min_share=0.01)
    >>> print(regions[0].name, regions[0].clause)
    unintended 1 age < 40
    >>> changes.summary(regions)["recall"].tolist()
    [1.0]
    """

    table: Table
    classes: Sequence[Any]
    before: NDArray[np.intp]
    after: NDArray[np.intp]
    part: NDArray[np.intp]

    def kinds(self) -> dict[ChangeKind, int]:
        """Return the kinds of change that occur with their rows: by part, then the most frequent first."""
        changed = self.part >= 0
        distinct, counts = np.unique(
            np.column_stack([self.part, self.before, self.after])[changed], axis=0, return_counts=True
        )
        kinds = {ChangeKind(*map(int, line)): int(count) for line, count in zip(distinct, counts, strict=True)}
        return dict(sorted(kinds.items(), key=lambda item: (item[0].part, -item[1], item[0])))

    def rows(self, kind: ChangeKind) -> NDArray[np.bool_]:
        """Return the rows that changed so."""
        return np.asarray((self.part == kind.part) & (self.before == kind.before) & (self.after == kind.after))

    def regions(self, min_share: float, seconds: float | None = None) -> list[Region]:
        """Find the regions of every kind; see `Differences`.

        Parameters
        ----------
        min_share : float
            The share of rows that a region must explain.

        seconds : float or None, default=None
            After how long to take the best so far; None for no clock.

        Returns
        -------
        list of Region
            In the order of the kinds.
        """
        search = Differences.of(self.table, min_share)
        limits = Limits.of(ROUNDS, seconds)
        kinds = list(self.kinds())
        numbers = dict.fromkeys(range(len(PARTS)), 0)
        regions = []
        for done, kind in enumerate(kinds):
            own = limits.part(1 / (len(kinds) - done))  # what is left is shared among the kinds to come
            for clause in search.find(self.rows(kind), self.before == kind.before, own):
                numbers[kind.part] += 1
                name = f"{PARTS[kind.part]} {numbers[kind.part]}"
                regions.append(Region(name, kind, clause, clause_mask(clause, self.table)))
        return regions

    def summary(self, regions: Sequence[Region]) -> pd.DataFrame:
        """Count what each region holds."""
        lines = []
        for region in regions:
            kind, rows = self.rows(region.kind), int(region.mask.sum())
            able = int((region.mask & (self.before == region.kind.before)).sum())
            changed = int((region.mask & kind).sum())
            counts = rows, rows / len(self.part), able, changed
            shares = changed / rows, changed / able, changed / int(kind.sum())
            lines.append((*self._named(region.kind), *counts, *shares))
        counted = ["rows", "share", "before_rows", "changed", "precision", "rate", "recall"]
        names = pd.Index([region.name for region in regions], name="region", dtype="object")
        return pd.DataFrame(lines, columns=[*KIND, *counted], index=names)

    def by_kind(self, regions: Sequence[Region]) -> pd.DataFrame:
        """Count the changes of each kind, and those that lie in its regions."""
        lines = []
        for kind, rows in self.kinds().items():
            masks = [region.mask for region in regions if region.kind == kind]
            inside = int((self.rows(kind) & _any(masks, len(self.part))).sum())
            lines.append((*self._named(kind), rows, rows / len(self.part), len(masks), inside / rows))
        return pd.DataFrame(lines, columns=[*KIND, "rows", "share", "regions", "explained"])

    def by_part(self, regions: Sequence[Region]) -> pd.DataFrame:
        """Count the changes of each part, and those that lie in a region of their kind."""
        inside = np.zeros(len(self.part), dtype=bool)
        for region in regions:
            inside |= region.mask & self.rows(region.kind)
        rows = np.bincount(self.part[self.part >= 0], minlength=len(PARTS))
        explained_rows = np.bincount(self.part[inside], minlength=len(PARTS))
        explained = np.divide(explained_rows, rows, out=np.full(len(PARTS), np.nan), where=rows > 0)
        return pd.DataFrame(
            {"rows": rows, "share": rows / len(self.part), "explained": explained}, index=pd.Index(PARTS, name="part")
        )

    def by_row(self, regions: Sequence[Region], rules: NDArray[np.object_]) -> pd.DataFrame:
        """List the rows that changed; `rules` holds for each row the name of the rule it is attributed to, or ""."""
        places = np.flatnonzero(self.part >= 0)
        first = np.full(len(self.part), "", dtype=object)
        for region in reversed(regions):
            first[region.mask & self.rows(region.kind)] = region.name
        return pd.DataFrame(
            {
                "before": [self.classes[code] for code in self.before[places]],
                "after": [self.classes[code] for code in self.after[places]],
                "part": [PARTS[code] for code in self.part[places]],
                "rule": rules[places],
                "region": first[places],
            },
            index=pd.Index(places, name="row"),
        )

    def _named(self, kind: ChangeKind) -> tuple[str, Any, Any]:
        return PARTS[kind.part], self.classes[kind.before], self.classes[kind.after]


def _any(masks: list[NDArray[np.bool_]], rows: int) -> NDArray[np.bool_]:
    return np.any(masks, axis=0) if masks else np.zeros(rows, dtype=bool)
