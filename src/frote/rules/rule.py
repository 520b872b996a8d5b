"""Rules: a clause, an outcome and a name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from frote.exceptions import RuleError
from frote.rules.text import is_name, name_text, shortened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from frote.rules.clause import Clause
    from frote.rules.condition import Condition
    from frote.rules.linear import Key
    from frote.rules.outcome import Outcome

__all__ = ["Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """IF a clause THEN an outcome.

    Parameters
    ----------
    name : str
        What the rule is called, one line of text.

    clause : Clause
        Which rows it covers.

    outcome : Outcome
        Where it sends their label.

    origin : str, default=""
        The name of the rule, as written, that this one is a piece of; empty means its own name.

    sources : tuple of str, default=()
        For a rule that resolving made for an overlap: the names of the rules that met there. Not compared.

    line : int, default=None
        Where the rule stands in its file. Not compared.

    dotted : tuple of (str, str), default=()
        Columns and the numbers that they are compared with, where these are written with a dot and three digits, as
        thousands are in many languages. Not compared.

    unasked_gaps : frozenset of str, default=frozenset()
        Columns whose missing values conflicts left to it, though the rule as written does not ask for them: no
        synthetic row gets a missing value there for its sake. Not compared.

    remarks : tuple of (str, str), default=()
        What is said beside it where it was read, such as its owner and a note in a decision table. Not compared.

    decided : tuple of (str, Condition, Condition), default=()
        Columns of which it asks for levels that pass a test, as ``plan STARTS WITH 'pre'``: what it asks, and what
        binding made of that. Not compared.

    Examples
    --------
    >>> import frote
    >>> (rule,) = frote.parse_rules("young: IF age < 29 THEN approved")
    >>> print(rule)
    young: IF age < 29 THEN approved
    >>> import pandas as pd
    >>> rule.mask(pd.DataFrame({"age": [25, 40]}))
    array([ True, False])
    """

    name: str
    clause: Clause
    outcome: Outcome
    origin: str = ""
    sources: tuple[str, ...] = field(default=(), compare=False)
    line: int | None = field(default=None, compare=False)
    dotted: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)
    unasked_gaps: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    remarks: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)
    decided: tuple[tuple[str, Condition, Condition], ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if not is_name(self.name):
            raise RuleError(f"A rule's name is one line of text without blanks around it, not {self.name!r}.")
        if not self.origin:
            object.__setattr__(self, "origin", self.name)
        stem, _, number = self.name.rpartition("/")
        if self.origin not in (self.name, stem) or (self.origin == stem and not re.fullmatch("[0-9]+", number)):
            raise RuleError(f"A piece of {self.origin!r} is named {self.origin + '/1'!r} and so on, not {self.name!r}.")

    def __getstate__(self) -> list[Any]:
        # Files of models have what is rarely said of rules only where it is said: those of old know nothing of it.
        state = [getattr(self, one.name) for one in fields(self)]
        return state if self.decided else state[:-1] if self.remarks else state[:-2]

    def __setstate__(self, state: list[Any]) -> None:
        for one, value in zip(fields(self), (*state, (), ())[: len(fields(self))], strict=True):
            object.__setattr__(self, one.name, value)

    def as_asked(self, column: Key, condition: Condition) -> Condition:
        """Return what the rule asks of a column where binding made this condition of it, else the condition."""
        named = (asked for name, asked, decided in self.decided if (name, decided) == (column, condition))
        return next(named, condition)

    def mask(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows of a table the rule covers.

        Parameters
        ----------
        X : pandas or polars DataFrame, NumPy array, or Table
            The rows.

        Returns
        -------
        ndarray of bool
        """
        from frote.coverage.matrix import cover
        from frote.rules.ruleset import RuleSet

        covered: NDArray[np.bool_] = cover(RuleSet([self]), X)[0]
        return covered

    def __str__(self) -> str:
        return f"{name_text(self.name, self.origin)}: IF {self.clause} THEN {self.outcome}"

    def __repr__(self) -> str:
        return f"<Rule {shortened(str(self))}>"
