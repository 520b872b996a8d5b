"""Batches of synthetic rows: base rows chosen, moved towards neighbours or into the rule, and labelled.

A *strong* base row comes from the rule's population and is moved towards a neighbour of it. A *weak* one lies outside
all coverage and misses the rule by as few conditions as possible; its copy changes in the columns that fail, no other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from frote.coverage.measures import agreement
from frote.coverage.misses import NearMisses, near_misses
from frote.coverage.population import Population, populations
from frote.exceptions import FroteError
from frote.generation.sampler import DRAW, KEEP, Seeds
from frote.generation.space import nearest
from frote.loop.modify import draw_labels, share_labels
from frote.loop.rows import Batch, Rows
from frote.selection import Made, Request
from frote.table import TypedFrame

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from frote.generation.making import Making
    from frote.loop.twins import Twins
    from frote.selection import Choice, Selection
    from frote.table import Table

__all__ = ["Current", "NoModel", "Proposer"]

FEW = 20
MISSES, AROUND = "misses", "around"  # what the chance of a sample is for
NOBODY = -1  # the neighbour of a row that was made without one


class Current(Protocol):
    """The current model, as far as batches depend on what it says."""

    def on_data(self) -> NDArray[np.intp]:
        """Return what it predicts for the training data."""

    def on(self, rows: TypedFrame) -> NDArray[np.intp]:
        """Return what it predicts for other rows."""

    def before(self, rows: TypedFrame) -> NDArray[np.intp]:
        """Return what the initial model predicts for other rows."""


class NoModel:
    """In the place of a model, for batches that are made before there is any."""

    def on_data(self) -> NDArray[np.intp]:
        """Not to be asked: rows chosen at random depend on no model."""
        raise AssertionError("there is no model yet")

    def on(self, rows: TypedFrame) -> NDArray[np.intp]:
        """Not to be asked: each row that is made is taken."""
        raise AssertionError(f"there is no model yet for {len(rows)} rows")

    def before(self, rows: TypedFrame) -> NDArray[np.intp]:
        """Not to be asked: such batches have no twins."""
        raise AssertionError(f"there is no model yet for {len(rows)} rows")


class Proposer:
    """Makes batches.

    Parameters
    ----------
    making : Making
        What rows are made with.

    rows : Rows
        The training data before any synthetic row; rows outside coverage are among them and never change.

    selection : Selection
        Chooses strong base rows.

    weak_share : float
        The share of weak base rows in a batch.

    candidates : int, default=1
        How many rows are made from weak base rows for each one wanted; those that the current model is most wrong
        about are taken.

    twins : Twins or None, default=None
        Makes rows outside the rules to go with those inside.

    by_quota : bool, default=False
        Whether each class gets its share of the rows where an outcome leaves something to chance; else labels are
        drawn by lot.

    Attributes
    ----------
    unsupported : tuple of bool
        For each rule as written, whether the data cover it with no more rows than a row has neighbours.
    """

    def __init__(
        self,
        making: Making,
        rows: Rows,
        selection: Selection,
        weak_share: float,
        candidates: int = 1,
        twins: Twins | None = None,
        by_quota: bool = False,
    ) -> None:
        self.twins = twins
        self.making = making
        self.ruling = ruling = making.ruling
        self.selection = selection
        self.weak_share = weak_share
        self.candidates = candidates
        self.unsupported = tuple(count <= making.neighbours for count in rows.attribution.support)
        self._by_quota = by_quota and not all(outcome.is_deterministic for outcome in ruling.outcomes)
        self._targets = np.array(
            [list(outcome.spread(ruling.classes).values()) for outcome in ruling.outcomes], dtype=np.float64
        ).reshape(len(ruling.outcomes), len(ruling.classes))
        self._first = len(rows)
        self._sampled: NDArray[np.intp] | None = None  # of these; drawn when it is first asked for
        self._misses: list[NearMisses | None] = [None] * len(ruling.outcomes)
        if weak_share:
            met, beyond = rows.attribution.met, rows.attribution.outside
            self._misses = [self._near(met, beyond, rule) for rule in range(len(ruling.outcomes))]

    def _near(self, met: NDArray[np.bool_], beyond: NDArray[np.intp], rule: int) -> NearMisses | None:
        able = self.making.synthesizer.possible
        pieces = [int(piece) for piece in self.ruling.pieces_of(rule) if able[piece]]
        misses = near_misses(met, self.ruling.conditions.needs, pieces, beyond, self.making.neighbours + 1)
        looked_at = self.making.sample.of(misses.rows, MISSES)
        if len(looked_at) < len(misses.rows):
            misses = NearMisses(looked_at, misses.piece[np.searchsorted(misses.rows, looked_at)])
        return misses if len(misses.rows) else None

    def populations(self, rows: Rows) -> list[list[Population]]:
        """Return the base populations of each rule as written."""
        by_rule = populations(rows.attribution, self.making.neighbours + 1, ~rows.guard, self.making.sample)
        able = self.making.synthesizer.possible
        return [[population for population in pieces if able[population.piece]] for pieces in by_rule]

    def propose(
        self,
        rows: Rows,
        bases: list[list[Population]],
        quotas: tuple[int, ...],
        rng: np.random.Generator,
        current: Current,
        twins_each: float = 0.0,
    ) -> Batch:
        """Make a batch.

        Parameters
        ----------
        rows : Rows
            The training data now.

        bases : list of list of Population
            Their base populations.

        quotas : tuple of int
            How many rows to make for each rule as written.

        rng : numpy Generator
            The source of all chance.

        current : Current
            The current model, to be asked.

        twins_each : float, default=0.0
            How many twins each row has.

        Returns
        -------
        Batch
        """
        weak = tuple(
            0 if misses is None else int(self.weak_share * quota)
            for quota, misses in zip(quotas, self._misses, strict=True)
        )
        strong = tuple(quota - part for quota, part in zip(quotas, weak, strict=True))
        made = self._strong(rows, bases, strong, rng, current)
        if any(weak):
            made = made.joined(self._weak(rows, bases, weak, rng, current))
        proposed = Rows.of(self.making, TypedFrame(made.table), made.labels, rows.own[made.base])
        batch = Batch(proposed, made.piece, made.base, made.neighbour, made.strong)
        if self.twins is None:
            return batch
        # By chance of their own: rows inside do not depend on them.
        return batch.joined(self.twins.of(batch, twins_each, current.before, rng.spawn(1)[0], current.on))

    def _strong(
        self,
        rows: Rows,
        bases: list[list[Population]],
        quotas: tuple[int, ...],
        rng: np.random.Generator,
        current: Current,
    ) -> Made:
        request = Request(
            bases,
            quotas,
            self.making.neighbours,
            rows.labels,
            rows.attribution.owner,
            self._targets,
            lambda: rows.points,
            current.on_data,
            lambda choice, rng: self._made(rows, bases, choice, rng),
            lambda: self._looked_at(len(rows)),
            rows.points_at,
        )
        made = self.selection.select(request, rng)
        if not isinstance(made, Made):
            raise FroteError(
                f"The selection {type(self.selection).__name__} gave an object of type {type(made).__name__}. "
                "It gives what request.make(choice, rng) makes, or some of it."
            )
        return made

    def _looked_at(self, rows: int) -> NDArray[np.intp] | None:
        """Return which of so many rows tell what all are like; those that were made are always among them."""
        if self._sampled is None:
            self._sampled = self.making.sample.of(np.arange(self._first), AROUND)
        if len(self._sampled) == self._first:
            return None
        return np.append(self._sampled, np.arange(self._first, rows))

    def _made(self, rows: Rows, bases: list[list[Population]], choice: Choice, rng: np.random.Generator) -> Made:
        """Move base rows towards neighbours, and label them."""
        making, ruling = self.making, self.ruling
        seeds = Seeds(choice.piece, choice.base, self._around(rows, bases, choice.piece, choice.base))
        used, place = _named(len(rows), [seeds.around.ravel(), seeds.base])
        near = Seeds(seeds.piece, place(seeds.base), place(seeds.around))
        table, neighbour = making.synthesizer.make(rows.at(used), near, rng, rows.shown.gappy)
        covered = ruling.conditions.covered(rows.attribution.met[:, seeds.base])[seeds.piece, np.arange(len(seeds))]
        made = self._labelled(rows, table, seeds.piece, seeds.base, rng)
        made = replace(made, neighbour=used[neighbour], strong=covered)
        return self._shared_out(made, rows, rng)

    def _labelled(
        self, rows: Rows, table: Table, piece: NDArray[np.intp], base: NDArray[np.intp], rng: np.random.Generator
    ) -> Made:
        """Label rows that were made for pieces of rules, as if each were made from a row outside alone."""
        rule = self.ruling.origin[piece]
        labels = draw_labels(self.ruling, rule, rows.labels[base], rng)
        alone, weak = np.full(len(piece), NOBODY), np.zeros(len(piece), dtype=bool)
        return Made(table, self.making.space.encode, labels, piece, base, alone, weak, rule)

    def _shared_out(self, made: Made, rows: Rows, rng: np.random.Generator) -> Made:
        """Give each class its share of the rows of a rule, by chance of its own, if that is asked for."""
        if not self._by_quota:
            return made
        return replace(made, labels=share_labels(self.ruling, made.rule, rows.labels[made.base], rng.spawn(1)[0]))

    def _around(
        self, rows: Rows, bases: list[list[Population]], piece: NDArray[np.intp], base: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Return the neighbours of base rows within their rule's own population; a row that is alone is its own."""
        around = np.repeat(base[:, np.newaxis], self.making.neighbours, axis=1)
        for rule, pieces in enumerate(bases):
            mine = np.flatnonzero(self.ruling.origin[piece] == rule)
            if len(mine):
                among = _union([population.rows for population in pieces])
                points, asked = rows.points_at(among), np.searchsorted(among, base[mine])
                near = nearest(points, asked, np.arange(len(among)), self.making.neighbours)
                if near.shape[1]:
                    # Where there are fewer than wanted, they are taken by turns.
                    around[mine] = among[near[:, np.arange(self.making.neighbours) % near.shape[1]]]
        return around

    def _weak(
        self,
        rows: Rows,
        bases: list[list[Population]],
        quotas: tuple[int, ...],
        rng: np.random.Generator,
        current: Current,
    ) -> Made:
        parts, base, donor = [], [], []
        for quota, misses, strong in zip(quotas, self._misses, bases, strict=True):
            if not quota or misses is None:
                continue
            wanted = self.candidates * quota
            places = rng.permutation(len(misses.rows))[:wanted]
            places = np.concatenate([places, rng.integers(len(misses.rows), size=wanted - len(places))])
            base.append(misses.rows[places])
            parts.append(misses.piece[places])
            donor.append(_donors(misses.piece[places], strong, rng))
        chosen, piece = np.concatenate(base), np.concatenate(parts)
        models = self._models(rows, piece, chosen, np.concatenate(donor), rng)
        used, place = _named(len(rows), [chosen, *(model[model >= 0] for model in models.values())])
        near = {name: np.where(model < 0, model, place(np.maximum(model, 0))) for name, model in models.items()}
        table = self.making.synthesizer.move(rows.at(used), piece, place(chosen), near, rng)
        made = self._labelled(rows, table, piece, chosen, rng)
        if self.candidates > 1:
            made = made.take(self._most_wrong(made, current.on(TypedFrame(table)), rows.own[chosen], quotas))
        return self._shared_out(made, rows, rng)

    def _most_wrong(
        self, made: Made, predicted: NDArray[np.intp], own: NDArray[np.intp], quotas: tuple[int, ...]
    ) -> NDArray[np.intp]:
        """Choose for each rule as many rows as are wanted, those first whose predictions agree least with it."""
        chosen = []
        for rule, quota in enumerate(quotas):
            mine = np.flatnonzero(made.rule == rule)
            agreed = agreement(self.ruling.outcomes[rule], predicted[mine], own[mine], self.ruling.classes)
            chosen.append(mine[np.argsort(agreed, kind="stable")][:quota])
        return np.concatenate(chosen)

    def _models(
        self,
        rows: Rows,
        piece: NDArray[np.intp],
        base: NDArray[np.intp],
        donor: NDArray[np.intp],
        rng: np.random.Generator,
    ) -> dict[str, NDArray[np.intp]]:
        """Return for each column whose value new rows take over: one covered row's, else that of any row inside."""
        models: dict[str, NDArray[np.intp]] = {}
        every = rows.attribution.met
        for one in np.flatnonzero(np.bincount(piece)):
            mine = np.flatnonzero(piece == one)
            for condition in self.ruling.conditions.needs[one]:
                name, met = self.ruling.conditions.distinct[condition][0], every[condition]
                failing = mine[~met[base[mine]]]
                if not len(failing):
                    continue
                if not isinstance(name, str):
                    # Columns that are added up come from one covered row; without one, one of them is moved afterwards.
                    given = failing[donor[failing] >= 0]
                    for added in name.columns:
                        models.setdefault(added, np.full(len(piece), KEEP))[given] = donor[given]
                    continue
                inside = np.flatnonzero(met)
                any_row = _some(inside, len(failing), rng) if len(inside) else np.full(len(failing), DRAW)
                if name not in models:
                    models[name] = np.full(len(piece), KEEP)
                models[name][failing] = np.where(donor[failing] >= 0, donor[failing], any_row)
        return models


def _union(parts: list[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Return the rows, increasing, that are in one of some increasing lists of them."""
    return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))


def _some(rows: NDArray[np.intp], count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Choose rows, each as likely as the other and any number of times."""
    return rows[rng.integers(len(rows), size=count)]


def _named(
    count: int, parts: list[NDArray[np.intp]]
) -> tuple[NDArray[np.intp], Callable[[NDArray[np.intp]], NDArray[np.intp]]]:
    """Return which of so many rows are named, and what tells where they stand among these."""
    if FEW * sum(map(len, parts)) < count:  # then sorting them takes less than a pass over all rows
        used = np.unique(np.concatenate(parts))
        return used, lambda rows: np.searchsorted(used, rows)
    named = np.zeros(count, dtype=bool)
    for part in parts:
        named[part] = True
    places = np.cumsum(named) - 1
    return np.flatnonzero(named), lambda rows: places[rows]


def _donors(piece: NDArray[np.intp], bases: list[Population], rng: np.random.Generator) -> NDArray[np.intp]:
    """Return for each row to be moved a covered row to take values from; `DRAW` where the rule was relaxed."""
    donor = np.full(len(piece), DRAW)
    for population in bases:
        mine = np.flatnonzero(piece == population.piece)
        if len(mine) and not population.dropped:
            donor[mine] = _some(population.rows, len(mine), rng)
    return donor
