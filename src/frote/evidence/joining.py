"""Counterexamples that join an edit: rows around them that the model answers against its rules, as a batch to be tried.

What is looked for is bounded by boxes and rows, never by the clock, so that the same edit finds the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.caller import warn_caller
from frote.coverage.labels import Labels
from frote.coverage.said import classes_of
from frote.evidence.asking import Asked
from frote.evidence.draws import Draws
from frote.evidence.proof import COUNTEREXAMPLE
from frote.evidence.prove import prove
from frote.evidence.space import Picked, Space
from frote.exceptions import ModelError, RuleWarning
from frote.loop.rows import Batch, Rows
from frote.rules import RuleSet
from frote.table import TypedFrame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.generation.making import Making

__all__ = ["Counterexamples"]

BOXES = 1_000  # that a proof may look at, for each rule
TRIED, TAKEN = 500, 50  # rows made around a counterexample, and those of them that join at most
LIKE = 0.8  # the share of its columns that a row has from the counterexample, about
ALONE = -1  # the neighbour of a row that was made without one


@dataclass(frozen=True, slots=True, eq=False)
class Counterexamples:
    """Looks for counterexamples, and makes batches of them.

    Parameters
    ----------
    rows : Rows
        The data before any synthetic row, which show the columns and their ranges.

    making : Making
        What rows are made with.
    """

    rows: Rows
    making: Making

    def seek(self, model: Any, rows: Rows, rng: np.random.Generator) -> Batch | None:
        """Return rows inside the rules that a model answers otherwise, as it says itself; None if none are found.

        Parameters
        ----------
        model : classifier
            The current model.

        rows : Rows
            The training data now.

        rng : numpy Generator
            Where chance comes from.

        Returns
        -------
        Batch or None
        """
        parts = [self._around(model, rule, start, rng) for rule, start in self._proven(model)]
        found = [part for part in parts if part is not None]
        if not found:
            return None
        table, piece, labels = found[0]
        for more, pieces, codes in found[1:]:
            table, piece, labels = table.concat(more), np.append(piece, pieces), np.append(labels, codes)
        base = _most_alike(table, rows)
        proposed = Rows.of(self.making, TypedFrame(table), labels, rows.own[base])
        strong = self.making.ruling.conditions.covered(rows.attribution.met[:, base])[piece, np.arange(len(piece))]
        return Batch(proposed, piece, base, np.full(len(piece), ALONE), strong)

    def _proven(self, model: Any) -> list[tuple[int, TypedFrame]]:
        """Ask for a counterexample to each rule that leaves nothing to chance."""
        ruling = self.making.ruling
        certain = [rule for rule, outcome in enumerate(ruling.outcomes) if outcome.is_deterministic]
        pieces = [ruling.rules[int(piece)] for rule in certain for piece in ruling.pieces_of(rule)]
        if not pieces:
            return []
        try:
            report = prove(model, RuleSet(pieces), self.rows.shown, values="observed", boxes=BOXES)
        except ModelError as error:
            warn_caller(f"No counterexamples joined the edit. {error}", RuleWarning)
            return []
        refuted = [proof.rule for proof in report.proofs if proof.answer == COUNTEREXAMPLE]
        table = report._refuted
        return [
            (ruling.names.index(name), TypedFrame(table.take(np.array([place])))) for place, name in enumerate(refuted)
        ]

    def _around(
        self, model: Any, rule: int, start: TypedFrame, rng: np.random.Generator
    ) -> tuple[Any, NDArray[np.intp], NDArray[np.intp]] | None:
        """Return rows around a counterexample that are such too, each with its piece of the rule and its label."""
        ruling, labels = self.making.ruling, Labels.known(classes_of(model) or ())
        covered = ruling.conditions.covered(ruling.on(start.table).met)[:, 0]
        piece = next(int(one) for one in ruling.pieces_of(rule) if covered[one])
        space = Space(self.rows.table, observed=True)
        label = ruling.outcomes[rule].labels[0]
        if label not in labels.texts:
            return None
        made = _mixed(space, Draws(space, ruling.rules[piece]).fresh(TRIED, rng), start, rng)
        asked = Asked.about(model, labels, (ruling.rules[piece],), labels.texts.index(label))
        strays = np.flatnonzero(asked.strays(made)[0])[:TAKEN]
        if not len(strays):
            return None
        code = np.full(len(strays), ruling.classes.index(label))
        return made.table.take(strays), np.full(len(strays), piece), code


def _mixed(space: Space, rows: TypedFrame, start: TypedFrame, rng: np.random.Generator) -> TypedFrame:
    """Put most columns of a row into others of the same piece; all of them into the first."""
    picked = []
    for column in space.columns:
        own, other = (Picked.of(one.table[column.column.name]) for one in (rows, start))
        taken = rng.random(len(rows)) < LIKE
        taken[0] = True
        values, missing = np.where(taken, other.values, own.values), np.where(taken, other.missing, own.missing)
        picked.append(Picked(values, missing))
    return space.rows(picked)


def _most_alike(table: Any, rows: Rows) -> NDArray[np.intp]:
    """Return for each row of a table the row of the data that has most of its values, the first of several."""
    alike = np.zeros((len(table), len(rows)), dtype=np.intp)
    for name in table.schema.names:
        one, other = table[name], rows.table[name]
        same = one.values[:, np.newaxis] == other.values
        alike += same & ~one.gaps()[:, np.newaxis] & ~other.gaps()
    return np.asarray(alike.argmax(axis=1))
