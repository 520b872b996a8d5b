"""A run that is ready to start: what its preview and the run itself begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution
    from frote.estimators.input import Target
    from frote.loop.checkpoint import Checkpoint
    from frote.loop.engine import EditLoop
    from frote.loop.rows import Rows
    from frote.rules import RuleSet

__all__ = ["Prepared"]


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A run that is ready to start.

    Parameters
    ----------
    X : frame
        The caller's data.

    target : Target
        The caller's labels.

    rules : RuleSet
        The rules, bound to the data.

    skipped : dict of str to str
        The rules that were left out, with the reason.

    attribution : Attribution
        What the rules say of all rows, as they came in.

    kept : ndarray of bool
        Which rows stay after modification.

    changed : ndarray of int
        The labels of all rows after it.

    rows : Rows
        The rows that stay.

    held : ndarray of bool
        Which of them the loop does not train on.

    loop : EditLoop
        The loop.

    checkpoint : Checkpoint or None
        Where it is written down.
    """

    X: Any
    target: Target
    rules: RuleSet
    skipped: dict[str, str]
    attribution: Attribution
    kept: NDArray[np.bool_]
    changed: NDArray[np.intp]
    rows: Rows
    held: NDArray[np.bool_]
    loop: EditLoop
    checkpoint: Checkpoint | None
