"""Rules that no row of a table's columns, types and levels can satisfy, in whole or in part, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

from frote.caller import warn_caller
from frote.exceptions import RuleError, RuleWarning
from frote.generation.adding import Adding
from frote.generation.limits import column_of, limits_of
from frote.rules import Clause, Condition
from frote.rules.binding import level_hint, place_of, unseen_levels, with_value_marked
from frote.rules.feasible import UndecidedError
from frote.rules.partition import subtract
from frote.rules.thousands import thousands
from frote.rules.values import value_text
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from frote.generation.limits import MadeColumn
    from frote.rules import Rule, RuleSet
    from frote.rules.linear import Key
    from frote.rules.values import Value
    from frote.table import Column, Table

__all__ = ["Impossible", "able", "impossible", "in_part", "tell_in_part", "tell_uncovering", "uncovering"]

SHOWN = 3  # conditions of one rule that are told, at most
NARROW = 2**32  # numbers up to which the bounds of a type are told
LOOKED_AT = 20  # pieces of one rule that can never hold and are looked at, at most

_HELD = {
    Kind.INTEGER: "whole numbers",
    Kind.CONTINUOUS: "numbers",
    Kind.BOOLEAN: "true or false",
    Kind.DATETIME: "dates",
}


@dataclass(frozen=True, slots=True)
class Impossible:
    """A rule that no row can satisfy.

    Parameters
    ----------
    rule : str
        Its name, as written.

    why : str
        The reason, in a sentence or two.

    told : str
        The same with the place of the rule, and its conditions with carets below them.

    unknown : tuple of (str, str)
        The levels that it asks for and the data do not have, each with its column.

    made : bool
        Whether nobody wrote it: resolving conflicts made it for an overlap.

    covers : bool
        Whether rows would satisfy it that are not like those of the data: with a missing value, where the data have
        none and it does not ask for one.
    """

    rule: str
    why: str
    told: str
    unknown: tuple[tuple[str, str], ...]
    made: bool
    covers: bool


class _Holding:
    """What the columns of a table can hold."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._columns: dict[str, MadeColumn] = {}
        self._met: dict[tuple[str, Condition, bool], bool] = {}
        self._doubts: dict[tuple[Key, Condition], str] = {}

    def unmet(self, rule: Rule) -> list[tuple[Key, Condition]]:
        """Return the conditions of a rule that no value of their column's type and levels meets.

        Those on sums of columns are unmet together, where nothing that the others allow meets them.
        """
        unmet: list[tuple[Key, Condition]] = []
        for name, condition in rule.clause.alone:
            key = name, condition, name in rule.unasked_gaps
            if key not in self._met:  # rules have many conditions in common
                self._met[key] = limits_of(rule, condition, self._column(name)) is not None
            if not self._met[key]:
                unmet.append((name, condition))
        if rule.clause.sums and not unmet:
            try:
                columns = {name: self._column(name) for name in rule.clause.columns}
                if Adding.of(rule, self._table, columns) is None:
                    unmet += rule.clause.sums
            except UndecidedError as error:
                unmet += rule.clause.sums
                self._doubts.update(dict.fromkeys(rule.clause.sums, str(error)))
        return unmet

    def _column(self, name: str) -> MadeColumn:
        if name not in self._columns:
            self._columns[name] = column_of(self._table, name)
        return self._columns[name]

    def lacks_gaps(self, name: Key, condition: Condition) -> bool:
        """Tell of a condition that is not met whether a missing value would meet it, and is neither there nor asked."""
        if not isinstance(name, str):
            return condition.missing and any(self._table.storage(one).nullable for one in name.columns)
        return condition.missing and self._table.storage(name).nullable

    def why(self, name: Key, condition: Condition, asked: Condition | None = None) -> str:
        """Say why a condition cannot be met, which may be what binding made of another that was asked."""
        if not isinstance(name, str):
            known = ", ".join(map(repr, name.columns[:-1])) + f" and {name.columns[-1]!r}"
            if (name, condition) in self._doubts:
                return self._doubts[name, condition]
            return f"no values of columns {known} that their types hold meet its conditions together."
        asked = condition if asked is None else asked
        column, storage = self._table.schema[name], self._table.storage(name)
        if self.lacks_gaps(name, condition):
            return f"conflicts leave it only rows where column {name!r} is missing, and no row of the data is so."
        if _asks_for_gaps(condition):
            return f"column {name!r} is of a type that has no missing values."
        if condition == Condition.nothing() and asked == condition:
            return f"its conditions on column {name!r} leave no value."
        if column.kind is Kind.CATEGORICAL:
            return _why_no_level(condition, column)
        narrow = storage.bounds is not None and storage.bounds[1] <= NARROW
        span = f" from {storage.bounds[0]} to {storage.bounds[1]}" if storage.bounds and narrow else ""
        return f"column {name!r} holds {_HELD[column.kind]}{span}, and none of them is so."


def able(rules: RuleSet, table: Table) -> list[bool]:
    r"""Tell for each rule whether the table's columns, types and levels can hold a row that satisfies it.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": [20, 30], "channel": ["web", "broker"]}))
    >>> able(frote.parse_rules("IF channel = brokr THEN no\nIF channel != brokr THEN no"), table)
    [False, True]
    """
    holding = _Holding(table)
    return [not holding.unmet(rule) for rule in rules]


def impossible(rules: RuleSet, table: Table) -> list[Impossible]:
    """Find rules, as written, that no row can satisfy.

    Parameters
    ----------
    rules : RuleSet
        The rules, of which all columns are in the table.

    table : Table
        The data.

    Returns
    -------
    list of Impossible

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": [20, 30], "channel": ["web", "broker"]}))
    >>> (found,) = impossible(frote.parse_rules("brokers: IF channel = brokr THEN no"), table)
    >>> print(found.told)
    line 1, rule 'brokers': no row can satisfy it: column 'channel' has no level 'brokr'. Did you mean 'broker'?
      channel = 'brokr'
                ^^^^^^^
    """
    holding = _Holding(table)
    refused = []
    for origin in rules.origins:
        pieces = [(piece, holding.unmet(piece)) for piece in rules.pieces(origin)]
        if all(unmet for _, unmet in pieces):
            refused.append(_impossible(origin, pieces, holding, table))
    return refused


def _impossible(
    origin: str, pieces: list[tuple[Rule, list[tuple[Key, Condition]]]], holding: _Holding, table: Table
) -> Impossible:
    rule = pieces[0][0]
    # The first condition of each piece is enough to make it impossible.
    firsts = list(dict.fromkeys(unmet[0] for _, unmet in pieces))
    asked = {(name, condition): rule.as_asked(name, condition) for name, condition in firsts[:SHOWN]}
    reasons = {one: holding.why(*one, written) for one, written in asked.items()}
    unseen: dict[tuple[Key, Condition], list[Value]] = {
        (name, condition): unseen_levels(condition, table.schema[name]) if isinstance(name, str) else []
        for name, condition in firsts
    }
    unknown = dict.fromkeys((str(name), str(value)) for (name, _), values in unseen.items() for value in values)
    shown = [with_value_marked(one[0], written, unseen[one]) for one, written in asked.items()]
    why = " ".join(dict.fromkeys(reasons.values()))
    return Impossible(
        origin,
        why,
        f"{place_of(rule)}: no row can satisfy it: {why}" + "".join(shown),
        tuple(unknown),
        bool(rule.sources),
        any(all(holding.lacks_gaps(*one) for one in unmet) for _, unmet in pieces),
    )


def in_part(rules: RuleSet, table: Table) -> dict[str, list[str]]:
    """Find rules that rows can satisfy, but not in all that they name: say what cannot be, by the rule as written.

    Parameters
    ----------
    rules : RuleSet
        The rules before they are bound, since that drops pieces that cannot be.

    table : Table
        The data.

    Returns
    -------
    dict of str to list of str

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": [20, 30], "channel": ["web", "broker"]}))
    >>> in_part(frote.parse_rules("brokers: IF channel IN {broker, brokr} THEN no"), table)
    {'brokers': ["column 'channel' has no level 'brokr'. Did you mean 'broker'?"]}
    """
    holding = _Holding(table)
    reasons: dict[str, list[str]] = {}
    for origin in rules.origins:
        pieces = rules.pieces(origin)
        unmet = [holding.unmet(piece) for piece in pieces]
        if all(unmet):
            continue  # it is impossible as a whole
        unseen: dict[str, dict[Value, None]] = {}
        for piece in pieces:
            for name, condition in piece.clause.alone:
                unseen.setdefault(name, {}).update(dict.fromkeys(unseen_levels(condition, table.schema[name])))
        said = {_no_level(list(values), table.schema[name]): None for name, values in unseen.items() if values}
        dead = [(piece, fails) for piece, fails in zip(pieces, unmet, strict=True) if fails]
        for piece, fails in dead[:LOOKED_AT]:
            is_told = any(_is_told(name, condition, holding, table) for name, condition in fails)
            if not is_told and _is_lost(piece, [name for name, _ in fails], pieces, holding, table):
                said |= {holding.why(name, condition): None for name, condition in fails}
        if said:
            reasons[origin] = list(said)
    return reasons


def tell_in_part(rules: RuleSet, table: Table) -> None:
    """Warn of rules that name, among others, what the table cannot have, or numbers that may be meant otherwise.

    Parameters
    ----------
    rules : RuleSet
        The rules before they are bound, since that drops what cannot be.

    table : Table
        The data.
    """
    for text in _parts(rules, table):
        warn_caller(text, RuleWarning)


def tell_uncovering(rules: RuleSet, table: Table) -> None:
    """Warn of the same, and of rules that cover nothing, where rules are only measured by or laid over a model."""
    for text in uncovering(rules, table):
        warn_caller(text, RuleWarning)


def uncovering(rules: RuleSet, table: Table, far: Mapping[str, list[str]] | None = None) -> list[str]:
    """Say which rules cover nothing, or less than they name, for want of what they ask for.

    `far`: what `thousands` says of all rows, where the table is only some of them.
    """
    nothing = [
        f"Rule {one.rule!r} covers nothing, since no row can satisfy it: {one.why}"
        for one in impossible(rules, table)
        if not one.covers
    ]
    return [*nothing, *_parts(rules, table, far)]


def _parts(rules: RuleSet, table: Table, far: Mapping[str, list[str]] | None = None) -> list[str]:
    far = thousands(rules, table) if far is None else far
    parts = [f"Part of rule {name!r} cannot apply: {' '.join(said)}" for name, said in in_part(rules, table).items()]
    return [*parts, *(f"Rule {name!r}: {' '.join(said)}" for name, said in far.items())]


def _is_told(name: Key, condition: Condition, holding: _Holding, table: Table) -> bool:
    """Tell whether a condition that fails is told of as levels are, or rightly is for gaps that happen not to be."""
    for_gaps = holding.lacks_gaps(name, condition) or _asks_for_gaps(condition)
    return for_gaps or (isinstance(name, str) and bool(unseen_levels(condition, table.schema[name])))


def _is_lost(piece: Rule, failing: Sequence[Key], pieces: tuple[Rule, ...], holding: _Holding, table: Table) -> bool:
    """Tell whether a piece that cannot be takes something with it.

    Pieces are disjoint: of ``a OR b`` the second is ``b`` without ``a``, and impossible if ``a`` covers everything.
    Then nothing is lost: without the conditions that fail, it would cover nothing that the other pieces do not.
    """
    others = [other.clause for other in pieces if other is not piece]
    relaxed = reduce(Clause.relax, failing, piece.clause)
    try:
        rest = subtract(relaxed, others, table.schema)
    except RuleError:  # too many pieces to tell
        return True
    return any(not holding.unmet(replace(piece, clause=clause)) for clause in rest)


def _asks_for_gaps(condition: Condition) -> bool:
    """Tell whether a condition admits nothing but a missing value."""
    return condition == Condition.is_missing()


def _why_no_level(condition: Condition, column: Column) -> str:
    if not column.levels:
        return f"column {column.name!r} has no value in the data, and so no level."
    unseen = unseen_levels(condition, column)
    if not unseen or condition.all_but:
        return f"column {column.name!r} has no level that it allows."
    return _no_level(unseen, column)


def _no_level(values: list[Value], column: Column) -> str:
    texts = [*map(value_text, values[:SHOWN]), *([f"{len(values) - SHOWN:,} more"] if len(values) > SHOWN else [])]
    named = " or ".join(texts)
    hints = [level_hint(value, column) for value in values[:SHOWN]]
    return f"column {column.name!r} has no level {named}. {min(hints, key=lambda hint: not hint.startswith('Did'))}"
