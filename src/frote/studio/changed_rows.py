"""The rows behind a part of what changed: both models are asked again, and their answers are kept while one looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.compare.pair import Pair
from frote.compare.parts import PARTS, parts
from frote.coverage.answers import Answers
from frote.coverage.measures import row_agreement
from frote.edits.order import Order
from frote.edits.ours import RECORD
from frote.edits.replaying import require_same_files
from frote.edits.saved_models import load_model
from frote.edits.tables import read_tables
from frote.rules.files import read_rules
from frote.rules.masks import clause_mask
from frote.rules.parser import parse_rules
from frote.studio.errors import ReadOnlyError, telling
from frote.studio.jobs import RUNS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from frote.edits.tables import LabelledTable
    from frote.studio.finished import Finished, Item

__all__ = ["Answered", "ChangedRows", "overridden"]


@dataclass(frozen=True, eq=False)
class Answered:
    """Rows with the answers of both models.

    Parameters
    ----------
    table : LabelledTable
        The rows that the edit was judged on.

    before, after : ndarray of str
        What the models say, as texts.

    part : ndarray of int
        What each change is, as a position in `PARTS`; -1 where nothing changed.
    """

    table: LabelledTable
    before: NDArray[Any]
    after: NDArray[Any]
    part: NDArray[np.intp]

    @classmethod
    def of(cls, edit: Finished) -> Answered:
        """Ask both models of an edit.

        Raises
        ------
        FroteError
            If a model or a table cannot be read, or is not that of the edit.
        """
        judged = _judged(edit)
        rules = read_rules(edit.folder / "rules.rules")
        answers = [Answers.of(load_model(edit.folder / name), judged.rows) for name in ("before.skops", "model.skops")]
        pair = Pair.of(answers, rules, judged.labels)
        attributed, own = pair.attributed(judged.rows.table, rules), judged.labels.codes
        agreed = [row_agreement(attributed, codes, own) for codes in pair.codes]
        before, after = ([str(label) for label in one.predicted.tolist()] for one in answers)
        part = parts(pair.codes[0], pair.codes[1], agreed[0], agreed[1])
        return cls(judged, np.array(before, dtype=object), np.array(after, dtype=object), part)

    def mask(self, item: Item, told: list[Item]) -> NDArray[np.bool_]:
        """Return the rows of a part of what changed; `told` are all parts, for what none of them tells."""
        rows = (self.before == str(item.before)) & (self.after == str(item.after))
        rows &= self.part == PARTS.index(item.part)
        if item.rule:
            return np.asarray(rows & self._inside(item))
        for other in told:
            if other.rule and (other.part, other.before, other.after) == (item.part, item.before, item.after):
                rows &= ~self._inside(other)
        return np.asarray(rows)

    def _inside(self, item: Item) -> NDArray[np.bool_]:
        inside = np.zeros(len(self.before), dtype=bool)
        for rule in parse_rules(item.rule):
            inside |= clause_mask(rule.clause, self.table.rows.table)
        return inside


@dataclass
class ChangedRows:
    """The rows of what changed in the edit that is looked at.

    Parameters
    ----------
    most : int
        How many rows are shown.
    """

    most: int = 25

    def __post_init__(self) -> None:
        self._kept: tuple[str, Answered] | None = None

    def of(self, edit: Finished, item: Item) -> dict[str, Any]:
        """Return some of the rows of a part of what changed, with those columns first that it speaks of.

        Returns
        -------
        dict
            `columns`, `named` (how many of them it speaks of), `rows` (each with its number in the table, its label and
            its cells), `count`, of all, and `numbers`, the columns that hold some.
        """
        record = edit.signature["record"]
        if self._kept is None or self._kept[0] != record:
            self._kept = record, Answered.of(edit)
        answered = self._kept[1]
        places = np.flatnonzero(answered.mask(item, edit.items))
        named = list(parse_rules(item.rule).columns) if item.rule else []
        columns = [*named, *(name for name in answered.table.X.columns if name not in named)]
        shown = answered.table.X.iloc[places[: self.most]][columns]
        labels = answered.table.y.iloc[places[: self.most]]
        rows = [
            {"number": answered.table.source.row(int(place)), "label": str(label), "cells": list(map(_cell, cells))}
            for place, label, cells in zip(places, labels, shown.itertuples(index=False, name=None), strict=False)
        ]
        schema = answered.table.rows.table.schema
        numbers = [name for name in columns if schema[name].kind.is_number]
        return {"columns": columns, "named": len(named), "rows": rows, "count": len(places), "numbers": numbers}


def overridden(edit: Finished) -> Path:
    """Write the table that the edit was judged on with the predictions of a hard override, as ``frote overlay`` does.

    Raises
    ------
    FroteError
        If the table or the model before cannot be read, or is not that of the edit.
    """
    from frote.edits.patching import patched_table

    if edit.workspace.read_only:
        raise ReadOnlyError(f"Nothing can be written here. {edit.workspace.read_only}")
    judged, rules = _judged(edit), read_rules(edit.folder / "rules.rules")
    source, model = judged.source, load_model(edit.folder / "before.skops")
    path = edit.workspace.files.path(f"{RUNS}/{edit.job.name}/override{source.form.suffix}")
    with telling("The predictions cannot be written", "Make room, and try again."):
        source.form.named(path).write(patched_table(source.frame, judged.X, rules, model), path, inert=["rule"])
    return path


def _judged(edit: Finished) -> LabelledTable:
    """Return the rows that an edit was judged on, if they and its folder are what they were."""
    order, tables, job = Order.of(edit.job.order), edit.workspace.tables, edit.job
    data, test = tables.path(job.data), tables.path(job.test) if job.test else None
    edit.require_intact()
    require_same_files(edit.record, edit.folder / RECORD, data, test)
    table, test_table = read_tables(order, data, test)
    return table if test_table is None else test_table


def _cell(value: Any) -> str:
    """Write a value for people."""
    import pandas as pd

    if value is None or pd.isna(value):
        return "missing"
    if isinstance(value, pd.Timestamp):
        return str(value.date() if value == value.normalize() else value)
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.2f}"
    return str(value)
