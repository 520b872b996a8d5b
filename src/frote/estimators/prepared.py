"""A run that is ready to start, in the parts that it is prepared in: what was read, what was modified, and the loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution
    from frote.estimators.input import Target
    from frote.generation.making import Making
    from frote.loop.checkpoint import Checkpoint
    from frote.loop.engine import EditLoop
    from frote.loop.rows import Rows
    from frote.rules import RuleSet
    from frote.table import TypedFrame

__all__ = ["Given", "Modified", "Prepared"]


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What the caller gave, read and checked.

    Parameters
    ----------
    rows : TypedFrame
        The data as they came and as a table, before anything is modified.

    target : Target
        Their labels.

    written : RuleSet
        The rules as they were given.

    rules : RuleSet
        Those of them that are used, bound to the data.

    skipped : dict of str to str
        The rules that were left out, with the reason.

    weights : ndarray of float or None, default=None
        What each row weighs; None if all weigh the same.
    """

    rows: TypedFrame
    target: Target
    written: RuleSet
    rules: RuleSet
    skipped: dict[str, str]
    weights: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Modified:
    """The data after labels that contradict the rules were changed, or their rows dropped.

    Parameters
    ----------
    attribution : Attribution
        What the rules say of all rows, as they came in.

    kept : ndarray of bool
        Which of them stay.

    changed : ndarray of int
        The labels of all of them after modification.

    making : Making
        What rows are made with, by the rows that stay.

    rows : Rows
        The rows that stay.
    """

    attribution: Attribution
    kept: NDArray[np.bool_]
    changed: NDArray[np.intp]
    making: Making
    rows: Rows


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A run that is ready to start.

    Parameters
    ----------
    given : Given
        What the caller gave.

    modified : Modified
        The data after modification.

    held_out : ndarray of bool
        Which of the rows that stay the loop does not train on.

    loop : EditLoop
        The loop, not started; its rows are those that are not held out.

    checkpoint : Checkpoint or None
        Where it is written down.
    """

    given: Given
    modified: Modified
    held_out: NDArray[np.bool_]
    loop: EditLoop
    checkpoint: Checkpoint | None
