"""Which rows meet which conditions, which rows each rule covers, and which rule each row belongs to."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.rules.binding import require_fit
from frote.rules.linear import data_at
from frote.rules.masks import prepare_at
from frote.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from frote.rules import Rule, RuleSet
    from frote.rules.condition import Condition
    from frote.rules.linear import Key
    from frote.rules.masks import Test
    from frote.table import Schema

__all__ = ["Conditions", "attribute", "cover", "overlaps_of"]

EXACT = 2**24  # whole numbers below it are exact in 4 bytes
BLOCK = 1 << 16  # rows at a time: their columns and masks stay in the processor's cache


@dataclass(frozen=True)
class Conditions:
    """The distinct conditions of a rule set, and which of them each rule needs.

    Parameters
    ----------
    distinct : tuple of (str or Linear, Condition)
        Each condition once, with its column or sum of columns; those of one stand together.

    needs : tuple of tuple of int
        For each rule, the positions of its conditions.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> rules = frote.parse_rules('''
    ...     IF age < 29 THEN approved
    ...     IF age < 29 AND income > 10K THEN approved
    ... ''')
    >>> conditions = Conditions.of(rules)
    >>> conditions.needs
    ((0,), (0, 1))
    >>> table = Table.from_frame(pd.DataFrame({"age": [25, 40], "income": [5e3, 2e4]}))
    >>> conditions.evaluate(table)
    array([[ True, False],
           [False,  True]])
    >>> conditions.cover(table)
    array([[ True, False],
           [False, False]])
    """

    distinct: tuple[tuple[Key, Condition], ...]
    needs: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> Conditions:
        """Collect the conditions of some rules."""
        rules = list(rules)
        by_column: dict[Key, dict[Condition, None]] = {}
        for rule in rules:
            for name, condition in rule.clause:
                by_column.setdefault(name, {})[condition] = None
        distinct = tuple((name, condition) for name, conditions in by_column.items() for condition in conditions)
        position_of = {pair: position for position, pair in enumerate(distinct)}
        return cls(distinct, tuple(tuple(position_of[pair] for pair in rule.clause) for rule in rules))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.distinct, self.needs)  # tests cannot be pickled

    def tests(self, schema: Schema) -> list[tuple[Key, list[tuple[int, Test]]]]:
        """Return for each column its conditions, as positions and prepared tests.

        Those for the last schema are kept: a run asks for the same ones at every step.
        """
        last: tuple[Schema, list[tuple[Key, list[tuple[int, Test]]]]] | None = self.__dict__.get("_last")
        if last is None or last[0] is not schema:
            tests = [
                (name, [(position, prepare_at(name, condition, schema)) for position, (_, condition) in group])
                for name, group in itertools.groupby(enumerate(self.distinct), key=lambda item: item[1][0])
            ]
            last = self.__dict__["_last"] = schema, tests
        return last[1]

    def evaluate(self, table: Table) -> NDArray[np.bool_]:
        """Return which rows meet each condition, of shape (conditions, rows)."""
        met = np.empty((len(self.distinct), len(table)), dtype=bool)
        for name, prepared in self.tests(table.schema):
            data = data_at(table, name)
            for position, test in prepared:
                met[position] = test(data.values, data.missing)
        return met

    def cover(self, table: Table) -> NDArray[np.bool_]:
        """Return which rows each rule covers, of shape (rules, rows), without keeping what each condition says."""
        tests = self.tests(table.schema)
        by_rule = np.empty((len(self.needs), len(table)), dtype=bool)
        masks: list[NDArray[np.bool_]] = [np.empty(0, dtype=bool)] * len(self.distinct)
        columns = [data_at(table, name) for name, _ in tests]
        for start in range(0, len(table), BLOCK):
            rows = slice(start, start + BLOCK)
            for (_, prepared), data in zip(tests, columns, strict=True):
                values = data.values[rows]
                missing = None if data.missing is None else data.missing[rows]
                for slot, test in prepared:
                    masks[slot] = test(values, missing)
            for covered, need in zip(by_rule[:, rows], self.needs, strict=True):
                if not need:
                    covered[:] = True
                    continue
                np.logical_and(masks[need[0]], masks[need[-1]], out=covered)
                for slot in need[1:-1]:
                    np.logical_and(covered, masks[slot], out=covered)
        return by_rule

    def covered(self, met: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the same for rows of which it is known which conditions they meet, of shape (conditions, rows)."""
        by_rule = np.ones((len(self.needs), met.shape[1]), dtype=bool)
        for covered, needs in zip(by_rule, self.needs, strict=True):
            for one in needs:
                covered &= met[one]
        return by_rule


def cover(rules: RuleSet, X: Any) -> NDArray[np.bool_]:
    """Return which rows each rule covers. Each distinct condition is evaluated once.

    Parameters
    ----------
    rules : RuleSet
        The rules.

    X : pandas or polars DataFrame, NumPy array, or Table
        The rows.

    Returns
    -------
    ndarray of bool, shape (rules, rows)

    Examples
    --------
    >>> import frote, pandas as pd
    >>> rules = frote.parse_rules('''
    ...     IF age < 29 THEN approved
    ...     IF age > 20 THEN approved
    ... ''')
    >>> cover(rules, pd.DataFrame({"age": [18, 25, 40]}))
    array([[ True,  True, False],
           [False,  True,  True]])
    """
    table = Table.from_frame(X)
    require_fit(rules, table.schema)
    return Conditions.of(rules).cover(table)


def attribute(covered: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return for each row the first rule that covers it, -1 where none does.

    Parameters
    ----------
    covered : ndarray of bool, shape (rules, rows)
        From `cover`.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> attribute(np.array([[True, False, False], [True, True, False]]))
    array([ 0,  1, -1])
    """
    if not len(covered):
        return np.full(covered.shape[1], -1)
    return np.where(covered.any(axis=0), covered.argmax(axis=0), -1)


def overlaps_of(by_rule: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many rows every two rules cover, given which rows each one does.

    Examples
    --------
    >>> overlaps_of(np.array([[True, True, False], [False, True, False]])).tolist()
    [[2, 1], [1, 1]]
    """
    exact: type[np.floating[Any]] = np.float32 if by_rule.shape[1] < EXACT else np.float64
    covered: NDArray[Any] = by_rule.astype(exact)
    both: NDArray[np.int64] = (covered @ covered.T).astype(np.int64)
    return both
