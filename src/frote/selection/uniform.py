"""Base rows chosen at random, each as likely as the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from frote.selection.request import Choice, Made, Request, shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.coverage.population import Population

__all__ = ["Uniform", "draw_from"]


@dataclass(frozen=True, slots=True)
class Uniform:
    """The paper's *random* selection: per rule, without replacement where the population allows."""

    def select(self, request: Request, rng: np.random.Generator) -> Made:
        """Choose as many base rows per rule as are wanted."""
        parts = [
            part
            for pieces, quota in zip(request.populations, request.quotas, strict=True)
            for part in draw_from(pieces, quota, rng)
        ]
        return request.make(Choice.of(parts), rng)


def draw_from(pieces: list[Population], quota: int, rng: np.random.Generator) -> list[tuple[int, NDArray[np.intp]]]:
    """Draw base rows for one rule as written; each piece gets a share by the size of its population."""
    parts = shares(quota, [len(population.rows) for population in pieces])
    drawn = []
    for population, count in zip(pieces, parts, strict=True):
        rounds, rest = divmod(count, len(population.rows))
        whole = [rng.permutation(population.rows) for _ in range(rounds)]
        drawn.append((population.piece, np.concatenate([*whole, rng.choice(population.rows, rest, replace=False)])))
    return drawn
