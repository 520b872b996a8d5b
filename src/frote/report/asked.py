"""What was asked: the rules in words and as written, what they cover, where they overlap and conflict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.matrix import overlaps_of
from frote.coverage.ruling import Ruling
from frote.estimators.encoded import in_codes
from frote.estimators.given_rules import as_rules
from frote.exceptions import FroteError
from frote.layout import counted
from frote.report.words import clause_words, outcome_words, rule_words
from frote.rules.conflicts import nothing_left, resolve
from frote.rules.written import WrittenRules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.report.about import About
    from frote.report.contents import AskedPart, Overlap, UsedRule
    from frote.rules import Conflict, RuleSet
    from frote.table import Schema, Table

__all__ = ["Coverage", "as_written", "asked"]

OVERLAPS = 60  # pairs of rules that are told, at most
CONFLICTS = 20  # that are told, at most
PIECES = 12  # of a rule that are shown, at most


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """How many rows of the data rules cover, as they were written.

    Parameters
    ----------
    rows, covered : int
        How many rows there are, and how many of them some rule covers.

    both : ndarray of int, shape (rules, rules)
        How many two rules cover; on the diagonal, how many each one does.

    conflicts : sequence of Conflict
        Where they conflict, with how many rows.
    """

    rows: int
    covered: int
    both: NDArray[np.int64]
    conflicts: Sequence[Conflict]

    @classmethod
    def of(cls, bound: RuleSet, table: Table) -> Coverage:
        """Count the rows of a table."""
        by_rule = Ruling.of(bound).on(table).by_rule
        return cls(len(table), int(by_rule.any(axis=0).sum()), overlaps_of(by_rule), bound.conflicts(table))


def asked(editor: Any, table: Table, coverage: Coverage, text: str, bound: RuleSet, about: About) -> AskedPart:
    """Tell what was asked, given the rules from `as_written`; of the table only the columns count."""
    sources, conflicts = _sources(text, bound), coverage.conflicts
    conflict_words = [_conflict_words(conflict) for conflict in conflicts]
    used, skipped = editor.rules_, list(editor.skipped_)
    return {
        "facts": [{"name": name, "value": value} for name, value in about.facts.items() if value is not None],
        "rules": [
            {
                "name": origin,
                "words": rule_words(bound.pieces(origin)),
                "written": sources[origin],
                "rows": rows,
                "share": rows / coverage.rows if coverage.rows else None,
            }
            for origin, rows in zip(bound.origins, coverage.both.diagonal().tolist(), strict=True)
        ],
        "rows": coverage.rows,
        "covered": coverage.covered,
        "overlaps": _overlaps(
            bound, coverage.both, {frozenset((one.first.origin, one.second.origin)) for one in conflicts}
        ),
        "conflicts": (conflict_words or list(about.conflicts))[:CONFLICTS],
        "resolved": about.resolved or editor.resolve,
        "used": _changed(bound, used, table.schema),
        "gone": nothing_left(bound, _resolved(editor, table)),
        "impossible": skipped,
    }


def _resolved(editor: Any, table: Table) -> RuleSet:
    """Return the rules that the editor was given, with conflicts resolved if it was to resolve them."""
    given = in_codes(as_rules(editor.rules), editor.labels, editor.classes_.tolist())
    return given if editor.resolve is None else resolve(given, editor.resolve, table, classes=editor.classes_)


def _conflict_words(conflict: Conflict) -> str:
    one, other = (f"“{rule.origin}” ({outcome_words(rule.outcome)})" for rule in (conflict.first, conflict.second))
    where = f"where {clause_words(conflict.overlap)}" if len(conflict.overlap) else "everywhere"
    return f"{one} and {other} both apply {where}: {counted(conflict.rows or 0, 'row')} of the data."


def _changed(bound: RuleSet, used: RuleSet, schema: Schema) -> list[UsedRule]:
    """Tell the rules that were not used as they were written: what is left of them, or was made of several."""
    changed_rules: list[UsedRule] = []
    for origin in used.origins:
        # What is said of missing values that cannot be makes no difference here.
        here, there = (
            [(rule.name, rule.clause.without_gaps(schema), rule.outcome) for rule in rules.pieces(origin)]
            for rules in (used, bound)
        )
        if here != there:
            texts = list(map(str, used.pieces(origin)))
            words = rule_words(used.pieces(origin))
            changed_rules.append({"name": origin, "words": words, "texts": texts[:PIECES], "more": len(texts[PIECES:])})
    return changed_rules


def as_written(editor: Any, about: About) -> tuple[str, RuleSet]:
    """Return the text of the rules, if it is known, and the rules before any resolution."""
    written = about.rules
    if written is None and isinstance(editor.rules, str):
        written = WrittenRules(editor.rules)
    try:
        return ("", as_rules(editor.rules)) if written is None else (written.text, written.rules)
    except FroteError:
        # The path of a file, or rules as JSON: what was used is known all the same.
        return "", as_rules(editor.rules)


def _sources(text: str, rules: RuleSet) -> dict[str, str]:
    """Return each rule as it stands in the text, without the comments after it; as we would write it without a text."""
    if not (text and rules):
        return {origin: "\n".join(map(str, rules.pieces(origin))) for origin in rules.origins}
    lines = text.splitlines()
    starts = {origin: (rules.pieces(origin)[0].line or 1) - 1 for origin in rules.origins}
    ends = [*sorted(starts.values())[1:], len(lines)]
    sources = {}
    for (origin, start), end in zip(sorted(starts.items(), key=lambda item: item[1]), ends, strict=True):
        mine = [line.rstrip() for line in lines[start:end]]
        while mine and (not mine[-1] or mine[-1].lstrip().startswith("#")):
            mine.pop()
        sources[origin] = "\n".join(line.strip() for line in mine)
    return sources


def _overlaps(rules: RuleSet, both: NDArray[np.int64], conflicting: set[frozenset[str]]) -> list[Overlap]:
    """Tell the rules that cover the same rows, the most first."""
    names = rules.origins
    pairs = [(int(both[i, j]), i, j) for i, j in np.argwhere(np.triu(both, k=1)).tolist()]
    pairs.sort(key=lambda pair: (-pair[0], pair[1:]))
    return [
        {
            "first": names[i],
            "second": names[j],
            "rows": rows,
            "conflict": frozenset((names[i], names[j])) in conflicting,
        }
        for rows, i, j in pairs[:OVERLAPS]
    ]
