"""Models asked about partitions: what they say as codes of classes, and what of it is no class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.answers import Answers
from frote.exceptions import TableError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from frote.coverage.labels import Labels

__all__ = ["Strange", "answers_to", "asked"]


@dataclass(frozen=True, slots=True)
class Strange:
    """How many answers are classes, and the first one that is none, with the partition that it was given in."""

    known: int = 0
    place: int = -1
    example: Any = None

    def __add__(self, other: Strange) -> Strange:
        told = [one for one in (self, other) if one.place >= 0]
        first = min(told, key=lambda one: one.place) if told else self
        return Strange(self.known + other.known, first.place, first.example)

    def require_some(self, labels: Labels) -> None:
        """Say so if a model predicts none of the classes."""
        if not self.known and self.place >= 0:
            raise TableError(f"The model predicts {self.example!r}, which is none of the classes {list(labels.texts)}.")


def answers_to(model: Any, frame: pd.DataFrame, *, chances: bool = False, whose: str = "the model") -> Answers | None:
    """Ask a model about a partition; None if there is no row, which models cannot be asked about."""
    return Answers.of(model, frame, chances=chances, whose=whose) if len(frame) else None


def asked(model: Any, frame: pd.DataFrame, labels: Labels, place: int) -> tuple[NDArray[np.intp] | None, Strange]:
    """Return what a model predicts for a partition as codes of classes, -1 for none; None without a model."""
    if model is None:
        return None, Strange()
    said = answers_to(model, frame)
    if said is None:
        return np.empty(0, dtype=np.intp), Strange()
    codes, strange = labels.codes_and_strange(said.predicted)
    known = int((codes >= 0).sum())
    return codes, Strange(known, place, strange[0]) if strange else Strange(known)
