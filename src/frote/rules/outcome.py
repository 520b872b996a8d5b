"""Outcomes: where a rule sends the label."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from frote.exceptions import RuleError
from frote.rules.text import label_text
from frote.rules.values import canonical

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A class, a distribution over classes, or a class with a confidence.

    Labels are texts: they are matched with the classes of a data set by their text.

    Parameters
    ----------
    probabilities : tuple of (str, float)
        Labels with their probabilities, none of them 0, sorted by label. Use `Outcome.of` to build one.

    rest : float
        The probability that a row keeps its own label: what a confidence leaves over. 0 otherwise.

    Examples
    --------
    >>> from frote.rules import Outcome
    >>> Outcome.of("approved") == Outcome.of({"approved": 1}) == Outcome.of("approved", confidence=1)
    True
    >>> print(Outcome.of({"approved": 0.9, "denied": 0.1}))
    {approved: 0.9, denied: 0.1}
    >>> print(Outcome.of("approved", confidence=0.8))
    approved WITH CONFIDENCE 0.8
    """

    probabilities: tuple[tuple[str, float], ...]
    rest: float = 0.0

    @classmethod
    def of(cls, target: object, *, confidence: float = 1.0) -> Outcome:
        """Return an outcome from a label, a mapping of labels to probabilities, or an outcome.

        Parameters
        ----------
        target : label, mapping or Outcome
            Where the label goes.

        confidence : float, default=1.0
            With a single label: the probability that the rule is right; otherwise a row keeps its own label.

        Returns
        -------
        Outcome
        """
        if isinstance(target, Outcome) and confidence == 1.0:
            return target
        if isinstance(target, Outcome):
            raise RuleError("A confidence goes with one label, not with an outcome.")
        if not isinstance(target, Mapping):
            if not 0 < confidence <= 1:
                raise RuleError(f"A confidence must be above 0 and at most 1, not {confidence:g}.")
            return cls(((str(target), float(confidence)),), 1.0 - confidence)
        if confidence != 1.0:
            raise RuleError("A confidence goes with one label, not with a distribution.")
        shares = {str(label): float(share) for label, share in target.items()}
        if len(shares) < len(target):
            raise RuleError(f"A label stands twice in {target}.")
        wrong = next((label for label, share in shares.items() if not 0 <= share <= 1), None)
        if wrong is not None:
            raise RuleError(f"A probability must be between 0 and 1; {wrong!r} has {shares[wrong]:g}.")
        total = math.fsum(shares.values())
        if abs(total - 1) > 1e-6:
            raise RuleError(f"The probabilities sum to {total:.9g}, not to 1.")
        named = sorted((label, share) for label, share in shares.items() if share > 0)
        # One label alone is certain: what rounding left out of its share is nothing that could be written.
        return cls(tuple(named)) if len(named) > 1 else cls(((named[0][0], 1.0),))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels named, sorted."""
        return tuple(label for label, _ in self.probabilities)

    @property
    def is_deterministic(self) -> bool:
        """Whether the outcome is one class for certain."""
        return len(self.probabilities) == 1 and self.rest == 0

    def __getitem__(self, label: str) -> float:
        """Return the probability named for a label; 0 for a label that is not named."""
        return dict(self.probabilities).get(label, 0.0)

    def spread(self, classes: tuple[str, ...]) -> dict[str, float]:
        """Return a probability for each class, what a confidence leaves over spread evenly over the other classes.

        Examples
        --------
        >>> Outcome.of("a", confidence=0.5).spread(("a", "b", "c"))
        {'a': 0.5, 'b': 0.25, 'c': 0.25}
        """
        named = dict(self.probabilities)
        others = [label for label in classes if label not in named]
        if self.rest and not others:
            raise RuleError(f"A confidence below 1 for {self.labels[0]!r} needs another class, and there is none.")
        share = self.rest / len(others) if others else 0.0
        return {label: named.get(label, share) for label in dict.fromkeys((*classes, *named))}

    def __str__(self) -> str:
        (label, share), *others = self.probabilities
        if self.rest:
            return f"{label_text(label)} WITH CONFIDENCE {canonical(share)!r}"
        if not others:
            return label_text(label)
        listed = (f"{label_text(label)}: {canonical(share)!r}" for label, share in self.probabilities)
        return "{" + ", ".join(listed) + "}"
