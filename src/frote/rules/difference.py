"""Where two policies answer otherwise: exactly, as disjoint boxes, whatever their rules are called or how they are put.

What a policy answers to a row is a set of outcomes: of no rule, of the rules that cover it, or, where these conflict,
several. One walk over the columns, as in `partition`, splits the rows by what both policies answer, and keeps those
where that is not the same. Only rules that changed can make a difference, so the walk is over these and over those
that they meet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from frote.exceptions import BindingError, RuleError
from frote.rules.binding import require_fit
from frote.rules.clause import Clause, infer_schema
from frote.rules.condition import Condition
from frote.rules.grid import Grid
from frote.rules.intervals import Intervals, first_step
from frote.rules.linear import column_at, columns_of
from frote.rules.overlaps import Overlaps
from frote.rules.partition import UNDECIDED, regions
from frote.rules.ruleset import RuleSet
from frote.rules.text import shortened
from frote.rules.work import Work
from frote.table import Kind, Schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from frote.rules.linear import Key
    from frote.rules.outcome import Outcome
    from frote.rules.partition import _Undecided
    from frote.rules.rule import Rule
    from frote.table import Column

__all__ = [
    "KINDS",
    "DifferenceKind",
    "PolicyAnswer",
    "PolicyRegion",
    "find_regions",
    "meant_schema",
    "settled",
]

DifferenceKind: TypeAlias = Literal["newly covered", "another answer", "no longer covered"]
KINDS: tuple[DifferenceKind, ...] = ("newly covered", "another answer", "no longer covered")

MANY_BOXES = 20  # from so many on, regions with holes are looked for, and taken if they are fewer
MOST_MET = 500_000  # pairs of clauses, one of which changed
NAMED = 4  # rules that are named in a sentence
_TO_COMPARE = "overlap, one of each pair changed, too many to compare. Compare fewer rules at a time"
_TEXTS = Condition(texts=frozenset(), all_but=True)

Masks: TypeAlias = "Mapping[Key, int]"  # the cells of each column, or sum of columns, that is named
Outcomes: TypeAlias = "frozenset[Outcome]"
Said: TypeAlias = tuple[Outcomes, Outcomes]  # by the old policy, and by the new one
NOTHING: Outcomes = frozenset()


@dataclass(frozen=True, slots=True)
class PolicyAnswer:
    """What a policy answers throughout a region.

    Parameters
    ----------
    rules : tuple of (str, Outcome)
        The rules as written that hold there, in their order, with their outcomes. Of those that agree, each holds in
        some part of the region, and together they hold in all of it.

    Examples
    --------
    >>> import frote
    >>> print(PolicyAnswer((("young", frote.Outcome.of("yes")),)))
    yes (young)
    >>> print(PolicyAnswer((("young", frote.Outcome.of("yes")), ("poor", frote.Outcome.of("no")))))
    a conflict of young (yes), poor (no)
    >>> print(PolicyAnswer())
    no rule
    """

    rules: tuple[tuple[str, Outcome], ...] = ()

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """None, one, or those that conflict."""
        return tuple(dict.fromkeys(outcome for _, outcome in self.rules))

    @property
    def is_conflict(self) -> bool:
        """Whether the rules want different things."""
        return len(self.outcomes) > 1

    def __str__(self) -> str:
        if not self.rules:
            return "no rule"
        if self.is_conflict:
            return f"a conflict of {_listed([f'{name} ({outcome})' for name, outcome in self.rules])}"
        return f"{self.outcomes[0]} ({_listed([name for name, _ in self.rules])})"


def _listed(names: Sequence[str]) -> str:
    """Name a few, and count the others."""
    more = [f"and {len(names) - NAMED:,} more"] if len(names) > NAMED else []
    return ", ".join([*names[:NAMED], *more])


@dataclass(frozen=True, slots=True)
class PolicyRegion:
    """A region that two policies answer otherwise.

    Parameters
    ----------
    clause : Clause
        Where it is.

    before, after : PolicyAnswer
        What the old and the new policy answer, everywhere in it.

    witness : dict
        Values of columns that make a row lie in it; None is a missing value.

    outside : tuple of Rule, default=()
        Where the region has holes: what these rules, which are in both policies, cover is no part of it.

    rows : int, default=None
        How many rows of the data lie in it, if data were given.

    labels : tuple of (str, int), default=()
        How many of them have each label, if labels were given.

    Examples
    --------
    >>> import frote
    >>> old = frote.parse_rules("young: IF age < 29 THEN approved")
    >>> new = frote.parse_rules("young: IF age < 31 THEN approved")
    >>> (region,) = old.diff(new).regions
    >>> region.kind, str(region.clause), region.witness
    ('newly covered', 'age >= 29 AND age < 31', {'age': 29})
    """

    clause: Clause
    before: PolicyAnswer
    after: PolicyAnswer
    witness: dict[str, Any]
    outside: tuple[Rule, ...] = ()
    rows: int | None = None
    labels: tuple[tuple[str, int], ...] = ()

    @property
    def kind(self) -> DifferenceKind:
        """Whether it is newly covered, has another answer, or is no longer covered."""
        if not self.before.rules:
            return "newly covered"
        return "another answer" if self.after.rules else "no longer covered"

    @property
    def where(self) -> str:
        """The clause, and what is no part of the region, in words."""
        holes = f"{', ' if len(self.clause) else ' '}outside {_listed([rule.name for rule in self.outside])}"
        where = f"where {shortened(str(self.clause))}" if len(self.clause) else "everywhere"
        return where + holes if self.outside else where


def meant_schema(old: RuleSet, new: RuleSet, schema: Schema | None) -> Schema:
    """Return the columns that both policies speak of, as far as kinds go; and refuse what does not fit them.

    Policies are for rows to come: whatever the data have by now, a text may be another one and a value missing.
    """
    if schema is None:
        return infer_schema(rule.clause for rules in (old, new) for rule in rules)
    for whose, rules in (("old", old), ("new", new)):
        try:
            require_fit(rules, schema)
        except BindingError as error:
            raise BindingError(f"The {whose} rules do not fit the data: {error}") from None
    return Schema(tuple(column for column in schema.with_gaps() if column.kind is not Kind.CATEGORICAL))


def settled(rules: RuleSet, meant: Schema, given: Schema | None = None) -> RuleSet:
    """Return rules as they are written for columns of these kinds, so that clauses which mean the same are equal.

    What they ask of levels, as ``plan STARTS WITH 'pre'``, is decided on those of the data that are given.
    """
    return RuleSet(replace(rule, clause=_decided(rule.clause, given).settled(meant)) for rule in rules)


def _decided(clause: Clause, given: Schema | None) -> Clause:
    if given is None or all(condition.is_decided_on(given[name]) for name, condition in clause.alone):
        return clause
    return Clause.of(
        (key, condition.on(given[key]) if isinstance(key, str) else condition) for key, condition in clause
    )


def find_regions(old: RuleSet, new: RuleSet, meant: Schema, given: Schema | None = None) -> list[PolicyRegion]:
    """Find the regions that two policies answer otherwise.

    They are boxes, and as few as these can be. Where many rules that are in both policies lie about what changed, it
    would take very many; then each region is a box but for what some of these rules cover.

    Parameters
    ----------
    old, new : RuleSet
        The policies, settled.

    meant : Schema
        The kinds of their columns, from `meant_schema`.

    given : Schema, default=None
        The columns of data, whose levels are preferred for witnesses.

    Returns
    -------
    list of PolicyRegion
        Disjoint, by their kind.
    """
    said = _said(old, new)
    changed, met = _involved(said, meant)
    if not changed:
        return []
    boxes = _fewest(changed, met, said, meant)
    named = {rule.clause: rule for rule in reversed(new)}
    answers = (_answers(boxes, rules, meant) for rules in (old, new))
    found = [
        PolicyRegion(
            clause=_in_whole_numbers(box.clause, meant),
            before=before,
            after=after,
            witness=_witness(box.free, meant, given),
            outside=tuple(named[hole] for hole in box.holes),
        )
        for box, before, after in zip(boxes, *answers, strict=True)
    ]
    return sorted(found, key=lambda region: KINDS.index(region.kind))


def _said(old: RuleSet, new: RuleSet) -> dict[Clause, Said]:
    """Return what both policies say where each clause holds."""
    said: dict[Clause, Said] = {}
    for rule in old:
        before, after = said.get(rule.clause, (NOTHING, NOTHING))
        said[rule.clause] = before | {rule.outcome}, after
    for rule in new:
        before, after = said.get(rule.clause, (NOTHING, NOTHING))
        said[rule.clause] = before, after | {rule.outcome}
    return said


def _involved(said: Mapping[Clause, Said], schema: Schema) -> tuple[list[Clause], list[Clause]]:
    """Return the clauses of which the policies do not say the same, and the others that meet one of them.

    They stand in the order of their texts, so that the same regions come of it whichever policy is the old one.
    """
    clauses = sorted(said, key=str)
    changed = [place for place, clause in enumerate(clauses) if said[clause][0] != said[clause][1]]
    others = sorted(set(range(len(clauses))).difference(changed)) if changed else []
    pairs = Overlaps(clauses, schema).between([changed, others], MOST_MET, _TO_COMPARE) if others else []
    met = sorted({place for pair in pairs for place in pair}.difference(changed))
    return [clauses[place] for place in changed], [clauses[place] for place in met]


@dataclass(frozen=True, slots=True)
class _Box:
    """A box but for holes, which are clauses that it meets, and a box in what is left of it."""

    clause: Clause
    free: Clause
    holes: tuple[Clause, ...] = ()


def _fewest(
    changed: Sequence[Clause], met: Sequence[Clause], said: Mapping[Clause, Said], schema: Schema
) -> list[_Box]:
    """Return boxes that are answered otherwise, with holes only where that saves many of them."""
    boxes = _boxes(changed, met, said, schema)
    if boxes is not None and len(boxes) <= MANY_BOXES:
        return boxes
    if any(clause.sums for clause in (*changed, *met)):
        # Whether holes leave anything of a box is told column by column, and sums are of several.
        if boxes is None:
            raise RuleError("Too many regions to tell, with conditions over several columns. Compare fewer rules.")
        return boxes
    try:
        holed = _boxes_with_holes(changed, met, said, schema)
    except RuleError:
        if boxes is None:
            raise
        return boxes
    return holed if boxes is None or len(holed) < len(boxes) else boxes


def _boxes(
    changed: Sequence[Clause], met: Sequence[Clause], said: Mapping[Clause, Said], schema: Schema
) -> list[_Box] | None:
    """Return the boxes without holes that are answered otherwise; None if they are too many."""
    clauses, work = [*changed, *met], Work(len(said))
    try:
        return [_Box(clause, clause) for clause, _ in regions(clauses, _Told(clauses, said, work), schema, work=work)]
    except RuleError:
        return None


def _boxes_with_holes(
    changed: Sequence[Clause], met: Sequence[Clause], said: Mapping[Clause, Said], schema: Schema
) -> list[_Box]:
    """Return boxes that are answered otherwise, with holes where rules that are in both policies see to it.

    What changed tells boxes apart by itself. In each of them, a rule that is in both policies adds its outcome to both
    answers, which may make them equal.
    """
    work = Work(len(said))
    found = regions(changed, _Told(changed, said, work), schema, work=work)
    grid = Grid([*(clause for clause, _ in found), *met], schema, work)
    holes = grid.masks[len(found) :]
    width = 1 + max(map(len, holes), default=0) // 4
    holed: list[_Box] = []
    for (_, (before, after)), masks in zip(found, grid.masks, strict=False):
        todo: list[tuple[Masks, Outcomes, list[int], list[int]]] = [(masks, NOTHING, list(range(len(met))), [])]
        while todo:
            box, added, left, out = todo.pop()
            work.spend(1 + width * (len(left) + len(out)))
            new = [place for place in left if not said[met[place]][0] <= added and _meets(box, holes[place])]
            out = [place for place in out if _meets(box, holes[place])] + new
            free = _free(box, [holes[place] for place in out], grid, work)
            if free is not None:
                clause, inner = _as_clause(box, grid), _as_clause(free, grid)
                holed.append(_Box(clause, inner, tuple(met[place] for place in out)))
                work.keep([clause])
            for rank, place in enumerate(new):
                together = added | said[met[place]][0]
                if not before ^ after <= together:
                    inside = out[: len(out) - len(new) + rank]
                    todo.append((_both(box, holes[place]), together, new[rank + 1 :], inside))
    return holed


def _meets(box: Masks, other: Masks) -> bool:
    return all(box.get(name, -1) & mask for name, mask in other.items())


def _both(box: Masks, other: Masks) -> Masks:
    return {**box, **{name: box.get(name, -1) & mask for name, mask in other.items()}}


def _free(box: Masks, holes: list[Masks], grid: Grid, work: Work) -> Masks | None:
    """Return a box within a box that none of the holes meets; None if they leave nothing of it."""
    todo = [(box, holes)]
    while todo:
        box, holes = todo.pop()
        work.spend(1 + sum(1 + len(hole) // 4 for hole in holes))
        holes = [hole for hole in holes if _meets(box, hole)]
        if not holes:
            return box
        inside = dict(box)
        for name, mask in holes[0].items():
            whole = inside.get(name, grid.cells[name].possible)
            if whole & ~mask:
                todo.append(({**inside, name: whole & ~mask}, holes[1:]))
            inside[name] = whole & mask
    return None


def _as_clause(box: Masks, grid: Grid) -> Clause:
    return Clause.of(
        (name, grid.condition(name, mask)) for name, mask in box.items() if mask != grid.cells[name].possible
    )


class _Told:
    """What two policies say where some of the clauses hold; decided as soon as no other clause can change it."""

    def __init__(self, clauses: Sequence[Clause], said: Mapping[Clause, Said], work: Work) -> None:
        self.work = work
        self.sides: tuple[dict[Outcome, int], dict[Outcome, int]] = ({}, {})  # the clauses that have each outcome
        for place, clause in enumerate(clauses):
            for groups, outcomes in zip(self.sides, said[clause], strict=True):
                for outcome in outcomes:
                    groups[outcome] = groups.get(outcome, 0) | 1 << place
        self.changed = sum(1 << place for place, clause in enumerate(clauses) if said[clause][0] != said[clause][1])

    def __call__(self, certain: int, pending: int) -> Said | _Undecided | None:
        if not (certain | pending) & self.changed:
            return None
        told = self._of(certain)
        if pending and told != self._of(certain | pending):
            return UNDECIDED
        return None if told[0] == told[1] else told

    def _of(self, those: int) -> Said:
        self.work.spend(1 + (len(self.sides[0]) + len(self.sides[1])) // 4)
        before, after = (
            frozenset(outcome for outcome, members in groups.items() if members & those) for groups in self.sides
        )
        return before, after


def _answers(boxes: Sequence[_Box], rules: RuleSet, schema: Schema) -> list[PolicyAnswer]:
    """Return what a policy answers in each box, with the rules that hold somewhere in it."""
    clauses = [*(box.clause for box in boxes), *(rule.clause for rule in rules)]
    groups = [range(len(boxes)), range(len(boxes), len(clauses))]
    holes = [set(box.holes) for box in boxes]
    holding: list[dict[str, Outcome]] = [{} for _ in boxes]
    for box, place in Overlaps(clauses, schema).between(groups, MOST_MET, _TO_COMPARE):
        rule = rules[place - len(boxes)]
        if clauses[place] not in holes[box]:
            holding[box][rule.origin] = rule.outcome
    return [PolicyAnswer(tuple(those.items())) for those in holding]


def _in_whole_numbers(clause: Clause, schema: Schema) -> Clause:
    """Return a clause that says of a column of whole numbers `= 2`, and not `>= 2 AND < 3`."""
    simple: dict[Key, Condition] = {}
    for name, condition in clause:
        column, line = column_at(schema, name), condition.numbers
        if column is not None and column.kind is Kind.INTEGER and not line.is_cofinite():
            alone = [(enter, leave, first_step(enter, 1)) for enter, leave in line]
            pairs = [
                ((whole, 0), (whole, 1)) if first_step(leave, 1) - 1 == whole else (enter, leave)
                for enter, leave, whole in alone
            ]
            condition = replace(condition, numbers=Intervals.union(pairs))
        simple[name] = condition
    return Clause.of(simple)


def _witness(clause: Clause, meant: Schema, given: Schema | None) -> dict[str, Any]:
    """Return values that satisfy a clause: levels that the data have and texts before other values, missing last."""
    picked = {name: _picked(condition, name, meant, given) for name, condition in clause.alone}
    if not clause.sums:
        return picked
    if doubt := clause.doubt(meant):
        raise RuleError(doubt)
    together = clause.witness(meant) or {}
    added = set(columns_of(key for key, _ in clause.sums))
    return {name: together[name] if name in added else picked[name] for name in clause.columns}


def _picked(condition: Condition, name: str, meant: Schema, given: Schema | None) -> Any:
    column = meant.get(name)
    ways: list[tuple[Condition, Column | None]] = [(condition, column)]
    if column is None:
        levels = None if given is None else given.get(name)
        known = [] if levels is None else [(condition & ~Condition.is_missing(), levels)]
        ways = [*known, (condition & _TEXTS, None), *ways]
    found = (some.pick(where) for some, where in ways)
    return next(picked[0] for picked in found if picked is not None)
