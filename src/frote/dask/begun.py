"""What is known of an edit of a Dask frame before any row is brought to one place."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

from frote.coverage.labels import require_classes
from frote.coverage.ruling import Ruling
from frote.dask.checking import conflicts_lazily
from frote.dask.frames import is_lazy
from frote.dask.local import is_distributed
from frote.dask.strata import Strata
from frote.dask.training import require_client, require_codes
from frote.dask.whole import LazyRows
from frote.estimators.input import Target
from frote.estimators.preparing import base_of, rules_for
from frote.exceptions import TableError
from frote.generation.possible import able

if TYPE_CHECKING:
    from frote.estimators.editing import Editing
    from frote.rules import RuleSet

__all__ = ["Begun"]


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """What is known before any row is brought to one place.

    Parameters
    ----------
    rows : LazyRows
        The whole.

    target : Target
        The classes, with a label of each as it came.

    strata : Strata
        What is to be brought.

    written, rules : RuleSet
        The rules as they were given, and those that are used, bound to the data.

    skipped : dict of str to str
        The rules that were left out, with the reason.

    distributed : bool
        Whether models are trained on the whole.
    """

    rows: LazyRows
    target: Target
    strata: Strata
    written: RuleSet
    rules: RuleSet
    skipped: dict[str, str]
    distributed: bool

    @classmethod
    def of(cls, editor: Editing, X: Any, y: Any, sample_weight: Any) -> Begun:
        """Learn the types in one pass, and count the strata in another."""
        if sample_weight is not None:
            raise TableError("sample_weight is for frames in memory. Leave it out, or give X.compute().")
        if isinstance(editor.evaluate, tuple | list) and any(map(is_lazy, editor.evaluate)):
            raise TableError("Models are compared in one place. Give evaluate=(X_val.compute(), y_val.compute()).")
        rows = LazyRows.of(X, y, kinds=editor.kinds, levels=editor.levels)
        target = _target(rows)
        distributed = is_distributed(base_of(editor))
        if distributed:
            require_client(editor.estimator)
            require_codes(editor.estimator, target.labels)
        written, rules, skipped = rules_for(
            editor, rows.survey.witness, target, y, lambda bound: conflicts_lazily(bound, X, rows)
        )
        ruling = Ruling.of(rules, target.labels.texts)
        fits = tuple(able(rules, rows.survey.witness))
        strata = Strata.of(rows, ruling, fits, _seed_of_sample(editor), _most(editor, rows))
        return cls(rows, target, strata, written, rules, skipped, distributed)

    @property
    def in_memory(self) -> bool:
        """Whether all rows are brought to one place, and models trained there."""
        return self.strata.whole and not self.distributed


def _most(editor: Editing, rows: LazyRows) -> int:
    """Return how many rows of each stratum are brought to one place."""
    return max(len(rows), 1) if editor.sample is None else int(editor.sample)


def _target(rows: LazyRows) -> Target:
    """Return the classes of the whole, with a label of each as it came."""
    labels = rows.survey.labels
    target = Target.of(labels, 0 if labels is None else len(labels))
    require_classes(target.labels, labels)
    return target


def _seed_of_sample(editor: Editing) -> int:
    """Return where the chance of the sample comes from: not from a state that differs at every call.

    A run that goes on from its checkpoint must have the same sample.
    """
    return int(editor.random_state) if isinstance(editor.random_state, Integral) else 0
