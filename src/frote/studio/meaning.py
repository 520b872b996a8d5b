"""Two versions side by side: their texts line by line, and where they answer otherwise."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from frote.exceptions import FroteError
from frote.report.words import clause_words
from frote.rules.written import WrittenRules

if TYPE_CHECKING:
    from frote.edits.tables import LabelledTable
    from frote.studio.versions import Version

__all__ = ["compared", "lines_beside"]

MOST_LINES = 5_000  # of a policy that are laid side by side
MOST_REGIONS = 40  # that are shown


def compared(one: Version, other: Version, table: LabelledTable | None) -> dict[str, Any]:
    """Say how two versions of a policy differ.

    Parameters
    ----------
    one, other : Version
        The earlier and the later one.

    table : LabelledTable or None
        The rows that lie open, to count on.

    Returns
    -------
    dict
        `lines` (see `lines_beside`), `facts` (what else differs: name, before, after), and `meaning`: None where a text
        is none of rules, else `summary`, `notes`, `regions`, `empty` (those that no row lies in) and `more`, how many
        are left out here; `trouble` says why there is none.
    """
    facts = [("owner", "Owner"), ("effective", "Effective from"), ("resolve", "Conflicts"), ("cases", "Cases")]
    pairs = [(title, getattr(one, name) or "", getattr(other, name) or "") for name, title in facts]
    meaning, trouble = None, ""
    try:
        meaning = _meaning(one, other, table)
    except FroteError as error:
        trouble = str(error)
    return {
        "lines": lines_beside(one.policy, other.policy),
        "facts": [_fact(*pair) for pair in pairs if pair[1] != pair[2]],
        "meaning": meaning,
        "trouble": trouble,
    }


def lines_beside(one: str, other: str) -> list[tuple[str, str, str]]:
    r"""Return two texts line by line: what became of it (same, gone, new), and the line on either side.

    Examples
    --------
    >>> lines_beside("a\nb", "a\nc")
    [('same', 'a', 'a'), ('gone', 'b', ''), ('new', '', 'c')]
    """
    left, right = one.splitlines()[:MOST_LINES], other.splitlines()[:MOST_LINES]
    lines: list[tuple[str, str, str]] = []
    for kind, i, j, k, m in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += [("same", line, line) for line in left[i:j]]
        else:
            lines += [("gone", line, "") for line in left[i:j]]
            lines += [("new", "", line) for line in right[k:m]]
    return lines


def _fact(title: str, before: str, after: str) -> tuple[str, str, str]:
    if title == "Cases":
        return title, *(f"{max(len(text.splitlines()) - 1, 0):,}" for text in (before, after))  # type: ignore[return-value]
    return title, before or "none", after or "none"


def _meaning(one: Version, other: Version, table: LabelledTable | None) -> dict[str, Any]:
    old, new = (
        rules if version.resolve is None else rules.resolve(version.resolve)
        for version in (one, other)
        for rules in [WrittenRules(version.policy).rules]
    )
    rows = {} if table is None else {"schema": table.rows.table, "y": table.y}
    difference = old.diff(new, **rows)
    shown = difference.regions[:MOST_REGIONS]
    return {
        "equal": difference.equal,
        "summary": difference.summary,
        "notes": list(difference.notes),
        "counted": difference.rows is not None,
        "regions": [_region(region) for region in shown if region.rows != 0],
        "empty": [_region(region) for region in shown if region.rows == 0],
        "more": max(len(difference.regions) - MOST_REGIONS, 0),
    }


def _value(value: Any) -> str:
    """Write a value of a row for people; of an instant at midnight the day is enough."""
    return "missing" if value is None else str(value).removesuffix(" 00:00:00")


def _region(region: Any) -> dict[str, Any]:
    outside = ", ".join(rule.name for rule in getattr(region, "outside", ()))
    words = clause_words(region.clause) or "everywhere"
    return {
        "kind": region.kind,
        "words": f"{words}, outside {outside}" if outside else words,
        "before": str(region.before),
        "after": str(region.after),
        "rows": region.rows,
        "labels": list(region.labels or ()),
        "witness": {name: _value(value) for name, value in (region.witness or {}).items()},
    }
