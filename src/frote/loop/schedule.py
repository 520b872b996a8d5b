"""How many rows to propose next, and when to end.

A plan is a value: what comes after it, accepted or rejected, is known before the batch is tried. So the batches that
follow a rejection can be tried at the same time, and a run that was cut off goes on from the plan it had.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from frote.selection import shares

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AdaptivePlanner",
    "AdaptiveSchedule",
    "FixedPlanner",
    "FixedSchedule",
    "Limits",
    "Plan",
    "Planner",
    "Schedule",
]

START = 0.05  # rows in the first batch of an adaptive schedule, for each row of data
PATIENCE = 4  # rejected batches in a row after which an adaptive schedule ends
PATIENCE_WITH_TWINS = 8  # fewer batches are better both inside and outside the rules
MOST_IN_BATCH = 20_000  # rows, in an adaptive schedule: a share of a very large table is no batch
NEEDED = 0.05  # what agreement with a rule must lack for it to get rows that another rule may not have


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be proposed next.

    Parameters
    ----------
    step : int
        The number of the step, from 1.

    size : int
        How many rows its batch shall have; if batches were rejected before it, how many the first of them should have.

    rejected : int
        How many batches in a row were rejected before.
    """

    step: int
    size: int
    rejected: int = 0


class Planner(Protocol):
    """Decides during one run how many rows to propose next."""

    @property
    def most_steps(self) -> int:
        """How many batches there are at most."""

    @property
    def patience(self) -> int | None:
        """After how many rejected batches in a row it ends."""

    def first(self) -> Plan:
        """Return the plan for the first batch."""

    def after(self, plan: Plan, accepted: bool, added: int) -> Plan:
        """Return the plan for the batch after one, given how many rows were added so far."""

    def reason_to_end(self, plan: Plan, added: int) -> str:
        """Say why there is nothing more to propose, given how many rows were added so far; empty if there is."""

    def quotas(
        self, plan: Plan, added: int, lacking: Sequence[float], unsupported: Sequence[bool] = ()
    ) -> tuple[int, ...]:
        """Share a batch out among rules as written.

        Parameters
        ----------
        plan : Plan
            What is to be proposed.

        added : int
            How many rows were added so far.

        lacking : sequence of float
            How much the current model's agreement with each rule lacks.

        unsupported : sequence of bool, default=()
            For each rule, whether the data cover it with fewer rows than a base row has neighbours, itself among them.
            Empty if no rule is so.

        Returns
        -------
        tuple of int
            The rows for each rule.
        """


@dataclass(frozen=True, slots=True)
class Limits:
    """What a schedule can go by when a run begins.

    Parameters
    ----------
    rows : int
        The rows of the training data.

    rules : int
        The rules as written.

    neighbours : int
        How many neighbours a base row has, the paper's k.

    most_rows : float
        Synthetic rows there may be.

    most_steps : int
        Batches to propose at most, the paper's tau.

    batch_size : int or None
        Rows in a batch, or in the first one, if the caller says.

    patience : int or None
        Rejected batches in a row after which to end, if the caller says.

    twins : bool
        Whether batches have rows outside the rules too.

    most_in_batch : int or None
        Rows that no batch may have more of, if the caller says.

    most_added : int or None
        Synthetic rows that there are never more of, if the caller says.
    """

    rows: int
    rules: int
    neighbours: int
    most_rows: float
    most_steps: int
    batch_size: int | None = None
    patience: int | None = None
    twins: bool = False
    most_in_batch: int | None = None
    most_added: int | None = None


class Schedule(Protocol):
    """How many rows are proposed at a time, and when it ends.

    Examples
    --------
    A schedule of one's own, whose batches become smaller, whether they are accepted or not:

    >>> class Shrinking(FixedPlanner):
    ...     def after(self, plan, accepted, added):
    ...         same = super().after(plan, accepted, added)
    ...         return Plan(same.step, max(plan.size // 2, 10), same.rejected)
    >>> class Halves:
    ...     def begin(self, limits):
    ...         return Shrinking(limits.rows // 5, limits.most_rows, limits.most_steps, patience=3)
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> rules = "young: IF age < 29 AND defaults = 0 THEN approved"
    >>> editor = frote.FROTE(rules=rules, schedule=Halves(), max_fits=3, random_state=0)
    >>> editor.fit(loans.X, loans.y).history_["proposed"].tolist()
    [0, 100, 50, 25]
    """

    def begin(self, limits: Limits) -> Planner:
        """Return what plans the batches of a run."""


@dataclass(frozen=True, slots=True)
class FixedSchedule:
    """The paper's schedule: batches of one size, shared equally among rules, until a limit is reached."""

    def begin(self, limits: Limits) -> FixedPlanner:
        """Spread the rows there may be over the batches, with enough for each rule."""
        size = limits.batch_size
        if size is None:
            spread = math.ceil(limits.most_rows / max(limits.most_steps, 1))
            size = max(spread, limits.rules * (limits.neighbours + 1))
        if limits.most_in_batch is not None:
            size = min(size, limits.most_in_batch)
        most_added = math.inf if limits.most_added is None else limits.most_added
        return FixedPlanner(size, limits.most_rows, limits.most_steps, limits.patience, most_added)


@dataclass(frozen=True, slots=True)
class AdaptiveSchedule:
    """Batches that grow while they are accepted, and vary while they are not; most for the rules that need it most.

    Parameters
    ----------
    growth : float, default=2.0
        By what the size is multiplied after an accepted batch.

    Examples
    --------
    >>> AdaptiveSchedule(growth=3.0).begin(Limits(1000, 2, 5, most_rows=500, most_steps=200)).first().size
    50
    """

    growth: float = 2.0

    def begin(self, limits: Limits) -> AdaptivePlanner:
        """Begin with a row for twenty of the data, unless the caller says; no batch is very large then."""
        size, most = limits.batch_size, limits.most_in_batch or math.inf
        if size is None:
            size, most = max(math.ceil(START * limits.rows), limits.rules), limits.most_in_batch or MOST_IN_BATCH
        size = int(min(size, most))
        patience = limits.patience or (PATIENCE_WITH_TWINS if limits.twins else PATIENCE)
        return AdaptivePlanner(size, limits.most_rows, limits.most_steps, patience, self.growth, most)


@dataclass(frozen=True, slots=True)
class FixedPlanner:
    """Plans batches of one size, shared equally among rules, until a limit is reached.

    Parameters
    ----------
    size : int
        Rows in a batch, the paper's eta.

    most_rows : float
        Synthetic rows after which no batch is proposed; the last one may overshoot.

    most_steps : int
        Batches to propose at most, the paper's tau.

    patience : int or None
        Rejected batches in a row after which to end.

    most_added : float, default=inf
        Synthetic rows that there are never more of; the last batch is cut to what is left.

    Examples
    --------
    >>> planner = FixedPlanner(20, most_rows=100, most_steps=200)
    >>> planner.quotas(planner.first(), 0, [0.1, 0.5, 0.9])
    (7, 7, 6)
    """

    size: int
    most_rows: float
    most_steps: int
    patience: int | None = None
    most_added: float = math.inf

    def first(self) -> Plan:
        """Return the plan for the first batch."""
        return Plan(1, self.size)

    def after(self, plan: Plan, accepted: bool, added: int) -> Plan:  # noqa: ARG002
        """Return a plan of the same size."""
        return Plan(plan.step + 1, self.size, 0 if accepted else plan.rejected + 1)

    def reason_to_end(self, plan: Plan, added: int) -> str:
        """Say which limit was reached."""
        if added > self.most_rows:
            return f"there are {added:,} synthetic rows, more than the limit of {self.most_rows:,.0f}"
        if added + 1 > self.most_added:
            return f"there are {added:,} synthetic rows, as many as the limit of {self.most_added:,.0f} allows"
        return _tired(plan, self.most_steps, self.patience)

    def quotas(
        self,
        plan: Plan,
        added: int,
        lacking: Sequence[float],
        unsupported: Sequence[bool] = (),  # noqa: ARG002
    ) -> tuple[int, ...]:
        """Return equal shares."""
        return shares(int(min(plan.size, self.most_added - added)), [1.0] * len(lacking))


@dataclass(frozen=True, slots=True)
class AdaptivePlanner:
    """Plans batches that grow while they are accepted and vary while they are not, most for the rules in most need.

    A batch may be rejected because it is too small to change the model, or so large that it spoils it elsewhere. So
    after a rejection the size is doubled, then halved, then four times and then a quarter of what it was.

    Parameters
    ----------
    size : int
        Rows in the first batch.

    most_rows : float
        Synthetic rows there may be in all; the last batch is cut to what is left.

    most_steps : int
        Batches to propose at most, the paper's tau.

    patience : int
        Rejected batches in a row after which it no longer pays.

    growth : float, default=2.0
        By what the size is multiplied after an accepted batch.

    most_in_batch : float, default=inf
        Rows that no batch has more of.

    Examples
    --------
    >>> planner = AdaptivePlanner(40, most_rows=100, most_steps=200, patience=4)
    >>> plan = planner.first()
    >>> planner.quotas(plan, 0, [0.0, 0.25, 0.75])
    (0, 10, 30)
    >>> plan = planner.after(plan, accepted=True, added=40)
    >>> planner.quotas(plan, 40, [0.0, 0.2, 0.2])
    (0, 30, 30)

    Beside rules that the data cover, one that they hardly cover has at most half of a batch; the rest is for others
    that lack something:

    >>> planner.quotas(planner.first(), 0, [0.9, 0.05, 0.05], [True, False, False])
    (20, 10, 10)
    >>> planner.quotas(planner.first(), 0, [0.9, 0.0, 0.0], [True, False, False])
    (20, 0, 0)
    """

    size: int
    most_rows: float
    most_steps: int
    patience: int
    growth: float = 2.0
    most_in_batch: float = math.inf

    def first(self) -> Plan:
        """Return the plan for the first batch."""
        return Plan(1, self.size)

    def after(self, plan: Plan, accepted: bool, added: int) -> Plan:
        """Return a larger plan after an accepted batch, one of another size after a rejected one."""
        if accepted:
            grown = math.ceil(plan.size * _factor(plan.rejected) * self.growth)
            return Plan(plan.step + 1, int(min(grown, self.most_in_batch)))
        room = math.floor(self.most_rows - added)
        return Plan(plan.step + 1, min(plan.size, room), plan.rejected + 1)

    def reason_to_end(self, plan: Plan, added: int) -> str:
        """Say which limit was reached."""
        if added + 1 > self.most_rows:
            return f"there are {added:,} synthetic rows, as many as the limit of {self.most_rows:,.0f} allows"
        return _tired(plan, self.most_steps, self.patience)

    def quotas(
        self, plan: Plan, added: int, lacking: Sequence[float], unsupported: Sequence[bool] = ()
    ) -> tuple[int, ...]:
        """Return shares by what is lacking, bounded for rules that the data hardly cover."""
        wanted = min(max(1, math.floor(plan.size * _factor(plan.rejected))), self.most_in_batch)
        size = min(int(wanted), math.floor(self.most_rows - added))
        return _bounded(shares(size, lacking), lacking, unsupported)


def _bounded(quotas: tuple[int, ...], lacking: Sequence[float], unsupported: Sequence[bool]) -> tuple[int, ...]:
    """Leave half of a batch at most to a rule without support, beside rules that have it.

    Such a rule may be one that the model cannot learn at all: its rows would take over the data. What is cut off goes
    to the other rules that lack something; what none of them needs is not made. Where no rule has support, all are
    alike, and what they lack decides alone.
    """
    size = sum(quotas)
    most = math.ceil(size / 2)
    greedy = next((rule for rule, bare in enumerate(unsupported) if bare and quotas[rule] > most), None)
    if greedy is None or all(unsupported):
        return quotas
    needs = [0.0 if rule == greedy or lack < NEEDED else lack for rule, lack in enumerate(lacking)]
    others = shares(size - most, needs) if any(needs) else quotas
    return tuple(most if rule == greedy else other for rule, other in enumerate(others))


def _factor(rejected: int) -> float:
    """Return by what a size is multiplied after so many rejections: 1, 2, 1/2, 4, 1/4, ..."""
    half, odd = divmod(rejected + 1, 2)
    half = min(half, 60)  # more than any table has rows
    return 2.0**-half if odd else 2.0**half


def _tired(plan: Plan, most_steps: int, patience: int | None) -> str:
    if plan.step > most_steps:
        return f"the limit of {most_steps:,} batches was reached"
    if patience is not None and plan.rejected >= patience:
        return f"stopped after {plan.rejected} rejected batches in a row"
    return ""
