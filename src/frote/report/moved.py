"""What else moved: changed predictions as rules, wanted and not, and what they mean for groups of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frote.compare.subgroups import groups
from frote.estimators.comparing import compare_models
from frote.explain.literals import Literals
from frote.report.words import clause_words
from frote.rules import parse_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from frote.estimators.comparing import Comparison
    from frote.report.judged import Answers, Judged
    from frote.table import Table

__all__ = ["compared", "moved", "telling_columns"]

LOOKED_AT = 10_000  # rows, at most: the search for regions takes as long as a fit for 50,000
COLUMNS = 6  # whose groups are told, unless columns are asked for
GROUPS = 12  # of a column, at most, for it to be taken unasked
REGIONS = 12  # that are told for each part, at most


def compared(judged: Judged, answers: Mapping[str, Answers], subgroups: Sequence[str] | None, seed: int) -> Comparison:
    """Compare the two models on all rows that they are judged on, or on some if those are many.

    Parameters
    ----------
    judged : Judged
        The rows.

    answers : mapping of str to Answers
        What both models said of them.

    subgroups : sequence of str or None
        Columns whose groups to look into; None takes those in whose groups most unlike shares changed.

    seed : int
        For the choice of rows.

    Returns
    -------
    Comparison
    """
    rows = np.arange(len(judged))
    if len(rows) > LOOKED_AT:
        rows = np.sort(np.random.default_rng(seed).choice(rows, LOOKED_AT, replace=False))
    everything = len(rows) == len(judged)
    frame = judged.frame if everything else judged.table.frame_format.take(judged.frame, rows)
    before, after = (answers[name].at(rows) for name in ("before", "after"))
    if subgroups is None:
        table = judged.table if everything else judged.table.take(rows)
        codes = [judged.codes(answers[name].at())[rows] for name in ("before", "after")]
        subgroups = telling_columns(table, codes[0] != codes[1])
    return compare_models(before, after, frame, judged.rules, judged.y[rows], subgroups=subgroups)


def telling_columns(table: Table, changed: NDArray[np.bool_]) -> list[str]:
    """Return the columns in whose groups the most unlike shares of rows changed, in the table's order.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"odd": [0, 1] * 4, **{f"x{i}": [i] * 7 + [9] for i in range(6)}}))
    >>> telling_columns(table, np.array([False, True] * 4))
    ['odd', 'x0', 'x1', 'x2', 'x3', 'x4']
    """
    unlike = {}
    for column in table.schema:
        conditions = groups(column, table) if len(column.levels) <= 10 * GROUPS else []
        if not 2 <= len(conditions) <= GROUPS:
            continue
        masks = Literals(tuple((column.name, held) for held in conditions)).evaluate(table)
        rows = masks.sum(axis=0)
        unlike[column.name] = float(rows @ (changed @ masks / rows - changed.mean()) ** 2)
    chosen = sorted(unlike, key=lambda name: -unlike[name])[:COLUMNS]
    return [name for name in table.schema.names if name in chosen]


def moved(comparison: Comparison, judged: int) -> dict[str, Any]:
    """Tell what moved; see `frote.report.gather`."""
    plain = comparison.to_dict()
    regions = []
    told: dict[str, int] = {}
    for line, rule in zip(plain["regions"], comparison.regions, strict=True):
        told[line["part"]] = told.get(line["part"], 0) + 1
        if told[line["part"]] <= REGIONS:
            regions.append({**line, "words": clause_words(rule.clause)})
    return {
        "rows": comparison.rows,
        "of": judged,
        "changed": len(comparison.changed),
        "parts": plain["parts"],
        "changes": plain["changes"],
        "regions": regions,
        "subgroups": _grouped(plain["subgroups"]),
    }


def _group_words(text: str) -> str:
    """Tell a group, which is written as the condition of a rule."""
    return clause_words(parse_rules(f"IF {text} THEN yes")[0].clause)


def _grouped(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put the lines of a group together: one for each group, with its classes."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for line in lines:
        key = line["column"], line["group"]
        names = ("column", "group", "rows", "changed", "f1_before", "f1_after")
        words = _group_words(line["group"])
        group = found.setdefault(key, {**{name: line[name] for name in names}, "words": words, "classes": []})
        group["classes"].append({name: line[name] for name in ("label", "before", "after", "shift")})
    return list(found.values())
