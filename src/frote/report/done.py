"""What was done: rows kept, relabelled, dropped and added, per rule, and examples of rows that were made."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.labels import Labels
from frote.coverage.population import populations
from frote.coverage.ruling import Ruling
from frote.report.words import value_words
from frote.rules.values import Instant, canonical
from frote.table import Kind, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from frote.coverage.population import Population
    from frote.report.contents import DonePart, DoneRule, Example, ExampleColumn, Role
    from frote.report.lines import Lines
    from frote.rules import RuleSet
    from frote.table import Column
    from frote.table.frames import ColumnData

__all__ = ["Support", "cell_text", "done", "examples_in", "value_text"]

EXAMPLES = 2  # synthetic rows that are shown per rule: one from inside it, one from outside, where there are such
SHOWN = 10  # rules with examples, at most
COLUMNS = 12  # of an example, at most
CHANGES = 12  # kinds of relabelling per rule, at most


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """What rules as they were used cover of the data, and what rows were made from.

    Parameters
    ----------
    covered, attributed : sequence of int
        How many rows each rule covers, and how many of them no rule before it does.

    populations : sequence of sequence of Population
        The rows that those of each rule were made from, before the first batch.
    """

    covered: Sequence[int]
    attributed: Sequence[int]
    populations: Sequence[Sequence[Population]]

    @classmethod
    def of(cls, editor: Any, table: Table) -> Support:
        """Look at a table in memory."""
        ledger, ruling = editor.ledger_, Ruling.of(editor.rules_)
        rows = ruling.on(table)
        stayed = ledger["source"][ledger["row"].notna()].dropna().to_numpy(dtype=np.intp)
        # As they were before the first batch: with each batch accepted, rules have more rows to start from.
        started = populations(ruling.on(table.take(stayed)), editor.k + 1)
        return cls(rows.support, [len(rows.rows_of(rule)) for rule in range(len(ruling.names))], started)


def done(rules: RuleSet, support: Support, lines: Lines, made: pd.DataFrame, examples: list[Example]) -> DonePart:
    """Tell what was done; see `frote.report.gather`.

    Parameters
    ----------
    rules : RuleSet
        The rules as they were used.

    support : Support
        What they cover.

    lines : Lines
        The lines of the ledger, counted.

    made : DataFrame
        Those for rows that were made.

    examples : list of Example
        Some of these rows.
    """
    counts = Counter[str]()
    for line, rows in lines.items():
        counts[line.status] += rows
    kept, relabelled, dropped, added, guards = (
        counts[status] for status in ("kept", "relabelled", "dropped", "synthetic", "guard")
    )
    return {
        "rows": {
            "data": kept + relabelled + dropped,
            "kept": kept,
            "relabelled": relabelled,
            "dropped": dropped,
            "added": added,
            "guards": guards,
            "result": kept + relabelled + added + guards,
        },
        "rules": _per_rule(rules, support, lines, made[made["status"] == "synthetic"]),
        "examples": examples,
    }


def _per_rule(rules: RuleSet, support: Support, lines: Lines, made: pd.DataFrame) -> list[DoneRule]:
    """Tell for each rule as written what became of rows on its account."""
    origin = made["rule"].map({rule.name: rule.origin for rule in rules})
    told: list[DoneRule] = []
    for position, name in enumerate(Ruling.of(rules).names):
        mine = made[origin == name]
        told.append(
            {
                "name": name,
                "covered": support.covered[position],
                "attributed": support.attributed[position],
                "relabelled": _changes(lines, "relabelled", name, ["old", "new"]),
                "dropped": _changes(lines, "dropped", name, ["old"]),
                "added": len(mine),
                "strong": int((mine["covered"] == "strongly").sum()),
                "weak": int((mine["covered"] == "weakly").sum()),
                "counterexamples": int((mine["covered"] == "counterexample").sum()),
                "relaxed": list(dict.fromkeys(name for one in support.populations[position] for name in one.dropped)),
            }
        )
    return told


def _changes(lines: Lines, status: str, rule: str, labels: list[str]) -> list[Any]:
    """Count rows by their labels, the most first."""
    pairs = Counter[tuple[str, ...]]()
    for line, rows in lines.items():
        if line.status == status and line.rule == rule:
            pairs[tuple(str(getattr(line, name)) for name in labels)] += rows
    ranked = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return [{**dict(zip(labels, pair, strict=True)), "rows": rows} for pair, rows in ranked[:CHANGES]]


def examples_in(ledger: pd.DataFrame, rules: RuleSet, written: RuleSet, form: Any, X: Any, y: Any) -> list[Example]:
    """Show rows that were made beside those they were made from: of a result, by its ledger and its kind of frame."""
    made = ledger[ledger["status"] == "synthetic"]
    origin = made["rule"].map({rule.name: rule.origin for rule in rules})
    chosen = []
    for name in [name for name in rules.origins if (origin == name).any()][:SHOWN]:
        mine = made[origin == name]
        # The first of either sort, and more of the one if the other is lacking.
        firsts = mine.groupby("covered", sort=True).head(1).index
        order = [*firsts, *mine.index.difference(firsts)][:EXAMPLES]
        chosen += [(name, line) for line in order]
    if not chosen:
        return []
    rows = np.array([ledger.loc[line, ["row", "base"]].tolist() for _, line in chosen], dtype=np.intp)
    neighbours = np.array([ledger["neighbour"].fillna(-1)[line] for _, line in chosen], dtype=np.intp)
    places = np.unique(np.concatenate([rows.ravel(), neighbours[neighbours >= 0]]))
    table = Table.from_frame(form.take(X, places))
    given = Labels.of(y)
    texts = [given.texts[code] for code in given.codes[places]]
    synthetic = set(made["row"])
    examples: list[Example] = []
    for (name, line), (row, base), neighbour in zip(chosen, rows.tolist(), neighbours.tolist(), strict=True):
        trio: list[tuple[Role, int]] = [("made", row), ("base", base)]
        if neighbour >= 0:
            trio.append(("neighbour", neighbour))
        at = [int(np.searchsorted(places, number)) for _, number in trio]
        piece = rules[str(ledger.loc[line, "rule"])]
        columns = _side_by_side(table, at, piece.clause.columns, _named_in(written, name))
        examples.append(
            {
                "rule": name,
                "covered": str(ledger.loc[line, "covered"]),
                "columns": columns[:COLUMNS],
                "more": max(len(columns) - COLUMNS, 0),
                "rows": [
                    {"role": role, "row": number, "label": texts[position], "made_up": number in synthetic}
                    for (role, number), position in zip(trio, at, strict=True)
                ],
            }
        )
    return examples


def _named_in(written: RuleSet, origin: str) -> set[str]:
    """Return the columns that a rule names as it was written; those of all rules if resolution made it of several."""
    pieces = written.pieces(origin) or tuple(written)
    return {column for piece in pieces for column in piece.clause.columns}


def _side_by_side(table: Table, at: list[int], named: tuple[str, ...], written: set[str]) -> list[ExampleColumn]:
    """Return the cells of some rows, column by column: first those that the rule names, then those that differ."""
    columns: list[ExampleColumn] = []
    for column in table.schema:
        data = table[column.name]
        alike = [_same(data, at[0], row) for row in at]
        columns.append(
            {
                "name": column.name,
                "ruled": column.name in named,
                "resolved": column.name in named and column.name not in written,
                "cells": [cell_text(column, data, row) for row in at],
                "changed": not alike[1],
            }
        )
    columns.sort(key=lambda column: (not column["ruled"], not column["changed"]))
    return columns


def _same(data: ColumnData, one: int, other: int) -> bool:
    gone = data.gaps()
    return bool(gone[one] and gone[other]) or bool(
        not gone[one] and not gone[other] and data.values[one] == data.values[other]
    )


def cell_text(column: Column, data: ColumnData, row: int) -> str | None:
    """Write one cell; None for missing."""
    return None if data.missing is not None and data.missing[row] else value_text(column, data.values[row].item())


def value_text(column: Column, value: Any) -> str:
    """Write a value of a column: a number, a count of time units, or the place of a level."""
    if column.kind.has_levels:
        return str(column.levels[value])
    if column.kind is Kind.DATETIME:
        return str(Instant(value * column.step))
    if isinstance(value, float) and math.isfinite(value):
        # Six digits tell two rows apart, and more of them hide what differs.
        value = canonical(float(f"{value:.6g}"))
    return value_words(value)
