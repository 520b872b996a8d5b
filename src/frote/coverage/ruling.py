"""Rules on rows, once: what a rule set says without any rows, and what it says of the rows of a table.

Rules are split into pieces (`name/1`, `name/2`), and nearly everything is told of rules as they were written: which
rows one covers, which are attributed to it, how many were made for it. A `Ruling` knows the way from one to the other;
put on a table it gives an `Attribution`, the facts of which are worked out when they are first asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.matrix import Conditions, attribute
from frote.rules.binding import require_fit
from frote.rules.linear import columns_of
from frote.rules.masks import Masks
from frote.table import Table
from frote.table.frames import are_many, code_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.rules import Outcome, RuleSet
    from frote.table import Schema

__all__ = ["Attribution", "Ruling"]

NOWHERE = np.empty(0, dtype=np.intp)  # no rows


@dataclass(frozen=True, eq=False)
class Ruling:
    """What rules say, before they are put on rows.

    Parameters
    ----------
    rules : RuleSet
        The rules, split into pieces.

    conditions : Conditions
        Their conditions, each once, and which of them each piece needs.

    origin : ndarray of int
        For each piece, the position of its rule among the rules as written.

    outcomes : tuple of Outcome
        The outcome of each rule as written.

    classes : tuple of str
        The texts of the classes.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.table import Table
    >>> rules = frote.parse_rules('''
    ...     young or rich: IF age < 29 OR income > 150K THEN approved
    ...     poor: IF income < 10K THEN denied
    ... ''')
    >>> ruling = Ruling.of(rules, ("approved", "denied"))
    >>> ruling.names, ruling.origin.tolist()
    (('young or rich', 'poor'), [0, 0, 1])
    >>> found = ruling.on(Table.from_frame(pd.DataFrame({"age": [25, 40, 40], "income": [5e3, 5e3, 2e4]})))
    >>> found.owner.tolist(), found.support
    ([0, 1, -1], (1, 2))
    """

    rules: RuleSet
    conditions: Conditions
    origin: NDArray[np.intp]
    outcomes: tuple[Outcome, ...]
    classes: tuple[str, ...]

    @classmethod
    def of(cls, rules: RuleSet, classes: tuple[str, ...] = ()) -> Ruling:
        """Look at rules, and at the classes that they speak of."""
        names = rules.origins
        places = {name: place for place, name in enumerate(names)}
        return cls(
            rules,
            Conditions.of(rules),
            np.array([places[rule.origin] for rule in rules], dtype=np.intp),
            tuple(rules.pieces(name)[0].outcome for name in names),
            classes,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.rules, self.conditions, self.origin, self.outcomes, self.classes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rules as written."""
        return self.rules.origins

    def pieces_of(self, rule: int) -> NDArray[np.intp]:
        """Return the pieces of a rule as written."""
        return np.flatnonzero(self.origin == rule)

    def per_rule(self, piece: NDArray[np.intp]) -> tuple[int, ...]:
        """Count for each rule as written how many rows belong to it, given the piece of each."""
        return tuple(np.bincount(self.origin[piece], minlength=len(self.outcomes)).tolist())

    def lacking(self, agreement: Sequence[float]) -> list[float]:
        """Return what agreement with each rule as written lacks to the best that its outcome allows.

        Of a rule that nothing is known of, that is all of it. An outcome that is left to chance allows less than 1: no
        row can teach a model more.
        """
        return [
            most if math.isnan(agreed) else max(most - agreed, 0.0)
            for most, agreed in zip(self.most_agreement, agreement, strict=True)
        ]

    @property
    def most_agreement(self) -> list[float]:
        """The agreement with each rule as written that its outcome allows at most: 1 if nothing is left to chance."""
        return [max(outcome.spread(self.classes).values()) for outcome in self.outcomes]

    @property
    def may_be_missing(self) -> frozenset[str]:
        """The columns in which some rule covers missing values."""
        return frozenset(columns_of(key for key, condition in self.conditions.distinct if condition.missing))

    def on(self, rows: Table | Masks) -> Attribution:
        """Put the rules on rows.

        Parameters
        ----------
        rows : Table or Masks
            The rows; of masks, those that are known of their table are not worked out again.

        Returns
        -------
        Attribution

        Raises
        ------
        BindingError
            If the rules do not fit the table's columns.
        """
        table, masks = (rows.table, rows) if isinstance(rows, Masks) else (rows, None)
        self._require_fit(table.schema)
        return Attribution(self, table, masks)

    def _require_fit(self, schema: Schema) -> None:
        """Hold the rules against columns, those of the last table not twice: a run has the same ones at every step."""
        if self.__dict__.get("_fits") is not schema:
            require_fit(self.rules, schema)
            self.__dict__["_fits"] = schema


@dataclass(frozen=True, eq=False)
class Attribution:
    """What rules say of the rows of a table. Facts are worked out when they are first asked for, and kept.

    Parameters
    ----------
    ruling : Ruling
        What is put on the rows.

    table : Table
        The rows.

    masks : Masks or None, default=None
        What is known of them already, and is to be kept.
    """

    ruling: Ruling
    table: Table
    masks: Masks | None = None

    def __len__(self) -> int:
        return len(self.table)

    @property
    def met(self) -> NDArray[np.bool_]:
        """Which rows meet each condition, of shape (conditions, rows); of very many rows it is kept as bits."""
        facts = self.__dict__
        if "_bits" in facts:
            return np.unpackbits(facts["_bits"], axis=1, count=len(self)).view(np.bool_)
        if "_met" not in facts:
            met = self.ruling.conditions.evaluate(self.table)
            if are_many(len(self)):
                facts["_bits"] = np.packbits(met, axis=1)
                return met
            facts["_met"] = met
        found: NDArray[np.bool_] = facts["_met"]
        return found

    @cached_property
    def covered(self) -> NDArray[np.bool_]:
        """Which rows each piece covers, of shape (pieces, rows)."""
        return self._covered()

    def _covered(self) -> NDArray[np.bool_]:
        """Return the same, kept only if it was asked for: runs need no more of it than counts and owners."""
        facts, conditions = self.__dict__, self.ruling.conditions
        if "covered" in facts:
            return self.covered
        if "_met" in facts or "_bits" in facts:
            return conditions.covered(self.met)
        if self.masks is None:
            return conditions.cover(self.table)
        covered = np.empty((len(self.ruling.rules), len(self)), dtype=bool)
        for piece, rule in enumerate(self.ruling.rules):
            covered[piece] = self.masks.unpacked(rule.clause)
        return covered

    @cached_property
    def by_rule(self) -> NDArray[np.bool_]:
        """Which rows each rule as written covers, of shape (rules, rows)."""
        if len(self.ruling.origin) == len(self.ruling.outcomes):
            return self.covered  # each rule is one piece
        covered = np.zeros((len(self.ruling.outcomes), len(self)), dtype=bool)
        for rule, mask in zip(self.ruling.origin, self.covered, strict=True):
            covered[rule] |= mask
        return covered

    @cached_property
    def packed(self) -> NDArray[np.uint8]:
        """The same, a bit for each row, as `numpy.packbits` packs them."""
        if self.masks is None:
            return np.packbits(self.by_rule, axis=1)
        bits = np.zeros((len(self.ruling.outcomes), -(-len(self) // 8)), dtype=np.uint8)
        for rule, piece in zip(self.ruling.origin, self.ruling.rules, strict=True):
            bits[rule] |= self.masks.packed(piece.clause)
        return bits

    @property
    def support(self) -> tuple[int, ...]:
        """How many rows each rule as written covers."""
        covered, rules = self._covered(), range(len(self.ruling.outcomes))
        return tuple(int(covered[self.ruling.origin == rule].any(axis=0).sum()) for rule in rules)

    @property
    def piece(self) -> NDArray[np.intp]:
        """The piece that each row is attributed to, the first that covers it; -1 outside all coverage."""
        return attribute(self._covered())

    @cached_property
    def owner(self) -> NDArray[np.signedinteger[Any]]:
        """The rule as written that each row is attributed to, -1 outside all coverage; in as few bytes as it takes."""
        owner = np.full(len(self), -1, dtype=code_dtype(len(self.ruling.outcomes)))
        # The first piece that covers a row is the last one to be written.
        for rule, covered in zip(self.ruling.origin[::-1], self._covered()[::-1], strict=True):
            owner[covered] = rule
        return owner

    @property
    def outside(self) -> NDArray[np.intp]:
        """The positions of rows outside all coverage."""
        return np.flatnonzero(self.owner < 0)

    @property
    def share(self) -> float:
        """The share of rows that are covered."""
        return 1 - len(self.outside) / len(self)

    @cached_property
    def _owned(self) -> dict[int, NDArray[np.intp]]:
        return {int(rule): np.flatnonzero(self.owner == rule) for rule in np.unique(self.owner) if rule >= 0}

    def rows_of(self, rule: int) -> NDArray[np.intp]:
        """Return the positions of the rows that are attributed to a rule as written."""
        return self._owned.get(rule, NOWHERE)

    @property
    def named(self) -> NDArray[np.object_]:
        """The name of the rule as written that each row is attributed to, empty outside all coverage."""
        names: NDArray[np.object_] = np.array([*self.ruling.names, ""], dtype=object)[self.owner]
        return names

    def stacked(self, below: Attribution) -> Attribution:
        """Return what the rules say of these rows and, below them, of others; what is known of both is not lost."""
        return _Stacked((*self._parts, *below._parts))

    @property
    def _parts(self) -> tuple[Attribution, ...]:
        return (self,)

    def attributed_to(self, owner: NDArray[np.signedinteger[Any]]) -> Attribution:
        """Return the same rows attributed to other rules as written, such as those that they were made for."""
        return self._with(self.table, _met=self.met, owner=owner)

    def among(self, classes: tuple[str, ...]) -> Attribution:
        """Return the same for other classes."""
        facts = {
            name: fact for name, fact in self.__dict__.items() if name not in ("ruling", "table", "masks", "_below")
        }
        return self._with(self.table, replace(self.ruling, classes=classes), **facts)

    def _with(self, table: Table, ruling: Ruling | None = None, **facts: Any) -> Attribution:
        masks = self.masks if table is self.table else None
        attribution = Attribution(self.ruling if ruling is None else ruling, table, masks)
        attribution.__dict__.update(facts)
        return attribution


class _Stacked(Attribution):
    """What rules say of rows and of others below them.

    It is put together each time that it is asked for: rows that are tried and thrown away are asked for nothing.

    Parameters
    ----------
    parts : tuple of Attribution
        The rows, one part below the other, by the same rules.
    """

    def __init__(self, parts: tuple[Attribution, ...]) -> None:
        self.__dict__.update(ruling=parts[0].ruling, masks=None, _below=parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._parts,)

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    @property
    def _parts(self) -> tuple[Attribution, ...]:
        parts: tuple[Attribution, ...] = self.__dict__["_below"]
        return parts

    @cached_property
    def table(self) -> Table:
        """The rows."""
        return reduce(Table.concat, (part.table for part in self._parts))

    def _covered(self) -> NDArray[np.bool_]:
        return np.concatenate([part._covered() for part in self._parts], axis=1)

    @property
    def met(self) -> NDArray[np.bool_]:
        """Which rows meet each condition, of shape (conditions, rows)."""
        return np.concatenate([part.met for part in self._parts], axis=1)

    @property
    def owner(self) -> NDArray[np.signedinteger[Any]]:
        """The rule as written that each row is attributed to, -1 outside all coverage."""
        return np.concatenate([part.owner for part in self._parts])

    @property
    def support(self) -> tuple[int, ...]:
        """How many rows each rule as written covers."""
        return tuple(map(sum, zip(*(part.support for part in self._parts), strict=True)))
