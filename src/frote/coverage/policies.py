"""The difference of two policies: what they answer otherwise, with the rows of data that it concerns."""

from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.labels import Labels
from frote.exceptions import RuleError
from frote.layout import Column, as_list, as_sentence, as_shown, as_table, counted
from frote.plain import plain
from frote.rules.conflicts import as_example, do_conflict
from frote.rules.difference import KINDS, find_regions, meant_schema, settled
from frote.rules.masks import Masks
from frote.rules.renaming import find_renamed
from frote.rules.ruleset import RuleSet
from frote.rules.text import shortened
from frote.table import Schema, Table

if TYPE_CHECKING:
    from frote.rules.difference import PolicyAnswer, PolicyRegion

__all__ = ["PolicyDifference", "diff_rules"]

MOST_SHOWN = 50  # regions in a text for people
WIDTH = 116


@dataclass(frozen=True, slots=True)
class PolicyDifference:
    """What two policies answer otherwise. It prints as a page for a person; `to_dict` is for programs.

    Parameters
    ----------
    regions : tuple of PolicyRegion
        Disjoint regions, by their kind; with data, those with most rows first.

    renamed : tuple of (str, str)
        The old and the new names of rules that say the same.

    conflicting : tuple of bool
        Whether the old rules conflict, and the new ones.

    rows : int, default=None
        How many rows the data have, if data were given.

    Examples
    --------
    >>> import frote
    >>> old = frote.parse_rules("young: IF age < 29 THEN approved")
    >>> new = frote.parse_rules("young people: IF NOT (age >= 29 OR age IS MISSING) THEN approved")
    >>> difference = old.diff(new)
    >>> difference.equal, difference.renamed
    (True, (('young', 'young people'),))
    >>> print(difference)
    No possible row is answered otherwise: the two policies mean the same.
    <BLANKLINE>
    - 'young' is now called 'young people'.
    """

    regions: tuple[PolicyRegion, ...]
    renamed: tuple[tuple[str, str], ...] = ()
    conflicting: tuple[bool, bool] = (False, False)
    rows: int | None = None

    @property
    def equal(self) -> bool:
        """Whether the policies mean the same, whatever their rules are called."""
        return not self.regions

    @property
    def summary(self) -> str:
        """What differs, in a sentence or two."""
        return " ".join(self._sentences())

    def _sentences(self) -> list[str]:
        if self.equal and any(self.conflicting):
            return ["No possible row is answered otherwise, as long as conflicts are not resolved."]
        if self.equal:
            return ["No possible row is answered otherwise: the two policies mean the same."]
        kinds = Counter(region.kind for region in self.regions)
        counts = ", ".join(
            f"{kinds[kind]:,} {'with another answer' if kind == 'another answer' else kind}" for kind in KINDS
        )
        regions = f"{counted(len(self.regions), 'region')} {'is' if len(self.regions) == 1 else 'are'}"
        told = [f"{regions} answered otherwise: {counts}."]
        if self.rows is not None:
            inside = sum(region.rows or 0 for region in self.regions)
            verb = "lies" if inside == 1 else "lie"
            told.append(f"{inside:,} of {counted(self.rows, 'row')} {verb} there.")
        return told

    @property
    def notes(self) -> tuple[str, ...]:
        """New names, and that rules conflict, in sentences."""
        notes = [f"{before!r} is now called {after!r}." for before, after in self.renamed]
        whose = {(True, True): "Both policies' rules", (True, False): "The old rules", (False, True): "The new rules"}
        if any(self.conflicting):
            notes.append(
                f"{whose[self.conflicting]} conflict. What conflicts is compared as that, whichever rule comes first; "
                "resolve conflicts to compare what comes of it."
            )
        return tuple(notes)

    def __str__(self) -> str:
        blocks = ["\n".join(_lines(region)) for region in self.regions[:MOST_SHOWN]]
        more = len(self.regions) - MOST_SHOWN
        if more > 0:
            blocks.append(f"... and {counted(more, 'region')} more.")
        notes = "\n".join(_wrapped(f"- {note}") for note in self.notes)
        return "\n\n".join(filter(None, ["\n".join(self._sentences()), *blocks, notes]))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        columns = [
            Column("", [region.kind for region in self.regions]),
            Column("where", [region.where.removeprefix("where ") for region in self.regions]),
            Column("was", [str(region.before) for region in self.regions]),
            Column("now", [str(region.after) for region in self.regions]),
            Column("for example", [shortened(as_example(region.witness)) for region in self.regions]),
        ]
        if self.rows is not None:
            columns.append(Column("rows", [f"{region.rows:,}" for region in self.regions], right=True))
        if any(region.labels for region in self.regions):
            columns.append(Column("labels", [_labels(region) for region in self.regions]))
        return as_shown(as_sentence(self.summary), as_table(columns) if self.regions else "", as_list(self.notes))

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it.

        Examples
        --------
        >>> import frote
        >>> old = frote.parse_rules("young: IF age < 29 THEN approved")
        >>> old.diff(frote.RuleSet()).to_dict()["regions"][0]["before"]
        {'text': 'approved (young)', 'conflict': False, 'rules': [{'name': 'young', 'outcome': 'approved'}]}
        """
        kinds = Counter(region.kind for region in self.regions)
        answer: dict[str, Any] = plain(
            {
                "equal": self.equal,
                "summary": self.summary,
                "counts": {kind: kinds[kind] for kind in KINDS},
                "rows": self.rows,
                "regions": [_plain_region(region) for region in self.regions],
                "renamed": [{"before": before, "after": after} for before, after in self.renamed],
                "conflicting": dict(zip(("before", "after"), self.conflicting, strict=True)),
                "notes": self.notes,
            }
        )
        return answer


def _lines(region: PolicyRegion) -> list[str]:
    example = as_example(region.witness)
    head = f"{region.kind} {region.where}" + (f", for example {shortened(example)}" if example else "")
    lines = [_wrapped(text) for text in (head, f"  was: {region.before}", f"  now: {region.after}")]
    if region.rows is not None:
        labels = _labels(region)
        lines.append(f"  {counted(region.rows, 'row')}" + (f": {labels}" if labels else ""))
    return lines


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def _labels(region: PolicyRegion) -> str:
    return ", ".join(f"{label} {rows:,}" for label, rows in region.labels)


def _plain_region(region: PolicyRegion) -> dict[str, Any]:
    return {
        "kind": region.kind,
        "clause": str(region.clause),
        "outside": [rule.name for rule in region.outside],
        "before": _plain_answer(region.before),
        "after": _plain_answer(region.after),
        "witness": region.witness,
        "example": as_example(region.witness),
        "rows": region.rows,
        "labels": dict(region.labels),
    }


def _plain_answer(answer: PolicyAnswer) -> dict[str, Any]:
    rules = [{"name": name, "outcome": str(outcome)} for name, outcome in answer.rules]
    return {"text": str(answer), "conflict": answer.is_conflict, "rules": rules}


def diff_rules(old: RuleSet, new: RuleSet, schema: Any = None, y: Any = None) -> PolicyDifference:
    """Compare two policies; see `RuleSet.diff`."""
    if not isinstance(new, RuleSet):
        raise RuleError(
            f"A policy is compared with a rule set, not with {type(new).__name__}. Read it by frote.read_rules."
        )
    masks = _masks(schema)
    if y is not None and masks is None:
        raise RuleError("Labels are counted in rows of data. Give the data too, rules.diff(other, X, y).")
    given = schema if masks is None else masks.table.schema
    meant = meant_schema(old, new, given)
    old, new = settled(old, meant, given), settled(new, meant, given)
    regions = find_regions(old, new, meant, given)
    if masks is not None:
        labels = None if y is None else Labels.of(y, len(masks.table))
        regions = [_with_rows(region, masks, labels) for region in regions]
        regions.sort(key=lambda region: (KINDS.index(region.kind), -(region.rows or 0)))
    return PolicyDifference(
        tuple(regions),
        tuple(find_renamed(old, new, meant)),
        (do_conflict(old, meant), do_conflict(new, meant)),
        None if masks is None else len(masks.table),
    )


def _masks(schema: Any) -> Masks | None:
    if schema is None or isinstance(schema, Schema):
        return None
    return schema if isinstance(schema, Masks) else Masks(Table.from_frame(schema))


def _with_rows(region: PolicyRegion, masks: Masks, labels: Labels | None) -> PolicyRegion:
    inside = masks.unpacked(region.clause)
    for rule in region.outside:
        inside &= ~masks.unpacked(rule.clause)
    if labels is None:
        return replace(region, rows=int(inside.sum()))
    counts = np.bincount(labels.codes[inside], minlength=len(labels.classes)).tolist()
    by_label = sorted(zip(labels.texts, counts, strict=True), key=lambda pair: -pair[1])
    return replace(region, rows=int(inside.sum()), labels=tuple(pair for pair in by_label if pair[1]))
