"""The editor that an order asks for, and the rules that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.edits.models import make_estimator
from frote.estimators.classifier import FROTEClassifier
from frote.estimators.given_rules import resolved_rules
from frote.estimators.sampler import FROTE
from frote.exceptions import FroteError, RecordError, told
from frote.generation.possible import tell_in_part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frote.edits.order import Order
    from frote.edits.run_options import RunOptions
    from frote.rules import RuleSet
    from frote.table import Table

__all__ = ["make_editor", "used_rules"]


def used_rules(order: Order, table: Table, classes: Iterable[Any]) -> RuleSet:
    """Return the rules, with conflicts resolved if that was asked for; of which nothing is left is told."""
    written = order.rules.rules
    if order.resolve is None:
        return written
    resolved = resolved_rules(written, order.resolve, table, classes)
    tell_in_part(written, table)  # what is resolved has lost what cannot apply
    return resolved


def make_editor(order: Order, rules: RuleSet, options: RunOptions, estimator: Any = None) -> FROTE | FROTEClassifier:
    """Return the editor that was asked for; `estimator` is what it edits, where the order names none.

    Raises
    ------
    ModelError, RecordError
        If there is no such model, or no editor with such settings.
    """
    by_data = order.settings.get("how", "data") == "data"
    if order.published and not by_data:
        raise RecordError("The paper's algorithm edits by data: --as-published does not go with another --how.")
    make = FROTEClassifier if not by_data else FROTE.as_published if order.published else FROTE
    if estimator is None:
        estimator = make_estimator(order.model, order.params)
    aside = {*(("how",) if by_data else ()), *(("time_limit",) if options.last_step is not None else ())}
    try:
        editor = make(
            estimator,
            rules,
            random_state=order.seed,
            n_jobs=options.n_jobs,
            progress=options.progress,
            checkpoint=options.checkpoint if by_data else None,  # the few fits of other ways begin anew
            callbacks=[options.after_step],
            **{name: value for name, value in order.settings.items() if name not in aside},
        )
        editor._validate_params()
    except FroteError:
        raise
    except (TypeError, ValueError) as error:  # of settings in a record; those of options are what they should be
        raise RecordError(f"The settings cannot be used: {told(error)}") from None
    return editor
