"""What else moved: changed predictions as rules, wanted and not, and what they mean for groups of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.compare.models import compare_answers
from frote.compare.subgroups import groups
from frote.explain.literals import Literals
from frote.report.words import clause_words
from frote.rules import Clause

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from frote.compare.comparison import Comparison
    from frote.coverage.answers import Answers
    from frote.report.contents import ChosenColumn, Group, MovedPart, Region
    from frote.report.judged import Judged
    from frote.table import Table

__all__ = ["choice_of_columns", "compared", "moved"]

LOOKED_AT = 10_000  # rows, at most: the search for regions takes as long as a fit for 50,000
COLUMNS = 6  # whose groups are told for how unlike they changed, unless columns are asked for
NAMED = 12  # whose groups are told since a rule names them, at most
GROUPS = 12  # of a column, at most, for it to be taken unasked
NAMED_GROUPS = 40  # the same for a column that a rule names
SHOWN = ("asked", "named", "unlike")  # why the groups of a column are told
REGIONS = 12  # that are told for each part, at most


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """How two models differ.

    Parameters
    ----------
    comparison : Comparison
        Of the two.

    columns : list of dict
        Which columns were looked into, and why, as `choice_of_columns` tells it.

    words : dict of str to str
        The groups of these columns in words, by their text.
    """

    comparison: Comparison
    columns: list[ChosenColumn]
    words: dict[str, str]


def compared(
    judged: Judged,
    answers: Mapping[str, Answers],
    subgroups: Sequence[str] | None,
    named: Sequence[str],
    seed: int,
) -> Compared:
    """Compare the two models on all rows that they are judged on, or on some if those are many.

    Parameters
    ----------
    judged : Judged
        The rows.

    answers : mapping of str to Answers
        What both models said of them.

    subgroups : sequence of str or None
        Columns whose groups to look into; None leaves the choice to `choice_of_columns`.

    named : sequence of str
        The columns that the rules name.

    seed : int
        For the choice of rows.

    Returns
    -------
    Compared
    """
    rows = np.arange(len(judged))
    if len(rows) > LOOKED_AT:
        rows = np.sort(np.random.default_rng(seed).choice(rows, LOOKED_AT, replace=False))
    pair = [answers[name] for name in ("before", "after")]
    table = judged.table if len(rows) == len(judged) else judged.table.take(rows)
    if subgroups is None:
        codes = [judged.codes(said)[rows] for said in pair]
        columns = choice_of_columns(table, codes[0] != codes[1], named)
    else:
        columns = [{"column": name, "why": "asked"} for name in subgroups]
    shown = [one["column"] for one in columns if one["why"] in SHOWN]
    truth = judged.labels.take(rows)
    comparison = compare_answers([said.take(rows) for said in pair], table, judged.rules, truth, subgroups=shown)
    return Compared(comparison, columns, _words_of_groups(table, shown))


def _words_of_groups(table: Table, names: Sequence[str]) -> dict[str, str]:
    """Return the words for each group of some columns, by its text."""
    clauses = [Clause.of({name: one}) for name in names for one in groups(table.schema[name], table)]
    return {str(clause): clause_words(clause) for clause in clauses}


def choice_of_columns(table: Table, changed: NDArray[np.bool_], named: Sequence[str]) -> list[ChosenColumn]:
    """Choose the columns whose groups are told: those that the rules name, and those in which changes lie unevenly.

    Parameters
    ----------
    table : Table
        The rows.

    changed : ndarray of bool
        Which of them are predicted otherwise.

    named : sequence of str
        The columns that the rules name.

    Returns
    -------
    list of dict
        For each column of the table `column` and `why`: ``"named"`` or ``"unlike"`` (in its groups the most unlike
        shares of rows changed) if it is told; ``"alike"``, ``"many"`` (too many groups) or ``"one"`` (all rows are
        one group) if it is not.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.table import Table
    >>> frame = pd.DataFrame({"odd": [0, 1] * 10, "one": 1, "id": [f"R{row}" for row in range(20)]})
    >>> table = Table.from_frame(frame.assign(**{f"x{i}": [i, i, 9, 9] * 5 for i in range(6)}))
    >>> for found in choice_of_columns(table, np.array([False, True] * 10), ["x5"])[:4]:
    ...     print(found["column"], found["why"])
    odd unlike
    one one
    id many
    x0 unlike
    """
    why, unlike = {}, {}
    for column in table.schema:
        most = NAMED_GROUPS if column.name in named else GROUPS
        # A column of very many levels is not worth the time to find its groups.
        conditions = groups(column, table) if len(column.levels) <= 10 * most else []
        if not 2 <= len(conditions) <= most:
            why[column.name] = "one" if len(conditions) == 1 else "many"
            continue
        masks = Literals(tuple((column.name, condition) for condition in conditions)).evaluate(table)
        rows = masks.sum(axis=0)
        unlike[column.name] = float(rows @ (changed @ masks / rows - changed.mean()) ** 2)
    ranked = sorted(unlike, key=lambda name: -unlike[name])
    why |= dict.fromkeys(ranked, "alike")
    why |= dict.fromkeys(ranked[:COLUMNS], "unlike")
    why |= dict.fromkeys([name for name in ranked if name in named][:NAMED], "named")
    return [{"column": name, "why": why[name]} for name in table.schema.names]


def moved(compared: Compared, judged: int) -> MovedPart:
    """Tell what moved; see `frote.report.gather`."""
    comparison = compared.comparison
    plain = comparison.to_dict()
    regions: list[Region] = []
    regions_of: dict[str, int] = {}
    for line, rule in zip(plain["regions"], comparison.regions, strict=True):
        regions_of[line["part"]] = regions_of.get(line["part"], 0) + 1
        if regions_of[line["part"]] <= REGIONS:
            line["words"] = clause_words(rule.clause)
            regions.append(line)
    return {
        "rows": comparison.rows,
        "of": judged,
        "changed": len(comparison.changed),
        "parts": plain["parts"],
        "changes": plain["changes"],
        "regions": regions,
        "columns": compared.columns,
        "subgroups": _grouped(plain["subgroups"], compared.words),
    }


def _grouped(lines: list[dict[str, Any]], words: Mapping[str, str]) -> list[Group]:
    """Put the lines of a group together: one for each group, with its classes."""
    groups_by_name: dict[str, Group] = {}
    for line in lines:
        if line["group"] not in groups_by_name:
            groups_by_name[line["group"]] = {
                "column": line["column"],
                "group": line["group"],
                "rows": line["rows"],
                "changed": line["changed"],
                "f1_before": line["f1_before"],
                "f1_after": line["f1_after"],
                "words": words[line["group"]],
                "classes": [],
            }
        groups_by_name[line["group"]]["classes"].append(
            {"label": line["label"], "before": line["before"], "after": line["after"], "shift": line["shift"]}
        )
    return list(groups_by_name.values())
