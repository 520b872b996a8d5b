"""What a selection is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from frote.exceptions import FroteError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from frote.coverage.population import Population
    from frote.generation.space import Points
    from frote.table import Table

__all__ = ["Choice", "Made", "Request", "Selection", "shares"]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The base rows chosen.

    Parameters
    ----------
    piece : ndarray of int
        The rule that each is to make a synthetic row for, as its population names it.

    base : ndarray of int
        The positions of the base rows.

    Examples
    --------
    >>> Choice.of([(0, np.array([4, 7])), (2, np.array([1]))]).piece
    array([0, 0, 2])
    """

    piece: NDArray[np.intp]
    base: NDArray[np.intp]

    @classmethod
    def of(cls, parts: Sequence[tuple[int, NDArray[np.intp]]]) -> Choice:
        """Put together the base rows chosen for each of some rules."""
        pieces = [np.full(len(rows), piece, dtype=np.intp) for piece, rows in parts]
        empty = np.empty(0, dtype=np.intp)
        return cls(np.concatenate([empty, *pieces]), np.concatenate([empty, *(rows for _, rows in parts)]))


@dataclass(frozen=True, eq=False)
class Made:
    """Synthetic rows, made and not yet proposed: a selection may choose among them.

    Parameters
    ----------
    table : Table
        The rows, with the columns of the training data.

    encode : callable
        Gives rows their places in the space of distances.

    labels : ndarray of int
        Their labels, drawn from their rule's outcome.

    piece, base : ndarray of int
        The rule that each was made for, and the position of the row that it was made from.

    neighbour : ndarray of int
        The position of the row that it was moved towards, -1 if none.

    strong : ndarray of bool
        Whether the base row satisfies the rule itself, and not only in part.

    rule : ndarray of int
        The rule as written that each was made for.
    """

    table: Table
    encode: Callable[[Table], Points]
    labels: NDArray[np.intp]
    piece: NDArray[np.intp]
    base: NDArray[np.intp]
    neighbour: NDArray[np.intp]
    strong: NDArray[np.bool_]
    rule: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.piece)

    @cached_property
    def points(self) -> Points:
        """The rows in the space of distances; worked out when it is asked for, since most never is."""
        return self.encode(self.table)

    def take(self, places: NDArray[np.intp]) -> Made:
        """Return some of the rows."""
        return Made(self.table.take(places), self.encode, *(part[places] for part in self._arrays()))

    def joined(self, below: Made) -> Made:
        """Return these rows and, below them, others."""
        pairs = zip(self._arrays(), below._arrays(), strict=True)
        return Made(self.table.concat(below.table), self.encode, *(np.concatenate(pair) for pair in pairs))

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self.labels, self.piece, self.base, self.neighbour, self.strong, self.rule


@dataclass(frozen=True, eq=False)
class Request:
    """How many synthetic rows are wanted from where, and what is known of the data.

    Parameters
    ----------
    populations : list of list of Population
        For each rule as written, the base populations of its pieces.

    quotas : tuple of int
        For each rule as written, how many synthetic rows are wanted.

    neighbours : int
        How many neighbours a base row has; the least number of base rows per rule is one more.

    labels, owner : ndarray of int
        Of all rows of the training data: their labels, and the rule as written each is attributed to (-1: none).

    targets : ndarray of float, shape (rules, classes)
        The probability that each rule as written gives to each class.

    encode : callable
        Gives all rows their places in the space of distances.

    ask : callable
        Returns what the current model predicts for all rows.

    make_rows : callable
        Makes synthetic rows from a choice.

    look : callable, default=None
        Returns the positions of the rows to look at where there are very many; None for all of them.

    encode_at : callable, default=None
        Gives the rows at some positions their places in the space of distances.
    """

    populations: list[list[Population]]
    quotas: tuple[int, ...]
    neighbours: int
    labels: NDArray[np.intp]
    owner: NDArray[np.intp]
    targets: NDArray[np.float64]
    encode: Callable[[], Points]
    ask: Callable[[], NDArray[np.intp]]
    make_rows: Callable[[Choice, np.random.Generator], Made]
    look: Callable[[], NDArray[np.intp] | None] | None = None
    encode_at: Callable[[NDArray[np.intp]], Points] | None = None

    @cached_property
    def looked_at(self) -> NDArray[np.intp]:
        """Return the positions of the rows that tell what all are like, increasing; of very many rows, a sample."""
        some = None if self.look is None else self.look()
        return np.arange(len(self.labels)) if some is None else some

    def points_at(self, rows: NDArray[np.intp]) -> Points:
        """Return the rows at some positions in the space of distances."""
        if len(rows) == len(self.labels) and np.array_equal(rows, np.arange(len(rows))):
            return self.points
        return self.points.take(rows) if self.encode_at is None else self.encode_at(rows)

    @cached_property
    def points(self) -> Points:
        """All rows of the training data in the space of distances."""
        return self.encode()

    @cached_property
    def predicted(self) -> NDArray[np.intp]:
        """What the current model predicts for all rows; -1 for a class that the data do not have."""
        return self.ask()

    def make(self, choice: Choice, rng: np.random.Generator) -> Made:
        """Make a synthetic row from each base row of a choice.

        Raises
        ------
        FroteError
            If a base row is none of those that its rule may start from.
        """
        self._require_possible(choice)
        return self.make_rows(choice, rng)

    def _require_possible(self, choice: Choice) -> None:
        populations = {one.piece: one.rows for pieces in self.populations for one in pieces}
        for piece in np.unique(choice.piece).tolist():
            rows, population = choice.base[choice.piece == piece], populations.get(piece, np.empty(0, dtype=np.intp))
            places = np.searchsorted(population, rows)  # populations are increasing
            if not (places < len(population)).all() or (population[places] != rows).any():
                raise FroteError(
                    "The selection chose a base row that is not in the population of its rule. "
                    "Choose among request.populations: each has a piece and rows."
                )


class Selection(Protocol):
    """A way to choose the rows that synthetic ones are made from. Each run has a copy of its own.

    Examples
    --------
    A selection of one's own, which starts from the rows that the model is wrong about, as far as there are any:

    >>> class Mistaken:
    ...     def select(self, request, rng):
    ...         parts = []
    ...         for populations, quota in zip(request.populations, request.quotas):
    ...             for population, count in zip(populations, shares(quota, [len(p.rows) for p in populations])):
    ...                 rows = rng.permutation(population.rows)
    ...                 wrong = request.predicted[rows] != request.labels[rows]
    ...                 parts.append((population.piece, rows[np.argsort(~wrong, kind="stable")][:count]))
    ...         return request.make(Choice.of(parts), rng)
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> rules = "young: IF age < 29 AND defaults = 0 THEN approved"
    >>> frote.FROTE(rules=rules, select=Mistaken(), max_fits=4, random_state=0).fit(loans.X, loans.y).n_fits_
    5
    """

    def select(self, request: Request, rng: np.random.Generator) -> Made:
        """Choose base rows, and return what ``request.make`` makes of them, or some of it."""


def shares(total: int, weights: Sequence[float]) -> tuple[int, ...]:
    """Share a number out in proportion to weights; what rounding leaves goes to the largest remainders.

    Examples
    --------
    >>> shares(20, [1, 1, 1])
    (7, 7, 6)
    >>> shares(5, [0, 0])
    (3, 2)
    """
    if not len(weights):
        return ()
    parts = np.asarray(weights, dtype=np.float64)
    parts = np.ones(len(parts)) if parts.sum() <= 0 else parts
    exact = total * parts / parts.sum()
    whole = np.floor(exact).astype(np.intp)
    # Rounded, so that equal remainders are equal and the first of them comes first.
    first = np.argsort(-(exact - whole).round(9), kind="stable")[: total - int(whole.sum())]
    whole[first] += 1
    return tuple(whole.tolist())
