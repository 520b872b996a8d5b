"""How much a question about rules may cost: counted, never timed, so that the same rules get one answer everywhere.

A step is a microsecond or two. What is bounded are the steps, and what rules fall apart into: pieces, the conditions of
the pieces, and the characters that it takes to write them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.exceptions import RuleError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frote.rules.clause import Clause
    from frote.rules.condition import Condition

__all__ = ["MOST_CHARACTERS", "MOST_PIECES", "Lengths", "Work"]

MOST_PIECES = 10_000
MOST_CONDITIONS = 20_000
MOST_CHARACTERS = 10_000_000
MOST_STEPS = 300_000
STEPS_PER_CHARACTER = 10  # of a text: a large file may take longer


class Lengths:
    """About how many characters clauses take to be written; many share a condition, so those are remembered."""

    def __init__(self) -> None:
        self._lengths: dict[int, tuple[Condition, int]] = {}

    def of(self, clause: Clause) -> int:
        """Return about how many characters a clause takes."""
        return sum(len(str(name)) + self._of_condition(condition) for name, condition in clause)

    def _of_condition(self, condition: Condition) -> int:
        if id(condition) not in self._lengths:
            # Held on to, since another one could come to have the same id.
            self._lengths[id(condition)] = condition, condition.length
        return self._lengths[id(condition)][1]


class Work:
    """What may still be spent on one question about rules.

    Parameters
    ----------
    size : int, default=0
        The number of characters, rules or the like that the question is about; the more, the more it may cost.

    of : {"rule", "rules"}, default="rules"
        What the question is about, for messages.

    Examples
    --------
    >>> work = Work()
    >>> work.spend(1_000)
    >>> work.spend(10**9)
    Traceback (most recent call last):
        ...
    frote.exceptions.RuleError: To tell where these rules hold takes more than 300,000 steps. ...
    """

    def __init__(self, size: int = 0, of: str = "rules") -> None:
        one = of == "rule"
        self._these = ("This rule falls", "this rule holds") if one else ("These rules fall", "these rules hold")
        others = "" if one else ", or fewer overlapping rules"
        self._way_out = f"Use fewer alternatives (OR, NOT) across columns{others}."
        self.steps = self.left = MOST_STEPS + STEPS_PER_CHARACTER * size
        self.pieces = 0
        self.conditions = 0
        self.characters = 0
        self._lengths = Lengths()

    def spend(self, steps: int) -> None:
        """Take steps; too many are an error."""
        self.left -= steps
        if self.left < 0:
            raise RuleError(f"To tell where {self._these[1]} takes more than {self.steps:,} steps. {self._way_out}")

    def require_few(self, pieces: int, conditions: float = 0) -> None:
        """Refuse pieces, and conditions of them, that are too many beside those that there are already."""
        self._require(self.pieces + pieces, MOST_PIECES, "more than {:,} disjoint pieces")
        self._require(self.conditions + conditions, MOST_CONDITIONS, "pieces of more than {:,} conditions in all")

    def keep(self, clauses: Iterable[Clause], beside: int = 0) -> None:
        """Count pieces that stay, each written with so many characters beside its clause."""
        for clause in clauses:
            self.pieces += 1
            self.conditions += len(clause)
            self.characters += beside + self._lengths.of(clause)
        self.require_few(0)
        self._require(self.characters, MOST_CHARACTERS, "pieces of more than {:,} characters in all")

    def _require(self, count: float, most: int, what: str) -> None:
        if count > most:
            raise RuleError(f"{self._these[0]} apart into {what.format(most)}. {self._way_out}")
