"""Simulated feedback: rules changed as the paper changes them, and sets of rules drawn without conflict.

Section 5.1: the operator of one of a rule's comparisons is reversed, its value is drawn anew, and a condition of
another rule is added. What covers too few or too many rows is thrown away.
"""

from __future__ import annotations

import functools
import logging
import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import numpy as np

from frote.coverage.ruling import Ruling
from frote.exceptions import RuleError
from frote.rules import Clause, Condition, Rule, RuleSet
from frote.rules.binding import as_schema, bind
from frote.rules.clause import infer_schema
from frote.rules.grid import Grid
from frote.rules.masks import clause_mask
from frote.rules.values import Instant, as_value
from frote.table import Kind, Schema, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from frote.rules import Outcome
    from frote.rules.linear import Key
    from frote.rules.values import Value
    from frote.table import Column

__all__ = ["RulePool", "draw_rules", "perturb_rules"]

T = TypeVar("T")
Seed: TypeAlias = "int | Sequence[int] | None"

REVERSED = {"=": "!=", "!=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
ORDERS = 20  # of a pool, that are gone through for a set without conflict

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RulePool:
    """Perturbed rules, and how many were tried to get them. It prints as rule text that reads back.

    Parameters
    ----------
    rules : RuleSet
        The rules; many of them may conflict.

    tried : int
        How many perturbations were made in all.

    wanted : int
        How many rules were asked for.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> rules = frote.parse_rules('''
    ...     IF age < 29 THEN yes
    ...     IF income > 50 THEN no
    ... ''')
    >>> X = pd.DataFrame({"age": range(20, 70), "income": range(100, 0, -2)})
    >>> pool = frote.perturb_rules(rules, X, size=2)
    >>> print(pool)
    # 2 rules, after 10 tries
    rule 1: IF income < 92 AND age < 29 THEN no
    rule 2: IF income < 94 AND age < 29 THEN no
    >>> frote.parse_rules(str(pool)) == pool.rules, pool.complete
    (True, True)
    """

    rules: RuleSet
    tried: int
    wanted: int

    @property
    def complete(self) -> bool:
        """Whether there are as many rules as were asked for."""
        return len(self.rules) >= self.wanted

    def __str__(self) -> str:
        of = "" if self.complete else f" of {self.wanted:,} wanted"
        return "\n".join([f"# {len(self.rules):,} rules{of}, after {self.tried:,} tries", *map(str, self.rules)])


@dataclass(frozen=True, slots=True)
class _Part:
    """A condition of a rule; with its operator and value if it is a comparison of one column with one value."""

    column: Key
    condition: Condition
    sign: str = ""
    value: Value | None = None

    @classmethod
    def compare(cls, column: Key, sign: str, value: Value) -> _Part:
        return cls(column, Condition.compare(sign, value), sign, value)


@dataclass(frozen=True, slots=True)
class _Observed:
    """The values of a column: its levels that occur, or the least and greatest of its numbers or dates."""

    column: Column
    values: tuple[Any, ...]
    unit: int = 1  # what whole numbers and dates are multiples of

    @classmethod
    def of(cls, table: Table, name: str) -> _Observed:
        column, data = table.schema[name], table[name]
        if column.kind.has_levels:
            codes = np.unique(data.values[data.values >= 0])
            return cls(column, tuple(as_value(column.levels[code]) for code in codes))
        finite = data.present[np.isfinite(data.present)]
        if not len(finite):
            return cls(column, ())
        unit = 1 if column.kind is Kind.CONTINUOUS else int(np.gcd.reduce(finite)) or 1
        return cls(column, (finite.min().item(), finite.max().item()), unit)

    def has_another(self, old: Value | None) -> bool:
        """Tell whether a value could be drawn in place of another."""
        return any(value != old for value in self.values) if self.column.kind.has_levels else bool(self.values)

    def another(self, old: Value | None, rng: np.random.Generator) -> Value:
        """Draw a level that is not the old one, or a number or date in the range."""
        if self.column.kind.has_levels:
            others: list[Value] = [value for value in self.values if value != old]
            return _one_of(others, rng)
        low, high = self.values
        if self.column.kind is Kind.CONTINUOUS:
            share = rng.random()
            # Not by their difference, which may be beyond all floats; rounding may lead out of the range.
            return float(min(max(low * (1 - share) + high * share, low), high))
        drawn = int(rng.integers(low // self.unit, high // self.unit, endpoint=True)) * self.unit
        return Instant(drawn * self.column.step) if self.column.kind is Kind.DATETIME else drawn


def perturb_rules(
    rules: RuleSet,
    X: Any,
    *,
    size: int = 100,
    least: float = 0.05,
    most: float = 0.25,
    max_tries: int = 100_000,
    random_state: Seed = 0,
) -> RulePool:
    """Make a pool of perturbed rules, which simulate feedback that deviates from a model.

    Of a rule drawn at random, a comparison drawn at random has its operator reversed (``=`` and ``!=``, ``<`` and
    ``>``, ``<=`` and ``>=``) and its value drawn anew: another level that occurs, or any number or date between the
    least and the greatest that occur. Then a condition of another rule is added. A condition that is no comparison with
    one value (a list of values, missing) stays as it is, and may be what is added.

    Parameters
    ----------
    rules : RuleSet
        Rules to start from, such as those that explain a model; a perturbed rule keeps its outcome.

    X : pandas or polars DataFrame, NumPy array, or Table
        The rows that new values are drawn from and coverage is measured on.

    size : int, default=100
        How many rules are wanted.

    least, most : float, default=0.05 and 0.25
        The share of rows that a rule covers: at least the one, less than the other.

    max_tries : int, default=100_000
        After how many perturbations to give up; the pool is smaller then, and says so.

    random_state : int, sequence of int or None, default=0
        Where chance comes from.

    Returns
    -------
    RulePool
        Rules that differ from one another and from those given.

    Raises
    ------
    RuleError
        If no rule can be perturbed, or no share of rows is wanted.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> rules = frote.RuleSetClassifier(lambda0=0.01, lambda1=0.01, every_class=True).fit(loans.X, loans.y).rules_
    >>> pool = frote.perturb_rules(rules, loans.X, size=10)
    >>> shares = pool.rules.coverage(loans.X).mean(axis=0)
    >>> len(shares), bool((shares >= 0.05).all()), bool((shares < 0.25).all())
    (10, True, True)
    """
    if not least < most:
        raise RuleError(f"No share of rows is at least {least:g} and less than {most:g}. Set least below most.")
    table = Table.from_frame(X)
    bound = bind(rules, table.schema)
    rng = np.random.default_rng(random_state)
    seen = {(rule.clause, rule.outcome) for rule in bound}
    kept: list[Rule] = []
    tried = 0
    perturbed = _perturbed(bound, table, rng)
    while len(kept) < size and tried < max_tries:
        clause, outcome = next(perturbed)
        tried += 1
        if (clause, outcome) in seen or clause.is_empty(table.schema):
            continue
        if least <= clause_mask(clause, table).mean() < most:
            seen.add((clause, outcome))
            kept.append(Rule(f"rule {len(kept) + 1}", clause, outcome))
    pool = RulePool(RuleSet(kept), tried, size)
    if not pool.complete:
        logger.warning(
            "%d of %d rules that cover %g to %g of the rows after %d tries", len(kept), size, least, most, tried
        )
    return pool


def draw_rules(
    pool: RulePool | Iterable[Rule],
    size: int,
    schema: Any = None,
    *,
    conflicts: Literal["possible", "rows"] = "possible",
    random_state: Seed = 0,
) -> RuleSet:
    """Draw rules from a pool that do not conflict with one another.

    Rules are taken in random order, each that conflicts with none before it, in a few such orders if need be.

    Parameters
    ----------
    pool : RulePool or iterable of Rule
        The rules to draw from; pieces of one rule are drawn together and count as one.

    size : int
        How many are wanted.

    schema : Schema, Table or frame, default=None
        The columns. Without it, columns that are compared with numbers are continuous.

    conflicts : {"possible", "rows"}, default="possible"
        Whether rules of different outcomes conflict if any possible row falls under both, or only if one of the rows
        of a table or frame does. Those of the second kind may still meet where there is no row: ``RuleSet.resolve``
        settles who is right there.

    random_state : int, sequence of int or None, default=0
        Where chance comes from.

    Returns
    -------
    RuleSet
        The rules as they stand in the pool, in the order they were drawn in.

    Raises
    ------
    RuleError
        If no such set was found; it says how large the largest was. If conflicts are to be looked for among rows and
        there are none.

    Examples
    --------
    >>> import frote
    >>> pool = frote.parse_rules('''
    ...     a: IF x < 1 THEN yes
    ...     b: IF x < 2 THEN no
    ...     c: IF x > 3 THEN no
    ... ''')
    >>> print(frote.draw_rules(pool, 2))
    c: IF x > 3 THEN no
    a: IF x < 1 THEN yes
    >>> frote.draw_rules(pool, 3)
    Traceback (most recent call last):
        ...
    frote.exceptions.RuleError: No 3 rules without conflict were found among 3, 2 at most. Ask for fewer.

    No row here is below 1, so that the first two rules do not meet on any:

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"x": [1.5, 4.0]})
    >>> [rule.name for rule in frote.draw_rules(pool, 3, rows, conflicts="rows")]
    ['c', 'a', 'b']
    """
    rules = pool.rules if isinstance(pool, RulePool) else RuleSet(pool)
    clash = _clash(rules, schema, conflicts)
    origins = rules.origins
    rng = np.random.default_rng(random_state)
    largest = 0
    for _ in range(ORDERS):
        chosen: list[int] = []
        for position in rng.permutation(len(origins)):
            if not clash[position, chosen].any():
                chosen.append(int(position))
        if len(chosen) >= size:
            return RuleSet(rule for position in chosen[:size] for rule in rules.pieces(origins[position]))
        largest = max(largest, len(chosen))
    raise RuleError(
        f"No {size} rules without conflict were found among {len(origins)}, {largest} at most. Ask for fewer."
    )


def _clash(rules: RuleSet, schema: Any, conflicts: Literal["possible", "rows"]) -> NDArray[np.bool_]:
    """Tell for each two rules as written whether any of their pieces conflict."""
    if conflicts == "rows":
        if schema is None or isinstance(schema, Schema):
            raise RuleError("Conflicts on rows need rows to look at: give a frame or a table in place of a schema.")
        table = Table.from_frame(schema)
        bound = bind(rules, table.schema)
        covered = np.array([clause_mask(rule.clause, table) for rule in bound], dtype=np.int64)
        return _conflicting(bound, covered @ covered.T > 0)
    if schema is None:
        own_schema = infer_schema(rule.clause for rule in rules)
        bound = rules
    else:
        own_schema = as_schema(schema)
        bound = bind(rules, own_schema)
    return _conflicting(bound, Grid([rule.clause for rule in bound], own_schema).overlaps())


def _conflicting(bound: RuleSet, overlaps: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell for each two rules as written whether pieces that overlap have different outcomes."""
    ruling = Ruling.of(bound)
    clash = np.zeros((len(ruling.outcomes), len(ruling.outcomes)), dtype=bool)
    for i, j in ruling.origin[np.argwhere(overlaps)]:
        clash[i, j] = ruling.outcomes[i] != ruling.outcomes[j]
    return clash


def _perturbed(rules: RuleSet, table: Table, rng: np.random.Generator) -> Iterator[tuple[Clause, Outcome]]:
    """Perturb one rule after the other, without end."""
    observed = {name: _Observed.of(table, name) for name in rules.columns}
    parts = [_parts(rule.clause) for rule in rules]
    # For each rule, the places of what can be changed, and the conditions of each of the other rules.
    places = [
        [place for place, part in enumerate(own) if part.sign and observed[str(part.column)].has_another(part.value)]
        for own in parts
    ]
    lenders = [
        [lent for other, lent in zip(rules, parts, strict=True) if lent and other.origin != rule.origin]
        for rule in rules
    ]
    starts = [start for start in range(len(rules)) if places[start] and lenders[start]]
    if not starts:
        raise RuleError(
            "None of these rules can be perturbed: it takes a comparison whose value these rows can replace, and "
            "another rule to take a condition of."
        )
    while True:
        start = _one_of(starts, rng)
        changed = list(parts[start])
        place = _one_of(places[start], rng)
        old = changed[place]
        value = observed[str(old.column)].another(old.value, rng)
        changed[place] = _Part.compare(old.column, REVERSED[old.sign], value)
        changed.append(_one_of(_one_of(lenders[start], rng), rng))
        clause = functools.reduce(operator.and_, (Clause.of({part.column: part.condition}) for part in changed))
        yield clause.settled(table.schema), rules[start].outcome


def _one_of(options: Sequence[T], rng: np.random.Generator) -> T:
    return options[int(rng.integers(len(options)))]


def _parts(clause: Clause) -> list[_Part]:
    """Take a clause apart into comparisons where they say the same, and whole conditions elsewhere."""
    parts = []
    for name, condition in clause:
        if not isinstance(name, str):
            parts.append(_Part(name, condition))  # comparisons of columns are lent and kept as they are
            continue
        comparisons = [_Part.compare(name, sign, value) for sign, value in _candidates(condition)]
        said = functools.reduce(operator.and_, (part.condition for part in comparisons), Condition.anything())
        parts += comparisons if said.settled() == condition.settled() else [_Part(name, condition)]
    return parts


def _candidates(condition: Condition) -> list[tuple[str, Value]]:
    """Return the comparisons that a condition consists of if it is of the simplest form."""
    if not condition.is_decided:
        return []
    if condition.is_discrete:
        return [("!=" if condition.all_but else "=", value) for value in condition.named_values()]
    line = condition.times if condition.names_times else condition.numbers
    (low, after), (high, end) = line.cuts[0], line.cuts[-1]
    ends = [(">" if after else ">=", low), ("<=" if end else "<", high)]
    return [(sign, Instant(int(at)) if condition.names_times else at) for sign, at in ends if math.isfinite(at)]
