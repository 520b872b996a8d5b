"""Rules that overlap and disagree: found exactly, and taken apart in one of three ways."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

from frote.caller import warn_caller
from frote.exceptions import ConflictError, RuleError, RuleWarning
from frote.rules.binding import as_schema, bind, class_texts
from frote.rules.clause import Clause, infer_schema
from frote.rules.gaps import asked_gaps, unasked_gaps
from frote.rules.masks import Masks, count
from frote.rules.outcome import Outcome
from frote.rules.overlaps import Overlaps
from frote.rules.partition import UNDECIDED, cut_out, regions
from frote.rules.rule import Rule
from frote.rules.ruleset import FreeNames, RuleSet
from frote.rules.text import shortened
from frote.rules.values import Instant, as_value, value_text
from frote.rules.work import MOST_CHARACTERS, Lengths, Work
from frote.table import Schema, Table
from frote.ways_out import way_out

if TYPE_CHECKING:
    from frote.rules.condition import Condition
    from frote.rules.partition import _Undecided

__all__ = [
    "WAYS",
    "Conflict",
    "as_example",
    "disjoint",
    "do_conflict",
    "find_conflicts",
    "nothing_left",
    "resolve",
    "tell_nothing_left",
]

WAYS = ("exclude", "mix", "priority")

MOST_CONFLICTS = 10_000  # listed one by one
MOST_CONDITIONS = 30_000  # of the rules that are listed, each as often as it is
MOST_RIVALS = 500_000  # pairs of rules that are taken apart
_TO_LIST = 'conflict, too many to list. Resolve them with rules.resolve("priority"), or take fewer rules at a time'
_TO_RESOLVE = "overlap, too many to take apart. Take fewer rules at a time"

# Up to so many rules, an overlap is told apart by who meets there; of more, by the mean alone: the regions are fewer.
FEW_RULES = 8
Region: TypeAlias = tuple[Outcome, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two rules that overlap and send the overlap to different outcomes.

    Parameters
    ----------
    first, second : Rule
        The two rules, in their order.

    overlap : Clause
        Where both apply.

    witness : dict
        Values of the overlap's columns that satisfy both rules; None is a missing value.

    rows : int, default=None
        How many rows lie in the overlap, if data were given.

    doubt : str, default=""
        Why they only may conflict, where conditions over several columns take too long to tell; then there is no
        witness.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> rules = frote.parse_rules('''
    ...     young: IF age < 29 THEN approved
    ...     poor: IF income < 10K THEN denied
    ... ''')
    >>> (conflict,) = rules.conflicts(pd.DataFrame({"age": [25, 40], "income": [9e3, 9e3]}))
    >>> conflict.rows
    1
    """

    first: Rule
    second: Rule
    overlap: Clause
    witness: dict[str, Any]
    rows: int | None = None
    doubt: str = ""

    def __str__(self) -> str:
        example = as_example(self.witness)
        where = f" where {shortened(str(self.overlap))}, for example {shortened(example)}" if example else " everywhere"
        if self.doubt:
            where = f" where {shortened(str(self.overlap))}: {self.doubt.removesuffix('.')}"
        rows = "" if self.rows is None else f" ({self.rows:,} row{'' if self.rows == 1 else 's'})"
        one, other = (f"{rule.name} ({rule.outcome})" for rule in (self.first, self.second))
        return f"{one} and {other} {'may ' if self.doubt else ''}conflict{where}{rows}"


def as_example(witness: Mapping[str, Any]) -> str:
    """Write values of a row's columns for people.

    Examples
    --------
    >>> as_example({"age": 28, "income": None})
    'age=28, income=missing'
    """
    return ", ".join(f"{name}={_shown(value)}" for name, value in witness.items())


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    value = as_value(value)
    return str(value) if isinstance(value, Instant) else value_text(value)


def find_conflicts(rules: RuleSet, schema: Any = None) -> list[Conflict]:
    """Find every pair of rules that conflict; see `RuleSet.conflicts`."""
    masks = None
    if schema is None:
        own_schema = infer_schema(rule.clause for rule in rules)
    else:
        if not isinstance(schema, Schema):
            masks = schema if isinstance(schema, Masks) else Masks(Table.from_frame(schema))
        own_schema = schema if masks is None else masks.table.schema
        rules = bind(rules, own_schema)
    pairs = _rivals(rules, own_schema, MOST_CONFLICTS, _TO_LIST)
    _require_listable(rules, pairs)
    counts = [None] * len(pairs) if masks is None else _rows_in(rules, pairs, masks)
    conflicts = []
    for (i, j), rows in zip(pairs, counts, strict=True):
        overlap = (rules[i].clause & rules[j].clause).without_gaps(own_schema)
        witness = overlap.witness(own_schema)
        doubt = "" if witness is not None else overlap.doubt(own_schema)
        assert witness is not None or doubt, "cells and witnesses decide emptiness alike"
        conflicts.append(Conflict(rules[i], rules[j], overlap, witness or {}, rows, doubt))
    return conflicts


def do_conflict(rules: RuleSet, schema: Schema) -> bool:
    r"""Tell whether any rules conflict; those that overlap too often to be looked at one by one are said to.

    Examples
    --------
    >>> import frote
    >>> rules = frote.parse_rules("young: IF age < 29 THEN yes\npoor: IF income < 10K THEN no")
    >>> do_conflict(rules, frote.Schema(()))
    True
    """
    try:
        return bool(_rivals(rules, schema, MOST_RIVALS, _TO_RESOLVE))
    except RuleError:
        return True


def _require_listable(rules: RuleSet, pairs: list[tuple[int, int]]) -> None:
    """Refuse a list of conflicts that is too long by its conditions, or by what it takes to write these."""
    clauses, lengths = [rules[place].clause for pair in pairs for place in pair], Lengths()
    if sum(map(len, clauses)) > MOST_CONDITIONS or sum(map(lengths.of, clauses)) > MOST_CHARACTERS:
        raise RuleError(f"{len(pairs):,} pairs of these rules {_TO_LIST}.")


def _rows_in(rules: RuleSet, pairs: list[tuple[int, int]], masks: Masks) -> list[int]:
    """Count the rows that both rules of each pair cover."""
    covered = lru_cache(masks.most)(lambda place: masks.packed(rules[place].clause))
    return [count(covered(i) & covered(j)) for i, j in pairs]


def _rivals(rules: RuleSet, schema: Schema, most: int, refusal: str) -> list[tuple[int, int]]:
    """Return the pairs of rules that overlap and have unlike outcomes, by their places, in order."""
    groups: dict[Outcome, list[int]] = {}
    for place, rule in enumerate(rules):
        groups.setdefault(rule.outcome, []).append(place)
    if len(groups) < 2:
        return []
    return Overlaps([rule.clause for rule in rules], schema).between(groups.values(), most, refusal)


def resolve(
    rules: RuleSet,
    how: str,
    schema: Any = None,
    *,
    classes: Iterable[Any] | None = None,
    weights: Mapping[str, float] | Sequence[float] | None = None,
) -> RuleSet:
    """Return rules without conflicts; see `RuleSet.resolve`."""
    if how not in WAYS:
        raise RuleError(f"Conflicts are resolved by 'exclude', 'mix' or 'priority', not by {how!r}.")
    if weights is not None and how != "mix":
        raise RuleError(f"Weights are for 'mix'; {how!r} has no use for them.")
    shares = _weights(rules, weights)  # before binding, which may drop pieces that a weight names
    rules, own_schema = _written_for(rules, schema, classes)
    work = Work(len(rules))
    rivals: dict[int, list[int]] = {}
    for i, j in _rivals(rules, own_schema, MOST_RIVALS, _TO_RESOLVE):
        rivals.setdefault(j, []).append(i)
        if how != "priority":
            rivals.setdefault(i, []).append(j)
    taken = {*rules.names, *rules.origins}
    resolved = _without(rules, rivals, own_schema, taken, work)
    if how == "mix":
        resolved += _mixed(
            rules, own_schema, [shares[rule.name] for rule in rules], classes, sorted(rivals), taken, work
        )
    return RuleSet(resolved)


def disjoint(rules: RuleSet, schema: Any = None) -> RuleSet:
    """Return rules no two of which overlap; see `RuleSet.disjoint`."""
    rules, own_schema = _written_for(rules, schema)
    conflicts = _rivals(rules, own_schema, MOST_RIVALS, _TO_RESOLVE)
    if conflicts:
        one, other = (rules[place].name for place in conflicts[0])
        raise ConflictError(
            f"{one!r} and {other!r} overlap and have unlike outcomes, so neither can have the overlap for itself. "
            "Resolve conflicts first, with rules.resolve('exclude'), 'mix' or 'priority'."
        )
    overlaps = Overlaps([rule.clause for rule in rules], own_schema)
    rivals: dict[int, list[int]] = {}
    for i, j in overlaps.between(([place] for place in range(len(rules))), MOST_RIVALS, _TO_RESOLVE):
        rivals.setdefault(j, []).append(i)
    return RuleSet(_without(rules, rivals, own_schema, {*rules.names, *rules.origins}, Work(len(rules))))


def _written_for(rules: RuleSet, schema: Any, classes: Iterable[Any] | None = None) -> tuple[RuleSet, Schema]:
    """Return rules as a schema's types have them, and the schema; without one, what the rules tell of it."""
    if schema is None:
        return rules, infer_schema(rule.clause for rule in rules)
    own_schema = as_schema(schema)
    bound = bind(rules, own_schema, classes)
    return RuleSet(replace(rule, clause=rule.clause.without_gaps(own_schema)) for rule in bound), own_schema


def _without(rules: RuleSet, rivals: dict[int, list[int]], schema: Schema, taken: set[str], work: Work) -> list[Rule]:
    """Return the rules, each without what it shares with some others, all by their places."""
    settled = {i: rules[i].clause.settled(schema) for i in {*rivals, *itertools.chain(*rivals.values())}}
    pieces: dict[str, list[Clause]] = {origin: [] for origin in rules.origins}
    for i, rule in enumerate(rules):
        left = [rule.clause]
        if i in rivals:
            left = cut_out(settled[i], [settled[j] for j in sorted(rivals[i])], schema, work)
        if len(left) > 1:
            work.keep(left, len(rule.name) + len(str(rule.outcome)))
        pieces[rule.origin] += left
    left_of = []
    for origin in rules.origins:
        olds = rules.pieces(origin)
        left_of += _numbered(olds, pieces[origin], taken, asked_gaps(olds))
    return left_of


def nothing_left(rules: RuleSet, resolved: RuleSet) -> list[str]:
    """Return the names of the rules as written that are nowhere in the resolved ones, mixed or not.

    Examples
    --------
    >>> import frote
    >>> rules = frote.parse_rules('''
    ...     young: IF age < 29 THEN approved
    ...     very young: IF age < 25 THEN denied
    ... ''')
    >>> nothing_left(rules, rules.resolve("priority")), nothing_left(rules, rules.resolve("mix"))
    (['very young'], [])
    """
    left = {*resolved.origins, *(name for rule in resolved for name in rule.sources)}
    return [origin for origin in rules.origins if origin not in left]


def tell_nothing_left(rules: RuleSet, resolved: RuleSet, how: str) -> None:
    """Warn of rules of which resolving left nothing; that it left nothing of any is an error."""
    gone = nothing_left(rules, resolved)
    if gone and not resolved:
        raise RuleError(
            f"Resolving conflicts by {how} leaves nothing of any rule. Choose another way, or mend the rules."
        )
    if gone:
        named = ", ".join(map(repr, gone))
        warn_caller(f"Nothing is left of {named}, since conflicts were resolved by {how}.", RuleWarning)


def _numbered(olds: tuple[Rule, ...], clauses: list[Clause], taken: set[str], asked: set[str]) -> list[Rule]:
    """Return the rules that are left of one origin; names stay where its clauses stay, and none is taken twice.

    The columns are given of which it asks for missing values.
    """
    if clauses == [old.clause for old in olds]:
        return list(olds)
    first = olds[0]

    def piece(name: str, clause: Clause) -> Rule:
        gaps = unasked_gaps(clause, asked)
        return replace(first, name=name, clause=clause, dotted=(), unasked_gaps=gaps, decided=_decided(olds))

    if len(clauses) == 1 and len(olds) == 1:
        return [piece(first.name, clauses[0])]
    taken.difference_update(old.name for old in olds if old.name != old.origin)
    names = (name for number in itertools.count(1) if (name := f"{first.origin}/{number}") not in taken)
    made = [piece(name, clause) for clause, name in zip(clauses, names, strict=False)]
    taken.update(rule.name for rule in made)
    return made


def _weights(rules: RuleSet, weights: Mapping[str, float] | Sequence[float] | None) -> dict[str, Fraction]:
    """Return each rule's weight, given by its name, its origin or its place among the rules as written."""
    given: dict[str, Any] = {}
    if isinstance(weights, Mapping):
        names = {*rules.names, *rules.origins}
        unknown = [name for name in weights if name not in names]
        if unknown:
            raise RuleError(f"A weight is given for {unknown[0]!r}, and no rule has that name.")
        given = dict(weights)
    elif weights is not None:
        if len(weights) != len(rules.origins):
            raise RuleError(f"{len(weights)} weights are given for {len(rules.origins)} rules.")
        given = dict(zip(rules.origins, weights, strict=True))
    by_name = {rule.name: given.get(rule.name, given.get(rule.origin, 1)) for rule in rules}
    for weight in by_name.values():
        if not isinstance(weight, Real) or not 0 < float(weight) < float("inf"):
            raise RuleError(f"A weight must be a number above 0, not {weight!r}.")
    # By way of float: a fraction of NumPy's integers would overflow like them.
    return {name: Fraction(float(weight)) for name, weight in by_name.items()}


def _mixed(
    rules: RuleSet,
    schema: Schema,
    weights: list[Fraction],
    classes: Iterable[Any] | None,
    involved: list[int],
    taken: set[str],
    work: Work,
) -> list[Rule]:
    """Return rules for the regions where rules of unlike outcomes meet, with the weighted means of their outcomes."""
    those = [rules[i] for i in involved]
    means = _Means([rule.outcome for rule in those], [weights[i] for i in involved], classes)
    met: dict[Region, int] = {}
    apart = len({rule.origin for rule in those}) <= FEW_RULES
    groups: dict[Outcome, int] = {}
    for place, rule in enumerate(those):
        groups[rule.outcome] = groups.get(rule.outcome, 0) | 1 << place

    def mean(certain: int, pending: int) -> Region | _Undecided | None:
        if sum(1 for members in groups.values() if members & (certain | pending)) < 2:
            return None
        if pending:
            return UNDECIDED
        members = [place for place in range(certain.bit_length()) if certain >> place & 1]
        work.spend(10 + means.width * len(members))
        region = (means.of(members), frozenset(those[place].origin for place in members if apart))
        met[region] = met.get(region, 0) | certain
        return region

    asked_by = {origin: asked_gaps(rules.pieces(origin)) for origin in dict.fromkeys(rule.origin for rule in those)}
    by_region: dict[Region, list[Clause]] = {}
    for clause, region in regions([rule.clause for rule in those], mean, schema, work=work):
        by_region.setdefault(region, []).append(clause)
    made: list[Rule] = []
    unnamed = FreeNames(taken, stem="mix")
    for region, regions_of_it in by_region.items():
        outcome = region[0]
        members = [rule for place, rule in enumerate(those) if met[region] >> place & 1]
        sources = tuple(dict.fromkeys(name for rule in members for name in _sources(rule)))
        name = " + ".join(sources)
        if len(sources) > 4 or name in taken:
            name = unnamed.give(1)
        taken.add(name)
        work.keep(regions_of_it, len(name) + len(str(outcome)) + sum(map(len, sources)))
        asked = set().union(*(asked_by[rule.origin] for rule in members))
        gaps = unasked_gaps(regions_of_it[0], asked)
        decided = _decided(members)
        first = Rule(name, regions_of_it[0], outcome, sources=sources, unasked_gaps=gaps, decided=decided)
        made += _numbered((first,), regions_of_it, taken, asked)
    return made


def _decided(rules: Iterable[Rule]) -> tuple[tuple[str, Condition, Condition], ...]:
    """Return what rules ask of levels, of which another one is made."""
    return tuple(dict.fromkeys(one for rule in rules for one in rule.decided))


def _sources(rule: Rule) -> tuple[str, ...]:
    """Return the rules, as written, that a rule comes from."""
    return rule.sources or (rule.origin,)


def _spread(outcome: Outcome, classes: tuple[str, ...]) -> dict[str, Fraction]:
    """Return what `Outcome.spread` does, in the decimals that were written."""
    named = {label: Fraction(repr(share)) for label, share in outcome.probabilities}
    others = [label for label in outcome.spread(classes) if label not in named]
    rest = 1 - sum(named.values(), Fraction(0)) if outcome.rest else Fraction(0)
    return named | {label: rest / len(others) for label in others if rest}


class _Means:
    """Weighted means of outcomes, exact until the end so that no order of summing shows in them."""

    def __init__(self, outcomes: Sequence[Outcome], weights: Sequence[Fraction], classes: Iterable[Any] | None) -> None:
        if classes is None and any(outcome.rest for outcome in outcomes):
            how = way_out("Pass classes=[...]", "Add --data and --target, the column of labels", "Open the table")
            raise RuleError(f"To mix an outcome that has a confidence, all the classes must be known. {how}.")
        labels = () if classes is None else tuple(class_texts(classes))
        spread = [_spread(outcome, labels) for outcome in outcomes]
        self.width = max(map(len, spread), default=0)
        # Over one denominator, means are sums of whole numbers.
        shared = math.lcm(*(weight.denominator for weight in weights))
        scale = math.lcm(*(share.denominator for shares in spread for share in shares.values()))
        self.weights = [int(weight * shared) * scale for weight in weights]
        self.shares = [
            {label: int(weight * shared * share * scale) for label, share in shares.items()}
            for weight, shares in zip(weights, spread, strict=True)
        ]

    def of(self, members: Sequence[int]) -> Outcome:
        """Return the mean of some of the outcomes."""
        total = sum(self.weights[i] for i in members)
        mean: dict[str, int] = {}
        for i in members:
            for label, share in self.shares[i].items():
                mean[label] = mean.get(label, 0) + share
        return Outcome.of({label: float(Fraction(share, total)) for label, share in mean.items()})
