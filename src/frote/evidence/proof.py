"""What was proven of a model, rule by rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from frote.evidence.by_rule import html_by_rule, text_by_rule
from frote.layout import counted
from frote.visible import visible

if TYPE_CHECKING:
    from frote.table import Table

__all__ = ["COUNTEREXAMPLE", "NO_ROW", "OPEN", "PROVEN", "ProofReport", "RuleProof"]

PROVEN, COUNTEREXAMPLE, OPEN, NO_ROW = "proven", "counterexample", "open", "no row"


@dataclass(frozen=True, slots=True, eq=False)
class RuleProof:
    """What was proven of a model and one rule.

    Parameters
    ----------
    rule : str
        The rule as written.

    label : str
        The class that it wants; of a distribution, its most probable one.

    answer : {"proven", "counterexample", "open", "no row"}
        What came of it.

    bound : float
        By how much the model's score for that class is ahead of any other, at least, as far as was found out: in
        probability for forests, in the model's own scores for others. Above zero if proven by it.

    boxes : int
        How many boxes of rows were looked at.

    counterexample : frame of the caller's kind, or None
        A row inside the rule that the model answers otherwise.

    said : object or None
        What it answers there.

    text : str
        The row in words: the columns that the rule names, and those that were changed to get there.

    values : {"possible", "observed"}
        Which rows count.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = pd.DataFrame({"age": [20, 30, 40, 50]})
    >>> model = DecisionTreeClassifier(random_state=0).fit(X, ["no", "no", "yes", "yes"])
    >>> (proof,) = frote.prove(model, "old: IF age > 30 THEN yes", X).proofs
    >>> proof.answer, proof.said, proof.text
    ('counterexample', 'no', 'age = 31')
    """

    rule: str
    label: str
    answer: str
    bound: float
    boxes: int
    counterexample: Any = None
    said: Any = None
    text: str = ""
    values: str = "possible"

    def told(self) -> str:
        """Say what came of it in a few words."""
        if self.answer == PROVEN:
            return "proven for every " + (
                "possible row" if self.values == "possible" else "row within the data's ranges"
            )
        if self.answer == COUNTEREXAMPLE:
            return f"counterexample: {self.text}; the model answers {visible(str(self.said), lines=False)!r}"
        if self.answer == OPEN:
            return f"open after {counted(self.boxes, 'box', 'boxes')}: ahead by {self.bound:.3g} at least"
        return "no possible row"


@dataclass(frozen=True, slots=True, eq=False)
class ProofReport:
    r"""What was proven of a model, rule by rule.

    Parameters
    ----------
    proofs : tuple of RuleProof
        One for each rule as written.

    rows : str
        What the proof speaks of, in a sentence.

    notes : tuple of str
        Which rules cover nothing, or less than they name.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = pd.DataFrame({"age": [20, 30, 40, 50], "income": [10, 80, 90, 20]})
    >>> model = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, ["no", "yes", "yes", "no"])
    >>> report = frote.prove(model, "rich: IF income > 60 THEN yes\npoor: IF income < 60 THEN no", X)
    >>> print(report)
    rich  proven for every possible row
    poor  counterexample: income = 51; the model answers 'yes'
    >>> report.counterexamples
       age  income
    0   20      51
    """

    proofs: tuple[RuleProof, ...]
    rows: str
    notes: tuple[str, ...] = ()
    _refuted: Any = field(default=None, repr=False)

    @property
    def rules(self) -> pd.DataFrame:
        """The answers as a frame, a line for each rule."""
        return pd.DataFrame(
            [(one.label, one.answer, one.bound, one.boxes) for one in self.proofs],
            columns=["label", "answer", "bound", "boxes"],
            index=pd.Index([one.rule for one in self.proofs], name="rule"),
        )

    @property
    def counterexamples(self) -> Any:
        """The counterexamples as one frame of the caller's kind, in the order of the rules refuted; None if none."""
        refuted: Table | None = self._refuted
        return None if refuted is None else refuted.to_frame()

    @property
    def is_proven(self) -> bool:
        """Whether every rule is proven, or has no row."""
        return all(one.answer in (PROVEN, NO_ROW) for one in self.proofs)

    def __str__(self) -> str:
        return text_by_rule(self._told(), self.notes)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_by_rule(self._told(), "answer", self.notes, self.rows)

    def _told(self) -> dict[str, str]:
        return {one.rule: one.told() for one in self.proofs}
