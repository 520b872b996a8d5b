"""Live answers: what rules cover while they are written.

Rows are bits: of each condition, of each label, of each answer of the model. What a rule covers, whom it meets and
what lies inside are bits put together and counted, and what was counted once of a clause is kept. So one changed
condition costs one look at its column.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np

from frote.exceptions import FroteError
from frote.rules.binding import bind
from frote.rules.conflicts import find_conflicts
from frote.rules.masks import KEPT, Masks, count
from frote.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from frote.coverage.labels import Labels
    from frote.rules import Outcome, Rule
    from frote.rules.drafts import Draft, DraftRule
    from frote.studio.summaries import Summaries
    from frote.table import Table

__all__ = ["Clash", "Counted", "Pulse", "Pulses", "Recent", "RulePulse", "label_bits"]

Bits: TypeAlias = "NDArray[np.uint8]"
K = TypeVar("K")
V = TypeVar("V")

PAIRS = 50_000  # of rules whose meeting is kept in mind
FEW = 64  # pairs of pieces of two rules that are held against each other one by one


@dataclass(frozen=True, slots=True)
class Counted:
    """How many rows there are somewhere: in all, by label, and by what the model says of them, if it was asked."""

    rows: int
    labels: tuple[int, ...]
    said: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Clash:
    """Two rules that meet.

    Parameters
    ----------
    first, second : int
        The rules, by their numbers in the draft.

    rows : int
        The rows that both cover.

    witness : dict or None
        If they want different things there: values that satisfy both. None if they agree.
    """

    first: int
    second: int
    rows: int
    witness: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class RulePulse:
    """What one rule of a draft covers.

    Parameters
    ----------
    number : int
        Its number in the draft.

    outcome : Outcome
        What it wants.

    inside : Counted
        The rows that it covers.

    first : int
        Of these, those that no earlier rule covers.

    near : Counted
        The rows that it would cover but for one condition.
    """

    number: int
    outcome: Outcome
    inside: Counted
    first: int
    near: Counted


@dataclass(frozen=True, slots=True)
class Pulse:
    """What a draft covers.

    Parameters
    ----------
    rules : dict of int to RulePulse
        By their numbers, those that nothing is wrong with.

    clashes : tuple of Clash
        The pairs of rules that meet on rows, or would want different things of some.

    rows, covered : int
        All rows, and those that some rule covers.

    """

    rules: dict[int, RulePulse]
    clashes: tuple[Clash, ...]
    rows: int
    covered: int

    @property
    def conflicts(self) -> tuple[Clash, ...]:
        """The pairs that want different things."""
        return tuple(one for one in self.clashes if one.witness is not None)

    def meets(self, number: int) -> list[Clash]:
        """Return the pairs that a rule is one of."""
        return [one for one in self.clashes if number in (one.first, one.second)]


class Recent(Generic[K, V]):
    """What was worked out last; what was not used for longest is forgotten first.

    Examples
    --------
    >>> recent = Recent(most=2)
    >>> looked = []
    >>> for key in "aabcab":
    ...     _ = recent.get(key, lambda: looked.append(key))
    >>> "".join(looked)
    'abcab'
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: K, work: Callable[[], V]) -> V:
        """Return what is known, or work it out."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        while len(self._kept) >= self.most:
            self._kept.popitem(last=False)
        found = self._kept[key] = work()
        return found

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A rule by its text: its pieces as the table has them, and the rows that it covers."""

    number: int  # no other one has it
    pieces: tuple[Rule, ...]
    bits: Bits
    inside: Counted
    near: Counted


class Pulses:
    """What is known of some rows, and is asked again and again.

    Parameters
    ----------
    table : Table
        The rows.

    labels : Labels
        Their labels.

    summaries : Summaries
        Their columns.

    Examples
    --------
    >>> import frote
    >>> from frote.coverage.labels import Labels
    >>> from frote.rules.drafts import read_draft
    >>> from frote.studio.summaries import Summaries
    >>> from frote.table import Table
    >>> loans = frote.datasets.load_loans(500)
    >>> table, labels = Table.from_frame(loans.X), Labels.of(loans.y)
    >>> pulses = Pulses(table, labels, Summaries(table, labels))
    >>> pulse = pulses.of(read_draft("young: IF age < 29 AND defaults = 0 THEN approved", table.schema))
    >>> pulse.rules[0].inside.rows, pulse.rules[0].inside.labels, pulse.rules[0].near.rows
    (62, (5, 57), 347)
    """

    def __init__(self, table: Table, labels: Labels, summaries: Summaries) -> None:
        self.table = table
        self.labels = labels
        self.summaries = summaries
        self.masks = Masks(table)
        self.own = label_bits(labels.codes, len(labels.classes))
        self.said: list[Bits] | None = None
        self._numbers = itertools.count()
        self._rules: Recent[tuple[str, str], _Known] = Recent(max(1, KEPT // max(1, -(-len(table) // 8))))
        self._pairs: Recent[tuple[int, int], tuple[int, dict[str, Any] | None]] = Recent(PAIRS)
        self._last: tuple[dict[int, int], tuple[Clash, ...]] = {}, ()  # which rules the last answer told of, and what

    def hear(self, codes: NDArray[np.intp]) -> None:
        """Take what the model says of each row, as codes of the labels."""
        self.said = label_bits(codes, len(self.labels.classes))
        self._rules.clear()

    def of(self, draft: Draft, go_on: Callable[[], None] = lambda: None) -> Pulse:
        """Say what a draft covers.

        Parameters
        ----------
        draft : Draft
            The rules; those that nothing is wrong with are looked at.

        go_on : callable
            Called between the parts; it raises if nobody waits for the answer any more.

        Returns
        -------
        Pulse
        """
        known: dict[int, _Known] = {}
        rules: dict[int, RulePulse] = {}
        seen, covered = np.zeros_like(self.masks.packed(())), 0
        for number, one in enumerate(draft.written):
            if one.rules:
                go_on()
                rule = known[number] = self.known(draft, one)
                seen |= rule.bits
                before, covered = covered, count(seen)
                rules[number] = RulePulse(number, one.rules[0].outcome, rule.inside, covered - before, rule.near)
        return Pulse(rules, self._clashes(known, go_on), len(self.table), covered)

    def known(self, draft: Draft, one: DraftRule) -> _Known:
        """Return what is known of a rule that nothing is wrong with."""
        return self._rules.get((one.name, draft.text[one.start : one.stop]), lambda: self._look(one))

    def _look(self, one: DraftRule) -> _Known:
        pieces = tuple(bind(RuleSet(one.rules), self.table.schema))
        bits = self.masks.packed(pieces[0].clause)
        for piece in pieces[1:]:
            bits |= self.masks.packed(piece.clause)
        near = self.near(pieces) & ~bits
        return _Known(next(self._numbers), pieces, bits, self.counted(bits), self.counted(near))

    def counted(self, bits: Bits) -> Counted:
        """Count rows by label and by what the model says of them."""
        said = None if self.said is None else tuple(count(bits & one) for one in self.said)
        return Counted(count(bits), tuple(count(bits & one) for one in self.own), said)

    def near(self, pieces: Sequence[Rule]) -> Bits:
        """Return the rows that fail exactly one condition of a piece."""
        near = np.zeros_like(self.masks.packed(()))
        for piece in pieces:
            every, but_one = self.masks.packed(()), np.zeros_like(near)
            for condition in piece.clause:
                met = self.masks.packed([condition])
                but_one &= met
                but_one |= every & ~met
                every &= met
            near |= but_one
        return near

    def but_for(self, pieces: Sequence[Rule], column: str) -> Bits:
        """Return the rows that satisfy all that a rule asks of other columns."""
        rows = np.zeros_like(self.masks.packed(()))
        for piece in pieces:
            rows |= self.masks.packed(piece.clause.relax(column))
        return rows

    def histogram(self, pieces: Sequence[Rule], column: str) -> NDArray[np.intp]:
        """Return the rows that satisfy what a rule asks of other columns, by bin of this one and by label."""
        summary = self.summaries[column]
        if not any(name != column for piece in pieces for name, _ in piece.clause):
            return summary.counts
        return summary.within(self.but_for(pieces, column), self.own)

    def _clashes(self, known: dict[int, _Known], go_on: Callable[[], None]) -> tuple[Clash, ...]:
        """Return the pairs of rules that meet; those that disagree count also where no row lies.

        Pairs of rules that stood at the same places in the last answer are told as they were told there.
        """
        before, clashes = self._last
        same = {number for number, rule in known.items() if before.get(number) == rule.number}
        found = [clash for clash in clashes if clash.first in same and clash.second in same]
        for first, one in known.items():
            go_on()
            for second in known if first not in same else known.keys() - same:
                if second > first:
                    other = known[second]
                    rows, witness = self._pairs.get(
                        (one.number, other.number),
                        lambda one=one, other=other: self._meet(one, other),  # type: ignore[misc]
                    )
                    if rows or witness is not None:
                        found.append(Clash(first, second, rows, witness))
        found.sort(key=lambda clash: (clash.first, clash.second))
        self._last = {number: rule.number for number, rule in known.items()}, tuple(found)
        return self._last[1]

    def _meet(self, one: _Known, other: _Known) -> tuple[int, dict[str, Any] | None]:
        """Return the rows that both cover and, if they disagree there, a witness of that."""
        rows = count(one.bits & other.bits)
        if one.pieces[0].outcome == other.pieces[0].outcome:
            return rows, None
        if len(one.pieces) * len(other.pieces) > FEW:
            return rows, self._searched(one, other)
        schema = self.table.schema
        for mine, theirs in itertools.product(one.pieces, other.pieces):
            overlap = (mine.clause & theirs.clause).without_gaps(schema)
            witness = overlap.witness(schema)
            if witness is not None or overlap.doubt(schema):
                return rows, witness or {}
        return rows, None

    def _searched(self, one: _Known, other: _Known) -> dict[str, Any] | None:
        """Return a witness of two rules of many pieces; where that takes too long to tell, any row of both will do."""
        try:
            conflicts = find_conflicts(RuleSet((*one.pieces, *other.pieces)), self.table.schema)
        except FroteError:
            return {}
        return conflicts[0].witness if conflicts else None


def label_bits(codes: NDArray[np.intp], classes: int) -> list[Bits]:
    """Return for each class the rows that have it, a bit for each row."""
    return [np.packbits(codes == code) for code in range(classes)]
