"""What two models said of the same rows, in codes of one set of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.exceptions import TableError
from frote.judging.chances import chances_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.coverage.answers import Answers
    from frote.coverage.ruling import Attribution
    from frote.rules import RuleSet
    from frote.table import Table

__all__ = ["Pair"]


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """What two models said, before and after.

    Parameters
    ----------
    labels : Labels
        The classes of the rows' labels, of both models and, where models do not tell theirs, of the rules.

    codes : tuple of two ndarray of int
        What each predicts, as codes of these classes.

    chances : tuple of two, each ndarray of float or None
        The probability that each gives to each of these classes, if it has any.
    """

    labels: Labels
    codes: tuple[NDArray[np.intp], ...]
    chances: tuple[NDArray[np.float64] | None, ...]

    @classmethod
    def of(cls, answers: Sequence[Answers], rules: RuleSet, truth: Labels | None) -> Pair:
        """Put the answers of two models together, with the rules and the rows' labels, if these are known.

        Raises
        ------
        TableError
            If one predicts texts and the other numbers that are none of them.
        """
        said = [
            Labels.of(one.predicted, what=f"The {which} model's prediction")
            for one, which in zip(answers, ("first", "second"), strict=True)
        ]
        labels = _all_classes(answers, said, truth, rules)
        codes = (np.array(labels.match(one.classes), dtype=np.intp)[one.codes] for one in said)
        return cls(labels, tuple(codes), tuple(chances_for(one, labels) for one in answers))

    def attributed(self, table: Table, rules: RuleSet) -> Attribution:
        """Return what rules say of the rows, with these classes.

        Raises
        ------
        BindingError
            If the rules do not fit the table or the classes.
        """
        return Ruling.of(rules.bind(table.schema, self.labels.classes), self.labels.texts).on(table)


def _all_classes(answers: Sequence[Answers], said: Sequence[Labels], truth: Labels | None, rules: RuleSet) -> Labels:
    sides = [[*(one.classes or ()), *labels.classes] for one, labels in zip(answers, said, strict=True)]
    first, second = map(Labels.known, sides)
    unlike = isinstance(first.classes[0], str) != isinstance(second.classes[0], str)
    if unlike and all(code < 0 for code in first.match(second.classes)):
        raise TableError(
            f"The first model predicts {said[0].classes[0]!r} and the second {said[1].classes[0]!r}: no class of one "
            "is a class of the other. Give both the same kind of labels."
        )
    classes_told = truth is not None or all(one.classes is not None for one in answers)
    together = Labels.known(() if truth is None else truth.classes)
    for more in (*sides, () if classes_told else rules.labels):
        together = together.joined(Labels.known(more))
    return together
